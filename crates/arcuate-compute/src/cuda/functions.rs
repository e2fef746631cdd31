//! The driver functions that this crate calls: looked up once, and called by address.
//!
//! The crate cudarc has the same functions. But cudarc's functions panic if the driver lacks them, and they
//! return an enum of the errors that cudarc knows. An error of a newer driver, returned as this enum, would
//! be undefined behaviour. The functions of this module return the number of the error. Their parameters are
//! checked against cudarc's functions at compile time.
#![allow(unsafe_code)]

use super::code;
use cudarc::driver::sys::{
    self, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction, CUfunction_attribute,
    CUjit_option, CUmodule, CUresult, CUstream,
};
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void};
use std::sync::OnceLock;

/// Defines, for all driver functions, the lists of their names, the table of their addresses, and the
/// comparison of their parameters with those of cudarc. `u32 as CUresult` is a parameter that has the type
/// `u32` here and `CUresult` in cudarc.
macro_rules! functions {
    ($(
        $(#[$about:meta])*
        $list:ident { $($function:ident($($argument:ty $(as $theirs:ty)?),*);)* }
    )*) => {
        $(
            $(#[$about])*
            pub(super) const $list: &[&str] = &[$(stringify!($function)),*];
        )*

        /// The address of each driver function.
        #[allow(non_snake_case, reason = "the names are the driver's")]
        pub(super) struct Functions {
            $($(pub(super) $function: unsafe extern "C" fn($($argument),*) -> u32,)*)*
        }

        impl Functions {
            /// Looks up the driver functions in the driver library. If the library lacks a function, a
            /// substitute reports this when it is called.
            fn look_up() -> Self {
                // SAFETY: loading the driver library only runs its initialisers.
                let library = unsafe { sys::culib() };
                Self { $($($function: {
                    type Function = unsafe extern "C" fn($($argument),*) -> u32;
                    unsafe extern "C" fn lacking($(_: $argument),*) -> u32 {
                        code::NOT_FOUND
                    }
                    // SAFETY: a driver function with this name has this type.
                    // The only difference is that the type here has integers instead of the driver's enums.
                    unsafe { library.get::<Function>(stringify!($function).as_bytes()) }
                        .map_or(lacking as Function, |found| *found)
                },)*)* }
            }
        }

        $($(const _: unsafe fn($(theirs!($argument $(as $theirs)?)),*) -> CUresult = sys::$function;)*)*
    };
}

macro_rules! theirs {
    ($argument:ty) => {
        $argument
    };
    ($argument:ty as $theirs:ty) => {
        $theirs
    };
}

functions! {
    /// Functions that every driver has, for listing GPUs.
    FUNCTIONS_OF_OLD {
        cuDeviceGet(*mut CUdevice, c_int);
        cuDeviceGetAttribute(*mut c_int, CUdevice_attribute, CUdevice);
        cuDeviceGetCount(*mut c_int);
        cuDeviceGetName(*mut c_char, c_int, CUdevice);
        cuDeviceTotalMem_v2(*mut usize, CUdevice);
        cuDriverGetVersion(*mut c_int);
        cuGetErrorName(u32 as CUresult, *mut *const c_char);
        cuGetErrorString(u32 as CUresult, *mut *const c_char);
        cuInit(c_uint);
    }
    /// Functions that a sufficiently new driver has.
    FUNCTIONS {
        cuCtxEnablePeerAccess(CUcontext, c_uint);
        cuCtxSetCurrent(CUcontext);
        cuCtxSynchronize();
        cuDeviceCanAccessPeer(*mut c_int, CUdevice, CUdevice);
        cuDevicePrimaryCtxRelease_v2(CUdevice);
        cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
        cuEventCreate(*mut CUevent, c_uint);
        cuEventDestroy_v2(CUevent);
        cuEventElapsedTime(*mut f32, CUevent, CUevent);
        cuEventQuery(CUevent);
        cuEventRecord(CUevent, CUstream);
        cuEventSynchronize(CUevent);
        cuFuncGetAttribute(*mut c_int, CUfunction_attribute, CUfunction);
        cuFuncGetParamInfo(CUfunction, usize, *mut usize, *mut usize);
        cuFuncSetAttribute(CUfunction, CUfunction_attribute, c_int);
        cuLaunchKernel(
            CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void,
            *mut *mut c_void
        );
        cuMemAlloc_v2(*mut CUdeviceptr, usize);
        cuMemFreeHost(*mut c_void);
        cuMemFree_v2(CUdeviceptr);
        cuMemGetInfo_v2(*mut usize, *mut usize);
        cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
        cuMemHostRegister_v2(*mut c_void, usize, c_uint);
        cuMemHostUnregister(*mut c_void);
        cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
        cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
        cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
        cuMemcpyPeerAsync(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, usize, CUstream);
        cuMemsetD8Async(CUdeviceptr, c_uchar, usize, CUstream);
        cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
        cuModuleLoadDataEx(*mut CUmodule, *const c_void, c_uint, *mut CUjit_option, *mut *mut c_void);
        cuModuleUnload(CUmodule);
        cuOccupancyMaxActiveBlocksPerMultiprocessor(*mut c_int, CUfunction, c_int, usize);
        cuStreamCreate(*mut CUstream, c_uint);
        cuStreamDestroy_v2(CUstream);
        cuStreamQuery(CUstream);
        cuStreamSynchronize(CUstream);
        cuStreamWaitEvent(CUstream, CUevent, c_uint);
    }
}

/// The table of driver functions, created in the first call. Call this only if the driver library exists.
pub(super) fn functions() -> &'static Functions {
    static ONCE: OnceLock<Functions> = OnceLock::new();
    ONCE.get_or_init(Functions::look_up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    /// Finds all source files of `compute::cuda`, including this one.
    fn sources(folder: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(sources(&path));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
        found
    }

    #[test]
    fn every_call_goes_through_the_table() {
        let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cuda"));
        assert!(files.iter().any(|file| file.ends_with("cuda/functions.rs")), "{files:?}");
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for (at, start) in text.match_indices("sys::").map(|(at, word)| (at, at + word.len())) {
                let name: String =
                    text[start..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let of_driver =
                    name.strip_prefix("cu").is_some_and(|rest| rest.starts_with(char::is_uppercase));
                let all = text[start..].starts_with('*');
                let line = text[..at].lines().count();
                assert!(!of_driver && !all, "{}:{line}: cudarc's {name} is used", file.display());
            }
        }
    }

    #[test]
    fn functions_are_listed_once_and_in_order() {
        assert!(FUNCTIONS.is_sorted_by(|a, b| a < b) && FUNCTIONS_OF_OLD.is_sorted_by(|a, b| a < b));
        assert!(!FUNCTIONS.iter().any(|name| FUNCTIONS_OF_OLD.contains(name)));
    }
}
