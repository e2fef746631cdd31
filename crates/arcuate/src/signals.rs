//! Behaviour when the program is told to stop: Ctrl-C, SIGTERM, SIGHUP, or a closed window.

use crate::{output, pipes, progress};

/// Exit code of a program that Ctrl-C has ended, as shells expect.
pub(crate) const INTERRUPTED: u8 = 130;

/// Installs the signal handler. A program that is told to stop leaves no unfinished files. A library call
/// that can be cancelled is cancelled, and the command ends with its error. Other programs end at once, as
/// does a program that is told to stop twice.
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
