//! Control of long-running calls: progress, cancellation and warnings.

use crate::{Error, Result};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A function that receives the completed and the total amount of work.
type Progress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Progress, cancellation and warnings of a long-running call. By default there is no progress report and no
/// cancellation, and warnings go to `tracing`. Clones control the same call. Results do not depend on the
/// control.
///
/// ```
/// use arcuate_core::{Cancel, Control, ErrorKind};
///
/// let cancel = Cancel::default();
/// let control = Control::default().with_progress(|done, of| println!("{done} of {of}")).with_cancel(&cancel);
/// assert!(control.progress(1, 10).is_ok());
/// cancel.set(); // From another thread, or a handler of signals.
/// assert_eq!(control.progress(2, 10).unwrap_err().kind(), ErrorKind::Cancelled);
/// ```
#[derive(Clone, Default)]
pub struct Control {
    progress: Option<Progress>,
    cancel: Option<Cancel>,
}

impl Control {
    /// Sets a function that receives the completed and the total number of seeds, streamlines, voxels or
    /// iterations. Several threads call the function, so its last call may not have the largest number.
    pub fn with_progress(self, report: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        Self { progress: Some(Arc::new(report)), ..self }
    }

    /// Adds a [`Cancel`] value to this control. When this value is set, the work stops.
    pub fn with_cancel(self, cancel: &Cancel) -> Self {
        Self { cancel: Some(cancel.clone()), ..self }
    }

    /// Returns a copy of this control without progress reports. The copy is for a computation that is a
    /// single step in the progress of its caller.
    pub fn without_progress(&self) -> Self {
        Self { progress: None, ..self.clone() }
    }

    /// Reports the completed and the total amount of work.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) if the work was cancelled. The caller
    /// should return this error as soon as possible.
    pub fn progress(&self, done: u64, total: u64) -> Result<()> {
        self.check()?;
        if let Some(report) = &self.progress {
            report(done, total);
        }
        Ok(())
    }

    /// Returns an error if the work was cancelled, like [`progress`](Self::progress).
    pub fn check(&self) -> Result<()> {
        self.cancel.as_ref().map_or(Ok(()), Cancel::check)
    }

    /// Returns whether the work was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(Cancel::is_set)
    }

    /// Reports a warning about the result.
    pub fn warn(&self, warning: &str) {
        tracing::warn!("{warning}");
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("progress", &self.progress.is_some())
            .field("cancel", &self.cancel)
            .finish()
    }
}

/// Cancels long-running calls: all calls whose [`Control`] has a clone of this value. All clones are set
/// together, and cannot be reset.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Cancels the long-running calls that have a clone of this value. Returns `true` if the calls were not
    /// cancelled before.
    pub fn set(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// Returns an error if this value was set. Code that makes several long-running calls uses this function
    /// between two calls.
    pub fn check(&self) -> Result<()> {
        if self.is_set() { Err(Error::cancelled()) } else { Ok(()) }
    }

    /// Returns whether the calls were cancelled.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn progress_is_reported_until_the_call_is_cancelled() {
        let report = Arc::new(Mutex::new(vec![]));
        let cancel = Cancel::default();
        let control = Control::default().with_cancel(&cancel);
        let control = {
            let report = Arc::clone(&report);
            control.with_progress(move |done, of| report.lock().unwrap().push([done, of]))
        };
        control.progress(1, 3).unwrap();
        control.without_progress().progress(2, 3).unwrap();
        assert!(cancel.set() && !cancel.set());
        let error = control.progress(3, 3).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Cancelled);
        assert!(control.without_progress().check().is_err() && Control::default().check().is_ok());
        assert_eq!(report.lock().unwrap().as_slice(), [[1, 3]]);
    }
}
