//! GPUs: opening, properties, and memory budgets.
#![allow(unsafe_code)]

use super::code;
use super::driver::{Driver, call};
use super::error::{CudaError, CudaResult};
use super::page_locked::PageLocked;
use crate::bytes::show_bytes;
use arcuate_core::narrow;
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The minimum compute capability, for which our kernels are compiled (Turing, 2018).
const LEAST_CAPABILITY: (u32, u32) = (7, 5);
/// Memory excluded from budgets, for the driver's own needs and rounding of allocations.
const RESERVE: u64 = 256 << 20;
/// The driver rounds allocations up to a multiple of this, in bytes.
const GRANULE: u64 = 512;

/// An open GPU; clones share it.
#[derive(Clone)]
pub struct Gpu {
    context: Arc<Context>,
    cap: Option<u64>,
    /// In dry-run mode: the bytes that would have been allocated.
    counted: Option<Arc<AtomicU64>>,
}

/// Modules loaded into a context, which are unloaded with it.
pub(super) trait Loaded: Any + Send + Sync {
    /// Unloads it from the GPU whose context is current. It must not be in use or be used again.
    fn unload(&self);
}

/// Loaded modules, by a unique address.
type Families = HashMap<usize, Arc<dyn Loaded>>;

/// The state shared by clones of a [`Gpu`].
struct Context {
    ordinal: usize,
    device: sys::CUdevice,
    raw: sys::CUcontext,
    name: String,
    capability: (u32, u32),
    multiprocessors: u32,
    shared_bytes: u32,
    total: u64,
    /// Bytes held by buffers.
    allocated: AtomicU64,
    /// Families of kernels, by the unique address of their images.
    loaded: Mutex<Families>,
    /// Page-locked host memory that copies have used and that can be reused.
    rooms: Mutex<Vec<PageLocked>>,
}

// SAFETY: the handles are not addresses in our memory, and the driver may be called with them from any
// thread; each call first makes the context current on its thread.
unsafe impl Send for Context {}
// SAFETY: as above; mutable state is behind atomics and a mutex.
unsafe impl Sync for Context {}

/// A GPU as listed by `arcuate setup devices`, usable or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuReport {
    /// Its number, as in `cuda:0`.
    pub ordinal: usize,
    /// The manufacturer's name.
    pub name: String,
    /// Total memory in bytes.
    pub total_bytes: u64,
    /// Free memory in bytes; `None` if the GPU could not be opened.
    pub free_bytes: Option<u64>,
    /// Compute capability, major and minor.
    pub capability: (u32, u32),
    /// Version of the driver, and of CUDA as it supports it.
    pub driver: String,
    /// The reason why it cannot be used, if so.
    pub unusable: Option<String>,
}

impl Gpu {
    /// Opens GPU number `ordinal` as numbered by the driver. Returns an error with the reason if it cannot be
    /// used. Open each GPU once and clone it: a GPU opened again loads its kernels again and counts its
    /// memory separately.
    pub fn open(ordinal: usize) -> CudaResult<Self> {
        let refuse = |reason| CudaError::Unusable { gpu: format!("cuda:{ordinal}"), reason };
        let driver = Driver::get().map_err(refuse)?;
        if ordinal >= driver.gpus {
            let last = driver.gpus - 1;
            let there = if last == 0 { "cuda:0 alone".to_owned() } else { format!("cuda:0 to cuda:{last}") };
            return Err(refuse(format!("there is no GPU with this number; this machine has {there}")));
        }
        let found = Found::ask(ordinal)?;
        if let Some(reason) = driver.unfit.clone().or_else(|| found.unusable()) {
            return Err(CudaError::Unusable { gpu: format!("cuda:{ordinal} ({})", found.name), reason });
        }
        found.open()
    }

    /// Opens the first usable GPU. If none is usable, returns the error of the first.
    pub fn open_first() -> CudaResult<Self> {
        Self::open(0).or_else(|error| {
            let others = 1..Driver::get().map_or(0, |driver| driver.gpus);
            others.into_iter().find_map(|ordinal| Self::open(ordinal).ok()).ok_or(error)
        })
    }

    /// Limits the memory of the buffers of this GPU and all its clones together, in bytes; `None` removes the
    /// limit.
    pub fn with_memory_cap(&self, cap: Option<u64>) -> Self {
        Self { cap, ..self.clone() }
    }

    /// Its number, as in `cuda:0`.
    pub fn ordinal(&self) -> usize {
        self.context.ordinal
    }

    /// The manufacturer's name.
    pub fn name(&self) -> &str {
        &self.context.name
    }

    /// Version of the driver, and of CUDA as it supports it; empty if the driver is no longer available.
    pub fn driver(&self) -> String {
        Driver::get().map(Driver::version).unwrap_or_default()
    }

    /// Compute capability, major and minor.
    pub fn capability(&self) -> (u32, u32) {
        self.context.capability
    }

    /// Number of multiprocessors, for launches that fill the GPU once.
    pub fn multiprocessors(&self) -> u32 {
        self.context.multiprocessors
    }

    /// Maximum shared memory of one block, in bytes.
    pub fn shared_bytes(&self) -> u32 {
        self.context.shared_bytes
    }

    /// Total memory in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.context.total
    }

    /// Bytes held by buffers of this GPU and its clones.
    pub fn allocated_bytes(&self) -> u64 {
        self.context.allocated.load(Ordering::Relaxed)
    }

    /// The memory limit of buffers in bytes, if set.
    pub fn memory_cap(&self) -> Option<u64> {
        self.cap
    }

    /// Free memory in bytes.
    pub fn free_bytes(&self) -> CudaResult<u64> {
        self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: writes two numbers.
        unsafe { call!(self, cuMemGetInfo_v2(&raw mut free, &raw mut total)) }?;
        Ok(free as u64)
    }

    /// Counts the bytes of the buffers that `make` creates, without allocating them. `make` gets this GPU in
    /// a dry-run mode, in which buffers have a length but no memory, and copies to them do nothing. So the
    /// code that allocates memory also predicts its size. `make` must not launch kernels.
    pub fn bytes_of<R>(&self, make: impl FnOnce(&Self) -> CudaResult<R>) -> CudaResult<u64> {
        let counted = Arc::new(AtomicU64::new(0));
        drop(make(&Self { counted: Some(Arc::clone(&counted)), ..self.clone() })?);
        Ok(counted.load(Ordering::Relaxed))
    }

    /// Bytes that a plan may still use: free memory minus a reserve, or the rest of the cap, whichever is
    /// less.
    pub fn budget(&self) -> CudaResult<u64> {
        let reserve = RESERVE.min(self.total_bytes() / 32);
        let free = self.free_bytes()?.saturating_sub(reserve);
        Ok(self.cap.map_or(free, |cap| free.min(cap.saturating_sub(self.allocated_bytes()))))
    }

    /// Waits until all queued work of this GPU is done.
    pub fn synchronize(&self) -> CudaResult<()> {
        self.bind()?;
        // SAFETY: waits for the current context, which is ours.
        unsafe { call!(self, cuCtxSynchronize()) }
    }

    /// Lets kernels of this GPU access the memory of `other`. Returns whether that is possible. Copies
    /// between GPUs do not need this.
    pub fn reach(&self, other: &Self) -> CudaResult<bool> {
        if self == other {
            return Ok(true);
        }
        let mut possible = 0;
        // SAFETY: writes one int.
        unsafe {
            call!(self, cuDeviceCanAccessPeer(&raw mut possible, self.context.device, other.context.device))
        }?;
        if possible == 0 {
            return Ok(false);
        }
        self.bind()?;
        // SAFETY: both contexts live as long as their GPUs.
        match unsafe { call!(self, cuCtxEnablePeerAccess(other.context.raw, 0)) } {
            Ok(()) | Err(CudaError::Call { code: code::PEER_ACCESS_ALREADY_ENABLED, .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Makes this GPU current for driver calls of this thread.
    pub(super) fn bind(&self) -> CudaResult<()> {
        // SAFETY: the context lives as long as `self`.
        unsafe { call!(self, cuCtxSetCurrent(self.context.raw)) }
    }

    pub(super) fn raw_context(&self) -> sys::CUcontext {
        self.context.raw
    }

    /// Returns whether this is the dry-run mode.
    pub(super) fn counts_only(&self) -> bool {
        self.counted.is_some()
    }

    /// Allocates `bytes` (above 0) bytes of uninitialised device memory. In dry-run mode it allocates nothing
    /// and returns address 0.
    pub(super) fn allocate(&self, bytes: u64) -> CudaResult<sys::CUdeviceptr> {
        if let Some(counted) = &self.counted {
            counted.fetch_add(bytes.next_multiple_of(GRANULE), Ordering::Relaxed);
            return Ok(0);
        }
        let held = self.context.allocated.fetch_add(bytes, Ordering::Relaxed);
        let taken = self.allocate_within_cap(bytes, held);
        if taken.is_err() {
            self.context.allocated.fetch_sub(bytes, Ordering::Relaxed);
        }
        taken
    }

    fn allocate_within_cap(&self, bytes: u64, held: u64) -> CudaResult<sys::CUdeviceptr> {
        let no_room =
            |why| CudaError::OutOfMemory { call: "cuMemAlloc_v2", gpu: self.to_string(), bytes, why };
        if let Some(cap) = self.cap
            && held.saturating_add(bytes) > cap
        {
            let (cap, held) = (show_bytes(cap), show_bytes(held));
            return Err(no_room(format!(
                "‘device_memory’ limits GPU memory to {cap}, of which {held} are in \
                                        use"
            )));
        }
        self.bind()?;
        let mut pointer = 0;
        // SAFETY: writes the address of the new memory.
        match unsafe { call!(self, cuMemAlloc_v2(&raw mut pointer, bytes as usize)) } {
            Ok(()) => Ok(pointer),
            Err(CudaError::OutOfMemory { .. }) => {
                let free = self
                    .free_bytes()
                    .map_or_else(|_| "too little is".to_owned(), |free| format!("{} are", show_bytes(free)));
                Err(no_room(format!("{free} free of {}", show_bytes(self.total_bytes()))))
            }
            Err(error) => Err(error),
        }
    }

    /// Page-locked host memory available for reuse.
    pub(super) fn rooms(&self) -> MutexGuard<'_, Vec<PageLocked>> {
        self.context.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loaded families of kernels.
    pub(super) fn loaded(&self) -> MutexGuard<'_, Families> {
        self.context.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frees memory of [`Self::allocate`].
    ///
    /// # Safety
    /// `pointer` must come from `allocate(bytes)` of this GPU and must not be used any more.
    pub(super) unsafe fn release(&self, pointer: sys::CUdeviceptr, bytes: u64) {
        self.context.allocated.fetch_sub(bytes, Ordering::Relaxed);
        // After a fault, a context returns that fault in every call; it has already been reported.
        if self.bind().is_ok() {
            // SAFETY: as promised by the caller; the driver waits for work that still uses the memory.
            let _ = unsafe { call!(self, cuMemFree_v2(pointer)) };
        }
    }
}

impl PartialEq for Gpu {
    /// Returns whether both are the same GPU of this machine.
    fn eq(&self, other: &Self) -> bool {
        self.context.ordinal == other.context.ordinal
    }
}

impl Eq for Gpu {}

impl fmt::Display for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cuda:{} ({})", self.context.ordinal, self.context.name)
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu")
            .field("ordinal", &self.context.ordinal)
            .field("name", &self.context.name)
            .field("capability", &self.context.capability)
            .field("cap", &self.cap)
            .finish_non_exhaustive()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let loaded = self.loaded.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: buffers, streams and kernels hold the GPU, so none of them is left.
        if unsafe { call!(self.name, cuCtxSetCurrent(self.raw)) }.is_ok() {
            for room in self.rooms.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
                // SAFETY: of this context, and not in use.
                let _ = unsafe { call!(self.name, cuMemFreeHost(room.address().cast())) };
            }
            for family in loaded.values() {
                family.unload();
            }
        }
        // SAFETY: retained once when it was opened; none of our objects uses it any more.
        let _ = unsafe { call!(self.name, cuDevicePrimaryCtxRelease_v2(self.device)) };
    }
}

/// One or several GPUs of this machine, all different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gpus(Arc<[Gpu]>);

impl Gpus {
    /// Opens the GPUs with these numbers, in this order.
    pub fn open(ordinals: &[usize]) -> CudaResult<Self> {
        Self::new(ordinals.iter().map(|&ordinal| Gpu::open(ordinal)).collect::<CudaResult<Vec<_>>>()?)
    }

    /// Wraps open GPUs: at least one, all different.
    pub fn new(gpus: Vec<Gpu>) -> CudaResult<Self> {
        let misuse = |about: String, problem: &str| CudaError::Misuse { about, problem: problem.to_owned() };
        if gpus.is_empty() {
            return Err(misuse("a list of GPUs".to_owned(), "it is empty"));
        }
        if let Some(twice) = (1..gpus.len()).find(|&n| gpus[..n].contains(&gpus[n])) {
            return Err(misuse(gpus[twice].to_string(), "it is listed twice"));
        }
        Ok(Self(gpus.into()))
    }

    /// The first GPU, for work that is not split.
    pub fn first(&self) -> &Gpu {
        &self.0[0]
    }

    /// Limits the memory of the buffers of each GPU, in bytes.
    pub fn with_memory_cap(&self, cap: Option<u64>) -> Self {
        Self(self.0.iter().map(|gpu| gpu.with_memory_cap(cap)).collect())
    }

    /// The smallest budget among them, in bytes.
    pub fn budget(&self) -> CudaResult<u64> {
        self.0.iter().try_fold(u64::MAX, |least, gpu| Ok(least.min(gpu.budget()?)))
    }
}

impl std::ops::Deref for Gpus {
    type Target = [Gpu];

    fn deref(&self) -> &[Gpu] {
        &self.0
    }
}

/// Lists all GPUs of the driver. The error tells the user why there are none.
pub fn list_gpus() -> Result<Vec<GpuReport>, String> {
    let driver = Driver::get()?;
    let version = driver.version();
    Ok((0..driver.gpus).map(|ordinal| report(ordinal, driver, &version)).collect())
}

fn report(ordinal: usize, driver: &Driver, version: &str) -> GpuReport {
    let mut report = GpuReport {
        ordinal,
        name: "unknown GPU".to_owned(),
        total_bytes: 0,
        free_bytes: None,
        capability: (0, 0),
        driver: version.to_owned(),
        unusable: None,
    };
    let opened = Found::ask(ordinal).and_then(|found| {
        report.name.clone_from(&found.name);
        (report.total_bytes, report.capability) = (found.total, found.capability);
        report.unusable = driver.unfit.clone().or_else(|| found.unusable());
        if report.unusable.is_none() {
            report.free_bytes = Some(found.open()?.free_bytes()?);
        }
        Ok(())
    });
    if let Err(error) = opened {
        report.unusable = Some(match error {
            CudaError::Unusable { reason, .. } => reason,
            CudaError::OutOfMemory { .. } => {
                "no memory is left to open it: other programs hold it".to_owned()
            }
            error => error.to_string(),
        });
    }
    report
}

/// Properties of a GPU that is not open.
struct Found {
    ordinal: usize,
    device: sys::CUdevice,
    name: String,
    capability: (u32, u32),
    multiprocessors: u32,
    shared_bytes: u32,
    prohibited: bool,
    total: u64,
}

impl Found {
    /// Queries GPU number `ordinal`, which must exist.
    fn ask(ordinal: usize) -> CudaResult<Self> {
        let about = format!("cuda:{ordinal}");
        let mut device = 0;
        // SAFETY: writes one int.
        unsafe { call!(about, cuDeviceGet(&raw mut device, narrow::<i32>(ordinal))) }?;
        let mut name = [0_u8; 256];
        // SAFETY: writes at most 256 bytes, the last a zero.
        unsafe {
            call!(about, cuDeviceGetName(name.as_mut_ptr().cast(), narrow::<i32>(name.len()), device))
        }?;
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        let mut total = 0;
        // SAFETY: writes one number.
        unsafe { call!(about, cuDeviceTotalMem_v2(&raw mut total, device)) }?;
        let attribute = |attribute| {
            let mut value = 0;
            // SAFETY: writes one int.
            unsafe { call!(about, cuDeviceGetAttribute(&raw mut value, attribute, device)) }?;
            Ok(value.unsigned_abs())
        };
        let prohibited = sys::CUcomputemode::CU_COMPUTEMODE_PROHIBITED as u32;
        Ok(Self {
            ordinal,
            device,
            name: String::from_utf8_lossy(name).into_owned(),
            capability: (
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            shared_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            prohibited: attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)? == prohibited,
            total: total as u64,
        })
    }

    /// The reason why it cannot be used, as far as its properties show.
    fn unusable(&self) -> Option<String> {
        let (major, minor) = self.capability;
        if self.capability < LEAST_CAPABILITY {
            let (least, least_minor) = LEAST_CAPABILITY;
            return Some(format!(
                "its compute capability {major}.{minor} is below {least}.{least_minor}, the least that Arcuate serves"
            ));
        }
        self.prohibited.then(|| "its compute mode is Prohibited; an administrator can change that".to_owned())
    }

    fn open(self) -> CudaResult<Gpu> {
        let mut context = std::ptr::null_mut();
        let about = format!("cuda:{} ({})", self.ordinal, self.name);
        // SAFETY: writes the handle of the primary context, which is shared within this process.
        match unsafe { call!(about, cuDevicePrimaryCtxRetain(&raw mut context, self.device)) } {
            Err(CudaError::Call { code: code::DEVICE_UNAVAILABLE, .. }) => {
                let reason = "another program has it to itself (exclusive compute mode)".to_owned();
                return Err(CudaError::Unusable { gpu: about, reason });
            }
            answer => answer?,
        }
        Ok(Gpu {
            context: Arc::new(Context {
                ordinal: self.ordinal,
                device: self.device,
                raw: context,
                name: self.name,
                capability: self.capability,
                multiprocessors: self.multiprocessors,
                shared_bytes: self.shared_bytes,
                total: self.total,
                allocated: AtomicU64::new(0),
                loaded: Mutex::default(),
                rooms: Mutex::default(),
            }),
            cap: None,
            counted: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_that_cannot_be_used_say_why() {
        let found = |capability, prohibited| Found {
            ordinal: 0,
            device: 0,
            name: "a GPU".into(),
            capability,
            multiprocessors: 1,
            shared_bytes: 48 << 10,
            prohibited,
            total: 1 << 30,
        };
        assert_eq!(found((7, 5), false).unusable(), None);
        assert_eq!(found((10, 0), false).unusable(), None);
        assert!(found((7, 0), false).unusable().unwrap().contains("7.0 is below 7.5"));
        assert!(found((9, 0), true).unusable().unwrap().contains("Prohibited"));
    }

    #[test]
    fn a_list_of_no_gpus_is_refused() {
        assert!(matches!(Gpus::open(&[]), Err(CudaError::Misuse { .. })));
    }
}
