//! The options of all games that change nothing but the [`Settings`], by subject.

#[cfg(feature = "tuning")]
use super::OptionGroup::Tuning;
use super::OptionGroup::{Evaluation, General, MonteCarlo, Search, SelectiveDeepening};
use super::row::{Row, RowKind};
use super::{EvaluationKind, MAX_SKILL, MAX_THREADS, Settings};
use crate::eval::MAX_PLY;
use crate::game::Strength;
#[cfg(feature = "tuning")]
use crate::search::Constants;
use crate::search::{Expansion, FinalMove, Method, NoiseAt, RootSelection, SearchMode, Selection};

/// The options. `strengths` are those of the game, see
/// [`GameInfo::strengths`](crate::game::GameInfo::strengths).
pub(in super::super) fn settings_rows(strengths: &[Strength]) -> Vec<Row<Settings>> {
    let lists = [
        general(),
        strength(strengths),
        evaluation(),
        search(),
        selective_deepening(),
        monte_carlo(),
        tuning(),
    ];
    lists.into_iter().flatten().collect()
}

/// A number in the settings.
trait Number {
    fn to_option(self) -> i64;
    fn from_option(value: i64) -> Self;
}

macro_rules! number {
    ($($number:ty),+) => {$(
        // The range of the row keeps the value within the type.
        impl Number for $number {
            fn to_option(self) -> i64 {
                self as i64
            }

            fn from_option(value: i64) -> Self {
                value as Self
            }
        }
    )+};
}

number!(usize, u64, u32, i32);

/// −1 means none.
impl<N: Number> Number for Option<N> {
    fn to_option(self) -> i64 {
        self.map_or(-1, N::to_option)
    }

    fn from_option(value: i64) -> Self {
        (value >= 0).then(|| N::from_option(value))
    }
}

// A row names its field of the settings, which is also the source of its default.

macro_rules! check {
    ($group:expr, $name:literal, $($place:ident).+) => {
        Row {
            name: $name,
            group: $group,
            kind: RowKind::Check {
                default: Settings::default().$($place).+,
                set: |settings: &mut Settings, on| settings.$($place).+ = on,
            },
            value: Box::new(|settings: &Settings| Some(settings.$($place).+.to_string())),
        }
    };
}

macro_rules! spin {
    ($group:expr, $name:literal, $($place:ident).+, $min:expr, $max:expr) => {
        Row {
            name: $name,
            group: $group,
            kind: RowKind::Spin {
                default: Settings::default().$($place).+.to_option(),
                min: $min,
                max: $max,
                set: Box::new(|settings: &mut Settings, value| {
                    settings.$($place).+ = Number::from_option(value);
                }),
            },
            value: Box::new(|settings: &Settings| Some(settings.$($place).+.to_option().to_string())),
        }
    };
}

macro_rules! combo {
    ($group:expr, $name:literal, $($place:ident).+, $($word:literal => $value:expr),+) => {
        Row {
            name: $name,
            group: $group,
            kind: RowKind::Combo {
                values: vec![$($word),+],
                description: None,
                default: [$($value),+]
                    .iter()
                    .position(|value| *value == Settings::default().$($place).+)
                    .unwrap_or(0),
                set: |settings: &mut Settings, index| {
                    settings.$($place).+ = [$($value),+][index];
                    Ok(Vec::new())
                },
            },
            value: Box::new(|settings: &Settings| {
                let index = [$($value),+].iter().position(|value| *value == settings.$($place).+)?;
                Some([$($word),+][index].to_owned())
            }),
        }
    };
}

/// What every user may want to set.
fn general() -> Vec<Row<Settings>> {
    vec![
        spin!(General, "Hash", hash, 1, 32_768),
        spin!(General, "Threads", threads, 1, MAX_THREADS as i64),
        spin!(General, "MultiPV", search.multi_pv, 1, 256),
        check!(General, "Ponder", ponder),
        spin!(General, "Move Overhead", move_overhead, 0, 5_000),
        spin!(General, "Seed", search.seed, 0, i64::MAX),
        check!(General, "UCI_ShowWDL", show_wdl),
        check!(General, "UCI_AnalyseMode", analyse_mode),
    ]
}

/// Limited strength, where strengths have been measured.
fn strength(strengths: &[Strength]) -> Vec<Row<Settings>> {
    let [first, .., last] = strengths else { return Vec::new() };
    let mut elo = spin!(General, "UCI_Elo", elo, first.elo.into(), last.elo.into());
    if let RowKind::Spin { default, min, max, .. } = &mut elo.kind {
        *default = (*default).clamp(*min, *max);
    }
    let skill_level = spin!(General, "Skill Level", skill_level, 0, MAX_SKILL.into());
    vec![check!(General, "UCI_LimitStrength", limit_strength), elo, skill_level]
}

/// The evaluation.
fn evaluation() -> Vec<Row<Settings>> {
    vec![combo!(Evaluation, "Evaluation", evaluation,
        "net" => EvaluationKind::Net,
        "linear" => EvaluationKind::Linear)]
}

/// The search by depth.
fn search() -> Vec<Row<Settings>> {
    vec![
        combo!(Search, "SearchMode", method,
            "pvs" => Method::Deepening(SearchMode::Pvs),
            "mtdf" => Method::Deepening(SearchMode::Mtdf),
            "alphabeta" => Method::Deepening(SearchMode::AlphaBeta),
            "minimax" => Method::Deepening(SearchMode::Minimax),
            "expectiminimax" => Method::Deepening(SearchMode::Expectiminimax),
            "mcts" => Method::MonteCarlo,
            "random" => Method::Random),
        check!(Search, "Selective", search.selective),
        check!(Search, "Iterative", search.iterative),
        spin!(Search, "Width", search.width, 0, 10_000),
        spin!(Search, "Candidates", search.candidates, 0, 10_000),
        spin!(Search, "CandidateSimulations", search.candidate_simulations, 1, 1_000_000_000),
        spin!(Search, "ChancePlies", search.chance_plies, 0, MAX_PLY as i64),
        check!(Search, "RulesOfThumb", rules_of_thumb),
    ]
}

/// Minimax selective deepening.
fn selective_deepening() -> Vec<Row<Settings>> {
    vec![
        spin!(SelectiveDeepening, "MsdKeepRate", search.msd.keep_rate, 1, 100),
        spin!(SelectiveDeepening, "MsdKeepFall", search.msd.keep_fall, 0, 99),
        spin!(SelectiveDeepening, "MsdVolatileKeepRate", search.msd.volatile_keep_rate, 1, 100),
        spin!(SelectiveDeepening, "MsdVolatilePlies", search.msd.volatile_plies, 0, 64),
        check!(SelectiveDeepening, "MsdRandomRoot", search.msd.random_root),
        check!(SelectiveDeepening, "MsdWin", search.msd.terms.win),
        check!(SelectiveDeepening, "MsdCapture", search.msd.terms.capture),
        check!(SelectiveDeepening, "MsdEscape", search.msd.terms.escape),
        check!(SelectiveDeepening, "MsdRepetition", search.msd.terms.repetition),
        check!(SelectiveDeepening, "MsdExposure", search.msd.terms.exposure),
        check!(SelectiveDeepening, "MsdSum", search.msd.terms.sum),
        spin!(SelectiveDeepening, "MsdCaptureWeight", search.msd.terms.capture_weight, -10_000, 10_000),
        spin!(SelectiveDeepening, "MsdEscapeWeight", search.msd.terms.escape_weight, -10_000, 10_000),
        spin!(SelectiveDeepening, "MsdExposureWeight", search.msd.terms.exposure_weight, -10_000, 10_000),
        spin!(SelectiveDeepening, "MsdTheta", search.msd.terms.theta, 0, 1_000),
        spin!(SelectiveDeepening, "MsdGamma", search.msd.terms.gamma, 0, 1_000),
        spin!(SelectiveDeepening, "MsdThetaEnd", search.msd.terms.theta_end, -1, 1_000),
        spin!(SelectiveDeepening, "MsdGammaEnd", search.msd.terms.gamma_end, -1, 1_000),
    ]
}

/// Monte Carlo tree search.
fn monte_carlo() -> Vec<Row<Settings>> {
    vec![
        combo!(MonteCarlo, "Selection", search.mcts.selection, "uct" => Selection::Uct, "puct" => Selection::Puct),
        spin!(MonteCarlo, "NetCache", net_cache, 0, 32_768),
        spin!(MonteCarlo, "Exploration", search.mcts.exploration, -1, 100_000),
        combo!(MonteCarlo, "Expansion", search.mcts.expansion,
            "auto" => None,
            "all" => Some(Expansion::All),
            "one" => Some(Expansion::One),
            "evaluated" => Some(Expansion::Evaluated)),
        spin!(MonteCarlo, "PlayoutPlies", search.mcts.playout_plies, -1, 1_000),
        spin!(MonteCarlo, "Epsilon", search.mcts.epsilon, 0, 100),
        combo!(MonteCarlo, "FinalMove", search.mcts.final_move,
            "visits" => FinalMove::Visits,
            "value" => FinalMove::Value,
            "uct" => FinalMove::Uct),
        check!(MonteCarlo, "KeepTree", search.mcts.keep_tree),
        check!(MonteCarlo, "ProveResults", search.mcts.prove),
        spin!(MonteCarlo, "BatchSize", search.mcts.batch, 1, 512),
        spin!(MonteCarlo, "Simulations", search.mcts.simulations, 0, 1_000_000_000),
        combo!(MonteCarlo, "RootSelection", search.mcts.root_selection,
            "puct" => RootSelection::Puct,
            "gumbel" => RootSelection::Gumbel),
        spin!(MonteCarlo, "GumbelActions", search.mcts.gumbel_actions, 1, 10_000),
        spin!(MonteCarlo, "GumbelNoise", search.mcts.gumbel_noise, 0, 1_000),
        combo!(MonteCarlo, "NoiseAt", search.mcts.noise_at, "root" => NoiseAt::Root, "leaves" => NoiseAt::Leaves),
        spin!(MonteCarlo, "DirichletWeight", search.mcts.noise_weight, 0, 100),
        spin!(MonteCarlo, "DirichletAlpha", search.mcts.noise_alpha, 1, 100_000),
        spin!(MonteCarlo, "Temperature", search.mcts.temperature, 0, 1_000),
        spin!(MonteCarlo, "TemperatureMoves", search.mcts.temperature_moves, 0, 10_000),
    ]
}

/// The constants of the search, in builds for tuning.
#[cfg(feature = "tuning")]
fn tuning() -> Vec<Row<Settings>> {
    let rows = Constants::TABLE.iter().map(|constant| Row {
        name: constant.name,
        group: Tuning,
        kind: RowKind::Spin {
            default: constant.default.into(),
            min: constant.min.into(),
            max: constant.max.into(),
            set: Box::new(|settings: &mut Settings, value| {
                settings.search.constants.set(constant, Number::from_option(value));
            }),
        },
        value: Box::new(|settings: &Settings| Some(settings.search.constants.get(constant).to_string())),
    });
    rows.collect()
}

/// The constants of the search, in builds for tuning.
#[cfg(not(feature = "tuning"))]
fn tuning() -> Vec<Row<Settings>> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::super::OptionKind;
    use super::super::row::find;
    use super::*;

    const STRENGTHS: [Strength; 2] =
        [Strength { elo: 1000, nodes: 100, random: 0 }, Strength { elo: 1500, nodes: 1_000, random: 0 }];

    #[test]
    fn the_range_of_strengths_is_the_measured_one() {
        assert!(find(&settings_rows(&[]), "UCI_Elo").is_none());
        let rows = settings_rows(&STRENGTHS);
        let elo = find(&rows, "uci_elo").unwrap();
        assert_eq!(elo.spec().kind, OptionKind::Spin { default: 1000, min: 1000, max: 1500 });
        let mut settings = Settings::default();
        assert!(elo.set(&mut settings, "999").is_err());
        elo.set(&mut settings, "1200").unwrap();
        assert_eq!((settings.elo, settings.limit_strength), (1200, false));
    }

    #[test]
    fn setting_a_default_changes_nothing() {
        for row in settings_rows(&[]) {
            let default = match row.spec().kind {
                OptionKind::Check { default } => default.to_string(),
                OptionKind::Spin { default, .. } => default.to_string(),
                OptionKind::Combo { default, .. } => default.to_owned(),
                OptionKind::Text | OptionKind::Button => panic!("{} is no setting", row.name),
            };
            let mut settings = Settings::default();
            row.set(&mut settings, &default).unwrap();
            assert_eq!(settings, Settings::default(), "{}", row.name);
            assert_eq!(row.value(&settings), Some(default), "{}", row.name);
        }
    }

    #[test]
    fn options_do_not_share_a_field() {
        let mut changed = Vec::new();
        for row in settings_rows(&STRENGTHS) {
            let other = match row.spec().kind {
                OptionKind::Check { default } => (!default).to_string(),
                OptionKind::Spin { default, min, max } if min < max => {
                    (if default == max { min } else { max }).to_string()
                }
                OptionKind::Combo { values, .. } if values.len() > 1 => values[1].to_owned(),
                _ => continue,
            };
            let mut settings = Settings::default();
            row.set(&mut settings, &other).unwrap();
            assert!(settings != Settings::default() && !changed.contains(&settings), "{}", row.name);
            assert_eq!(row.value(&settings), Some(other), "{}", row.name);
            changed.push(settings);
        }
    }
}
