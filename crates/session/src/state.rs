//! The state of a session: its game, players and clocks. Decides which search to run next.

use std::sync::Arc;
use std::time::Duration;

use crate::catalogue::Analyst;
use crate::clock::Times;
use crate::explorer::Explorer;
use crate::game_file::GameFile;
use crate::game_tree::{End, GameError, GameTree, PlayerDecision, ROOT};
use crate::header::{Header, result_text};
use crate::message::{Answer, ClockState, EndText, GameState, LineState, Message, OpeningText, RecordState};
use crate::player::{EnginePlayer, Player};
use crate::search_runner::{Job, Purpose, Question};
use crate::seats::Seats;
use labrys_arena::TimeControl;
use labrys_arena::pgn::{PgnGame, PlayerTags};
use labrys_core::clock::Instant;
use labrys_core::engine::NamedOpening;
use labrys_core::game::Color;
use labrys_core::search::{Clock, Control};

/// The settings of the analysis of the current position.
#[derive(Clone, Debug)]
pub(crate) struct Analysis {
    pub(crate) is_on: bool,
    /// The number of lines (`MultiPV`).
    pub(crate) lines: usize,
    pub(crate) analyst: Analyst,
    /// Maximum depth, threads and MiB of hash; 0 for the default.
    pub(crate) depth: u32,
    pub(crate) threads: usize,
    pub(crate) hash: usize,
    /// The node whose analysis is finished.
    pub(crate) done: Option<usize>,
}

impl Analysis {
    /// The engine options of the search.
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
    pub(crate) players: [Player; 2],
    /// The time control; none without clocks.
    pub(crate) control: Option<TimeControl>,
    /// The time at which the running clock was started.
    running: Option<Instant>,
    pub(crate) is_paused: bool,
    /// Whether an engine plays one move in spite of the pause.
    pub(crate) is_stepping: bool,
    /// Whether a review of the line is running.
    pub(crate) is_reviewing: bool,
    pub(crate) analysis: Analysis,
    /// The tags of the game.
    pub(crate) header: Header,
    /// The games of the loaded text, if it contains several.
    pub(crate) file: Option<GameFile>,
    /// Whether the game has changed since it was loaded.
    pub(crate) is_edited: bool,
    /// The analyst of the review.
    pub(crate) reviewer: Option<Analyst>,
    /// The best line so far, of a search whose result counts only at its end.
    pub(crate) best_line: Option<LineState>,
    /// A question about the position of a node, not answered yet.
    pub(crate) question: Option<(usize, Question)>,
    /// The answer to the last question.
    pub(crate) answer: Option<Answer>,
    /// The explorer, if any games have been opened.
    pub(crate) explorer: Option<Explorer>,
    /// Why an engine cannot play.
    pub(crate) problem: Option<String>,
    /// The running or waiting search.
    pub(crate) job: Option<Arc<Job>>,
    /// The seats, while they are open.
    pub(crate) seats: Option<Seats>,
    /// The player whose draw offer is pending.
    pub(crate) draw_offer: Option<Color>,
    /// The player who has requested a rematch.
    pub(crate) rematch: Option<Color>,
}

impl State {
    /// The state at the start of a session.
    pub(crate) fn new(tree: GameTree, players: [Player; 2], analyst: Analyst) -> State {
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
            header: Header::for_new_game(),
            file: None,
            is_edited: false,
            reviewer: None,
            best_line: None,
            question: None,
            answer: None,
            explorer: None,
            problem: None,
            job: None,
            seats: None,
            draw_offer: None,
            rematch: None,
        }
    }

    /// Starts another game.
    pub(crate) fn start_game(&mut self, tree: GameTree, players: [Player; 2], control: Option<TimeControl>) {
        self.number += 1;
        (self.tree, self.players, self.control) = (tree, players, control);
        (self.is_paused, self.is_stepping, self.is_reviewing) = (false, false, false);
        (self.question, self.answer, self.analysis.done) = (None, None, None);
        (self.header, self.file, self.reviewer, self.is_edited) = (Header::for_new_game(), None, None, false);
        (self.draw_offer, self.rematch) = (None, None);
        // Those of a random opening, too: its moves can be taken back.
        for node in &mut self.tree.nodes {
            node.times = control.map(Times::new);
        }
    }

    /// Stops analysis, review and questions, and goes to the end of the mainline.
    pub(crate) fn stop_help(&mut self) {
        (self.analysis.is_on, self.is_reviewing) = (false, false);
        (self.question, self.answer) = (None, None);
        let last = self.tree.mainline().last().copied().unwrap_or(ROOT);
        let shown = self.tree.show(last);
        debug_assert!(shown.is_ok(), "it is a node of the tree");
    }

    /// Starts the game again with the colours swapped.
    pub(crate) fn start_rematch(&mut self) -> Result<(), GameError> {
        let tree = GameTree::new(self.tree.rules().clone(), Some(&self.tree.start))?;
        let [white, black] = self.players.clone();
        self.start_game(tree, [black, white], self.control);
        if let Some(seats) = &mut self.seats {
            seats.swap();
        }
        Ok(())
    }

    /// Plays a move in the current position, and presses the clock.
    pub(crate) fn play(&mut self, mv: &str) -> Result<(), GameError> {
        let stm = self.tree.board().side_to_move();
        let before = self.tree.times().cloned();
        self.tree.play(mv, &mut rand::random)?;
        self.is_edited = true;
        // A move declines the opponent's offer.
        self.draw_offer = self.draw_offer.filter(|&player| player == stm);
        // Against an engine, a move in an earlier position replaces the mainline.
        if !self.is_paused && self.has_engine() {
            let _ = self.tree.promote(self.tree.current(), true);
        }
        if let (Some(control), Some(before), None) = (self.control, before, self.tree.times()) {
            *self.tree.times_mut() = Some(before.press(stm, control));
        }
        Ok(())
    }

    /// Ends the game at the current node by a decision of the players.
    pub(crate) fn decide(&mut self, decision: PlayerDecision) -> Result<(), GameError> {
        self.tree.decide(decision)?;
        (self.is_edited, self.draw_offer) = (true, None);
        Ok(())
    }

    /// Answers a `Try` with its verdict, given the line of the move.
    pub(crate) fn answer_try(&mut self, node: usize, mv: &str, line: LineState) {
        let verdict = self.tree.verdict(node, mv, line.result);
        self.answer = Some(Answer { node, about: Some(mv.to_owned()), threat: false, verdict, line });
    }

    /// Whether a person plays a side.
    pub(crate) fn is_person(&self, player: Color) -> bool {
        self.players[player.index()] == Player::Person
    }

    pub(crate) fn has_person(&self) -> bool {
        self.players.contains(&Player::Person)
    }

    pub(crate) fn has_engine(&self) -> bool {
        self.players.iter().any(|player| *player != Player::Person)
    }

    /// The side of the person in a game against an engine.
    pub(crate) fn person(&self) -> Option<Color> {
        match &self.players {
            [Player::Person, Player::Engine(_)] => Some(Color::White),
            [Player::Engine(_), Player::Person] => Some(Color::Black),
            _ => None,
        }
    }

    /// The engine to move, if any: at the end of the line, unless the game is paused.
    pub(crate) fn engine_to_move(&self) -> Option<&EnginePlayer> {
        let stm = self.tree.board().side_to_move();
        let may_move = !self.is_paused || self.is_stepping;
        match &self.players[stm.index()] {
            Player::Engine(engine) if may_move && self.tree.is_at_end() => Some(engine),
            _ => None,
        }
    }

    /// The clocks now, in a game with clocks: the running one with the time since it was started.
    pub(crate) fn times(&self) -> Option<Times> {
        let mut times = self.tree.times()?.clone();
        if let Some(since) = self.running {
            times.spend(since.elapsed(), self.tree.board().side_to_move());
        }
        Some(times)
    }

    /// Stops the clock, and deducts the time since it was started.
    pub(crate) fn stop_clock(&mut self) {
        *self.tree.times_mut() = self.times();
        self.running = None;
    }

    /// Starts the clock of the side to move, if it has to run: at the end of the line, after the first move.
    /// Returns when it will run out.
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

    /// The time left for White and Black, in a game with clocks.
    fn time_left(&self) -> Option<[Duration; 2]> {
        Some(self.times()?.left(self.tree.board().side_to_move()))
    }

    /// The clocks as input of a search.
    fn clocks(&self) -> [Option<Clock>; 2] {
        let (Some(left), Some(control)) = (self.time_left(), self.control) else { return [None; 2] };
        left.map(|remaining| Some(Clock { remaining, increment: control.increment }))
    }

    /// The search to run, by priority: an engine's move, a question, the review, the analysis.
    pub(crate) fn next_job(&mut self) -> Option<Job> {
        let current = self.tree.current();
        self.question = self.question.take().filter(|(node, _)| *node == current);
        let is_over = self.tree.end().is_some();
        self.tree.store_end();
        let next = self.tree.first_unreviewed();
        let (node, purpose, by, options) = if let Some(engine) = self.engine_to_move().filter(|_| !is_over) {
            let options = match engine {
                EnginePlayer::Level(level) => level.options.clone(),
                EnginePlayer::Named(_) => Vec::new(),
            };
            (current, Purpose::Move(engine.clone()), engine.name().to_owned(), options)
        } else if let Some((node, question)) = self.question.clone().filter(|_| !is_over) {
            let reviewer = self.reviewer.clone().filter(|_| matches!(question, Question::Try(_)));
            let (by, options) = reviewer.map_or_else(Default::default, |own| (own.name, own.options));
            (node, Purpose::Answer(question), by, options)
        } else if let Some((node, Analyst { name, options })) =
            next.zip(self.reviewer.clone()).filter(|_| self.is_reviewing)
        {
            (node, Purpose::Review, name, options)
        } else if self.analysis.is_on && self.analysis.done != Some(current) && !is_over {
            (current, Purpose::Analysis, self.analysis.analyst.name.clone(), self.analysis.options())
        } else {
            self.is_reviewing = false;
            return None;
        };
        self.is_reviewing &= next.is_some();
        let game = match purpose {
            Purpose::Answer(Question::Threat) => self.tree.after_null_move().ok()?,
            _ => self.tree.moves_to(node),
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

    /// The increments of White and Black.
    fn increments(&self) -> [Duration; 2] {
        Color::BOTH.map(|player| {
            let control = self.control.or_else(|| self.header.control(player));
            control.map_or(Duration::ZERO, |control| control.increment)
        })
    }

    /// The game as PGN, with the review if `is_annotated`.
    pub(crate) fn to_record(&self, is_annotated: bool) -> Result<PgnGame, GameError> {
        let control = self.control.map_or(String::new(), |control| control.to_string());
        let here = self.players.each_ref().map(|player| PlayerTags {
            name: player.name().to_owned(),
            time_control: control.clone(),
            ..PlayerTags::default()
        });
        self.tree.to_record(&self.header, here, is_annotated)
    }

    /// The end of the mainline, if the game is over.
    fn mainline_end(&self) -> Option<&End> {
        let last = self.tree.mainline().last().copied().unwrap_or(ROOT);
        self.tree.nodes[last].end.as_ref()
    }

    /// Whether the game is over, regardless of the current node.
    pub(crate) fn is_over(&self) -> bool {
        self.mainline_end().is_some()
    }

    /// The result of the mainline.
    fn result(&self) -> &'static str {
        let by_record = || self.header.end().map(|end| end.winner);
        result_text(self.mainline_end().map(|end| end.winner).or_else(by_record))
    }

    /// The message about the game.
    pub(crate) fn to_json(&self) -> String {
        let State { number, tree, players, analysis, .. } = self;
        let end = tree.end();
        let judgements = tree.judgements();
        // Players in seats get no help from what an engine thinks.
        let shows_evals = self.seats.is_none() || self.is_over();
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
            comment: tree.nodes[ROOT].annotations.text(),
            line: tree.line_moves(&judgements, shows_evals),
            review: self.reviewer.as_ref().map(|analyst| tree.review_state(&analyst.name, judgements)),
            node: tree.current(),
            ply: tree.ply(),
            last: tree.last_move(),
            fen: tree.board().fen(),
            side_to_move: tree.board().side_to_move().into(),
            moves: if end.is_some() { Vec::new() } else { tree.board().legal_moves() },
            end: end.map(|end| EndText { winner: end.winner.map(Color::into), text: end.text }),
            clock,
            start_eval: tree.eval(ROOT).filter(|_| shows_evals),
            opening: tree
                .opening(tree.current())
                .map(|NamedOpening { code, name }| OpeningText { code, name }),
            explorer: self.explorer.as_ref().map(|explorer| explorer.state(tree.board())),
            answer: self.answer.as_ref().filter(|answer| answer.node == tree.current()),
            problem: self.problem.as_deref(),
            seats: self.seats.as_ref().map(Seats::presence),
            draw_offer: self.draw_offer.map(Color::into),
            rematch: self.rematch.map(Color::into),
        };
        Message::Game(&state).to_json()
    }
}
