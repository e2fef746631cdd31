//! Handles stop signals: Ctrl-C, SIGTERM, SIGHUP, or a closed window.

use crate::{output, pipes, progress};

/// Exit code of a program that Ctrl-C ended. Shells use the same code.
pub(crate) const INTERRUPTED: u8 = 130;

/// Installs the handler for stop signals such as Ctrl-C. If a function of the libraries is running that can
/// be cancelled, the handler cancels it, and the command ends with an error. If not, or after a second
/// signal, the program ends at once. In both cases, no unfinished files remain.
pub(crate) fn install() {
    let stop = || {
        if progress::can_be_cancelled() && progress::cancel().set() {
            return;
        }
        clear();
        std::process::exit(INTERRUPTED.into());
    };
    // If the system does not allow a signal handler, the program runs without one.
    if let Err(error) = ctrlc::set_handler(stop) {
        tracing::debug!("signals cannot be handled: {error}");
    }
}

/// Removes the progress display and unfinished outputs.
pub(crate) fn clear() {
    progress::clear();
    std::mem::forget(arcuate_io::remove_unfinished());
    output::remove_empty_folders();
    pipes::remove_passing();
}
