//! Samples of self-play, and the files of shards.

use labrys_core::game::{EncodingShape, Knowledge};
use labrys_core::search::Control;
use labrys_core::tensors::{self, FileKind, TensorBytes};
use labrys_learn::shard::{self, Kind};
use labrys_learn::zero::Samples;
use serde_json::json;

use super::scratch::with_file;
use super::{Target, game_and_rest, repair, seeds, with_game};

/// A file of samples of `labrys zero`, or any file that may be the part of a job: the game, then the file.
pub(super) const TARGET: Target = Target {
    name: "samples",
    run,
    seeds: all_seeds,
    words: &[
        "\"__metadata__\":",
        "\"dtype\":\"F32\"",
        "\"dtype\":\"U32\"",
        "\"shape\":[",
        "\"data_offsets\":[",
        "policy_indices",
        "move_offsets",
        "root_value",
        "\\\"generation\\\":",
        "\\\"planes\\\":[\\\"board\\\"]",
        "\\\"shard\\\":",
        "1/2 of 4 games of job 89abcdef",
        "\\\"white\\\":",
        "\\\"game_lengths\\\":[2]",
        "18446744073709551615",
        "\u{0}\u{0}\u{0}\u{80}",
    ],
};

fn run(data: &[u8]) {
    let Some((game, rest)) = game_and_rest(data) else { return };
    let mut bytes = rest.to_vec();
    repair::tensors(&mut bytes);
    repair::line(&mut bytes);
    with_game!(game, read(&bytes));
}

fn read<G: Knowledge>(bytes: &[u8]) {
    with_file(bytes, |path| {
        if let Ok((samples, result)) = Samples::load::<G>(path, G::start().encoding_shape(), 1) {
            let _ = result.games();
            check(&samples);
        }
        let Ok(Some((kind, Some(part)))) = shard::inspect(path) else { return };
        let (Kind::Games(game) | Kind::Samples(game)) = &kind;
        if game == G::info().name {
            let (mut merged, files) = (Vec::new(), [(path.to_owned(), part)]);
            if shard::merge::<G>(&kind, &files, &mut merged, &Control::default()).is_ok() {
                // What is merged is the file of a whole job.
                let whole = with_file(&merged, shard::inspect);
                assert!(matches!(&whole, Ok(Some((of, None))) if *of == kind), "{whole:?}");
            }
        }
    });
}

/// Checks what a trainer relies on.
fn check(samples: &Samples) {
    for number in 0..samples.len() {
        let sum: f32 = samples.policy(number).iter().sum();
        assert!((sum - 1.0).abs() < 0.01, "{sum}");
        assert!((-1.0..=1.0).contains(&samples.values()[number]));
    }
    assert!(samples.variety().distinct <= samples.len() as u64);
}

fn all_seeds() -> Vec<Vec<u8>> {
    [(1, None), (2, None), (1, Some("1/2 of 4 games of job 89abcdef"))]
        .map(|(game, part)| seeds::of_game(game, with_game!(game, seed(part))))
        .to_vec()
}

/// Two positions with two moves each.
fn seed<G: Knowledge>(part: Option<&str>) -> Vec<u8> {
    let shape = G::start().encoding_shape();
    let EncodingShape { files, ranks, input_planes, .. } = shape;
    let planes = vec![0.5_f32; 2 * shape.input_len()];
    let all = [
        TensorBytes::new("planes", &[2, input_planes, ranks, files], &planes),
        TensorBytes::new("move_offsets", &[3], &[0_u32, 2, 4]),
        TensorBytes::new("policy_indices", &[4, 1], &[0_u32, 1, 2, 3]),
        TensorBytes::new("policy", &[4], &[0.5_f32; 4]),
        TensorBytes::new("value", &[2], &[1.0_f32, -1.0]),
        TensorBytes::new("root_value", &[2], &[0.25_f32, 0.0]),
    ];
    let mut metadata = json!({"shape": shape, "generation": 1, "white": 1, "drawn": 1, "black": 0,
        "game_lengths": [1, 1]});
    if let Some(part) = part {
        metadata["shard"] = part.into();
    }
    let kind = FileKind { what: "samples", entry: "labrys-samples", encoding: G::ENCODING_VERSION };
    tensors::to_bytes(kind, G::info().name, &all, metadata).expect("tensors that fit")
}
