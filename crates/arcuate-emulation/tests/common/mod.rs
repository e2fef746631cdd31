//! Common code of the tests: a device with the emulation's own kernels.

#![allow(dead_code, reason = "each test program uses a part of it")]

pub(crate) mod written;

use arcuate_compute::cuda::{Argument, CudaResult, Gpu, Grid, Kernel, KernelImages, Kernels, Stream};
use arcuate_compute::kernel_images;
use std::sync::{Mutex, PoisonError};

static IMAGES: KernelImages = kernel_images!("../../src/kernels");

/// Returns the PTX of the emulation's own kernels.
pub(crate) fn ptx() -> Vec<u8> {
    IMAGES.ptx().unwrap().into_bytes()
}

/// A GPU (emulated or real), a stream of this GPU, and the kernels of `src/kernels.cu`.
pub(crate) struct Bench {
    pub(crate) gpu: Gpu,
    pub(crate) stream: Stream,
    pub(crate) kernels: Kernels,
}

impl Bench {
    /// Creates a bench on GPU `ordinal`. If `test` cannot run, prints the reason and returns `None`.
    pub(crate) fn new(test: &str, ordinal: usize) -> Option<Self> {
        arcuate_emulation::available(test).then(|| Self::on(ordinal))
    }

    /// Creates a bench on the first GPU, for a test in which the CPU may repeat work that fails on the GPU.
    pub(crate) fn with_fallback(test: &str) -> Option<Self> {
        arcuate_emulation::available_with_fallback(test).then(|| Self::on(0))
    }

    fn on(ordinal: usize) -> Self {
        let gpu = Gpu::open(ordinal).expect("the device is there");
        let stream = gpu.stream().unwrap();
        let kernels = gpu.kernels(&IMAGES).unwrap();
        Self { gpu, stream, kernels }
    }

    pub(crate) fn kernel(&self, name: &str) -> Kernel {
        self.kernels.get(name).unwrap()
    }

    /// Launches a kernel and waits for its end.
    pub(crate) fn run(&self, name: &str, grid: Grid, arguments: &[Argument<'_>]) -> CudaResult<()> {
        self.give(&self.stream, name, grid, arguments)?;
        self.stream.synchronize()
    }

    /// Launches a kernel in a stream.
    pub(crate) fn give(
        &self,
        stream: &Stream,
        name: &str,
        grid: Grid,
        arguments: &[Argument<'_>],
    ) -> CudaResult<()> {
        // SAFETY: tests pass the arguments that their kernels expect. The emulation stops wrong accesses of
        // the wrong kernels.
        unsafe { stream.launch(&self.kernel(name), grid, arguments) }
    }
}

/// Tests that choose an order hold this lock, so that only one such test of a process runs at a time.
pub(crate) static ORDERS: Mutex<()> = Mutex::new(());

/// Runs a test in several orders on the emulated device, and once on a real GPU.
pub(crate) fn in_several_orders(test: impl Fn()) {
    if !arcuate_emulation::emulated() {
        return test();
    }
    let _alone = ORDERS.lock().unwrap_or_else(PoisonError::into_inner);
    for order in [0, 1, 2, 3, 77] {
        arcuate_emulation::set_order(order);
        test();
    }
    arcuate_emulation::set_order(1);
}
