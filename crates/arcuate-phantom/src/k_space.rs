//! Simulates k-space data of an object that consists of ellipsoids.

use crate::{CoilLoops, Ellipsoids};
use arcuate_compute::{Purpose, Random};
use rayon::prelude::*;

/// Options of the simulation of k-space data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KSpaceOptions {
    /// The size of the image for which the data are scaled: number of voxels along x, y and z. A slice has 1
    /// voxel along z.
    pub shape: [usize; 3],
    /// The field of view in mm along x, y and z.
    pub field_of_view_mm: [f64; 3],
    /// Signal-to-noise ratio: the largest value of the object divided by the standard deviation of the noise
    /// in the image. It is the noise of the real and of the imaginary part, in the image of a Cartesian scan
    /// that samples each wave number once. `None` means no noise.
    pub snr: Option<f64>,
    /// Seed of the random number generator for the noise.
    pub seed: u64,
}

/// Simulates the k-space data of every coil. Without coils, simulates the data of one coil with uniform
/// sensitivity. The result contains pairs of a real and an imaginary part, coil by coil. The equation below
/// defines the value s_c(k) of coil c at the wave number k, in cycles per field of view.
///
/// s_c(k) = √N / V ∫ S_c(r) ρ(r) e^(−2πi k·r) dr
///
/// In this equation, ρ is the object, and S_c is the sensitivity of coil c. N is the number of voxels, and V
/// is the volume (or area) of the field of view. The integral is the limit, for small voxels, of a sum over
/// voxels with the factor N^(−½). Noise is Gaussian and independent between samples and coils.
pub fn measure_k_space(
    object: &Ellipsoids,
    samples: &[[f64; 3]],
    coils: Option<&CoilLoops>,
    options: &KSpaceOptions,
) -> Vec<[f32; 2]> {
    let dimensions = object.dimensions();
    let voxels: usize = options.shape[..dimensions].iter().product();
    let volume: f64 = options.field_of_view_mm[..dimensions].iter().product();
    let scale = (voxels as f64).sqrt() / volume;
    let per_mm = |k: [f64; 3]| std::array::from_fn(|axis| k[axis] / options.field_of_view_mm[axis]);
    let of_waves: Vec<Vec<[f64; 2]>> = match coils {
        None => vec![samples.par_iter().map(|&k| object.transform(per_mm(k))).collect()],
        Some(coils) => {
            let waves = coils.waves();
            // Each wave of the coil's sensitivity shifts the Fourier transform of the object in k-space.
            let of_sample = |&k: &[f64; 3]| {
                let mut sums = vec![[0.0; 2]; coils.coils()];
                for (n, wave) in waves.iter().enumerate() {
                    let moved = std::array::from_fn(|axis| k[axis] - wave[axis]);
                    let [re, im] = object.transform(per_mm(moved));
                    for (coil, sum) in sums.iter_mut().enumerate() {
                        let a = coils.coefficients(coil)[n];
                        sum[0] += a.re * re - a.im * im;
                        sum[1] += a.re * im + a.im * re;
                    }
                }
                sums
            };
            let by_sample: Vec<Vec<[f64; 2]>> = samples.par_iter().map(of_sample).collect();
            (0..coils.coils()).map(|coil| by_sample.iter().map(|sums| sums[coil]).collect()).collect()
        }
    };
    let largest = object.largest_value();
    let deviation = options.snr.map_or(0.0, |snr| largest / snr);
    let mut data = Vec::with_capacity(of_waves.len() * samples.len());
    for of_coil in of_waves {
        for value in of_coil {
            let mut noise = Random::new(options.seed, Purpose::Noise, data.len() as u64);
            let part = |value: f64, noise: &mut Random| {
                let noise = if deviation > 0.0 { deviation * noise.normal() } else { 0.0 };
                (scale * value + noise) as f32
            };
            let re = part(value[0], &mut noise);
            data.push([re, part(value[1], &mut noise)]);
        }
    }
    data
}

/// Number of positions along each axis of a voxel at which the object is evaluated for the mean over the
/// voxel.
const PER_VOXEL: usize = 4;

/// Returns the mean of the object over every voxel, with x fastest. The voxel with the index ⌊n/2⌋ along each
/// axis is in the centre of the field of view.
pub fn object_image(object: &Ellipsoids, shape: [usize; 3], field_of_view_mm: [f64; 3]) -> Vec<f32> {
    let [nx, ny, nz] = shape;
    let parts = |axis: usize| if axis < object.dimensions() { PER_VOXEL } else { 1 };
    let place = |axis: usize, voxel: usize, part: usize| {
        let within = (part as f64 + 0.5) / parts(axis) as f64 - 0.5;
        let n = shape[axis];
        field_of_view_mm[axis] * (voxel as f64 - (n / 2) as f64 + within) / n as f64
    };
    let mean = |n: usize| {
        let voxel = [n % nx, n / nx % ny, n / nx / ny];
        let mut sum = 0.0;
        for z in 0..parts(2) {
            for y in 0..parts(1) {
                for x in 0..parts(0) {
                    let part = [x, y, z];
                    sum += object.at(std::array::from_fn(|axis| place(axis, voxel[axis], part[axis])));
                }
            }
        }
        (sum / (parts(0) * parts(1) * parts(2)) as f64) as f32
    };
    (0..nx * ny * nz).into_par_iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ellipsoid, Trajectory};

    fn options(shape: [usize; 3]) -> KSpaceOptions {
        KSpaceOptions { shape, field_of_view_mm: [200.0, 160.0, 120.0], snr: None, seed: 3 }
    }

    /// Creates a ball with the value 2, whose centre is not that of the field of view.
    fn ball() -> Ellipsoids {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Ellipsoids::new(vec![Ellipsoid {
            value: 2.0,
            centre: [30.0, -20.0, 10.0],
            semi_axes: [40.0; 3],
            axes,
        }])
    }

    /// Computes the image of a Cartesian scan at the voxel `place`, by adding the terms of the inverse
    /// Fourier transform.
    fn voxel(data: &[[f32; 2]], samples: &[[f64; 3]], place: [f64; 3], voxels: usize) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for (k, value) in samples.iter().zip(data) {
            let turns: f64 = (0..3).map(|n| k[n] * place[n]).sum();
            let (sin, cos) = (std::f64::consts::TAU * turns).sin_cos();
            let [re, im] = value.map(f64::from);
            sum[0] += re * cos - im * sin;
            sum[1] += re * sin + im * cos;
        }
        sum.map(|part| part / (voxels as f64).sqrt())
    }

    #[test]
    fn cartesian_scans_reconstruct_the_object() {
        let samples = Trajectory::Cartesian { voxels: 24, slices: 24 }.path().unwrap().samples;
        let options = options([24, 24, 24]);
        let data = measure_k_space(&ball(), &samples, None, &options);
        // The positions are fractions of the field of view: well inside the ball, well outside the ball, and
        // on the other side of the centre. The tolerance allows for the ripple that a limited range of wave
        // numbers causes.
        for (place, value) in
            [([0.15, -0.125, 1.0 / 12.0], 2.0), ([0.45, 0.4, 0.0], 0.0), ([-0.15, 0.125, -0.1], 0.0)]
        {
            let found = voxel(&data, &samples, place, 24 * 24 * 24);
            assert!((found[0] - value).abs() < 0.15 && found[1].abs() < 0.05, "{place:?} {found:?}");
        }
        let image = object_image(&ball(), options.shape, options.field_of_view_mm);
        let sum: f64 = image.iter().map(|&value| f64::from(value)).sum();
        let voxel_mm = options.field_of_view_mm.iter().product::<f64>() / 13_824.0;
        let volume = 4.0 / 3.0 * std::f64::consts::PI * 40f64.powi(3);
        assert!((sum * voxel_mm / (2.0 * volume) - 1.0).abs() < 5e-3, "{}", sum * voxel_mm / volume);
        // The sample at k = 0 is √N times the mean of the image, for N voxels.
        let middle = samples.iter().position(|k| *k == [0.0; 3]).unwrap();
        let expected = sum / 13_824.0 * 13_824f64.sqrt();
        assert!((f64::from(data[middle][0]) / expected - 1.0).abs() < 5e-3);
    }

    #[test]
    fn coils_see_the_object_through_their_maps() {
        let samples = Trajectory::Cartesian { voxels: 20, slices: 20 }.path().unwrap().samples;
        let options = options([20, 20, 20]);
        let coils = CoilLoops::new(2, false);
        let data = measure_k_space(&ball(), &samples, Some(&coils), &options);
        assert_eq!(data.len(), 2 * samples.len());
        for coil in 0..2 {
            let place = [0.15, -0.125, 0.1];
            let found = voxel(&data[coil * samples.len()..], &samples, place, 8000);
            let expected = 2.0 * coils.at(coil, place);
            let error = (found[0] - expected.re).hypot(found[1] - expected.im) / expected.norm();
            assert!(error < 0.08, "{coil} {found:?} {expected}");
        }
    }

    #[test]
    fn noise_has_the_requested_level_and_is_independent() {
        let samples = Trajectory::Radial { voxels: 32, spokes: 100, samples: 64 }.path().unwrap().samples;
        let object = Ellipsoids::shepp_logan_slice(180.0);
        let quiet = options([32, 32, 1]);
        let clean = measure_k_space(&object, &samples, None, &quiet);
        let noisy = measure_k_space(&object, &samples, None, &KSpaceOptions { snr: Some(25.0), ..quiet });
        let squares: f64 = clean.iter().zip(&noisy).map(|(a, b)| f64::from(a[0] - b[0]).powi(2)).sum();
        let deviation = (squares / samples.len() as f64).sqrt();
        assert!((deviation * 25.0 - 1.0).abs() < 0.03, "{deviation}");
        let again =
            measure_k_space(&object, &samples[..50], None, &KSpaceOptions { snr: Some(25.0), ..quiet });
        assert_eq!(again, noisy[..50]);
    }
}
