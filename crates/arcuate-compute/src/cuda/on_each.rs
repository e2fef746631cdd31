use arcuate_core::Result;
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

/// Does `work` for each of `items` (those of one GPU each, say), every one in a thread of the host of its own, so that
/// none waits while another fills the memory of its GPU; the first is the caller's, and so are those for which the system
/// has no thread. Answers come in the order of the
/// items; of several errors it is the first.
pub fn on_each<I: Send, R: Send>(
    items: impl IntoIterator<Item = I>,
    work: impl Fn(usize, I) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    in_threads(items.into_iter().collect(), work, Builder::new)
}

fn in_threads<I: Send, R: Send>(
    mut items: Vec<I>,
    work: impl Fn(usize, I) -> Result<R> + Sync,
    threads: impl Fn() -> Builder,
) -> Result<Vec<R>> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let others: Vec<Mutex<Option<I>>> = items.drain(1..).map(|item| Mutex::new(Some(item))).collect();
    let of_other = |n: usize| {
        let item = others[n - 1].lock().unwrap_or_else(PoisonError::into_inner).take();
        work(n, item.expect("each is taken once"))
    };
    // What is said in a thread goes to whoever listens to the caller.
    let listener = tracing::dispatcher::get_default(Clone::clone);
    let (of_other, listener) = (&of_other, &listener);
    std::thread::scope(|scope| {
        let in_thread = |n| {
            let work = move || tracing::dispatcher::with_default(listener, || of_other(n));
            threads().spawn_scoped(scope, work)
        };
        let begun: Vec<_> = (1..=others.len()).map(in_thread).collect();
        let mut answers: Vec<Result<R>> = items.into_iter().map(|first| work(0, first)).collect();
        answers.extend(begun.into_iter().enumerate().map(|(n, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => of_other(n + 1),
        }));
        answers.into_iter().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Error;
    use std::sync::Barrier;

    #[test]
    fn items_are_worked_on_at_the_same_time_and_answered_in_order() {
        // Nobody passes before all are there.
        let all = Barrier::new(3);
        let squares = on_each([2, 3, 4], |n, item| {
            all.wait();
            Ok(n + item * item)
        });
        assert_eq!(squares.unwrap(), [4, 10, 18]);
        assert_eq!(on_each([0; 0], |_, item| Ok(item)).unwrap(), []);
    }

    #[test]
    fn what_has_no_thread_is_done_by_the_caller() {
        let too_large = || Builder::new().stack_size(1 << 60);
        let caller = std::thread::current().id();
        let squares = in_threads(
            vec![2, 3, 4],
            |n, item| {
                assert_eq!(std::thread::current().id(), caller);
                Ok(n + item * item)
            },
            too_large,
        );
        assert_eq!(squares.unwrap(), [4, 10, 18]);
    }

    #[test]
    fn the_first_error_is_the_answer() {
        let done = on_each([1, 2, 3], |n, item| {
            if n == 0 { Ok(item) } else { Err(Error::invalid(item, "is wrong", "mend it")) }
        });
        assert_eq!(done.unwrap_err().to_string(), "2: is wrong; mend it");
    }

    #[test]
    #[should_panic(expected = "the second")]
    fn a_panic_is_the_callers() {
        let _ = on_each([1, 2], |n, _| if n == 1 { panic!("the second") } else { Ok(()) });
    }
}
