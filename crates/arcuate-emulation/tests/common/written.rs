//! Loads and launches PTX kernels that tests write as text. The driver API is called directly, on the
//! emulated device or a real GPU.

use arcuate_emulation::{Faults, available, emulated};
use cudarc::driver::sys::{self, CUjit_option, CUresult};
use std::ffi::{CString, c_void};
use std::ptr::null_mut;

/// Name of every kernel that tests write as text. The emulated driver knows this name, so that tests can
/// break the kernel.
pub(crate) const NAME: &str = "emulation_written";

/// Returns a module with one kernel. Its parameters are `data`, a pointer, and `count`. The given body begins
/// in line 8.
pub(crate) fn kernel(body: &str) -> String {
    kernel_with(".maxntid 256", "", body)
}

/// Returns a module with one kernel, like [`kernel`]. The kernel has further directives, and the module has a
/// text before the kernel.
pub(crate) fn kernel_with(limits: &str, before: &str, body: &str) -> String {
    format!(
        ".version 7.0 // of CUDA 11\n.target sm_75\n.address_size 64\n{before}\n\
         .visible .entry {NAME}(.param .u64 .ptr .global .align 16 data, .param .u32 count) {limits} {{\n\
         .reg .b32 %r<40>; .reg .b64 %d<40>;\n.reg .pred %p<10>, %q;\n{body}\n}}\n"
    )
}

/// Returns code that writes the address of the thread's element of `bytes` bytes to `%d0` and the thread's
/// number to `%r0`.
pub(crate) fn own_element(bytes: u32) -> String {
    format!(
        "ld.param.u64 %d0, [data]; mov.u32 %r0, %tid.x; mov.u32 %r39, %ctaid.x; mov.u32 %r38, %ntid.x;\
         mad.lo.u32 %r0, %r39, %r38, %r0; mul.wide.u32 %d39, %r0, {bytes}; add.u64 %d0, %d0, %d39;\n"
    )
}

/// Shape of a launch: number of blocks, threads per block, and bytes of dynamic shared memory.
#[derive(Clone, Copy)]
pub(crate) struct Shape(pub(crate) u32, pub(crate) u32, pub(crate) u32);

/// A CUDA context that is current on this thread. On the emulated device, tests of a process hold it one
/// after another, because some tests break the device.
pub(crate) struct Written {
    faults: Option<Faults>,
}

pub(crate) type Outcome<T> = Result<T, (CUresult, String)>;

fn done(result: CUresult) {
    assert_eq!(result, CUresult::CUDA_SUCCESS);
}

impl Written {
    pub(crate) fn new(test: &str) -> Option<Self> {
        if !available(test) {
            return None;
        }
        let faults = emulated().then(Faults::begin);
        let mut context = null_mut();
        // SAFETY: the calls follow the documentation of the driver.
        unsafe {
            done(sys::cuInit(0));
            done(sys::cuDevicePrimaryCtxRetain(&raw mut context, 0));
            done(sys::cuCtxSetCurrent(context));
        }
        Some(Self { faults })
    }

    /// Removes all faults of the device.
    pub(crate) fn heal(&self) {
        if let Some(faults) = &self.faults {
            faults.heal();
        }
    }

    /// Lets the `nth` launch from now fail.
    pub(crate) fn fail_launch(&self, nth: u64) {
        self.faults.as_ref().expect("the device is the emulated one").fail_launch(NAME, nth);
    }

    /// Loads the kernel of a module. If this fails, the error contains the log of the assembler.
    #[allow(clippy::unused_self, reason = "the context is current as long as it lives")]
    pub(crate) fn load(&self, text: &str) -> Outcome<(sys::CUmodule, sys::CUfunction)> {
        let image = CString::new(text).unwrap();
        let mut log = vec![0_u8; 4096];
        let mut options =
            [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), log.len() as *mut c_void];
        let (mut module, mut function) = (null_mut(), null_mut());
        // SAFETY: the text ends with a zero byte, and the driver writes at most the given number of bytes to
        // the log.
        unsafe {
            let result = sys::cuModuleLoadDataEx(
                &raw mut module,
                image.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            );
            if result != CUresult::CUDA_SUCCESS {
                let end = log.iter().position(|&letter| letter == 0).unwrap();
                return Err((result, String::from_utf8_lossy(&log[..end]).into_owned()));
            }
            let name = CString::new(NAME).unwrap();
            done(sys::cuModuleGetFunction(&raw mut function, module, name.as_ptr()));
        }
        Ok((module, function))
    }

    /// Loads a kernel, launches it on `words`, waits for its end, and reads the words back.
    pub(crate) fn run(&self, text: &str, shape: Shape, words: &mut [u32], count: u32) -> Outcome<()> {
        let (module, function) = self.load(text)?;
        let result = Self::launch(function, shape, words, count);
        // SAFETY: the module was loaded above and is no longer used.
        unsafe { sys::cuModuleUnload(module) };
        match result {
            CUresult::CUDA_SUCCESS => Ok(()),
            error if emulated() => Err((error, arcuate_emulation::last_report())),
            error => Err((error, String::new())),
        }
    }

    fn launch(function: sys::CUfunction, shape: Shape, words: &mut [u32], mut count: u32) -> CUresult {
        let bytes = size_of_val(words);
        let mut address = 0;
        // SAFETY: the allocation has as many bytes as the words, and the kernel takes two parameters of these
        // types.
        unsafe {
            done(sys::cuMemAlloc_v2(&raw mut address, bytes));
            done(sys::cuMemcpyHtoD_v2(address, words.as_ptr().cast(), bytes));
            let mut arguments = [(&raw mut address).cast::<c_void>(), (&raw mut count).cast()];
            let Shape(blocks, threads, shared) = shape;
            let launched = sys::cuLaunchKernel(
                function,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                shared,
                null_mut(),
                arguments.as_mut_ptr(),
                null_mut(),
            );
            let result = if launched == CUresult::CUDA_SUCCESS { sys::cuCtxSynchronize() } else { launched };
            if result == CUresult::CUDA_SUCCESS {
                done(sys::cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), address, bytes));
                done(sys::cuMemFree_v2(address));
            }
            result
        }
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        self.heal();
        // SAFETY: the context was retained by `new`.
        unsafe { sys::cuDevicePrimaryCtxRelease_v2(0) };
    }
}
