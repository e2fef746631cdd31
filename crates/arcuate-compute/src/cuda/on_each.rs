use arcuate_core::Result;

/// Does `work` for each of `items` (those of one GPU each, say), every one in a thread of the host of its own, so that
/// none waits while another fills the memory of its GPU; the first is the caller's. Answers come in the order of the
/// items; of several errors it is the first.
pub fn on_each<I: Send, R: Send>(
    items: impl IntoIterator<Item = I>,
    work: impl Fn(usize, I) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let mut items = items.into_iter().enumerate();
    let Some((_, first)) = items.next() else { return Ok(Vec::new()) };
    let others: Vec<(usize, I)> = items.collect();
    // What is said in a thread goes to whoever listens to the caller.
    let listener = tracing::dispatcher::get_default(Clone::clone);
    let (work, listener) = (&work, &listener);
    std::thread::scope(|scope| {
        let in_thread =
            |(n, item)| scope.spawn(move || tracing::dispatcher::with_default(listener, || work(n, item)));
        let others: Vec<_> = others.into_iter().map(in_thread).collect();
        let mut answers = vec![work(0, first)];
        answers.extend(
            others
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
        );
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
