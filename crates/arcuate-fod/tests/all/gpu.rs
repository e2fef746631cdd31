//! Tests that deconvolution on GPUs is bit-identical to deconvolution on the CPU.

use crate::simulated::{WHITE, directions, gradients, series, tissues, with_holes};
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::{Cancel, Control, ErrorKind, GradientTable, Mask, Orientations, Volume};
use arcuate_fod::{Distributions, MultiTissue, Response, SingleShell, SingleShellOptions, Tissue};

fn gpus(ordinals: &[usize]) -> Gpus {
    Gpus::open(ordinals).unwrap()
}

/// Opens two GPUs. Emulation always has two. Returns `None` if a machine with real GPUs has only one.
fn two_gpus() -> Option<Gpus> {
    let two = Gpus::open(&[0, 1]);
    if std::env::var_os("ARCUATE_TEST_DEVICE").is_none() { Some(two.unwrap()) } else { two.ok() }
}

fn one_shell(order: usize, constraints: usize, options: SingleShellOptions) -> SingleShell {
    let white = Response::from_text(WHITE).unwrap();
    let options = SingleShellOptions { order: Some(order), ..options };
    SingleShell::new(&gradients(), &white.of_shell(2), &directions(constraints), &options).unwrap()
}

/// Prepares a fit of white matter with this order, and of these other tissues.
fn of_tissues(order: usize, others: &[usize], constraints: usize) -> MultiTissue {
    let all = tissues();
    let mut used = vec![Tissue { order: Some(order), ..all[0].clone() }];
    used.extend(others.iter().map(|&n| all[n].clone()));
    MultiTissue::new(&gradients(), &used, &directions(constraints)).unwrap()
}

fn assert_same(there: &Distributions, here: &Distributions, what: &str) {
    let bits = |volume: &Volume<f32>| volume.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    for (n, (there, here)) in there.coefficients.iter().zip(&here.coefficients).enumerate() {
        let (there, here, channels) = (bits(there), bits(here), here.channels());
        let wrong = there.iter().zip(&here).position(|(a, b)| a != b);
        assert_eq!(
            wrong.map(|at| (at / channels, at % channels)),
            None,
            "{what}, tissue {n}: voxel, coefficient"
        );
    }
    assert_eq!(there.coefficients.len(), here.coefficients.len());
    assert_eq!((there.counts, there.unconverged), (here.counts, here.unconverged), "{what}");
    assert!(matches!((&there.device, &here.device), (Device::Cuda(_), Device::Cpu)), "{what}");
}

/// Fits a series on the CPU, on one GPU, on two GPUs, and in chunks of 64 voxels. Panics if the results
/// differ.
fn check(
    what: &str,
    voxels: usize,
    fit: impl Fn(&Volume<f32>, &Mask, &Device) -> Distributions,
) -> Distributions {
    let dwi = series(voxels);
    let mask = with_holes(&dwi);
    let here = fit(&dwi, &mask, &Device::Cpu);
    let all = here.coefficients[0].values();
    assert!(all.iter().any(|v| *v != 0.0) && all.iter().all(|v| v.is_finite()), "{what}");
    let one = gpus(&[0]);
    let there = fit(&dwi, &mask, &Device::Cuda(one.clone()));
    assert_same(&there, &here, what);
    if let Some(two) = two_gpus() {
        let there = fit(&dwi, &mask, &Device::Cuda(two));
        assert_same(&there, &here, &format!("{what} on two GPUs"));
    }
    here
}

#[test]
fn single_shell_fits_are_bit_identical_to_the_cpu() {
    if !arcuate_emulation::available("single_shell_fits_are_bit_identical_to_the_cpu") {
        return;
    }
    let default = SingleShellOptions::default;
    for (order, constraints, options) in [
        (8, 300, default()),
        (8, 131, SingleShellOptions { threshold: 0.05, ..default() }),
        // The numbers of coefficients and directions are not multiples of a SIMD vector's length. With order
        // 2, the matrix has few rows of tiles.
        (4, 37, default()),
        (2, 15, SingleShellOptions { norm_lambda: 0.0, ..default() }),
        // There are more coefficients than twice the number of lanes in a warp.
        (10, 70, default()),
    ] {
        let solver = one_shell(order, constraints, options);
        let what = format!("order {order}, {constraints} directions");
        let here = check(&what, 27, |dwi, mask, device| {
            solver.fit_volume(dwi, mask, device, &Control::default()).unwrap()
        });
        assert_eq!((here.counts.not_computed(), here.unconverged), (1, 0), "{what}");
        assert!(here.counts.not_finite == 1, "{what}: {:?}", here.counts);
    }
}

#[test]
fn single_shell_fits_stop_as_on_the_cpu() {
    if !arcuate_emulation::available("single_shell_fits_stop_as_on_the_cpu") {
        return;
    }
    for iterations in [0, 1, 3] {
        let solver = one_shell(6, 60, SingleShellOptions { iterations, ..SingleShellOptions::default() });
        let here = check(&format!("{iterations} iterations"), 27, |dwi, mask, device| {
            solver.fit_volume(dwi, mask, device, &Control::default()).unwrap()
        });
        assert_eq!(here.counts.not_computed(), 1);
        // With few iterations, some fits must stop before they converge. With three iterations, others must
        // converge.
        let unconverged = here.unconverged;
        assert!(
            if iterations == 0 { unconverged == 0 } else { unconverged > 2 },
            "{iterations}: {unconverged}"
        );
        assert!(iterations != 3 || unconverged < 21, "{unconverged}");
    }
    // There are fewer measurements and constraints than coefficients, and the norm has no weight. The normal
    // matrix is then singular.
    let few = Orientations::half_sphere(30).directions().to_vec();
    let table = GradientTable::new(&few, vec![2500.0; 30], 50.0).unwrap();
    let white = Response::from_text(WHITE).unwrap().of_shell(2);
    let options = SingleShellOptions { norm_lambda: 0.0, order: Some(8), ..SingleShellOptions::default() };
    let solver = SingleShell::new(&table, &white, &directions(60), &options).unwrap();
    let whole = series(9);
    let values = (0..9).flat_map(|voxel| whole.voxel(voxel)[66..96].to_vec()).collect();
    let dwi = Volume::new(*whole.grid(), 30, values).unwrap();
    let mask = Mask::full(*dwi.grid());
    let [there, here] = [Device::Cuda(gpus(&[0])), Device::Cpu]
        .map(|device| solver.fit_volume(&dwi, &mask, &device, &Control::default()).unwrap());
    assert!(here.unconverged + here.counts.not_computed() > 0, "{:?}", here.counts);
    assert_same(&there, &here, "what cannot be factorised");
}

#[test]
fn multi_tissue_fits_are_bit_identical_to_the_cpu() {
    if !arcuate_emulation::available("multi_tissue_fits_are_bit_identical_to_the_cpu") {
        return;
    }
    for (order, others, constraints) in
        [(8, &[1, 2][..], 300), (4, &[2], 77), (6, &[1, 2], 41), (10, &[], 70), (0, &[2], 15)]
    {
        let solver = of_tissues(order, others, constraints);
        let what = format!("order {order}, {others:?}, {constraints} directions");
        let here = check(&what, 14, |dwi, mask, device| {
            solver.fit_volume(dwi, mask, device, &Control::default()).unwrap()
        });
        assert_eq!(
            (here.counts.not_computed(), here.unconverged, here.coefficients.len()),
            (1, 0, 1 + others.len())
        );
    }
}

#[test]
fn matrices_too_large_for_shared_memory_use_global_memory() {
    if !arcuate_emulation::available("matrices_too_large_for_shared_memory_use_global_memory") {
        return;
    }
    let options = SingleShellOptions { iterations: 2, ..SingleShellOptions::default() };
    let solver = one_shell(18, 200, options);
    check("order 18", 7, |dwi, mask, device| {
        solver.fit_volume(dwi, mask, device, &Control::default()).unwrap()
    });
    let solver = of_tissues(16, &[2], 170);
    check("order 16 of tissues", 7, |dwi, mask, device| {
        solver.fit_volume(dwi, mask, device, &Control::default()).unwrap()
    });
}

#[test]
fn results_do_not_depend_on_memory_and_thread_order() {
    if !arcuate_emulation::available("results_do_not_depend_on_memory_and_thread_order") {
        return;
    }
    let one = one_shell(4, 40, SingleShellOptions::default());
    let several = of_tissues(4, &[1, 2], 40);
    let dwi = series(300);
    let mask = with_holes(&dwi);
    let fit = |device: &Device| {
        [
            one.fit_volume(&dwi, &mask, device, &Control::default()),
            several.fit_volume(&dwi, &mask, device, &Control::default()),
        ]
        .map(Result::unwrap)
    };
    let here = fit(&Device::Cpu);
    assert_eq!(here.each_ref().map(|found| found.counts.not_computed()), [1, 1]);
    for all in [Some(gpus(&[0])), two_gpus()].into_iter().flatten() {
        let number = all.iter().count();
        // The memory suffices for the tables and for two chunks of 64 voxels, each with 126 measurements and
        // 17 coefficients.
        let little =
            all.with_memory_cap(Some(all.first().allocated_bytes() + (2 * 64 * 4 * (126 + 18) + (48 << 10))));
        let there = fit(&Device::Cuda(little));
        for (there, here) in there.iter().zip(&here) {
            assert_same(there, here, &format!("little memory on {number} GPUs"));
        }
    }
    // The kernels use all of this memory, so that none is left for voxels.
    let none = gpus(&[0]).with_memory_cap(Some(4096));
    let error = one.fit_volume(&dwi, &mask, &Device::Cuda(none), &Control::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeviceTooSmall);
    assert!(error.to_string().contains("deconvolution needs"), "{error}");
}

#[test]
fn damaged_volumes_are_excluded_as_on_the_cpu() {
    if !arcuate_emulation::available("damaged_volumes_are_excluded_as_on_the_cpu") {
        return;
    }
    let one = one_shell(4, 40, SingleShellOptions::default());
    let several = of_tissues(4, &[1, 2], 40);
    let mut dwi = series(400);
    for voxel in 0..400 {
        // Measurement 90 is unusable in few voxels, and measurement 100 in all others.
        dwi.voxel_mut(voxel)[if voxel < 30 { 90 } else { 100 }] =
            if voxel % 2 == 0 { f32::NAN } else { -1e6 };
    }
    let mask = with_holes(&dwi);
    let fit = |device: &Device| {
        [
            one.fit_volume(&dwi, &mask, device, &Control::default()),
            several.fit_volume(&dwi, &mask, device, &Control::default()),
        ]
        .map(Result::unwrap)
    };
    let (here, there) = (fit(&Device::Cpu), fit(&Device::Cuda(gpus(&[0]))));
    for (there, here) in there.iter().zip(&here) {
        assert_same(there, here, "without a volume");
        assert!(here.counts.computed() > 270 && here.counts.not_finite > 100 && here.counts.negative > 100);
    }
}

#[test]
fn cancelling_stops_the_work_with_an_error() {
    if !arcuate_emulation::available("cancelling_stops_the_work_with_an_error") {
        return;
    }
    let solver = one_shell(4, 40, SingleShellOptions::default());
    let dwi = series(20);
    let mask = with_holes(&dwi);
    let (device, cancel) = (Device::Cuda(gpus(&[0])), Cancel::default());
    let told = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let hears = std::sync::Arc::clone(&told);
    let control = Control::default().with_cancel(&cancel).with_progress(move |done, of| {
        hears.store(1000 * done + of, std::sync::atomic::Ordering::Relaxed);
    });
    let found = solver.fit_volume(&dwi, &mask, &device, &control).unwrap();
    let expected = solver.fit_volume(&dwi, &mask, &Device::Cpu, &Control::default()).unwrap();
    assert_same(&found, &expected, "who listens");
    let voxels = mask.count() as u64;
    assert_eq!(told.load(std::sync::atomic::Ordering::Relaxed), 1001 * voxels);
    cancel.set();
    let error = solver.fit_volume(&dwi, &mask, &device, &control).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}
