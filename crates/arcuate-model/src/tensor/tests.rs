use super::*;
use arcuate_compute::{Purpose, Random};
use arcuate_core::{Affine, DiffusionTensor, Grid, NotComputed, Orientations, VoxelCounts};
use arcuate_numbers::vector3::cross;
use proptest::prelude::*;

/// Creates a gradient table with one b = 0 measurement, followed by `directions` directions on the half
/// sphere at each b-value.
fn table(directions: usize, b_values: &[f64]) -> GradientTable {
    let mut rows = vec![[0.0; 3]];
    let mut b = vec![0.0];
    for &shell in b_values {
        rows.extend_from_slice(Orientations::half_sphere(directions).directions());
        b.extend(vec![shell; directions]);
    }
    GradientTable::new(&rows, b, GradientTable::DEFAULT_B0_THRESHOLD).unwrap()
}

fn row_of_voxels(count: usize) -> Grid {
    Grid::new([count, 1, 1], Affine::scaling([2.0; 3], [0.0; 3])).unwrap()
}

fn signal(gradients: &GradientTable, s0: f64, tensor: DiffusionTensor) -> Vec<f32> {
    (0..gradients.len())
        .map(|m| (s0 * (-gradients.b_values()[m] * tensor.along(gradients.directions()[m])).exp()) as f32)
        .collect()
}

/// Returns the tensor D = Σ λᵢ eᵢ eᵢᵀ whose eigenvectors are the axes of a frame, given by a unit quaternion.
fn tensor(values: [f64; 3], [w, x, y, z]: [f64; 4]) -> DiffusionTensor {
    let frame = [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w - x * x - y * y + z * z],
    ];
    let element = |a: usize, b: usize| (0..3).map(|n| values[n] * frame[n][a] * frame[n][b]).sum();
    DiffusionTensor([
        element(0, 0),
        element(1, 1),
        element(2, 2),
        element(0, 1),
        element(0, 2),
        element(1, 2),
    ])
}

fn random_tensor(random: &mut Random) -> DiffusionTensor {
    let mut values: [f64; 3] = std::array::from_fn(|_| 0.1e-3 + 2.4e-3 * random.uniform());
    values.sort_by(|a, b| b.total_cmp(a));
    let quaternion: [f64; 4] = std::array::from_fn(|_| random.normal());
    let length = quaternion.iter().map(|q| q * q).sum::<f64>().sqrt();
    tensor(values, quaternion.map(|q| q / length))
}

fn fit(dwi: &Volume<f32>, gradients: &GradientTable, options: &TensorOptions) -> TensorFit {
    fit_tensor(dwi, gradients, &Mask::full(*dwi.grid()), &Device::Cpu, options).unwrap()
}

fn distance(a: &[f32], b: &[f64; 6]) -> f64 {
    // Off-diagonal elements occur twice in the Frobenius norm.
    let square = |n: usize, v: f64| if n < 3 { v * v } else { 2.0 * v * v };
    let difference: f64 = (0..6).map(|n| square(n, f64::from(a[n]) - b[n])).sum();
    let norm: f64 = (0..6).map(|n| square(n, b[n])).sum();
    (difference / norm).sqrt()
}

#[test]
fn tensors_are_recovered_from_noise_free_signals() {
    // The number of voxels gives several tasks, and a last batch that is not full at any SIMD register width.
    let voxels = 5003;
    for gradients in [table(6, &[1000.0]), table(30, &[700.0, 1500.0])] {
        let mut random = Random::new(1, Purpose::Resampling, 0);
        let truth: Vec<_> = (0..voxels).map(|_| random_tensor(&mut random)).collect();
        let s0: Vec<_> = (0..voxels).map(|_| 10f64.powf(8.0 * random.uniform() - 4.0)).collect();
        let values = (0..voxels).flat_map(|v| signal(&gradients, s0[v], truth[v])).collect();
        let dwi = Volume::new(row_of_voxels(voxels), gradients.len(), values).unwrap();
        let fit = fit(&dwi, &gradients, &TensorOptions::default());
        assert_eq!(fit.repairs.sentence(), None);
        for v in 0..voxels {
            // The signal is rounded to a relative 6e-8. This changes b·D by 6e-8, and D by about 1e-6 of its
            // value.
            assert!(distance(fit.tensor.voxel(v), &truth[v].0) < 1e-5, "voxel {v}");
            assert!((f64::from(fit.s0.values()[v]) / s0[v] - 1.0).abs() < 1e-6);
            assert!(f64::from(fit.residual.values()[v]) < 1e-6 * s0[v]);
        }
    }
}

#[test]
fn every_instruction_set_gives_the_same_tensor() {
    let gradients = table(12, &[1000.0]);
    let mut random = Random::new(2, Purpose::Noise, 0);
    let mut values = Vec::new();
    for _ in 0..1003 {
        let d = random_tensor(&mut random);
        values.extend(signal(&gradients, 1000.0, d).iter().map(|s| s + 30.0 * random.normal() as f32));
    }
    let dwi = Volume::new(row_of_voxels(1003), gradients.len(), values).unwrap();
    let plan = Plan::new(&gradients, &TensorOptions::default()).unwrap();
    let mask = Mask::full(*dwi.grid());
    let [best, plain] =
        [pulp::Arch::new(), pulp::Arch::Scalar].map(|arch| cpu::fit_with(arch, &dwi, &mask, &plan));
    assert_eq!(best.repairs, plain.repairs);
    for voxel in 0..1003 {
        let plain: [f64; 6] = std::array::from_fn(|n| f64::from(plain.tensor.voxel(voxel)[n]));
        // With and without fused operations, the rounding errors in double precision are far below the
        // rounding of the f32 results (6e-8).
        assert!(distance(best.tensor.voxel(voxel), &plain) < 2e-7, "voxel {voxel}");
    }
}

#[test]
fn the_residual_is_the_root_mean_square_error() {
    let gradients = table(20, &[1000.0]);
    let d = tensor([1.7e-3, 0.4e-3, 0.2e-3], [0.5, 0.5, 0.5, 0.5]);
    let mut random = Random::new(3, Purpose::Noise, 0);
    let measured: Vec<f32> =
        signal(&gradients, 900.0, d).iter().map(|s| s + 20.0 * random.normal() as f32).collect();
    let dwi = Volume::new(row_of_voxels(1), gradients.len(), measured.clone()).unwrap();
    let fit = fit(&dwi, &gradients, &TensorOptions::default());
    let fitted = DiffusionTensor(std::array::from_fn(|n| f64::from(fit.tensor.values()[n])));
    let predicted = signal(&gradients, f64::from(fit.s0.values()[0]), fitted);
    let sum: f64 = measured.iter().zip(&predicted).map(|(a, b)| f64::from(a - b).powi(2)).sum();
    let expected = (sum / gradients.len() as f64).sqrt();
    assert!(expected > 10.0);
    // The tolerance allows for f32 rounding of the tensor, the signal and the result.
    assert!((f64::from(fit.residual.values()[0]) / expected - 1.0).abs() < 1e-5);
}

#[test]
fn faint_and_impossible_signals_are_repaired_and_counted() {
    let gradients = table(20, &[1000.0]);
    let clean = signal(&gradients, 1000.0, tensor([1.7e-3, 0.4e-3, 0.2e-3], [1.0, 0.0, 0.0, 0.0]));
    let mut voxels = vec![clean.clone(); 9];
    voxels[1][3] = 0.0;
    voxels[2][3] = -50.0;
    voxels[3][3] = f32::NAN;
    voxels[4][3] = f32::INFINITY;
    voxels[5].fill(0.0);
    voxels[6].fill(f32::NAN);
    voxels[7].fill(-1.0);
    // Six usable measurements cannot determine seven unknowns.
    voxels[8][6..].fill(f32::NAN);
    let dwi = Volume::new(row_of_voxels(9), gradients.len(), voxels.concat()).unwrap();
    let fit = fit(&dwi, &gradients, &TensorOptions::default());
    let counts = fit.repairs.counts;
    assert_eq!((fit.repairs.raised, counts.not_finite), (2, 2), "of fitted voxels");
    assert_eq!((counts.voxels, counts.computed()), (9, 5));
    for (reason, voxels) in
        [(NotComputed::NoSignal, 2), (NotComputed::NotFinite, 1), (NotComputed::TooFew, 1)]
    {
        assert_eq!(counts.with_reason(reason), voxels, "{reason:?}");
    }
    assert!(fit.tensor.values().iter().chain(fit.s0.values()).all(|v| v.is_finite()));
    for unfitted in 5..9 {
        assert_eq!(fit.tensor.voxel(unfitted), [0.0; 6]);
        assert_eq!((fit.s0.values()[unfitted], fit.residual.values()[unfitted]), (0.0, 0.0));
    }
    // Zero and negative signals are treated alike. Excluding a measurement without noise changes nothing.
    for n in 0..6 {
        let [a, b, c] = [1, 2, 0].map(|voxel| f64::from(fit.tensor.voxel(voxel)[n]));
        assert!((a - b).abs() < 1e-9);
        for left_out in [3, 4] {
            assert!((f64::from(fit.tensor.voxel(left_out)[n]) - c).abs() < 1e-9);
        }
    }
    let clean: [f64; 6] = std::array::from_fn(|n| f64::from(fit.tensor.voxel(0)[n]));
    // Reweighting corrects most, but not all, of the effect of one bad measurement.
    assert!(distance(fit.tensor.voxel(1), &clean) > 1e-4);
}

#[test]
fn options_have_their_documented_effects() {
    let gradients = table(20, &[1000.0, 3000.0]);
    let d = tensor([1.7e-3, 0.4e-3, 0.2e-3], [1.0, 0.0, 0.0, 0.0]);
    let mut values = signal(&gradients, 1000.0, d);
    // The signals have kurtosis: the outer shell is twice as bright as the tensor predicts.
    values[21..].iter_mut().for_each(|s| *s *= 2.0);
    let dwi = Volume::new(row_of_voxels(1), gradients.len(), values).unwrap();
    let of = |measurements| TensorOptions { measurements, ..TensorOptions::default() };
    let all = fit(&dwi, &gradients, &of(Measurements::All));
    let inner = fit(&dwi, &gradients, &of(Measurements::UpTo(1000.0)));
    assert_eq!(inner, fit(&dwi, &gradients, &TensorOptions::default()));
    assert!(distance(inner.tensor.values(), &d.0) < 1e-5);
    assert!(distance(all.tensor.values(), &d.0) > 0.01);
    let once = fit(&dwi, &gradients, &options_without_reweighting());
    assert!(once.tensor != all.tensor);
}

#[test]
fn inconsistent_inputs_are_rejected_in_one_line() {
    let good = table(6, &[1000.0]);
    let grid = row_of_voxels(2);
    let dwi = |channels| Volume::filled(grid, channels, 100.0f32);
    let mask = Mask::full(grid);
    let default = TensorOptions::default();
    let message = |dwi: &Volume<f32>, gradients: &GradientTable, mask: &Mask, options: &TensorOptions| {
        fit_tensor(dwi, gradients, mask, &Device::Cpu, options).unwrap_err().to_string()
    };
    assert_eq!(
        message(&dwi(6), &good, &mask, &default),
        "gradient table: the gradient table has 7 rows, but the series has 6 volumes; give one row per \
         volume of the series"
    );
    assert_eq!(
        message(&dwi(1), &good, &mask, &default),
        "diffusion series: the file is a single 3-D image, not a series of 7 measurements; give the 4-D \
         image that belongs to the gradient table"
    );
    let other = Mask::full(row_of_voxels(3));
    assert_eq!(
        message(&dwi(7), &good, &other, &default),
        "mask: the image size 3 × 1 × 1 differs from the size 2 × 1 × 1 of the diffusion series; resample \
         the image to the grid of the diffusion series"
    );
    let empty = Mask::new(grid, vec![false; 2]).unwrap();
    assert_eq!(
        message(&dwi(7), &good, &empty, &default),
        "mask: no voxel is inside; give a mask that covers the brain"
    );
    let five = table(5, &[1000.0, 2000.0]);
    assert_eq!(
        message(&dwi(11), &five, &mask, &default),
        "gradient table: 5 different directions cannot determine a tensor; use at least 6 directions: \
         include more shells, or acquire more"
    );
    // Opposite gradient directions count as one axis.
    let mut rows = vec![[0.0; 3]];
    rows.extend(Orientations::half_sphere(5).directions());
    rows.extend(Orientations::half_sphere(5).directions().iter().map(|d| d.map(|c| -c)));
    let opposite = GradientTable::new(&rows, [vec![0.0], vec![1000.0; 10]].concat(), 50.0).unwrap();
    assert!(message(&dwi(11), &opposite, &mask, &default).contains("5 different directions"));
    let circle: Vec<_> = (0..12).map(|n| (f64::from(n) * 0.25).sin_cos()).map(|(s, c)| [c, s, 0.0]).collect();
    let flat =
        GradientTable::new(&[vec![[0.0; 3]], circle].concat(), [vec![0.0], vec![1000.0; 12]].concat(), 50.0);
    assert_eq!(
        message(&dwi(13), &flat.unwrap(), &mask, &default),
        "gradient table: the gradient directions do not determine all six elements of a tensor; use \
         directions spread over the whole sphere"
    );
    let sphere = Orientations::half_sphere(12);
    let shell = GradientTable::new(sphere.directions(), vec![1000.0; 12], 50.0).unwrap();
    assert_eq!(
        message(&dwi(12), &shell, &mask, &default),
        "gradient table: one shell without b = 0 cannot separate S0 from diffusion; add a b = 0 volume, \
         raise \
         ‘b0_threshold’ to the smallest b, or add a second shell"
    );
    let none = TensorOptions { measurements: Measurements::UpTo(-1.0), ..default };
    assert_eq!(
        message(&dwi(7), &good, &mask, &none),
        "‘max_b’: -1 s/mm² leaves no measurement; give a b-value above 0"
    );
}

#[test]
fn two_shells_without_b0_are_fitted() {
    let sphere = Orientations::half_sphere(15);
    let directions = [sphere.directions(), sphere.directions()].concat();
    let b = [vec![800.0; 15], vec![1600.0; 15]].concat();
    let gradients = GradientTable::new(&directions, b, 50.0).unwrap();
    let d = tensor([1.5e-3, 0.5e-3, 0.3e-3], [0.8, 0.6, 0.0, 0.0]);
    let dwi = Volume::new(row_of_voxels(1), 30, signal(&gradients, 500.0, d)).unwrap();
    let fit = fit(&dwi, &gradients, &TensorOptions::default());
    // S₀ is extrapolated, so that rounding of the signal (6e-8) has a larger effect on S₀.
    assert!(distance(fit.tensor.values(), &d.0) < 1e-5);
    assert!((fit.s0.values()[0] / 500.0 - 1.0).abs() < 1e-5);
}

#[test]
fn only_voxels_of_the_mask_are_fitted() {
    let gradients = table(6, &[1000.0]);
    let d = tensor([1.5e-3, 0.5e-3, 0.3e-3], [0.8, 0.6, 0.0, 0.0]);
    let values = [signal(&gradients, 500.0, d), signal(&gradients, 500.0, d)].concat();
    let dwi = Volume::new(row_of_voxels(2), 7, values).unwrap();
    let mask = Mask::new(*dwi.grid(), vec![false, true]).unwrap();
    let fit = fit_tensor(&dwi, &gradients, &mask, &Device::Cpu, &TensorOptions::default()).unwrap();
    assert_eq!(fit.tensor.voxel(0), [0.0; 6]);
    assert_eq!(fit.s0.values()[0], 0.0);
    assert!(fit.s0.values()[1] > 499.0);
    let maps = tensor_maps(&fit.tensor).unwrap();
    assert_eq!((maps.fa.values()[0], maps.eigenvectors.voxel(0)), (0.0, [0.0; 9].as_slice()));
}

#[test]
fn maps_of_a_known_tensor() {
    // The tensor has the eigenvalues 2, 1, 0.5 along y, z, x.
    let elements = vec![0.5e-3f32, 2.0e-3, 1.0e-3, 0.0, 0.0, 0.0];
    let maps = tensor_maps(&Volume::new(row_of_voxels(1), 6, elements).unwrap()).unwrap();
    let near = |a: f32, b: f64| (f64::from(a) - b).abs() <= 1e-6 * b.abs().max(1e-3);
    assert!(near(maps.md.values()[0], 3.5e-3 / 3.0));
    assert!(near(maps.ad.values()[0], 2.0e-3));
    assert!(near(maps.rd.values()[0], 0.75e-3));
    let mean: f64 = 3.5 / 3.0;
    let spread = (2.0 - mean).powi(2) + (1.0 - mean).powi(2) + (0.5 - mean).powi(2);
    let fa = (1.5 * spread / 5.25).sqrt();
    assert!(near(maps.fa.values()[0], fa));
    for (n, value) in [2.0e-3, 1.0e-3, 0.5e-3].into_iter().enumerate() {
        assert!(near(maps.eigenvalues.values()[n], value));
    }
    let vectors = maps.eigenvectors.values();
    assert!((vectors[1].abs() - 1.0).abs() < 1e-6);
    assert!((vectors[5].abs() - 1.0).abs() < 1e-6);
    assert!((vectors[6].abs() - 1.0).abs() < 1e-6);
    assert!(near(maps.colour_fa.values()[1], fa));
    assert!(maps.colour_fa.values()[0].abs() < 1e-6 && maps.colour_fa.values()[2].abs() < 1e-6);
    let wrong = tensor_maps(&Volume::filled(row_of_voxels(1), 3, 0.0)).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "tensor image: the tensor image has 3 volumes, not six; give the six elements D11, D22, D33, D12, \
         D13, D23"
    );
    let spoilt = Volume::new(row_of_voxels(1), 6, vec![f32::NAN, 1.0, 1.0, 0.0, 0.0, 0.0]).unwrap();
    assert_eq!(tensor_maps(&spoilt).unwrap().fa.values(), [0.0]);
}

#[test]
fn eigensystems_reconstruct_the_tensor_on_every_instruction_set() {
    let spectra = [
        [1.7e-3, 0.3e-3, 0.2e-3],
        [1.0e-3, 1.0e-3, 0.2e-3],
        [1.7e-3, 0.3e-3, 0.3e-3],
        [1.0e-3, 1.0e-3 - 1e-9, 0.2e-3],
        [0.7e-3, 0.7e-3, 0.7e-3],
        [1.0e-3, 0.0, 0.0],
        [1.0e-3, 1e-9, -0.4e-3],
        [-0.1e-3, -0.2e-3, -0.3e-3],
        [3.0, 2.0, 1.0],
        [3e-12, 2e-12, 1e-12],
    ];
    let mut random = Random::new(4, Purpose::Resampling, 0);
    let mut truth = Vec::new();
    for values in spectra {
        // The tensors are rotated randomly, or along the coordinate axes.
        truth.push((values, tensor(values, [1.0, 0.0, 0.0, 0.0])));
        truth.push((values, tensor(values, [0.5; 4])));
        for _ in 0..99 {
            let quaternion: [f64; 4] = std::array::from_fn(|_| random.normal());
            let length = quaternion.iter().map(|q| q * q).sum::<f64>().sqrt();
            truth.push((values, tensor(values, quaternion.map(|q| q / length))));
        }
    }
    let elements = truth.iter().flat_map(|(_, d)| d.0.map(|element| element as f32)).collect();
    let volume = Volume::new(row_of_voxels(truth.len()), 6, elements).unwrap();
    for arch in [pulp::Arch::new(), pulp::Arch::Scalar] {
        let maps = maps::tensor_maps_with(arch, &volume).unwrap();
        for (n, (values, d)) in truth.iter().enumerate() {
            let size = values.iter().fold(0.0f64, |size, value| size.max(value.abs()));
            let double = |v: &Volume<f32>| -> Vec<f64> { v.voxel(n).iter().map(|&x| f64::from(x)).collect() };
            let (l, e) = (double(&maps.eigenvalues), double(&maps.eigenvectors));
            // The input and the output are rounded to f32, which is an error of a few times 6e-8.
            let bound = 5e-7;
            for axis in 0..3 {
                assert!((l[axis] - values[axis]).abs() <= bound * size, "{values:?}: {l:?}");
                for other in 0..3 {
                    let product: f64 = (0..3).map(|k| e[3 * axis + k] * e[3 * other + k]).sum();
                    assert!(
                        (product - f64::from(u8::from(axis == other))).abs() <= bound,
                        "{values:?}: {e:?}"
                    );
                    let rebuilt: f64 = (0..3).map(|k| l[k] * e[3 * k + axis] * e[3 * k + other]).sum();
                    let place = [[0, 3, 4], [3, 1, 5], [4, 5, 2]][axis][other];
                    assert!((rebuilt - d.0[place]).abs() <= bound * size, "{values:?} {d:?}: {l:?} {e:?}");
                }
            }
            assert!((f64::from(maps.fa.values()[n]) - d.fractional_anisotropy()).abs() <= bound);
            assert!((f64::from(maps.md.values()[n]) - d.mean_diffusivity()).abs() <= bound * size);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Rotating the head and the gradients together rotates the tensor. It does not change FA, MD and the
    /// residual.
    #[test]
    fn rotations_do_not_change_scalars(seed in any::<u64>()) {
        let gradients = table(12, &[1000.0]);
        let mut random = Random::new(seed, Purpose::Noise, 0);
        let d = random_tensor(&mut random);
        let noisy: Vec<f32> = signal(&gradients, 1000.0, d)
            .iter()
            .map(|s| (s + 20.0 * random.normal() as f32).max(1.0))
            .collect();
        let dwi = Volume::new(row_of_voxels(1), gradients.len(), noisy).unwrap();
        let quaternion: [f64; 4] = std::array::from_fn(|_| random.normal());
        let length = quaternion.iter().map(|q| q * q).sum::<f64>().sqrt();
        let q = quaternion.map(|c| c / length);
        // The columns of the rotation are found from tensors that are each symmetric about one axis.
        let turn = |v: [f64; 3]| {
            let u = [q[1], q[2], q[3]];
            let t = cross(u, v).map(|c| 2.0 * c);
            let s = cross(u, t);
            [0, 1, 2].map(|n| v[n] + q[0] * t[n] + s[n])
        };
        let turned: Vec<_> = gradients.directions().iter().map(|&g| turn(g)).collect();
        let turned = GradientTable::new(&turned, gradients.b_values().to_vec(), 50.0).unwrap();
        let (a, b) = (fit(&dwi, &gradients, &TensorOptions::default()), fit(&dwi, &turned, &TensorOptions::default()));
        let (maps_a, maps_b) = (tensor_maps(&a.tensor).unwrap(), tensor_maps(&b.tensor).unwrap());
        // The tolerance allows for f32 rounding of the elements, 6e-8 each.
        prop_assert!((maps_a.fa.values()[0] - maps_b.fa.values()[0]).abs() < 1e-6);
        prop_assert!((maps_a.md.values()[0] / maps_b.md.values()[0] - 1.0).abs() < 1e-6);
        prop_assert!((a.residual.values()[0] / b.residual.values()[0] - 1.0).abs() < 1e-4);
        let e = |maps: &TensorMaps| -> [f64; 3] { std::array::from_fn(|n| f64::from(maps.eigenvectors.values()[n])) };
        let (ea, eb) = (turn(e(&maps_a)), e(&maps_b));
        let l = maps_a.eigenvalues.values();
        if l[0] - l[1] > 0.1 * l[0] {
            let cosine: f64 = (0..3).map(|n| ea[n] * eb[n]).sum();
            prop_assert!(cosine.abs() > 1.0 - 1e-6);
        }
    }

    /// Scaling the signal scales S₀ and the residual. It does not change the tensor.
    #[test]
    fn scaling_the_signal_scales_s0_only(seed in any::<u64>(), power in -30i32..30) {
        let gradients = table(12, &[1000.0]);
        let mut random = Random::new(seed, Purpose::Noise, 1);
        let d = random_tensor(&mut random);
        let noisy: Vec<f32> =
            signal(&gradients, 1000.0, d).iter().map(|s| s + 50.0 * random.normal() as f32).collect();
        // A power of two as the factor keeps the digits of the scaled signal.
        let factor = 2f32.powi(power);
        let scaled = noisy.iter().map(|s| s * factor).collect();
        let grid = row_of_voxels(1);
        let a = fit(&Volume::new(grid, 13, noisy).unwrap(), &gradients, &TensorOptions::default());
        let b = fit(&Volume::new(grid, 13, scaled).unwrap(), &gradients, &TensorOptions::default());
        prop_assert_eq!(a.tensor.values(), b.tensor.values());
        prop_assert_eq!(a.s0.values()[0] * factor, b.s0.values()[0]);
        prop_assert_eq!(a.residual.values()[0] * factor, b.residual.values()[0]);
    }

    /// No input signal gives a non-finite result.
    #[test]
    fn any_input_gives_finite_results(bits in proptest::collection::vec(any::<u32>(), 13 * 9)) {
        let gradients = table(12, &[1000.0]);
        let values = bits.into_iter().map(f32::from_bits).collect();
        let fit = fit(&Volume::new(row_of_voxels(9), 13, values).unwrap(), &gradients, &TensorOptions::default());
        let maps = tensor_maps(&fit.tensor).unwrap();
        let all = [&fit.tensor, &fit.s0, &fit.residual, &maps.eigenvectors, &maps.eigenvalues];
        prop_assert!(all.iter().all(|volume| volume.values().iter().all(|v| v.is_finite())));
    }
}

#[test]
fn warnings_list_only_what_occurred() {
    assert_eq!(Repairs::default().sentence(), None);
    let mut counts = VoxelCounts::of(20);
    counts.not_finite = 15;
    let repairs = Repairs { raised: 0, counts };
    assert_eq!(repairs.sentence().unwrap(), "15 measurements were not used (15 not finite)");
    let mut counts = VoxelCounts::of(20);
    counts.add(NotComputed::NoSignal, 3);
    assert_eq!(
        Repairs { raised: 2, counts }.sentence().unwrap(),
        "3 of 20 voxels could not be computed (3 without a signal above 0); 2 measurements at or near zero were raised to a \
         millionth of their voxel's largest"
    );
}

#[test]
fn implausible_tensors_are_counted_and_have_bounded_residuals() {
    let gradients = table(20, &[1000.0]);
    let usual = tensor([1.7e-3, 0.3e-3, 0.2e-3], [1.0, 0.0, 0.0, 0.0]);
    let frame = [0.5, 0.5, 0.5, 0.5];
    let indefinite = [1.7e-3, 0.3e-3, -0.2e-3];
    let reversed = [1.0e-3, 0.5e-3, -2.0e-3];
    let mut values = signal(&gradients, 600.0, usual);
    values.extend(signal(&gradients, 600.0, tensor(indefinite, frame)));
    values.extend(signal(&gradients, 600.0, tensor(reversed, frame)));
    // The fourth voxel is dark, and its measurements suggest that the signal grows with b. The prediction
    // with the negative eigenvalue is above 1e8.
    let mut wild = vec![600.0];
    wild.extend((0..20).map(|m| if m % 5 == 0 { 0.0 } else { 20.0 + f64::from(m * m % 7) as f32 * 160.0 }));
    values.extend(wild);
    let dwi = Volume::new(row_of_voxels(4), gradients.len(), values).unwrap();
    let fitted = fit(&dwi, &gradients, &TensorOptions::default());
    let maps = tensor_maps(&fitted.tensor).unwrap();
    let count = |holds: &dyn Fn(usize) -> bool| (0..4).filter(|&voxel| holds(voxel)).count();
    let expected = ImpossibleTensors {
        indefinite: count(&|voxel| maps.eigenvalues.voxel(voxel)[2] < 0.0),
        anisotropy_above_1: count(&|voxel| maps.fa.values()[voxel] > 1.0),
        mean_below_0: count(&|voxel| maps.md.values()[voxel] < 0.0),
    };
    assert_eq!(fitted.impossible, expected);
    assert!(expected.indefinite >= 2 && expected.anisotropy_above_1 >= 1 && expected.mean_below_0 >= 1);
    // The residual is compared with that of a tensor whose negative eigenvalue is set to 0.
    for (voxel, values) in [(1, indefinite), (2, reversed)] {
        let possible = signal(&gradients, 600.0, tensor(values.map(|value| value.max(0.0)), frame));
        let squares = dwi.voxel(voxel).iter().zip(&possible).map(|(a, b)| f64::from(a - b).powi(2));
        let expected = (squares.sum::<f64>() / gradients.len() as f64).sqrt();
        let residual = f64::from(fitted.residual.values()[voxel]);
        assert!((residual - expected).abs() < 1e-4 * expected, "{residual} {expected}");
    }
    assert!(fitted.residual.values()[0] < 1e-2);
    // With negative eigenvalues set to 0, the predicted signal is at most S₀.
    let maximum = fitted.s0.values()[3].max(1000.0);
    assert!(fitted.residual.values()[3] <= maximum, "{}", fitted.residual.values()[3]);
}

fn options_without_reweighting() -> TensorOptions {
    TensorOptions { reweightings: 0, measurements: Measurements::All, ..TensorOptions::default() }
}

/// The logarithms of the signals alternate around those of an isotropic tensor. Least squares with equal
/// weights must minimise Σ (ln S − ln Ŝ)² for any signals.
#[test]
fn equal_weights_give_ordinary_least_squares() {
    let gradients = table(15, &[1000.0]);
    let offsets: Vec<f64> = (0..gradients.len()).map(|m| 0.3 * ((m * 7 % 5) as f64 - 2.0)).collect();
    let logs: Vec<f64> =
        gradients.b_values().iter().zip(&offsets).map(|(b, offset)| 5.0 - b * 0.8e-3 + offset).collect();
    let dwi: Vec<f32> = logs.iter().map(|log| log.exp() as f32).collect();
    let dwi = Volume::new(row_of_voxels(1), gradients.len(), dwi).unwrap();
    let options = TensorOptions { first_weights: FirstWeights::Equal, ..options_without_reweighting() };
    let (mask, device) = (Mask::full(*dwi.grid()), Device::Cpu);
    let found = fit_clipped_tensor(dwi.clone(), &gradients, &mask, &device, &options, 0.01).unwrap();
    assert_eq!(found.fit.tensor, fit(&dwi, &gradients, &options).tensor, "nothing is that faint");
    let elements: [f64; 6] = std::array::from_fn(|n| f64::from(found.fit.tensor.values()[n]));
    let error = |elements: [f64; 6], s0: f64| -> f64 {
        let tensor = DiffusionTensor(elements);
        let predicted =
            |m: usize| s0.ln() - gradients.b_values()[m] * tensor.along(gradients.directions()[m]);
        logs.iter().enumerate().map(|(m, log)| (log - predicted(m)).powi(2)).sum()
    };
    let s0 = f64::from(found.fit.s0.values()[0]);
    let least = error(elements, s0);
    assert!((f64::from(found.squared_error.values()[0]) / least - 1.0).abs() < 1e-5, "{least}");
    assert!(least > 0.1, "a fit that leaves nothing would show nothing: {least}");
    for n in 0..6 {
        for step in [-1e-5, 1e-5] {
            let mut moved = elements;
            moved[n] += step;
            assert!(error(moved, s0) > least, "element {n}");
        }
    }
    assert!(error(elements, s0 * 1.01) > least && error(elements, s0 * 0.99) > least);
    let weighted = fit(&dwi, &gradients, &options_without_reweighting());
    assert!(weighted.tensor != found.fit.tensor);
}

#[test]
fn faint_signals_are_clipped_at_a_fraction_of_s0() {
    let gradients = table(30, &[1000.0]);
    let sphere = DiffusionTensor([0.7e-3, 0.7e-3, 0.7e-3, 0.0, 0.0, 0.0]);
    let mut dropped = signal(&gradients, 1000.0, sphere);
    dropped[9] = 0.0;
    let mut clipped = dropped.clone();
    let grid = row_of_voxels(1);
    let volume = |values: Vec<f32>| Volume::new(grid, gradients.len(), values).unwrap();
    let options = TensorOptions { first_weights: FirstWeights::Equal, ..options_without_reweighting() };
    let first = fit(&volume(dropped.clone()), &gradients, &options);
    clipped[9] = 0.01 * first.s0.values()[0];
    let found = fit_clipped_tensor(
        volume(dropped.clone()),
        &gradients,
        &Mask::full(grid),
        &Device::Cpu,
        &options,
        0.01,
    );
    let found = found.unwrap().fit;
    let expected = fit(&volume(clipped), &gradients, &options);
    assert_eq!((&found.tensor, &found.s0), (&expected.tensor, &expected.s0));
    assert!(found.tensor != first.tensor);
}
