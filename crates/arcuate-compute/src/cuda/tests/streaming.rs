use super::{counting, increment};
use crate::cuda::{Buffer, CudaResult, Gpu, Gpus, Stream};
use crate::streaming::{self, ChunkSizes, Job, Work, Worker};
use arcuate_core::{Error, ErrorKind, Result};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A job that adds 1 to each number, and a constant that all chunks share.
struct Increments<'a> {
    numbers: &'a [u32],
    sizes: ChunkSizes,
    done: AtomicUsize,
    /// Number of processed numbers after which the work is cancelled.
    enough: usize,
}

impl<'a> Increments<'a> {
    fn new(numbers: &'a [u32]) -> Self {
        let sizes = ChunkSizes { minimum: 64, enough: 128, maximum: 256 };
        Self { numbers, sizes, done: AtomicUsize::new(0), enough: usize::MAX }
    }
}

impl<'a> Job for Increments<'a> {
    type Tables = Buffer<u32>;
    type Scratch = (Buffer<u32>, usize);
    type Target = &'a mut [u32];
    type Output = Range<usize>;

    fn work(&self) -> Work {
        Work { needs: "increments need", items: self.numbers.len(), sizes: self.sizes }
    }

    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<Buffer<u32>> {
        gpu.upload(stream, &[1000])
    }

    fn chunk_bytes(&self, gpu: &Gpu, items: usize) -> CudaResult<u64> {
        gpu.bytes_of(|gpu| gpu.alloc::<u32>(items))
    }

    fn upload(
        &self,
        worker: &mut Worker<'_, Buffer<u32>>,
        scratch: Option<(Buffer<u32>, usize)>,
        chunk: Range<usize>,
    ) -> Result<(Buffer<u32>, usize)> {
        assert!(4 * chunk.len() as u64 <= worker.budget && chunk.len() <= worker.maximum);
        let mut there = match scratch {
            Some((there, _)) => there,
            None => worker.gpu.alloc(worker.maximum)?,
        };
        there.range_mut(0..chunk.len()).copy_from(&worker.stream, &self.numbers[chunk.clone()])?;
        Ok((there, chunk.start))
    }

    fn launch(
        &self,
        worker: &mut Worker<'_, Buffer<u32>>,
        (there, _): &mut (Buffer<u32>, usize),
    ) -> Result<()> {
        increment(&worker.stream, there, 1);
        Ok(())
    }

    fn download(
        &self,
        worker: &mut Worker<'_, Buffer<u32>>,
        (there, first): &mut (Buffer<u32>, usize),
        target: &'a mut [u32],
    ) -> Result<Range<usize>> {
        there.range(0..target.len()).copy_to(&worker.stream, target)?;
        let common = worker.tables.to_vec(&worker.stream)?[0];
        for number in target.iter_mut() {
            *number += common;
        }
        Ok(*first..*first + target.len())
    }

    fn done(&self, items: usize) -> Result<()> {
        let done = self.done.fetch_add(items, Ordering::Relaxed) + items;
        if done < self.enough { Ok(()) } else { Err(Error::invalid("work", "it was ended", "begin again")) }
    }
}

/// Runs the job on GPUs, each with this memory limit. Returns the results and the number of chunks.
fn incremented(gpus: &[usize], cap: Option<u64>, numbers: &[u32]) -> Result<(Vec<u32>, usize)> {
    let gpus = Gpus::open(gpus)?.with_memory_cap(cap);
    let (job, mut out) = (Increments::new(numbers), vec![0; numbers.len()]);
    let chunks = streaming::run(&job, &gpus, |chunks| streaming::parts(&mut out, 1, chunks))?;
    // The chunks are in order and contain each number once.
    let mut next = 0;
    for chunk in &chunks {
        assert_eq!(chunk.start, next);
        next = chunk.end;
    }
    assert_eq!((next, job.done.into_inner()), (numbers.len(), numbers.len()));
    Ok((out, chunks.len()))
}

#[test]
fn results_do_not_depend_on_chunks_and_gpus() {
    if !arcuate_emulation::available("results_do_not_depend_on_chunks_and_gpus") {
        return;
    }
    let numbers = counting(1000);
    let expected: Vec<u32> = (1001..2001).collect();
    assert_eq!(incremented(&[0], None, &numbers).unwrap(), (expected.clone(), 4));
    // The numbers of two workers would need 2 KiB, more than the limit. The constant takes one rounding unit
    // of the driver, 512 bytes.
    let (found, chunks) = incremented(&[0], Some(512 + 512), &numbers).unwrap();
    assert_eq!(found, expected);
    assert!(chunks > 4, "{chunks}");
    assert_eq!(incremented(&[0], None, &[]).unwrap(), (vec![], 0));
    assert_eq!(incremented(&[0], None, &[7]).unwrap(), (vec![1008], 1));
    let error = incremented(&[0], Some(600), &numbers).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeviceTooSmall);
    assert!(error.to_string().contains("increments need"), "{error}");
    if Gpu::open(1).is_ok() {
        assert_eq!(incremented(&[0, 1], None, &numbers).unwrap(), (expected, 4));
        assert_eq!(incremented(&[0, 1], None, &numbers[..200]).unwrap().1, 2);
    }
}

#[test]
fn progress_callbacks_can_cancel_the_work() {
    if !arcuate_emulation::available("progress_callbacks_can_cancel_the_work") {
        return;
    }
    let numbers = counting(10_000);
    let (gpus, mut out) = (Gpus::open(&[0]).unwrap(), vec![0; numbers.len()]);
    let job = Increments { enough: 500, ..Increments::new(&numbers) };
    let ended = streaming::run(&job, &gpus, |chunks| streaming::parts(&mut out, 1, chunks));
    assert_eq!(ended.unwrap_err().to_string(), "work: it was ended; begin again");
    // When the work is cancelled, each worker may still process a chunk.
    assert!(job.done.load(Ordering::Relaxed) <= 500 + 3 * 256);
    assert_eq!(out[..256], (1001..1257).collect::<Vec<u32>>());
}

#[test]
fn launches_are_timed_and_return_results() {
    if !arcuate_emulation::available("launches_are_timed_and_return_results") {
        return;
    }
    let (numbers, mut out) = (counting(300), vec![0; 300]);
    let gpu = Gpu::open(0).unwrap();
    let (times, all) = streaming::time(&Increments::new(&numbers), &gpu, 3, &mut out).unwrap();
    assert!(times.minimum() > 0.0 && times.median() >= times.minimum());
    // Four launches add 1 each; the first launch is not timed.
    assert_eq!((all, out[299]), (0..300, 299 + 4 + 1000));
    let small = gpu.with_memory_cap(Some(600));
    let refused = streaming::time(&Increments::new(&numbers), &small, 3, &mut out).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::DeviceTooSmall);
}
