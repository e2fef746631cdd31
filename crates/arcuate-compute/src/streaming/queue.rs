//! Worker threads that take chunks of work from one queue, in order.

use crate::cuda::on_each;
use arcuate_core::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Runs `work` on each of `chunks`. Each worker runs in its own thread, and takes the next chunk from the
/// queue when it has finished its previous chunk. `start` prepares a worker before its first chunk. Results
/// are in the order of the chunks.
///
/// After a chunk has failed, no further chunk is started. If several chunks fail, the error of the first one
/// is returned.
pub(super) fn work_through<I: Send, W, C: Send, R: Send>(
    workers: Vec<I>,
    chunks: Vec<C>,
    start: impl Fn(I) -> Result<W> + Sync,
    work: impl Fn(&mut W, C) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let maximum = chunks.len();
    let queue = Mutex::new(chunks.into_iter().enumerate());
    let has_failed = AtomicBool::new(false);
    let next = || {
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        if has_failed.load(Ordering::Relaxed) { None } else { queue.next() }
    };
    let of_workers = on_each(workers.into_iter().take(maximum), |_, worker| {
        let fail = |_: &Error| has_failed.store(true, Ordering::Relaxed);
        let Some((first, chunk)) = next() else { return Ok(Vec::new()) };
        let mut active = match start(worker).inspect_err(fail) {
            Ok(active) => active,
            Err(error) => return Ok(vec![(first, Err(error))]),
        };
        let mut done = vec![(first, work(&mut active, chunk).inspect_err(fail))];
        while let Some((n, chunk)) = next() {
            done.push((n, work(&mut active, chunk).inspect_err(fail)));
        }
        Ok(done)
    })?;
    let mut done: Vec<(usize, Result<R>)> = of_workers.into_iter().flatten().collect();
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;

    fn wrong(chunk: usize) -> Error {
        Error::invalid(chunk, "is wrong", "mend it")
    }

    #[test]
    fn results_are_in_chunk_order_for_any_worker() {
        // The barrier makes both workers run at the same time, so that neither does all the work.
        let both = Barrier::new(2);
        let start = |worker: usize| {
            both.wait();
            Ok(worker)
        };
        let answers = work_through(vec![10, 20], (0..9).collect(), start, |worker, chunk: usize| {
            // In this test, later chunks are finished sooner than earlier chunks.
            std::thread::sleep(std::time::Duration::from_millis(9 - chunk as u64));
            Ok((*worker, chunk))
        });
        let answers = answers.unwrap();
        assert_eq!(answers.iter().map(|(_, chunk)| *chunk).collect::<Vec<_>>(), (0..9).collect::<Vec<_>>());
        assert!([10, 20].iter().all(|worker| answers.iter().any(|(by, _)| by == worker)));
    }

    #[test]
    fn workers_start_on_demand_and_keep_their_state() {
        let started = AtomicUsize::new(0);
        let start = |()| {
            started.fetch_add(1, Ordering::Relaxed);
            Ok(0)
        };
        let count = |done: &mut usize, (): ()| {
            *done += 1;
            Ok(*done)
        };
        assert_eq!(work_through(vec![()], vec![(); 3], start, count).unwrap(), [1, 2, 3]);
        // There are seven workers for two chunks, so at most two workers start.
        started.store(0, Ordering::Relaxed);
        assert_eq!(work_through(vec![(); 7], vec![(); 2], start, count).unwrap().len(), 2);
        assert!(started.load(Ordering::Relaxed) <= 2);
        started.store(0, Ordering::Relaxed);
        assert_eq!(work_through(vec![(); 2], Vec::new(), start, count).unwrap(), [0; 0]);
        assert_eq!(started.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn the_first_failing_chunk_is_returned_and_no_later_chunk_starts() {
        // Both chunks are processed at the same time and fail; the second chunk fails first.
        let (both, active) = (Barrier::new(2), AtomicUsize::new(0));
        let done: Result<Vec<()>> = work_through(vec![(); 2], (0..100).collect(), Ok, |(), chunk: usize| {
            active.fetch_add(1, Ordering::Relaxed);
            both.wait();
            if chunk == 0 {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            Err(wrong(chunk))
        });
        assert_eq!(done.unwrap_err().to_string(), "0: is wrong; mend it");
        assert_eq!(active.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn workers_that_cannot_start_fail_their_chunk() {
        let start = |worker: usize| if worker == 0 { Err(wrong(7)) } else { Ok(()) };
        let done = work_through(vec![0], vec![(); 4], start, |(), ()| Ok(()));
        assert_eq!(done.unwrap_err().to_string(), "7: is wrong; mend it");
    }
}
