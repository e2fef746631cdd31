//! Tests the misfit that a reconstruction reports, and the choice of λ by this misfit.

use arcuate_compute::{Device, DeviceChoice, Purpose, Random};
use arcuate_core::Control;
use arcuate_recon::{
    FourierSums, Iterative, Lambda, Reconstruct, Reconstruction, Scan, Shape, iterate, toeplitz,
};
use arcuate_solve::{ChoiceOutcome, LinearOperator, vector};

/// The number of voxels along x and along y.
const SIZE: usize = 32;

/// The size for tests on an emulated GPU, which needs seconds for the transforms of larger images.
const SMALL: usize = 16;

/// Samples of an image.
struct Measured {
    /// The number of voxels of the image along x and along y.
    size: usize,
    /// The wave number of each sample.
    samples: Vec<[f64; 3]>,
    /// The samples as interleaved reals.
    data: Vec<f64>,
}

/// Simulates samples of an image of two discs. They are spread over all of k-space, and there are about six for each voxel.
/// `sigma` is the standard deviation of the noise in the real and in the imaginary part.
fn measured(size: usize, sigma: f64) -> Measured {
    let (edge, unit) = (size as f64 / 2.0, size as f64 / 32.0);
    let count = 6_000 * size * size / (32 * 32);
    let places = (0..count).map(|n| n as f64 + 0.5);
    // The samples form a spiral with the golden angle, and their density is uniform.
    let samples: Vec<[f64; 3]> = places
        .map(|n| {
            let (radius, angle) = (edge * (n / count as f64).sqrt(), 2.399_963_229_728_653 * n);
            [radius * angle.cos(), radius * angle.sin(), 0.0]
        })
        .collect();
    let disc = |x: f64, y: f64, radius: f64, value: f64| {
        move |n: usize| {
            let [i, j] = [(n % size) as f64 - x * unit, (n / size) as f64 - y * unit];
            if i.hypot(j) < radius * unit { value } else { 0.0 }
        }
    };
    let (large, small) = (disc(15.0, 16.0, 11.0, 0.8), disc(18.0, 13.0, 4.0, 0.3));
    let image: Vec<f64> = (0..size * size).flat_map(|n| [large(n) + small(n), 0.0]).collect();
    let sums = FourierSums::<f64>::new(shape(size), samples.clone()).unwrap();
    let mut data = vec![0.0; 2 * samples.len()];
    sums.forward(&image, &mut data);
    let mut random = Random::new(3, Purpose::Phantom, 0);
    for value in &mut data {
        *value += sigma * random.normal();
    }
    Measured { size, samples, data }
}

fn shape(size: usize) -> Shape {
    Shape::new([size, size, 1]).unwrap()
}

/// Returns the reconstructed image, and the warnings of the reconstruction.
fn solved<T: Reconstruct>(
    Measured { size, samples, data }: &Measured,
    device: &Device,
    lambda: Lambda,
    noise: Option<f64>,
) -> (Reconstruction<T>, Vec<String>) {
    let scan = Scan::new(shape(*size), samples.clone(), data.iter().map(|&d| T::of(d)).collect()).unwrap();
    let control = Control::default();
    let options = Iterative { lambda, noise, tolerance: 1e-6, iterations: 300, ..Iterative::default() };
    let operator = toeplitz(&scan, None, device).unwrap();
    arcuate_test_support::warnings(|| iterate(&scan, &operator, &options, &control, |_| {}).unwrap())
}

/// Returns the relative misfit ‖d − Fρ‖ / ‖d‖, computed in double precision.
fn true_misfit<T: Reconstruct>(Measured { size, samples, data }: &Measured, done: &Reconstruction<T>) -> f64 {
    let sums = FourierSums::<f64>::new(shape(*size), samples.clone()).unwrap();
    let image: Vec<f64> = done.image.iter().map(|value| value.double()).collect();
    let mut of_image = vec![0.0; data.len()];
    sums.forward(&image, &mut of_image);
    vector::subtract(&mut of_image, data);
    (vector::norm_squared(&of_image) / vector::norm_squared(data)).sqrt()
}

/// The devices to test, each with the size of the image.
fn devices() -> Vec<(Device, usize)> {
    let mut devices = vec![(Device::Cpu, SIZE)];
    if arcuate_emulation::available("misfits on a GPU") {
        let size = if arcuate_emulation::emulated() { SMALL } else { SIZE };
        devices.push((DeviceChoice::Cuda(vec![0]).open(None).unwrap(), size));
    }
    devices
}

#[test]
fn single_and_double_precision_choose_the_same_lambda_and_report_the_true_misfit() {
    for (device, size) in devices() {
        for sigma in [1e-3, 1e-4] {
            let scan = measured(size, sigma);
            for lambda in [Lambda::Discrepancy, Lambda::LCurve] {
                let (expected, _) = solved::<f64>(&scan, &Device::Cpu, lambda, Some(sigma));
                let (found, _) = solved::<f32>(&scan, &device, lambda, Some(sigma));
                let ratio = found.lambda.unwrap() / expected.lambda.unwrap();
                let told = (
                    found.lambda,
                    expected.lambda,
                    found.misfit,
                    expected.misfit,
                    found.misfit_of_noise,
                    &found.choices,
                );
                assert!((0.9..1.1).contains(&ratio), "{sigma} {lambda:?}: {told:?}");
                assert_eq!(found.choices, expected.choices, "{sigma} {lambda:?}");
                let (misfit, expected) = (found.misfit.unwrap(), true_misfit(&scan, &found));
                assert!(
                    (misfit / expected - 1.0).abs() < 2e-3,
                    "{sigma} {lambda:?}: {misfit:e} {expected:e}"
                );
            }
        }
    }
}

#[test]
fn misfits_are_accurate_to_their_resolution() {
    let scan = measured(SIZE, 0.0);
    let (single, _) = solved::<f32>(&scan, &Device::Cpu, Lambda::Fixed(0.0), None);
    let (double, _) = solved::<f64>(&scan, &Device::Cpu, Lambda::Fixed(0.0), None);
    assert!(single.misfit_resolution < Some(1e-5));
    let off = (single.misfit.unwrap() - true_misfit(&scan, &single)).abs();
    assert!(off <= single.misfit_resolution.unwrap(), "{off:e}");
    assert!((double.misfit.unwrap() / true_misfit(&scan, &double) - 1.0).abs() < 1e-2);
    // If the noise is below rounding error, it cannot choose λ.
    let (chosen, messages) = solved::<f32>(&scan, &Device::Cpu, Lambda::Discrepancy, Some(1e-7));
    assert_ne!(chosen.choices, [ChoiceOutcome::Found]);
    assert!(messages.iter().any(|line| line.contains("λ")), "{messages:?}");
}

#[test]
fn failed_choices_of_lambda_are_reported() {
    let sigma = 0.03;
    let scan = measured(SIZE, sigma);
    for (wrong, outcome, warning) in [
        (
            1e3,
            ChoiceOutcome::AtUpperEdge,
            "image: the choice of λ ended at the upper edge of its interval: by ‘sigma’ the noise is ",
        ),
        (
            1e-9,
            ChoiceOutcome::AtLowerEdge,
            "image: the choice of λ ended at the lower edge of its interval: ",
        ),
    ] {
        let (done, messages) = solved::<f32>(&scan, &Device::Cpu, Lambda::Discrepancy, Some(wrong));
        assert_eq!(done.choices, [outcome]);
        assert!(messages[0].starts_with(warning), "{messages:?}");
        assert_eq!(done.findings.len(), messages.len());
        // The largest λ leaves most of the data unexplained. A noise that is larger than the data does not
        // count as an explanation.
        let is_large = done.misfit.unwrap() > 0.5;
        assert_eq!(
            messages.iter().any(|line| line.contains("of the data unexplained")),
            is_large,
            "{messages:?}"
        );
        assert_eq!(is_large, wrong > 1.0, "{:?}", done.misfit);
    }
    let (done, messages) = solved::<f32>(&scan, &Device::Cpu, Lambda::Discrepancy, Some(sigma));
    assert_eq!((done.choices, messages), (vec![ChoiceOutcome::Found], Vec::new()));
}

#[test]
fn misfits_due_to_noise_and_due_to_lambda_are_distinguished() {
    // Most of the data are noise.
    let scan = measured(SIZE, 1.0);
    let unexplained = |lambda: f64, sigma: f64| {
        let (done, messages) = solved::<f32>(&scan, &Device::Cpu, Lambda::Fixed(lambda), Some(sigma));
        assert!(done.misfit.unwrap() > 0.5, "{:?}", done.misfit);
        messages.iter().any(|line| line.contains("of the data unexplained"))
    };
    assert!(!unexplained(1e-3, 1.0));
    // With this λ, the equation is solved, but the misfit is larger than this noise.
    assert!(unexplained(1e6, 0.1));
}
