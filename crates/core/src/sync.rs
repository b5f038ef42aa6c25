//! What the threads of a search share, of the standard library; for `make loom`, of [loom], which runs a test
//! in every order of the threads' steps that the memory model allows.
//!
//! [loom]: https://docs.rs/loom

#[cfg(loom)]
pub(crate) use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize},
};
#[cfg(not(loom))]
pub(crate) use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize},
};
pub(crate) use std::sync::{PoisonError, atomic::Ordering};

/// Runs a test in all orders, but for those that stop threads in more than `preemptions` places.
#[cfg(all(test, loom))]
pub(crate) fn in_all_orders(preemptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = model.preemption_bound.or(Some(preemptions));
    model.check(test);
}
