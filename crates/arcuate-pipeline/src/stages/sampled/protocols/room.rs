//! Several tracts at the same time, so that a GPU, and threads, always have something to do.

use super::folder::Protocol;
use super::tract::{Outcome, Room};
use arcuate_core::{Cancel, Control, Error, Result, checked, threads};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What each tract came to, in their order.
pub(super) type Done = Vec<Outcome>;

/// Tracts that are at work at a time: while one is followed, the masks of the next are read and the maps of the last written.
const AT_A_TIME: usize = 4;
/// Parts of a tract that progress is told of.
const PARTS: u64 = 1000;

/// Follows all tracts. What each comes to depends on nothing but itself: each of its streamlines draws by its own number.
pub(super) fn follow_all(room: &Room<'_>, protocols: &[Protocol], control: &Control) -> Result<Done> {
    let next = AtomicUsize::new(0);
    let progress = Arc::new(Mutex::new(vec![0; protocols.len()]));
    // The tracts that have begun come to no end where one fails.
    let failed = Cancel::default();
    let work = || -> Result<Vec<(usize, Outcome)>> {
        let mut done = Vec::new();
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(protocol) = protocols.get(n) else { return Ok(done) };
            failed.check()?;
            let of_tract = of_tract(control, n, &progress);
            let number = checked::<u16>(n + 1, "‘protocols’", "tracts")?;
            match room.follow(number, protocol, &of_tract) {
                Ok(outcome) => done.push((n, outcome)),
                Err(error) => {
                    failed.set();
                    return Err(error);
                }
            }
        }
    };
    let workers = AT_A_TIME.min(protocols.len());
    // A worker takes tracts as long as there are any, so that one that has no thread leaves its tracts to the others.
    let all = threads::each(0..workers, |_, _| work());
    let (mut done, mut why) = (Vec::new(), None);
    for of_worker in all {
        match of_worker {
            Ok(tracts) => done.extend(tracts),
            // What went wrong first, not that the others were ended for it.
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

/// The same for one of the tracts, whose progress is a part of that of all.
fn of_tract(control: &Control, n: usize, progress: &Arc<Mutex<Vec<u64>>>) -> Control {
    let (of_all, progress) = (control.clone(), Arc::clone(progress));
    control.clone().with_progress(move |done, of| {
        let mut parts = progress.lock().unwrap_or_else(PoisonError::into_inner);
        // A tract that is followed both ways comes to its end twice.
        parts[n] = parts[n].max((u128::from(done) * u128::from(PARTS) / u128::from(of.max(1))) as u64);
        let (sum, all) = (parts.iter().sum(), PARTS * parts.len() as u64);
        drop(parts);
        // Who ends the work is asked by the tract itself.
        let _ = of_all.progress(sum, all);
    })
}
