//! Policy/value nets: inference against a plain reference, and files.

use crate::common;
use crate::common::shell::{self, assert_fails};

use std::path::Path;

use common::net::{Moments, ReferenceNet};
use common::random_lines;
use labrys::game::amazons::Amazons;
use labrys::game::chess::Chess;
use labrys::game::neighbours::Neighbours;
use labrys::game::tucchess::TucChess;
use labrys::game::{EncodingShape, Game, Knowledge, PlaneSelection};
use labrys::nets::{Architecture, Net, NetConfig, NetProblem, Parameters};
use labrys::tensors::TensorProblem;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const PAPER: Architecture = Architecture::Paper { channels: 20, dense: [40, 30] };
const RESIDUAL: Architecture = Architecture::Residual { channels: 37, blocks: 2, hidden: 12 };

/// Parameters that all differ from their initial values.
fn parameters<G: Knowledge>(position: &G, architecture: Architecture) -> Parameters {
    let config = NetConfig { shape: position.encoding_shape(), architecture };
    let mut tensors = Parameters::random::<G>(config, 7).unwrap().tensors().clone();
    let mut random = StdRng::seed_from_u64(8);
    for (name, tensor) in &mut tensors {
        if name.contains("normalisation") || name.ends_with("bias") {
            for value in &mut tensor.values {
                let other: f32 = random.random_range(-0.5..0.5);
                *value = if name.ends_with("running_var") { (*value + other).abs() } else { *value + other };
            }
        }
    }
    Parameters::new::<G>(config, "a test".to_owned(), tensors).unwrap()
}

/// The planes of some positions, one after the other.
fn planes_of<G: Knowledge>(positions: impl IntoIterator<Item = G>) -> Vec<f32> {
    let mut all = Vec::new();
    for position in positions {
        let before = all.len();
        all.resize(before + position.encoding_shape().input_len(), 0.0);
        position.write_planes(1, &mut all[before..]);
    }
    all
}

/// The outputs of a net for a batch: the logits of all indices and the value of each position.
fn outputs(net: &Net, planes: &[f32]) -> Vec<(Vec<f32>, f32)> {
    let shape = net.config().shape;
    let outputs = net.evaluate(planes);
    (0..planes.len() / shape.input_len())
        .map(|n| ((0..shape.policy_len()).map(|index| outputs.logit(n, index)).collect(), outputs.value(n)))
        .collect()
}

fn check_inference<G: Knowledge>(positions: Vec<G>) {
    for architecture in [PAPER, RESIDUAL] {
        let parameters = parameters(&positions[0], architecture);
        let (net, config) = (Net::new(&parameters), parameters.config());
        let planes = planes_of(positions.clone());
        let batch = outputs(&net, &planes);
        assert_eq!(batch.len(), positions.len());
        for (planes, found) in planes.chunks_exact(config.shape.input_len()).zip(&batch) {
            // A batch gives bit-identical results to single positions.
            assert_eq!(&outputs(&net, planes)[0], found);
            let (logits, value) =
                ReferenceNet(parameters.tensors()).evaluate(&[planes], config, Moments::Running).remove(0);
            assert!((value - f64::from(found.1)).abs() < 1e-4, "{value} {}", found.1);
            for (logit, found) in logits.iter().zip(&found.0) {
                assert!((logit - f64::from(*found)).abs() < 1e-3, "{logit} {found}");
            }
        }
        let values: Vec<_> = batch.iter().map(|(_, value)| value.to_bits()).collect();
        assert!(values.iter().any(|value| *value != values[0]), "positions have different values");
    }
}

fn positions<G: Game>(count: usize) -> Vec<G> {
    random_lines::<G>(count, 30).into_iter().map(|(position, _)| position).collect()
}

#[test]
fn nets_agree_with_a_plain_reference() {
    check_inference(positions::<Chess>(3));
    check_inference(positions::<Neighbours>(2));
    check_inference(positions::<TucChess>(19));
    let board = Amazons::from_fen("1q2/3q/4/Q3/2Q1/4 w - - 0 1").unwrap();
    check_inference((0..3).map(|seed| common::random_game_from(board, seed, 4, |_, _| {}).0).collect());
}

#[test]
fn a_random_net_has_nearly_uniform_outputs() {
    let position = Chess::start();
    for architecture in [
        Architecture::Paper { channels: 64, dense: [512, 512] },
        Architecture::Residual { channels: 64, blocks: 4, hidden: 128 },
    ] {
        let config = NetConfig { shape: position.encoding_shape(), architecture };
        let parameters = Parameters::random::<Chess>(config, 1).unwrap();
        assert_eq!(parameters, Parameters::random::<Chess>(config, 1).unwrap());
        assert_ne!(parameters.tensors(), Parameters::random::<Chess>(config, 2).unwrap().tensors());
        let (logits, value) = outputs(&Net::new(&parameters), &planes_of([position.clone()])).remove(0);
        assert!(value.abs() < 0.9, "{value}");
        assert!(logits.iter().all(|logit| logit.abs() < 4.0) && logits.iter().any(|logit| *logit != 0.0));
    }
}

/// A small net of TUC-CHESS in a file, and its bytes.
fn saved(folder: &Path) -> (Parameters, std::path::PathBuf, Vec<u8>) {
    let architecture = Architecture::Residual { channels: 3, blocks: 1, hidden: 2 };
    let parameters = parameters(&TucChess::start(), architecture);
    let path = folder.join("net.safetensors");
    labrys::learn::save_parameters(&parameters, &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (parameters, path, bytes)
}

#[test]
fn files_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let (parameters, path, bytes) = saved(folder.path());
    assert_eq!(Parameters::load::<TucChess>(&path).unwrap(), parameters);
    assert_eq!(parameters.provenance(), "a test");
    labrys::learn::save_parameters(&parameters, &path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "the same net gives the same file");
}

/// The error of reading bytes as a net file of `G`.
fn problem<G: Knowledge>(path: &Path, bytes: &[u8]) -> NetProblem {
    std::fs::write(path, bytes).unwrap();
    let error = Parameters::load::<G>(path).unwrap_err();
    assert!(error.to_string().starts_with("net file `"), "{error}");
    *error.problem
}

#[test]
fn files_that_do_not_fit_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (parameters, path, bytes) = saved(folder.path());
    let with = |from: &str, to: &str| with_header(&bytes, from, to);
    let text = |bytes: &[u8]| problem::<TucChess>(&path, bytes).to_string();
    assert_eq!(problem::<Chess>(&path, &bytes).to_string(), "a net for game `tucchess`, expected `chess`");
    assert!(text(&with(r#"\"encoding\":1"#, r#"\"encoding\":7"#)).contains("version 7 of the encoding"));
    assert!(text(&with(r#"\"version\":2"#, r#"\"version\":9"#)).contains("version 9, expected 1 or 2"));
    assert!(text(&with("dense.0.bias", "dense.9.bias")).contains("parameter `dense.9.bias` is unknown"));
    assert!(
        text(&with(r#"\"channels\":3"#, r#"\"channels\":4"#)).contains("shape [3, 9, 3, 3], expected [4, 9")
    );
    assert!(text(&with(r#"\"channels\":3"#, r#"\"channels\":0"#)).contains("channels: 0 is not from 1"));
    assert!(text(&with("residual", "residuum")).contains("residuum"));
    assert!(text(&with(r#"\"provenance\""#, r#"\"provenancf\""#)).contains("provenance"));
    assert!(text(&with("header_crc32", "header_crc3z")).contains("no checksum `header_crc32`"));
    assert!(problem_of_board(&path).contains("for boards of 6×7, which tucchess does not have"));
    let policy = with(r#"\"policy_planes\":24"#, r#"\"policy_planes\":23"#);
    assert!(text(&policy).contains("shape [24, 3], expected [23, 3]"), "{}", text(&policy));
    assert!(text(&with("labrys", "Labrys")).contains("not a net of Labrys"));
    assert!(text(&bytes[..bytes.len() - 1]).contains("not a whole safetensors file"));
    assert!(text(b"").contains("not a whole safetensors file"));
    assert!(text(b"weights and measures").contains("not a whole safetensors file"));
    let missing = Parameters::load::<TucChess>(Path::new("/missing/net")).unwrap_err();
    assert!(matches!(*missing.problem, NetProblem::File(TensorProblem::Io(_))), "{missing}");

    for (name, value) in
        [("policy.bias", f32::NAN), ("dense.0.weight", f32::INFINITY), ("normalisation.1.running_var", -0.5)]
    {
        let mut tensors = parameters.tensors().clone();
        tensors.get_mut(name).unwrap().values[1] = value;
        let result = Parameters::new::<TucChess>(*parameters.config(), String::new(), tensors);
        let error = result.unwrap_err().to_string();
        assert!(error.contains(&format!("parameter `{name}`: {value}")), "{error}");
    }
}

#[test]
fn files_name_the_planes_of_a_net() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    let planes = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        PlaneSelection::new(TucChess::PLANE_GROUPS, &names).unwrap()
    };
    let architecture = Architecture::Residual { channels: 3, blocks: 1, hidden: 2 };
    let shape = TucChess::start().encoding_shape().select(planes(&["lead", "board"]));
    let config = NetConfig { shape, architecture };
    let parameters = Parameters::random::<TucChess>(config, 1).unwrap();
    assert_eq!(parameters.tensors()["convolution.0.weight"].shape, [3, 7, 3, 3]);
    labrys::learn::save_parameters(&parameters, &path).unwrap();
    assert_eq!(Parameters::load::<TucChess>(&path).unwrap(), parameters);
    let bytes = std::fs::read(&path).unwrap();
    let names = r#"\"planes\":[\"board\",\"lead\"]"#;
    for (other, expected) in [
        (r#"\"planes\":[\"board\",\"load\"]"#, "unknown planes `load`, expected `board`, `prizes`, `lead`"),
        (r#"\"planes\":[\"lead\",\"lead\"]"#, "the planes `lead` are named twice"),
        (r#"\"planes\":[]"#, "no planes, expected some of `board`"),
        (r#"\"planes\":[\"board\"]"#, "7 input and 24 policy planes, expected 6 and 24"),
        (r#"\"planet\":[\"board\",\"lead\"]"#, "7 input and 24 policy planes, expected 9 and 24"),
        (r#"\"planes\":\"board\""#, "expected a sequence"),
    ] {
        let other = format!("{other:<0$}", names.len());
        let error = problem::<TucChess>(&path, &with_header(&bytes, names, &other)).to_string();
        assert!(error.contains(expected), "{error}");
    }
    // A net of all planes has no names, as files of earlier versions.
    let (all, _, bytes) = saved(folder.path());
    assert!(all.config().shape.selection.is_all());
    assert!(!bytes.windows(8).any(|window| window == br#"\"planes"#));
}

/// The bytes of a file with another text of the same length in its header, with a valid checksum, so that
/// the change itself is found.
fn with_header(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let text = std::str::from_utf8(&bytes[8..header]).unwrap();
    assert!(from.len() == to.len() && text.contains(from), "{from} in {text}");
    let mut head = [&bytes[..8], text.replace(from, to).as_bytes()].concat();
    _ = labrys::seal::seal(&mut head, "header_crc32");
    [&head, &bytes[header..]].concat()
}

/// The problem of a net for a board that is none of the game.
fn problem_of_board(path: &Path) -> String {
    let shape = EncodingShape { files: 6, ..TucChess::start().encoding_shape() };
    let config =
        NetConfig { shape, architecture: Architecture::Residual { channels: 3, blocks: 1, hidden: 2 } };
    let net = Parameters::random::<TucChess>(config, 1).unwrap();
    labrys::learn::save_parameters(&net, path).unwrap();
    Parameters::load::<TucChess>(path).unwrap_err().to_string()
}

#[test]
fn no_damage_goes_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let (_, path, bytes) = saved(folder.path());
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    for place in (0..header).chain((header..bytes.len()).step_by(37)) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        std::fs::write(&path, &damaged).unwrap();
        match Parameters::load::<TucChess>(&path) {
            Err(error) => assert!(
                place < header || matches!(*error.problem, NetProblem::File(TensorProblem::Checksum { .. }))
            ),
            Ok(_) => panic!("byte {place} of {header} of the header"),
        }
    }
}

/// Files of version 1, which other programs may write, have no checksum of the header.
#[test]
fn files_of_version_1_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let (parameters, path, bytes) = saved(folder.path());
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let text = std::str::from_utf8(&bytes[8..header]).unwrap();
    let begin = text.find(r#",\"header_crc32"#).unwrap();
    let end = begin + text[begin..].find('}').unwrap();
    let old = [&text[..begin], &text[end..]].concat().replace(r#"\"version\":2"#, r#"\"version\":1"#);
    let old = [&(old.len() as u64).to_le_bytes(), old.as_bytes(), &bytes[header..]].concat();
    std::fs::write(&path, old).unwrap();
    assert_eq!(Parameters::load::<TucChess>(&path).unwrap(), parameters);
}

#[test]
fn a_command_makes_nets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_labrys"));
        shell::output(command.args(["zero", "new", "--out", path.to_str().unwrap()]).args(arguments))
    };
    let (success, out, error) = run(&[
        "--variant",
        "amazons",
        "--option",
        "AmazonsBoard=6x6",
        "--channels",
        "8",
        "--blocks",
        "1",
        "--seed",
        "3",
    ]);
    assert!(success && out.starts_with("a net for amazons on 6×6, "), "{out}{error}");
    let parameters = Parameters::load::<Amazons>(&path).unwrap();
    let architecture = Architecture::Residual { channels: 8, blocks: 1, hidden: 64 };
    let start = Amazons::start_with(2);
    assert_eq!(*parameters.config(), NetConfig { shape: start.encoding_shape(), architecture });
    assert_eq!(parameters, Parameters::random::<Amazons>(*parameters.config(), 3).unwrap());
    assert_eq!(parameters.provenance(), "random, seed 3");
    let (success, out, error) = run(&["--variant", "tucchess", "--net", "paper", "--dense", "16"]);
    assert!(success && out.contains("tucchess on 5×7"), "{out}{error}");
    assert!(matches!(
        Parameters::load::<TucChess>(&path).unwrap().config().architecture,
        Architecture::Paper { channels: 64, dense: [16, 16] }
    ));
    let (success, out, error) = run(&["--variant", "chess", "--channels", "4", "--planes", "side,board"]);
    assert!(success, "{out}{error}");
    let planes = Parameters::load::<Chess>(&path).unwrap().config().shape;
    assert_eq!((planes.input_planes, planes.selection.to_string().as_str()), (13, "board, side"));
    assert!(run(&["--variant", "tucchess"]).0);
    // A command that fails leaves the existing file.
    for (arguments, expected) in [
        (["--channels", "0"], "channels: 0 is not from 1 to 4096"),
        (["--dense", "5000"], "dense units: 5000 is not from 1"),
        (["--variant", "go"], "unknown variant `go`"),
        (["--option", "AmazonsBoard=6x6"], "AmazonsBoard"),
        (["--planes", "board,bord"], "--planes: unknown planes `bord`, expected `board`, `side`, "),
    ] {
        assert_fails(run(&arguments), expected);
    }
    assert!(Parameters::load::<TucChess>(&path).is_ok());
}

#[test]
fn an_evaluation_without_a_receiver_ends() {
    let position = Chess::start();
    for architecture in [
        Architecture::Paper { channels: 128, dense: [256, 128] },
        Architecture::Residual { channels: 128, blocks: 3, hidden: 64 },
    ] {
        let net = Net::new(&parameters(&position, architecture));
        let planes = planes_of(vec![position.clone(); 4]);
        let mut all = 0;
        let mut count = || {
            all += 1;
            false
        };
        assert!(net.evaluate_until(&planes, &mut count).is_some());
        // It is polled at least once per this number of multiplications; a convolution has 9 * 128 * 128 *
        // 64.
        const OFTEN: usize = 1 << 21;
        assert!(all > 3 * 4 * (9 * 128 * 128 * 64) / OFTEN, "{architecture:?}: {all}");
        for end in [0, 1, all / 2, all - 1] {
            let mut asked = 0;
            let is_over = &mut || {
                asked += 1;
                asked > end
            };
            assert!(net.evaluate_until(&planes, is_over).is_none());
            assert_eq!(asked, end + 1, "{architecture:?}");
        }
    }
}
