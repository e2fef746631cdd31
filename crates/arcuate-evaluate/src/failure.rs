use arcuate_compute::fall_back;
use arcuate_core::Result;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether an operator's GPUs failed: what it is asked from then on is computed on the processor.
#[derive(Debug, Default)]
pub(crate) struct Failure(AtomicBool);

impl Failure {
    /// Whether a product or a solver failed on them.
    pub(crate) fn has_happened(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Uses them no more.
    pub(crate) fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether a product was computed on them. One that was not is said in one line, and is the last.
    pub(crate) fn unless(&self, product: &Result<()>) -> bool {
        if let Err(error) = product {
            self.note();
            fall_back(error, "products are computed on the CPU from now on");
        }
        product.is_ok()
    }
}
