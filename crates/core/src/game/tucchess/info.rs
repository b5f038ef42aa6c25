//! The data of the game: name, appearance, bench positions, net and measured strengths.

use super::super::{Appearance, BenchSuite, GameInfo, PieceAppearance};

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
    ..GameInfo::new("tucchess")
};
