//! Tests of GPU failures, which only the emulated GPU produces on request. They run in their own process,
//! because a failure affects whichever test uses the GPU next.

#![cfg(test)]
#![allow(unsafe_code)]

use arcuate_compute::cuda::{Buffer, CudaError, Gpu, Gpus, Grid, KernelImages, Stream};
use arcuate_compute::{Device, MemoryPlan, arguments, kernel_images, with_fallback};
use arcuate_core::{Error, ErrorKind};
use arcuate_emulation::Faults;

static KERNELS: KernelImages = kernel_images!("../src/cuda/tests/kernels");

/// Opens the emulated GPU with control of its failures. Returns `None` if the GPU is not emulated.
fn faulty_gpu(test: &str) -> Option<(Gpu, Faults)> {
    let there = arcuate_emulation::available_with_fallback(test) && arcuate_emulation::emulated();
    there.then(|| {
        let faults = Faults::begin();
        (Gpu::open(0).unwrap(), faults)
    })
}

fn increment(stream: &Stream, values: &mut Buffer<u32>) -> Result<(), CudaError> {
    let kernel = stream.gpu().kernels(&KERNELS)?.get("compute_test_increment")?;
    let (grid, count) = (Grid::for_items(values.len(), 64), values.len() as u32);
    // SAFETY: the kernel `compute_test_increment(unsigned* values, unsigned count, unsigned rounds)` stays
    // below `count`.
    unsafe { stream.launch(&kernel, grid, &arguments![values, count, 1_u32]) }
}

#[test]
fn kernel_faults_name_the_kernel_and_do_not_affect_other_work() {
    let Some((gpu, faults)) = faulty_gpu("faults of kernels") else { return };
    let stream = gpu.stream().unwrap();
    let mut values = gpu.alloc::<u32>(10).unwrap();
    faults.fail_launch("compute_test_increment", 2);
    increment(&stream, &mut values).unwrap();
    stream.synchronize().unwrap();
    let error = increment(&stream, &mut values).and_then(|()| stream.synchronize()).unwrap_err();
    assert!(!error.is_out_of_memory());
    let message = error.to_string();
    assert!(message.contains("compute_test_increment") && message.contains("CUDA_ERROR_"), "{message}");
    let shown = Error::from(error);
    assert_eq!((shown.kind(), shown.to_string().lines().count()), (ErrorKind::Device, 1));
    // After the failure, the GPU stays unusable. Dropping objects that belong to it must not fail.
    assert!(stream.synchronize().is_err());
    drop((values, stream, gpu));
    drop(faults);
    let gpu = Gpu::open(0).unwrap();
    let stream = gpu.stream().unwrap();
    let mut values = gpu.alloc::<u32>(10).unwrap();
    increment(&stream, &mut values).unwrap();
    assert_eq!(values.to_vec(&stream).unwrap(), [1; 10]);
}

#[test]
fn running_out_of_memory_repeats_the_work_without_leaks() {
    let Some((gpu, faults)) = faulty_gpu("memory that runs out") else { return };
    let before = arcuate_emulation::live_allocations();
    let device = Device::Cuda(Gpus::new(vec![gpu.clone()]).unwrap());
    let budget = gpu.budget().unwrap();
    let mut budgets = Vec::new();
    // The work needs three buffers. In the first attempt, the third allocation fails. In the second attempt,
    // all allocations succeed.
    let mut work = |device: &Device| {
        budgets.push(device.budget()?);
        let Device::Cuda(gpus) = device else { return Ok(0) };
        let stream = gpus[0].stream()?;
        let mut sum = 0;
        let mut buffers = Vec::new();
        for value in 1..=3 {
            let buffer = gpus[0].upload(&stream, &[value])?;
            sum += buffer.to_vec(&stream)?[0];
            buffers.push(buffer);
        }
        Ok(sum)
    };
    faults.fail_allocation_after(2);
    assert_eq!(with_fallback("adding", &device, &mut work).unwrap(), 6);
    assert_eq!(budgets, [Some(budget), Some(budget / 2)]);
    assert_eq!(gpu.allocated_bytes(), 0);
    assert_eq!(arcuate_emulation::live_allocations(), before);
}

#[test]
fn memory_used_by_other_programs_is_detected_before_allocation() {
    let Some((gpu, faults)) = faulty_gpu("memory of others") else { return };
    let budget = gpu.budget().unwrap();
    faults.limit_memory(64 << 20);
    assert!(gpu.budget().unwrap() <= 64 << 20 && gpu.budget().unwrap() < budget);
    let error = gpu.alloc::<u8>(65 << 20).unwrap_err();
    assert!(error.is_out_of_memory() && error.to_string().contains("64.0 MiB"), "{error}");
}

#[test]
fn unknown_driver_errors_are_reported_by_number() {
    let Some((gpu, faults)) = faulty_gpu("unknown errors") else { return };
    faults.fail_call(1, 9999);
    let error = gpu.free_bytes().unwrap_err();
    assert_eq!(error.to_string(), "cuMemGetInfo_v2 on cuda:0 (Emulated GPU 0): error 9999 (no description)");
    assert!(matches!(error, CudaError::Call { code: 9999, .. }) && !error.is_out_of_memory());
    // A query that can return "no" must also report this error.
    let stream = gpu.stream().unwrap();
    faults.fail_call(1, 9998);
    let error = stream.is_idle().unwrap_err().to_string();
    assert!(error.starts_with("cuStreamQuery on cuda:0") && error.contains("error 9998"), "{error}");
    assert!(stream.is_idle().is_ok(), "one call alone is answered so");
}

#[test]
fn kernel_parameters_are_known_completely_or_not_at_all() {
    let Some((gpu, faults)) = faulty_gpu("parameters") else { return };
    let kernels = gpu.kernels(&KERNELS).unwrap();
    // Looking up a kernel first finds the kernel and then queries its parameters, one after the other.
    for (nth, call) in [(1, "cuModuleGetFunction"), (2, "cuFuncGetParamInfo"), (4, "cuFuncGetParamInfo")] {
        faults.fail_call(nth, 9999);
        let error = kernels.get("compute_test_increment").unwrap_err().to_string();
        assert!(error.starts_with(call) && error.contains("error 9999"), "{error}");
    }
    assert_eq!(kernels.get("compute_test_increment").unwrap().parameters(), [8, 4, 4]);
}

/// Doubles numbers on a GPU, within the memory budget of the GPU.
fn doubled(device: &Device, numbers: &[u32], tried: &mut Vec<Option<u64>>) -> arcuate_core::Result<Vec<u32>> {
    tried.push(device.budget()?);
    let Device::Cuda(gpus) = device else { return Ok(numbers.iter().map(|n| 2 * n).collect()) };
    let gpu = gpus.first();
    let stream = gpu.stream()?;
    let plan = MemoryPlan::new("doubling needs", 0);
    let mut doubled = Vec::new();
    for chunk in plan.keep_most(gpu.budget()?, numbers.len(), |n| 4 * n as u64)?.all() {
        let mut there: Buffer<u32> = gpu.upload(&stream, &numbers[chunk.clone()])?;
        // In the middle of its work, the first attempt finds less memory than it planned with.
        if tried.len() == 1 && chunk.end == numbers.len() {
            let _more = gpu.alloc::<u32>(1 << 20)?;
        }
        for (n, value) in there.to_vec(&stream)?.into_iter().enumerate() {
            doubled.push(value + numbers[chunk.start + n]);
        }
        there.zero(&stream)?;
    }
    Ok(doubled)
}

#[test]
fn work_without_memory_runs_in_smaller_pieces_or_on_the_cpu() {
    let Some((gpu, _faults)) = faulty_gpu("work without memory") else { return };
    let capped = |cap| Device::Cuda(Gpus::new(vec![gpu.with_memory_cap(Some(cap))]).unwrap());
    let numbers = (0..1000).collect::<Vec<u32>>();
    let expected: Vec<u32> = numbers.iter().map(|n| 2 * n).collect();

    let mut tried = Vec::new();
    let smaller = with_fallback("doubling", &capped(4000), |device| doubled(device, &numbers, &mut tried));
    assert_eq!((smaller.unwrap(), tried), (expected.clone(), vec![Some(4000), Some(2000)]));

    let mut tried = Vec::new();
    let on_cpu = with_fallback("doubling", &capped(7), |device| doubled(device, &numbers, &mut tried));
    assert_eq!((on_cpu.unwrap(), tried), (expected, vec![Some(7), None]));
}
