//! Compares distributions and peaks of simulated voxels with those of MRtrix's `dwi2fod` and `sh2peaks`
//! 3.0.3, for the same responses and constraint directions. The script `oracles/csd_mrtrix.py` prints the
//! expected values.

use crate::simulated::{CSF, GREY, WHITE, directions, gradients, signals, tissues};
use arcuate_compute::Device;
use arcuate_core::{Affine, Control, GradientTable, Grid, Mask, NotComputed, Volume};
use arcuate_fod::{
    Distributions, MultiTissue, PeakFinder, Response, SingleShell, SingleShellOptions, Tissue, VoxelFit,
};
use arcuate_test_support::warnings;

const SINGLE: [[f64; 45]; 3] = [
    [
        0.282380, -0.013604, -0.010597, 0.288660, -0.491829, 0.188708, -0.000895, -0.023679, 0.011060,
        0.000150, -0.175120, -0.409040, 0.523631, -0.248765, 0.061492, -0.001666, -0.010191, 0.001226,
        -0.009654, 0.009417, -0.000091, -0.180430, 0.086777, 0.219359, -0.283597, 0.180521, -0.063823,
        0.012118, 0.000749, -0.003972, 0.002701, -0.012165, 0.009266, 0.002599, -0.004065, 0.001181,
        -0.001421, 0.136972, -0.038051, -0.114328, 0.149384, -0.098291, 0.044395, -0.015060, -0.000637,
    ],
    [
        0.241816, -0.015846, -0.188569, 0.228562, -0.269681, 0.033099, 0.021241, 0.097799, 0.011111,
        -0.132305, -0.132751, -0.202611, 0.111476, -0.124792, 0.065977, -0.011471, -0.021895, 0.007681,
        0.077180, 0.012332, 0.019604, -0.149164, 0.032820, 0.040885, -0.149059, 0.140698, -0.031018,
        -0.003642, 0.004657, 0.005454, -0.003844, -0.026772, 0.011726, 0.006405, 0.017917, 0.039694,
        -0.003236, 0.058155, 0.002098, -0.043509, 0.103929, -0.036786, 0.002578, -0.010120, 0.000813,
    ],
    [
        0.257546, 0.012044, 0.010553, 0.126929, -0.032962, 0.227807, 0.004257, 0.026942, -0.012964, 0.000749,
        -0.191960, -0.242919, 0.372030, 0.065073, 0.137909, 0.008293, 0.020172, 0.000092, 0.008590,
        -0.009476, -0.002147, -0.046674, -0.039784, 0.017277, -0.092486, 0.187281, 0.056843, 0.035700,
        -0.001151, 0.009799, 0.004576, 0.010343, -0.012264, -0.002524, 0.003124, -0.000566, 0.025293,
        0.107695, -0.035877, -0.100091, 0.060748, 0.000622, 0.070309, 0.021723, 0.016260,
    ],
];
const SINGLE_PEAKS: [&[[f64; 3]]; 3] = [
    &[[1.1047, 0.0144, 1.4744]],
    &[[0.5395, 0.0086, 0.7227], [-0.0142, 0.3402, 0.4336]],
    &[[0.5148, -0.0154, 0.6855], [-0.6272, -0.0174, 0.4540]],
];

const MULTI: [[f64; 47]; 3] = [
    [
        0.286785, -0.003157, 0.003088, 0.240316, -0.428408, 0.159768, -0.002730, 0.005151, -0.002868,
        -0.002493, -0.101306, -0.251600, 0.309999, -0.157963, 0.041337, -0.000778, 0.003488, -0.005543,
        0.001357, 0.004498, -0.003460, -0.102922, 0.045924, 0.125781, -0.157885, 0.096117, -0.035654,
        0.007756, 0.000072, 0.000588, -0.001912, 0.002119, -0.000471, -0.001667, 0.002025, -0.000272,
        -0.002591, 0.042346, -0.008319, -0.033547, 0.045273, -0.031371, 0.014017, -0.005375, 0.002254,
        -0.000000, -0.000000,
    ],
    [
        0.249105, 0.014202, -0.157033, 0.217945, -0.237952, 0.037418, 0.004306, 0.028029, 0.041408,
        -0.109701, -0.074798, -0.152270, 0.070359, -0.084345, 0.029399, -0.003277, -0.008642, 0.015840,
        0.014220, 0.044899, 0.000938, -0.087483, 0.009409, 0.026171, -0.072835, 0.069825, -0.013926,
        0.003419, 0.001302, 0.000698, -0.003052, -0.011752, 0.010106, -0.006202, 0.014057, 0.017069,
        -0.008051, 0.022488, -0.001449, -0.006715, 0.029191, -0.011828, 0.003675, -0.003869, 0.002245,
        -0.000000, 0.028340,
    ],
    [
        0.268562, 0.008781, 0.000175, 0.119838, -0.030240, 0.204779, 0.008502, 0.005146, 0.009820, -0.003017,
        -0.161753, -0.188718, 0.276606, 0.047581, 0.071079, 0.004820, 0.002858, 0.012843, -0.004397,
        -0.003867, 0.002067, -0.034470, -0.019995, 0.012541, -0.063721, 0.121112, 0.031467, 0.014747,
        0.003197, 0.000308, 0.005140, -0.003094, 0.001262, -0.001139, -0.000118, 0.001363, 0.018688,
        0.078050, -0.026822, -0.058172, 0.032222, 0.005670, 0.021362, 0.004470, 0.004191, -0.000000,
        0.003837,
    ],
];
const MULTI_PEAKS: [&[[f64; 3]]; 3] = [
    &[[0.6753, -0.0039, 0.9073]],
    &[[0.3477, 0.0491, 0.5033]],
    &[[0.3893, 0.0085, 0.5167], [-0.4470, -0.0108, 0.3272]],
];

fn voxels() -> Vec<Vec<f32>> {
    let (a, b, c) = ([0.6, 0.0, 0.8], [0.0, 0.6, 0.8], [-0.8, 0.0, 0.6]);
    let deviation = |n: usize| (n as f64 * 0.618034).fract() * 40.0 - 20.0;
    vec![
        signals(&[(a, 1.0)], 0.0, 0.0, deviation),
        signals(&[(a, 0.5), (b, 0.3)], 0.1, 0.1, |n| deviation(125 - n)),
        signals(&[(a, 0.4), (c, 0.4)], 0.2, 0.0, |n| -deviation(n)),
    ]
}

fn single(options: &SingleShellOptions) -> SingleShell {
    let white = Response::from_text(WHITE).unwrap();
    SingleShell::new(&gradients(), &white.of_shell(2), &directions(300), options).unwrap()
}

fn check(coefficients: &[f64], expected: &[f64], peaks: &[[f64; 3]]) {
    for (n, (value, expected)) in coefficients.iter().zip(expected).enumerate() {
        // The expected values are up to 1. They come from files in single precision and are printed with six
        // decimals.
        assert!((value - expected).abs() < 2e-5, "coefficient {n}: {value} {expected}");
    }
    let finder = PeakFinder::new(45).unwrap();
    let mut scratch = finder.scratch();
    let found = finder.find(&mut scratch, &coefficients[..45], 0.0);
    for (peak, expected) in found.iter().zip(peaks) {
        let length = expected.iter().map(|c| c * c).sum::<f64>().sqrt();
        let cosine = (0..3).map(|k| peak.direction[k] * expected[k]).sum::<f64>().abs() / length;
        // The expected peaks are printed with four decimals and have lengths above 0.5, which is an accuracy
        // of a hundredth of a degree.
        assert!(
            cosine.min(1.0).acos().to_degrees() < 0.05 && (peak.amplitude - length).abs() < 1e-3,
            "{peak:?} {expected:?}"
        );
    }
    assert!(found.len() >= peaks.len());
}

#[test]
fn single_shell_deconvolution_agrees_with_mrtrix() {
    let solver = single(&SingleShellOptions::default());
    let (mut scratch, mut coefficients) = (solver.scratch(), vec![0.0; solver.count()]);
    assert_eq!(solver.measurements(), (66..126).collect::<Vec<_>>());
    for ((signals, expected), peaks) in voxels().iter().zip(&SINGLE).zip(SINGLE_PEAKS) {
        assert_eq!(solver.fit(&mut scratch, signals, &mut coefficients), VoxelFit::Converged);
        check(&coefficients, expected, peaks);
    }
}

#[test]
fn multi_tissue_deconvolution_agrees_with_mrtrix() {
    let solver = MultiTissue::new(&gradients(), &tissues(), &directions(300)).unwrap();
    assert_eq!(solver.counts(), [45, 1, 1]);
    let (mut scratch, mut coefficients) = (solver.scratch(), vec![0.0; 47]);
    for ((signals, expected), peaks) in voxels().iter().zip(&MULTI).zip(MULTI_PEAKS) {
        assert_eq!(solver.fit(&mut scratch, signals, &mut coefficients), VoxelFit::Converged);
        check(&coefficients, expected, peaks);
    }
}

#[test]
fn volumes_agree_with_single_voxels_for_any_number_of_threads() {
    let grid = Grid::new([50, 2, 3], Affine::identity()).unwrap();
    let voxels = voxels();
    // The signals of neighbouring voxels differ by a factor. One voxel has a measurement that is not finite,
    // and one has no signal.
    let mut values: Vec<f32> =
        (0..300).flat_map(|n| voxels[n % 3].iter().map(move |s| s * (1.0 + 0.01 * n as f32))).collect();
    values[7 * 126 + 3] = f32::NAN;
    values[9 * 126..10 * 126].fill(-1.0);
    let dwi = Volume::new(grid, 126, values).unwrap();
    let mask = Mask::new(grid, (0..300).map(|n| n % 7 != 1).collect()).unwrap();
    let multi = MultiTissue::new(&gradients(), &tissues(), &directions(300)).unwrap();
    let one = single(&SingleShellOptions::default());
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let multi = multi.fit_volume(&dwi, &mask, &Device::Cpu, &Control::default()).unwrap();
            (one.fit_volume(&dwi, &mask, &Device::Cpu, &Control::default()).unwrap(), multi)
        })
    };
    let (first, second): (Distributions, Distributions) = run(1);
    for (found, unused) in [(&first, 0), (&second, 1)] {
        let counts = &found.counts;
        assert_eq!((counts.voxels, counts.not_computed(), found.unconverged), (257, 1, 0));
        assert_eq!((counts.with_reason(NotComputed::NoSignal), counts.unused_measurements()), (1, unused));
    }
    for threads in [2, 5] {
        assert_eq!(run(threads), (first.clone(), second.clone()));
    }
    let mut scratch = multi.scratch();
    let mut coefficients = vec![0.0; 47];
    for voxel in 0..300 {
        let single = first.coefficients[0].voxel(voxel);
        if voxel % 7 == 1 || voxel == 9 {
            let volumes = [&first.coefficients[0], &second.coefficients[0], &second.coefficients[2]];
            assert!(volumes.iter().all(|volume| volume.voxel(voxel).iter().all(|value| *value == 0.0)));
            continue;
        }
        assert!(single[0] > 0.0);
        if voxel == 7 {
            // In this voxel, a measurement at b = 0 is not finite. The fit of one shell does not use it, but
            // the multi-tissue fit would.
            continue;
        }
        multi.fit(&mut scratch, dwi.voxel(voxel), &mut coefficients);
        let volumes = second.coefficients.iter().flat_map(|volume| volume.voxel(voxel));
        assert!(coefficients.iter().zip(volumes).all(|(a, b)| *a as f32 == *b));
    }
}

/// Creates a series in which one measurement of every voxel is replaced by `value` of its signal.
fn damaged(value: impl Fn(f32) -> f32) -> Volume<f32> {
    let grid = Grid::new([12, 1, 1], Affine::identity()).unwrap();
    let voxels = voxels();
    let mut values: Vec<f32> = (0..12).flat_map(|n| voxels[n % 3].clone()).collect();
    // Measurement 100, in the shell with b = 2500, is replaced in every voxel.
    values.iter_mut().skip(100).step_by(126).for_each(|signal| *signal = value(*signal));
    Volume::new(grid, 126, values).unwrap()
}

#[test]
fn bad_measurements_are_excluded_from_the_fit_of_their_voxel() {
    let others: Vec<usize> = (0..126).filter(|m| *m != 100).collect();
    let (table, good) = (gradients(), damaged(|signal| signal));
    let mask = Mask::full(*good.grid());
    let white = Response::from_text(WHITE).unwrap();
    let of_table = |table: &GradientTable, dwi: &Volume<f32>, control: &Control| {
        let options = SingleShellOptions::default();
        let one = SingleShell::new(table, &white.of_shell(2), &directions(300), &options).unwrap();
        let several = MultiTissue::new(table, &tissues(), &directions(300)).unwrap();
        let cpu = &Device::Cpu;
        [one.fit_volume(dwi, &mask, cpu, control), several.fit_volume(dwi, &mask, cpu, control)]
            .map(Result::unwrap)
    };
    let without = of_table(&table.of_measurements(&others), &good.channels_at(&others), &Control::default());
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1e6, -500.0] {
        let (found, messages) = warnings(|| of_table(&table, &damaged(|_| value), &Control::default()));
        for (found, without) in found.iter().zip(&without) {
            let unused = [found.counts.not_finite, found.counts.negative];
            assert_eq!(unused, if value.is_finite() { [0, 12] } else { [12, 0] }, "{value}");
            assert_eq!((found.counts.computed(), found.unconverged), (12, 0));
            for (a, b) in found.coefficients.iter().zip(&without.coefficients) {
                // The sums are added in another order. The values are up to 1 in single precision.
                assert!(a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() < 1e-5), "{value}");
            }
        }
        let kind = if value.is_finite() { "negative" } else { "not finite" };
        let expected = format!("deconvolution: 12 measurements were not used (12 {kind})");
        assert_eq!(messages, [expected.clone(), expected], "{value}");
    }
}

#[test]
fn voxels_that_cannot_be_computed_are_counted() {
    let solver = MultiTissue::new(&gradients(), &tissues(), &directions(300)).unwrap();
    let fit = |dwi: &Volume<f32>, control: &Control| {
        solver.fit_volume(dwi, &Mask::full(*dwi.grid()), &Device::Cpu, control)
    };
    let mut dwi = damaged(|signal| signal);
    dwi.voxel_mut(0).fill(0.0);
    dwi.voxel_mut(1).iter_mut().for_each(|signal| *signal = -*signal);
    // Voxel 2 has no finite value in most of a shell, and voxel 3 has none at b = 0.
    dwi.voxel_mut(2)[66..100].fill(f32::NAN);
    dwi.voxel_mut(3)[..6].fill(f32::NAN);
    dwi.voxel_mut(4).fill(f32::NAN);
    let (found, messages) = warnings(|| fit(&dwi, &Control::default()).unwrap());
    assert_eq!((found.counts.voxels, found.counts.computed()), (12, 7));
    for voxel in 0..12 {
        let coefficients = found.coefficients[0].voxel(voxel);
        assert_eq!(coefficients.iter().any(|value| *value != 0.0), voxel > 4, "{voxel}");
    }
    let expected = "deconvolution: 5 of 12 voxels could not be computed (2 without a signal above 0, 1 with a value that is not \
                    finite, 2 with too few usable measurements)";
    assert_eq!(messages, [expected]);
    let refused = |dwi: Volume<f32>| fit(&dwi, &Control::default()).unwrap_err().to_string();
    assert!(refused(dwi.map(|_| 0.0)).contains("diffusion series: all of its values are 0"));
    let negated = damaged(|signal| signal).map(|signal| -signal.abs());
    assert!(refused(negated).contains("diffusion series: all of its values are 0 or negative"));
    // A signal outside the mask does not prevent the error.
    let inside = (0..12).map(|voxel| voxel < 5).collect();
    let mask = Mask::new(*dwi.grid(), inside).unwrap();
    let message = solver.fit_volume(&dwi, &mask, &Device::Cpu, &Control::default()).unwrap_err().to_string();
    assert!(message.starts_with("diffusion series: all 5 voxels failed"), "{message}");
}

#[test]
fn single_shell_options_have_their_documented_effects() {
    let signals = &voxels()[1];
    let fit = |options: SingleShellOptions| {
        let solver = single(&options);
        let mut coefficients = vec![0.0; solver.count()];
        let end = solver.fit(&mut solver.scratch(), signals, &mut coefficients);
        (coefficients, end)
    };
    let default = || SingleShellOptions::default();
    let (usual, _) = fit(default());
    let norm = |c: &[f64]| c.iter().map(|c| c * c).sum::<f64>();
    // The linear estimate has no degree above 4. With the shorter filter, it has none above 2.
    let (linear, end) = fit(SingleShellOptions { iterations: 0, ..default() });
    assert!(end == VoxelFit::Converged && linear[15..].iter().all(|c| *c == 0.0) && linear[14] != 0.0);
    let (linear, _) = fit(SingleShellOptions { iterations: 0, filter: vec![1.0, 0.5], ..default() });
    assert!(linear[6..].iter().all(|c| *c == 0.0) && linear[3] != 0.0);
    assert_eq!(fit(SingleShellOptions { iterations: 1, ..default() }).1, VoxelFit::Unconverged);
    assert!(norm(&fit(SingleShellOptions { norm_lambda: 100.0, ..default() }).0) < 0.9 * norm(&usual));
    let lowest = |coefficients: &[f64]| {
        let basis = arcuate_fod::HarmonicBasis::new(8).unwrap();
        let amplitude =
            |d: &[f64; 3]| basis.evaluate(*d).iter().zip(coefficients).map(|(y, c)| y * c).sum::<f64>();
        directions(300).iter().map(amplitude).fold(f64::INFINITY, f64::min)
    };
    let (strict, _) = fit(SingleShellOptions { negative_lambda: 10.0, ..default() });
    assert!(lowest(&strict) > 0.5 * lowest(&usual) && lowest(&usual) < 0.0);
    assert_ne!(fit(SingleShellOptions { threshold: 0.05, ..default() }).0, usual);
    assert_eq!(fit(SingleShellOptions { order: Some(6), ..default() }).0.len(), 28);
}

#[test]
fn inconsistent_inputs_are_rejected() {
    let (table, white) = (gradients(), Response::from_text(WHITE).unwrap());
    let isotropic = Response::from_text(GREY).unwrap();
    let single = |table: &GradientTable, response: &Response, directions: &[[f64; 3]], options| {
        SingleShell::new(table, response, directions, &options).map(|_| ()).unwrap_err().to_string()
    };
    let default = || SingleShellOptions::default();
    let few = table.of_measurements(&(0..15).collect::<Vec<_>>());
    let flat = table.of_measurements(&[0, 1]);
    for (message, part) in [
        (
            single(&few, &white, &directions(300), default()),
            "do not determine the 15 coefficients of order 4",
        ),
        (single(&flat, &white, &directions(300), default()), "no measurement is weighted"),
        (
            single(&GradientTable::unknown(4).unwrap(), &white, &directions(300), default()),
            "no weighted shell",
        ),
        (single(&table, &isotropic, &directions(300), default()), "isotropic tissue"),
        (
            single(&table, &white, &directions(300)[..44], default()),
            "44 constraint directions are too few for the 45 coefficients",
        ),
        (single(&table, &white, &[[0.0; 3]; 60], default()), "constraint directions: direction 1"),
        (
            single(&table, &white, &directions(300), SingleShellOptions { order: Some(7), ..default() }),
            "7 is not a possible order",
        ),
        (
            single(&table, &white, &directions(300), SingleShellOptions { norm_lambda: -1.0, ..default() }),
            "-1 is not a weight",
        ),
        (
            single(
                &table,
                &white,
                &directions(300),
                SingleShellOptions { negative_lambda: 0.0, ..default() },
            ),
            "has no effect as a constraint",
        ),
        (
            single(&table, &white, &directions(300), SingleShellOptions { threshold: f64::NAN, ..default() }),
            "not finite",
        ),
        (
            single(&table, &white, &directions(300), SingleShellOptions { filter: vec![0.0], ..default() }),
            "the factors of the filter are all 0",
        ),
    ] {
        assert!(message.contains(part), "{message}");
    }
    let multi = |tissues: &[Tissue]| {
        MultiTissue::new(&table, tissues, &directions(300)).map(|_| ()).unwrap_err().to_string()
    };
    let [white, grey, csf] = [WHITE, GREY, CSF].map(|text| Tissue::new(Response::from_text(text).unwrap()));
    let short = Tissue::new(white.response.of_shell(1));
    let other = Tissue::new(grey.response.clone().with_b_values(vec![0.0, 1000.0, 3000.0]).unwrap());
    for (message, part) in [
        (multi(&[]), "0 tissues cannot be separated"),
        (
            multi(&[white.clone(), grey.clone(), csf, grey.clone()]),
            "4 tissues cannot be separated with 3 b-values",
        ),
        (multi(&[white.clone(), short]), "number 2 has 1 rows for 3 shells"),
        (multi(&[white.clone(), other]), "number 2 is of b 3000 s/mm² where the series has 2500"),
    ] {
        assert!(message.contains(part), "{message}");
    }
    let grid = Grid::new([1, 1, 1], Affine::identity()).unwrap();
    let solver = MultiTissue::new(&table, &[white, grey], &directions(300)).unwrap();
    let short = Volume::filled(grid, 5, 1f32);
    assert!(solver.fit_volume(&short, &Mask::full(grid), &Device::Cpu, &Control::default()).is_err());
    let whole = Volume::filled(grid, 126, 1f32);
    let empty = Mask::new(grid, vec![false]).unwrap();
    assert!(
        solver
            .fit_volume(&whole, &empty, &Device::Cpu, &Control::default())
            .unwrap_err()
            .to_string()
            .contains("no voxel")
    );
}
