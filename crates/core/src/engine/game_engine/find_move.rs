//! Finding a move: filters and shortcuts at the root, then the search.

use std::time::Duration;

use super::super::book::OpeningBook;
use super::super::strength::Level;
use super::super::{Playable, Settings};
use super::memory::Memory;
use crate::eval::Evaluator;
use crate::game::mixed;
use crate::search::{Control, Limits, Listener, NetLeaves, SearchInput, SearchResult, TableRoot, random};

/// The result of a filter at the root.
enum RootChoice<M> {
    /// Any root move may be searched.
    Any,
    /// Only these moves are searched.
    Among(Vec<M>),
    /// Only the best moves by the endgame tables are searched.
    Tables(TableRoot<M>),
    /// The move is known without a search.
    Move(SearchResult<M>),
}

/// Finds a move: applies the filters in order, each to the moves that the others have left, then searches.
pub(super) fn find_move<G: Playable, E: Evaluator<G>>(
    memory: &mut Memory<G>,
    settings: &Settings,
    input: SearchInput<G, E>,
    (book, net): (Option<&OpeningBook>, Option<&NetLeaves>),
    control: &Control,
    listener: &mut dyn Listener<G::Move>,
) -> SearchResult<G::Move> {
    if let Some(mv) = book.and_then(|book| book_move(book, &input)) {
        return SearchResult { mv: Some(mv), ponder: None, nodes: 0 };
    }
    let SearchInput { position, history, limits, .. } = input;
    let nodes = limits.nodes.into_iter().chain(level::<G>(settings).map(|level| level.nodes)).min();
    let overhead = Duration::from_millis(settings.move_overhead);
    let (stm, plies) = (position.side_to_move(), history.past().len());
    let limits = Limits { overhead, nodes, ..limits.clone() };
    let limits = &memory.delays.begin(&limits, stm, plies, limits.start.elapsed());
    let input = SearchInput { limits, ..input };

    let asked = [rules_of_thumb, random_move, endgame_tables];
    let (mut narrowed, mut tables) = (None, None);
    for ask in asked {
        let root_moves = narrowed.as_deref().or(input.root_moves);
        match ask(settings, &SearchInput { root_moves, ..input }) {
            RootChoice::Any => {}
            RootChoice::Among(moves) => narrowed = Some(moves),
            RootChoice::Tables(root) => tables = Some(root),
            RootChoice::Move(best) => return best,
        }
    }
    let input = SearchInput { root_moves: narrowed.as_deref().or(input.root_moves), ..input };
    let best = match &tables {
        None => memory.run(settings, input, net, control, listener),
        Some(root) => memory.run(settings, root.narrow(input), net, control, &mut root.listener(listener)),
    };
    memory.delays.end(limits.start.elapsed(), control.setup(), control.longest_gap());
    best
}

/// The level of limited strength, if strength is limited and the game's has been measured.
fn level<G: Playable>(settings: &Settings) -> Option<Level> {
    Level::asked_for(G::info().strengths, settings)
}

/// A move of the opening book. Analysis and the search for a mate do without it.
fn book_move<G: Playable, E: Evaluator<G>>(book: &OpeningBook, input: &SearchInput<G, E>) -> Option<G::Move> {
    let Limits { mate, infinite, .. } = *input.limits;
    if mate.is_some() || infinite || input.limits.is_endless() {
        return None;
    }
    let mut moves = input.position.moves();
    moves.retain(|mv| input.root_moves.is_none_or(|chosen| chosen.contains(mv)));
    book.draw(input.position, &moves, number_of(input))
}

/// A number for the position, the game and the seed.
fn number_of<G: Playable, E>(input: &SearchInput<G, E>) -> u64 {
    let plies = input.history.past().len() as u64;
    input.position.key() ^ mixed(input.options.seed ^ mixed(plies))
}

/// The moves that the rules of thumb of the game keep, unless the caller has chosen some.
fn rules_of_thumb<G: Playable, E>(settings: &Settings, input: &SearchInput<G, E>) -> RootChoice<G::Move> {
    if !settings.rules_of_thumb || input.root_moves.is_some() {
        return RootChoice::Any;
    }
    input.position.rules_of_thumb().map_or(RootChoice::Any, RootChoice::Among)
}

/// A random move, in some positions of an engine of limited strength.
fn random_move<G: Playable, E: Evaluator<G>>(
    settings: &Settings,
    input: &SearchInput<G, E>,
) -> RootChoice<G::Move> {
    match level::<G>(settings).filter(|level| level.is_random(number_of(input))) {
        Some(_) => RootChoice::Move(random(input)),
        None => RootChoice::Any,
    }
}

/// The moves that keep the result by the endgame tables.
fn endgame_tables<G: Playable, E: Evaluator<G>>(
    _: &Settings,
    input: &SearchInput<G, E>,
) -> RootChoice<G::Move> {
    TableRoot::of(input).map_or(RootChoice::Any, RootChoice::Tables)
}
