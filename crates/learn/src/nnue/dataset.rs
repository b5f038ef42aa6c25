//! Positions to learn from, with sparse inputs.

use std::ops::{AddAssign, Range};
use std::sync::Arc;

use super::games::{GamesHeader, GamesProblem, PlayedGame, PlayedPosition, start_of};
use super::scale::expected;
use labrys_core::game::{Color, InputRows, Knowledge, Perspective, Wdl, each_input};

/// The quiet positions of games: those not in check in which no tactical move was played and no mate was found.
/// In other positions the static evaluation differs from the search score.
#[derive(Clone, Debug)]
pub struct Dataset<G> {
    /// A position on the board of all games.
    board: G,
    rows: Arc<InputRows>,
    /// The inputs of all positions.
    inputs: Vec<u16>,
    positions: Vec<Position>,
    /// The scores of all plies of the games, for the side to move, in units of the evaluation.
    scores: Vec<f32>,
    /// The side to move at each ply: players need not alternate.
    sides: Vec<Color>,
    games: Vec<GameEnd>,
}

/// Where a game ends.
#[derive(Clone, Copy, Debug)]
struct GameEnd {
    /// End of its positions.
    positions: usize,
    /// End of its scores.
    scores: usize,
}

/// A position.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// End of its inputs.
    end: usize,
    /// Index of its score.
    score: usize,
    result: Wdl,
    /// The perspectives of the side to move and of its opponent.
    perspectives: [Perspective; 2],
    /// Index of the output.
    output: u8,
}

/// A position as a net learns from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Example {
    /// The input rows from the perspective of the side to move, then from that of its opponent.
    pub inputs: [Vec<u32>; 2],
    /// Index of the output.
    pub output: usize,
    /// The target of the expected result, from 0 to 1.
    pub target: f32,
}

/// How the target of a position is made from search scores and the result of its game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The weight of the scores, from 0 to 1; the rest is that of the result.
    pub blend: f64,
    /// λ, from 0 to 1: the weight of the later scores of a game, as in TD(λ).
    pub lambda: f64,
    /// Units of the evaluation that make 1 on the logistic scale.
    pub unit: f64,
}

/// Counts of the positions read, and of those left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games.
    pub games: u64,
    /// Games that White won, that were drawn and that Black won.
    pub results: [u64; 3],
    /// Plies of random openings.
    pub opening: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Left out: positions in check.
    pub in_check: u64,
    /// Left out: positions not in check whose move was tactical.
    pub tactical: u64,
    /// Left out: other positions with a mate score.
    pub mates: u64,
}

impl Counts {
    /// The number of quiet positions.
    pub fn quiet(&self) -> u64 {
        self.positions - self.in_check - self.tactical - self.mates
    }

    /// Adds a game; `visit` is called with each position, and whether it is quiet.
    ///
    /// # Errors
    /// The ply and the text of the first move that is not legal.
    pub fn add<G: Knowledge>(
        &mut self,
        start: &G,
        game: &PlayedGame<G::Move>,
        mut visit: impl FnMut(PlayedPosition<G>, bool),
    ) -> Result<(), (usize, String)> {
        self.games += 1;
        self.results[2 - game.result as usize] += 1;
        self.opening += game.opening.len() as u64;
        game.replay(start, |played: PlayedPosition<G>| {
            let quiet = self.quiet();
            if played.position.in_check() {
                self.in_check += 1;
            } else if played.position.is_tactical(played.mv) {
                self.tactical += 1;
            } else if played.score.mate_distance().is_some() {
                self.mates += 1;
            }
            self.positions += 1;
            visit(played, self.quiet() > quiet);
        })
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        let Counts { games, results, opening, positions, in_check, tactical, mates } = other;
        self.games += games;
        self.results.iter_mut().zip(results).for_each(|(sum, count)| *sum += count);
        self.opening += opening;
        self.positions += positions;
        self.in_check += in_check;
        self.tactical += tactical;
        self.mates += mates;
    }
}

impl<G: Knowledge> Dataset<G> {
    /// An empty data set, for games on the board of `board` and a net with `buckets` buckets.
    pub fn new(board: G, buckets: u8) -> Dataset<G> {
        let rows = Arc::new(InputRows::new::<G>(board.input_shape(), buckets));
        Dataset::with_rows(board, rows)
    }

    /// An empty data set for the same board and net.
    pub fn new_like(&self) -> Dataset<G> {
        Dataset::with_rows(self.board.clone(), self.rows.clone())
    }

    fn with_rows(board: G, rows: Arc<InputRows>) -> Dataset<G> {
        let (inputs, positions, games) = (Vec::new(), Vec::new(), Vec::new());
        Dataset { board, rows, inputs, positions, scores: Vec::new(), sides: Vec::new(), games }
    }

    /// Adds the quiet positions of games, for a net with `outputs` outputs.
    ///
    /// # Errors
    /// [`GamesProblem::Move`] names the first move that is not legal, or a start position on another board.
    pub fn add(
        &mut self,
        header: &GamesHeader,
        games: &[PlayedGame<G::Move>],
        outputs: usize,
        counts: &mut Counts,
    ) -> Result<(), GamesProblem> {
        let start: G = start_of(header)?;
        if start.input_shape() != self.board.input_shape() {
            return Err(GamesProblem::Other {
                name: "start",
                found: header.start.clone(),
                expected: self.board.fen(),
            });
        }
        for (game, number) in games.iter().zip(1..) {
            let scores = self.scores.len();
            counts
                .add(&start, game, |played, is_quiet| {
                    self.scores.push(played.score.to_thousandths() as f32 / 1000.0);
                    self.sides.push(played.position.side_to_move());
                    if is_quiet {
                        self.push(&played, scores + played.ply, outputs);
                    }
                })
                .map_err(|(ply, text)| GamesProblem::Move { number, ply, text })?;
            self.games.push(GameEnd { positions: self.positions.len(), scores: self.scores.len() });
        }
        Ok(())
    }

    fn push(&mut self, played: &PlayedPosition<G>, score: usize, outputs: usize) {
        let PlayedPosition { position, result, .. } = played;
        each_input(position.input_planes(), |input| self.inputs.push(input));
        let us = position.side_to_move();
        self.positions.push(Position {
            end: self.inputs.len(),
            score,
            result: *result,
            perspectives: [us, !us].map(|player| position.perspective(player)),
            output: position.output_bucket(outputs) as u8,
        });
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The number of games.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// The positions of a game.
    pub fn of_game(&self, game: usize) -> Range<usize> {
        let begin = if game == 0 { 0 } else { self.games[game - 1].positions };
        begin..self.games[game].positions
    }

    /// The board of the positions.
    pub fn board(&self) -> &G {
        &self.board
    }

    /// The score of a position for the side to move, in units of the evaluation, and the result of its game.
    pub fn labels(&self, number: usize) -> (f64, Wdl) {
        let Position { score, result, .. } = self.positions[number];
        (self.scores[score].into(), result)
    }

    /// The targets of all positions: expected results from 0 to 1.
    ///
    /// The search scores of a game enter a target as the λ-return of TD(λ) (Sutton 1988): `1 - λ` times the
    /// expected result of the position's own score, plus λ times the return of the next position from the same
    /// side's point of view. The return of the last position is the result of the game. So later scores, which
    /// see further ahead, are taken into account, and noise in the scores is averaged out (matches:
    /// `experiments/README.md`, generations of nets).
    pub fn targets(&self, target: &Target) -> Vec<f32> {
        let Target { blend, lambda, unit } = *target;
        let mut targets = vec![0.0; self.len()];
        for (game, GameEnd { scores: mut end, .. }) in self.games.iter().copied().enumerate() {
            let positions = &self.positions[self.of_game(game)];
            let Some(&Position { result, perspectives, .. }) = positions.last() else { continue };
            // The return of the next position, from the point of view of `player`.
            let (mut later, mut player) = (result.value(), perspectives[0].player);
            for (position, target) in positions.iter().zip(&mut targets[self.of_game(game)]).rev() {
                for ply in (position.score..end).rev() {
                    if player != self.sides[ply] {
                        (later, player) = (1.0 - later, self.sides[ply]);
                    }
                    later = (1.0 - lambda) * expected(self.scores[ply].into(), unit) + lambda * later;
                }
                end = position.score;
                *target = (blend * later + (1.0 - blend) * position.result.value()) as f32;
            }
        }
        targets
    }

    /// Adds the games of another data set for the same board and buckets.
    pub fn append(&mut self, mut other: Dataset<G>) {
        let [inputs, positions, scores] = [self.inputs.len(), self.positions.len(), self.scores.len()];
        self.inputs.append(&mut other.inputs);
        self.positions.extend(other.positions.into_iter().map(|position| Position {
            end: inputs + position.end,
            score: scores + position.score,
            ..position
        }));
        self.scores.append(&mut other.scores);
        self.sides.append(&mut other.sides);
        self.games.extend(
            other
                .games
                .into_iter()
                .map(|game| GameEnd { positions: positions + game.positions, scores: scores + game.scores }),
        );
    }

    /// The largest number of inputs of a position.
    pub fn max_inputs(&self) -> usize {
        (0..self.len()).map(|number| self.range(number).len()).max().unwrap_or(0)
    }

    fn range(&self, number: usize) -> Range<usize> {
        let begin = if number == 0 { 0 } else { self.positions[number - 1].end };
        begin..self.positions[number].end
    }

    /// Writes position `number` and its [target](Dataset::targets) into `example`. `mirrored` mirrors it, if the
    /// game has that symmetry.
    pub fn get(&self, number: usize, mirrored: bool, targets: &[f32], example: &mut Example) {
        let Position { perspectives, output, .. } = self.positions[number];
        let mirrored = mirrored && G::MIRRORS;
        for (inputs, perspective) in example.inputs.iter_mut().zip(perspectives) {
            let perspective = Perspective { mirrored: perspective.mirrored != mirrored, ..perspective };
            let rows = self.rows.of(perspective);
            inputs.clear();
            let seen = self.inputs[self.range(number)].iter();
            inputs.extend(seen.map(|&input| u32::from(rows[usize::from(input)])));
        }
        example.output = output.into();
        example.target = targets[number];
    }
}

/// The expected result of an output.
pub(super) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_core::game::Game;
    use labrys_core::game::chess::Chess;

    #[test]
    fn a_player_may_move_twice() {
        let start = Chess::start();
        let mut dataset = Dataset::new(start.clone(), 1);
        let perspectives = [Color::White, Color::Black].map(|player| start.perspective(player));
        dataset.positions.push(Position { end: 0, score: 0, result: Wdl::Win, perspectives, output: 0 });
        dataset.scores = vec![1.0, 2.0, -3.0];
        dataset.sides = vec![Color::White, Color::White, Color::Black];
        dataset.games.push(GameEnd { positions: 1, scores: 3 });
        let target = Target { blend: 1.0, lambda: 0.5, unit: 1.0 };
        let value = |score| expected(score, 1.0);
        let sum = 0.5 * value(1.0) + 0.25 * value(2.0) + 0.125 * value(3.0) + 0.125;
        assert!((f64::from(dataset.targets(&target)[0]) - sum).abs() < 1e-6);
    }
}
