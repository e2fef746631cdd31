//! Does the same work on many items in parallel.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does `work` on all items, with as many threads as the CPU has cores. Returns the first error, if any.
pub(crate) fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(usize, &T) -> Result<R, String> + Sync,
) -> Result<Vec<R>, String> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { break };
                    let result = work(number, item);
                    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_work_keeps_its_order() {
        let items: Vec<usize> = (0..50).collect();
        let double = |number: usize, item: &usize| Ok(number + item);
        assert_eq!(side_by_side(&items, double), Ok((0..50).map(|n| 2 * n).collect()));
        let error = |_: usize, item: &usize| if item % 20 == 7 { Err(item.to_string()) } else { Ok(()) };
        assert_eq!(side_by_side(&items, error), Err("7".to_owned()));
    }
}
