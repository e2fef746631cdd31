//! Threads of the global thread pool.

use arcuate_compute::show_bytes;
use arcuate_core::{Error, Result};

/// Memory that the stacks of one thread need, in bytes, with a margin.
const ROOM_OF_A_THREAD: u64 = 9 << 18;

/// Starts the global thread pool with `requested` threads, or, if it is `None`, with one thread per processor. A
/// program with its own `rayon` thread pool does not need this function, because work runs in the pool from
/// which it is called.
///
/// Returns an error if the threads cannot be created, or if the global thread pool exists already.
pub fn start(requested: Option<usize>) -> Result<()> {
    if let Some(threads) = requested.filter(|threads| !(1..=4096).contains(threads)) {
        let problem = format!("{threads} is not a possible number of threads");
        return Err(Error::usage("‘threads’", problem, "give 1 to 4096"));
    }
    // If there is no memory for the stacks of a new thread, the standard library aborts the program. The
    // memory is therefore checked first.
    let room = requested.unwrap_or(0) as u64 * ROOM_OF_A_THREAD;
    if let Some(threads) = requested.filter(|_| !arcuate_io::memory::can_allocate(room)) {
        let problem =
            format!("{threads} threads are not available (they need {} of memory)", show_bytes(room));
        return Err(Error::usage(
            "‘threads’",
            problem,
            "use fewer threads, or raise the memory limits of the operating system",
        ));
    }
    let refused = match rayon::ThreadPoolBuilder::new().num_threads(requested.unwrap_or(0)).build_global() {
        Ok(()) => return Ok(()),
        Err(error) => error,
    };
    let threads = requested.map_or_else(|| "the threads".to_owned(), |threads| format!("{threads} threads"));
    let problem = format!("{threads} are not available ({refused})");
    Err(Error::usage(
        "‘threads’",
        problem,
        "use fewer threads, or raise the limits of the operating system for processes and memory",
    ))
}
