//! Handles stop signals: Ctrl-C, SIGTERM, SIGHUP, or a closed window.

use crate::{output, pipes, progress};

/// Exit code of a program that Ctrl-C has ended, as shells expect.
pub(crate) const INTERRUPTED: u8 = 130;

/// Installs the signal handler. After a stop signal no unfinished files remain. If a library call is running
/// that can be cancelled, the handler cancels this call, and the command ends with its error. Otherwise, and
/// after a second signal, the program ends at once.
pub(crate) fn install() {
    let stop = || {
        if progress::can_be_cancelled() && progress::cancel().set() {
            return;
        }
        clear();
        std::process::exit(INTERRUPTED.into());
    };
    // If signals are not available, the program works without a handler.
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
