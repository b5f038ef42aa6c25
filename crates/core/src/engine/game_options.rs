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
        let games: Vec<_> = registry::names().into_iter().filter(|game| find(game, name).is_some()).collect();
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

    /// An engine for another game, with the settings of `engine` and the values of its own options. A number
    /// out of its range counts as the nearest one in range. A value that it no longer takes is dropped; the
    /// errors say why.
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
            let Some(option) = find(game, name) else { return true };
            let set = new.set_option(name, &within_range(&option, value));
            let is_taken = set.is_ok();
            errors.extend(set.err());
            is_taken
        });
        Ok((new, errors))
    }
}

/// The option of a game by its name, if not every game has it.
fn find(game: &str, name: &str) -> Option<OptionSpec> {
    let options = registry::options_of_game(game).unwrap_or_default();
    options.into_iter().find(|option| option.name.eq_ignore_ascii_case(name))
}

/// The value of an option, a number out of its range as the nearest one in range.
fn within_range(option: &OptionSpec, value: &str) -> String {
    match (&option.kind, value.parse::<i64>()) {
        (&OptionKind::Spin { min, max, .. }, Ok(number)) => number.clamp(min, max).to_string(),
        _ => value.to_owned(),
    }
}

/// Sets an option of a game on an engine that is then dropped.
fn try_value(game: &str, settings: &Settings, name: &str, value: &str) -> Result<(), OptionError> {
    let unknown = |_| OptionError::Unknown { name: name.to_owned() };
    registry::engine(game, settings).map_err(unknown)?.set_option(name, value).map(drop)
}
