//! Analysis of finished games: what a search says of every position, and what each move gave away.
//!
//! A move is judged by expected points (a win 1, a draw ½), which the scores of the positions before and
//! after it mean by the win/draw/loss model of the evaluation: a pawn decides a level game, and nothing in a
//! won one. Marks and accuracy follow lichess: 0.05, 0.1 and 0.15 points for `?!`, `?` and `??`.

use std::time::Instant;

use thiserror::Error;

use super::pgn::{PgnGame, PgnMove, ReplayError};
use crate::engine::{Engine, OptionError, PositionError, SearchReport};
use crate::eval::UciScore;
use crate::game::{Color, MoveError, Points};
use crate::search::{Control, Limits};

/// Moves of a better line that are written into the record, in plies.
const LINE: usize = 8;

/// An analysed game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameAnalysis {
    /// Its moves after the opening.
    pub moves: Vec<MoveAnalysis>,
}

/// What a move was worth.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveAnalysis {
    /// The player who moved.
    pub player: Color,
    /// The move, in the notation of records.
    pub text: String,
    /// The score after the move, from White's point of view; `None` where the game is over.
    pub score: Option<UciScore>,
    /// The expected points of the player before and after the move, from 0 to 1.
    pub expected: [f64; 2],
    /// The line that was best before the move, in the notation of records.
    pub best: Vec<String>,
}

/// How bad a move was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// It gave away 0.05 points or more (`?!`).
    Inaccuracy,
    /// It gave away 0.1 points or more (`?`).
    Mistake,
    /// It gave away 0.15 points or more (`??`).
    Blunder,
}

/// The moves of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerAnalysis {
    /// Moves that were analysed.
    pub moves: usize,
    /// The mean accuracy of a move in percent; 100 without moves.
    pub accuracy: f64,
    /// Points given away, in all.
    pub loss: f64,
    /// Inaccuracies, mistakes and blunders.
    pub marks: [usize; 3],
}

/// Why a game cannot be analysed.
#[derive(Debug, Error)]
pub enum AnalysisError {
    /// It cannot be played again.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The engine reports no probabilities.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The search has refused a move.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The search, one of random moves, has no score to report.
    #[error("the search reports no score")]
    NoScore,
    /// The search was interrupted.
    #[error("interrupted")]
    Interrupted,
}

impl From<PositionError> for AnalysisError {
    fn from(error: PositionError) -> AnalysisError {
        AnalysisError::Replay(error.into())
    }
}

impl Mark {
    /// All of them, the worst last.
    pub const ALL: [Mark; 3] = [Mark::Inaccuracy, Mark::Mistake, Mark::Blunder];

    /// The least loss in points.
    fn least(self) -> f64 {
        [0.05, 0.1, 0.15][self as usize]
    }

    /// The number of the annotation glyph in PGN.
    pub fn glyph(self) -> u8 {
        [6, 2, 4][self as usize]
    }

    /// What is written behind a move.
    pub fn symbol(self) -> &'static str {
        ["?!", "?", "??"][self as usize]
    }
}

impl MoveAnalysis {
    /// The points given away, from 0 to 1. The best move gives nothing away, whatever the next search says.
    pub fn loss(&self) -> f64 {
        let [before, after] = self.expected;
        if self.best.first() == Some(&self.text) { 0.0 } else { (before - after).max(0.0) }
    }

    /// How bad the move was; `None` for a good one.
    pub fn mark(&self) -> Option<Mark> {
        Mark::ALL.into_iter().rev().find(|mark| self.loss() >= mark.least())
    }

    /// The accuracy of the move in percent, by the curve of lichess (lichess.org/page/accuracy).
    pub fn accuracy(&self) -> f64 {
        (103.1668 * (-4.354 * self.loss()).exp() - 3.1669).clamp(0.0, 100.0)
    }
}

/// What a search has found in a position.
struct Judgement {
    /// From White's point of view; `None` where the game is over.
    score: Option<UciScore>,
    /// The expected points of White.
    white: f64,
    /// The best line, in the notation of the protocol.
    pv: Vec<String>,
}

impl GameAnalysis {
    /// Searches every position of a game after its opening with `engine`, which is of its variant, under
    /// these limits each.
    ///
    /// # Errors
    /// [`AnalysisError`]
    pub fn new(
        game: &PgnGame,
        engine: &mut dyn Engine,
        limits: &Limits,
        control: &Control,
    ) -> Result<GameAnalysis, AnalysisError> {
        engine.set_option("UCI_ShowWDL", "true")?;
        let moves = game.replay(engine.board_mut())?;
        let (opening, moves) = moves.split_at(game.opening.moves.len());
        engine.board_mut().set_up(game.opening.set_up_fen(), opening)?;
        engine.new_game();
        // The board on which lines are written down.
        let mut scratch = game.board(Some(engine.board().variant()))?;
        let mut before = Judgement::new(engine, limits, control)?;
        let mut analysed = Vec::with_capacity(moves.len());
        for (mv, number) in moves.iter().zip(opening.len() + 1..) {
            let illegal = |error| PositionError::Move { number, error };
            let player = engine.board().side_to_move();
            scratch.set_up(Some(&engine.board().fen()), &[])?;
            let text = scratch.san(mv).map_err(illegal)?;
            let best = before.pv.iter().take(LINE).map_while(|mv| scratch.play_to_san(mv).ok()).collect();
            engine.board_mut().play(mv).map_err(illegal)?;
            let after = Judgement::new(engine, limits, control)?;
            let white = [before.white, after.white];
            let expected = if player == Color::White { white } else { white.map(|white| 1.0 - white) };
            analysed.push(MoveAnalysis { player, text, score: after.score, expected, best });
            before = after;
        }
        Ok(GameAnalysis { moves: analysed })
    }

    /// What the moves of a player add up to.
    pub fn player(&self, player: Color) -> PlayerAnalysis {
        let moves = || self.moves.iter().filter(|mv| mv.player == player);
        let count = moves().count();
        let mean = moves().map(MoveAnalysis::accuracy).sum::<f64>() / count as f64;
        PlayerAnalysis {
            moves: count,
            accuracy: if count == 0 { 100.0 } else { mean },
            loss: moves().map(MoveAnalysis::loss).sum(),
            marks: Mark::ALL.map(|mark| moves().filter(|mv| mv.mark() == Some(mark)).count()),
        }
    }

    /// The indices of the moves that gave most away, the worst first: at most so many, and only marked ones.
    pub fn turning_points(&self, at_most: usize) -> Vec<usize> {
        let mut marked: Vec<_> =
            (0..self.moves.len()).filter(|&at| self.moves[at].mark().is_some()).collect();
        marked.sort_by(|&one, &two| self.moves[two].loss().total_cmp(&self.moves[one].loss()));
        marked.truncate(at_most);
        marked
    }

    /// Writes scores, marks and better lines into the record of the game.
    pub fn annotate(&self, game: &mut PgnGame) {
        for (mv, analysis) in game.moves.iter_mut().zip(&self.moves) {
            let eval = analysis.score.map(|score| match score {
                UciScore::Centi(value) => format!("[%eval {:.2}]", f64::from(value) / 100.0),
                UciScore::Mate(moves) => format!("[%eval #{moves}]"),
            });
            let comment = [without_eval(&mv.comment), eval.unwrap_or_default()];
            mv.comment = comment.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
            mv.variations.clear();
            if let Some(mark) = analysis.mark() {
                mv.glyph = Some(mark.glyph());
                let line = analysis.best.iter().cloned();
                mv.variations = vec![line.map(|text| PgnMove { text, ..PgnMove::default() }).collect()];
            }
        }
    }
}

/// A comment without the score that another program has put into it.
fn without_eval(comment: &str) -> String {
    let Some((before, rest)) = comment.split_once("[%eval ") else { return comment.to_owned() };
    let after = rest.split_once(']').map_or("", |(_, after)| after);
    format!("{} {}", before.trim_end(), after.trim_start()).trim().to_owned()
}

impl Judgement {
    /// Searches the position of an engine.
    fn new(engine: &mut dyn Engine, limits: &Limits, control: &Control) -> Result<Judgement, AnalysisError> {
        let stm = engine.board().side_to_move();
        if engine.board().legal_moves().is_empty() {
            let winner = engine.board().outcome().and_then(|outcome| outcome.winner);
            let white = Points::of(winner, Color::White).value();
            return Ok(Judgement { score: None, white, pv: Vec::new() });
        }
        let limits = Limits { start: Instant::now(), ..limits.clone() };
        let mut last = None;
        engine.search(&[], &limits, control, &mut |report: &SearchReport| {
            if report.multipv == 1 {
                last = report.expected_points().map(|points| (report.score, points, report.pv.clone()));
            }
        })?;
        if control.is_stopped() {
            return Err(AnalysisError::Interrupted);
        }
        let (score, points, pv) = last.ok_or(AnalysisError::NoScore)?;
        Ok(match stm {
            Color::White => Judgement { score: Some(score), white: points, pv },
            Color::Black => Judgement { score: Some(-score), white: 1.0 - points, pv },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::pgn::{PgnMove, PgnReader};
    use crate::engine::{Settings, registry};

    fn game(text: &str) -> PgnGame {
        PgnReader::new(text.as_bytes()).next().unwrap().unwrap()
    }

    fn analyse(game: &PgnGame) -> GameAnalysis {
        let variant = game.board(None).unwrap().variant();
        let mut engine = registry::engine(variant, &Settings::default()).unwrap();
        let limits = Limits { nodes: Some(20_000), ..Limits::none() };
        GameAnalysis::new(game, engine.as_mut(), &limits, &Control::default()).unwrap()
    }

    #[test]
    fn a_blunder_is_marked_and_refuted() {
        let mut game = game("1. f3 {a [%eval 9] plan} e5 2. g4 Qh4# 0-1");
        let analysis = analyse(&game);
        let marks: Vec<_> = analysis.moves.iter().map(MoveAnalysis::mark).collect();
        assert_eq!(marks[1..], [None, Some(Mark::Blunder), None]);
        assert!(analysis.moves[2].expected[1] < 0.01 && analysis.moves[3].score.is_none());
        assert_eq!(analysis.turning_points(1), [2]);
        let [white, black] = Color::BOTH.map(|player| analysis.player(player));
        assert_eq!((white.moves, white.marks[2], black.marks), (2, 1, [0, 0, 0]));
        assert!(white.accuracy < 70.0 && black.accuracy > 95.0, "{white:?} {black:?}");
        analysis.annotate(&mut game);
        let text = game.to_string().replace('\n', " ");
        for part in ["f3 ", "{a plan [%eval ", "2. g4 $4 {[%eval #-1]} ( 2. ", ") 2... Qh4# 0-1"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn every_game_can_be_analysed() {
        for variant in registry::names() {
            let board = registry::board(variant).unwrap();
            let first = board.legal_moves().remove(0);
            let text = format!("[Variant \"{variant}\"]\n1. {first} *");
            let mut game = game(&text);
            let mut board = game.board(None).unwrap();
            board.play(&first).unwrap();
            let reply = board.san(&board.legal_moves()[0]).unwrap();
            game.moves.push(PgnMove { text: reply, ..PgnMove::default() });
            let analysis = analyse(&game);
            assert_eq!(analysis.moves.len(), 2);
            let within = |mv: &MoveAnalysis| mv.expected.iter().all(|points| (0.0..=1.0).contains(points));
            assert!(analysis.moves.iter().all(within), "{analysis:?}");
        }
    }

    #[test]
    fn loss_becomes_marks_and_accuracy() {
        let mv = |loss: f64, best: &str| MoveAnalysis {
            player: Color::White,
            text: "e4".into(),
            score: None,
            expected: [0.5, 0.5 - loss],
            best: vec![best.to_owned()],
        };
        let marks = [0.0, 0.04, 0.06, 0.11, 0.2].map(|loss| mv(loss, "d4").mark());
        let (inaccuracy, mistake) = (Some(Mark::Inaccuracy), Some(Mark::Mistake));
        assert_eq!(marks, [None, None, inaccuracy, mistake, Some(Mark::Blunder)]);
        assert_eq!((mv(0.2, "e4").mark(), mv(-0.2, "d4").loss()), (None, 0.0), "the best move; a better one");
        assert!((mv(0.0, "d4").accuracy() - 100.0).abs() < 0.01 && mv(0.5, "d4").accuracy() < 10.0);
    }

    #[test]
    fn an_interrupted_analysis_has_no_result() {
        let (control, game) = (Control::default(), game("1. f3 e5 *"));
        control.stop();
        let mut engine = registry::engine("chess", &Settings::default()).unwrap();
        let limits = Limits { nodes: Some(100), ..Limits::none() };
        let result = GameAnalysis::new(&game, engine.as_mut(), &limits, &control);
        assert!(matches!(result, Err(AnalysisError::Interrupted)));
    }
}
