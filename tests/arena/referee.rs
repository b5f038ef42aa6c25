//! The referee, with scripted players.

use std::collections::VecDeque;
use std::time::Duration;

use labrys::arena::{
    Adjudication, CommentKeys, DrawRule, EngineLimits, MoveReply, MoveRequest, PlayedGame, Player,
    PlayerError, RefereeError, Seat, Termination, Variation, play,
};
use labrys::engine::{Board, GameState};
use labrys::eval::UciScore;
use labrys::game::neighbours::Neighbours;
use labrys::game::{Color, Game};
use labrys::search::{Control, Limits};

/// Two pieces per side that can move back and forth.
const SHUFFLE: &str = "pp6/8/8/8/8/8/8/PP6 w 0 1";

/// Plays a list of moves, each with a time in milliseconds, and records the requests and notifications.
#[derive(Default)]
struct Scripted {
    moves: VecDeque<(&'static str, u64)>,
    score: Option<i32>,
    failure: Option<PlayerError>,
    asked: Vec<(usize, Limits, Option<Duration>)>,
    notified: Vec<String>,
}

impl Player<Neighbours> for Scripted {
    fn new_game(&mut self, color: Color, _: &Control) -> Result<(), PlayerError> {
        self.notified.push(color.to_string());
        match &self.failure {
            Some(failure) if self.moves.is_empty() => Err(failure.clone()),
            _ => Ok(()),
        }
    }

    fn think(
        &mut self,
        request: &MoveRequest<Neighbours>,
        _: &Control,
    ) -> Result<MoveReply<<Neighbours as Game>::Move>, PlayerError> {
        assert_eq!(request.game.history().past().len(), request.line.moves.len());
        self.asked.push((request.line.moves.len(), request.limits.clone(), request.timeout));
        let (mv, milliseconds) = match self.moves.pop_front() {
            Some(next) => next,
            None => return Err(self.failure.clone().unwrap_or(PlayerError::Interrupted)),
        };
        Ok(MoveReply {
            score: self.score.map(UciScore::Centi),
            depth: Some(1),
            nodes: Some(1),
            elapsed: Duration::from_millis(milliseconds),
            ..MoveReply::new(request.game.position().parse_move(mv))
        })
    }

    fn moved(&mut self, mv: &str, board: &dyn Board) {
        self.notified.push(format!("{mv} {}", board.fen()));
    }

    fn game_over(&mut self, board: &dyn Board) {
        self.notified.push(format!("over {}", board.fen()));
    }
}

fn scripted(moves: &'static str, milliseconds: u64) -> Scripted {
    Scripted { moves: moves.split_whitespace().map(|mv| (mv, milliseconds)).collect(), ..Scripted::default() }
}

/// Plays a game of Neighbours from `fen`.
fn game(
    fen: &str,
    [white, black]: [&mut Scripted; 2],
    limits: &EngineLimits,
    rules: &Adjudication,
) -> Result<PlayedGame, RefereeError> {
    let mut board = GameState::<Neighbours>::start();
    let seats = [Seat { player: white, limits }, Seat { player: black, limits }];
    let opening = Variation { fen: fen.to_owned(), moves: vec![] };
    play(&mut board, &opening, seats, rules, &CommentKeys::default(), &mut || 0.5, &Control::default())
}

/// The result of a game: winner, termination, details; and the number of moves.
fn end(
    fen: &str,
    players: [&mut Scripted; 2],
    rules: &Adjudication,
) -> (Option<Color>, Termination, String, usize) {
    let limits = EngineLimits { depth: Some(1), ..EngineLimits::default() };
    let played = game(fen, players, &limits, rules).unwrap();
    (played.end.winner, played.end.termination, played.end.details, played.moves.len())
}

#[test]
fn the_rules_end_games() {
    let none = Adjudication::default();
    let up_and_down = ["a1a2 a2a1 a1a2 a2a1 a1a2", "a8a7 a7a8 a8a7 a7a8 a8a7"];
    let [mut white, mut black] = up_and_down.map(|moves| scripted(moves, 0));
    let third = (None, Termination::Rules, "draw: repetition".to_owned(), 8);
    assert_eq!(end(SHUFFLE, [&mut white, &mut black], &none), third, "third occurrence, not the second");

    let [mut white, mut black] = up_and_down.map(|moves| scripted(moves, 0));
    let end_ = end("pp6/8/8/8/8/8/8/PP6 w 97 60", [&mut white, &mut black], &none);
    assert_eq!(end_, (None, Termination::Rules, "draw: no progress".to_owned(), 3));

    let (mut white, mut black) = (scripted("a1a2", 0), scripted("", 0));
    let end_ = end("p6p/8/8/8/8/8/8/PP6 w 99 60", [&mut white, &mut black], &none);
    assert_eq!(end_, (Some(Color::White), Termination::Rules, "White wins: no legal move".to_owned(), 1));
    assert!(black.asked.is_empty(), "no request when the game is over");

    // A game that is over at the start.
    let end_ = end("p6p/8/8/8/8/8/8/PP6 b 0 1", [&mut scripted("", 0), &mut scripted("", 0)], &none);
    assert_eq!((end_.0, end_.3), (Some(Color::White), 0));
}

#[test]
fn an_illegal_move_loses() {
    for (mv, words) in [
        ("a1a3", "illegal move of White: `a1a3` is not legal"),
        ("a8a7", "`a8a7` is not legal"),
        ("x", "`x` is no move"),
        ("0000", "`0000` is no move"),
    ] {
        let mut white = Scripted { moves: [(mv, 0)].into(), ..Scripted::default() };
        let (winner, termination, details, moves) =
            end(SHUFFLE, [&mut white, &mut scripted("", 0)], &Adjudication::default());
        assert_eq!((winner, termination, moves), (Some(Color::Black), Termination::Illegal, 0));
        assert!(details.contains(words), "{details}");
    }
}

#[test]
fn a_player_that_fails_loses() {
    for (failure, termination, words) in [
        (PlayerError::Crashed("boom".into()), Termination::Crash, "Black crashes: boom"),
        (PlayerError::Stalled("no answer".into()), Termination::Stall, "Black stalls: no answer"),
        (
            PlayerError::InvalidOutput("bytes".into()),
            Termination::Illegal,
            "Black sends invalid output: bytes",
        ),
    ] {
        let rules = Adjudication::default();
        let mut black = scripted("a8a7", 0);
        black.failure = Some(failure.clone());
        let ended = end(SHUFFLE, [&mut scripted("a1a2 a2a1", 0), &mut black], &rules);
        assert_eq!(ended, (Some(Color::White), termination, words.to_owned(), 3));
        // A failure before the first move.
        let mut black = Scripted { failure: Some(failure), ..Scripted::default() };
        let ended = end(SHUFFLE, [&mut scripted("a1a2", 0), &mut black], &rules);
        assert_eq!(ended, (Some(Color::White), termination, words.to_owned(), 0));
    }
}

#[test]
fn an_interrupted_game_has_no_result() {
    let limits = EngineLimits::default();
    let players = [&mut scripted("a1a2", 0), &mut scripted("", 0)];
    let played = game(SHUFFLE, players, &limits, &Adjudication::default());
    assert!(matches!(played, Err(RefereeError::Interrupted)), "{played:?}");
    let played =
        game("nonsense", [&mut scripted("", 0), &mut scripted("", 0)], &limits, &Adjudication::default());
    assert!(matches!(played, Err(RefereeError::Opening(_))), "{played:?}");
}

#[test]
fn clocks_end_games() {
    let rules = Adjudication::default();
    let limits = EngineLimits {
        control: Some("1+0.1".parse().unwrap()),
        margin: Duration::from_millis(5),
        ..EngineLimits::default()
    };
    let ms = Duration::from_millis;
    let mut white = scripted("a1a2 a2a1 a1a2", 500);
    let mut black = scripted("a8a7 a7a8 a8a7", 100);
    let played = game(SHUFFLE, [&mut white, &mut black], &limits, &rules).unwrap();
    assert_eq!((played.end.winner, played.end.termination), (Some(Color::Black), Termination::Time));
    assert_eq!(played.end.details, "White loses on time after 0.500 s");
    let [first, second] = played.thinking;
    assert_eq!((played.moves.len(), first.moves + second.moves), (4, 5));
    assert_eq!(first.time + second.time, ms(3 * 500 + 2 * 100));
    // The clocks sent to White: 1.1 s, then 0.5 s less and 0.1 s more for each move; the margin is not
    // included.
    let told = white.asked.iter().map(|(_, limits, _)| limits.clocks.map(|clock| clock.unwrap().remaining));
    let told: Vec<_> = told.collect();
    assert_eq!(told, [[ms(1100), ms(1100)], [ms(700), ms(1100)], [ms(300), ms(1100)]]);
    let timeout: Vec<_> = white.asked.iter().map(|(_, _, timeout)| timeout.unwrap()).collect();
    assert_eq!(timeout, [ms(1105), ms(705), ms(305)]);
    // The margin does not accumulate.
    let limits = EngineLimits { move_time: Some(ms(100)), margin: ms(5), ..EngineLimits::default() };
    let (mut white, mut black) = (scripted("a1a2 a2a1", 105), scripted("a8a7 a7a8", 106));
    let played = game(SHUFFLE, [&mut white, &mut black], &limits, &rules).unwrap();
    assert_eq!((played.end.winner, played.moves.len()), (Some(Color::White), 1));
}

#[test]
fn the_rules_take_precedence_over_adjudication() {
    let draw = Some(DrawRule { move_number: 0, move_count: 3, score: 0 });
    let rules = Adjudication { draw, ..Adjudication::default() };
    let players = || {
        let mut players = ["a1a2 a2a1 a1a2 a2a1", "a8a7 a7a8 a8a7 a7a8"].map(|moves| scripted(moves, 0));
        players.iter_mut().for_each(|player| player.score = Some(0));
        players
    };
    let [mut white, mut black] = players();
    let ended = end(SHUFFLE, [&mut white, &mut black], &rules);
    assert_eq!(ended, (None, Termination::Adjudication, "draw: both within 0.00".to_owned(), 6));
    let rules = Adjudication { max_moves: Some(4), ..Adjudication::default() };
    let [mut white, mut black] = players();
    let ended = end(SHUFFLE, [&mut white, &mut black], &rules);
    assert_eq!(ended, (None, Termination::Rules, "draw: repetition".to_owned(), 8), "both at the eighth ply");
}

#[test]
fn players_are_notified_of_all_moves_but_the_last() {
    let none = Adjudication::default();
    // The players are not notified of the move that ends the game, here by the rules.
    let (mut white, mut black) = (scripted("a1a2 a2a3", 0), scripted("b8b7", 0));
    let rules = Adjudication { max_moves: Some(1), ..none.clone() };
    end(SHUFFLE, [&mut white, &mut black], &rules);
    let first = "a1a2 pp6/8/8/8/8/8/P7/1P6 b 1 1";
    let last = "over p7/1p6/8/8/8/8/P7/1P6 w 2 2";
    assert_eq!(white.notified, ["White", first, last]);
    assert_eq!(black.notified, ["Black", first, last]);
    let (mut white, mut black) = (scripted("a1a2", 0), scripted("", 0));
    end("p6p/8/8/8/8/8/8/PP6 w 99 60", [&mut white, &mut black], &none);
    assert_eq!(black.notified, ["Black", "over p6p/8/8/8/8/8/P7/1P6 b 100 60"]);
    // Nor of an illegal move. Failures and interruptions also end a game.
    for failure in [PlayerError::Crashed("boom".into()), PlayerError::Interrupted] {
        let (mut white, mut black) = (scripted("a1a3", 0), scripted("", 0));
        end(SHUFFLE, [&mut white, &mut black], &none);
        let over = format!("over {SHUFFLE}");
        assert_eq!((&white.notified[1..], &black.notified[1..]), (&[over.clone()][..], &[over.clone()][..]));
        let (mut white, mut black) = (scripted("", 0), scripted("", 0));
        black.failure = Some(failure);
        let limits = EngineLimits::default();
        let _ = game(SHUFFLE, [&mut white, &mut black], &limits, &none);
        assert_eq!((&white.notified[1..], &black.notified[1..]), (&[over.clone()][..], &[over][..]));
    }
}
