//! Agents: engines that connect to a server, which then drives them over the same connection.
//!
//! A [`Greeting`] is the first line of an agent; [`receive`] reads it from each connection, within limits. An
//! [`Agent`] is who has been let in: a name whose connection may be lost and come back. Where a
//! [`Transport`](crate::transport::Transport) leads to it, the clients of this crate drive it as they drive a
//! process. [`connect`] is the other side: Labrys as an agent.

mod agent;
mod connect;
mod greeting;
mod meter;
mod reception;

pub use agent::{Agent, AgentFault};
pub use connect::{ConnectError, connect};
pub use greeting::{AgentName, AgentNameError, Greeting, GreetingError, Token, TokenError};
pub use reception::{REFUSAL_DELAY, receive};

pub(super) use agent::Link;
