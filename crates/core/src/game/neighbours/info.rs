//! The data of the game: name, appearance, bench positions, net and measured strengths.

use super::super::{Appearance, BenchSuite, GameInfo, PieceAppearance, Strength};

/// The shipped net. A static: a constant would be copied into each crate that uses it.
static NET: [u8; include_bytes!("../../../../../nets/eval/neighbours.safetensors").len()] =
    *include_bytes!("../../../../../nets/eval/neighbours.safetensors");

/// The data of the game.
pub(super) const INFO: GameInfo = GameInfo {
    appearance: Appearance {
        title: "Neighbours",
        hint: "as far as it has neighbours",
        pieces: &[PieceAppearance { letter: 'p', name: "piece", drawing: "disc" }],
        ..Appearance::LETTERS
    },
    // Every third position of the perft suite, from the opening to the last few pieces.
    bench: BenchSuite {
        depth: 14,
        fens: &[
            "pppppppp/8/8/8/8/8/8/PPPPPPPP w 0 1",
            "p1p1p2P/7p/1p2p3/6p1/p2P4/2P5/4P1P1/P1P3P1 b 37 19",
            "p1p2ppp/2p5/5p2/1pP5/8/4P3/1P5P/1PP2PP1 b 9 5",
            "1p1p3p/4p1p1/1p1p3p/8/6P1/P1P5/6PP/P1P3P1 b 25 13",
            "3p3p/pp6/p2p3P/5P2/3P3p/8/P1P4P/4P1P1 b 14 27",
            "p1pp3p/4p3/2p5/6p1/1p6/2PPP3/P1P4P/3P1P2 w 16 9",
            "pp4pp/4ppp1/1p6/8/P3P3/6P1/P1P5/2P2P1P w 24 13",
            "pp2p2p/2p2p2/8/1p6/2P3P1/4P2p/P1P5/3P1PP1 b 27 14",
            "pp2pp2/5p2/1p5p/p7/7P/2P1P3/P7/3P1P1P b 9 22",
        ],
    },
    net: Some(&NET),
    // Above a player of random moves, ± 60 a step (2026-11-27): experiments/search-trials.md.
    strengths: &[
        Strength { elo: 280, nodes: 100, random: 750 },
        Strength { elo: 550, nodes: 100, random: 500 },
        Strength { elo: 880, nodes: 100, random: 250 },
        Strength { elo: 1230, nodes: 100, random: 100 },
        Strength { elo: 1530, nodes: 100, random: 0 },
        Strength { elo: 1850, nodes: 316, random: 0 },
        Strength { elo: 2270, nodes: 1_000, random: 0 },
        Strength { elo: 2620, nodes: 2_828, random: 0 },
        Strength { elo: 2890, nodes: 8_000, random: 0 },
    ],
    ..GameInfo::new("neighbours")
};
