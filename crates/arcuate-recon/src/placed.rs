//! What lies on a GPU from its first use on.

use arcuate_compute::cuda::{Buffer, CudaError, Gpu, Plain};
use arcuate_compute::{Device, fall_back, with_fallback};
use arcuate_core::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The GPU that something lies on, until it is given up.
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

    /// Says in one warning that the processor does it from now on.
    pub(crate) fn retreat(&self, error: &Error) {
        self.given_up.store(true, Ordering::Relaxed);
        fall_back(error, "doing it on the CPU from now on");
    }
}

/// The half of something that lies on a GPU: put there when it is first asked for. Clones share it.
pub(crate) struct Placed<P>(Arc<OnceLock<Option<P>>>);

impl<P> Clone for Placed<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P> Default for Placed<P> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<P> std::fmt::Debug for Placed<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Placed({})", matches!(self.0.get(), Some(Some(_))))
    }
}

impl<P: AsRef<Place>> Placed<P> {
    /// What lies on the first GPU of `device`, made by `make` the first time; nothing where there is no GPU, or it fails, which is
    /// said in one warning.
    ///
    /// # Panics
    /// Where it fails and [fallbacks are forbidden](arcuate_compute::fallback_is_allowed).
    pub(crate) fn on(&self, device: &Device, what: &str, make: impl Fn(&Gpu) -> Result<P>) -> Option<&P> {
        let placed = self.0.get_or_init(|| {
            let done = with_fallback(what, device, |device| match device {
                Device::Cpu => Ok(None),
                Device::Cuda(gpus) => make(gpus.first()).map(Some),
            });
            done.unwrap_or_else(|error| {
                fall_back(&error, "doing it on the CPU");
                None
            })
        });
        placed.as_ref().filter(|placed| !(*placed).as_ref().given_up.load(Ordering::Relaxed))
    }
}

/// Fails where vectors are not of so many numbers.
pub(crate) fn fits<T: Plain>(what: &str, numbers: usize, from: &Buffer<T>, to: &Buffer<T>) -> Result<()> {
    if (from.len(), to.len()) == (numbers, numbers) {
        return Ok(());
    }
    let problem = format!("vectors of {} and {} numbers are not of {numbers}", from.len(), to.len());
    Err(CudaError::Misuse { about: what.to_owned(), problem }.into())
}
