//! The options that belong to single games, while another one is in play.

use super::{Engine, OptionError, OptionKind, OptionSpec, Settings, SideEffect, UnknownVariant, registry};

/// The last values of the options that not every game has. A client may set them before it selects the game,
/// and they survive a change of the game.
#[derive(Debug, Default)]
pub struct GameOptions {
    values: Vec<(String, String)>,
}

impl GameOptions {
    /// The options of an engine, and those of the other games.
    pub fn all(engine: &dyn Engine) -> Vec<OptionSpec> {
        let mut options = engine.options();
        for game in registry::names() {
            for option in registry::options_of_game(game).unwrap_or_default() {
                if options.iter().all(|known| known.name != option.name) {
                    options.push(option);
                }
            }
        }
        options.sort_by_key(|option| option.group);
        options
    }

    /// Sets an option of an engine or of another game. Returns what else has changed.
    ///
    /// # Errors
    /// [`OptionError`] names the option or the value.
    pub fn set(
        &mut self,
        engine: &mut dyn Engine,
        name: &str,
        value: &str,
    ) -> Result<Vec<SideEffect>, OptionError> {
        let games: Vec<_> = registry::names().into_iter().filter(|game| has(game, name)).collect();
        let in_play = engine.board().variant();
        let side_effects = match games[..] {
            [game, ..] if !games.contains(&in_play) => {
                // The value is tried on another engine, so that an invalid one is refused now.
                try_value(game, engine.settings(), name, value)?;
                Vec::new()
            }
            _ => engine.set_option(name, value)?,
        };
        if !games.is_empty() {
            self.values.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
            self.values.push((name.to_owned(), value.to_owned()));
        }
        Ok(side_effects)
    }

    /// An engine for another game, with the settings of `engine` and the values of its own options. A number out
    /// of its range counts as the nearest one in range. A value that it no longer takes is dropped; the errors
    /// say why.
    ///
    /// # Errors
    /// [`UnknownVariant`] lists the games.
    pub fn change_game(
        &mut self,
        engine: &dyn Engine,
        game: &str,
    ) -> Result<(Box<dyn Engine>, Vec<OptionError>), UnknownVariant> {
        let mut new = registry::engine(game, engine.settings())?;
        let mut errors = Vec::new();
        self.values.retain(|(name, value)| {
            if !has(game, name) {
                return true;
            }
            let set = new.set_option(name, &within_range(game, name, value));
            let is_taken = set.is_ok();
            errors.extend(set.err());
            is_taken
        });
        Ok((new, errors))
    }
}

/// Whether an option, by name, is one that a game has and not every game has.
fn has(game: &str, name: &str) -> bool {
    let options = registry::options_of_game(game).unwrap_or_default();
    options.iter().any(|option| option.name.eq_ignore_ascii_case(name))
}

/// The value of an option in the range that the option has in a game.
fn within_range(game: &str, name: &str, value: &str) -> String {
    let options = registry::options_of_game(game).unwrap_or_default();
    let kind =
        options.into_iter().find(|option| option.name.eq_ignore_ascii_case(name)).map(|found| found.kind);
    match (kind, value.parse::<i64>()) {
        (Some(OptionKind::Spin { min, max, .. }), Ok(number)) => number.clamp(min, max).to_string(),
        _ => value.to_owned(),
    }
}

/// Sets an option of a game on an engine that is then dropped.
fn try_value(game: &str, settings: &Settings, name: &str, value: &str) -> Result<(), OptionError> {
    let unknown = |_| OptionError::Unknown { name: name.to_owned() };
    registry::engine(game, settings).map_err(unknown)?.set_option(name, value).map(drop)
}
