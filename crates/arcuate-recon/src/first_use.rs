//! Data on a GPU that are created when they are first used.

use arcuate_compute::cuda::{Buffer, CudaError, Gpu, Plain};
use arcuate_compute::{Device, fall_back, with_fallback};
use arcuate_core::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The GPU that an object uses. If the GPU fails, the object uses the CPU for the rest of its lifetime.
pub(crate) struct Place {
    gpu: Gpu,
    given_up: AtomicBool,
}

impl Place {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), given_up: AtomicBool::new(false) }
    }

    pub(crate) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Makes the object use the CPU for the rest of its lifetime, and prints one warning about the error of
    /// the GPU.
    ///
    /// # Panics
    /// Panics if [fallbacks are forbidden](arcuate_compute::fallback_is_allowed).
    pub(crate) fn retreat(&self, error: &Error) {
        self.given_up.store(true, Ordering::Relaxed);
        fall_back(error, "using the CPU for the rest of the run");
    }
}

/// The data of an object on a GPU, which are created when they are first requested. All clones of the object
/// share these data.
pub(crate) struct FirstUse<P>(Arc<OnceLock<Option<P>>>);

impl<P> Clone for FirstUse<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P> Default for FirstUse<P> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<P> std::fmt::Debug for FirstUse<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FirstUse({})", matches!(self.0.get(), Some(Some(_))))
    }
}

impl<P: AsRef<Place>> FirstUse<P> {
    /// Returns the object's data on the first GPU of `device`. The first call creates the data with `make`.
    /// If there is no GPU, or if the GPU fails, returns `None`. A failure is reported in one warning.
    ///
    /// # Panics
    /// Panics if the GPU fails and [fallbacks are forbidden](arcuate_compute::fallback_is_allowed).
    pub(crate) fn on(&self, device: &Device, what: &str, make: impl Fn(&Gpu) -> Result<P>) -> Option<&P> {
        let placed = self.0.get_or_init(|| {
            let done = with_fallback(what, device, |device| match device {
                Device::Cpu => Ok(None),
                Device::Cuda(gpus) => make(gpus.first()).map(Some),
            });
            done.unwrap_or_else(|error| {
                fall_back(&error, "using the CPU instead");
                None
            })
        });
        placed.as_ref().filter(|placed| !(*placed).as_ref().given_up.load(Ordering::Relaxed))
    }
}

/// Returns an error if one of the two vectors does not have `numbers` elements.
pub(crate) fn fits<T: Plain>(what: &str, numbers: usize, from: &Buffer<T>, to: &Buffer<T>) -> Result<()> {
    if (from.len(), to.len()) == (numbers, numbers) {
        return Ok(());
    }
    let problem = format!(
        "the input vector and the output vector have {} and {} numbers, but both need {numbers}",
        from.len(),
        to.len()
    );
    Err(CudaError::Misuse { about: what.to_owned(), problem }.into())
}
