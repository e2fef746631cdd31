//! The CUDA driver library: loading, a check of its version, and conversion of its results.
#![allow(unsafe_code)]

use super::code;
use super::error::{CudaError, CudaResult};
use super::functions::{FUNCTIONS, FUNCTIONS_OF_OLD, functions};
use cudarc::driver::sys;
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

/// The CUDA version of the oldest driver that can load our kernels. The kernels use version 8.4 of PTX, which
/// was introduced with CUDA 12.4 (driver series 550).
const OLDEST: i32 = 12_040;

/// The CUDA driver library, loaded and initialised.
#[derive(Debug)]
pub(super) struct Driver {
    /// The CUDA version that the driver supports, as 1000 · major + 10 · minor.
    cuda: i32,
    /// Number of GPUs that the driver reports; at least 1.
    pub(super) gpus: usize,
    /// The reason why the driver can list its GPUs but not use them; `None` if it can use them.
    pub(super) unfit: Option<String>,
}

impl Driver {
    /// Loads the GPU driver once. If no driver can be loaded, the error tells the user why. Failures are not
    /// cached, so that a test can provide its own driver after another test found none.
    pub(super) fn get() -> Result<&'static Self, String> {
        static DRIVER: OnceLock<Driver> = OnceLock::new();
        if let Some(driver) = DRIVER.get() {
            return Ok(driver);
        }
        let driver = Self::load()?;
        Ok(DRIVER.get_or_init(|| driver))
    }

    fn load() -> Result<Self, String> {
        // SAFETY: loading the driver library only runs its initialisers.
        if !unsafe { sys::is_culib_present() } {
            return Err("no NVIDIA driver was found (libcuda)".to_owned());
        }
        // SAFETY: the library exists, so this call does not panic; loading it only runs its initialisers.
        let library = unsafe { sys::culib() };
        let lacks = |name: &&&str| {
            // SAFETY: the symbol's address is read but never called through this type.
            unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_err()
        };
        if let Some(name) = FUNCTIONS_OF_OLD.iter().find(lacks) {
            return Err(format!("the libcuda found is not an NVIDIA driver: it lacks {name}"));
        }
        let done = |call: &str, result: u32| {
            match result {
            0 => Ok(()),
            code::NO_DEVICE => Err("the NVIDIA driver finds no GPU".to_owned()),
            code::STUB_LIBRARY => Err(
                "the libcuda found is a stub for linking; put the NVIDIA driver's own first in the library path".to_owned()
            ),
            _ => {
                let (name, text) = described(result);
                Err(format!("the NVIDIA driver does not start: {call} failed with {name} ({text})"))
            }
        }
        };
        let functions = functions();
        // SAFETY: `cuInit` is the first call of any program that uses the driver.
        done("cuInit", unsafe { (functions.cuInit)(0) })?;
        let (mut cuda, mut gpus) = (0, 0);
        // SAFETY: the driver writes one int.
        done("cuDriverGetVersion", unsafe { (functions.cuDriverGetVersion)(&raw mut cuda) })?;
        // SAFETY: the driver writes one int.
        done("cuDeviceGetCount", unsafe { (functions.cuDeviceGetCount)(&raw mut gpus) })?;
        let gpus = usize::try_from(gpus).unwrap_or(0);
        if gpus == 0 {
            return Err("the NVIDIA driver finds no GPU".to_owned());
        }
        Ok(Self { cuda, gpus, unfit: unfit(cuda, FUNCTIONS.iter().find(lacks)) })
    }

    /// The versions of the driver and of CUDA, for example `550.54.15 (CUDA 12.4)`. If the system does not
    /// report the driver's version, only CUDA's is returned.
    pub(super) fn version(&self) -> String {
        let cuda = format!("CUDA {}", cuda_version(self.cuda));
        let module = std::fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
        match release(&module) {
            Some(release) => format!("{release} ({cuda})"),
            None => cuda,
        }
    }
}

/// Finds the driver version in the first line of the kernel module's version file. The version is the first
/// word of digits and dots.
fn release(module: &str) -> Option<&str> {
    let is_release = |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    module.lines().next()?.split_whitespace().find(is_release)
}

/// Explains to the user why a driver is unsuitable because of its CUDA version or a missing function. Returns
/// `None` if the driver is suitable.
fn unfit(cuda: i32, lacking: Option<&&str>) -> Option<String> {
    let version = cuda_version(cuda);
    let newer = "install one of the 550 series (CUDA 12.4) or newer";
    if cuda < OLDEST {
        return Some(format!("the NVIDIA driver is too old (CUDA {version}); {newer}"));
    }
    lacking.map(|name| format!("the NVIDIA driver (CUDA {version}) lacks {name}; {newer}"))
}

fn cuda_version(number: i32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

/// Converts the return code of a driver call to a `Result`. `about`, which describes the call for the error,
/// is called only if the driver call failed.
pub(super) fn check(result: u32, call: &'static str, about: impl FnOnce() -> String) -> CudaResult<()> {
    match result {
        0 => Ok(()),
        code::OUT_OF_MEMORY => Err(CudaError::OutOfMemory {
            call,
            gpu: about(),
            bytes: 0,
            why: "the memory of the GPU is full".to_owned(),
        }),
        code => {
            let (name, text) = described(code);
            Err(CudaError::Call { call, about: about(), code, name, text })
        }
    }
}

/// Calls a driver function and converts its return code to a result: `call!(about, cuInit(0))`.
macro_rules! call {
    ($about:expr, $function:ident($($argument:expr),* $(,)?)) => {
        $crate::cuda::driver::check(
            ($crate::cuda::functions::functions().$function)($($argument),*),
            stringify!($function),
            || ::std::string::ToString::to_string(&$about),
        )
    };
}
pub(super) use call;

/// Returns the driver's name for an error, such as `CUDA_ERROR_OUT_OF_MEMORY`, and its description.
fn described(code: u32) -> (String, String) {
    let ask = |question: unsafe extern "C" fn(u32, *mut *const c_char) -> u32| {
        let mut text = std::ptr::null();
        // SAFETY: the driver writes a pointer to a string that lives as long as the library, or rejects the
        // error code.
        let answer = unsafe { question(code, &raw mut text) };
        // SAFETY: the pointer is not null, and the driver's strings end with a zero byte.
        (answer == 0 && !text.is_null())
            .then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    };
    let functions = functions();
    let name = ask(functions.cuGetErrorName).unwrap_or_else(|| format!("error {code}"));
    (name, ask(functions.cuGetErrorString).unwrap_or_else(|| "no description".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_found_in_the_files_of_both_kinds_of_module() {
        let closed =
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\nGCC";
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build  (a@b)";
        assert_eq!(release(closed), Some("550.54.15"));
        assert_eq!(release(open), Some("570.86.10"));
        assert_eq!(release(""), None);
        assert_eq!(release("no version here"), None);
    }

    #[test]
    fn cuda_versions_are_formatted() {
        assert_eq!(cuda_version(OLDEST), "12.4");
        assert_eq!(cuda_version(13_010), "13.1");
    }

    #[test]
    fn old_and_incomplete_drivers_are_reported() {
        assert_eq!(unfit(OLDEST, None), None);
        assert_eq!(unfit(13_000, None), None);
        let newer = "install one of the 550 series (CUDA 12.4) or newer";
        let old = format!("the NVIDIA driver is too old (CUDA 12.2); {newer}");
        assert_eq!(unfit(12_020, Some(&"cuFuncGetParamInfo")), Some(old));
        let lacking = format!("the NVIDIA driver (CUDA 12.4) lacks cuMemcpyPeerAsync; {newer}");
        assert_eq!(unfit(OLDEST, Some(&"cuMemcpyPeerAsync")), Some(lacking));
    }
}
