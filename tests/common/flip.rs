//! Positions with colours and ranks exchanged, or mirrored.

use labrys::game::Game;

/// The text with upper and lower case exchanged.
fn swap_case(text: &str) -> String {
    let swap = |letter: char| match letter.is_ascii_uppercase() {
        true => letter.to_ascii_lowercase(),
        false => letter.to_ascii_uppercase(),
    };
    text.chars().map(swap).collect()
}

/// The position with colours and ranks exchanged.
pub fn flipped<G: Game>(position: &G) -> G {
    let fen = position.fen();
    let fields: Vec<_> = fen.split(' ').collect();
    let board = fields[0].split('/').rev().map(swap_case).collect::<Vec<_>>().join("/");
    let side = if fields[1] == "w" { "b" } else { "w" };
    let mut rest: Vec<String> = fields[2..].iter().map(|&field| field.to_owned()).collect();
    match G::info().name {
        "chess" => {
            rest[0] = swap_case(&rest[0]);
            rest[1] = rest[1].replace('3', "x").replace('6', "3").replace('x', "6");
        }
        "tucchess" => rest.swap(0, 1),
        _ => (),
    }
    G::from_fen(&format!("{board} {side} {}", rest.join(" "))).unwrap()
}

/// The position with the files in reverse order. Castling rights are lost.
pub fn mirrored<G: Game>(position: &G) -> G {
    let fen = position.fen();
    let (board, rest) = fen.split_once(' ').unwrap();
    let rank = |rank: &str| {
        let mut tokens: Vec<String> = Vec::new();
        for letter in rank.chars() {
            match tokens.last_mut() {
                // Amazons has numbers of two digits.
                Some(token)
                    if letter.is_ascii_digit() && token.ends_with(|last: char| last.is_ascii_digit()) =>
                {
                    token.push(letter)
                }
                _ => tokens.push(letter.to_string()),
            }
        }
        tokens.into_iter().rev().collect::<String>()
    };
    let board = board.split('/').map(rank).collect::<Vec<_>>().join("/");
    let rest = match G::info().name {
        "chess" => format!("{} - - 0 1", &rest[..1]),
        _ => rest.to_owned(),
    };
    G::from_fen(&format!("{board} {rest}")).unwrap()
}
