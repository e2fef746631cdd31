//! Kernels that are written at run time and that the driver compiles.

use super::error::CudaResult;
use super::gpu::{Gpu, Loaded};
use super::kernels::{Compiled, Kernel};
use arcuate_core::threads;
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A kernel as PTX text, the result of [`Writer::finish`](super::writer::Writer::finish).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenKernel {
    name: String,
    text: Arc<str>,
}

impl WrittenKernel {
    pub(super) fn new(name: String, text: String) -> Self {
        Self { name, text: text.into() }
    }

    /// Name of the kernel.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// PTX text of the kernel.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of instructions of the kernel, including declarations. The time that the driver needs for
    /// compilation grows with this number.
    pub fn instructions(&self) -> usize {
        self.text.lines().filter(|line| line.ends_with(';')).count()
    }
}

/// The kernels written at run time that are loaded on a GPU. The key of a kernel is its PTX text.
#[derive(Default)]
struct Written {
    kernels: Mutex<HashMap<Arc<str>, Found>>,
}

/// A requested kernel; empty until the kernel is compiled. While one kernel is compiled, only requests for
/// the same kernel wait.
type Found = Arc<Mutex<Option<Compiled>>>;

/// The address of this variable is the key under which a GPU stores all kernels that are written at run time.
static PLACE: u8 = 0;

impl Loaded for Written {
    fn unload(&self) {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, found) in kernels.drain() {
            if let Some(compiled) = found.lock().unwrap_or_else(PoisonError::into_inner).take() {
                compiled.unload();
            }
        }
    }
}

impl Gpu {
    /// Returns the kernel on this GPU. The first call for a PTX text compiles the kernel.
    pub fn written(&self, kernel: &WrittenKernel) -> CudaResult<Kernel> {
        let found = {
            let written = self.all_written();
            let mut kernels = written.kernels.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(kernels.entry(Arc::clone(&kernel.text)).or_default())
        };
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = match &mut *found {
            Some(compiled) => compiled,
            none => none.insert(Compiled::new(self, &kernel.name, &kernel.text)?),
        };
        Ok(compiled.kernel(self))
    }

    /// Returns several kernels on this GPU, which are compiled in parallel.
    pub fn all_of_written(&self, kernels: &[WrittenKernel]) -> CudaResult<Vec<Kernel>> {
        threads::each(kernels, |_, kernel| self.written(kernel)).into_iter().collect()
    }

    fn all_written(&self) -> Arc<Written> {
        let mut loaded = self.loaded();
        let key = std::ptr::from_ref(&PLACE).addr();
        let there = loaded.get(&key).cloned().map(|family| family as Arc<dyn Any + Send + Sync>);
        if let Some(Ok(written)) = there.map(Arc::downcast::<Written>) {
            return written;
        }
        let written = Arc::new(Written::default());
        loaded.insert(key, Arc::clone(&written) as _);
        written
    }
}
