//! The agents and people that have come, by name.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Identities;
use crate::Person;
use labrys_core::game::quote;
use labrys_protocol::agents::{Agent, AgentName, Greeting, Token};
use labrys_tuc::door::{Caller, Door};

/// The agents that have come. Each has one connection at a time. Clients over UDP wait at a door, if there is
/// one. People come if they are asked in.
#[derive(Debug)]
pub struct Hall {
    door: Option<Door>,
    has_people: bool,
    /// The games that are played.
    games: Vec<String>,
    /// The names of other players.
    taken: Vec<String>,
    inside: Mutex<Inside>,
}

#[derive(Debug)]
struct Inside {
    identities: Identities,
    agents: Vec<Agent>,
    people: Vec<Person>,
    /// The address of each name over UDP, which has no tokens.
    addresses: BTreeMap<AgentName, IpAddr>,
}

impl Hall {
    /// An empty hall for players of these games. `taken` are names that no agent may have.
    pub fn new(games: &[&str], identities: Identities, taken: Vec<String>) -> Hall {
        let (agents, people, addresses) = (Vec::new(), Vec::new(), BTreeMap::new());
        let inside = Mutex::new(Inside { identities, agents, people, addresses });
        Hall {
            door: None,
            has_people: false,
            games: games.iter().map(|&game| game.to_owned()).collect(),
            taken,
            inside,
        }
    }

    /// The same hall with a door for clients over UDP. The names in `addresses` can come from there only;
    /// others belong to the address from which they come first.
    pub fn with_door(self, door: Door, addresses: BTreeMap<AgentName, IpAddr>) -> Hall {
        self.inside().addresses = addresses;
        Hall { door: Some(door), ..self }
    }

    /// The same hall, with people asked in if `has_people`.
    pub fn with_people(self, has_people: bool) -> Hall {
        Hall { has_people, ..self }
    }

    /// Whether people may come.
    pub fn has_people(&self) -> bool {
        self.has_people
    }

    /// The clients over UDP that wait, each with the name that it has here: as it gave it, with `_` in the
    /// place of what no name has. Those that bring the name of another are refused.
    pub(super) fn callers(&self) -> Vec<(String, Caller)> {
        let callers = self.door.iter().flat_map(Door::callers);
        let named = callers.filter_map(|caller| {
            let name = AgentName::like(&caller.name);
            match self.admit_caller(&name, caller.address.ip()) {
                Ok(()) => Some((name.to_string(), caller)),
                Err(problem) => {
                    log::info!("{} at {}: {problem}", quote(&caller.name), caller.address);
                    caller.refuse();
                    None
                }
            }
        });
        named.collect()
    }

    /// Lets an agent in that has connected from an address.
    ///
    /// # Errors
    /// A message for it that says why not.
    pub fn admit(&self, greeting: &Greeting, peer: SocketAddr) -> Result<Agent, String> {
        let Greeting { name, games, token } = greeting;
        let is_here = |game: &String| self.games.iter().any(|own| own.eq_ignore_ascii_case(game));
        if !games.iter().any(is_here) {
            let (own, others) = (self.games.join(", "), quote(&games.join(" ")));
            return Err(format!("expected {own} among the games, found {others}"));
        }
        self.check_taken(name.as_str())?;
        let mut inside = self.inside();
        inside.check_person(name)?;
        let address = peer.ip().to_canonical();
        inside.check_address(name, address)?;
        inside
            .identities
            .admit(name, token.as_ref(), !address.is_loopback())
            .map_err(|error| error.to_string())?;
        match inside.agents.iter().find(|agent| agent.name() == name) {
            // Without a token it may be another one of the same name.
            Some(agent) if token.is_none() && agent.is_connected() => {
                Err(format!("{} is here already", quote(name.as_str())))
            }
            Some(agent) => Ok(agent.clone()),
            None => {
                let agent = Agent::new(name.clone());
                inside.agents.push(agent.clone());
                Ok(agent)
            }
        }
    }

    /// Lets a person in, who comes back with the same token.
    ///
    /// # Errors
    /// A message for it that says why not.
    pub fn admit_person(&self, name: &AgentName, token: &Token) -> Result<Person, String> {
        if !self.has_people {
            return Err("people do not play here".to_owned());
        }
        self.check_taken(name.as_str())?;
        let mut inside = self.inside();
        if inside.agents.iter().any(|agent| agent.name() == name) {
            return Err(format!("{} is an agent", quote(name.as_str())));
        }
        inside.identities.admit(name, Some(token), true).map_err(|error| error.to_string())?;
        if let Some(known) = inside.people.iter().find(|person| person.name() == name) {
            return Ok(known.clone());
        }
        let person = Person::new(name.clone());
        inside.people.push(person.clone());
        Ok(person)
    }

    /// Lets a client over UDP in, which has no token.
    fn admit_caller(&self, name: &AgentName, address: IpAddr) -> Result<(), String> {
        self.check_taken(name.as_str())?;
        let mut inside = self.inside();
        inside.check_person(name)?;
        if inside.agents.iter().any(|agent| agent.name().as_str().eq_ignore_ascii_case(name.as_str())) {
            return Err(format!("{} is an agent over TCP", quote(name.as_str())));
        }
        let address = address.to_canonical();
        inside.check_address(name, address)?;
        inside.identities.admit(name, None, false).map_err(|error| error.to_string())?;
        inside.addresses.insert(name.clone(), address);
        Ok(())
    }

    fn check_taken(&self, name: &str) -> Result<(), String> {
        match self.taken.iter().any(|taken| taken.eq_ignore_ascii_case(name)) {
            true => Err(format!("{} is the name of another player", quote(name))),
            false => Ok(()),
        }
    }

    /// The agents, in the order in which they came first.
    pub fn agents(&self) -> Vec<Agent> {
        self.inside().agents.clone()
    }

    /// The people, in the order in which they came first.
    pub(super) fn people(&self) -> Vec<Person> {
        self.inside().people.clone()
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    /// Refuses a name that belongs to another address, also in other letters.
    fn check_address(&self, name: &AgentName, address: IpAddr) -> Result<(), String> {
        let is_its = |known: &AgentName| known.as_str().eq_ignore_ascii_case(name.as_str());
        match self.addresses.iter().find(|(known, own)| is_its(known) && **own != address) {
            Some((_, own)) => Err(format!("{} comes from {own}", quote(name.as_str()))),
            None => Ok(()),
        }
    }

    /// Checks that a name is not that of a person.
    fn check_person(&self, name: &AgentName) -> Result<(), String> {
        match self.people.iter().any(|person| person.name() == name) {
            true => Err(format!("{} is a person", quote(name.as_str()))),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn agents_are_let_in_by_game_name_and_token() {
        let folder = tempfile::tempdir().unwrap();
        let identities = Identities::open(&folder.path().join("identities.json"), false).unwrap();
        let hall = Hall::new(&["tucchess"], identities, vec!["house".to_owned()]);
        let admit = |line: &str, peer: &str| hall.admit(&line.parse().unwrap(), peer.parse().unwrap());
        let (here, there) = ("127.0.0.1:1", "192.0.2.7:1");
        let refusal = |line: &str, peer| admit(line, peer).unwrap_err();
        assert!(refusal("join name a games chess", here).starts_with("expected tucchess among"));
        assert!(refusal("join name House games tucchess", here).ends_with("another player"));
        assert!(refusal("join name a games tucchess", there).starts_with("`a` needs a token"));
        let own = "join name a games chess TucChess token own-token";
        let agent = admit(own, there).unwrap();
        assert_eq!(admit(own, "[::ffff:127.0.0.1]:7").unwrap(), agent);
        assert!(refusal("join name a games tucchess token other-token", here).contains("not that of `a`"));
        let plain = "join name b games tucchess";
        let other = admit(plain, here).unwrap();
        // While it is away it may come back.
        assert_eq!(admit(plain, here).unwrap(), other);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        other.attach(listener.accept().unwrap().0);
        assert_eq!(refusal(plain, here), "`b` is here already");
        assert_eq!(hall.agents(), [agent, other]);
        let call = |name: &str, from: &str| hall.admit_caller(&name.parse().unwrap(), from.parse().unwrap());
        for name in ["a", "b", "B", "house"] {
            assert!(call(name, "192.0.2.7").is_err(), "{name}");
        }
        // A name over UDP belongs to its first address.
        for from in ["192.0.2.7", "::ffff:192.0.2.7"] {
            assert_eq!(call("c", from), Ok(()));
        }
        assert_eq!(call("c", "192.0.2.8").unwrap_err(), "`c` comes from 192.0.2.7");
        assert_eq!(call("C", "192.0.2.8").unwrap_err(), "`C` comes from 192.0.2.7");
        let agent = "join name c games tucchess token own-token";
        assert_eq!(refusal(agent, here), "`c` comes from 192.0.2.7");
        assert!(refusal(agent, there).contains("not that of `c`"));
        // People have names of their own, with tokens.
        let own = "own-token".parse().unwrap();
        let person = |name: &str, token| hall.admit_person(&name.parse().unwrap(), token);
        assert_eq!(person("d", &own).unwrap_err(), "people do not play here");
        let hall = hall.with_people(true);
        let person =
            |name: &str, token: &str| hall.admit_person(&name.parse().unwrap(), &token.parse().unwrap());
        let ada = person("ada", "own-token").unwrap();
        assert_eq!(person("ada", "own-token").unwrap(), ada);
        for (name, token, problem) in [
            ("ada", "other-token", "the token is not that of `ada`"),
            ("a", "own-token", "`a` is an agent"),
            ("house", "own-token", "`house` is the name of another player"),
            ("c", "own-token", "the token is not that of `c`"),
        ] {
            assert_eq!(person(name, token).unwrap_err(), problem);
        }
        let greeting = "join name ada games tucchess token own-token".parse().unwrap();
        assert_eq!(hall.admit(&greeting, here.parse().unwrap()).unwrap_err(), "`ada` is a person");
        assert!(hall.admit_caller(&"ada".parse().unwrap(), "192.0.2.7".parse().unwrap()).is_err());
    }
}
