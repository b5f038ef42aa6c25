//! Nets of both kinds, as safetensors.

use std::collections::BTreeMap;

use labrys_core::eval::nnue::{EvalNet, EvalNetSizes, NetEvaluator};
use labrys_core::game::{Knowledge, PlaneSelection};
use labrys_core::nets::{Architecture, Net, NetConfig, Parameters, softmax};

use super::scratch::with_file;
use super::{Target, game_and_rest, repair, seeds, with_game};

/// Words of the headers.
const WORDS: &[&str] = &[
    "\"__metadata__\":",
    "\"dtype\":\"F32\"",
    "\"dtype\":\"I16\"",
    "\"dtype\":\"I32\"",
    "\"shape\":[",
    "\"data_offsets\":[",
    "\\\"version\\\":2",
    "\\\"version\\\":1",
    "\\\"hidden\\\":",
    "\\\"buckets\\\":",
    "\\\"outputs\\\":",
    "\\\"files\\\":",
    "\\\"ranks\\\":",
    "\\\"scale\\\":",
    "\\\"unit\\\":",
    "\\\"architecture\\\":\\\"residual\\\"",
    "\\\"planes\\\":[\\\"board\\\"]",
    "\\\"repetitions\\\"",
    "\\\"channels\\\":",
    "4294967296",
    "18446744073709551615",
    "-1",
    "1e308",
    "0",
    "\\u007f\\u0080",
    "\u{0}\u{0}\u{80}\u{7f}",
];

/// The most parameters of a net that is evaluated.
const MOST_PARAMETERS: usize = 100_000;

/// An evaluation net: the game, then a file. What is written is read again as the same.
pub(super) const EVAL_NET: Target =
    Target { name: "eval_net", run: eval_net, seeds: eval_net_seeds, words: WORDS };

/// A policy/value net: the game, then a file.
pub(super) const POLICY_NET: Target =
    Target { name: "policy_net", run: policy_net, seeds: policy_net_seeds, words: WORDS };

/// A file without its first byte, which is the number of its game, with the right checksums.
fn repaired(data: &[u8]) -> Option<(u8, Vec<u8>)> {
    let (game, rest) = game_and_rest(data)?;
    let mut bytes = rest.to_vec();
    repair::tensors(&mut bytes);
    Some((game, bytes))
}

fn eval_net(data: &[u8]) {
    let Some((game, bytes)) = repaired(data) else { return };
    with_game!(game, read_eval_net(&bytes));
}

fn read_eval_net<G: Knowledge>(bytes: &[u8]) {
    let Ok(net) = with_file(bytes, EvalNet::load::<G>) else { return };
    let own = net.to_bytes::<G>().unwrap_or_else(|error| panic!("{error}"));
    let again = with_file(&own, EvalNet::load::<G>).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.to_bytes::<G>().ok(), Some(own));
    assert_eq!(again.checksum(), net.checksum());
    let evaluator = NetEvaluator::<G>::new(net);
    let start = G::start();
    if evaluator.fits(&start) {
        // Reads all weights of the position.
        assert!(!evaluator.breakdown(&start).to_text().is_empty());
    }
}

fn policy_net(data: &[u8]) {
    let Some((game, bytes)) = repaired(data) else { return };
    with_game!(game, read_policy_net(&bytes));
}

fn read_policy_net<G: Knowledge>(bytes: &[u8]) {
    let Ok((parameters, others)) = with_file(bytes, Parameters::load_with::<G>) else { return };
    let own = parameters.to_bytes(&others).unwrap_or_else(|error| panic!("{error}"));
    let (again, more) = with_file(&own, Parameters::load_with::<G>).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.to_bytes(&more).ok(), Some(own));
    let net = Net::new(&parameters);
    let shape = net.config().shape;
    let mut planes = vec![0.0; shape.input_len()];
    let start = G::start();
    if start.encoding_shape().select(shape.selection) == shape {
        shape.write_planes(&start, 1, &mut planes);
    }
    // Small ones only: a net of the most sizes takes seconds.
    if parameters.count() <= MOST_PARAMETERS {
        let outputs = net.evaluate(&planes);
        let mut logits: Vec<_> =
            (0..shape.policy_len().min(64)).map(|index| outputs.logit(0, index)).collect();
        softmax(&mut logits);
        let _ = outputs.value(0);
    }
}

fn eval_net_seeds() -> Vec<Vec<u8>> {
    fn seed<G: Knowledge>(buckets: u8) -> Vec<u8> {
        let inputs = G::start().input_shape();
        let sizes = EvalNetSizes { inputs, buckets, hidden: 16, outputs: 1 };
        EvalNet::random_of_sizes(sizes, 1).to_bytes::<G>().expect("numbers that a file can have")
    }
    // Without chess, whose smallest net has 24 KB.
    [1, 2, 3].map(|game| seeds::of_game(game, with_game!(game, seed(1)))).to_vec()
}

fn policy_net_seeds() -> Vec<Vec<u8>> {
    fn seed<G: Knowledge>(architecture: Architecture, planes: &[&str]) -> Vec<u8> {
        let names: Vec<_> = planes.iter().map(|&name| name.to_owned()).collect();
        let selection = PlaneSelection::new(G::PLANE_GROUPS, &names).unwrap_or_default();
        let config = NetConfig { shape: G::start().encoding_shape().select(selection), architecture };
        let parameters = Parameters::random::<G>(config, 1).expect("sizes that are allowed");
        parameters.to_bytes(&BTreeMap::new()).expect("numbers that a file can have")
    }
    let residual = Architecture::Residual { channels: 1, blocks: 1, hidden: 1 };
    let paper = Architecture::Paper { channels: 1, dense: [1, 1] };
    let all: &[&str] = &[];
    [(1, residual, all), (1, paper, all), (2, residual, all), (1, residual, &["board", "repetitions"])]
        .map(|(game, net, planes)| seeds::of_game(game, with_game!(game, seed(net, planes))))
        .to_vec()
}
