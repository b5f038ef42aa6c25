//! What a session knows: its game, its players, its clocks, and which search comes next.

use std::sync::Arc;
use std::time::Duration;

use crate::catalogue::Analyst;
use crate::clock::Times;
use crate::explorer::Explorer;
use crate::game_file::GameFile;
use crate::game_tree::{GameError, GameTree, ROOT};
use crate::header::{Header, result_text};
use crate::message::{Answer, ClockState, EndText, GameState, LineState, Message, OpeningText, RecordState};
use crate::player::{EnginePlayer, SidePlayer};
use crate::thinker::{Job, Purpose, Question};
use labrys_arena::TimeControl;
use labrys_arena::pgn::{PgnGame, PlayerTags};
use labrys_core::clock::Instant;
use labrys_core::engine::NamedOpening;
use labrys_core::game::Color;
use labrys_core::search::{Clock, Control};

/// The analysis of the position on the board.
#[derive(Clone, Debug)]
pub(crate) struct Analysis {
    pub(crate) is_on: bool,
    /// Lines to look for, from 1.
    pub(crate) lines: usize,
    pub(crate) analyst: Analyst,
    /// The depth at which it ends, its threads and the MiB of its table; 0 where none is chosen.
    pub(crate) depth: u32,
    pub(crate) threads: usize,
    pub(crate) hash: usize,
    /// The node whose analysis is finished.
    pub(crate) done: Option<usize>,
}

impl Analysis {
    /// The options of its search.
    fn options(&self) -> Vec<(String, String)> {
        let chosen = [("Threads", self.threads), ("Hash", self.hash)];
        let chosen = chosen.into_iter().filter(|(_, value)| *value > 0);
        let own =
            chosen.chain([("MultiPV", self.lines)]).map(|(name, value)| (name.to_owned(), value.to_string()));
        self.analyst.options.iter().cloned().chain(own).collect()
    }
}

/// The state of a session.
pub struct State {
    /// The number of the game in the session.
    pub(crate) number: u64,
    pub(crate) tree: GameTree,
    /// White and Black.
    pub(crate) players: [SidePlayer; 2],
    /// The time of each player; none without clocks.
    pub(crate) control: Option<TimeControl>,
    /// Since when the clock of the side to move runs.
    running: Option<Instant>,
    pub(crate) is_paused: bool,
    /// Whether an engine makes one move in spite of the pause.
    pub(crate) is_stepping: bool,
    /// Whether the positions of the line are being evaluated.
    pub(crate) is_reviewing: bool,
    pub(crate) analysis: Analysis,
    /// What the record of the game says besides its moves.
    pub(crate) header: Header,
    /// The games of the text that was loaded, if it has several.
    pub(crate) file: Option<GameFile>,
    /// Whether the game has changed since it was loaded.
    pub(crate) is_edited: bool,
    /// Whose review the game has.
    pub(crate) reviewer: Option<Analyst>,
    /// What the search of the review has found so far.
    pub(crate) found: Option<LineState>,
    /// A question about the position of a node.
    pub(crate) question: Option<(usize, Question)>,
    /// The answer to the last question.
    pub(crate) answer: Option<Answer>,
    /// The records that are explored, if any are.
    pub(crate) explorer: Option<Explorer>,
    /// Why an engine does not play.
    pub(crate) problem: Option<String>,
    /// The search that runs or waits for its turn.
    pub(crate) job: Option<Arc<Job>>,
}

impl State {
    /// A game that nothing has happened in.
    pub(crate) fn new(tree: GameTree, players: [SidePlayer; 2], analyst: Analyst) -> State {
        State {
            number: 0,
            tree,
            players,
            control: None,
            running: None,
            is_paused: false,
            is_stepping: false,
            is_reviewing: false,
            analysis: Analysis { is_on: false, lines: 1, analyst, depth: 0, threads: 0, hash: 0, done: None },
            header: Header::fresh(),
            file: None,
            is_edited: false,
            reviewer: None,
            found: None,
            question: None,
            answer: None,
            explorer: None,
            problem: None,
            job: None,
        }
    }

    /// Replaces the game.
    pub(crate) fn begin(&mut self, tree: GameTree, players: [SidePlayer; 2], control: Option<TimeControl>) {
        self.number += 1;
        (self.tree, self.players, self.control) = (tree, players, control);
        (self.is_paused, self.is_stepping, self.is_reviewing) = (false, false, false);
        (self.question, self.answer, self.analysis.done) = (None, None, None);
        (self.header, self.file, self.reviewer, self.is_edited) = (Header::fresh(), None, None, false);
        *self.tree.times_mut() = control.map(Times::new);
    }

    /// Plays a move in the position on the board, and presses the clock.
    pub(crate) fn play(&mut self, mv: &str) -> Result<(), GameError> {
        let stm = self.tree.board().side_to_move();
        let before = self.tree.times().cloned();
        self.tree.play(mv, &mut rand::random)?;
        self.is_edited = true;
        // Who plays against an engine does not write a variation, but goes on with another game.
        if !self.is_paused && self.players.iter().any(|player| *player != SidePlayer::Person) {
            let _ = self.tree.promote(self.tree.shown(), true);
        }
        if let (Some(control), Some(before), None) = (self.control, before, self.tree.times()) {
            *self.tree.times_mut() = Some(before.press(stm, control));
        }
        Ok(())
    }

    /// Answers whether a move is right, whose line is known.
    pub(crate) fn judge(&mut self, node: usize, mv: &str, line: LineState) {
        let verdict = self.tree.verdict(node, mv, line.result);
        self.answer = Some(Answer { node, about: Some(mv.to_owned()), threat: false, verdict, line });
    }

    pub(crate) fn has_person(&self) -> bool {
        self.players.contains(&SidePlayer::Person)
    }

    /// The side of the only person, in a game against an engine.
    pub(crate) fn person(&self) -> Option<Color> {
        match &self.players {
            [SidePlayer::Person, SidePlayer::Engine(_)] => Some(Color::White),
            [SidePlayer::Engine(_), SidePlayer::Person] => Some(Color::Black),
            _ => None,
        }
    }

    /// The engine that has to move now, if one has: at the end of the line, unless the game is paused.
    pub(crate) fn engine_to_move(&self) -> Option<&EnginePlayer> {
        let stm = self.tree.board().side_to_move();
        let goes_on = !self.is_paused || self.is_stepping;
        match &self.players[stm.index()] {
            SidePlayer::Engine(engine) if goes_on && self.tree.is_at_end() => Some(engine),
            _ => None,
        }
    }

    /// Stops the clock, and counts the time since it was started.
    pub(crate) fn stop_clock(&mut self) {
        let stm = self.tree.board().side_to_move();
        if let (Some(since), Some(times)) = (self.running.take(), self.tree.times_mut()) {
            times.spend(since.elapsed(), stm);
        }
    }

    /// Starts the clock of the side to move, if it has to run: at the end of the line, from the first move
    /// on. Returns when its time will be over.
    pub(crate) fn start_clock(&mut self) -> Option<Instant> {
        let begun = self.tree.last_move().is_some() && self.tree.is_at_end();
        if !begun || (self.is_paused && !self.is_stepping) || self.tree.end().is_some() {
            return None;
        }
        let now = Instant::now();
        let deadline = now + self.time_left()?[self.tree.board().side_to_move().index()];
        self.running = Some(now);
        Some(deadline)
    }

    /// The time that White and Black have left, in a game with clocks.
    fn time_left(&self) -> Option<[Duration; 2]> {
        let stm = self.tree.board().side_to_move();
        let mut left = self.tree.times()?.left(stm);
        let used = self.running.map_or(Duration::ZERO, |since| since.elapsed());
        left[stm.index()] = left[stm.index()].saturating_sub(used);
        Some(left)
    }

    /// The clocks as a search sees them.
    fn clocks(&self) -> [Option<Clock>; 2] {
        let (Some(left), Some(control)) = (self.time_left(), self.control) else { return [None; 2] };
        left.map(|remaining| Some(Clock { remaining, increment: control.increment }))
    }

    /// The search that the session needs now.
    pub(crate) fn next_job(&mut self) -> Option<Job> {
        let shown = self.tree.shown();
        self.question = self.question.take().filter(|(node, _)| *node == shown);
        let is_over = self.tree.end().is_some();
        self.tree.note_end();
        let next = self.tree.first_unreviewed();
        let (node, purpose, by, options) = if let Some(engine) = self.engine_to_move().filter(|_| !is_over) {
            let options = match engine {
                EnginePlayer::Level(level) => level.options.clone(),
                EnginePlayer::Named(_) => Vec::new(),
            };
            (shown, Purpose::Move(engine.clone()), engine.name().to_owned(), options)
        } else if let Some((node, question)) = self.question.clone().filter(|_| !is_over) {
            let reviewer = self.reviewer.clone().filter(|_| matches!(question, Question::Try(_)));
            let (by, options) = reviewer.map_or_else(Default::default, |own| (own.name, own.options));
            (node, Purpose::Answer(question), by, options)
        } else if let Some((node, Analyst { name, options })) =
            next.zip(self.reviewer.clone()).filter(|_| self.is_reviewing)
        {
            (node, Purpose::Review, name, options)
        } else if self.analysis.is_on && self.analysis.done != Some(shown) && !is_over {
            (shown, Purpose::Analysis, self.analysis.analyst.name.clone(), self.analysis.options())
        } else {
            self.is_reviewing = false;
            return None;
        };
        self.is_reviewing &= next.is_some();
        let game = match purpose {
            Purpose::Answer(Question::Threat) => self.tree.after_pass().ok()?,
            _ => self.tree.variation(node),
        };
        Some(Job {
            purpose,
            by,
            options,
            rules: self.tree.rules().clone(),
            game,
            clocks: self.clocks(),
            depth: (self.analysis.depth > 0).then_some(self.analysis.depth),
            number: self.number,
            node,
            control: Control::default(),
        })
    }

    /// What a move adds to the clocks of White and Black.
    fn increments(&self) -> [Duration; 2] {
        Color::BOTH.map(|player| {
            let recorded = || self.header.control(player).parse().ok();
            self.control.or_else(recorded).map_or(Duration::ZERO, |control: TimeControl| control.increment)
        })
    }

    /// The game as a record, perhaps with what the review says.
    pub(crate) fn to_record(&self, is_annotated: bool) -> Result<PgnGame, GameError> {
        let control = self.control.map_or(String::new(), |control| control.to_string());
        let here = self.players.each_ref().map(|player| PlayerTags {
            name: player.name().to_owned(),
            time_control: control.clone(),
            ..PlayerTags::default()
        });
        self.tree.to_record(&self.header, here, is_annotated)
    }

    /// How the main line has ended.
    fn result(&self) -> &'static str {
        let last = self.tree.main_nodes().last().and_then(|&node| self.tree.nodes[node].end.as_ref());
        let by_record = || self.header.end().map(|end| end.winner);
        result_text(last.map(|end| end.winner).or_else(by_record))
    }

    /// The message about the game.
    pub(crate) fn to_json(&self) -> String {
        let State { number, tree, players, analysis, .. } = self;
        let end = tree.end();
        let judgements = tree.judgements();
        let clock = self.control.zip(self.time_left()).map(|(control, left)| ClockState {
            text: format!("{}+{}", control.time.as_secs_f64() / 60.0, control.increment.as_secs_f64()),
            left: left.map(|left| left.as_millis() as u64),
            running: self.running.is_some(),
        });
        let state = GameState {
            number: *number,
            game: tree.board().variant(),
            option: tree.rules().option.as_ref().map(|(_, value)| value.as_str()),
            players: [players[0].name(), players[1].name()],
            person: self.person().map(Color::into),
            paused: self.is_paused,
            analysing: analysis.is_on,
            lines: analysis.lines,
            analyst: &analysis.analyst.name,
            depth: analysis.depth,
            threads: analysis.threads,
            hash: analysis.hash,
            reviewing: self.is_reviewing,
            thinking: end.is_none() && self.engine_to_move().is_some(),
            first_ply: tree.first_ply(),
            start: &tree.start,
            record: RecordState {
                names: Color::BOTH.map(|player| self.header.name(player)),
                result: self.result(),
                tags: self.header.tags(),
            },
            games: self.file.as_ref().map(GameFile::state),
            tree: tree.all_moves(self.increments(), &judgements),
            comment: tree.nodes[ROOT].remarks.text(),
            line: tree.line(&judgements),
            review: self.reviewer.as_ref().map(|analyst| tree.review_state(&analyst.name, judgements)),
            node: tree.shown(),
            ply: tree.ply(),
            last: tree.last_move(),
            fen: tree.board().fen(),
            side_to_move: tree.board().side_to_move().into(),
            moves: if end.is_some() { Vec::new() } else { tree.board().legal_moves() },
            end: end.map(|end| EndText { winner: end.winner.map(Color::into), text: end.text }),
            clock,
            start_eval: tree.eval(ROOT),
            opening: tree.opening(tree.shown()).map(|NamedOpening { code, name }| OpeningText { code, name }),
            explorer: self.explorer.as_ref().map(|explorer| explorer.state(tree.board())),
            answer: self.answer.as_ref().filter(|answer| answer.node == tree.shown()),
            problem: self.problem.as_deref(),
        };
        Message::Game(&state).to_json()
    }
}
