//! Simulates a whole brain of the size of published LiFE problems, and tracks streamlines in it. The
//! simulation is based on a small data set with the peaks and the FA of a real subject (folder `peaks/`,
//! voxels of 2.5 mm).

use crate::outcome::Outcome;
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Affine, Control, GradientTable, Grid, Mask, Tractogram, Volume};
use arcuate_model::{TensorOptions, fit_tensor};
use arcuate_phantom::default_gradients;
use arcuate_track::{Curvature, Integrator, Method, SEEDS_PER_STREAMLINE, Seeds, TrackOptions, track_tensor};
use rayon::prelude::*;

/// Voxel size of the simulated brain in mm. With this size, the white matter of the subject has about as many
/// voxels as the published problem.
const VOXEL: f64 = 1.6;
/// Diffusivities in mm²/s: along a fibre, across a fibre in the space outside the axons, and in all other
/// tissue.
const ALONG: f64 = 1.7e-3;
const ACROSS: f64 = 0.5e-3;
const ELSEWHERE: f64 = 0.9e-3;
/// The intra-axonal fraction of a fibre's signal.
const INSIDE: f64 = 0.6;
const S0: f64 = 1000.0;
const SNR: f64 = 25.0;
/// Minimum FA of the real subject at a voxel that is simulated. This threshold excludes CSF and most of the
/// grey matter.
const BRAIN: f64 = 0.1;

/// The simulated measurement of the brain.
pub(crate) struct WholeBrain {
    pub(crate) dwi: Volume<f32>,
    pub(crate) gradients: GradientTable,
    anatomy: Anatomy,
    mask: Mask,
}

/// Options of tracking in the simulated brain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tracking {
    pub(crate) method: Method,
    pub(crate) integrator: Integrator,
    /// Length of a step in voxels. FACT does not use it.
    pub(crate) step: Option<f64>,
    /// Maximum angle between successive steps, in degrees.
    pub(crate) angle: f64,
    /// The number of measurements with independent noise. The streamlines are divided among them.
    pub(crate) measurements: u64,
    /// True if the seed density is proportional to the FA of the real subject, false if it is uniform.
    pub(crate) seeds_by_fa: bool,
}

impl Default for Tracking {
    /// Returns the options of deterministic tracking through the tensors of several simulated measurements.
    /// This approximates the bootstrap tracking (Jones 2008, doi:10.1109/TMI.2008.922191) with which the
    /// streamlines of the published problem were tracked.
    fn default() -> Self {
        Self {
            method: Method::Tensor,
            integrator: Integrator::RungeKutta4,
            step: Some(0.5),
            angle: 45.0,
            measurements: 8,
            seeds_by_fa: false,
        }
    }
}

/// The data of a real subject on which the simulation is based: three peaks per voxel (vectors with the
/// amplitude as length), and FA.
struct Anatomy {
    peaks: Volume<f32>,
    fa: Volume<f32>,
}

impl Anatomy {
    fn read() -> Outcome<Self> {
        let file = |name: &str| {
            arcuate_test_support::real_data(&format!("peaks/{name}"))
                .ok_or_else(|| format!("the real peaks/{name} is not there"))
        };
        Ok(Self {
            peaks: arcuate_io::read_volume(&file("peaks.nii.gz")?)?,
            fa: arcuate_io::read_volume(&file("FA.nii.gz")?)?,
        })
    }

    /// Returns the direction and the amplitude of the three peaks in the nearest voxel, and the interpolated
    /// FA. `point` is in RAS mm.
    fn at(&self, point: [f64; 3]) -> ([([f64; 3], f64); 3], f64) {
        let mut peaks = [([0.0; 3], 0.0); 3];
        if let Some(voxel) = self.peaks.grid().voxel_at(point) {
            for (peak, found) in peaks.iter_mut().zip(self.peaks.voxel(voxel).chunks_exact(3)) {
                let vector = [0, 1, 2].map(|axis| f64::from(found[axis]));
                let length = vector.iter().map(|c| c * c).sum::<f64>().sqrt();
                if length > 0.0 {
                    *peak = (vector.map(|c| c / length), length);
                }
            }
        }
        (peaks, self.fa_at(point))
    }

    fn fa_at(&self, point: [f64; 3]) -> f64 {
        let grid = self.fa.grid();
        let place = grid.inverse().apply(point);
        let mut sum = 0.0;
        for corner in 0..8 {
            let (mut weight, mut voxel) = (1.0, [0; 3]);
            for axis in 0..3 {
                let below = place[axis].floor();
                let upper = corner >> axis & 1 == 1;
                let part = place[axis] - below;
                weight *= if upper { part } else { 1.0 - part };
                let index = below + f64::from(u8::from(upper));
                if !(index >= 0.0 && index < grid.shape()[axis] as f64) {
                    weight = 0.0;
                    break;
                }
                voxel[axis] = index as usize;
            }
            let value = f64::from(self.fa.values()[grid.index(voxel)]);
            if weight > 0.0 && value.is_finite() {
                sum += weight * value;
            }
        }
        sum
    }

    /// Returns a grid that covers the images of the real subject and has the voxel size of the simulation.
    fn grid(&self) -> Outcome<Grid> {
        let source = self.peaks.grid();
        let [a, b] = [[0.0; 3], source.shape().map(|n| n as f64 - 1.0)].map(|c| source.affine().apply(c));
        let low: [f64; 3] = std::array::from_fn(|axis| a[axis].min(b[axis]));
        let shape = std::array::from_fn(|axis| ((a[axis] - b[axis]).abs() / VOXEL).ceil() as usize + 1);
        Ok(Grid::new(shape, Affine::scaling([VOXEL; 3], low))?)
    }
}

impl WholeBrain {
    /// Simulates the signal of one shell of `directions` directions at b = 2000 s/mm², and of ten volumes at
    /// b = 0. Each peak contributes a stick and a zeppelin, with a fraction in proportion to its amplitude.
    /// The rest of the voxel has isotropic diffusion. The noise is Rician. The result does not depend on the
    /// number of threads.
    pub(crate) fn simulate(directions: usize) -> Outcome<Self> {
        let anatomy = Anatomy::read()?;
        let grid = anatomy.grid()?;
        let inside =
            (0..grid.len()).into_par_iter().map(|voxel| anatomy.fa_at(grid.centre(voxel)) > BRAIN).collect();
        let mask = Mask::new(grid, inside)?;
        let gradients = default_gradients(directions, 2000.0, 10)?;
        let dwi = measure(&anatomy, &mask, &gradients, 0);
        Ok(Self { dwi, gradients, anatomy, mask })
    }

    /// Tracks streamlines from seeds in the whole white matter of the simulated brain.
    pub(crate) fn track(&self, streamlines: u64, way: &Tracking) -> Outcome<Tractogram> {
        let mut tracks = Tractogram::new();
        for repetition in 0..way.measurements {
            let again =
                (repetition > 0).then(|| measure(&self.anatomy, &self.mask, &self.gradients, repetition));
            let dwi = again.as_ref().unwrap_or(&self.dwi);
            let fit = fit_tensor(dwi, &self.gradients, &self.mask, &Device::Cpu, &TensorOptions::default())?;
            let share = streamlines * (repetition + 1) / way.measurements
                - streamlines * repetition / way.measurements;
            let share = share.max(1);
            let options = TrackOptions {
                method: way.method,
                integrator: way.integrator,
                step_mm: way.step.map(|voxels| voxels * VOXEL),
                curvature: Curvature::MaxAngleDegrees(way.angle),
                fa_cutoff: 0.1,
                seed_fa: Some(0.2),
                min_length_mm: Some(20.0),
                max_length_mm: Some(250.0),
                mask: Some(self.mask.clone()),
                select: Some(share),
                seed: repetition,
                ..TrackOptions::default()
            };
            let seeds = if way.seeds_by_fa {
                Seeds::Weighted {
                    image: self.anatomy.fa.clone(),
                    mapping: None,
                    count: share * SEEDS_PER_STREAMLINE,
                }
            } else {
                Seeds::random_until(self.mask.clone(), share)
            };
            track_tensor(&fit.tensor, &seeds, &options, &Device::Cpu, &mut tracks, &Control::default())?;
        }
        Ok(tracks)
    }
}

/// Simulates a diffusion series of the anatomy. `seed` determines its noise. The signal is 0 outside the
/// mask.
fn measure(anatomy: &Anatomy, mask: &Mask, gradients: &GradientTable, seed: u64) -> Volume<f32> {
    let grid = *mask.grid();
    let mut dwi = Volume::filled(grid, gradients.len(), 0f32);
    dwi.values_mut().par_chunks_mut(gradients.len()).enumerate().for_each(|(voxel, signal)| {
        if mask.contains(voxel) {
            let (peaks, fa) = anatomy.at(grid.centre(voxel));
            attenuate(signal, gradients, &peaks, fa);
            add_noise(signal, seed, voxel as u64);
        }
    });
    dwi
}

/// Computes the signal of a voxel without noise from its peaks and its FA.
fn attenuate(signal: &mut [f32], gradients: &GradientTable, peaks: &[([f64; 3], f64); 3], fa: f64) {
    let fibre = (1.6 * fa).clamp(0.1, 0.85);
    // Peaks with less than a tenth of the amplitude of the voxel's first peak are ignored, because they are
    // noise of the deconvolution.
    let shares = peaks.map(|(_, amplitude)| if amplitude > 0.1 * peaks[0].1 { amplitude } else { 0.0 });
    let total = shares.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    for (out, (&b, g)) in signal.iter_mut().zip(gradients.b_values().iter().zip(gradients.directions())) {
        let mut sum = (1.0 - fibre) * (-b * ELSEWHERE).exp();
        for ((direction, _), share) in peaks.iter().zip(shares) {
            let cosine: f64 = g.iter().zip(direction).map(|(a, b)| a * b).sum();
            let square = cosine * cosine;
            let stick = (-b * ALONG * square).exp();
            let zeppelin = (-b * (ACROSS + (ALONG - ACROSS) * square)).exp();
            sum += fibre * share / total * (INSIDE * stick + (1.0 - INSIDE) * zeppelin);
        }
        *out = (S0 * sum) as f32;
    }
}

fn add_noise(signal: &mut [f32], seed: u64, voxel: u64) {
    let mut random = Random::new(seed, Purpose::Noise, voxel);
    let sigma = S0 / SNR;
    for s in signal {
        let real = f64::from(*s) + sigma * random.normal();
        *s = real.hypot(sigma * random.normal()) as f32;
    }
}
