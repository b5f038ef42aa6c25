//! Evaluation by efficiently updatable nets.

use crate::common;

use common::flip::flipped;
use common::{Line, amazons_starts, random_game_from, random_lines};
use labrys::engine::Playable;
use labrys::eval::nnue::{Accumulators, EvalNet, EvalNetSizes, NetEvaluator};
use labrys::eval::{Evaluator, Scale, Score};
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{Color, Game, Knowledge, each_input, plane_and_bit};
use labrys::search::{
    Control, Heuristics, Limits, MsdOptions, Options, SearchInput, SearchMode, TranspositionTable, search,
};
use tempfile::tempdir;

/// The value of a position by the definition, without optimisations.
fn reference<G: Knowledge>(net: &EvalNet, position: &G) -> f64 {
    let hidden = net.sizes.hidden;
    let output = position.output_bucket(net.sizes.outputs);
    let us = position.side_to_move();
    let mut sum = 0;
    for (half, player) in [us, !us].into_iter().enumerate() {
        let view = position.perspective(player);
        let mut neurons: Vec<i64> = net.input_bias.iter().map(|&bias| bias.into()).collect();
        each_input(position.input_planes(), |input| {
            let (plane, bit) = plane_and_bit(input);
            let bucket = usize::from(view.bucket.min(net.sizes.buckets - 1));
            let index = G::input_index(position.input_shape(), view, plane, bit).unwrap();
            let index = bucket * net.sizes.inputs.inputs + index;
            let weights = &net.input_weights[hidden * index..][..hidden];
            neurons.iter_mut().zip(weights).for_each(|(neuron, &weight)| *neuron += i64::from(weight));
        });
        for (number, neuron) in neurons.into_iter().enumerate() {
            let active = neuron.clamp(0, 255);
            sum += active * active * i64::from(net.output_weights[hidden * (2 * output + half) + number]);
        }
    }
    (sum as f64 / 255.0 + f64::from(net.output_bias[output])) * net.scale.unit / (255.0 * 64.0)
}

/// An evaluation that checks each state against one from scratch.
struct Checked<G>(NetEvaluator<G>);

impl<G: Knowledge> Evaluator<G> for Checked<G> {
    type State = Accumulators<G::InputPlanes>;

    fn reset(&self, position: &G, state: &mut Self::State) {
        self.0.reset(position, state);
    }

    fn update(&self, parent: &G, from: &Self::State, child: &G, to: &mut Self::State) {
        self.0.update(parent, from, child, to);
    }

    fn evaluate(&self, position: &G, state: &Self::State) -> Score {
        let mut fresh = Self::State::default();
        self.0.reset(position, &mut fresh);
        assert_eq!(*state, fresh, "{}", position.fen());
        self.0.evaluate(position, state)
    }

    fn scale(&self) -> Scale {
        self.0.scale()
    }
}

/// Both perspectives, in all kinds of search: moves, null moves, chance, MSD, half moves.
fn check_searches<G: Playable>(nodes: u64) {
    for (number, (position, history)) in random_lines::<G>(4, 30).iter().enumerate() {
        let sizes = EvalNetSizes {
            inputs: position.input_shape(),
            buckets: 1 + number as u8 % G::BUCKETS,
            hidden: [20, 64][number % 2],
            outputs: [1, 3][number / 2],
        };
        let net = EvalNet::random_of_sizes(sizes, number as u64);
        let evaluator = Checked(NetEvaluator::<G>::new(net));
        let msd = MsdOptions { keep_rate: 50, volatile_plies: 2, ..MsdOptions::default() };
        for options in [
            Options::default(),
            Options { chance_plies: 1, ..Options::default() },
            Options { msd, ..Options::default() },
        ] {
            let limits = &Limits::nodes(nodes);
            let options = &options;
            let input = SearchInput::new(position, history, &evaluator, options, limits);
            let table = TranspositionTable::new(1).unwrap();
            let heuristics = &mut [Heuristics::new()];
            let best = search(&input, SearchMode::Pvs, &table, heuristics, &Control::default(), &mut |_| {});
            assert!(best.mv.is_some());
        }
    }
}

#[test]
fn accumulators_stay_correct_in_every_search() {
    check_searches::<Chess>(20_000);
    check_searches::<Neighbours>(20_000);
    check_searches::<TucChess>(20_000);
    check_searches::<Amazons>(5_000);
}

/// Values are those of the definition, and depend on who is to move, not on the colours.
fn check_values<G: Playable>(start: &G, hidden: usize, outputs: usize) {
    check_values_in_buckets(start, 1, hidden, outputs);
}

fn check_values_in_buckets<G: Playable>(start: &G, buckets: u8, hidden: usize, outputs: usize) {
    let sizes = EvalNetSizes { inputs: start.input_shape(), buckets, hidden, outputs };
    let mut net = EvalNet::random_of_sizes(sizes, 7);
    net.scale.unit = 1.75;
    let evaluator = NetEvaluator::<G>::new(net.clone());
    let mut scores = Vec::new();
    for seed in 0..5 {
        random_game_from(start.clone(), seed, 80, |position, _| {
            let score = evaluator.evaluate_position(position);
            assert_eq!(score, Score::from_value(reference(&net, position)), "{}", position.fen());
            assert_eq!(score, evaluator.evaluate_position(&flipped(position)), "{}", position.fen());
            scores.push(score);
        });
    }
    scores.sort_unstable();
    scores.dedup();
    assert!(scores.len() > 20, "{}", scores.len());
}

#[test]
fn values_agree_with_the_definition() {
    check_values(&Chess::start(), 128, 1);
    check_values(&Chess::start(), 40, 8);
    for buckets in 2..=Chess::BUCKETS {
        check_values_in_buckets(&Chess::start(), buckets, 32, 1);
    }
    check_values(&Neighbours::start(), 1, 2);
    check_values(&TucChess::start(), 33, 4);
    for start in amazons_starts() {
        check_values(&start, 64, 2);
    }
}

#[test]
fn a_mirrored_king_makes_a_fresh_accumulator() {
    let line = |moves: &[&str]| -> Line<Chess> {
        let mut position = Chess::from_fen("4k3/pppppppp/8/8/8/8/PPPP1PPP/4K3 w - - 0 1").unwrap();
        let history = labrys::game::GameHistory::new();
        moves.iter().for_each(|mv| position.play(position.parse_move(mv).unwrap()));
        (position, history)
    };
    let evaluator = NetEvaluator::new(EvalNet::random(&Chess::start(), 32, 1, 1));
    let (parent, _) = line(&[]);
    let (child, _) = line(&["e1d1"]);
    assert!(parent.perspective(Color::White).mirrored && !child.perspective(Color::White).mirrored);
    let [mut from, mut to, mut fresh] = [(); 3].map(|()| Accumulators::default());
    evaluator.reset(&parent, &mut from);
    evaluator.update(&parent, &from, &child, &mut to);
    evaluator.reset(&child, &mut fresh);
    assert_eq!(to, fresh);
}

#[test]
fn buckets_are_chosen_by_the_king() {
    let bucket = |king: &str, player| {
        let fen = match player {
            Color::White => format!("8/8/8/8/k7/8/8/{king} w - - 0 1"),
            Color::Black => format!("{king}/8/8/7K/8/8/8/8 b - - 0 1"),
        };
        Chess::from_fen(&fen).unwrap().perspective(player).bucket
    };
    for (king, expected) in [("6K1", 0), ("7K", 0), ("3K4", 1), ("4K3", 1)] {
        assert_eq!(bucket(king, Color::White), expected, "{king}");
        assert_eq!(bucket(&king.to_lowercase(), Color::Black), expected, "{king}");
    }
    let view = |fen: &str| Chess::from_fen(fen).unwrap().perspective(Color::White).bucket;
    assert_eq!((view("k7/8/8/8/8/8/6K1/8 w - - 0 1"), view("k7/8/8/8/8/K7/8/8 w - - 0 1")), (2, 3));
}

#[test]
fn a_file_holds_the_net() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    let net = EvalNet::random(&TucChess::start(), 24, 4, 3);
    labrys::learn::save_eval_net::<TucChess>(&net, &path).unwrap();
    assert_eq!(EvalNet::load::<TucChess>(&path).unwrap(), net);
    let inputs = Chess::start().input_shape();
    let net = EvalNet::random_of_sizes(EvalNetSizes { inputs, buckets: 3, hidden: 8, outputs: 1 }, 3);
    labrys::learn::save_eval_net::<Chess>(&net, &path).unwrap();
    assert_eq!(EvalNet::load::<Chess>(&path).unwrap(), net);
}

#[test]
fn a_wrong_file_is_refused_by_name() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    let refusal = || {
        let text = EvalNet::load::<TucChess>(&path).unwrap_err().to_string();
        assert!(text.contains("net.safetensors"), "{text}");
        text
    };
    assert!(refusal().contains("No such file"));
    let net = EvalNet::random(&TucChess::start(), 24, 2, 3);
    labrys::learn::save_eval_net::<Chess>(&net, &path).unwrap();
    assert!(refusal().contains("for game `chess`, expected `tucchess`"));
    let sizes = EvalNetSizes { buckets: 2, ..net.sizes };
    labrys::learn::save_eval_net::<TucChess>(&EvalNet::random_of_sizes(sizes, 3), &path).unwrap();
    assert!(refusal().contains("2 buckets, expected 1 to 1"));

    labrys::learn::save_eval_net::<TucChess>(&net, &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    for len in [0, 7, 100, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..len]).unwrap();
        assert!(refusal().contains("not a whole safetensors file"));
    }
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    std::fs::write(&path, flipped).unwrap();
    assert!(refusal().contains("damaged: checksum"));

    // Every bit of the header counts, such as those of the unit.
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    for bit in 0..8 * header {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, flipped).unwrap();
        refusal();
    }
    // The board of another game.
    let mut other = net.clone();
    other.sizes.inputs.files += 1;
    labrys::learn::save_eval_net::<TucChess>(&other, &path).unwrap();
    assert!(refusal().contains("for boards of 6×7, which tucchess does not have"));

    // Numbers that cannot be computed with are not even written.
    let bytes = std::fs::read(&path).unwrap();
    let refusal = |mut net: EvalNet, change: &dyn Fn(&mut EvalNet)| {
        change(&mut net);
        labrys::learn::save_eval_net::<TucChess>(&net, &path).unwrap_err().to_string()
    };
    assert!(refusal(net.clone(), &|net| net.output_weights[5] = 128).contains("128 is out of range"));
    assert!(refusal(net.clone(), &|net| net.scale.unit = -1.0).contains("makes no values"));
    assert!(refusal(net.clone(), &|net| net.scale.b = f64::NAN).contains("makes no values"));
    assert!(refusal(net.clone(), &|net| net.scale.margin = i32::MAX).contains("a margin of at most 1000000"));
    assert!(refusal(net.clone(), &|net| net.scale.margin = -1).contains("makes no values"));
    let wide = EvalNet::random(&TucChess::start(), 1_024, 1, 3);
    let refusal = refusal(wide, &|net| net.output_weights.fill(-127));
    assert!(refusal.contains("magnitudes add up to"), "{refusal}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn each_piece_contributes_what_the_position_loses_without_it() {
    let net = EvalNet::random(&Chess::start(), 32, 1, 5);
    let evaluator = NetEvaluator::new(net);
    let position = Chess::from_fen("4k3/8/8/3p4/8/8/4P3/4K3 b - - 0 1").unwrap();
    let breakdown = evaluator.breakdown(&position);
    assert_eq!(Score::from_value(breakdown.value), evaluator.evaluate_position(&position));
    let names: Vec<_> = breakdown.inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names, ["P e2", "K e1", "p d5", "k e8"]);
    let without = evaluator.evaluate_position(&Chess::from_fen("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1").unwrap());
    let lost = f64::from(without.to_thousandths()) / 1000.0 - breakdown.value;
    assert!((breakdown.inputs[2].contribution - lost).abs() < 2e-3);
    assert!(breakdown.to_text().contains("p d5"));
}

mod options {
    use std::fs;

    use labrys::engine::{Settings, SideEffect, TypedEngine};

    use super::*;

    fn engine_with_file<G: Playable>(start: &G) -> (Box<dyn TypedEngine<G>>, tempfile::TempDir, String) {
        let folder = tempdir().unwrap();
        let path = folder.path().join("net.safetensors");
        labrys::learn::save_eval_net::<G>(&EvalNet::random(start, 32, 1, 9), &path).unwrap();
        (G::engine(&Settings::default()), folder, path.to_str().unwrap().to_owned())
    }

    #[test]
    fn the_last_loaded_evaluation_is_used() {
        let (mut engine, folder, path) = engine_with_file(&Chess::start());
        let weights = folder.path().join("weights.json");
        fs::write(&weights, engine.weights().to_json()).unwrap();
        let weights = weights.to_str().unwrap();
        let nodes = |engine: &mut dyn TypedEngine<Chess>| {
            let control = Control::default();
            engine.new_game();
            engine.search(&[], &Limits::depth(6), &control, &mut |_: &_| {}).unwrap().nodes
        };
        let shipped = nodes(engine.as_mut());
        engine.set_option("Evaluation", "linear").unwrap();
        let linear = nodes(engine.as_mut());
        let told = |kind| [SideEffect::Evaluation { kind }];
        assert_eq!(engine.set_option("EvalFile", &path).unwrap(), told("net"));
        let net = nodes(engine.as_mut());
        assert!(net != linear && net != shipped);
        let refusal = engine.set_option("EvalFile", "missing").unwrap_err().to_string();
        assert!(refusal.starts_with("option EvalFile: net file missing: "), "{refusal}");
        assert_eq!(nodes(engine.as_mut()), net, "a file that cannot be read changes nothing");
        // A GUI may send all defaults.
        assert_eq!(engine.set_option("WeightsFile", "<empty>").unwrap(), []);
        assert_eq!(engine.set_option("FeatureSet", "classical").unwrap(), []);
        assert_eq!(nodes(engine.as_mut()), net);
        assert_eq!(engine.set_option("WeightsFile", weights).unwrap(), told("linear"));
        assert_eq!(nodes(engine.as_mut()), linear);
        engine.set_option("Evaluation", "net").unwrap();
        assert_eq!(nodes(engine.as_mut()), net);
        assert_eq!(engine.set_option("FeatureSet", "msd").unwrap(), told("linear"));
        engine.set_option("Evaluation", "net").unwrap();
        assert_eq!(engine.set_option("EvalFile", "<empty>").unwrap(), []);
        assert_eq!(nodes(engine.as_mut()), shipped);
    }

    #[test]
    fn shipped_nets_belong_to_their_game() {
        fn check<G: Knowledge>() {
            assert_eq!(EvalNet::shipped::<G>().is_some(), G::info().net.is_some(), "{}", G::info().name);
            let has_checksum =
                |net: &[u8]| net[..4096.min(net.len())].windows(12).any(|text| text == b"header_crc32");
            assert!(G::info().net.is_none_or(has_checksum), "{}", G::info().name);
        }
        check::<Chess>();
        check::<Neighbours>();
        check::<TucChess>();
        check::<Amazons>();
    }

    #[test]
    fn a_net_for_another_board_is_rejected_and_ignored() {
        let (mut engine, _folder, path) = engine_with_file(&Amazons::start());
        engine.set_option("EvalFile", &path).unwrap();
        engine.check_net().unwrap();
        let fen = Amazons::start_with(1).fen();
        engine.board_mut().set_up(Some(&fen), &[]).unwrap();
        let refusal = engine.check_net().unwrap_err().to_string();
        assert!(refusal.contains("a net for boards of"), "{refusal}");
        let control = Control::default();
        let best = engine.search(&[], &Limits::depth(1), &control, &mut |_: &_| {}).unwrap();
        assert!(best.best.is_some() && engine.net_breakdown().is_none());
    }
}
