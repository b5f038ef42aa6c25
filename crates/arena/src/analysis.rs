//! Analysis of finished games: the score of each position, and the loss by each move.
//!
//! A move is graded by expected points (a win 1, a draw ½), computed from the scores before and after it by
//! the win/draw/loss model of the evaluation: a pawn decides a level game, and nothing in a won one. Marks
//! and accuracy follow lichess: 0.05, 0.1 and 0.15 points for `?!`, `?` and `??`.

use thiserror::Error;

use super::pgn::{PgnGame, PgnMove, ReplayError};
use labrys_core::clock::Instant;
use labrys_core::engine::{Engine, OptionError, PositionError, SearchReport};
use labrys_core::eval::UciScore;
use labrys_core::game::{Color, MoveError, Wdl};
use labrys_core::search::{Bound, Control, Limits};

/// The tag that names who has annotated a game.
const ANNOTATOR: &str = "Annotator";

/// The annotator of games analysed here.
const LABRYS: &str = "Labrys";

/// The tag that says what a game was analysed with.
const ANALYSIS: &str = "Analysis";

/// Moves of a better line that are written into the record, in plies.
const LINE: usize = 8;

/// An analysed game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameAnalysis {
    /// Its moves after the opening.
    pub moves: Vec<MoveAnalysis>,
}

/// The analysis of a move.
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
    /// Whether the player chose the first move of that line. Its outcome of chance is no choice.
    pub is_best: bool,
}

/// The grade of a bad move.
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

/// An error of an analysis.
#[derive(Debug, Error)]
pub enum AnalysisError {
    /// It cannot be played again.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The engine cannot report probabilities.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The search has refused a move.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The search, one of random moves or one that ends at once, has no exact score to report.
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

/// The annotation glyphs that grade a move, `!` to `?!`.
const MARKS: std::ops::RangeInclusive<u16> = 1..=6;

impl Mark {
    /// All of them, the worst last.
    pub const ALL: [Mark; 3] = [Mark::Inaccuracy, Mark::Mistake, Mark::Blunder];

    /// The least loss in points.
    fn least(self) -> f64 {
        [0.05, 0.1, 0.15][self as usize]
    }

    /// The mark of a move that gives away these points; `None` for a good one.
    pub fn of(loss: f64) -> Option<Mark> {
        Mark::ALL.into_iter().rev().find(|mark| loss >= mark.least())
    }

    /// The number of the annotation glyph in PGN.
    pub fn glyph(self) -> u16 {
        [6, 2, 4][self as usize]
    }

    /// The symbol after a move.
    pub fn symbol(self) -> &'static str {
        ["?!", "?", "??"][self as usize]
    }
}

impl MoveAnalysis {
    /// The points given away, from 0 to 1. The best move loses nothing, whatever the next search finds.
    pub fn loss(&self) -> f64 {
        let [before, after] = self.expected;
        if self.is_best { 0.0 } else { (before - after).max(0.0) }
    }

    /// The mark of the move; `None` for a good one.
    pub fn mark(&self) -> Option<Mark> {
        Mark::of(self.loss())
    }

    /// The accuracy of the move in percent, by the curve of lichess (lichess.org/page/accuracy).
    pub fn accuracy(&self) -> f64 {
        (103.1668 * (-4.354 * self.loss()).exp() - 3.1669).clamp(0.0, 100.0)
    }
}

/// The result of a search of a position.
struct PositionAnalysis {
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
        let mut before = PositionAnalysis::new(engine, !moves.is_empty(), limits, control)?;
        let mut analysed = Vec::with_capacity(moves.len());
        let plies = opening.len() + moves.len();
        for (mv, number) in moves.iter().zip(opening.len() + 1..) {
            let illegal = |error| PositionError::Move { number, error };
            let player = engine.board().side_to_move();
            let start = engine.board().fen();
            scratch.set_up(Some(&start), &[])?;
            let text = scratch.san(mv).map_err(illegal)?;
            let chosen = scratch.play_san_as_chosen(mv).map_err(illegal)?;
            scratch.set_up(Some(&start), &[])?;
            let chosen = scratch.san(&chosen).map_err(illegal)?;
            let best = before.pv.iter().take(LINE).map_while(|mv| scratch.play_to_san(mv).ok());
            let best: Vec<_> = best.collect();
            let is_best = best.first() == Some(&chosen);
            engine.board_mut().play(mv).map_err(illegal)?;
            let after = PositionAnalysis::new(engine, number < plies, limits, control)?;
            let white = [before.white, after.white];
            let expected = if player == Color::White { white } else { white.map(|white| 1.0 - white) };
            analysed.push(MoveAnalysis { player, text, score: after.score, expected, best, is_best });
            before = after;
        }
        Ok(GameAnalysis { moves: analysed })
    }

    /// The summary of a player's moves.
    pub fn player(&self, player: Color) -> PlayerAnalysis {
        let moves = || self.moves.iter().filter(|mv| mv.player == player);
        let count = moves().count();
        let mean = moves().map(MoveAnalysis::accuracy).sum::<f64>() / count as f64;
        PlayerAnalysis {
            moves: count,
            accuracy: if count == 0 { 100.0 } else { mean },
            // The sum of none would be -0.
            loss: moves().map(MoveAnalysis::loss).fold(0.0, |sum, loss| sum + loss),
            marks: Mark::ALL.map(|mark| moves().filter(|mv| mv.mark() == Some(mark)).count()),
        }
    }

    /// The indices of the moves with the largest losses, the worst first: at most `at_most`, and only marked
    /// ones.
    pub fn turning_points(&self, at_most: usize) -> Vec<usize> {
        let mut marked: Vec<_> =
            (0..self.moves.len()).filter(|&at| self.moves[at].mark().is_some()).collect();
        marked.sort_by(|&one, &two| self.moves[two].loss().total_cmp(&self.moves[one].loss()));
        marked.truncate(at_most);
        marked
    }

    /// Writes scores, marks, better lines, the annotator and the settings of the analysis, if known, into the
    /// record of the game. Other annotations stay, except scores (`[%eval …]`) that are replaced. A move that
    /// is marked already gets no second mark.
    pub fn annotate(&self, game: &mut PgnGame, settings: Option<&str>) {
        for (mv, analysis) in game.moves.iter_mut().zip(&self.moves) {
            let eval = analysis.score.map_or(String::new(), |score| match score {
                UciScore::Centi(value) => format!("[%eval {:.2}]", f64::from(value) / 100.0),
                UciScore::Mate(moves) => format!("[%eval #{moves}]"),
            });
            let comment = [without_evals(&mv.comment), eval];
            let parts = comment.into_iter().filter(|part| !part.is_empty());
            mv.comment = parts.collect::<Vec<_>>().join(" ");
            if let Some(mark) = analysis.mark() {
                if !mv.glyphs.iter().any(|glyph| MARKS.contains(glyph)) {
                    mv.add_glyph(mark.glyph());
                }
                let line = analysis.best.iter().cloned();
                let line: Vec<_> = line.map(|text| PgnMove { text, ..PgnMove::default() }).collect();
                let texts = |line: &[PgnMove]| line.iter().map(|mv| mv.text.clone()).collect::<Vec<_>>();
                if !mv.variations.iter().any(|known| texts(known) == texts(&line)) {
                    mv.variations.push(line);
                }
            }
        }
        let tag = game.other_tags.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(ANNOTATOR));
        match tag {
            None => game.other_tags.push((ANNOTATOR.to_owned(), LABRYS.to_owned())),
            Some((_, others)) if others.split(", ").any(|other| other == LABRYS) => {}
            Some((_, others)) if others.is_empty() => LABRYS.clone_into(others),
            Some((_, others)) => *others += &format!(", {LABRYS}"),
        }
        set_settings(game, settings);
    }
}

/// Sets the settings that a game was analysed with, in place of those of an earlier analysis.
pub fn set_settings(game: &mut PgnGame, settings: Option<&str>) {
    game.other_tags.retain(|(name, _)| name != ANALYSIS);
    game.other_tags.extend(settings.map(|settings| (ANALYSIS.to_owned(), settings.to_owned())));
}

/// The settings that a game was analysed with, if its record has them.
pub fn settings_of(game: &PgnGame) -> Option<&str> {
    game.other_tag(ANALYSIS)
}

/// A comment without the scores of other programs.
fn without_evals(comment: &str) -> String {
    let mut text = comment.to_owned();
    while let Some(start) = text.find("[%eval ")
        && let Some(length) = text[start..].find(']')
    {
        let (before, after) = (text[..start].trim_end(), text[start + length + 1..].trim_start());
        text = format!("{before} {after}").trim().to_owned();
    }
    text
}

/// The last exact score of a search, for the side to move: the score, its expected points and its line.
#[derive(Default)]
struct LastExact(Option<(UciScore, f64, Vec<String>)>);

impl LastExact {
    fn update(&mut self, report: &SearchReport) {
        // A bound is no score.
        if report.multipv == 1 && report.bound == Bound::Exact {
            self.0 = report.expected_points().map(|points| (report.score, points, report.pv.clone()));
        }
    }
}

impl PositionAnalysis {
    /// Searches the position of an engine, unless the game is over there. It may go on after a draw that nobody
    /// has claimed.
    fn new(
        engine: &mut dyn Engine,
        goes_on: bool,
        limits: &Limits,
        control: &Control,
    ) -> Result<PositionAnalysis, AnalysisError> {
        let stm = engine.board().side_to_move();
        if let Some(outcome) = engine.board().outcome().filter(|_| !goes_on) {
            let white = Wdl::of(outcome.winner, Color::White).value();
            return Ok(PositionAnalysis { score: None, white, pv: Vec::new() });
        }
        let limits = Limits { start: Instant::now(), ..limits.clone() };
        let mut last = LastExact::default();
        engine.search(&[], &limits, control, &mut |report: &SearchReport| last.update(report))?;
        if control.is_stopped() {
            return Err(AnalysisError::Interrupted);
        }
        let (score, points, pv) = last.0.ok_or(AnalysisError::NoScore)?;
        Ok(match stm {
            Color::White => PositionAnalysis { score: Some(score), white: points, pv },
            Color::Black => PositionAnalysis { score: Some(-score), white: 1.0 - points, pv },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgn::{PgnMove, PgnReader};
    use labrys_core::engine::{Settings, registry};

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
        analysis.annotate(&mut game, None);
        let text = game.to_string().replace('\n', " ");
        for part in ["f3 ", "{a plan [%eval ", "2. g4 $4 {[%eval #-1]} ( 2. ", ") 2... Qh4# 0-1"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn other_annotations_are_kept() {
        let annotated = "[Annotator \"Smith\"]\n\n{before the game} 1. f3!? {a [%clk 1:00]} {b [%eval 9,3] c} \
                         (1. d4 {better} d5 (1... Nf6 $5) 2. c4) (1. e4) {after them} 1... e5 $1 $146 \
                         2. g4?? {ouch} (2. Nh3) 2... Qh4# {[%eval 3]} 0-1 {the end}\n";
        let mut game = game(annotated);
        let analysis = analyse(&game);
        analysis.annotate(&mut game, None);
        let text = game.to_string().replace('\n', " ");
        for part in [
            "[Annotator \"Smith, Labrys\"]",
            "{before the game} 1. f3 $5",
            "{a [%clk 1:00] b c after them [%eval ",
            "( 1. d4 {better} d5 ( 1... Nf6 $5 ) 2. c4 ) ( 1. e4 )",
            "e5 $1 $146 {[%eval ",
            "2. g4 $4 {ouch [%eval #-1]} ( 2. Nh3 ) ( 2. ",
            "2... Qh4# 0-1 {the end}",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        // A second analysis adds nothing.
        let once = game.clone();
        analysis.annotate(&mut game, None);
        assert_eq!(game, once);
        assert_eq!(without_evals("a [%eval 1] b [%eval 2]"), "a b");
        assert_eq!(without_evals("a [%eval 1"), "a [%eval 1");
    }

    #[test]
    fn a_move_that_draws_has_half_a_point() {
        let repetition = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2";
        let clock = "[SetUp \"1\"]\n[FEN \"6k1/8/8/8/8/8/q7/5RK1 b - - 99 90\"]\n\n90... Qf2+ 1/2-1/2";
        for text in [repetition, clock] {
            let analysis = analyse(&game(text));
            let last = analysis.moves.last().unwrap();
            assert_eq!((last.expected[1], last.score, last.mark()), (0.5, None, None), "{text}: {last:?}");
        }
        // Played on: the position is searched for the next move.
        let mut played_on = game("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 {[%eval 9]} 5. g4 *");
        let analysis = analyse(&played_on);
        let [.., last, next] = &analysis.moves[..] else { panic!("{analysis:?}") };
        assert!(last.score.is_some() && !next.best.is_empty(), "{analysis:?}");
        analysis.annotate(&mut played_on, None);
        assert!(!played_on.to_string().contains("[%eval 9]"), "{played_on}");
        let white = analyse(&game(clock)).player(Color::White);
        assert_eq!((white.moves, white.loss.is_sign_negative()), (0, false));
    }

    #[test]
    fn what_chance_makes_of_the_best_move_is_no_mistake() {
        let mut game = game("[Variant \"tucchess\"]\n\n1. a2a3 a6a5 2. a3a4=0 *");
        let analysis = analyse(&game);
        let last = &analysis.moves[2];
        let [before, after] = last.expected;
        assert!(last.best[0] == "a3a4" && before - after > 0.05, "a prize without a point: {last:?}");
        assert_eq!((last.loss(), last.mark()), (0.0, None));
        analysis.annotate(&mut game, None);
        assert!(game.moves[2].variations.is_empty() && game.moves[2].glyphs.is_empty(), "{game}");
    }

    #[test]
    fn a_bound_is_not_taken_for_a_score() {
        let score = |reports: &[(u32, i32, Bound)]| {
            let mut last = LastExact::default();
            for &(multipv, value, bound) in reports {
                let score = UciScore::Centi(value);
                last.update(&SearchReport { multipv, score, bound, ..report() });
            }
            last.0.map(|(score, ..)| score)
        };
        let exact = Some(UciScore::Centi(10));
        assert_eq!(score(&[(1, 10, Bound::Exact), (1, 50, Bound::Lower)]), exact);
        assert_eq!(score(&[(1, 10, Bound::Exact), (1, -50, Bound::Upper), (2, 3, Bound::Exact)]), exact);
        assert_eq!(score(&[(1, 50, Bound::Lower), (1, 10, Bound::Exact)]), exact);
        assert_eq!(score(&[(1, 50, Bound::Lower), (1, 10, Bound::Upper)]), None);
    }

    fn report() -> SearchReport {
        SearchReport {
            depth: 1,
            seldepth: 1,
            multipv: 1,
            score: UciScore::Centi(0),
            bound: Bound::Exact,
            wdl: Some([100, 800, 100]),
            nodes: 1,
            time: std::time::Duration::ZERO,
            hashfull: 0,
            tbhits: None,
            visits: None,
            pv: Vec::new(),
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
            is_best: best == "e4",
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
