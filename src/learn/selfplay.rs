//! One game, and what there is to learn from it.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::Step;
use super::learner::Sparse;
use crate::engine::{BestMove, Engine, Observation, SearchListener, SearchReport};
use crate::game::{Color, mixed};
use crate::search::{Control, Limits};

/// Players and searches choose among legal moves.
const LEGAL: &str = "a legal move";

/// How long a move is thought about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// To a depth in plies.
    Depth(u32),
    /// For so many nodes.
    Nodes(u64),
}

impl Thinking {
    fn limits(self) -> Limits {
        match self {
            Thinking::Depth(plies) => Limits::depth(plies),
            Thinking::Nodes(nodes) => Limits::nodes(nodes),
        }
    }
}

/// Somebody who plays.
pub struct Player {
    /// Its engine.
    pub engine: Box<dyn Engine>,
    /// How long it thinks.
    pub thinking: Thinking,
}

/// How a game is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// What all that is left to chance depends on.
    pub seed: u64,
    /// What the first moves depend on, so that two games may begin alike.
    pub opening_seed: u64,
    /// Random moves that the game begins with.
    pub opening_plies: usize,
    /// The colour of the first player.
    pub first: Color,
    /// How likely the second player plays any move.
    pub exploration: f64,
}

/// What stands for a position in which a player has thought about its move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// The position itself.
    Root,
    /// The end of the line that the search expects.
    Leaf,
}

/// What is taken down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// Whether the second player sees something, too, which then goes by the same features.
    pub both: bool,
    /// What stands for a position.
    pub sight: Sight,
    /// Whether the next position is the one after our move and the reply that our search expects, as if the opponent were as
    /// good as we are, and free to play anything (Neighbours thesis §4.3 (a)); else it is the real one (b).
    pub predicted: bool,
    /// The reward of a win, in the unit of the evaluation; a loss brings as much less than nothing.
    pub reward: f64,
}

/// A game that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// The result for the first player: 1, ½ or 0.
    pub result: f64,
    /// What has been seen, where that was asked for, in sequences of steps without a gap: first that of the first player,
    /// then those of the second.
    pub episodes: Vec<Vec<Step>>,
}

/// Plays a game to its end; nothing if `control` stops it.
pub fn play(
    mut players: [&mut Player; 2],
    conditions: &Conditions,
    record: Option<&Record>,
    control: &Control,
) -> Option<Game> {
    let mut random = StdRng::seed_from_u64(conditions.seed);
    let mut openings = StdRng::seed_from_u64(conditions.opening_seed);
    for (player, number) in players.iter_mut().zip(1..) {
        player.engine.board_mut().set_up(None, &[]).expect("the start position is always there");
        player.engine.new_game();
        let seed = mixed(conditions.seed ^ number) >> 1;
        player.engine.set_option("Seed", &seed.to_string()).expect("63 bits are a seed");
    }
    let mut episodes = [vec![Vec::new()], vec![Vec::new()]];
    let mut last = [None, None];
    let mut plies = 0;
    let winner = loop {
        let board = players[0].engine.board();
        if let Some(outcome) = board.outcome() {
            break outcome.winner;
        }
        if board.longest_game().is_some_and(|longest| plies >= longest) {
            break board.leader();
        }
        let color = board.side_to_move();
        let seat = usize::from(color != conditions.first);
        let mv = if (plies as usize) < conditions.opening_plies {
            any(&board.legal_moves(), &mut openings)
        } else if seat == 1 && random.random_bool(conditions.exploration) {
            // Nobody learns from what comes of any move.
            if last[seat].take().is_some() {
                episodes[seat].push(Vec::new());
            }
            any(&board.legal_moves(), &mut random)
        } else {
            let player = &mut players[seat];
            let mut line = Line::default();
            let limits = player.thinking.limits();
            let best = player.engine.search(&[], &limits, control, &mut line).expect(LEGAL);
            if control.is_stopped() {
                return None;
            }
            if let Some(record) = record.filter(|record| seat == 0 || record.both) {
                let seen = Seen::of(player.engine.as_ref(), &best, &line.0, color, record);
                let next = seen.here.clone();
                if let Some(last) = last[seat].replace(seen) {
                    add(&mut episodes[seat], last.step(next));
                }
            }
            best.best.expect("a game that is not over goes on")
        };
        let mut draw = || random.random();
        let mv = players[0].engine.board().sample(&mv, &mut draw).expect(LEGAL);
        for player in players.iter_mut() {
            player.engine.board_mut().play(&mv).expect(LEGAL);
        }
        plies += 1;
    };
    for ((last, episodes), color) in
        last.into_iter().zip(&mut episodes).zip([conditions.first, !conditions.first])
    {
        if let (Some(record), Some(last)) = (record, last) {
            let end = Seeing::End(record.worth(result(winner, color)));
            add(episodes, Seen { predicted: None, ..last }.step(end));
        }
    }
    Some(Game { result: result(winner, conditions.first), episodes: episodes.concat() })
}

/// Adds a step, if there is one, to the last episode.
fn add(episodes: &mut [Vec<Step>], step: Option<Step>) {
    if let Some(episode) = episodes.last_mut() {
        episode.extend(step);
    }
}

/// 1, ½ or 0.
fn result(winner: Option<Color>, player: Color) -> f64 {
    winner.map_or(0.5, |winner| f64::from(u8::from(winner == player)))
}

/// Any of some moves.
fn any(moves: &[String], random: &mut StdRng) -> String {
    moves[random.random_range(0..moves.len())].clone()
}

/// The last line that a search has found.
#[derive(Default)]
struct Line(Vec<String>);

impl SearchListener for Line {
    fn line(&mut self, report: &SearchReport) {
        if report.multipv == 1 {
            self.0.clone_from(&report.pv);
        }
    }
}

impl Record {
    /// The reward of a result.
    fn worth(&self, result: f64) -> f64 {
        (2.0 * result - 1.0) * self.reward
    }

    /// What a player sees in a position.
    fn see(&self, view: Observation, player: Color) -> Seeing {
        match view.outcome {
            Some(outcome) => Seeing::End(self.worth(result(outcome.winner, player))),
            // What is good for the other is bad for the player: the evaluation of the one is minus that of the other.
            None if view.stm != player => {
                Seeing::Features(view.features.into_iter().map(|(index, value)| (index, -value)).collect())
            }
            None => Seeing::Features(view.features),
        }
    }
}

/// What stands for a position: its features, or the reward if it is over.
#[derive(Clone)]
enum Seeing {
    Features(Sparse),
    End(f64),
}

/// A position in which a player has thought about its move.
struct Seen {
    here: Seeing,
    /// What it expects to see next.
    predicted: Option<Seeing>,
}

impl Seen {
    fn of(engine: &dyn Engine, best: &BestMove, line: &[String], player: Color, record: &Record) -> Seen {
        let see = |moves: &[String]| record.see(engine.observation_after(moves).expect(LEGAL), player);
        let here = match record.sight {
            Sight::Root => see(&[]),
            Sight::Leaf => see(line),
        };
        let predicted = match (&best.best, &best.ponder) {
            (Some(best), Some(reply)) if record.predicted => Some(see(&[best.clone(), reply.clone()])),
            _ => None,
        };
        Seen { here, predicted }
    }

    /// The step to what was expected, or else to what has come. None from a position whose end is known: there is nothing
    /// to learn about it.
    fn step(self, real: Seeing) -> Option<Step> {
        let Seeing::Features(features) = self.here else { return None };
        Some(match self.predicted.unwrap_or(real) {
            Seeing::Features(next) => Step { features, reward: 0.0, next: Some(next) },
            Seeing::End(reward) => Step { features, reward, next: None },
        })
    }
}
