//! What a caller holds of a call that takes long: it is told how far the work is, may end it, and hears its warnings.

use crate::{Error, Result};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Who is told how much is done, and of how much.
type Progress = Arc<dyn Fn(u64, u64) + Send + Sync>;
/// Who hears warnings.
type Warnings = Arc<dyn Fn(&str) + Send + Sync>;

/// What a caller holds of a call that takes long. By default nobody is told how far it is, nothing ends it, and warnings go
/// where `tracing` takes them. Copies hold the same call; results do not depend on it.
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
    warnings: Option<Warnings>,
}

impl Control {
    /// Calls `told` with how much is done, and of how much: seeds, streamlines, voxels, iterations. Several threads call it, so that
    /// what is said last need not be the most.
    pub fn with_progress(self, told: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        Self { progress: Some(Arc::new(told)), ..self }
    }

    /// Ends the work once `cancel` is set.
    pub fn with_cancel(self, cancel: &Cancel) -> Self {
        Self { cancel: Some(cancel.clone()), ..self }
    }

    /// Calls `heard` with each warning, in the place of `tracing`.
    pub fn with_warnings(self, heard: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { warnings: Some(Arc::new(heard)), ..self }
    }

    /// The same without anybody who is told how far it is: for a part of the work that is counted as a whole.
    pub fn without_progress(&self) -> Self {
        Self { progress: None, ..self.clone() }
    }

    /// Tells how much is done, and of how much.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled) where the work shall end: the caller returns it as soon as it can.
    pub fn progress(&self, done: u64, total: u64) -> Result<()> {
        self.check()?;
        if let Some(told) = &self.progress {
            told(done, total);
        }
        Ok(())
    }

    /// Fails where the work shall end, like [`progress`](Self::progress).
    pub fn check(&self) -> Result<()> {
        self.cancel.as_ref().map_or(Ok(()), Cancel::check)
    }

    /// Whether the work shall end.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(Cancel::is_set)
    }

    /// Says something that the caller should know of the result.
    pub fn warn(&self, warning: &str) {
        if let Some(heard) = &self.warnings {
            heard(warning);
        } else {
            tracing::warn!("{warning}");
        }
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("progress", &self.progress.is_some())
            .field("cancel", &self.cancel)
            .field("warnings", &self.warnings.is_some())
            .finish()
    }
}

/// Ends calls that hold it; copies are the same. Once set it stays so.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends the calls. True the first time.
    pub fn set(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// Fails where the calls shall end: between two of them.
    pub fn check(&self) -> Result<()> {
        if self.is_set() { Err(Error::cancelled()) } else { Ok(()) }
    }

    /// Whether the calls shall end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn callers_are_told_and_warned_until_they_end_the_call() {
        let (told, heard) = (Arc::new(Mutex::new(vec![])), Arc::new(Mutex::new(vec![])));
        let cancel = Cancel::default();
        let control = Control::default().with_cancel(&cancel);
        let control = {
            let (told, heard) = (Arc::clone(&told), Arc::clone(&heard));
            control
                .with_progress(move |done, of| told.lock().unwrap().push([done, of]))
                .with_warnings(move |warning| heard.lock().unwrap().push(warning.to_owned()))
        };
        control.progress(1, 3).unwrap();
        control.without_progress().progress(2, 3).unwrap();
        control.warn("low signal");
        assert!(cancel.set() && !cancel.set());
        let error = control.progress(3, 3).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Cancelled);
        assert!(control.without_progress().check().is_err() && Control::default().check().is_ok());
        assert_eq!(
            (told.lock().unwrap().as_slice(), heard.lock().unwrap().as_slice()),
            (&[[1, 3]][..], &["low signal".to_owned()][..])
        );
    }
}
