//! Training of policy/value nets: gradients, memorisation, and files.

use crate::common;

use std::collections::BTreeMap;

use common::net::{Moments, ReferenceNet};
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::tucchess::TucChess;
use labrys::game::{Game, Knowledge};
use labrys::learn::training::{Example, NetTrainer, Optimiser, TrainingSettings};
use labrys::nets::{Architecture, Net, NetConfig, NetProblem, Parameters, Tensor};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Positions of random games from a position, with random targets.
fn examples<G: Knowledge>(start: &G, count: usize) -> Vec<Example> {
    let mut random = StdRng::seed_from_u64(5);
    let mut examples = Vec::new();
    for seed in 0.. {
        common::random_game_from(start.clone(), seed, 20, |position, _| {
            let moves = position.moves();
            if moves.is_empty() || examples.len() == count {
                return;
            }
            let mut planes = vec![0.0; position.encoding_shape().input_len()];
            position.write_planes(1, &mut planes);
            // No position may have two targets.
            if examples.iter().any(|example: &Example| example.planes == planes) {
                return;
            }
            let indices = moves.iter().flat_map(|&mv| position.policy_indices(mv)).map(|index| index as u32);
            let shares: Vec<f32> = moves.iter().map(|_| random.random::<f32>().powi(4)).collect();
            let sum: f32 = shares.iter().sum();
            let policy = shares.into_iter().map(|share| share / sum).collect();
            let value = random.random_range(-1.0..=1.0);
            examples.push(Example { planes, indices: indices.collect(), policy, value });
        });
        if examples.len() == count {
            break;
        }
    }
    examples
}

fn trainer<G: Knowledge>(start: &G, architecture: Architecture) -> NetTrainer {
    let config = NetConfig { shape: start.encoding_shape(), architecture };
    NetTrainer::new(Parameters::random::<G>(config, 3).unwrap())
}

/// The loss of a batch by the plain reference, with the moments of the batch.
fn loss(tensors: &BTreeMap<String, Tensor>, config: &NetConfig, examples: &[Example], weight: f64) -> f64 {
    let planes: Vec<_> = examples.iter().map(|example| example.planes.as_slice()).collect();
    let outputs = ReferenceNet(tensors).evaluate(&planes, config, Moments::Batch);
    let losses = examples.iter().zip(outputs).map(|(example, (logits, value))| {
        let each = example.indices.len() / example.policy.len();
        let logits =
            example.indices.chunks(each).map(|all| all.iter().map(|&i| logits[i as usize]).sum::<f64>());
        let logits: Vec<_> = logits.collect();
        let log_sum = logits.iter().map(|logit| logit.exp()).sum::<f64>().ln();
        let policy: f64 = logits
            .iter()
            .zip(&example.policy)
            .map(|(logit, target)| f64::from(*target) * (log_sum - logit))
            .sum();
        policy + weight * (value - f64::from(example.value)).powi(2)
    });
    losses.sum::<f64>() / examples.len() as f64
}

/// Compares the gradient, which is what a step of SGD with rate 1 subtracts, with finite differences.
fn check_gradient<G: Knowledge>(start: &G, architecture: Architecture) {
    let examples = examples(start, 5);
    let settings = TrainingSettings {
        optimiser: Optimiser::Sgd,
        rate: 1.0,
        warmup: 0,
        momentum: 0.0,
        decay: 0.0,
        dropout: 0.0,
        value_weight: 0.5,
    };
    let before = trainer(start, architecture);
    let mut after = before.clone();
    let found = after.step(&settings, &examples.iter().collect::<Vec<_>>(), 0).unwrap();
    let config = before.parameters().config();
    let mut tensors = before.parameters().tensors().clone();
    let expected = loss(&tensors, config, &examples, 0.5);
    assert!((f64::from(found.total(&settings)) - expected).abs() < 1e-4, "{found:?} {expected}");
    let mut random = StdRng::seed_from_u64(1);
    for (name, old) in before.parameters().tensors() {
        if name.contains("running") {
            continue;
        }
        let gradient =
            |index: usize| f64::from(old.values[index] - after.parameters().tensors()[name].values[index]);
        // Those with the greatest slopes, and others.
        let mut indices: Vec<_> = (0..old.values.len()).collect();
        indices.sort_by(|&one, &other| gradient(other).abs().total_cmp(&gradient(one).abs()));
        indices.truncate(2);
        indices.extend((0..2).map(|_| random.random_range(0..old.values.len())));
        for index in indices {
            const STEP: f32 = 1e-5;
            let mut at = |step: f32| {
                tensors.get_mut(name).unwrap().values[index] = old.values[index] + step;
                let place = f64::from(tensors[name].values[index]);
                (place, loss(&tensors, config, &examples, 0.5))
            };
            let ((one, low), (other, high)) = (at(-STEP), at(STEP));
            at(0.0);
            let expected = (high - low) / (other - one);
            let tolerance = 1e-4 + 0.01 * expected.abs();
            assert!(
                (gradient(index) - expected).abs() < tolerance,
                "{name}[{index}]: {} {expected}",
                gradient(index)
            );
        }
    }
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let paper = Architecture::Paper { channels: 4, dense: [6, 5] };
    let residual = Architecture::Residual { channels: 4, blocks: 2, hidden: 5 };
    let board = Amazons::from_fen("1q2/3q/4/Q3/2Q1/4 w - - 0 1").unwrap();
    for architecture in [paper, residual] {
        check_gradient(&TucChess::start(), architecture);
        // Two indices for each move.
        check_gradient(&board, architecture);
    }
}

#[test]
fn a_net_learns_positions_by_heart() {
    let examples = examples(&TucChess::start(), 32);
    let batch: Vec<_> = examples.iter().collect();
    // The minimum of the policy loss is the entropy of the target.
    let entropy = |example: &Example| -> f32 {
        example.policy.iter().filter(|&&share| share > 0.0).map(|share| -share * share.ln()).sum()
    };
    let least = examples.iter().map(entropy).sum::<f32>() / 32.0;
    for (architecture, optimiser, rate) in [
        (Architecture::Residual { channels: 16, blocks: 2, hidden: 32 }, Optimiser::Adam, 0.002),
        (Architecture::Paper { channels: 16, dense: [64, 64] }, Optimiser::Adam, 0.002),
        (Architecture::Residual { channels: 16, blocks: 2, hidden: 32 }, Optimiser::Sgd, 0.005),
    ] {
        let mut trainer = trainer(&TucChess::start(), architecture);
        let settings = TrainingSettings { optimiser, rate, decay: 0.0, ..TrainingSettings::default() };
        let first = trainer.step(&settings, &batch, 0).unwrap();
        let mut last = first;
        for step in 1..500 {
            last = trainer.step(&settings, &batch, step).unwrap();
        }
        assert!(first.policy - least > 0.3 && first.value > 0.2, "{first:?} {least}");
        assert!(
            last.policy - least < 0.03 && last.value < 0.01,
            "{architecture:?} {optimiser:?} {last:?} {least}"
        );
        if optimiser == Optimiser::Adam {
            // Also in play, with the running moments.
            let net = Net::new(trainer.parameters());
            let error = |example: &&Example| (net.evaluate(&example.planes).value(0) - example.value).powi(2);
            let mean = batch.iter().map(error).sum::<f32>() / 32.0;
            assert!(mean < 0.02, "{mean}");
        }
    }
}

#[test]
fn the_result_depends_neither_on_threads_nor_on_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trainer.safetensors");
    let examples = examples(&Chess::start(), 40);
    let batch: Vec<_> = examples.iter().collect();
    let architecture = Architecture::Residual { channels: 8, blocks: 1, hidden: 8 };
    let settings = TrainingSettings { dropout: 0.3, ..TrainingSettings::default() };
    for optimiser in [Optimiser::Sgd, Optimiser::Adam] {
        let settings = TrainingSettings { optimiser, ..settings };
        let mut one = trainer(&Chess::start(), architecture);
        let mut other = one.clone();
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (single, several) = (pool(1), pool(3));
        for step in 0..5 {
            let loss = single.install(|| one.step(&settings, &batch, step)).unwrap();
            assert_eq!(several.install(|| other.step(&settings, &batch, step)).unwrap(), loss);
            assert_eq!(one, other, "step {step}");
            other.save(&path).unwrap();
            other = NetTrainer::load::<Chess>(&path).unwrap();
            assert_eq!(one, other, "step {step}, from a file");
        }
    }
    // It is not a net for play.
    let error = Parameters::load::<Chess>(&path).unwrap_err();
    assert!(error.to_string().contains("`optimiser.mean.convolution.0.weight` is unknown"), "{error}");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let error = NetTrainer::load::<Chess>(&path).unwrap_err();
    assert!(error.to_string().contains("damaged: checksum"), "{error}");
    labrys::learn::save_parameters(trainer(&Chess::start(), architecture).parameters(), &path).unwrap();
    let error = NetTrainer::load::<Chess>(&path).unwrap_err();
    assert!(error.to_string().contains("`optimiser.steps` is missing"), "{error}");
}

#[test]
fn a_training_that_diverges_is_stopped_and_changes_nothing() {
    let mut examples = examples(&TucChess::start(), 8);
    let mut trainer =
        trainer(&TucChess::start(), Architecture::Residual { channels: 4, blocks: 1, hidden: 4 });
    let before = trainer.clone();
    let settings = TrainingSettings { decay: f32::MAX, ..TrainingSettings::default() };
    let error = trainer.step(&settings, &examples.iter().collect::<Vec<_>>(), 0).unwrap_err();
    assert!(matches!(error, NetProblem::Value { .. }), "{error}");
    assert_eq!(trainer, before);
    examples[3].value = f32::NAN;
    let settings = TrainingSettings::default();
    let error = trainer.step(&settings, &examples.iter().collect::<Vec<_>>(), 0).unwrap_err();
    assert!(error.to_string().starts_with("the loss is NaN"), "{error}");
    assert_eq!(trainer, before);
}

#[test]
fn settings_out_of_their_range_are_named() {
    let default = TrainingSettings::default();
    assert_eq!(default.check(), Ok(()));
    for (settings, message) in [
        (TrainingSettings { rate: 0.0, ..default }, "rate: 0 is not above 0"),
        (TrainingSettings { rate: f32::NAN, ..default }, "rate: NaN is not above 0"),
        (TrainingSettings { momentum: 1.0, ..default }, "momentum: 1 is not from 0 to below 1"),
        (TrainingSettings { decay: -1.0, ..default }, "decay: -1 is not at least 0"),
        (TrainingSettings { dropout: 1.5, ..default }, "dropout: 1.5 is not from 0 to below 1"),
        (TrainingSettings { value_weight: f32::INFINITY, ..default }, "value_weight: inf is not at least 0"),
    ] {
        assert_eq!(settings.check().unwrap_err().to_string(), message);
    }
}
