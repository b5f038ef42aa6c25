//! Reading the settings of a run from TOML.

use serde_json::{Map, Value};
use toml::Spanned;

use super::{FIRST_NET, NetKind, SettingsError, ZeroSettings};
use labrys_core::game::{Knowledge, PlaneSelection};
use labrys_core::nets::NetConfig;
use labrys_support::settings;

/// The settings of a run with the text that they were read from, for errors.
#[derive(Clone, Debug)]
pub struct ZeroConfig {
    /// The settings.
    pub settings: ZeroSettings,
    /// What its nets say of the program and of the configuration, after the seed and the generation; empty by
    /// default.
    pub made_by: String,
    text: String,
}

impl ZeroConfig {
    /// Reads settings.
    ///
    /// # Errors
    /// [`SettingsError`] names the line and the key.
    pub fn parse(text: String) -> Result<ZeroConfig, SettingsError> {
        let settings: ZeroSettings =
            toml::from_str(&text).map_err(|error| SettingsError::Toml(settings::problem(&text, &error)))?;
        let config = ZeroConfig { settings, made_by: String::new(), text };
        let ZeroSettings { net, rivals, .. } = &config.settings;
        if net.architecture == NetKind::Paper && net.blocks.is_some() {
            return Err(SettingsError::Blocks);
        }
        for (number, rival) in rivals.iter().enumerate() {
            let name = rival.name.get_ref();
            if name == FIRST_NET || rivals[..number].iter().any(|other| other.name.get_ref() == name) {
                return Err(config.error(&rival.name, "rivals.name", "this name is taken".to_owned()));
            }
        }
        Ok(config)
    }

    /// The nets of the settings, for the board of a position.
    ///
    /// # Errors
    /// [`SettingsError`] names planes that the game does not have, or a size out of its range.
    pub fn net<G: Knowledge>(&self, position: &G) -> Result<NetConfig, SettingsError> {
        let net = &self.settings.net;
        let selection = net.planes.as_ref().map(|names| {
            PlaneSelection::new(G::PLANE_GROUPS, names.get_ref())
                .map_err(|error| self.error(names, "net.planes", error.to_string()))
        });
        let shape = position.encoding_shape().select(selection.transpose()?.unwrap_or_default());
        let config = NetConfig { shape, architecture: net.architecture() };
        config.check()?;
        Ok(config)
    }

    /// The settings that the result depends on, by name.
    ///
    /// # Errors
    /// An error of the serializer.
    pub fn result_settings(&self) -> Result<Map<String, Value>, serde_json::Error> {
        let mut flat = Map::new();
        flatten(String::new(), serde_json::to_value(&self.settings)?, &mut flat);
        Ok(flat)
    }

    /// The error of a value.
    pub fn error<T>(&self, at: &Spanned<T>, key: impl Into<String>, problem: String) -> SettingsError {
        let line = 1 + self.text[..at.span().start].matches('\n').count();
        SettingsError::Value { line, key: key.into(), problem }
    }
}

/// Collects the values of tables and lists by their full names, such as `gate.games` and `rivals.1.name`.
fn flatten(name: String, value: Value, flat: &mut Map<String, Value>) {
    let within = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match value {
        Value::Object(table) => {
            table.into_iter().for_each(|(key, value)| flatten(within(&key), value, flat));
        }
        Value::Array(values) => {
            values.into_iter().zip(1..).for_each(|(value, number)| {
                flatten(within(&number.to_string()), value, flat);
            });
        }
        value => drop(flat.insert(name, value)),
    }
}
