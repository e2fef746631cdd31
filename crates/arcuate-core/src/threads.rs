//! All threads of Arcuate are started by the functions of this module. `std::thread::spawn` panics if the
//! system refuses a thread because a limit of processes or memory is reached. With these functions, the
//! caller gets an error or does the work itself. `cargo xtask lint` rejects threads that are started
//! elsewhere.

use crate::{Error, Result};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Starts a thread that runs `work`.
///
/// # Errors
/// Returns an error if the system refuses the thread.
pub fn start<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Result<JoinHandle<R>> {
    Builder::new().spawn(work).map_err(|refused| no_thread(&refused))
}

/// Starts a thread in a scope with a builder, which is `Builder::new()` except in tests.
///
/// # Errors
/// Returns an error if the system refuses the thread.
pub fn start_in<'scope, R: Send + 'scope>(
    builder: Builder,
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> R + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, R>> {
    builder.spawn_scoped(scope, work).map_err(|refused| no_thread(&refused))
}

fn no_thread(refused: &std::io::Error) -> Error {
    let problem = format!("a thread could not be started ({refused})");
    Error::usage(
        "‘threads’",
        problem,
        "use fewer threads, or raise the limits of the operating system for processes and memory",
    )
}

/// Runs `work` for each of `items`. Each item has its own thread, so that no item waits for another. The
/// calling thread runs the first item, and the items for which the system refuses a thread. Results are in
/// the order of the items.
pub fn each<I: Send, R: Send>(
    items: impl IntoIterator<Item = I>,
    work: impl Fn(usize, I) -> R + Sync,
) -> Vec<R> {
    each_by(items.into_iter().collect(), work, Builder::new)
}

fn each_by<I: Send, R: Send>(
    mut items: Vec<I>,
    work: impl Fn(usize, I) -> R + Sync,
    builder: impl Fn() -> Builder,
) -> Vec<R> {
    if items.is_empty() {
        return Vec::new();
    }
    let others: Vec<Mutex<Option<I>>> = items.drain(1..).map(|item| Mutex::new(Some(item))).collect();
    let of_other = |n: usize| {
        let item = others[n - 1].lock().unwrap_or_else(PoisonError::into_inner).take();
        #[expect(
            clippy::expect_used,
            reason = "an item is taken by its thread, or by the caller if no thread starts"
        )]
        let item = item.expect("no item is taken twice");
        work(n, item)
    };
    // Log events (crate `tracing`) of each thread go to the subscriber of the calling thread.
    let listener = tracing::dispatcher::get_default(Clone::clone);
    let (of_other, listener) = (&of_other, &listener);
    std::thread::scope(|scope| {
        let in_thread = |n| {
            start_in(builder(), scope, move || tracing::dispatcher::with_default(listener, || of_other(n)))
        };
        let handles: Vec<_> = (1..=others.len()).map(in_thread).collect();
        let mut answers: Vec<R> = items.into_iter().map(|first| work(0, first)).collect();
        answers.extend(handles.into_iter().enumerate().map(|(n, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => of_other(n + 1),
        }));
        answers
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    /// Returns a thread builder with a stack size that every system refuses.
    fn refused() -> Builder {
        Builder::new().stack_size(1 << 60)
    }

    #[test]
    fn items_run_in_parallel_and_results_are_in_order() {
        // The barrier of this test opens only when all threads are running.
        let all = Barrier::new(3);
        let squares = each([2, 3, 4], |n, item| {
            all.wait();
            n + item * item
        });
        assert_eq!(squares, [4, 10, 18]);
        assert_eq!(each([0; 0], |_, item| item), []);
    }

    #[test]
    fn items_without_a_thread_run_in_the_caller() {
        let caller = std::thread::current().id();
        let work = |n: usize, item: usize| {
            assert_eq!(std::thread::current().id(), caller);
            n + item * item
        };
        assert_eq!(each_by(vec![2, 3, 4], work, refused), [4, 10, 18]);
    }

    #[test]
    fn failing_thread_creation_is_an_error() {
        let error = std::thread::scope(|scope| start_in(refused(), scope, || 1).map(|_| ())).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("‘threads’: a thread could not be started (") && text.contains("; use fewer"),
            "{text}"
        );
        assert_eq!(start(|| 7).unwrap().join().unwrap(), 7);
    }

    #[test]
    #[should_panic(expected = "the second")]
    fn panics_are_passed_to_the_caller() {
        each([1, 2], |n, _| assert_eq!(n, 0, "the second"));
    }
}
