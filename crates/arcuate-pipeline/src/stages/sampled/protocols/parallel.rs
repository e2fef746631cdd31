//! Processes several tracts at the same time, so that the GPU and the CPU threads are always busy.

use super::folder::Protocol;
use super::tract::{Outcome, ProtocolContext};
use arcuate_core::{Cancel, Control, Error, Result, checked, threads};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Result of each tract, or the reason why it is not in the scan, in the order of the protocols.
pub(super) type Done = Vec<Outcome>;

/// Maximum number of tracts that are processed at the same time. While the streamlines of one tract are
/// followed, the masks of the next tract are read and the maps of the previous tract are written.
const AT_A_TIME: usize = 4;
/// Number of units into which the progress of a tract is divided.
const PARTS: u64 = 1000;

/// Follows the streamlines of all tracts. The result of a tract does not depend on the other tracts, because
/// each streamline has its own random numbers.
pub(super) fn follow_all(
    context: &ProtocolContext<'_>,
    protocols: &[Protocol],
    control: &Control,
) -> Result<Done> {
    let next = AtomicUsize::new(0);
    let progress = Arc::new(Mutex::new(vec![0; protocols.len()]));
    // If one tract fails, no worker starts another tract.
    let failed = Cancel::default();
    let work = || -> Result<Vec<(usize, Outcome)>> {
        let mut done = Vec::new();
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(protocol) = protocols.get(n) else { return Ok(done) };
            failed.check()?;
            let of_tract = of_tract(control, n, &progress);
            let number = checked::<u16>(n + 1, "‘protocols’", "tracts")?;
            match context.follow(number, protocol, &of_tract) {
                Ok(outcome) => done.push((n, outcome)),
                Err(error) => {
                    failed.set();
                    return Err(error);
                }
            }
        }
    };
    let workers = AT_A_TIME.min(protocols.len());
    // Each worker processes one tract after the other until no tract is left. If no thread can be started for
    // a worker, the other workers process its tracts.
    let all = threads::each(0..workers, |_, _| work());
    let (mut done, mut why) = (Vec::new(), None);
    for of_worker in all {
        match of_worker {
            Ok(tracts) => done.extend(tracts),
            // The failure of a tract cancels the other workers. The returned error is that of the tract, and
            // not a cancellation.
            Err(error) if why.is_none() || !is_cancelled(&error) => why = Some(error),
            Err(_) => {}
        }
    }
    if let Some(error) = why {
        return Err(error);
    }
    done.sort_by_key(|(n, _)| *n);
    Ok(done.into_iter().map(|(_, outcome)| outcome).collect())
}

fn is_cancelled(error: &Error) -> bool {
    error.kind() == arcuate_core::ErrorKind::Cancelled
}

/// Returns the control for one tract. Its progress is added to the progress of all tracts.
fn of_tract(control: &Control, n: usize, progress: &Arc<Mutex<Vec<u64>>>) -> Control {
    let (of_all, progress) = (control.clone(), Arc::clone(progress));
    control.clone().with_progress(move |done, of| {
        let mut parts = progress.lock().unwrap_or_else(PoisonError::into_inner);
        // If a tract is followed in both directions, its progress runs from 0 to 100 % twice. The largest
        // value so far is used.
        parts[n] = parts[n].max((u128::from(done) * u128::from(PARTS) / u128::from(of.max(1))) as u64);
        let (sum, all) = (parts.iter().sum(), PARTS * parts.len() as u64);
        drop(parts);
        // A cancellation by the user is ignored here, because the tracking of the tract checks for it itself.
        let _ = of_all.progress(sum, all);
    })
}
