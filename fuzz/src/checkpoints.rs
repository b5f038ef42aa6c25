//! Checkpoints of trainings, of tunings and of proofs.

use std::fs;

use labrys_core::eval::nnue::EvalNetSizes;
use labrys_core::game::neighbours::Neighbours;
use labrys_core::game::{Game, Knowledge};
use labrys_core::nets::{Architecture, NetConfig, Parameters};
use labrys_core::search::{Control, Limits};
use labrys_core::tensors::{self, FileKind, TensorBytes};
use labrys_learn::nnue::checkpoint::TrainingFolder;
use labrys_learn::nnue::generations::GenerationsState;
use labrys_learn::nnue::trainer::TrainingSettings;
use labrys_learn::run_folder::{JsonState, RunFolder};
use labrys_learn::spsa::SpsaState;
use labrys_learn::training::NetTrainer;
use labrys_learn::zero::ZeroState;
use labrys_learn::{Learner, TemporalDifference, TrainingState};
use labrys_solver::{Resources, solve};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::scratch::{folder, with_file};
use super::{Target, game_and_rest, repair, seeds};

/// A checkpoint: its kind, then the file. What is read is written and read again as the same.
pub(super) const TARGET: Target = Target {
    name: "checkpoint",
    run,
    seeds: all_seeds,
    words: &[
        "\"version\":",
        "\"arguments\":",
        "\"state\":",
        "\"crc32\":\"",
        "\"generations\":[",
        "\"curve\":[",
        "\"values\":[",
        "\"weights\":[",
        "\"iteration\":",
        "\"best\":",
        "null",
        "1e308",
        "-1",
        "18446744073709551615",
        "LABRYSPT",
        "\\\"steps\\\":",
        "\\\"settings\\\":",
        "optimiser.",
        "mean.input.weight",
    ],
};

/// The position whose proof goes on.
const PROOF: &str = "8/8/8/8/8/pp6/8/PP6 w 0 1";

fn run(data: &[u8]) {
    let Some((kind, rest)) = game_and_rest(data) else { return };
    let mut bytes = rest.to_vec();
    match kind % 7 {
        0 => json_state::<TrainingState>(&mut bytes),
        1 => json_state::<ZeroState>(&mut bytes),
        2 => json_state::<SpsaState>(&mut bytes),
        3 => json_state::<GenerationsState>(&mut bytes),
        4 => training(&mut bytes),
        5 => trainer(&mut bytes),
        _ => proof(&mut bytes),
    }
}

/// The state of a run as JSON.
fn json_state<S: JsonState>(bytes: &mut [u8]) {
    if let Some(sum) = checksum(bytes) {
        repair::entry(bytes, sum);
    }
    let folder = folder();
    let arguments: Map<String, Value> = Map::new();
    let run = RunFolder::<S>::open(folder.path(), arguments).expect("a temporary folder");
    fs::write(run.file(S::FILE), &bytes).expect("a temporary file");
    if let Ok(Some(state)) = run.read(true) {
        run.write(&state).unwrap_or_else(|error| panic!("{error}"));
        let own = fs::read(run.file(S::FILE)).expect("a temporary file");
        let again = run.read(true).unwrap_or_else(|error| panic!("{error}")).expect("a state");
        run.write(&again).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(fs::read(run.file(S::FILE)).expect("a temporary file"), own);
    }
}

/// The checksum of a JSON checkpoint: that of two of its entries, as they are written.
fn checksum(bytes: &[u8]) -> Option<u32> {
    let entries: std::collections::HashMap<String, Box<RawValue>> = serde_json::from_slice(bytes).ok()?;
    let text = [entries.get("arguments")?.get(), entries.get("state")?.get()].concat();
    Some(crc32fast::hash(text.as_bytes()))
}

/// The settings of the training whose state is read.
fn settings() -> TrainingSettings {
    let sizes =
        EvalNetSizes { inputs: Neighbours::start().input_shape(), buckets: 1, hidden: 16, outputs: 1 };
    TrainingSettings {
        sizes,
        start: None,
        epochs: 1,
        batch: 1,
        rate: 0.1,
        decay: 0.0,
        blend: 0.5,
        lambda: 0.5,
        patience: 1,
        seed: 1,
        margin: 1000,
        unit: None,
    }
}

/// The state of the training of an evaluation net.
fn training(bytes: &mut [u8]) {
    repair::tensors(bytes);
    let folder = folder();
    let run = TrainingFolder::open(folder.path(), settings(), 0).expect("a temporary folder");
    fs::write(folder.path().join("training.safetensors"), &bytes).expect("a temporary file");
    if let Ok(Some(state)) = run.read::<Neighbours>(true) {
        let _ = state.best_epoch();
    }
}

/// The state of the training of a policy/value net.
fn trainer(bytes: &mut [u8]) {
    repair::tensors(bytes);
    let folder = folder();
    let path = folder.path().join("trainer");
    fs::write(&path, &bytes).expect("a temporary file");
    if let Ok(trainer) = NetTrainer::load::<Neighbours>(&path) {
        trainer.save(&path).unwrap_or_else(|error| panic!("{error}"));
        let own = fs::read(&path).expect("a temporary file");
        let again = NetTrainer::load::<Neighbours>(&path).unwrap_or_else(|error| panic!("{error}"));
        again.save(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(fs::read(&path).expect("a temporary file"), own);
    }
}

/// The table of a proof, from which the search goes on.
fn proof(bytes: &mut [u8]) {
    repair::last_bytes(bytes);
    let position = Neighbours::from_fen(PROOF).expect("a position");
    with_file(bytes, |path| {
        let resources = Resources { megabytes: 1, threads: 1, checkpoint: Some(path.to_owned()) };
        let limits = Limits { nodes: Some(50), ..Limits::none() };
        let _ = solve(&position, resources, &limits, &Control::default());
    });
}

fn all_seeds() -> Vec<Vec<u8>> {
    let spsa = SpsaState { iteration: 3, values: vec![1.5, -2.0], games: [1, 2, 3], curve: Vec::new() };
    let generation = json!({
        "selfplay": {"white": 3, "drawn": 2, "black": 1}, "positions": 300, "window": 300,
        "loss": {"steps": 10, "value": 0.5, "policy": 1.5}, "gate": null, "is_accepted": true,
        "comparisons": [],
    });
    let zero = serde_json::from_value(json!({"best": 1, "generations": [generation]})).unwrap_or_default();
    let all = [
        written(&TrainingState::new(vec![1.0, 0.5], Learner::Td(TemporalDifference::new(1.0, 0.5, None)))),
        written::<ZeroState>(&zero),
        written(&spsa),
        written(&GenerationsState::default()),
        training_seed(),
        trainer_seed(),
        proof_seed(),
    ];
    (0..).zip(all).map(|(kind, bytes)| seeds::of_game(kind, bytes)).collect()
}

/// The file of a state.
fn written<S: JsonState>(state: &S) -> Vec<u8> {
    let folder = folder();
    let run = RunFolder::<S>::open(folder.path(), Map::new()).expect("a temporary folder");
    run.write(state).expect("a temporary file");
    fs::read(run.file(S::FILE)).expect("a temporary file")
}

fn training_seed() -> Vec<u8> {
    let EvalNetSizes { hidden, outputs, .. } = settings().sizes;
    let rows = settings().sizes.rows();
    let parts = [
        ("input.weight", vec![rows, hidden]),
        ("input.bias", vec![hidden]),
        ("output.weight", vec![outputs, 2 * hidden]),
        ("output.bias", vec![outputs]),
    ];
    let names: Vec<_> = ["", "mean.", "square.", "best."]
        .into_iter()
        .flat_map(|set| parts.iter().map(move |(name, shape)| (format!("{set}{name}"), shape)))
        .collect();
    let all: Vec<_> = names
        .iter()
        .map(|(name, shape)| TensorBytes::new(name, shape, &vec![0.25_f32; shape.iter().product()]))
        .collect();
    let metadata = json!({
        "settings": settings(), "sizes": settings().sizes, "data": 0, "steps": 1,
        "curve": [{"number": 1, "training": 0.5, "held_out": 0.5}],
    });
    let (what, entry) = ("a training of an evaluation net", "labrys-nnue-training");
    let kind = FileKind { what, entry, encoding: Neighbours::INPUTS_VERSION };
    tensors::to_bytes(kind, Neighbours::info().name, &all, metadata).expect("tensors that fit")
}

fn trainer_seed() -> Vec<u8> {
    let architecture = Architecture::Residual { channels: 1, blocks: 1, hidden: 1 };
    let config = NetConfig { shape: Neighbours::start().encoding_shape(), architecture };
    let parameters = Parameters::random::<Neighbours>(config, 1).expect("sizes that are allowed");
    let folder = folder();
    let path = folder.path().join("trainer");
    NetTrainer::new(parameters).save(&path).expect("a temporary file");
    fs::read(path).expect("a temporary file")
}

fn proof_seed() -> Vec<u8> {
    let folder = folder();
    let path = folder.path().join("proof");
    let position = Neighbours::from_fen(PROOF).expect("a position");
    let resources = Resources { megabytes: 1, threads: 1, checkpoint: Some(path.clone()) };
    let limits = Limits { nodes: Some(20), ..Limits::none() };
    solve(&position, resources, &limits, &Control::default()).expect("a search");
    fs::read(path).expect("a temporary file")
}
