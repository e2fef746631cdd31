//! The threads that share the work.

use arcuate_compute::show_bytes;
use arcuate_core::{Error, Result};

/// Bytes of the stacks of a thread, with some to spare.
const ROOM_OF_A_THREAD: u64 = 9 << 18;

/// Starts the threads that share the work of this process: as many as are wanted, or one for each processor. A program that
/// has a pool of its own (`rayon`'s) needs none of them: work is done by the pool that it is called in.
///
/// Fails where they cannot be had, or were started before.
pub fn start(wanted: Option<usize>) -> Result<()> {
    if let Some(threads) = wanted.filter(|threads| !(1..=4096).contains(threads)) {
        let problem = format!("{threads} is not a number of threads");
        return Err(Error::usage("‘threads’", problem, "give 1 to 4096"));
    }
    // Where one that was started has no room for its stacks, the standard library ends the program.
    let room = wanted.unwrap_or(0) as u64 * ROOM_OF_A_THREAD;
    if let Some(threads) = wanted.filter(|_| !arcuate_io::memory::can_be_had(room)) {
        let problem = format!("{threads} threads cannot be had (they need {} of memory)", show_bytes(room));
        return Err(Error::usage("‘threads’", problem, "give fewer, or raise the limits of memory"));
    }
    let refused = match rayon::ThreadPoolBuilder::new().num_threads(wanted.unwrap_or(0)).build_global() {
        Ok(()) => return Ok(()),
        Err(error) => error,
    };
    let threads = wanted.map_or_else(|| "the threads".to_owned(), |threads| format!("{threads} threads"));
    let problem = format!("{threads} cannot be had ({refused})");
    Err(Error::usage("‘threads’", problem, "give fewer, or raise the limits of processes and memory"))
}
