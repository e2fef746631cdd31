//! Tests of kernels, launches, streams and events.

use super::kernels::{self, IMAGES, Recipe};
use super::{counting, gpu, increment};
use crate::cuda::{Argument, Buffer, CudaError, Grid, Input, KernelImages, Output, Precision, list_gpus};
use crate::{arguments, kernel_images};

/// Kernel images with PTX only, which the driver compiles. The usual images also have machine code, which is
/// used directly if it suits the GPU.
static PTX_ALONE: KernelImages =
    KernelImages { family: "PTX alone", ptx: include_bytes!("kernels.ptx.br"), cubins: &[] };

/// Images of another kernel family, for the same GPU.
static OTHERS: KernelImages = kernel_images!("../../sort/kernels");

#[test]
fn kernel_families_of_one_module_are_separate() {
    let Some(gpu) = gpu() else { return };
    for _ in 0..2 {
        assert!(gpu.kernels(&IMAGES).unwrap().get("compute_test_increment").is_ok());
        assert!(gpu.kernels(&OTHERS).unwrap().get("sort_tile_sums").is_ok());
    }
    assert!(gpu.kernels(&OTHERS).unwrap().get("compute_test_increment").is_err());
}

#[test]
fn kernels_are_prepared_in_parallel_and_separately() {
    let Some(gpu) = gpu() else { return };
    let names = ["compute_test_increment", "compute_test_sum", "compute_test_scale"].map(str::to_owned);
    for images in [&PTX_ALONE, &IMAGES] {
        // The second call finds the kernels loaded.
        images.prepare(&gpu, &names).unwrap();
        images.prepare(&gpu, &names).unwrap();
        for name in &names {
            assert_eq!(images.kernel(&gpu, name).unwrap().name(), name);
        }
    }
    let wrong = [names[0].clone(), "compute_test_missing".to_owned()];
    let error = PTX_ALONE.prepare(&gpu, &wrong).unwrap_err().to_string();
    assert!(error.contains("`compute_test_missing`") && error.contains("no such kernel"), "{error}");
}

#[test]
fn the_gpu_is_listed_as_usable() {
    let Some(gpu) = gpu() else { return };
    let listed = list_gpus().unwrap();
    assert_eq!((listed[0].name.as_str(), listed[0].total_bytes), (gpu.name(), gpu.total_bytes()));
    assert_eq!((listed[0].capability, listed[0].unusable.as_deref()), (gpu.capability(), None));
    assert!(listed[0].free_bytes.unwrap() <= gpu.total_bytes());
    assert!(listed[0].driver.contains("CUDA "), "{}", listed[0].driver);
    assert_eq!(listed[0].driver, gpu.driver());
    assert!(gpu.multiprocessors() > 0);
    let error = crate::cuda::Gpu::open(listed.len()).unwrap_err();
    assert!(
        matches!(&error, CudaError::Unusable { reason, .. } if reason.contains("no GPU has this number")),
        "{error}"
    );
}

#[test]
fn grids_have_three_dimensions() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream().unwrap();
    let grid = Grid { blocks: [2, 3, 4], threads: [5, 4, 3], shared_bytes: 0 };
    let mut numbers = gpu.upload(&stream, &vec![u32::MAX; 24 * 60]).unwrap();
    // SAFETY: the kernel writes one number for each of its 24 · 60 threads.
    unsafe { kernels::compute_test_number(&stream, grid, &mut numbers) }.unwrap();
    assert_eq!(numbers.to_vec(&stream).unwrap(), counting(24 * 60));
}

#[test]
fn all_kinds_of_arguments_reach_kernels() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream().unwrap();
    let values: Vec<f32> = (0..100).map(|n| n as f32).collect();
    // The expected values are computed with the same rounding as in the kernel, so they must be
    // bit-identical.
    let expected: Vec<f64> = values.iter().map(|&x| 0.5_f64.mul_add(f64::from(x), 1e-9 - 3.0)).collect();
    let (x, grid) = (gpu.upload(&stream, &values).unwrap(), Grid::for_items(100, 32));
    let is_right = |y: &Buffer<f64>| {
        let y = y.to_vec(&stream).unwrap();
        assert_eq!((&y[..10], &y[10..]), ([0.0; 10].as_slice(), expected.as_slice()));
    };
    let mut y = gpu.alloc::<f64>(110).unwrap();
    let nothing = Input::none();
    // SAFETY: the kernel reads 100 values and writes y[10..110].
    unsafe { kernels::compute_test_scale(&stream, grid, &x, &mut y, 100, 10, 0.5, 1e-9, -3, nothing) }
        .unwrap();
    is_right(&y);

    let kernel = PTX_ALONE.kernel(&gpu, "compute_test_scale").unwrap();
    assert_eq!(kernel.parameters(), [8, 8, 4, 8, 4, 8, 4, 8]);
    assert_eq!((kernel.name(), kernel.gpu() == &gpu), ("compute_test_scale", true));
    y.zero(&stream).unwrap();
    let arguments = arguments![&x, &mut y, 100_u32, 10_i64, 0.5_f32, 1e-9_f64, -3_i32, Input::<f32>::none()];
    // SAFETY: the launch has the same kernel and the same arguments as the previous one.
    unsafe { stream.launch(&kernel, grid, &arguments) }.unwrap();
    is_right(&y);
}

#[test]
fn structures_reach_kernels_with_all_fields() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream().unwrap();
    let recipe =
        Recipe { factors: [1.0, 20.0, 300.0, 4e-9], first: 1, offsets: [0.5, 0.25], count: 3, sign: -1 };
    let mut y = gpu.alloc::<f64>(5).unwrap();
    // SAFETY: the kernel writes y[1..4].
    unsafe { kernels::compute_test_recipe(&stream, Grid::row(1, 1), recipe, &mut y) }.unwrap();
    assert_eq!(y.to_vec(&stream).unwrap(), [0.0, -0.5, -19.75, -299.5, 0.0]);
}

/// Launches four kernels in turn. The first two compute y ← y + more. The others compute y ← y + 1 · y +
/// more, and y ← y + 2 · y + more.
fn added<T: Precision>(more: T, y: &[T]) -> Option<Vec<T>> {
    let gpu = gpu()?;
    let stream = gpu.stream().unwrap();
    let (grid, count) = (Grid::row(1, 32), y.len() as u32);
    let mut y = gpu.upload(&stream, y).unwrap();
    for reads in [false, true] {
        for times in [1, 2] {
            let y = Output::from(&mut y);
            let x = reads.then(|| y.also_read());
            // SAFETY: the kernel accesses `count` values, and each thread accesses the same value through
            // both pointers.
            unsafe { kernels::compute_test_add([times], &stream, grid, count, more, x, y) }.unwrap();
        }
    }
    let none = Input::none();
    // SAFETY: no kernel has this name, so nothing is launched.
    let refused = unsafe { kernels::compute_test_add([3], &stream, grid, count, more, none, &mut y) };
    let error = refused.unwrap_err().to_string();
    assert!(error.contains(&format!("`compute_test_add_{}_3`", T::NAME)), "{error}");
    Some(y.to_vec(&stream).unwrap())
}

#[test]
fn kernels_are_selected_by_precision_and_number_and_can_work_in_place() {
    // The results are exact: 1, 1.5, 2, 4.5, 14 and −2, −1.5, −1, −1.5, −4.
    let Some(single) = added(0.5_f32, &[1.0, -2.0]) else { return };
    assert_eq!(single, [14.0, -4.0]);
    // In single precision, 1 + 2⁻³⁰ rounds to 1.
    let small = 2.0_f64.powi(-30);
    assert_eq!(added(small, &[1.0]).unwrap(), [6.0 + 16.0 * small]);
}

#[test]
fn invalid_launches_are_rejected() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream().unwrap();
    let kernel = kernels::IMAGES.kernel(&gpu, "compute_test_increment").unwrap();
    let mut values = gpu.alloc::<u32>(4).unwrap();
    let refused = |grid, arguments: &[Argument<'_>]| {
        // SAFETY: the launch is rejected before the kernel gets the arguments.
        unsafe { stream.launch(&kernel, grid, arguments) }.unwrap_err().to_string()
    };
    let row = Grid::row(1, 4);
    let error = refused(row, &arguments![&values, 4_u32]);
    assert!(
        error.contains("kernel `compute_test_increment`") && error.contains("takes 3 arguments"),
        "{error}"
    );
    let error = refused(row, &arguments![&values, 4_u64, 1_u32]);
    assert!(error.contains("argument 1 has 8 bytes, its parameter 4"), "{error}");
    assert!(refused(Grid::row(0, 4), &arguments![&values, 4_u32, 1_u32]).contains("are none"));
    assert!(refused(Grid::row(1, 1 << 20), &arguments![&values, 4_u32, 1_u32]).contains("threads a block"));
    // The driver rejects this launch, since no GPU has a gigabyte of shared memory.
    assert!(refused(row.shared(1 << 30), &arguments![&values, 4_u32, 1_u32]).contains("cuFuncSetAttribute"));
    increment(&stream, &mut values, 1);
    assert_eq!(values.to_vec(&stream).unwrap(), [1; 4]);

    let error = kernels::IMAGES.kernel(&gpu, "compute_test_missing").unwrap_err().to_string();
    assert!(error.contains("`compute_test_missing`") && error.contains("no such kernel"), "{error}");
}

#[test]
fn kernels_can_request_more_than_the_default_shared_memory() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream().unwrap();
    let kernel = kernels::IMAGES.kernel(&gpu, "compute_test_sum").unwrap();
    let values: Vec<f32> = (0..10_000).map(|n| (n % 100) as f32).collect();
    let x = gpu.upload(&stream, &values).unwrap();
    let mut sums = gpu.alloc::<f64>(3).unwrap();
    // The kernel uses 60 KiB of shared memory, which is within the 64 KiB of the smallest supported GPU.
    let doubles = 60 * 1024 / 8;
    let grid = Grid::row(3, 128).shared(doubles * 8);
    assert!(kernel.blocks_per_multiprocessor(128, doubles * 8).unwrap() >= 1);
    // SAFETY: each of the three blocks writes one sum.
    unsafe { kernels::compute_test_sum(&stream, grid, &x, 10_000, doubles, &mut sums) }.unwrap();
    // The sums of whole numbers are exact in any order.
    assert_eq!(sums.to_vec(&stream).unwrap().iter().sum::<f64>(), 495_000.0);
    assert!(kernel.max_threads() >= 128);
    assert_eq!((kernel.local_bytes(), kernel.static_shared_bytes()), (0, 0));
}

#[test]
fn events_keep_streams_in_order() {
    let Some(gpu) = gpu() else { return };
    let (first, second) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    let mut values = gpu.alloc::<u32>(1000).unwrap();
    let (start, end) = (gpu.timed_event().unwrap(), gpu.timed_event().unwrap());
    first.record(&start).unwrap();
    for round in 0..10 {
        let (one, other) = if round % 2 == 0 { (&first, &second) } else { (&second, &first) };
        increment(one, &mut values, 300);
        let done = gpu.event().unwrap();
        one.record(&done).unwrap();
        other.wait(&done).unwrap();
    }
    first.record(&end).unwrap();
    assert_eq!(values.to_vec(&first).unwrap(), vec![3000; 1000]);
    assert!(first.is_idle().unwrap() && end.has_happened().unwrap());
    second.synchronize().unwrap();
    gpu.synchronize().unwrap();
    end.synchronize().unwrap();
    assert!(start.milliseconds_until(&end).unwrap() > 0.0);
    // Events that were created without timing have no time.
    let untimed = gpu.event().unwrap();
    first.record(&untimed).unwrap();
    first.synchronize().unwrap();
    let error = start.milliseconds_until(&untimed).unwrap_err();
    assert!(error.to_string().starts_with("cuEventElapsedTime on cuda:0"), "{error}");
}

#[test]
fn one_gpu_serves_several_threads() {
    let Some(gpu) = gpu() else { return };
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            let gpu = &gpu;
            scope.spawn(move || {
                let stream = gpu.stream().unwrap();
                let mut values = gpu.upload(&stream, &counting(500)).unwrap();
                increment(&stream, &mut values, thread);
                let expected: Vec<u32> = (thread..500 + thread).collect();
                assert_eq!(values.to_vec(&stream).unwrap(), expected);
            });
        }
    });
}

/// Compressed PTX whose kernel has an empty body.
const NONSENSE: &[u8] =
    b"\x1fQ\x00\x00\x04\xaan}K\xbaH\xb9\xf4\xd0\xda\x87\x84 \x1aN9\x01)\xca\xf2\x00\xa3v?x\xc8J\
\xb3\x0f\xa1\x18Z^\x9a\x0e\xbc\xb4qtW\x8e\x86i?\xff\x18\xa6\x07\xc6HN\x02U5\xa5\xf2\xd8g\xdb4\x1f";

#[test]
fn damaged_kernel_images_are_errors() {
    static DAMAGED: KernelImages =
        KernelImages { family: "damaged", ptx: NONSENSE.split_at(20).0, cubins: &[] };
    let error = DAMAGED.ptx().unwrap_err().to_string();
    assert!(error.contains("kernels of damaged") && error.contains("cannot be unpacked"), "{error}");
}

#[test]
fn the_error_contains_the_log_of_the_drivers_compiler() {
    static BROKEN: KernelImages = KernelImages { family: "broken", ptx: NONSENSE, cubins: &[] };
    let Some(gpu) = gpu() else { return };
    let kernel = ".visible .entry broken()\n{\nnonsense\n}\n";
    assert_eq!(BROKEN.ptx().unwrap(), format!(".version 8.4\n.target sm_75\n.address_size 64\n{kernel}"));
    // The emulated driver has no compiler; it identifies kernels by their name.
    if arcuate_emulation::emulated() {
        return;
    }
    let error = BROKEN.kernel(&gpu, "broken").unwrap_err().to_string();
    assert!(error.starts_with("cuModuleLoadDataEx on kernel `broken` of broken on cuda:0"), "{error}");
    // The wording and the line numbers of the compiler's log differ between drivers. Each line of the log
    // contains `ptxas`, which is neither in the name nor in the text of a driver error.
    assert!(error.contains("CUDA_ERROR_INVALID_PTX") && error.contains("ptxas"), "{error}");
    // The failed compilation does not affect other kernel families.
    assert!(gpu.kernels(&kernels::IMAGES).is_ok());
}
