//! The data of the game: name, appearance, bench positions, net and measured strengths.

use super::super::{Appearance, BenchSuite, GameInfo, GameOption, PieceAppearance, Strength};
use super::notation;

/// The shipped net. A static: a constant would be copied into each crate that uses it.
static NET: [u8; include_bytes!("../../../../../nets/eval/amazons-8x8.safetensors").len()] =
    *include_bytes!("../../../../../nets/eval/amazons-8x8.safetensors");

/// The data of the game.
pub(super) const INFO: GameInfo = GameInfo {
    option: Some(GameOption {
        name: "AmazonsBoard",
        choices: &notation::BOARDS,
        description: Some(notation::BOARDS_DESCRIPTION),
    }),
    appearance: Appearance {
        title: "Amazons",
        hint: "queens that shoot arrows",
        pieces: &[
            PieceAppearance { letter: '*', name: "arrow", drawing: "tile" },
            PieceAppearance { letter: 'q', name: "amazon", drawing: "queen" },
        ],
        steps: &["move", "shoot"],
        ..Appearance::LETTERS
    },
    // A position of each phase, and small boards.
    bench: BenchSuite {
        depth: 4,
        fens: &[
            "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1",
            "*3*2*2/2*4q1*/2*1***3/*2q1**3/*1*1*q3*/1Qq**Q*3/1*3***2/*1*Q**1*1*/1*2**1*1*/2*5*Q w - - 36 19",
            "2Q3q*/1*Q2*2/3*4/*qq1*1*1/1*1*2*1/*1*2*2/3q1*2/2QQ**1* b - - 17 9",
            "1q1q1/q3q/5/Q3Q/1Q1Q1 w - - 0 1",
            "1q1*1/q1q*1/Q1*Qq/2**1/1Q2Q b - - 5 3",
        ],
    },
    // For 8×8. On 10×10 no net has beaten the linear evaluation yet.
    net: Some(&NET),
    // Above a player of random moves on 10×10, ± 60 a step (2026-11-27): experiments/search-trials.md.
    strengths: &[
        Strength { elo: 420, nodes: 500, random: 750 },
        Strength { elo: 800, nodes: 500, random: 500 },
        Strength { elo: 1250, nodes: 500, random: 250 },
        Strength { elo: 1490, nodes: 500, random: 100 },
        Strength { elo: 1740, nodes: 500, random: 0 },
        Strength { elo: 1940, nodes: 2_000, random: 0 },
        Strength { elo: 2170, nodes: 8_000, random: 0 },
    ],
    ..GameInfo::new("amazons")
};
