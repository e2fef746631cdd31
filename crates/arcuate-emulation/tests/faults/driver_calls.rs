//! Tests of the emulated driver: wrong calls that it must refuse as NVIDIA's driver does. They run only on
//! the emulated device.

use crate::common::{Bench, ptx};
use arcuate_emulation::{Faults, available, emulated, last_report};
use cudarc::driver::sys::{self, CUresult, CUstream};
use std::ffi::{CStr, CString, c_void};
use std::process::Command;
use std::ptr::{null, null_mut};

/// The primary context of a device, current on this thread, with the module of the kernels. Every test holds
/// `Faults`, so that no test sees a device that another test has broken.
struct Raw {
    faults: Faults,
    context: sys::CUcontext,
    module: sys::CUmodule,
    ordinal: i32,
}

macro_rules! done {
    ($call:expr) => {
        // SAFETY: tests pass valid arguments, or arguments that the emulated driver must refuse.
        assert_eq!(unsafe { $call }, CUresult::CUDA_SUCCESS)
    };
}

macro_rules! refused {
    ($error:ident, $call:expr) => {
        // SAFETY: tests pass valid arguments, or arguments that the emulated driver must refuse.
        assert_eq!(unsafe { $call }, CUresult::$error)
    };
}

impl Raw {
    fn new(test: &str, ordinal: i32) -> Option<Self> {
        if !available(test) || !emulated() {
            return None;
        }
        let faults = Faults::begin();
        let (mut context, mut module) = (null_mut(), null_mut());
        done!(sys::cuInit(0));
        done!(sys::cuDevicePrimaryCtxRetain(&raw mut context, ordinal));
        done!(sys::cuCtxSetCurrent(context));
        let ptx = CString::new(ptx()).unwrap();
        done!(sys::cuModuleLoadData(&raw mut module, ptx.as_ptr().cast()));
        Some(Self { faults, context, module, ordinal })
    }

    fn function(&self, name: &CStr) -> sys::CUfunction {
        let mut function = null_mut();
        done!(sys::cuModuleGetFunction(&raw mut function, self.module, name.as_ptr()));
        function
    }

    fn alloc(bytes: usize) -> u64 {
        let mut address = 0;
        done!(sys::cuMemAlloc_v2(&raw mut address, bytes));
        address
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // SAFETY: `new` loaded the module and retained the context.
        unsafe {
            sys::cuModuleUnload(self.module);
            sys::cuDevicePrimaryCtxRelease_v2(self.ordinal);
        }
    }
}

/// Launches the kernel `emulation_increment` on `address`.
unsafe fn increment(
    function: sys::CUfunction,
    blocks: [u32; 3],
    threads: [u32; 3],
    shared: u32,
    address: u64,
) -> CUresult {
    let (mut address, mut count) = (address, 4_u32);
    let mut arguments = [(&raw mut address).cast::<c_void>(), (&raw mut count).cast()];
    let ([bx, by, bz], [tx, ty, tz]) = (blocks, threads);
    // SAFETY: the caller passes arguments that the kernel accepts.
    unsafe {
        sys::cuLaunchKernel(
            function,
            bx,
            by,
            bz,
            tx,
            ty,
            tz,
            shared,
            null_mut(),
            arguments.as_mut_ptr(),
            null_mut(),
        )
    }
}

#[test]
fn both_library_names_load_the_emulation() {
    if !available("both_library_names_load_the_emulation") || !emulated() {
        return;
    }
    let address = |name: &str| {
        // SAFETY: the libraries are already loaded, and only the address of the symbol is used.
        unsafe {
            let library = libloading::Library::new(name).unwrap();
            *library.get::<unsafe extern "C" fn()>("arcuate_emulation_set_order").unwrap() as usize
        }
    };
    assert_eq!(address("libcuda.so.1"), address("libcuda.so"));
}

#[test]
fn copies_stay_within_allocations() {
    let Some(_raw) = Raw::new("copies_stay_within_allocations", 0) else { return };
    let address = Raw::alloc(100);
    let mut host = [1_u8; 200];
    let place = host.as_mut_ptr().cast::<c_void>();
    done!(sys::cuMemcpyHtoD_v2(address, place, 100));
    done!(sys::cuMemcpyHtoD_v2(address + 60, place, 40));
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuMemcpyHtoD_v2(address, place, 101));
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuMemcpyHtoDAsync_v2(address + 61, place, 40, null_mut()));
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuMemcpyDtoH_v2(place, address - 1, 8));
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuMemcpyDtoD_v2(address + 96, address, 8));
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuMemsetD8_v2(address, 0, 101));
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuMemsetD32_v2(address + 2, 0, 1));
    done!(sys::cuMemsetD16_v2(address + 2, 0x0102, 3));
    done!(sys::cuMemcpyDtoH_v2(place, address, 100));
    assert_eq!(host[..10], [1, 1, 2, 1, 2, 1, 2, 1, 1, 1]);
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuMemFree_v2(address + 4));
    done!(sys::cuMemFree_v2(address));
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuMemFree_v2(address));
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuMemcpyDtoH_v2(place, address, 1));
}

#[test]
fn memory_freed_in_a_stream_stays_valid_for_earlier_work() {
    let Some(raw) = Raw::new("memory_freed_in_a_stream_stays_valid_for_earlier_work", 0) else { return };
    let function = raw.function(c"emulation_increment");
    let mut stream: CUstream = null_mut();
    done!(sys::cuStreamCreate(&raw mut stream, 1));
    for order in 0..10 {
        arcuate_emulation::set_order(order);
        let mut address = 0;
        done!(sys::cuMemAllocAsync(&raw mut address, 16, stream));
        done!(sys::cuMemsetD8Async(address, 1, 16, stream));
        done!(increment(function, [1; 3], [4, 1, 1], 0, address));
        let mut host = [0_u32; 4];
        done!(sys::cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), address, 16, stream));
        done!(sys::cuCtxSynchronize());
        done!(sys::cuMemFreeAsync(address, stream));
        refused!(CUDA_ERROR_INVALID_VALUE, sys::cuMemFreeAsync(address, stream));
        refused!(CUDA_ERROR_INVALID_VALUE, sys::cuMemsetD8Async(address, 1, 16, stream));
        done!(sys::cuStreamSynchronize(stream));
    }
    arcuate_emulation::set_order(1);
    done!(sys::cuStreamDestroy_v2(stream));
    refused!(CUDA_ERROR_INVALID_HANDLE, sys::cuStreamSynchronize(stream));
}

#[test]
fn launches_are_checked_as_a_gpu_checks_them() {
    let Some(raw) = Raw::new("launches_are_checked_as_a_gpu_checks_them", 0) else { return };
    let function = raw.function(c"emulation_increment");
    let address = Raw::alloc(16);
    done!(sys::cuMemsetD8_v2(address, 0, 16));
    done!(increment(function, [1; 3], [4, 1, 1], 0, address));
    for (blocks, threads) in [
        ([0, 1, 1], [4, 1, 1]),
        ([1, 1, 1], [4, 0, 1]),
        ([1, 1, 1], [1025, 1, 1]),
        ([1, 1, 1], [1, 1, 65]),
        ([1, 1, 1], [32, 33, 1]),
        ([1, 65_536, 1], [4, 1, 1]),
        ([1, 1, 65_536], [4, 1, 1]),
        ([1 << 31, 1, 1], [4, 1, 1]),
    ] {
        refused!(CUDA_ERROR_INVALID_VALUE, increment(function, blocks, threads, 0, address));
    }
    refused!(CUDA_ERROR_INVALID_HANDLE, increment(null_mut(), [1; 3], [1; 3], 0, address));

    // Dynamic shared memory is limited to 48 KiB by default, and to 227 KiB on request.
    done!(increment(function, [1; 3], [4, 1, 1], 48 << 10, address));
    refused!(CUDA_ERROR_INVALID_VALUE, increment(function, [1; 3], [4, 1, 1], (48 << 10) + 1, address));
    let limit = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuFuncSetAttribute(function, limit, (227 << 10) + 1));
    done!(sys::cuFuncSetAttribute(function, limit, 227 << 10));
    done!(increment(function, [1; 3], [4, 1, 1], 227 << 10, address));
    done!(sys::cuCtxSynchronize());
    // A kernel with 48 bytes of static shared memory can request 48 bytes less.
    let block_sum = raw.function(c"emulation_block_sum");
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuFuncSetAttribute(block_sum, limit, 227 << 10));
    let mut own = 0;
    let fixed = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
    done!(sys::cuFuncGetAttribute(&raw mut own, fixed, block_sum));
    assert_eq!(own, 8 * 4 + 4, "eight floats and a number");

    let mut blocks = 0;
    done!(sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, function, 256, 100 << 10));
    assert_eq!(blocks, 2, "shared memory limits");
    done!(sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, function, 1000, 0));
    assert_eq!(blocks, 2, "threads limit");

    let mut host = [0_u32; 4];
    done!(sys::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), address, 16));
    assert_eq!(host, [3; 4]);
    done!(sys::cuMemFree_v2(address));
}

#[test]
fn kernels_may_use_only_memory_of_their_device() {
    let Some(raw) = Raw::new("kernels_may_use_only_memory_of_their_device", 0) else { return };
    let function = raw.function(c"emulation_increment");
    let mut other = null_mut();
    done!(sys::cuDevicePrimaryCtxRetain(&raw mut other, 1));
    done!(sys::cuCtxSetCurrent(other));
    let there = Raw::alloc(16);
    done!(sys::cuMemsetD8_v2(there, 0, 16));
    done!(sys::cuCtxSetCurrent(raw.context));

    // SAFETY: the emulated driver refuses the address when it runs the launch.
    let _ = unsafe { increment(function, [1; 3], [4, 1, 1], 0, there) };
    refused!(CUDA_ERROR_ILLEGAL_ADDRESS, sys::cuCtxSynchronize());
    let report = last_report();
    assert!(
        report.contains("parameter 0 points to memory of device 1, to which device 0 has no access"),
        "{report}"
    );
    refused!(CUDA_ERROR_ILLEGAL_ADDRESS, sys::cuCtxSynchronize());
    raw.faults.heal();

    done!(sys::cuCtxEnablePeerAccess(other, 0));
    refused!(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, sys::cuCtxEnablePeerAccess(other, 0));
    done!(increment(function, [1; 3], [4, 1, 1], 0, there));
    done!(sys::cuCtxSynchronize());
    let here = Raw::alloc(16);
    refused!(
        CUDA_ERROR_INVALID_VALUE,
        sys::cuMemcpyPeerAsync(here, other, there, raw.context, 16, null_mut())
    );
    done!(sys::cuMemcpyPeerAsync(here, raw.context, there, other, 16, null_mut()));
    let mut host = [0_u32; 4];
    done!(sys::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), here, 16));
    assert_eq!(host, [1; 4]);

    done!(sys::cuMemFree_v2(here));
    // SAFETY: the emulated driver refuses the address when it runs the launch.
    let _ = unsafe { increment(function, [1; 3], [4, 1, 1], 0, here) };
    refused!(CUDA_ERROR_ILLEGAL_ADDRESS, sys::cuCtxSynchronize());
    assert!(last_report().contains("points to memory that is no device's"), "{}", last_report());
    raw.faults.heal();
    done!(sys::cuMemFree_v2(there));
    done!(sys::cuDevicePrimaryCtxRelease_v2(1));
}

#[test]
fn parameters_have_the_compilers_layout() {
    let Some(raw) = Raw::new("parameters_have_the_compilers_layout", 0) else { return };
    let function = raw.function(c"emulation_parameters");
    let mut found = Vec::new();
    loop {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: the call writes two numbers to variables that exist.
        let result =
            unsafe { sys::cuFuncGetParamInfo(function, found.len(), &raw mut offset, &raw mut size) };
        if result != CUresult::CUDA_SUCCESS {
            assert_eq!(result, CUresult::CUDA_ERROR_INVALID_VALUE);
            break;
        }
        found.push((offset, size));
    }
    assert_eq!(found, [(0, 1), (8, 8), (16, 4), (24, 8), (32, 8), (40, 2), (48, 8)]);

    // The parameters of the kernel are passed as one buffer.
    let out = Raw::alloc(8);
    let mut packed = [0_u8; 56];
    packed[0] = 3;
    packed[8..16].copy_from_slice(&0.25_f64.to_ne_bytes());
    packed[16..20].copy_from_slice(&8.0_f32.to_ne_bytes());
    packed[24..32].copy_from_slice(&(-100_i64).to_ne_bytes());
    packed[40..42].copy_from_slice(&1000_u16.to_ne_bytes());
    packed[48..56].copy_from_slice(&out.to_ne_bytes());
    let mut size = packed.len();
    let mut extra: [*mut c_void; 5] = [
        std::ptr::without_provenance_mut(1),
        packed.as_mut_ptr().cast(),
        std::ptr::without_provenance_mut(2),
        (&raw mut size).cast(),
        null_mut(),
    ];
    done!(sys::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut(), extra.as_mut_ptr()));
    let mut host = 0.0_f64;
    done!(sys::cuMemcpyDtoH_v2((&raw mut host).cast(), out, 8));
    assert_eq!(host, 3.0 + 0.25 + 8.0 - 100.0 + 1000.0 + 0.5);
    done!(sys::cuMemFree_v2(out));
}

#[test]
fn images_are_checked() {
    let Some(raw) = Raw::new("images_are_checked", 0) else { return };
    let mut module = null_mut();
    let mut load = |text: &str| {
        let text = CString::new(text).unwrap();
        // SAFETY: the text ends with a zero byte.
        unsafe { sys::cuModuleLoadData(&raw mut module, text.as_ptr().cast()) }
    };
    assert_eq!(load("no kernels"), CUresult::CUDA_ERROR_INVALID_IMAGE);
    assert_eq!(load(".version 8.5\n.target sm_75\n"), CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    assert_eq!(load(".version 8.4\n.target sm_100\n"), CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_eq!(
        load(".version 8.4\n.target sm_90\n.visible .entry nobody_has_this()\n"),
        CUresult::CUDA_SUCCESS
    );
    let mut function = null_mut();
    refused!(
        CUDA_ERROR_NOT_FOUND,
        sys::cuModuleGetFunction(&raw mut function, module, c"nobody_has_this".as_ptr())
    );
    assert!(last_report().contains("nobody_has_this"), "{}", last_report());
    // The workspace has this kernel, but the loaded image does not.
    refused!(
        CUDA_ERROR_NOT_FOUND,
        sys::cuModuleGetFunction(&raw mut function, module, c"emulation_halves".as_ptr())
    );
    done!(sys::cuModuleUnload(module));
    refused!(CUDA_ERROR_INVALID_HANDLE, sys::cuModuleUnload(module));
    refused!(
        CUDA_ERROR_NOT_FOUND,
        sys::cuModuleGetFunction(&raw mut function, raw.module, c"emulation_nothing".as_ptr())
    );
}

#[test]
fn calls_need_a_current_context() {
    let Some(_raw) = Raw::new("calls_need_a_current_context", 0) else { return };
    std::thread::spawn(|| {
        let mut address = 0;
        refused!(CUDA_ERROR_INVALID_CONTEXT, sys::cuMemAlloc_v2(&raw mut address, 16));
    })
    .join()
    .unwrap();
}

#[test]
fn errors_have_their_names() {
    let Some(_raw) = Raw::new("errors_have_their_names", 0) else { return };
    let name = |error: CUresult| {
        let mut text = null();
        done!(sys::cuGetErrorName(error, &raw mut text));
        // SAFETY: the text lives as long as the library.
        unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
    };
    for error in [
        CUresult::CUDA_ERROR_OUT_OF_MEMORY,
        CUresult::CUDA_ERROR_LAUNCH_FAILED,
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
        CUresult::CUDA_ERROR_NOT_READY,
        CUresult::CUDA_ERROR_UNKNOWN,
    ] {
        assert_eq!(name(error), format!("{error:?}"));
    }
    let mut text = null();
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuGetErrorString(CUresult::CUDA_ERROR_INVALID_PC, &raw mut text));
}

#[test]
fn the_null_stream_and_blocking_streams_wait_for_each_other() {
    let Some(raw) = Raw::new("the_null_stream_and_blocking_streams_wait_for_each_other", 0) else { return };
    let function = raw.function(c"emulation_increment");
    let (mut blocking, mut event): (CUstream, sys::CUevent) = (null_mut(), null_mut());
    done!(sys::cuStreamCreate(&raw mut blocking, 0));
    done!(sys::cuEventCreate(&raw mut event, 0));
    let (address, copy) = (Raw::alloc(16), Raw::alloc(16));
    for order in 0..10 {
        arcuate_emulation::set_order(order);
        done!(sys::cuMemsetD8Async(address, 0, 16, blocking));
        done!(increment(function, [1; 3], [4, 1, 1], 0, address)); // This launch is in the null stream.
        done!(sys::cuMemcpyDtoDAsync_v2(copy, address, 16, blocking));
        done!(sys::cuEventRecord(event, blocking));
        done!(sys::cuEventSynchronize(event));
        done!(sys::cuEventQuery(event));
        let mut host = [0_u32; 4];
        done!(sys::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), copy, 16));
        assert_eq!(host, [1; 4], "order {order}");
    }
    arcuate_emulation::set_order(1);
    done!(sys::cuStreamDestroy_v2(blocking));
    done!(sys::cuEventDestroy_v2(event));
    refused!(CUDA_ERROR_INVALID_HANDLE, sys::cuEventSynchronize(event));
    done!(sys::cuMemFree_v2(address));
    done!(sys::cuMemFree_v2(copy));
}

#[test]
fn functions_are_found_by_name() {
    let Some(_raw) = Raw::new("functions_are_found_by_name", 0) else { return };
    let (mut function, mut status) =
        (null_mut(), sys::CUdriverProcAddressQueryResult::CU_GET_PROC_ADDRESS_SUCCESS);
    let name = c"cuMemAlloc";
    done!(sys::cuGetProcAddress_v2(name.as_ptr(), &raw mut function, 12040, 0, &raw mut status));
    assert!(!function.is_null());
    let unknown = c"cuNothing";
    refused!(
        CUDA_ERROR_NOT_FOUND,
        sys::cuGetProcAddress_v2(unknown.as_ptr(), &raw mut function, 12040, 0, &raw mut status)
    );
    assert_eq!(status, sys::CUdriverProcAddressQueryResult::CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

/// The next test runs this test in a process with a broken kernel.
#[test]
#[ignore = "run by launches_of_a_broken_kernel_are_refused"]
fn with_a_broken_kernel() {
    let raw = Raw::new("with_a_broken_kernel", 0).unwrap();
    let function = raw.function(c"emulation_increment");
    let (mut offset, mut size) = (0, 0);
    for (index, expected) in [(0, 8), (8, 4), (12, 1)].into_iter().enumerate() {
        done!(sys::cuFuncGetParamInfo(function, index, &raw mut offset, &raw mut size));
        assert_eq!((offset, size), expected);
    }
    refused!(CUDA_ERROR_INVALID_VALUE, sys::cuFuncGetParamInfo(function, 3, &raw mut offset, &raw mut size));
    // The parameters are passed as if the caller had not asked for their layout.
    let address = Raw::alloc(16);
    refused!(CUDA_ERROR_LAUNCH_FAILED, increment(function, [1; 3], [4, 1, 1], 0, address));
    assert_eq!(last_report(), "kernel emulation_increment is broken on request");
    println!("refusal seen");
}

#[test]
fn launches_of_a_broken_kernel_are_refused() {
    if !available("launches_of_a_broken_kernel_are_refused") || !emulated() {
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "driver_calls::with_a_broken_kernel", "--nocapture"])
        .env("ARCUATE_EMULATION_BREAK", "emulation_increment")
        .env_remove("ARCUATE_EMULATION_LAUNCHES")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && printed.contains("refusal seen"),
        "{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The next test runs this test in a process with its own settings.
#[test]
#[ignore = "run by settings_come_from_the_environment"]
fn with_settings() {
    assert!(available("with_settings"));
    let mut version = 0;
    done!(sys::cuDriverGetVersion(&raw mut version));
    assert_eq!(version, 12_050);
    let gpus = arcuate_compute::cuda::list_gpus().unwrap();
    assert_eq!(gpus.len(), 3);
    let bench = Bench::new("with_settings", 2).unwrap();
    assert_eq!(bench.gpu.capability(), (8, 6));
    assert_eq!(bench.gpu.total_bytes(), 123 << 20);
    println!("settings seen");
}

#[test]
fn settings_come_from_the_environment() {
    if !available("settings_come_from_the_environment") || !emulated() {
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "driver_calls::with_settings", "--nocapture"])
        .env("ARCUATE_EMULATION_DEVICES", "3")
        .env("ARCUATE_EMULATION_MEMORY", (123 << 20).to_string())
        .env("ARCUATE_EMULATION_CAPABILITY", "86")
        .env("ARCUATE_EMULATION_DRIVER", "12050")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && printed.contains("settings seen"),
        "{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
