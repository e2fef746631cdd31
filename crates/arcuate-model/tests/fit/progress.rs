//! Tests the progress reports of fits and chains.

use crate::simulation::{simulate, table};
use arcuate_compute::Device;
use arcuate_core::{Cancel, Control, ErrorKind};
use arcuate_model::fit::sample::{ModelSamples, SampleOptions, sample_model};
use arcuate_model::fit::{FitOptions, fit_models};
use arcuate_model::models::model;
use std::sync::{Arc, Mutex};

/// All progress reports of a call: the finished and the total amount of work.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<(u64, u64)>>>);

impl Told {
    fn options(&self) -> FitOptions {
        let told = Arc::clone(&self.0);
        let control = Control::default().with_progress(move |done, of| told.lock().unwrap().push((done, of)));
        FitOptions { single_precision: true, control, ..FitOptions::default() }
    }

    /// Panics unless there are at least `least` different reports, from 0 to all of the work.
    fn assert(self, voxels: u64, least: usize) {
        let mut told = self.0.lock().unwrap().clone();
        told.sort_unstable();
        told.dedup();
        assert!(told.iter().all(|&(_, of)| of == voxels), "{told:?}");
        assert_eq!((told.first(), told.last()), (Some(&(0, voxels)), Some(&(voxels, voxels))));
        assert!(told.len() >= least, "{told:?}");
    }
}

#[test]
fn progress_counts_all_voxels() {
    let model = model("ball-1-stick").unwrap();
    let table = table(&[1000.0], 12);
    let simulated = simulate(&model, &table, 700, 30.0, 1);
    let (dwi, mask) = (&simulated.dwi, &simulated.mask);
    let told = Told::default();
    fit_models(std::slice::from_ref(&model), dwi, &table, mask, &Device::Cpu, &told.options()).unwrap();
    told.assert(700, 3);

    let sampling = SampleOptions { burn_in: 2, jumps: 4, interval: 2, chains: 2, ..SampleOptions::default() };
    let told = Told::default();
    let listened = told.options();
    let heard = sample_model(&model, dwi, &table, mask, &Device::Cpu, &listened, &sampling).unwrap();
    told.assert(1400, 20);
    // The result must not depend on whether progress is reported.
    let silent = FitOptions { single_precision: true, ..FitOptions::default() };
    let unheard = sample_model(&model, dwi, &table, mask, &Device::Cpu, &silent, &sampling).unwrap();
    let bits = |samples: &ModelSamples, voxel| {
        let rows = samples.of_voxel(voxel).into_iter().flatten();
        rows.flatten().map(|value| value.to_bits()).collect::<Vec<_>>()
    };
    assert!((0..700).all(|voxel| bits(&heard, voxel) == bits(&unheard, voxel)));
}

/// Returns options of a call that is cancelled when `part` tenths of the work are left or less, and the
/// largest progress that was reported.
fn ended_at(part: u64) -> (FitOptions, Arc<Mutex<u64>>) {
    let (cancel, maximum) = (Cancel::default(), Arc::new(Mutex::new(0)));
    let (ends, told) = (cancel.clone(), Arc::clone(&maximum));
    let control = Control::default().with_cancel(&cancel).with_progress(move |done, of| {
        let mut maximum = told.lock().unwrap();
        *maximum = done.max(*maximum);
        if part * of <= 10 * done {
            ends.set();
        }
    });
    (FitOptions { single_precision: true, control, ..FitOptions::default() }, maximum)
}

#[test]
fn cancelled_work_stops() {
    let model = model("ball-1-stick").unwrap();
    let table = table(&[1000.0], 12);
    let simulated = simulate(&model, &table, 20_000, 30.0, 1);
    let (dwi, mask) = (&simulated.dwi, &simulated.mask);
    let (options, told) = ended_at(1);
    let models = std::slice::from_ref(&model);
    let error = fit_models(models, dwi, &table, mask, &Device::Cpu, &options).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(*told.lock().unwrap() < 10_000, "{told:?}");

    let sampling = SampleOptions { burn_in: 2, jumps: 4, interval: 2, chains: 2, ..SampleOptions::default() };
    let (options, told) = ended_at(5);
    let error = sample_model(&model, dwi, &table, mask, &Device::Cpu, &options, &sampling).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(*told.lock().unwrap() < 30_000, "{told:?}");
}
