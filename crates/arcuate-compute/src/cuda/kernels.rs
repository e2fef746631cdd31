//! GPU kernels: images that are built ahead of time, loading of these images, and properties that the driver
//! reports for each kernel.
#![allow(unsafe_code)]

use super::code;
use super::driver::call;
use super::error::{CudaError, CudaResult};
use super::gpu::{Gpu, Loaded};
use super::ptx;
use arcuate_core::{narrow, threads};
use cudarc::driver::sys::{self, CUfunction_attribute as Attribute};
use std::any::Any;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::io::Read;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Dynamic shared memory, in bytes, that a block of every kernel may have without a special setting.
const SHARED_WITHOUT_ASKING: u32 = 48 << 10;

/// The driver's environment variable that makes it ignore machine code and compile PTX. With it, the
/// behaviour on future GPUs can be tested on present ones.
const FORCE_PTX: &str = "CUDA_FORCE_PTX_JIT";

/// The kernels of one `kernels.cu`, compiled ahead of time and compressed (Brotli). The driver compiles the
/// PTX for any supported GPU. Machine code for some GPUs loads at once.
/// [`kernel_images!`](crate::kernel_images) creates this value.
#[derive(Debug)]
pub struct KernelImages {
    /// The module that contains the kernels, for messages.
    pub family: &'static str,
    /// Compressed PTX for the oldest supported GPU.
    pub ptx: &'static [u8],
    /// Compressed machine code, each with the compute capability for which it was compiled: 90 is `sm_90`,
    /// compute capability 9.0.
    pub cubins: &'static [(u32, &'static [u8])],
}

/// Includes the build products `NAME.ptx.br` and `NAME.sm_90.cubin.br` as
/// [`KernelImages`](crate::cuda::KernelImages). Both must be in the folder of the file that calls
/// `kernel_images!("NAME")`.
#[macro_export]
macro_rules! kernel_images {
    ($name:literal) => {
        $crate::cuda::KernelImages {
            family: ::core::module_path!(),
            ptx: ::core::include_bytes!(::core::concat!($name, ".ptx.br")),
            cubins: &[(90, ::core::include_bytes!(::core::concat!($name, ".sm_90.cubin.br")))],
        }
    };
}

impl KernelImages {
    /// Returns the kernel of this name on a GPU. The first call loads the family of kernels into the GPU.
    pub fn kernel(&'static self, gpu: &Gpu, name: &str) -> CudaResult<Kernel> {
        gpu.kernels(self)?.get(name)
    }

    /// Prepares the kernels of these names. If the driver must compile them, each is compiled in its own
    /// thread. A kernel that is not prepared is compiled at its first launch.
    pub fn prepare(&'static self, gpu: &Gpu, names: &[String]) -> CudaResult<()> {
        let kernels = gpu.kernels(self)?;
        if let Code::Machine(_) = kernels.module.code {
            return Ok(());
        }
        threads::each(names, |_, name| kernels.get(name)).into_iter().try_for_each(|made| made.map(drop))
    }

    /// Returns the PTX that the compiler has produced, decompressed.
    pub fn ptx(&self) -> CudaResult<String> {
        String::from_utf8(unpacked(self.family, self.ptx)?).map_err(|_| CudaError::Misuse {
            about: format!("kernels of {}", self.family),
            problem: "their PTX is not text".to_owned(),
        })
    }

    /// Returns the compressed machine code for a GPU of this compute capability. Machine code runs on a GPU
    /// with the same major number and the same or a higher minor number. Returns `None` if there is no such
    /// machine code.
    fn machine_code(&self, (major, minor): (u32, u32)) -> Option<&'static [u8]> {
        let fits = |sm: u32| sm / 10 == major && sm % 10 <= minor;
        if std::env::var_os(FORCE_PTX).is_some_and(|value| value == "1") {
            return None;
        }
        let best = self.cubins.iter().filter(|(sm, _)| fits(*sm)).max_by_key(|(sm, _)| *sm);
        best.map(|(_, image)| *image)
    }
}

/// A family of kernels that is loaded on one GPU.
pub(super) struct Module {
    family: &'static str,
    code: Code,
    functions: Mutex<HashMap<String, Found>>,
    /// Modules that were compiled from PTX, one for each kernel.
    compiled: Mutex<Vec<sys::CUmodule>>,
}

/// A requested kernel, once it is available. During its compilation, only requests for the same kernel wait.
type Found = Arc<Mutex<Option<Arc<Function>>>>;

/// The code from which the kernels of a family are loaded.
enum Code {
    /// Machine code of all kernels, loaded on the GPU.
    Machine(sys::CUmodule),
    /// PTX of all kernels. Each kernel is compiled when it is requested, since a whole family takes up to a
    /// minute and a command launches only a few kernels.
    Ptx(String),
}

// SAFETY: the driver takes the module's handles from any thread; mutable state is behind mutexes.
unsafe impl Send for Module {}
// SAFETY: the driver takes the module's handles from any thread; mutable state is behind mutexes.
unsafe impl Sync for Module {}

impl Module {
    pub(super) fn load(gpu: &Gpu, images: &KernelImages) -> CudaResult<Self> {
        gpu.bind()?;
        let code = match images
            .machine_code(gpu.capability())
            .map(|image| load_machine_code(gpu, images.family, image))
        {
            Some(Ok(raw)) => Code::Machine(raw),
            Some(Err(error)) if error.is_out_of_memory() => return Err(error),
            Some(Err(error)) => {
                tracing::debug!("kernels of {} come from PTX: {error}", images.family);
                Code::Ptx(images.ptx()?)
            }
            None => Code::Ptx(images.ptx()?),
        };
        Ok(Self { family: images.family, code, functions: Mutex::default(), compiled: Mutex::default() })
    }

    /// Returns the kernel of this name. If there is no machine code, the driver compiles the kernel in the
    /// first call.
    fn function(&self, gpu: &Gpu, name: &str) -> CudaResult<Arc<Function>> {
        let found = {
            let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
            if !functions.contains_key(name) {
                functions.insert(name.to_owned(), Found::default());
            }
            Arc::clone(&functions[name])
        };
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = &*found {
            return Ok(Arc::clone(function));
        }
        gpu.bind()?;
        let about = format!("kernel `{name}` of {} on {gpu}", self.family);
        let raw = match &self.code {
            Code::Machine(raw) => *raw,
            Code::Ptx(all) => {
                let alone = ptx::of_one_kernel(all, name).ok_or_else(|| no_such_kernel(&about))?;
                tracing::info!(
                    target: "arcuate::waiting",
                    "{gpu}: its driver compiles kernels, since their machine code for this GPU is not in the program; it keeps them for the next time"
                );
                let raw = compile(&about, name, &alone)?;
                self.compiled.lock().unwrap_or_else(PoisonError::into_inner).push(raw);
                raw
            }
        };
        let function = Arc::new(Function::find(raw, &about, name)?);
        *found = Some(Arc::clone(&function));
        Ok(function)
    }
}

impl Loaded for Module {
    fn unload(&self) {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = match self.code {
            Code::Machine(raw) => Some(raw),
            Code::Ptx(_) => None,
        };
        for raw in compiled.drain(..).chain(whole) {
            // SAFETY: the module was loaded once, and only the end of its context unloads it.
            let _ = unsafe { call!(self.family, cuModuleUnload(raw)) };
        }
    }
}

impl Gpu {
    /// Returns the kernels of a family. The first call loads the family into this GPU.
    pub fn kernels(&self, images: &'static KernelImages) -> CudaResult<Kernels> {
        let mut loaded = self.loaded();
        let key = std::ptr::from_ref(images).addr();
        let there = loaded.get(&key).cloned().map(|family| family as Arc<dyn Any + Send + Sync>);
        let module = if let Some(Ok(module)) = there.map(Arc::downcast::<Module>) {
            module
        } else {
            let module = Arc::new(Module::load(self, images)?);
            loaded.insert(key, Arc::clone(&module) as _);
            module
        };
        drop(loaded);
        Ok(Kernels::new(self.clone(), module))
    }
}

/// A kernel that was written at run time and that the driver has compiled from its own PTX.
pub(super) struct Compiled {
    raw: sys::CUmodule,
    function: Arc<Function>,
}

// SAFETY: the driver takes the module's handle from any thread.
unsafe impl Send for Compiled {}

impl Compiled {
    pub(super) fn new(gpu: &Gpu, name: &str, ptx: &str) -> CudaResult<Self> {
        gpu.bind()?;
        let about = format!("kernel `{name}` on {gpu}");
        let raw = compile(&about, name, ptx)?;
        Ok(Self { raw, function: Arc::new(Function::find(raw, &about, name)?) })
    }

    pub(super) fn kernel(&self, gpu: &Gpu) -> Kernel {
        Kernel { gpu: gpu.clone(), function: Arc::clone(&self.function) }
    }

    /// Unloads the kernel. Call this only when the GPU's context ends.
    pub(super) fn unload(self) {
        // SAFETY: the module was loaded once, and only this call unloads it.
        let _ = unsafe { call!(self.function.name, cuModuleUnload(self.raw)) };
    }
}

fn load_machine_code(gpu: &Gpu, family: &str, image: &[u8]) -> CudaResult<sys::CUmodule> {
    let image = unpacked(family, image)?;
    // The driver reads the image as an ELF file, in 64-bit words. A vector of bytes need not be aligned to
    // words, so the image is copied.
    let mut words = vec![0_u64; image.len().div_ceil(8)];
    bytemuck::cast_slice_mut(&mut words)[..image.len()].copy_from_slice(&image);
    let mut raw = std::ptr::null_mut();
    let image = words.as_ptr().cast::<c_void>();
    let about = format!("kernels of {family} on {gpu}");
    let no_options = std::ptr::null_mut();
    // SAFETY: the image is a whole ELF file, which states its own length, and the driver copies it.
    unsafe { call!(about, cuModuleLoadDataEx(&raw mut raw, image, 0, no_options, std::ptr::null_mut())) }?;
    Ok(raw)
}

/// Decompresses a build product.
fn unpacked(family: &str, packed: &[u8]) -> CudaResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = brotli_decompressor::Decompressor::new(packed, 1 << 16).read_to_end(&mut bytes);
    read.map(|_| bytes).map_err(|error| CudaError::Misuse {
        about: format!("kernels of {family}"),
        problem: format!("what is in the program for them cannot be unpacked ({error})"),
    })
}

/// Compiles the PTX of one kernel with the driver and loads the resulting module.
fn compile(about: &str, name: &str, ptx: &str) -> CudaResult<sys::CUmodule> {
    let began = Instant::now();
    let source = CString::new(ptx).map_err(|_| CudaError::Misuse {
        about: about.to_owned(),
        problem: "its PTX holds a zero byte".to_owned(),
    })?;
    let mut log = vec![0_u8; 4096];
    let mut options =
        [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The driver takes the size of the log in the place of a pointer.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(log.len())];
    let mut raw = std::ptr::null_mut();
    // SAFETY: the source ends with a zero byte. The log has the size that is passed, and outlives the call.
    let loaded = unsafe {
        call!(
            about,
            cuModuleLoadDataEx(
                &raw mut raw,
                source.as_ptr().cast(),
                narrow(options.len()),
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        )
    };
    loaded.map_err(|error| with_log(error, &log))?;
    tracing::info!("the driver compiled kernel {name} in {:.2} s", began.elapsed().as_secs_f64());
    Ok(raw)
}

fn no_such_kernel(about: &str) -> CudaError {
    let problem = "there is no such kernel; its name or the build products are out of date".to_owned();
    CudaError::Misuse { about: about.to_owned(), problem }
}

/// Adds the first line of the log of the driver's compiler to an error.
fn with_log(error: CudaError, log: &[u8]) -> CudaError {
    let log = CStr::from_bytes_until_nul(log).map(CStr::to_string_lossy).unwrap_or_default();
    match (error, log.lines().find(|line| !line.trim().is_empty())) {
        (CudaError::Call { call, about, code, name, text }, Some(line)) => {
            CudaError::Call { call, about, code, name, text: format!("{text}: {}", line.trim()) }
        }
        (error, _) => error,
    }
}

/// A family of kernels on one GPU, from which kernels are taken by name.
#[derive(Clone)]
pub struct Kernels {
    gpu: Gpu,
    module: Arc<Module>,
}

impl Kernels {
    pub(super) fn new(gpu: Gpu, module: Arc<Module>) -> Self {
        Self { gpu, module }
    }

    /// Returns the kernel of this name.
    pub fn get(&self, name: &str) -> CudaResult<Kernel> {
        let function = self.module.function(&self.gpu, name)?;
        Ok(Kernel { gpu: self.gpu.clone(), function })
    }
}

impl std::fmt::Debug for Kernels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kernels({} on {})", self.module.family, self.gpu)
    }
}

struct Function {
    name: String,
    raw: sys::CUfunction,
    /// Size of each parameter of the kernel in bytes.
    parameters: Vec<usize>,
    max_threads: u32,
    registers: u32,
    local_bytes: u32,
    shared_bytes: u32,
    /// Dynamic shared memory, in bytes, that the driver currently allows for a block of this kernel.
    allowed_shared: AtomicU32,
}

// SAFETY: the driver takes the kernel's handle from any thread, and mutable state is atomic.
unsafe impl Send for Function {}
// SAFETY: the driver takes the kernel's handle from any thread, and mutable state is atomic.
unsafe impl Sync for Function {}

impl Function {
    /// Finds the kernel of this name in a module of the current context.
    fn find(module: sys::CUmodule, about: &str, name: &str) -> CudaResult<Self> {
        let c_name = CString::new(name).map_err(|_| CudaError::Misuse {
            about: about.to_owned(),
            problem: "its name holds a zero byte".to_owned(),
        })?;
        let c_name: *const c_char = c_name.as_ptr();
        let mut raw = std::ptr::null_mut();
        // SAFETY: the module is loaded and the name ends with a zero byte.
        match unsafe { call!(about, cuModuleGetFunction(&raw mut raw, module, c_name)) } {
            Err(CudaError::Call { code: code::NOT_FOUND, .. }) => return Err(no_such_kernel(about)),
            answer => answer?,
        }
        let mut parameters = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the driver writes two numbers, or returns an error for an index beyond the last
            // parameter.
            let answer = unsafe {
                call!(about, cuFuncGetParamInfo(raw, parameters.len(), &raw mut offset, &raw mut size))
            };
            match answer {
                Err(CudaError::Call { code: code::INVALID_VALUE, .. }) => break,
                answer => answer?,
            }
            parameters.push(size);
        }
        let attribute = |attribute| {
            let mut value = 0;
            // SAFETY: the driver writes one int.
            unsafe { call!(about, cuFuncGetAttribute(&raw mut value, attribute, raw)) }?;
            Ok(value.unsigned_abs())
        };
        Ok(Self {
            name: name.to_owned(),
            raw,
            parameters,
            max_threads: attribute(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            registers: attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: attribute(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            shared_bytes: attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            allowed_shared: AtomicU32::new(SHARED_WITHOUT_ASKING),
        })
    }
}

/// A kernel on one GPU. Clones refer to the same kernel.
#[derive(Clone)]
pub struct Kernel {
    gpu: Gpu,
    function: Arc<Function>,
}

impl Kernel {
    /// The GPU on which the kernel is loaded.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Name of the kernel in the source code.
    pub fn name(&self) -> &str {
        &self.function.name
    }

    /// Size of each parameter of the kernel in bytes, in order.
    pub fn parameters(&self) -> &[usize] {
        &self.function.parameters
    }

    /// Maximum number of threads in a block of this kernel.
    pub fn max_threads(&self) -> u32 {
        self.function.max_threads
    }

    /// Number of registers that each thread of the kernel uses.
    pub fn registers(&self) -> u32 {
        self.function.registers
    }

    /// Local memory of each thread in bytes. It holds arrays, and values that do not fit into registers.
    pub fn local_bytes(&self) -> u32 {
        self.function.local_bytes
    }

    /// Static shared memory of each block in bytes.
    pub fn static_shared_bytes(&self) -> u32 {
        self.function.shared_bytes
    }

    /// Number of blocks that a multiprocessor runs at the same time. Each block has `threads` threads and
    /// `shared_bytes` bytes of dynamic shared memory.
    pub fn blocks_per_multiprocessor(&self, threads: u32, shared_bytes: u32) -> CudaResult<u32> {
        self.allow_shared(shared_bytes)?;
        let mut blocks = 0;
        // SAFETY: the driver writes one int.
        unsafe {
            call!(
                self,
                cuOccupancyMaxActiveBlocksPerMultiprocessor(
                    &raw mut blocks,
                    self.function.raw,
                    threads.cast_signed(),
                    shared_bytes as usize
                )
            )
        }?;
        Ok(blocks.unsigned_abs())
    }

    /// Allows blocks of this kernel to have this much dynamic shared memory, if the driver requires a setting
    /// for it.
    pub(super) fn allow_shared(&self, bytes: u32) -> CudaResult<()> {
        self.gpu.bind()?;
        if bytes <= self.function.allowed_shared.load(Ordering::Acquire) {
            return Ok(());
        }
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the call sets a limit of a loaded kernel.
        unsafe { call!(self, cuFuncSetAttribute(self.function.raw, attribute, bytes.cast_signed())) }?;
        self.function.allowed_shared.fetch_max(bytes, Ordering::Release);
        Ok(())
    }

    pub(super) fn raw(&self) -> sys::CUfunction {
        self.function.raw
    }
}

impl std::fmt::Display for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "kernel `{}` on {}", self.function.name, self.gpu)
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kernel({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_runs_on_its_own_major_version_only() {
        let images =
            KernelImages { family: "test", ptx: b"", cubins: &[(80, b"80"), (86, b"86"), (90, b"90")] };
        assert_eq!(images.machine_code((9, 0)), Some(b"90".as_slice()));
        assert_eq!(images.machine_code((8, 0)), Some(b"80".as_slice()));
        assert_eq!(images.machine_code((8, 6)), Some(b"86".as_slice()));
        assert_eq!(images.machine_code((8, 9)), Some(b"86".as_slice()));
        assert_eq!(images.machine_code((7, 5)), None);
        assert_eq!(images.machine_code((10, 0)), None);
    }

    #[test]
    fn the_compilers_first_words_are_part_of_the_error() {
        let error = || CudaError::Call {
            call: "cuModuleLoadDataEx",
            about: "kernels".into(),
            code: 218,
            name: "CUDA_ERROR_INVALID_PTX".into(),
            text: "invalid".into(),
        };
        let said = with_log(error(), b"\nptxas error: line 3\nmore\0rest");
        assert_eq!(
            said.to_string(),
            "cuModuleLoadDataEx on kernels: CUDA_ERROR_INVALID_PTX (invalid: ptxas error: line 3)"
        );
        assert_eq!(with_log(error(), &[0; 8]), error());
    }
}
