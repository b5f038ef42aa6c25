//! The data of the game: name, appearance, bench positions, net, measured strengths and openings.

use super::super::{Appearance, BenchSuite, GameInfo, GameOption, PieceAppearance, Strength};

/// The shipped net. A static: a constant would be copied into each crate that uses it.
static NET: [u8; include_bytes!(env!("LABRYS_EVALFILE")).len()] = *include_bytes!(env!("LABRYS_EVALFILE"));

/// The data of the game.
pub(super) const INFO: GameInfo = GameInfo {
    option: Some(GameOption { name: "UCI_Chess960", choices: &["false", "true"], description: None }),
    // Standard chess goes without the tag. The names are those of lichess, python-chess and others; the wild
    // ones are of FICS, which plays standard chess from other positions under these numbers.
    pgn_variants: &[
        ("", 0),
        ("Chess960", 1),
        ("Standard", 0),
        ("Standard chess", 0),
        ("Classical", 0),
        ("Classical chess", 0),
        ("From Position", 0),
        ("FromPosition", 0),
        ("Normal", 0),
        ("Orthodox", 0),
        ("Illegal", 0),
        ("wild/0", 0),
        ("wild/1", 0),
        ("wild/2", 0),
        ("wild/3", 0),
        ("wild/4", 0),
        ("wild/5", 0),
        ("wild/6", 0),
        ("wild/7", 0),
        ("wild/8", 0),
        ("wild/8a", 0),
        ("Chess 960", 1),
        ("Chess-960", 1),
        ("Freestyle", 1),
        ("Freestyle chess", 1),
        ("Fischerandom", 1),
        ("Fischerandom chess", 1),
        ("Fischer random", 1),
        ("Fischer random chess", 1),
        ("Fischerrandom", 1),
        ("FRC", 1),
        ("wild/fr", 1),
    ],
    xboard_variants: &["normal", "fischerandom"],
    appearance: Appearance {
        title: "Chess",
        hint: "with Chess960",
        pieces: &[
            PieceAppearance::new('p', "pawn"),
            PieceAppearance::new('n', "knight"),
            PieceAppearance::new('b', "bishop"),
            PieceAppearance::new('r', "rook"),
            PieceAppearance::new('q', "queen"),
            PieceAppearance::new('k', "king"),
        ],
        ..Appearance::LETTERS
    },
    // Positions from the opening to the end game.
    bench: BenchSuite {
        depth: 10,
        fens: &[
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 5",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            "bnrkrnbq/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/BNRKRNBQ w ECec - 0 2",
            "2r2rk1/1b2qppp/p3p3/1p1nP3/3N4/P2B4/1P2QPPP/2RR2K1 w - - 0 20",
            "8/5pk1/1p2p1p1/p1r1P2p/P1R2P1P/1P2K1P1/8/8 w - - 4 40",
            "8/2k5/1p1p2p1/pPpP1pPp/P1P2P1P/3K4/8/8 w - - 0 50",
            "8/8/4k3/3nP3/3K4/8/5B2/8 w - - 10 70",
        ],
    },
    net: Some(&NET),
    // On the scale of Stockfish 15.1's `UCI_Elo`, ± 80 (2026-11-26, 800 of
    // 2026-11-28): experiments/search-trials.md.
    strengths: &[
        Strength { elo: 800, nodes: 100, random: 310 },
        Strength { elo: 1000, nodes: 100, random: 220 },
        Strength { elo: 1340, nodes: 100, random: 100 },
        Strength { elo: 1600, nodes: 100, random: 50 },
        Strength { elo: 1740, nodes: 100, random: 0 },
        Strength { elo: 1830, nodes: 800, random: 0 },
        Strength { elo: 1940, nodes: 2_600, random: 0 },
        Strength { elo: 2100, nodes: 17_000, random: 0 },
        Strength { elo: 2200, nodes: 68_000, random: 0 },
        Strength { elo: 2500, nodes: 125_000, random: 0 },
    ],
    openings: include_str!("openings.tsv"),
    ..GameInfo::new("chess")
};
