//! Comparison with PyTorch: nets compute and learn the same. The tests need Python with the packages `torch`,
//! `numpy` and `safetensors`.

use crate::common::shell::{self, succeed};

use std::path::Path;
use std::process::Command;

use labrys::engine::Playable;
use labrys::engine::{Board, GameState};
use labrys::game::amazons::Amazons;
use labrys::game::tucchess::TucChess;
use labrys::game::{EncodingShape, Symmetry};
use labrys::learn::training::{Example, NetTrainer, Optimiser, TrainingSettings};
use labrys::learn::zero::{Samples, ZeroConfig, ZeroRun};
use labrys::nets::{Net, Parameters};
use labrys::search::Control;

/// Runs a Python script of the project and returns what it prints.
fn python(script: &str, arguments: &[&Path], options: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
    let mut command = Command::new("python3");
    succeed(shell::output(command.arg(path).args(arguments).args(options.split_whitespace())))
}

/// Compares a net in play, and a step of training, on the samples of a generation of self-play.
fn compare<G: Playable>(option: Option<(&str, &str)>, net: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut start = GameState::<G>::start();
    if let Some((name, value)) = option {
        start.set_option(name, value).unwrap();
    }
    let shape = start.position().encoding_shape();
    let config = format!(
        "variant = \"{}\"\ngenerations = 1\nnet = {{ {net} }}\n\
        selfplay = {{ games = 3, longest = 20, options = {{ Simulations = 8 }} }}\ngate = {{ on = false }}\n",
        G::info().name
    );
    let mut run = ZeroRun::open(ZeroConfig::parse(config).unwrap(), start, &path("run"), false, 1).unwrap();
    run.run(&Control::default(), &mut |_| ()).unwrap();
    drop(run);
    let samples_path = path("run/generation-0001/samples.safetensors");
    let (samples, _) = Samples::load::<G>(&samples_path, shape, 1).unwrap();
    let examples = examples(&samples, shape);
    let net_path = path("run/generation-0001/net.safetensors");
    let parameters = Parameters::load::<G>(&net_path).unwrap();

    let found = python("tests/python/net_outputs.py", &[&net_path, &samples_path], "");
    let net = Net::new(&parameters);
    for (line, example) in found.lines().zip(&examples) {
        let (value, logits) = line.split_once(' ').unwrap();
        let outputs = net.evaluate(&example.planes);
        let logit = |&index: &u32| f64::from(outputs.logit(0, index as usize));
        let sum: f64 = example.indices.iter().map(logit).sum();
        let (value, logits): (f64, f64) = (value.parse().unwrap(), logits.parse().unwrap());
        assert!((value - f64::from(outputs.value(0))).abs() < 1e-4, "{value} {}", outputs.value(0));
        assert!((logits - sum).abs() < 1e-2, "{logits} {sum}");
    }
    assert_eq!(found.lines().count(), examples.len());

    for (optimiser, name) in [(Optimiser::Sgd, "sgd"), (Optimiser::Adam, "adam")] {
        let mut trainer = NetTrainer::new(parameters.clone());
        let settings = TrainingSettings {
            optimiser,
            rate: 0.01,
            warmup: 0,
            momentum: 0.9,
            decay: 0.001,
            dropout: 0.0,
            value_weight: 0.7,
        };
        let batch: Vec<_> = examples.iter().collect();
        // Two steps, so that the state of the optimiser matters.
        for _ in 0..2 {
            trainer.step(&settings, &batch, 0).unwrap();
        }
        let options = format!(
            "--optimiser {name} --rate 0.01 --warmup 0 --momentum 0.9 --decay 0.001 --value-weight 0.7 \
            --in-order --epochs 2 --batch {}",
            batch.len()
        );
        let out = path("torch.safetensors");
        let arguments = [&net_path, Path::new("--samples"), &samples_path, Path::new("--out"), &out];
        python("python/examples/train_net.py", &arguments, &options);
        let theirs = Parameters::load::<G>(&out).unwrap();
        let (mut distance, mut change) = (0.0, 0.0);
        for (name, ours) in trainer.parameters().tensors() {
            let (theirs, before) = (&theirs.tensors()[name].values, &parameters.tensors()[name].values);
            for ((ours, theirs), before) in ours.values.iter().zip(theirs).zip(before) {
                distance += f64::from(ours - theirs).powi(2);
                change += f64::from(ours - before).powi(2);
            }
        }
        // Adam makes a full step for a slope near zero, whose sign is due to rounding.
        let share = (distance / change).sqrt();
        assert!(share < if optimiser == Optimiser::Sgd { 1e-3 } else { 0.05 }, "{name}: {share}");
    }
}

fn examples(samples: &Samples, shape: EncodingShape) -> Vec<Example> {
    let identity = Symmetry::identity(shape);
    (0..samples.len()).map(|position| samples.example(position, shape, &identity, 0.0)).collect()
}

#[test]
#[ignore = "needs PyTorch: cargo test --release --test learn pytorch -- --ignored"]
fn nets_agree_with_pytorch() {
    for net in [
        r#"architecture = "residual", channels = 12, blocks = 2, dense = 10"#,
        r#"architecture = "paper", channels = 12, dense = 20"#,
    ] {
        compare::<TucChess>(None, net);
        compare::<Amazons>(Some(("AmazonsBoard", "5x6")), net);
    }
}
