//! The first line of an agent: `join name NAME games GAME … [token TOKEN]`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use labrys_core::game::quote;

/// The first word of a greeting.
const JOIN: &str = "join";

/// The longest name of an agent.
const LONGEST_NAME: usize = 32;

/// The length of a token, least and most.
const TOKEN: std::ops::RangeInclusive<usize> = 8..=128;

/// The most games that an agent names.
const MOST_GAMES: usize = 32;

/// The first line of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// Who it is.
    pub name: AgentName,
    /// The games that it plays, by name.
    pub games: Vec<String>,
    /// What proves that it is the one of that name.
    pub token: Option<Token>,
}

/// An error of a greeting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GreetingError {
    /// It is another line.
    #[error("{} is no greeting, expected `join name NAME games GAME … [token TOKEN]`", quote(.0))]
    Other(String),
    /// A part is missing.
    #[error("join: missing {0}")]
    Missing(&'static str),
    /// A part is there twice.
    #[error("join: {0} is given twice")]
    Twice(&'static str),
    /// A word belongs to no part.
    #[error("join: unknown word {}, expected name, games or token", quote(.0))]
    Unknown(String),
    /// The name is invalid.
    #[error("join: {0}")]
    Name(#[from] AgentNameError),
    /// The token is invalid.
    #[error("join: {0}")]
    Token(#[from] TokenError),
    /// There are too many games.
    #[error("join: more than {MOST_GAMES} games")]
    Games,
}

impl FromStr for Greeting {
    type Err = GreetingError;

    fn from_str(line: &str) -> Result<Greeting, GreetingError> {
        let mut words = line.split_ascii_whitespace().peekable();
        if words.next() != Some(JOIN) {
            return Err(GreetingError::Other(line.to_owned()));
        }
        let (mut name, mut games, mut token) = (None, Vec::new(), None);
        while let Some(key) = words.next() {
            match key {
                "name" if name.is_some() => return Err(GreetingError::Twice("name")),
                "name" => name = Some(words.next().ok_or(GreetingError::Missing("name"))?.parse()?),
                "games" if !games.is_empty() => return Err(GreetingError::Twice("games")),
                "games" => {
                    while let Some(game) = words.next_if(|word| !["name", "token"].contains(word)) {
                        games.push(game.to_owned());
                    }
                }
                "token" if token.is_some() => return Err(GreetingError::Twice("token")),
                "token" => token = Some(words.next().ok_or(GreetingError::Missing("token"))?.parse()?),
                other => return Err(GreetingError::Unknown(other.to_owned())),
            }
        }
        let name = name.ok_or(GreetingError::Missing("name"))?;
        match games.len() {
            0 => Err(GreetingError::Missing("games")),
            1..=MOST_GAMES => Ok(Greeting { name, games, token }),
            _ => Err(GreetingError::Games),
        }
    }
}

impl Greeting {
    /// The line to send, without its end. It has the token, so it belongs in no log.
    pub fn line(&self) -> String {
        let token = self.token.as_ref().map_or(String::new(), |token| format!(" token {}", token.0));
        format!("{JOIN} name {} games {}{token}", self.name, self.games.join(" "))
    }
}

/// The name of an agent: up to 32 letters of ASCII, digits, `-`, `_` and `.`, the first one a letter or a
/// digit. So it is harmless in a terminal, in a record and as a part of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentName(String);

/// A name that an agent cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "name {}: expected up to {LONGEST_NAME} letters of ASCII, digits, `-`, `_` and `.`, a letter or a digit first",
    quote(.0)
)]
pub struct AgentNameError(String);

impl FromStr for AgentName {
    type Err = AgentNameError;

    fn from_str(text: &str) -> Result<AgentName, AgentNameError> {
        let is_inner = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let is_first = |letter: char| letter.is_ascii_alphanumeric();
        match text.len() <= LONGEST_NAME && text.starts_with(is_first) && text.chars().all(is_inner) {
            true => Ok(AgentName(text.to_owned())),
            false => Err(AgentNameError(text.to_owned())),
        }
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AgentName {
    /// The name that is most like a text: `_` stands for what no name has, and `x` before a first character
    /// that cannot be first.
    pub fn like(text: &str) -> AgentName {
        let is_inner = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let mut name: String =
            text.chars().map(|letter| if is_inner(letter) { letter } else { '_' }).collect();
        if !name.starts_with(|letter: char| letter.is_ascii_alphanumeric()) {
            name.insert(0, 'x');
        }
        name.truncate(LONGEST_NAME);
        AgentName(name)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What an agent proves its name by, from 8 to 128 printable characters of ASCII. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// A text that is no token. The text itself is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("token: expected from {} to {} printable characters of ASCII", TOKEN.start(), TOKEN.end())]
pub struct TokenError;

impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Token, TokenError> {
        match TOKEN.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            true => Ok(Token(text.to_owned())),
            false => Err(TokenError),
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// The token itself.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Greeting, String> {
        line.parse().map_err(|error: GreetingError| error.to_string())
    }

    #[test]
    fn a_greeting_is_read_and_written() {
        for line in
            ["join name minos games tucchess", "join name Ada-2.0_x games chess tucchess token s3cret-w0rd"]
        {
            assert_eq!(read(line).unwrap().line(), line);
        }
        let other = read(" join  token 12345678 games chess name 7 ").unwrap();
        assert_eq!(other.line(), "join name 7 games chess token 12345678");
        assert!(!format!("{other:?}").contains("12345678"));
    }

    #[test]
    fn errors_name_the_word() {
        for (line, message) in [
            ("", "`` is no greeting"),
            ("GET / HTTP/1.1", "`GET / HTTP/1.1` is no greeting"),
            ("uci", "expected `join name NAME games GAME … [token TOKEN]`"),
            ("join", "missing name"),
            ("join name", "missing name"),
            ("join name x", "missing games"),
            ("join name x games", "missing games"),
            ("join name x games token 12345678", "missing games"),
            ("join games chess", "missing name"),
            ("join name x name y games chess", "name is given twice"),
            ("join name x games chess games chess", "more"),
            ("join name x games chess token", "missing token"),
            ("join minos games chess", "unknown word `minos`"),
        ] {
            let error = match read(line) {
                Err(error) => error,
                // All words behind `games` are games.
                Ok(greeting) => format!("more: {:?}", greeting.games),
            };
            assert!(error.contains(message), "{line}: {error}");
        }
        let games = vec!["chess"; 33].join(" ");
        assert!(read(&format!("join name x games {games}")).unwrap_err().contains("more than 32 games"));
    }

    #[test]
    fn any_text_has_a_name_like_it() {
        for (text, like) in [
            ("Minos", "Minos"),
            ("", "x"),
            ("Δαίδαλος", "x________"),
            ("../etc", "x.._etc"),
            ("\u{1b}[2J", "x__2J"),
            ("team 7", "team_7"),
        ] {
            let name = AgentName::like(text);
            assert_eq!(name.as_str(), like);
            assert_eq!(like.parse(), Ok(name));
        }
        assert_eq!(AgentName::like(&"ab".repeat(40)).as_str(), "ab".repeat(16));
    }

    #[test]
    fn names_with_escapes_controls_and_paths_are_refused() {
        for name in [
            "\u{1b}[2J",
            "a\u{7}",
            "../x",
            "a/b",
            "a\\b",
            ".hidden",
            "-rf",
            "Žofia",
            "\u{202e}abc",
            "a\"b",
            "a{b}",
            "a%0a",
            &"x".repeat(33),
        ] {
            let error = read(&format!("join name {name} games chess")).unwrap_err();
            assert!(error.contains("name `") && !error.contains('\u{1b}'), "{error:?}");
        }
        for token in ["short", "with\u{7}bell", &"x".repeat(129)] {
            let error = read(&format!("join name x games chess token {token}")).unwrap_err();
            assert!(error.contains("token: expected") && !error.contains(token), "{error}");
        }
    }
}
