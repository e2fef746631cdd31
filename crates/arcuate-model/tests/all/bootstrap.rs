//! Tests that tensors refitted to resampled residuals scatter as much as tensors fitted to repeated scans.

use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Affine, DiffusionTensor, GradientTable, Grid, Mask, Orientations, Volume};
use arcuate_model::{BootstrapOptions, Resampling, TensorOptions, bootstrap_tensors, fit_tensor};

/// Number of simulated scans of the same voxel.
const SCANS: usize = 400;
const TENSOR: DiffusionTensor = DiffusionTensor([1.5e-3, 0.4e-3, 0.3e-3, 0.1e-3, 0.0, 0.0]);

fn gradients() -> GradientTable {
    let mut directions = vec![[0.0, 0.0, 1.0]; 4];
    directions.extend(Orientations::half_sphere(32).directions());
    let b_values = [vec![0.0; 4], vec![1000.0; 32]].concat();
    GradientTable::new(&directions, b_values, 50.0).unwrap()
}

/// Creates a series with one voxel per scan. Each voxel has its own noise, 1/25 of the signal without
/// weighting.
fn scans(gradients: &GradientTable) -> Volume<f32> {
    let grid = Grid::new([SCANS, 1, 1], Affine::identity()).unwrap();
    let mut values = Vec::new();
    for scan in 0..SCANS {
        let mut random = Random::new(1, Purpose::Noise, scan as u64);
        for (&direction, &b) in gradients.directions().iter().zip(gradients.b_values()) {
            let signal = 100.0 * (-b * TENSOR.along(direction)).exp() + 4.0 * random.normal();
            values.push(signal as f32);
        }
    }
    Volume::new(grid, gradients.len(), values).unwrap()
}

/// Returns the squared angle between two axes, in degrees².
fn square(a: [f32; 3], b: [f32; 3]) -> f64 {
    let cosine: f64 = (0..3).map(|n| f64::from(a[n]) * f64::from(b[n])).sum();
    cosine.abs().min(1.0).acos().to_degrees().powi(2)
}

#[test]
fn bootstrap_variability_agrees_with_repeated_scans() {
    let gradients = gradients();
    let dwi = scans(&gradients);
    let mask = Mask::full(*dwi.grid());
    let fit = fit_tensor(&dwi, &gradients, &mask, &Device::Cpu, &TensorOptions::default()).unwrap();
    let principal = |elements: &[f32]| {
        let elements = std::array::from_fn(|n| f64::from(elements[n]));
        DiffusionTensor(elements).eigensystem().vectors[0].map(|c| c as f32)
    };
    let truth = TENSOR.eigensystem().vectors[0].map(|c| c as f32);
    let fits: Vec<[f32; 3]> = (0..SCANS).map(|scan| principal(fit.tensor.voxel(scan))).collect();
    let expected = (fits.iter().map(|&fit| square(fit, truth)).sum::<f64>() / SCANS as f64).sqrt();
    for resampling in [Resampling::Residuals, Resampling::Signs] {
        let options = BootstrapOptions { resampling, samples: 100, seed: 3, ..BootstrapOptions::default() };
        let refits = bootstrap_tensors(&dwi, &gradients, &mask, &options).unwrap();
        assert_eq!((refits.mask.count(), refits.directions.len()), (SCANS, 100 * SCANS));
        let squares = fits.iter().zip(refits.directions.chunks(100));
        let mean = squares
            .map(|(&fit, refits)| refits.iter().map(|&refit| square(refit, fit)).sum::<f64>() / 100.0)
            .sum::<f64>()
            / SCANS as f64;
        // A standard deviation estimated from 400 scans has an error of 1/√800 = 3.5 %, and the bootstrap's
        // own error is smaller. The tolerance is four such errors.
        assert!((mean.sqrt() / expected - 1.0).abs() < 0.14, "{resampling:?} {} {expected}", mean.sqrt());
    }
}

#[test]
fn random_draws_depend_on_the_voxel_index() {
    let gradients = gradients();
    let dwi = scans(&gradients);
    let options = BootstrapOptions { samples: 5, ..BootstrapOptions::default() };
    let all = bootstrap_tensors(&dwi, &gradients, &Mask::full(*dwi.grid()), &options).unwrap();
    let some = Mask::new(*dwi.grid(), (0..SCANS).map(|n| n % 7 == 2).collect()).unwrap();
    let few = bootstrap_tensors(&dwi, &gradients, &some, &options).unwrap();
    for (place, voxel) in some.indices().into_iter().enumerate() {
        assert_eq!(few.directions[5 * place..5 * place + 5], all.directions[5 * voxel..5 * voxel + 5]);
    }
    let other = BootstrapOptions { seed: 1, ..options.clone() };
    assert!(bootstrap_tensors(&dwi, &gradients, &some, &other).unwrap() != few);
    let none = BootstrapOptions { samples: 0, ..options };
    let message = bootstrap_tensors(&dwi, &gradients, &some, &none).unwrap_err().to_string();
    assert!(message.starts_with("‘samples’: ") && !message.contains('\n'), "{message}");
}
