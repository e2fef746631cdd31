//! GPUs: how they are opened, their properties, and their memory budgets.
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

/// The minimum compute capability of a GPU, for which our kernels are compiled (Turing, 2018).
const MIN_CAPABILITY: (u32, u32) = (7, 5);
/// Number of bytes of GPU memory that a memory budget does not include, because the driver needs memory
/// itself and rounds allocations up.
const RESERVE: u64 = 256 << 20;
/// The driver rounds the size of each allocation up to a multiple of this number of bytes.
const GRANULE: u64 = 512;

/// An open GPU. Clones refer to the same GPU.
#[derive(Clone)]
pub struct Gpu {
    context: Arc<Context>,
    cap: Option<u64>,
    /// Number of bytes that would have been allocated in dry-run mode; `None` if memory is really allocated.
    counted: Option<Arc<AtomicU64>>,
}

/// A module that is loaded into a GPU context and is unloaded together with the context.
pub(super) trait Loaded: Any + Send + Sync {
    /// Unloads the module from the GPU whose context is current. The module must not be in use, and must not
    /// be used again.
    fn unload(&self);
}

/// Modules (compiled kernels) that are loaded on a GPU. The key of a module is the address of its kernel
/// image in host memory, which is unique.
type Families = HashMap<usize, Arc<dyn Loaded>>;

/// The state that all clones of a [`Gpu`] share.
struct Context {
    ordinal: usize,
    device: sys::CUdevice,
    raw: sys::CUcontext,
    name: String,
    capability: (u32, u32),
    multiprocessors: u32,
    shared_bytes: u32,
    total: u64,
    /// Number of bytes in all buffers of the GPU.
    allocated: AtomicU64,
    /// Families of kernels that are loaded on the GPU. The key of a family is the address of its kernel image
    /// in host memory, which is unique.
    loaded: Mutex<Families>,
    /// Page-locked host memory that earlier copies used and that later copies can reuse.
    page_locked_pool: Mutex<Vec<PageLocked>>,
}

// SAFETY: the handles of the driver are not addresses in the memory of this program.
// The driver may be called with these handles from any thread. Each call first makes the GPU's context
// current on its thread.
unsafe impl Send for Context {}
// SAFETY: the handles may be used from any thread; mutable state is in atomics and mutexes.
unsafe impl Sync for Context {}

/// A GPU as `arcuate setup devices` lists it, whether it can be used or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuReport {
    /// The driver's number of the GPU, as in `cuda:0`.
    pub ordinal: usize,
    /// The manufacturer's name of the GPU.
    pub name: String,
    /// Total GPU memory in bytes.
    pub total_bytes: u64,
    /// Free GPU memory in bytes; `None` if the GPU could not be opened.
    pub free_bytes: Option<u64>,
    /// Compute capability of the GPU: major and minor number.
    pub capability: (u32, u32),
    /// Version of the driver, and version of CUDA that the driver supports.
    pub driver: String,
    /// The reason why the GPU cannot be used; `None` if it can.
    pub unusable: Option<String>,
}

impl Gpu {
    /// Opens the GPU with the driver's number `ordinal`. If the GPU cannot be used, the error states the
    /// reason. Open each GPU once and clone it. A GPU that is opened twice loads its kernels twice and counts
    /// its memory separately.
    pub fn open(ordinal: usize) -> CudaResult<Self> {
        let refuse = |reason| CudaError::Unusable { gpu: format!("cuda:{ordinal}"), reason };
        let driver = Driver::get().map_err(refuse)?;
        if ordinal >= driver.gpus {
            let last = driver.gpus - 1;
            let there = if last == 0 { "cuda:0 alone".to_owned() } else { format!("cuda:0 to cuda:{last}") };
            return Err(refuse(format!("no GPU has this number; this machine has {there}")));
        }
        let found = Found::ask(ordinal)?;
        if let Some(reason) = driver.unfit.clone().or_else(|| found.unusable()) {
            return Err(CudaError::Unusable { gpu: format!("cuda:{ordinal} ({})", found.name), reason });
        }
        found.open()
    }

    /// Opens the first GPU that can be used. If no GPU can be used, returns the error of the first one.
    pub fn open_first() -> CudaResult<Self> {
        Self::open(0).or_else(|error| {
            let others = 1..Driver::get().map_or(0, |driver| driver.gpus);
            others.into_iter().find_map(|ordinal| Self::open(ordinal).ok()).ok_or(error)
        })
    }

    /// Limits the memory that the buffers of this GPU and of all its clones may use together, in bytes.
    /// `None` removes the limit.
    pub fn with_memory_cap(&self, cap: Option<u64>) -> Self {
        Self { cap, ..self.clone() }
    }

    /// The driver's number of the GPU, as in `cuda:0`.
    pub fn ordinal(&self) -> usize {
        self.context.ordinal
    }

    /// The manufacturer's name of the GPU.
    pub fn name(&self) -> &str {
        &self.context.name
    }

    /// Version of the driver, and version of CUDA that the driver supports. Empty if the driver is no longer
    /// available.
    pub fn driver(&self) -> String {
        Driver::get().map(Driver::version).unwrap_or_default()
    }

    /// Compute capability of the GPU: major and minor number.
    pub fn capability(&self) -> (u32, u32) {
        self.context.capability
    }

    /// Number of multiprocessors of the GPU. A kernel launch with this number of thread blocks uses each
    /// multiprocessor once.
    pub fn multiprocessors(&self) -> u32 {
        self.context.multiprocessors
    }

    /// Maximum shared memory of one block of threads, in bytes.
    pub fn shared_bytes(&self) -> u32 {
        self.context.shared_bytes
    }

    /// Total GPU memory in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.context.total
    }

    /// Number of bytes in buffers of this GPU and its clones.
    pub fn allocated_bytes(&self) -> u64 {
        self.context.allocated.load(Ordering::Relaxed)
    }

    /// The limit of buffer memory in bytes; `None` without a limit.
    pub fn memory_cap(&self) -> Option<u64> {
        self.cap
    }

    /// Free GPU memory in bytes.
    pub fn free_bytes(&self) -> CudaResult<u64> {
        self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the driver writes two numbers.
        unsafe { call!(self, cuMemGetInfo_v2(&raw mut free, &raw mut total)) }?;
        Ok(free as u64)
    }

    /// Counts the bytes of the buffers that `make` creates, without allocating them. `make` gets this GPU in
    /// a dry-run mode. In this mode, buffers have a length but no memory, and copies to buffers do nothing.
    /// So the code that allocates memory also predicts its size. `make` must not launch kernels.
    pub fn bytes_of<R>(&self, make: impl FnOnce(&Self) -> CudaResult<R>) -> CudaResult<u64> {
        let counted = Arc::new(AtomicU64::new(0));
        drop(make(&Self { counted: Some(Arc::clone(&counted)), ..self.clone() })?);
        Ok(counted.load(Ordering::Relaxed))
    }

    /// Number of bytes of GPU memory that a new computation may still use. It is the free memory minus a
    /// reserve, or the rest of the memory limit if that is less.
    pub fn budget(&self) -> CudaResult<u64> {
        let reserve = RESERVE.min(self.total_bytes() / 32);
        let free = self.free_bytes()?.saturating_sub(reserve);
        Ok(self.cap.map_or(free, |cap| free.min(cap.saturating_sub(self.allocated_bytes()))))
    }

    /// Waits until this GPU has done all queued work.
    pub fn synchronize(&self) -> CudaResult<()> {
        self.bind()?;
        // SAFETY: the call waits for the current context, which is ours.
        unsafe { call!(self, cuCtxSynchronize()) }
    }

    /// Lets kernels of this GPU access the memory of `other`. Returns whether the two GPUs allow this. Copies
    /// between GPUs do not need this access.
    pub fn reach(&self, other: &Self) -> CudaResult<bool> {
        if self == other {
            return Ok(true);
        }
        let mut possible = 0;
        // SAFETY: the driver writes one int.
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

    /// Selects this GPU for all driver calls of the calling thread.
    pub(super) fn bind(&self) -> CudaResult<()> {
        // SAFETY: the context lives as long as `self`.
        unsafe { call!(self, cuCtxSetCurrent(self.context.raw)) }
    }

    pub(super) fn raw_context(&self) -> sys::CUcontext {
        self.context.raw
    }

    /// Returns whether the GPU is in dry-run mode, which only counts bytes.
    pub(super) fn counts_only(&self) -> bool {
        self.counted.is_some()
    }

    /// Allocates `bytes` bytes (more than 0) of uninitialised GPU memory. In dry-run mode, it allocates
    /// nothing and returns the address 0.
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
        // SAFETY: the driver writes the address of the new memory.
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

    /// Page-locked host memory that copies can reuse.
    pub(super) fn page_locked_pool(&self) -> MutexGuard<'_, Vec<PageLocked>> {
        self.context.page_locked_pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The kernel families that are loaded on this GPU.
    pub(super) fn loaded(&self) -> MutexGuard<'_, Families> {
        self.context.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frees GPU memory that [`Self::allocate`] has returned.
    ///
    /// # Safety
    /// `pointer` must come from `allocate(bytes)` of this GPU and must not be used any more.
    pub(super) unsafe fn release(&self, pointer: sys::CUdeviceptr, bytes: u64) {
        self.context.allocated.fetch_sub(bytes, Ordering::Relaxed);
        // After a fault, the context returns the same error in every call. That error has already been
        // reported.
        if self.bind().is_ok() {
            // SAFETY: the caller promises that the memory is not used any more. The driver waits for queued
            // work that uses it.
            let _ = unsafe { call!(self, cuMemFree_v2(pointer)) };
        }
    }
}

impl PartialEq for Gpu {
    /// Returns whether both values refer to the same GPU of this machine.
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
        // SAFETY: buffers, streams and kernels hold a clone of the GPU, so none of them is left.
        if unsafe { call!(self.name, cuCtxSetCurrent(self.raw)) }.is_ok() {
            for room in self.page_locked_pool.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
                // SAFETY: the memory belongs to this context and is not in use.
                let _ = unsafe { call!(self.name, cuMemFreeHost(room.address().cast())) };
            }
            for family in loaded.values() {
                family.unload();
            }
        }
        // SAFETY: the context was retained once when the GPU was opened, and no object uses it any more.
        let _ = unsafe { call!(self.name, cuDevicePrimaryCtxRelease_v2(self.device)) };
    }
}

/// One or several GPUs of this machine, all different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gpus(Arc<[Gpu]>);

impl Gpus {
    /// Opens the GPUs with these driver numbers, in this order.
    pub fn open(ordinals: &[usize]) -> CudaResult<Self> {
        Self::new(ordinals.iter().map(|&ordinal| Gpu::open(ordinal)).collect::<CudaResult<Vec<_>>>()?)
    }

    /// Creates a set of open GPUs. Returns an error if there is no GPU, or if a GPU is listed twice.
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

    /// The first GPU. Work that is not split uses this one.
    pub fn first(&self) -> &Gpu {
        &self.0[0]
    }

    /// Limits the memory that the buffers of each GPU may use, in bytes.
    pub fn with_memory_cap(&self, cap: Option<u64>) -> Self {
        Self(self.0.iter().map(|gpu| gpu.with_memory_cap(cap)).collect())
    }

    /// The smallest memory budget among the GPUs, in bytes.
    pub fn budget(&self) -> CudaResult<u64> {
        self.0.iter().try_fold(u64::MAX, |minimum, gpu| Ok(minimum.min(gpu.budget()?)))
    }
}

impl std::ops::Deref for Gpus {
    type Target = [Gpu];

    fn deref(&self) -> &[Gpu] {
        &self.0
    }
}

/// Lists all GPUs of the driver. If there are none, the error tells the user why.
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

/// Properties of a GPU that has not been opened.
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
    /// Queries the properties of the GPU with the driver's number `ordinal`, which must exist.
    fn ask(ordinal: usize) -> CudaResult<Self> {
        let about = format!("cuda:{ordinal}");
        let mut device = 0;
        // SAFETY: the driver writes one int.
        unsafe { call!(about, cuDeviceGet(&raw mut device, narrow::<i32>(ordinal))) }?;
        let mut name = [0_u8; 256];
        // SAFETY: the driver writes at most 256 bytes, of which the last one is zero.
        unsafe {
            call!(about, cuDeviceGetName(name.as_mut_ptr().cast(), narrow::<i32>(name.len()), device))
        }?;
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        let mut total = 0;
        // SAFETY: the driver writes one number.
        unsafe { call!(about, cuDeviceTotalMem_v2(&raw mut total, device)) }?;
        let attribute = |attribute| {
            let mut value = 0;
            // SAFETY: the driver writes one int.
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

    /// The reason why the GPU cannot be used, if its properties show a reason; `None` if they do not.
    fn unusable(&self) -> Option<String> {
        let (major, minor) = self.capability;
        if self.capability < MIN_CAPABILITY {
            let (minimum, least_minor) = MIN_CAPABILITY;
            return Some(format!(
                "its compute capability {major}.{minor} is below {minimum}.{least_minor}, the least that Arcuate serves"
            ));
        }
        self.prohibited.then(|| "its compute mode is Prohibited; an administrator can change that".to_owned())
    }

    fn open(self) -> CudaResult<Gpu> {
        let mut context = std::ptr::null_mut();
        let about = format!("cuda:{} ({})", self.ordinal, self.name);
        // SAFETY: the driver writes the handle of the primary context, which this process shares.
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
                page_locked_pool: Mutex::default(),
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
    fn unusable_gpus_have_a_reason() {
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
    fn empty_gpu_lists_are_rejected() {
        assert!(matches!(Gpus::open(&[]), Err(CudaError::Misuse { .. })));
    }
}
