//! SPSA, simultaneous perturbation stochastic approximation (J. C. Spall, "Multivariate stochastic
//! approximation using a simultaneous perturbation gradient approximation", 1992), in the variant that
//! fishtest uses to tune engines.
//!
//! Each iteration perturbs all values at once by a small step up or down, chosen by a coin toss, and plays the
//! values on one side of the current ones against those on the other. All values then move towards the winning
//! side. Values that do not matter perform a random walk, those that do drift, and the number of games needed
//! does not grow with the number of values.

mod report;

use std::array;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use super::run_folder::{JsonState, RunState};
use labrys_core::game::mixed;

/// How fast the gain falls over the iterations, as Spall recommends.
const ALPHA: f64 = 0.602;

/// How fast the perturbation falls over the iterations, as Spall recommends.
const GAMMA: f64 = 0.101;

/// The stability constant A, which dampens the first gains, as a fraction of all iterations.
const STABILITY: f64 = 0.1;

/// Maximum number of points of the curve after the start.
const POINTS: u64 = 1000;

/// A value to tune. Games are played with integers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value at the start, from `min` to `max`.
    pub start: f64,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
    /// The perturbation in the last iteration, above 0.
    pub c_end: f64,
    /// The gain in the last iteration, as a fraction of the squared perturbation; above 0.
    pub r_end: f64,
}

/// The settings of a tuning.
#[derive(Clone, Debug)]
pub struct Spsa {
    /// The values to tune.
    pub parameters: Vec<Parameter>,
    /// The total number of iterations.
    pub iterations: u64,
    /// The seed of the perturbations.
    pub seed: u64,
}

/// The state of a tuning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpsaState {
    /// Finished iterations.
    pub iteration: u64,
    /// The values, in the order of the parameters.
    pub values: Vec<f64>,
    /// Games lost, drawn and won by the side θ⁺.
    pub games: [u64; 3],
    /// The values over time: at the start, and at most a thousand points after it.
    pub curve: Vec<SpsaPoint>,
}

/// The values after an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpsaPoint {
    /// Finished iterations.
    pub iteration: u64,
    /// The values, in the order of the parameters.
    pub values: Vec<f64>,
}

impl RunState for SpsaState {
    const FILE: &'static str = "spsa.json";
    const RESULTS: &'static [&'static str] = &["spsa.csv"];

    fn argument(name: &str) -> String {
        format!("--{name}")
    }
}

impl JsonState for SpsaState {
    const VERSION: u32 = 1;
}

/// The values that one side plays with, in the order of the parameters.
pub type Side = Vec<i64>;

/// A perturbation of all values, and the two sides, in opposite directions from the current values.
struct Perturbation {
    /// The signed step of each value.
    steps: Vec<f64>,
    /// θ⁺ and θ⁻, rounded and clamped to the ranges.
    sides: [Side; 2],
}

impl Spsa {
    /// The state before the first iteration.
    pub fn start(&self) -> SpsaState {
        let values: Vec<_> = self.parameters.iter().map(|parameter| parameter.start).collect();
        let curve = vec![SpsaPoint { iteration: 0, values: values.clone() }];
        SpsaState { iteration: 0, values, games: [0; 3], curve }
    }

    /// Runs the remaining iterations. `play` gets the number of the iteration, from 0, and the values of θ⁺ and
    /// θ⁻; it plays them against each other and returns the games that θ⁺ lost, drew and won, or `None` to stop
    /// the run before this iteration. `each` is called with the state after each iteration.
    ///
    /// Perturbations depend only on the seed and the number of the iteration, so that stopping and resuming
    /// does not change the result.
    ///
    /// # Errors
    /// The first error of `play` or `each`; the state is that after the last finished iteration.
    pub fn run<E>(
        &self,
        state: &mut SpsaState,
        mut play: impl FnMut(u64, &[Side; 2]) -> Result<Option<[u64; 3]>, E>,
        mut each: impl FnMut(&SpsaState) -> Result<(), E>,
    ) -> Result<(), E> {
        while state.iteration < self.iterations {
            let perturbation = self.perturb(state);
            let Some(games) = play(state.iteration, &perturbation.sides)? else { break };
            self.update(state, &perturbation, games);
            each(state)?;
        }
        Ok(())
    }

    /// The values of θ⁺ and of θ⁻ in the next iteration.
    pub fn sides(&self, state: &SpsaState) -> [Side; 2] {
        self.perturb(state).sides
    }

    /// The perturbation of the next iteration.
    fn perturb(&self, state: &SpsaState) -> Perturbation {
        let mut random = StdRng::seed_from_u64(mixed(self.seed ^ mixed(state.iteration)));
        let growth = (self.iterations as f64 / (state.iteration + 1) as f64).powf(GAMMA);
        let mut perturbation = Perturbation { steps: Vec::new(), sides: [Vec::new(), Vec::new()] };
        for (parameter, value) in self.parameters.iter().zip(&state.values) {
            let step = parameter.c_end * growth * if random.random() { 1.0 } else { -1.0 };
            // Stochastic rounding: even the smallest step has an effect on average. Both sides use the same
            // threshold, which preserves the distance between them.
            let threshold: f64 = random.random();
            let round = |value: f64| (value.clamp(parameter.min, parameter.max) + threshold).floor() as i64;
            perturbation.steps.push(step);
            for (side, value) in perturbation.sides.iter_mut().zip([value + step, value - step]) {
                side.push(round(value));
            }
        }
        perturbation
    }

    /// Moves the values towards the winning side.
    fn update(&self, state: &mut SpsaState, perturbation: &Perturbation, games: [u64; 3]) {
        let [lost, _, won] = games.map(|count| count as f64);
        let (all, stability) = (self.iterations as f64, STABILITY * self.iterations as f64);
        let growth = ((stability + all) / (stability + (state.iteration + 1) as f64)).powf(ALPHA);
        let values = state.values.iter_mut().zip(&perturbation.steps);
        for (parameter, (value, step)) in self.parameters.iter().zip(values) {
            let gain = parameter.r_end * parameter.c_end.powi(2) * growth;
            *value = (*value + gain / step * (won - lost)).clamp(parameter.min, parameter.max);
        }
        state.games = array::from_fn(|index| state.games[index] + games[index]);
        state.iteration += 1;
        if state.iteration.is_multiple_of(self.iterations.div_ceil(POINTS))
            || state.iteration == self.iterations
        {
            let values = state.values.clone();
            state.curve.push(SpsaPoint { iteration: state.iteration, values });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parameters whose best values are far from the start, in ranges of different sizes, and one that
    /// does not matter.
    fn spsa() -> Spsa {
        let parameter = |name: &str, start, max, c_end| Parameter {
            name: name.to_owned(),
            start,
            min: 0.0,
            max,
            c_end,
            r_end: 0.02,
        };
        let parameters = vec![parameter("wide", 800.0, 1000.0, 50.0), parameter("narrow", 2.0, 20.0, 1.0)];
        Spsa { parameters, iterations: 3000, seed: 1 }
    }

    const BEST: [f64; 2] = [300.0, 12.0];

    /// A pair of games: each side is the stronger, the nearer it is to the best values, and wins by chance.
    fn play(iteration: u64, sides: &[Vec<i64>; 2]) -> [u64; 3] {
        let mut random = StdRng::seed_from_u64(iteration);
        let elo = |side: &Vec<i64>| -> f64 {
            let ends = [1000.0, 20.0];
            let away =
                side.iter().zip(BEST).zip(ends).map(|((&value, best), end)| (value as f64 - best) / end);
            -600.0 * away.map(|away| away * away).sum::<f64>()
        };
        let score = labrys_support::elo::score_of_elo(elo(&sides[0]) - elo(&sides[1]));
        let mut games = [0; 3];
        (0..2).for_each(|_| games[if random.random::<f64>() < score { 2 } else { 0 }] += 1);
        games
    }

    /// Runs until the end, or to an iteration.
    fn run(spsa: &Spsa, state: &mut SpsaState, end: u64) {
        let play = |iteration, sides: &_| Ok::<_, ()>((iteration < end).then(|| play(iteration, sides)));
        spsa.run(state, play, |_| Ok(())).unwrap();
    }

    #[test]
    fn a_noisy_optimum_is_found() {
        let spsa = spsa();
        for seed in 1..=5 {
            let spsa = Spsa { seed, ..spsa.clone() };
            let mut state = spsa.start();
            run(&spsa, &mut state, u64::MAX);
            let away = [(state.values[0] - BEST[0]) / 1000.0, (state.values[1] - BEST[1]) / 20.0];
            assert!(away.iter().all(|away| away.abs() < 0.12), "seed {seed}: {:?}", state.values);
            assert_eq!((state.iteration, state.games.iter().sum::<u64>()), (3000, 6000));
            assert_eq!(state.curve.last().unwrap().values, state.values);
        }
    }

    #[test]
    fn interruptions_do_not_change_the_result() {
        let spsa = Spsa { iterations: 2500, ..spsa() };
        let (mut whole, mut parts) = (spsa.start(), spsa.start());
        run(&spsa, &mut whole, u64::MAX);
        for end in [0, 1, 700, 1501, u64::MAX] {
            run(&spsa, &mut parts, end);
            assert_eq!(parts.iteration, end.min(2500));
            parts = serde_json::from_str(&serde_json::to_string(&parts).unwrap()).unwrap();
        }
        assert_eq!(parts, whole);
        assert!(whole.curve.len() as u64 <= POINTS + 1);
        let mut other = spsa.start();
        run(&Spsa { seed: 2, ..spsa }, &mut other, u64::MAX);
        assert_ne!(other, whole);
    }

    #[test]
    fn an_error_leaves_the_last_finished_iteration() {
        let spsa = spsa();
        let (mut state, mut expected) = (spsa.start(), spsa.start());
        let fails =
            |iteration, sides: &_| if iteration < 3 { Ok(Some(play(iteration, sides))) } else { Err("x") };
        assert_eq!(spsa.run(&mut state, fails, |_| Ok(())), Err("x"));
        run(&spsa, &mut expected, 3);
        assert_eq!(state, expected);
    }

    #[test]
    fn gains_and_perturbations_are_those_of_fishtest() {
        let spsa = spsa();
        let mut state = SpsaState { iteration: 2999, ..spsa.start() };
        let last = spsa.perturb(&state);
        assert_eq!(last.steps.iter().map(|step| step.abs()).collect::<Vec<_>>(), [50.0, 1.0]);
        let signs: Vec<_> = last.steps.iter().map(|step| step.signum()).collect();
        // At the end c = c_end and a = r_end c_end²: the value moves by r_end c_end for each game.
        spsa.update(&mut state, &last, [0, 1, 1]);
        let moved: Vec<_> =
            state.values.iter().zip([800.0, 2.0]).map(|(value, start)| value - start).collect();
        assert!((moved[0] - signs[0]).abs() < 1e-9 && (moved[1] - 0.02 * signs[1]).abs() < 1e-9, "{moved:?}");
        // The first perturbation is 3000^0.101 times the last one.
        let first = spsa.perturb(&spsa.start());
        assert!((first.steps[0].abs() / 50.0 - 2.245).abs() < 1e-3, "{:?}", first.steps);
    }

    #[test]
    fn games_are_played_with_whole_numbers_in_range() {
        let mut spsa = spsa();
        spsa.parameters[1] = Parameter { start: 19.75, c_end: 0.25, ..spsa.parameters[1].clone() };
        let (mut sum, state) = (0, spsa.start());
        for iteration in 0..2000 {
            let sides = spsa.perturb(&SpsaState { iteration, ..state.clone() }).sides;
            assert!(sides.iter().all(|side| (0..=1000).contains(&side[0]) && (0..=20).contains(&side[1])));
            sum += sides[0][1] + sides[1][1];
        }
        // About half of the steps upwards are clamped.
        let mean = sum as f64 / 4000.0;
        assert!((19.4..19.75).contains(&mean), "{mean}");
    }
}
