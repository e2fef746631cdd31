//! What happens when the program is told to stop: Ctrl-C, SIGTERM, SIGHUP, or the window is closed.

use crate::{output, pipes, progress};

/// Exit code of a program that Ctrl-C ended, as shells know it.
pub(crate) const INTERRUPTED: u8 = 130;

/// From now on a program that is told to stop leaves nothing unfinished behind.
pub(crate) fn install() {
    let stop = || {
        progress::clear();
        let _unfinished = arcuate_io::remove_unfinished();
        output::remove_empty_folders();
        pipes::remove_passing();
        std::process::exit(INTERRUPTED.into());
    };
    // Where signals cannot be had the program works all the same.
    if let Err(error) = ctrlc::set_handler(stop) {
        tracing::debug!("signals cannot be handled: {error}");
    }
}
