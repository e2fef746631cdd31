//! Calls that are cancelled during tracking.

use crate::common::samples::field;
use arcuate_compute::cuda::{CudaResult, Gpus};
use arcuate_compute::{Device, DeviceStreamlineSink, StreamlineBatchOnGpu};
use arcuate_core::{Affine, Cancel, Control, Error, ErrorKind, Grid, Mask, Result, Volume};
use arcuate_core::{StreamlineBatch, StreamlineSink};
use arcuate_track::{
    Constraints, GeodesicOptions, Geodesics, Jitter, SampleOptions, SampleOutputs, Seeds, Selection, Targets,
    TrackOptions, track_samples, track_tensor,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Counts batches.
#[derive(Default)]
struct Batches(u64);

impl StreamlineSink for Batches {
    fn take(&mut self, _: StreamlineBatch<'_>) -> Result<()> {
        self.0 += 1;
        Ok(())
    }
}

/// Returns a control that cancels the call at its first progress report, and a counter of progress reports.
fn ending_at_once() -> (Control, Arc<AtomicU64>) {
    let (cancel, told) = (Cancel::default(), Arc::new(AtomicU64::new(0)));
    let control = Control::default().with_cancel(&cancel).with_progress({
        let told = Arc::clone(&told);
        move |_, _| {
            told.fetch_add(1, Ordering::Relaxed);
            cancel.set();
        }
    });
    (control, told)
}

fn assert_ended(error: &Error, told: &AtomicU64, batches: u64) {
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    assert_eq!(told.load(Ordering::Relaxed), 1);
    assert!(batches <= 1, "{batches} batches");
}

fn grid() -> Grid {
    Grid::new([12, 12, 12], Affine::identity()).unwrap()
}

/// Tensors along x everywhere.
fn tensors() -> Volume<f32> {
    let tensor = [1.7e-3, 2e-4, 2e-4, 0.0, 0.0, 0.0];
    Volume::new(grid(), 6, tensor.repeat(grid().len())).unwrap()
}

/// Seeds for more than two batches.
fn seeds() -> Seeds {
    Seeds::random(Mask::full(grid()), 4000)
}

#[test]
fn cancelling_stops_tensor_tracking() {
    let (control, told) = ending_at_once();
    let mut sink = Batches::default();
    let options = TrackOptions { min_length_mm: Some(0.0), ..TrackOptions::default() };
    let error = track_tensor(&tensors(), &seeds(), &options, &Device::Cpu, &mut sink, &control).unwrap_err();
    assert_ended(&error, &told, sink.0);

    let mut all = Batches::default();
    track_tensor(&tensors(), &seeds(), &options, &Device::Cpu, &mut all, &Control::default()).unwrap();
    assert!(all.0 > 2);
}

#[test]
fn cancelled_calls_start_no_work() {
    let cancel = Cancel::default();
    cancel.set();
    let control = Control::default().with_cancel(&cancel);
    let mut sink = Batches::default();
    let options = TrackOptions { min_length_mm: Some(0.0), ..TrackOptions::default() };
    let error = track_tensor(&tensors(), &seeds(), &options, &Device::Cpu, &mut sink, &control).unwrap_err();
    assert_eq!((error.kind(), sink.0), (ErrorKind::Cancelled, 0));
}

#[test]
fn cancelling_stops_sample_tracking() {
    let table = field(&grid(), |_| [1.0, 0.0, 0.0]);
    // There are more seeds than one chunk of the CPU, in case streamlines are only counted.
    let points = vec![[5.0, 5.0, 5.0]; 70_000];
    for gives in [true, false] {
        let seeds = Seeds::Points { points: points.clone(), mapping: None, each: 1, jitter: Jitter::None };
        let (control, told) = ending_at_once();
        let mut sink = Batches::default();
        let outputs = SampleOutputs {
            map: Some((grid(), None)),
            sink: gives.then_some(&mut sink as &mut dyn StreamlineSink),
            ..SampleOutputs::default()
        };
        let (none, options) = (Constraints::default(), SampleOptions::default());
        let error =
            track_samples(&table, &seeds, &none, &options, outputs, &Device::Cpu, &control).err().unwrap();
        assert_ended(&error, &told, sink.0);
    }
}

#[test]
fn long_sample_runs_stop_within_a_second() {
    // The fibres form closed circles, so streamlines reach the maximum number of steps.
    let table = field(&grid(), |[x, y, _]| [5.4 - y, x - 5.6, 0.0]);
    // One chunk of counted streamlines is larger than this. The full run takes more than a minute.
    let points = vec![[8.5, 5.0, 5.0]; 60_000];
    let seeds = Seeds::Points { points, mapping: None, each: 1, jitter: Jitter::None };
    let options = SampleOptions { step_mm: 0.05, max_steps: 60_000, ..SampleOptions::default() };
    for gives in [true, false] {
        let cancel = Cancel::default();
        let control = Control::default().with_cancel(&cancel);
        let mut sink = Batches::default();
        let (error, waited) = std::thread::scope(|scope| {
            let run = scope.spawn(|| {
                let sink = gives.then_some(&mut sink as &mut dyn StreamlineSink);
                let outputs = SampleOutputs { map: Some((grid(), None)), sink, ..SampleOutputs::default() };
                let none = Constraints::default();
                track_samples(&table, &seeds, &none, &options, outputs, &Device::Cpu, &control).err()
            });
            std::thread::sleep(Duration::from_millis(300));
            assert!(!run.is_finished(), "it has ended before it is asked to");
            cancel.set();
            let asked = Instant::now();
            (run.join().unwrap().unwrap(), asked.elapsed())
        });
        assert_eq!((error.kind(), sink.0), (ErrorKind::Cancelled, 0));
        // The limit is longer than a second because the machine may be busy.
        assert!(waited < Duration::from_secs(4), "{waited:?}");
    }
}

/// GPU sink that cancels the run when it receives the first streamlines.
struct Ending {
    cancel: Cancel,
    taken: u64,
}

impl StreamlineSink for Ending {
    fn take(&mut self, _: StreamlineBatch<'_>) -> Result<()> {
        panic!("streamlines came by the host");
    }
}

impl DeviceStreamlineSink for Ending {
    fn take_on_gpu(&mut self, _: StreamlineBatchOnGpu<'_>) -> CudaResult<()> {
        self.taken += 1;
        self.cancel.set();
        Ok(())
    }

    fn collect(&mut self) -> Result<()> {
        panic!("the run has ended");
    }

    fn forget(&mut self) {
        panic!("no GPU has failed");
    }
}

#[test]
fn cancelling_stops_gpus_after_one_launch() {
    if !arcuate_emulation::available("cancelling_stops_gpus_after_one_launch") {
        return;
    }
    let table = field(&grid(), |_| [1.0, 0.0, 0.0]);
    // The memory holds few streamlines at a time, so there are several launches.
    let gpus = Gpus::open(&[0]).unwrap().with_memory_cap(Some(table.bytes() + (1 << 20)));
    let points = vec![[5.0, 5.0, 5.0]; 20_000];
    let seeds = Seeds::Points { points, mapping: None, each: 1, jitter: Jitter::None };
    let options = SampleOptions { max_steps: 60, ..SampleOptions::default() };
    let cancel = Cancel::default();
    let mut sink = Ending { cancel: cancel.clone(), taken: 0 };
    let outputs = SampleOutputs { device_sink: Some(&mut sink), ..SampleOutputs::default() };
    let control = Control::default().with_cancel(&cancel);
    let (none, device) = (Constraints::default(), Device::Cuda(gpus));
    let error = track_samples(&table, &seeds, &none, &options, outputs, &device, &control).err().unwrap();
    assert_eq!((error.kind(), sink.taken), (ErrorKind::Cancelled, 1));
}

#[test]
fn cancelling_stops_geodesic_tracking() {
    let tensors = tensors();
    let options = GeodesicOptions::default();
    let geodesics = Geodesics::new(&tensors, &options, &Device::Cpu).unwrap();
    let seeds = Seeds::points(vec![[5.0, 5.0, 5.0]; 2000]);

    let (control, told) = ending_at_once();
    let mut sink = Batches::default();
    let error = geodesics.all(&seeds, &mut sink, &control).err().unwrap();
    assert_ended(&error, &told, sink.0);

    let region = Mask::new(grid(), (0..grid().len()).map(|voxel| voxel % 12 == 11).collect()).unwrap();
    let targets = Targets::from_masks(vec![("target".into(), region)]).unwrap();
    let (control, told) = ending_at_once();
    let error = geodesics.connect(&seeds, &targets, &Selection::default(), &control).err().unwrap();
    assert_ended(&error, &told, 0);
}
