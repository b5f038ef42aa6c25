//! The data of the game: name, appearance, bench positions, net and measured strengths.

use super::super::{Appearance, BenchSuite, GameInfo, PieceAppearance, Strength};

/// The shipped net. A static: a constant would be copied into each crate that uses it.
static NET: [u8; include_bytes!("../../../../../nets/eval/tucchess.safetensors").len()] =
    *include_bytes!("../../../../../nets/eval/tucchess.safetensors");

/// The data of the game.
pub(super) const INFO: GameInfo = GameInfo {
    appearance: Appearance {
        title: "TUC-CHESS",
        hint: "for points and prizes",
        pieces: &[
            PieceAppearance { letter: '*', name: "prize", drawing: "coin" },
            PieceAppearance::new('p', "pawn"),
            PieceAppearance::new('r', "rook"),
            PieceAppearance::new('k', "king"),
        ],
        points: Some([1, 2]),
        ..Appearance::LETTERS
    },
    // Every third position of the perft suite.
    bench: BenchSuite {
        depth: 15,
        fens: &[
            "prkrp/ppppp/5/*****/5/PPPPP/PRKRP w 0 0 1",
            "pr2p/1*k1p/p2**/K1p1*/P2pP/rR3/P3P b 1 6 20",
            "prr1p/1pkpp/P4/*2*P/3p1/PRP2/P1KRP b 1 1 7",
            "prkrp/p1p2/3pp/P*P**/3P1/4P/PRKRP b 1 1 7",
        ],
    },
    net: Some(&NET),
    // Above a player of random moves, ± 60 a step (2026-11-27): experiments/search-trials.md.
    strengths: &[
        Strength { elo: 320, nodes: 100, random: 750 },
        Strength { elo: 560, nodes: 100, random: 500 },
        Strength { elo: 860, nodes: 100, random: 250 },
        Strength { elo: 1080, nodes: 100, random: 100 },
        Strength { elo: 1390, nodes: 100, random: 0 },
        Strength { elo: 1540, nodes: 316, random: 0 },
        Strength { elo: 1750, nodes: 1_000, random: 0 },
        Strength { elo: 1910, nodes: 2_828, random: 0 },
        Strength { elo: 2070, nodes: 8_000, random: 0 },
    ],
    ..GameInfo::new("tucchess")
};
