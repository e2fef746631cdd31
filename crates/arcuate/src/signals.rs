//! What happens when the program is told to stop: Ctrl-C, SIGTERM, SIGHUP, or the window is closed.

use crate::{output, pipes, progress};

/// Exit code of a program that Ctrl-C ended, as shells know it.
pub(crate) const INTERRUPTED: u8 = 130;

/// From now on a program that is told to stop leaves nothing unfinished behind. A call that can be cancelled is, and the command
/// ends with its error; all else, and one that is told so again, ends at once.
pub(crate) fn install() {
    let stop = || {
        if progress::can_be_cancelled() && progress::cancel().set() {
            return;
        }
        clear();
        std::process::exit(INTERRUPTED.into());
    };
    // Where signals cannot be had the program works all the same.
    if let Err(error) = ctrlc::set_handler(stop) {
        tracing::debug!("signals cannot be handled: {error}");
    }
}

/// Removes what the program shows and what it has not finished.
pub(crate) fn clear() {
    progress::clear();
    std::mem::forget(arcuate_io::remove_unfinished());
    output::remove_empty_folders();
    pipes::remove_passing();
}
