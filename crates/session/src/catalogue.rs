//! The games, levels and engines that the browser can choose from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::watch;

use crate::player::PERSON;
use labrys_arena::{EngineConfig, EngineKind, Rules};
use labrys_core::clock::Instant;
use labrys_core::engine::{Engine, OptionKind, registry};
use labrys_core::game::Appearance;
use labrys_core::search::Limits;
use labrys_protocol::transport::Transport;

/// The number of levels by Elo, evenly spaced over the measured range.
const RATED_LEVELS: i64 = 5;

/// The levels by depth, in plies, for games whose strength has not been measured.
const DEPTHS: [u32; 5] = [1, 2, 3, 4, 6];

/// The maximum time per move of the levels by Elo or depth.
const MAX_MOVE_TIME: Duration = Duration::from_secs(1);

/// The levels by time, in seconds per move.
const TIMES: [u64; 3] = [1, 3, 10];

/// The built-in analysts, the default first: name and engine options.
const ANALYSTS: [(&str, &[(&str, &str)]); 2] = [("Labrys", &[]), ("Labrys, MCTS", &[("SearchMode", "mcts")])];

/// The default for the maximum hash of an analysis, in MiB.
const DEFAULT_MAX_HASH: usize = 256;

/// The games, engines and analysts that the browser can choose from.
#[derive(Debug)]
pub struct Catalogue {
    pub(crate) games: Vec<OfferedGame>,
    /// The engines of the command line, and agents that have connected.
    engines: Mutex<Vec<Arc<EngineConfig>>>,
    /// Notifies of agents that have connected.
    additions: watch::Sender<()>,
    pub(crate) analysts: Vec<Analyst>,
    /// The games that each engine supports, once known, by engine name.
    announced: Mutex<BTreeMap<String, Vec<String>>>,
    /// The maximum number of threads of an analysis.
    pub(crate) threads: usize,
    /// Its maximum hash in MiB.
    pub(crate) hash: usize,
}

/// A configuration of Labrys for analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Analyst {
    pub(crate) name: String,
    /// Engine options.
    pub(crate) options: Vec<(String, String)>,
}

/// A level of play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) name: String,
    /// Engine options.
    pub(crate) options: Vec<(String, String)>,
    /// The maximum depth.
    depth: Option<u32>,
    /// The time per move.
    time: Duration,
}

/// A game on offer.
#[derive(Debug)]
pub(crate) struct OfferedGame {
    /// Its name.
    pub(crate) game: &'static str,
    /// The name of its option, with the values, the default first.
    option: Option<(&'static str, Vec<&'static str>)>,
    /// The levels of play, the weakest first.
    pub(crate) levels: Vec<Level>,
    looks: Appearance,
}

/// A game on offer, as sent to the browser.
#[derive(Serialize)]
pub(crate) struct OfferedGameText<'a> {
    game: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    option: Option<OptionText<'a>>,
    levels: Vec<&'a str>,
    /// The engines of the command line that support it.
    engines: Vec<String>,
    looks: Appearance,
}

#[derive(Serialize)]
struct OptionText<'a> {
    name: &'a str,
    values: &'a [&'a str],
}

/// Whether a name is reserved for a person, a level or an analyst, so that no engine may have it.
pub fn is_reserved(name: &str) -> bool {
    /// The names of all levels.
    static LEVELS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        OfferedGame::all().into_iter().flat_map(|offer| offer.levels).map(|level| level.name).collect()
    });
    name == PERSON || ANALYSTS.iter().any(|(own, _)| *own == name) || LEVELS.contains(name)
}

impl Catalogue {
    /// All games, with the engines of the command line. Those that are Labrys itself are also analysts.
    pub fn new(engines: &[EngineConfig]) -> Catalogue {
        let own = ANALYSTS.iter().map(|(name, options)| Analyst {
            name: (*name).to_owned(),
            options: options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        });
        let labrys = engines.iter().filter(|engine| engine.setup.kind == EngineKind::InProcess);
        let named =
            labrys.map(|engine| Analyst { name: engine.name.clone(), options: engine.setup.options.clone() });
        Catalogue {
            games: OfferedGame::all(),
            engines: Mutex::new(engines.iter().cloned().map(Arc::new).collect()),
            additions: watch::Sender::new(()),
            analysts: own.chain(named).collect(),
            announced: Mutex::default(),
            threads: 1,
            hash: DEFAULT_MAX_HASH,
        }
    }

    /// Adds an agent that supports these games. It replaces the one of its name, and is on offer while it is
    /// connected.
    pub fn add_agent(&self, agent: EngineConfig, games: Vec<String>) {
        self.announce(&agent.name, games);
        let mut engines = self.all_engines();
        engines.retain(|known| known.name != agent.name);
        engines.push(Arc::new(agent));
    }

    /// Tells all browsers that agents have connected.
    pub fn announce_additions(&self) {
        self.additions.send_replace(());
    }

    /// Waits for agents that connect.
    pub(crate) fn additions(&self) -> watch::Receiver<()> {
        self.additions.subscribe()
    }

    /// The engines, agents only while they are connected.
    pub(crate) fn engines(&self) -> Vec<Arc<EngineConfig>> {
        let is_here = |engine: &&Arc<EngineConfig>| match &engine.setup.kind {
            EngineKind::Uci(Transport::Agent(agent)) => agent.is_connected(),
            _ => true,
        };
        self.all_engines().iter().filter(is_here).cloned().collect()
    }

    fn all_engines(&self) -> MutexGuard<'_, Vec<Arc<EngineConfig>>> {
        self.engines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores which games an engine of the command line supports; none if it does not start.
    pub fn announce(&self, engine: &str, games: Vec<String>) {
        self.announced().insert(engine.to_owned(), games);
    }

    fn announced(&self) -> MutexGuard<'_, BTreeMap<String, Vec<String>>> {
        self.announced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The games as sent to the browser. An engine that has not yet announced its games is offered in all.
    pub(crate) fn offered_games(&self) -> Vec<OfferedGameText<'_>> {
        let announced = self.announced();
        let plays = |name: &str, game: &str| {
            announced.get(name).is_none_or(|games| games.iter().any(|known| known == game))
        };
        let engines = self.engines();
        let text = |offer: &'_ OfferedGame| {
            let engines = engines.iter().map(|engine| engine.name.as_str());
            engines.filter(|name| plays(name, offer.game)).map(str::to_owned).collect()
        };
        self.games.iter().map(|offer| offer.text(text(offer))).collect()
    }

    /// The games as JSON: a list of what they are called, how they look and who plays them.
    pub fn games_json(&self) -> String {
        serde_json::to_string(&self.offered_games()).expect("games are made of text and numbers")
    }

    /// The engines that did not start.
    pub(crate) fn failed_engines(&self) -> Vec<String> {
        self.announced().iter().filter(|(_, games)| games.is_empty()).map(|(name, _)| name.clone()).collect()
    }

    /// Sets the maximum number of threads and MiB of hash of an analysis.
    #[must_use]
    pub fn with_limits(self, threads: usize, hash: usize) -> Catalogue {
        Catalogue { threads: threads.max(1), hash: hash.max(1), ..self }
    }

    /// Finds an analyst by name.
    pub(crate) fn analyst(&self, name: &str) -> Option<&Analyst> {
        self.analysts.iter().find(|analyst| analyst.name == name)
    }

    /// Finds a game by name.
    pub(crate) fn game(&self, game: &str) -> Option<&OfferedGame> {
        self.games.iter().find(|offer| offer.game == game)
    }
}

impl Level {
    /// The limits of a search that starts now.
    pub(crate) fn limits(&self) -> Limits {
        Limits { start: Instant::now(), depth: self.depth, movetime: Some(self.time), ..Limits::none() }
    }
}

impl OfferedGame {
    /// All games.
    fn all() -> Vec<OfferedGame> {
        let rules = registry::names().into_iter().filter_map(|name| Rules::new(name, None).ok());
        rules.filter_map(|rules| Some(OfferedGame::of(rules.engine().ok()?.as_ref()))).collect()
    }

    fn of(engine: &dyn Engine) -> OfferedGame {
        let option = engine.board().option().and_then(|option| match option.kind {
            OptionKind::Check { .. } => Some((option.name, vec!["false", "true"])),
            OptionKind::Combo { values, .. } => Some((option.name, values)),
            _ => None,
        });
        OfferedGame {
            game: engine.board().variant(),
            option,
            levels: levels(engine),
            looks: engine.board().appearance(),
        }
    }

    /// The rules of the game with a value of its option, or the default.
    ///
    /// # Errors
    /// A message if there is no such value.
    pub(crate) fn rules(&self, value: Option<&str>) -> Result<Rules, String> {
        let option = match (value, &self.option) {
            (None, _) => None,
            (Some(value), Some((name, _))) => Some(((*name).to_owned(), value.to_owned())),
            (Some(_), None) => return Err(format!("{} has no option", self.game)),
        };
        Rules::new(self.game, option).map_err(|error| match std::error::Error::source(&error) {
            Some(source) => source.to_string(),
            None => error.to_string(),
        })
    }

    /// The values of the game's option.
    pub(crate) fn values(&self) -> &[&'static str] {
        self.option.as_ref().map_or(&[], |(_, values)| values)
    }

    /// As sent to the browser.
    fn text(&self, engines: Vec<String>) -> OfferedGameText<'_> {
        let option = self.option.as_ref().map(|(name, values)| OptionText { name, values });
        let levels = self.levels.iter().map(|level| &*level.name).collect();
        OfferedGameText { game: self.game, option, levels, engines, looks: self.looks }
    }
}

/// The levels of an engine: by Elo if its strength has been measured, otherwise by depth; then by time.
fn levels(engine: &dyn Engine) -> Vec<Level> {
    let elo = engine.options().into_iter().find_map(|option| match option.kind {
        OptionKind::Spin { min, max, .. } if option.name == "UCI_Elo" => Some((min, max)),
        _ => None,
    });
    let mut levels: Vec<_> = match elo {
        Some((min, max)) => (0..RATED_LEVELS)
            .map(|step| {
                // Rounded to 50: more would suggest a precision that Elo does not have.
                let elo = (min + (max - min) * step / (RATED_LEVELS - 1)).clamp(min, max) / 50 * 50;
                let elo = elo.max(min);
                Level {
                    name: format!("{elo} Elo"),
                    options: [("UCI_LimitStrength", "true".to_owned()), ("UCI_Elo", elo.to_string())]
                        .map(|(name, value)| (name.to_owned(), value))
                        .into(),
                    depth: None,
                    time: MAX_MOVE_TIME,
                }
            })
            .collect(),
        None => DEPTHS
            .into_iter()
            .map(|depth| {
                let name = format!("{depth} {}", if depth == 1 { "ply" } else { "plies" });
                Level { name, options: Vec::new(), depth: Some(depth), time: MAX_MOVE_TIME }
            })
            .collect(),
    };
    levels.extend(TIMES.map(|seconds| Level {
        name: format!("{seconds} s a move"),
        options: Vec::new(),
        depth: None,
        time: Duration::from_secs(seconds),
    }));
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use labrys_arena::KeyValues;

    #[test]
    fn engines_accept_the_options_of_their_levels() {
        let offers = OfferedGame::all();
        assert_eq!(offers.len(), registry::names().len());
        for offer in &offers {
            let mut engine = offer.rules(None).unwrap().engine().unwrap();
            for level in &offer.levels {
                for (name, value) in &level.options {
                    engine.set_option(name, value).unwrap();
                }
                assert!(!level.limits().is_endless(), "{}", level.name);
            }
        }
        let chess = &offers[0];
        assert_eq!((&*chess.levels[0].name, &*chess.levels[4].name), ("800 Elo", "2500 Elo"));
        for offer in &offers {
            let [weakest, strongest] =
                [0, 4].map(|level| offer.levels[level].options[1].1.parse::<u32>().unwrap());
            let strengths = registry::info(offer.game).unwrap().strengths;
            assert_eq!(weakest, strengths[0].elo, "{}", offer.game);
            assert!(
                strongest.abs_diff(strengths.last().unwrap().elo) < 50
                    && offer.levels[4].name.ends_with(" Elo")
            );
        }
    }

    #[test]
    fn engines_are_offered_in_the_games_that_they_announce() {
        let named =
            |name: &str| KeyValues::parse("--engine", &[&*format!("name={name}"), "nodes=1"]).unwrap();
        let engines = EngineConfig::read_all(["a", "b", "c"].map(named).into()).unwrap();
        let catalogue = Catalogue::new(&engines);
        catalogue.announce("a", vec!["chess".to_owned(), "amazons".to_owned()]);
        catalogue.announce("b", Vec::new());
        let offers = serde_json::to_value(catalogue.offered_games()).unwrap();
        for offer in offers.as_array().unwrap() {
            let is_played = ["chess", "amazons"].contains(&offer["game"].as_str().unwrap());
            let expected: &[&str] = if is_played { &["a", "c"] } else { &["c"] };
            assert_eq!(offer["engines"], serde_json::json!(expected));
        }
        assert_eq!(catalogue.failed_engines(), ["b"]);
    }

    #[test]
    fn values_of_the_option_are_checked() {
        for offer in OfferedGame::all() {
            for value in offer.values() {
                assert!(offer.rules(Some(value)).is_ok());
            }
            assert!(offer.rules(Some("rm -rf")).is_err());
        }
    }
}
