//! Tests of buffers, page-locked memory, memory limits, and streaming.

use super::{counting, gpu, increment, kernels};
use crate::cuda::{Buffer, BufferView, CudaError, DeviceChunks, Gpu, Gpus, Grid, Staging, Stream};
use crate::{Device, MemoryPlan};
use arcuate_core::ErrorKind;
use std::ops::Range;

#[test]
fn copies_preserve_all_values() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream().unwrap();
    let values: Vec<f64> = (0..1000).map(|n| f64::from(n).sqrt()).collect();
    let mut there = gpu.upload(&stream, &values).unwrap();
    assert_eq!((there.len(), there.bytes()), (1000, 8000));
    assert_eq!(there.to_vec(&stream).unwrap(), values);

    let mut part = vec![0.0; 10];
    there.range(500..510).copy_to(&stream, &mut part).unwrap();
    assert_eq!(part, values[500..510]);
    assert_eq!(there.view().range(500..600).range(3..4).len(), 1);

    there.range_mut(0..10).copy_from(&stream, &part).unwrap();
    there.range_mut(998..1000).zero(&stream).unwrap();
    let mut expected = values.clone();
    expected[..10].copy_from_slice(&part);
    expected[998..].fill(0.0);
    assert_eq!(there.to_vec(&stream).unwrap(), expected);

    let mut second = gpu.alloc::<f64>(100).unwrap();
    second.range_mut(50..100).copy_from_device(&stream, there.range(500..550)).unwrap();
    assert_eq!(second.to_vec(&stream).unwrap()[50..], values[500..550]);
}

#[test]
fn new_buffers_are_zeroed_and_may_be_empty() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream().unwrap();
    for _ in 0..4 {
        // The driver probably gives this buffer the memory of the previous one.
        let mut buffer = gpu.alloc::<u16>(5000).unwrap();
        assert_eq!(buffer.to_vec(&stream).unwrap(), vec![0; 5000]);
        buffer.copy_from(&stream, &vec![u16::MAX; 5000]).unwrap();
    }
    let mut nothing = gpu.upload::<f32>(&stream, &[]).unwrap();
    assert!(nothing.is_empty() && nothing.range(0..0).is_empty());
    nothing.zero(&stream).unwrap();
    assert_eq!(nothing.to_vec(&stream).unwrap(), Vec::<f32>::new());
    assert!(gpu.pinned::<u8>(0).unwrap().as_slice().unwrap().is_empty());
}

#[test]
fn copies_between_different_lengths_are_rejected() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream().unwrap();
    let mut buffer = gpu.alloc::<u32>(4).unwrap();
    let error = buffer.copy_from(&stream, &[1, 2, 3]).unwrap_err();
    assert!(error.to_string().contains("the GPU buffer has 4 values, the host buffer 3"), "{error}");
    assert!(buffer.copy_to(&stream, &mut [0; 5]).is_err());
    let mut pinned = gpu.pinned::<u32>(6).unwrap();
    assert!(buffer.view_mut().copy_from_pinned(&stream, &pinned, 3).is_err());
    assert!(buffer.view().copy_to_pinned(&stream, &mut pinned, usize::MAX).is_err());
    let other = gpu.alloc::<u32>(3).unwrap();
    assert!(buffer.view_mut().copy_from_device(&stream, other.view()).is_err());
    assert_eq!(buffer.to_vec(&stream).unwrap(), [0; 4]);
}

#[test]
fn ranges_end_with_their_buffer() {
    let Some(gpu) = gpu() else { return };
    let buffer = gpu.alloc::<u32>(4).unwrap();
    let length = |range| std::panic::catch_unwind(|| buffer.range(range).len()).ok();
    assert_eq!((length(0..4), length(4..4), length(3..5), length(5..5)), (Some(4), Some(0), None, None));
}

#[test]
fn casts_preserve_bytes_and_reject_partial_values() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream().unwrap();
    let bytes = gpu.upload(&stream, &[1_u8, 0, 0, 0, 2, 0, 0, 0]).unwrap();
    let mut words = [0_u32; 2];
    bytes.view().cast::<u32>().copy_to(&stream, &mut words).unwrap();
    assert_eq!(words.map(u32::from_le), [1, 2]);
    let cast = |range| std::panic::catch_unwind(|| bytes.range(range).cast::<u32>().len());
    assert_eq!(cast(0..4).unwrap(), 1);
    assert!(cast(0..6).is_err(), "six bytes are no whole number of words");
    assert!(cast(2..6).is_err(), "no word begins there");
}

#[test]
fn large_copies_to_the_host_reuse_staging_buffers() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream().unwrap();
    // The numbers of values require a single small piece, several pieces with a short last one, less than a
    // piece, and a copy by the driver.
    for count in [1 << 20, (5 << 20) + 3, 3 << 19, 3 << 18] {
        let there = gpu.upload(&stream, &counting(count)).unwrap();
        for _ in 0..2 {
            let mut back = vec![u32::MAX; count as usize];
            there.copy_to(&stream, &mut back).unwrap();
            assert!(back == counting(count), "{count}");
        }
        assert!(there.copy_to(&stream, &mut vec![0; 2 << 20]).is_err());
    }
}

#[test]
fn reading_page_locked_memory_waits_for_pending_copies() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream().unwrap();
    let count = 1 << 16;
    let mut there = gpu.alloc::<u32>(count as usize).unwrap();
    let mut out = gpu.pin(&counting(count)).unwrap();
    let mut back = gpu.pinned::<u32>(count as usize + 1).unwrap();
    for round in 1..=3 {
        there.view_mut().copy_from_pinned(&stream, &out, 0).unwrap();
        // The kernel is slow enough to detect a copy that does not wait for it.
        increment(&stream, &mut there, 2000);
        there.view().copy_to_pinned(&stream, &mut back, 1).unwrap();
        // Access to `out` waits for the pending copy, so that the copy has the previous values.
        out.as_mut_slice().unwrap().iter_mut().for_each(|value| *value += 1);
        let contents = back.as_slice().unwrap();
        assert_eq!(
            (contents[0], contents[1], contents[count as usize]),
            (0, 1999 + round, count + 1998 + round)
        );
    }
}

#[test]
fn allocated_memory_is_counted_and_capped() {
    let Some(free) = gpu() else { return };
    assert_eq!((free.allocated_bytes(), free.memory_cap()), (0, None));
    let capped = free.with_memory_cap(Some(1000));
    assert_eq!(capped.budget().unwrap(), 1000);
    let first = capped.alloc::<u8>(600).unwrap();
    assert_eq!((capped.allocated_bytes(), free.allocated_bytes(), capped.budget().unwrap()), (600, 600, 400));
    let error = capped.alloc::<u8>(401).unwrap_err();
    assert!(error.is_out_of_memory());
    assert!(
        error.to_string().contains(
            "‘device_memory’ limits GPU memory to 1000 bytes, of which 600 bytes \
                                    are in use"
        ),
        "{error}"
    );
    let second = capped.alloc::<u8>(400).unwrap();
    assert_eq!(capped.budget().unwrap(), 0);
    drop(first);
    assert_eq!(capped.budget().unwrap(), 600);
    drop(second);
    assert_eq!(free.allocated_bytes(), 0);
    assert!(free.budget().unwrap() < free.total_bytes(), "a reserve is left");
    assert!(free.alloc::<u8>(401).is_ok());
}

#[test]
fn out_of_memory_errors_are_distinguished_from_other_errors() {
    let Some(gpu) = gpu() else { return };
    let beyond = usize::try_from(gpu.total_bytes()).unwrap() + (1 << 30);
    let error = gpu.alloc::<u8>(beyond).unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
    assert!(
        error.to_string().starts_with("cuMemAlloc_v2 of ") && error.to_string().contains("free of"),
        "{error}"
    );
    assert!(gpu.alloc::<u64>(usize::MAX).unwrap_err().is_out_of_memory());
    assert!(gpu.pinned::<u64>(usize::MAX).unwrap_err().is_out_of_memory());
    assert_eq!(gpu.allocated_bytes(), 0);
    // Allocations after the failed one still work.
    assert_eq!(gpu.alloc::<u8>(10).unwrap().len(), 10);
}

/// Sums 20 chunks, which are streamed through slots of `bytes` bytes. Each chunk has two parts, which are cut
/// from `values` at irregular positions.
fn streamed_sums(gpu: &Gpu, bytes: u64, values: &[f32]) -> Vec<f64> {
    let compute = gpu.stream().unwrap();
    let mut sums = gpu.alloc::<f64>(40).unwrap();
    let mut staging = Staging::new(gpu, bytes).unwrap();
    let cut = |chunk: usize| {
        let middle = chunk * 997 + 13;
        [&values[chunk * 997..middle], &values[middle..(chunk + 1) * 997]]
    };
    staging
        .stream(
            &compute,
            20,
            |chunk| cut(chunk).map(bytemuck::cast_slice).to_vec(),
            |chunk, staged| {
                for part in 0..2 {
                    let values: BufferView<'_, f32> = staged.part(part);
                    let sum = sums.range_mut(2 * chunk + part..2 * chunk + part + 1);
                    let (grid, count) = (Grid::row(1, 64).shared(64 * 8), values.len() as u32);
                    // SAFETY: one block of 64 threads, with one double each, writes one sum.
                    unsafe { kernels::compute_test_sum(&compute, grid, values, count, 64, sum) }?;
                }
                Ok(())
            },
        )
        .unwrap();
    sums.to_vec(&compute).unwrap()
}

#[test]
fn batches_are_streamed_in_order_without_early_overwrites() {
    let Some(gpu) = gpu() else { return };
    let values: Vec<f32> = (0..20 * 997).map(|n| ((n * 7919) % 1000) as f32).collect();
    // Sums of whole numbers below 2⁵³ are exact in any order.
    let expected: Vec<f64> = (0..20)
        .flat_map(|chunk| [chunk * 997..chunk * 997 + 13, chunk * 997 + 13..(chunk + 1) * 997])
        .map(|range| values[range].iter().copied().map(f64::from).sum())
        .collect();
    // Each of the two parts of a chunk, of 13 · 4 and 984 · 4 bytes, begins at a multiple of 256 bytes.
    let minimum = 256 + 4096;
    let pinned = gpu.pin(&values).unwrap();
    for bytes in [minimum, 10_000] {
        assert_eq!(streamed_sums(&gpu, bytes, &values), expected);
        assert_eq!(streamed_sums(&gpu, bytes, pinned.as_slice().unwrap()), expected);
    }
}

#[test]
fn oversized_batches_and_failing_work_stop_streaming() {
    let Some(gpu) = gpu() else { return };
    let compute = gpu.stream().unwrap();
    let mut staging = Staging::new(&gpu, 300).unwrap();
    let bytes = [1_u8; 301];
    let error = staging.stream(&compute, 1, |_| vec![&bytes], |_, _| Ok(())).unwrap_err();
    assert!(
        error.problem().contains("the data chunk 0 is larger than its transfer buffer of 300 bytes"),
        "{error}"
    );
    let mut done = 0;
    let refused = staging.stream(
        &compute,
        3,
        |_| vec![&bytes[..9]],
        |_, _| {
            done += 1;
            Err(arcuate_core::Error::invalid("work", "no", "stop"))
        },
    );
    assert_eq!(refused.unwrap_err().problem(), "no");
    assert_eq!(done, 1);
    // The staging slots can be used again after an error.
    let mut seen = [0; 9];
    staging
        .stream(
            &compute,
            2,
            |chunk| vec![&bytes[chunk..chunk + 9]],
            |_, staged| Ok(staged.part::<u8>(0).copy_to(&compute, &mut seen)?),
        )
        .unwrap();
    assert_eq!(seen, [1; 9]);
}

/// Computes the sum of each item of 1000 values on a GPU with a memory limit of `cap` bytes. Some items are
/// kept in GPU memory and the others are streamed. Also returns the number of kept items and the number of
/// streamed chunks.
fn planned_sums(gpu: &Gpu, cap: u64, values: &[f32]) -> (Vec<f64>, usize, usize) {
    let gpu = gpu.with_memory_cap(Some(cap));
    let compute = gpu.stream().unwrap();
    let items = values.len() / 1000;
    let resident = 8 * items as u64;
    let plan = MemoryPlan::new("summing needs", resident + DeviceChunks::PADDING);
    let chunks = plan.keep_most(gpu.budget().unwrap(), items, |n| 4000 * n as u64).unwrap();
    let mut sums = gpu.alloc::<f64>(items).unwrap();
    let of = |chunk: &Range<usize>| &values[1000 * chunk.start..1000 * chunk.end];
    let mut add = |chunk: Range<usize>, values: BufferView<'_, f32>| {
        for (n, item) in chunk.enumerate() {
            let (values, sum) = (values.range(1000 * n..1000 * (n + 1)), sums.range_mut(item..item + 1));
            let grid = Grid::row(1, 64).shared(64 * 8);
            // SAFETY: one block of 64 threads, with one double each, reads 1000 values and writes one sum.
            unsafe { kernels::compute_test_sum(&compute, grid, values, 1000, 64, sum) }?;
        }
        Ok(())
    };
    let parts = |items| vec![bytemuck::cast_slice(of(&items))];
    let placed = DeviceChunks::new(&gpu, &compute, &chunks, parts).unwrap();
    placed.each(&compute, parts, |n, staged| add(placed.items()[n].clone(), staged.part(0))).unwrap();
    assert_eq!(placed.are_streamed(), !chunks.all_stay());
    (sums.to_vec(&compute).unwrap(), chunks.kept.len(), chunks.streamed.len())
}

#[test]
fn batch_results_are_in_order_for_every_kind_of_memory() {
    let Some(gpu) = gpu() else { return };
    let compute = gpu.stream().unwrap();
    let values = counting(20 * 700);
    let collect = |out: &mut [u32]| {
        let mut staging = Staging::new(&gpu, 4 * 700).unwrap();
        let mut chunks = out.chunks_mut(700);
        let mut sources = values.chunks(700);
        staging
            .collect(
                &compute,
                20,
                |_| bytemuck::cast_slice_mut(chunks.next().unwrap()),
                |chunk, place| {
                    let mut place = place.cast::<u32>();
                    place.copy_from(&compute, sources.next().unwrap())?;
                    // The kernel is slow enough to detect a copy that does not wait for it.
                    let (grid, rounds) = (Grid::for_items(700, 64), 500 + chunk as u32);
                    // SAFETY: the kernel changes the 700 values of the slot.
                    Ok(unsafe { kernels::compute_test_increment(&compute, grid, place, 700, rounds) }?)
                },
            )
            .unwrap();
    };
    let expected: Vec<u32> =
        values.iter().enumerate().map(|(n, value)| value + 500 + (n / 700) as u32).collect();
    let mut ordinary = vec![0; values.len()];
    collect(&mut ordinary);
    assert_eq!(ordinary, expected);
    let mut locked = vec![0; values.len()];
    // SAFETY: the values do not move until the end of the test.
    let registered = unsafe { gpu.register(&locked) }.unwrap();
    assert_eq!(registered.bytes(), 4 * locked.len());
    // Page-locking the same memory twice is an error without other effects.
    // SAFETY: the values do not move until the end of the test.
    assert!(unsafe { gpu.register(&locked) }.is_err());
    collect(&mut locked);
    assert_eq!(locked, expected);
    drop(registered);
    let mut room = [0_u8; 301];
    let mut rooms = std::iter::once(room.as_mut_slice());
    let mut staging = Staging::new(&gpu, 300).unwrap();
    let error = staging.collect(&compute, 1, |_| rooms.next().unwrap(), |_, _| Ok(())).unwrap_err();
    assert!(
        error.problem().contains("the data chunk 0 is larger than its transfer buffer of 300 bytes"),
        "{error}"
    );
}

#[test]
fn counted_allocations_use_no_memory_and_match_real_allocations() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream().unwrap();
    let capped = gpu.with_memory_cap(Some(gpu.allocated_bytes()));
    let make = |gpu: &Gpu| {
        let mut third = gpu.alloc::<f64>(1000)?;
        third.zero(&stream)?;
        Ok((gpu.upload(&stream, &[1_u8; 700])?, gpu.alloc::<u32>(0)?, third))
    };
    // The three buffers have 700, 0 and 8,000 bytes. Each size is rounded up to a multiple of 512.
    assert_eq!(capped.bytes_of(make).unwrap(), 1024 + 8192);
    assert_eq!(gpu.allocated_bytes(), 0);
    let made = make(&gpu).unwrap();
    assert_eq!(gpu.allocated_bytes(), 8700);
    assert_eq!(made.0.to_vec(&stream).unwrap(), [1; 700]);
}

#[test]
fn results_do_not_depend_on_available_memory() {
    let Some(gpu) = gpu() else { return };
    // The values are fractions, so that their sums depend on the order.
    let values: Vec<f32> = (0..50_000).map(|n| 1.0 / (n % 997 + 1) as f32).collect();
    let (sums, kept, chunks) = planned_sums(&gpu, 1 << 20, &values);
    assert_eq!((sums.len(), kept, chunks), (50, 50, 0));
    // Both limits include 400 bytes for the sums and 768 for the alignment of parts. The rest is memory for
    // 49 items or for two items.
    for (cap, kept, chunks) in [(197_168, 42, 3), (9_168, 0, 50)] {
        assert_eq!(planned_sums(&gpu, cap, &values), (sums.clone(), kept, chunks), "with {cap} bytes");
    }
}

#[test]
fn duplicate_gpus_are_rejected() {
    let Some(gpu) = gpu() else { return };
    let error = Gpus::new(vec![gpu.clone(), gpu.clone()]).unwrap_err();
    assert!(
        matches!(&error, CudaError::Misuse { problem, .. } if problem == "it is listed twice"),
        "{error}"
    );
    let gpus = Gpus::new(vec![gpu.clone()]).unwrap().with_memory_cap(Some(5000));
    assert_eq!((gpus.len(), gpus.first() == &gpu, gpus.budget().unwrap()), (1, true, 5000));
    assert_eq!(Device::Cuda(gpus).to_string(), "cuda:0");
    assert_eq!(arcuate_core::Error::from(error).kind(), ErrorKind::Device);
}

#[test]
fn values_are_copied_between_gpus() {
    let Some(first) = gpu() else { return };
    // The test ends here on machines with only one GPU.
    let Ok(second) = Gpu::open(1) else { return };
    let (here, there) = (first.stream().unwrap(), second.stream().unwrap());
    let values = counting(5000);
    let mut source = first.upload(&here, &values).unwrap();
    increment(&here, &mut source, 10);
    let done = first.event().unwrap();
    here.record(&done).unwrap();
    let mut target = second.alloc::<u32>(5000).unwrap();
    there.wait(&done).unwrap();
    target.view_mut().copy_from_device(&there, source.view()).unwrap();
    assert!(target.to_vec(&there).unwrap().iter().zip(&values).all(|(copy, value)| *copy == value + 10));

    let wrong_stream: Result<(), CudaError> = target.copy_from(&here, &values);
    assert!(wrong_stream.unwrap_err().to_string().contains("the stream belongs to cuda:0"));
    let misplaced = |stream: &Stream, buffer: &mut Buffer<u32>| {
        // SAFETY: the kernel changes only the first value of the buffer.
        unsafe { kernels::compute_test_increment(stream, Grid::row(1, 1), buffer, 1, 1) }
    };
    match first.reach(&second) {
        Ok(true) => {
            misplaced(&here, &mut target).unwrap();
            here.synchronize().unwrap();
            assert_eq!(target.to_vec(&there).unwrap()[0], 11);
        }
        _ => {
            assert!(
                misplaced(&here, &mut target)
                    .unwrap_err()
                    .to_string()
                    .contains("which the kernel cannot access")
            );
        }
    }
}
