//! Engine options in the settings of a run.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{SettingsError, ZeroConfig};
use crate::play::{Agent, SearchLimit};
use labrys_core::engine::Playable;
use labrys_core::engine::{Settings, TypedEngine};
use labrys_core::search::{Method, RootSelection};

/// Default options of nets.
const NET_DEFAULTS: [(&str, &str); 2] = [("Simulations", "64"), ("BatchSize", "4")];

/// Default options of nets in self-play.
const SELFPLAY_DEFAULTS: [(&str, &str); 3] =
    [("DirichletWeight", "25"), ("Temperature", "100"), ("GumbelNoise", "100")];

/// Default options of nets in matches, which only `[match]` overrides, not `[selfplay]`.
const MATCH_DEFAULTS: [(&str, &str); 3] =
    [("DirichletWeight", "0"), ("Temperature", "0"), ("GumbelNoise", "0")];

/// Options of nets that the run sets itself.
const RESERVED_FOR_NETS: [&str; 5] = ["SearchMode", "Selection", "NetFile", "Threads", "Seed"];

/// Options of rivals that the run sets itself.
const RESERVED_FOR_RIVALS: [&str; 2] = ["Threads", "Seed"];

/// Options of an engine by name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EngineOptions(BTreeMap<String, Spanned<OptionValue>>);

/// The value of an option.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number, text, `true` or `false`")]
enum OptionValue {
    Check(bool),
    Spin(i64),
    Text(String),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Check(on) => on.fmt(f),
            OptionValue::Spin(number) => number.fmt(f),
            OptionValue::Text(text) => text.fmt(f),
        }
    }
}

impl EngineOptions {
    /// Whether an option is set; case is ignored.
    fn has(&self, name: &str) -> bool {
        self.0.keys().any(|key| key.eq_ignore_ascii_case(name))
    }
}

impl ZeroConfig {
    /// A player for self-play or for matches, whose net has yet to be set.
    ///
    /// # Errors
    /// [`SettingsError`] names the line and the option.
    pub(super) fn net_player<G: Playable>(&self, in_match: bool) -> Result<Agent<G>, SettingsError> {
        let mut engine = G::engine(&Settings::default());
        let fixed = [("SearchMode", "mcts"), ("Selection", "puct")].into_iter();
        set_all(engine.as_mut(), fixed.chain(NET_DEFAULTS).chain(SELFPLAY_DEFAULTS));
        let settings = &self.settings;
        let own = &settings.selfplay.options;
        self.apply(engine.as_mut(), "selfplay.options", own, &RESERVED_FOR_NETS)?;
        // Gumbel noise replaces Dirichlet noise.
        let is_gumbel = engine.settings().search.mcts.root_selection == RootSelection::Gumbel;
        if is_gumbel && !own.has("DirichletWeight") {
            set_all(engine.as_mut(), [("DirichletWeight", "0")]);
        }
        if in_match {
            set_all(engine.as_mut(), MATCH_DEFAULTS);
            self.apply(engine.as_mut(), "match.options", &settings.matches.options, &RESERVED_FOR_NETS)?;
        }
        Ok(Agent { engine, limit: SearchLimit::Options })
    }

    /// A rival, by its index, for games from a position.
    ///
    /// # Errors
    /// [`SettingsError`] names the line and the key.
    pub(super) fn rival<G: Playable>(&self, index: usize, start: &G) -> Result<Agent<G>, SettingsError> {
        let rival = &self.settings.rivals[index];
        let mut engine = G::engine(&Settings::default());
        let key = format!("rivals.{}", index + 1);
        self.apply(engine.as_mut(), &format!("{key}.options"), &rival.options, &RESERVED_FOR_RIVALS)?;
        let limit = match (rival.depth, rival.nodes) {
            (Some(depth), None) => SearchLimit::Depth(depth.get()),
            (None, Some(nodes)) => SearchLimit::Nodes(nodes.get()),
            (None, None) => SearchLimit::Options,
            (Some(_), Some(_)) => {
                return Err(self.error(&rival.name, key, "either depth or nodes".to_owned()));
            }
        };
        engine.check_board(start).map_err(|error| self.error(&rival.name, &key, error.to_string()))?;
        let Settings { method, search, .. } = engine.settings();
        let is_limited = match method {
            Method::Random => true,
            Method::MonteCarlo => search.mcts.simulations > 0,
            Method::Deepening(_) => false,
        };
        if limit == SearchLimit::Options && !is_limited {
            let problem = "missing depth, nodes or, in Monte Carlo searches, the option Simulations";
            return Err(self.error(&rival.name, key, problem.to_owned()));
        }
        Ok(Agent { engine, limit })
    }

    /// Sets the options of a table. Those that are `reserved` are errors.
    fn apply<G: Playable>(
        &self,
        engine: &mut dyn TypedEngine<G>,
        table: &str,
        options: &EngineOptions,
        reserved: &[&str],
    ) -> Result<(), SettingsError> {
        for (name, value) in &options.0 {
            let key = || format!("{table}.{name}");
            let of_board = engine.board().option().map(|option| option.name);
            if reserved.iter().copied().chain(of_board).any(|reserved| reserved.eq_ignore_ascii_case(name)) {
                return Err(self.error(value, key(), "the run sets this option itself".to_owned()));
            }
            engine
                .set_option(name, &value.get_ref().to_string())
                .map_err(|error| self.error(value, key(), error.to_string()))?;
            if *reserved == RESERVED_FOR_NETS && engine.settings().search.mcts.simulations == 0 {
                return Err(self.error(value, key(), "nothing else limits a search".to_owned()));
            }
        }
        Ok(())
    }
}

/// Sets options supported by every engine.
fn set_all<G: Playable>(
    engine: &mut dyn TypedEngine<G>,
    options: impl IntoIterator<Item = (&'static str, &'static str)>,
) {
    for (name, value) in options {
        engine.set_option(name, value).expect("an option of every engine");
    }
}
