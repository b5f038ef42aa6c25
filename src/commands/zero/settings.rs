//! Reading the settings of `labrys zero`.

use std::path::Path;

use anyhow::Context;

use crate::arena::{Rules, parse_option};
use crate::commands::shared::errors::full_text;
use crate::learn::zero::{SettingsError, ZeroConfig};
use labrys_support::settings;

/// Reads the settings of a run, and the rules of its games.
pub(super) fn read(path: &Path) -> anyhow::Result<(ZeroConfig, Rules)> {
    let file = || file_of(path);
    let text = settings::read(path).with_context(file)?;
    let config = ZeroConfig::parse(text).with_context(file)?;
    let rules = rules(&config).with_context(file)?;
    Ok((config, rules))
}

/// The error of a setting, with the file.
pub(super) fn refused(path: &Path, error: SettingsError) -> anyhow::Error {
    anyhow::Error::new(error).context(file_of(path))
}

/// The file, for errors.
fn file_of(path: &Path) -> String {
    format!("settings {}", path.display())
}

/// The game and its own option.
fn rules(config: &ZeroConfig) -> anyhow::Result<Rules> {
    let (variant, option) = (&config.settings.variant, &config.settings.option);
    Rules::new(variant.get_ref(), None)
        .map_err(|error| config.error(variant, "variant", error.to_string()))?;
    let Some(option) = option else { return Ok(Rules::new(variant.get_ref(), None)?) };
    let refuse = |problem: String| config.error(option, "option", problem);
    let pair = parse_option(option.get_ref()).map_err(refuse)?;
    let rules = Rules { variant: variant.get_ref().clone(), option: Some(pair) };
    rules.board().map_err(|error| refuse(full_text(&error.into())))?;
    Ok(rules)
}
