//! Calls that are cancelled while they follow streamlines.

use arcuate_compute::Device;
use arcuate_core::{Affine, Cancel, Control, Error, ErrorKind, Grid, Mask, Result, Volume};
use arcuate_core::{StreamlineBatch, StreamlineSink};
use arcuate_track::{
    Constraints, Fibre, GeodesicOptions, Geodesics, Jitter, OrientationSource, OrientationTable,
    SampleOptions, SampleOutputs, Seeds, Selection, Targets, TrackOptions, track_samples, track_tensor,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts batches.
#[derive(Default)]
struct Batches(u64);

impl StreamlineSink for Batches {
    fn take(&mut self, _: StreamlineBatch<'_>) -> Result<()> {
        self.0 += 1;
        Ok(())
    }
}

/// A call whose caller ends it when it is told for the first time, and how often it was told.
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

/// More than two batches of them.
fn seeds() -> Seeds {
    Seeds::random(Mask::full(grid()), 4000)
}

#[test]
fn tensors_are_followed_no_further() {
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
fn nothing_is_begun_for_a_call_that_has_ended() {
    let cancel = Cancel::default();
    cancel.set();
    let control = Control::default().with_cancel(&cancel);
    let mut sink = Batches::default();
    let options = TrackOptions { min_length_mm: Some(0.0), ..TrackOptions::default() };
    let error = track_tensor(&tensors(), &seeds(), &options, &Device::Cpu, &mut sink, &control).unwrap_err();
    assert_eq!((error.kind(), sink.0), (ErrorKind::Cancelled, 0));
}

/// One fibre along x.
struct Straight(Mask);

impl OrientationSource for Straight {
    fn mask(&self) -> &Mask {
        &self.0
    }

    fn fibres(&self) -> usize {
        1
    }

    fn samples(&self) -> usize {
        1
    }

    fn fibre(&self, _: usize) -> Result<Vec<Fibre>> {
        Ok(vec![Fibre::new([1.0, 0.0, 0.0], 0.8); self.0.count()])
    }
}

#[test]
fn samples_are_followed_no_further() {
    let table = OrientationTable::new(&Straight(Mask::full(grid()))).unwrap();
    // More than a lot, where nobody takes streamlines.
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
fn rays_are_followed_no_further() {
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
