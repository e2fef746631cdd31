use crate::anatomy::{Anatomy, Tissue, in_nucleus, inwards};
use crate::bundles::{Bundle, all};
use crate::noise::check_ratio;
use crate::parts::{Part, Parts};
use crate::phantom::{Phantom, PhantomOptions};
use crate::signal::{Signals, WHITE_S0, add_noise};
use crate::tissues::{OrientationSums, TissueTruth, bias};
use crate::truth::{self, Ends};
use arcuate_core::{Affine, Error, FiveTissues, GradientTable, Grid, Labels, Mask, Result, Volume};
use nalgebra::Vector3;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Size of the image of the whole head in mm along each axis, and its centre in RAS mm.
const EXTENT: [f64; 3] = [120.0, 140.0, 110.0];
const CENTRE: [f64; 3] = [0.0, 0.0, 2.0];
/// Maximum number of bundle directions that are stored per voxel.
const PEAKS: usize = 3;

/// Simulates a diffusion scan of a small brain for the gradient table `gradients`.
///
/// The content of a voxel is evaluated at evenly spaced points inside the voxel, by analytical functions of
/// the position in mm. The simulation uses no other grid, and none of the operators that are tested with its
/// data. Noise is Rician (Gudbjartsson and Patz 1995, doi:10.1002/mrm.1910340618): the modulus of the signal
/// plus a complex number with two normally distributed parts. The same options give the same data for any
/// number of threads.
///
/// Returns an error if an option is out of range, or if the images would need more than 16 GiB.
pub fn simulate(gradients: &GradientTable, options: &PhantomOptions) -> Result<Phantom> {
    let grid = check(gradients, options)?;
    let bundles = all();
    let anatomy = Anatomy::new(bundles.iter().map(|bundle| &bundle.tube));
    let ends: Vec<Ends> = bundles.iter().map(|bundle| truth::ends(bundle, &anatomy)).collect();
    let noise_level = options.snr.map_or(0.0, |snr| WHITE_S0 / snr);
    let signals = Signals::new(gradients, options.tissues);
    let orientations = options.tissues.then(OrientationSums::new);
    let scene = Scene {
        anatomy: &anatomy,
        bundles: &bundles,
        ends: &ends,
        signals: &signals,
        orientations: orientations.as_ref(),
    };

    let mut dwi = Volume::filled(grid, gradients.len(), 0f32);
    let contents: Vec<Content> = dwi
        .values_mut()
        .par_chunks_mut(gradients.len())
        .enumerate()
        .map(|(voxel, out)| {
            let mut signal = vec![0.0; gradients.len()];
            let content = scene.look(&grid, voxel, options.samples_per_edge, &mut signal);
            if options.tissues {
                let bias = bias(Vector3::from(grid.centre(voxel)));
                for s in &mut signal {
                    *s *= bias;
                }
            }
            add_noise(noise_level, options.seed, voxel, &mut signal);
            for (out, s) in out.iter_mut().zip(signal) {
                *out = s as f32;
            }
            content
        })
        .collect();

    let mut tissue_fractions = Volume::filled(grid, 3, 0f32);
    let mut bundle_fractions = Volume::filled(grid, bundles.len(), 0f32);
    let mut peaks = Volume::filled(grid, 3 * PEAKS, 0f32);
    for (voxel, content) in contents.iter().enumerate() {
        tissue_fractions.voxel_mut(voxel).copy_from_slice(&content.tissues);
        for (n, part) in content.parts.iter().enumerate() {
            bundle_fractions.voxel_mut(voxel)[part.bundle] = part.fraction as f32;
            if n < PEAKS {
                peaks.voxel_mut(voxel)[3 * n..3 * n + 3].copy_from_slice(&part.peak());
            }
        }
    }
    let mask = |inside: fn(&[f32; 3]) -> f32| {
        // The threshold is 0.5 minus a margin for rounding errors. If the surface of the mask passes through
        // the centres of voxels, these voxels are therefore in the mask.
        Mask::new(grid, contents.iter().map(|c| inside(&c.tissues) > 0.4999).collect())
    };
    let names: BTreeMap<u32, String> = bundles
        .iter()
        .flat_map(|b| [(b.regions.0, b.region_names.0.clone()), (b.regions.1, b.region_names.1.clone())])
        .collect();
    let tissues =
        orientations.map(|sums| tissue_truth(gradients, &grid, &contents, sums.count())).transpose()?;
    Ok(Phantom {
        gradients: gradients.clone(),
        noise_level,
        brain_mask: mask(|t| t.iter().sum())?,
        white_matter: mask(|t| t[2])?,
        labels: Labels::new(grid, contents.iter().map(|c| c.region).collect(), names)?,
        truth: truth::streamlines(&bundles, &anatomy, options.seed, options.streamlines_per_bundle),
        dwi,
        tissue_fractions,
        bundle_fractions,
        peaks,
        bundles,
        tissues,
    })
}

/// Returns the ground truth of realistic tissues.
fn tissue_truth(
    gradients: &GradientTable,
    grid: &Grid,
    contents: &[Content],
    coefficients: usize,
) -> Result<TissueTruth> {
    let mut five = Volume::filled(*grid, 5, 0f32);
    let mut field = Volume::filled(*grid, 1, 0f32);
    let mut orientations = Volume::filled(*grid, coefficients, 0f32);
    for (voxel, content) in contents.iter().enumerate() {
        let [csf, grey, white] = content.tissues;
        let cortical = (grey - content.deep_grey).max(0.0);
        five.voxel_mut(voxel).copy_from_slice(&[cortical, content.deep_grey, white, csf, 0.0]);
        field.voxel_mut(voxel)[0] = bias(Vector3::from(grid.centre(voxel))) as f32;
        for (to, from) in orientations.voxel_mut(voxel).iter_mut().zip(&content.orientations) {
            *to = *from as f32;
        }
    }
    let five = FiveTissues::renormalised(five).map_err(|error| error.about("phantom"))?;
    Ok(TissueTruth::new(gradients, five, field, orientations))
}

/// Returns the voxel grid of the simulated image. Returns an error if an option is out of range.
fn check(gradients: &GradientTable, options: &PhantomOptions) -> Result<Grid> {
    check_ratio(options.snr)?;
    if !(1..=16).contains(&options.samples_per_edge) {
        let problem =
            format!("{} sample points along a voxel edge are not possible", options.samples_per_edge);
        return Err(Error::usage("samples per edge", problem, "give from 1 to 16"));
    }
    let size = options.voxel_size_mm;
    let grid = match options.grid {
        Some(grid) => grid,
        None if (0.25..=10.0).contains(&size) => {
            let shape = EXTENT.map(|extent| (extent / size).ceil() as usize);
            // `CENTRE` is the centre of the image, not of a voxel.
            let origin = std::array::from_fn(|axis| CENTRE[axis] - size * (shape[axis] as f64 - 1.0) / 2.0);
            Grid::new(shape, Affine::scaling([size; 3], origin))?
        }
        None => {
            let problem = format!("voxels of {size} mm cannot resolve the phantom");
            return Err(Error::usage("voxel size", problem, "give a voxel size from 0.25 to 10 mm"));
        }
    };
    let values = if options.tissues { gradients.len() + TissueTruth::VALUES } else { gradients.len() };
    let bytes = grid.len().saturating_mul(values).saturating_mul(size_of::<f32>());
    if bytes > 16 << 30 {
        let problem = format!("the series would need {} GiB", bytes >> 30);
        return Err(Error::usage("phantom", problem, "choose larger voxels or fewer measurements"));
    }
    Ok(grid)
}

/// The content of a voxel, computed from the tissues at its points.
struct Content {
    /// Fractions of CSF, grey matter and white matter in the voxel.
    tissues: [f32; 3],
    /// Fraction of the voxel that is deep grey matter (nuclei).
    deep_grey: f32,
    /// Spherical harmonic coefficients of the fibre orientations in the voxel. Empty if they are not
    /// requested.
    orientations: Vec<f64>,
    /// The region that contains most of the voxel's labelled grey matter. It is 0 if the voxel has too little
    /// labelled grey matter.
    region: u32,
    /// The bundles in the voxel, largest fraction first.
    parts: Vec<Part>,
}

struct Scene<'a> {
    anatomy: &'a Anatomy,
    bundles: &'a [Bundle],
    ends: &'a [Ends],
    signals: &'a Signals<'a>,
    /// Computes the coefficients of the fibre orientations. `None` if they are not requested.
    orientations: Option<&'a OrientationSums>,
}

impl Scene<'_> {
    /// Returns the content of a voxel. Adds the signal of the voxel without noise to `signal`.
    fn look(&self, grid: &Grid, voxel: usize, samples: usize, signal: &mut [f64]) -> Content {
        let centre = Vector3::from(grid.centre(voxel));
        let axes = grid.affine();
        let half_diagonal: f64 = (0..8)
            .map(|corner| [1, 2, 4].map(|bit| if corner & bit == 0 { -0.5 } else { 0.5 }))
            .map(|corner| Vector3::from(axes.apply_vector(corner)).norm())
            .fold(0.0, f64::max);
        let near: Vec<usize> = (0..self.bundles.len())
            .filter(|&n| self.bundles[n].tube.is_near(centre, half_diagonal + Ends::MARGIN))
            .collect();

        let share = 1.0 / samples.pow(3) as f64;
        let mut tissues = [0.0f64; 3];
        let mut deep_grey = 0.0;
        let mut orientations = vec![0.0; self.orientations.map_or(0, OrientationSums::count)];
        let mut regions: Vec<(u32, usize)> = Vec::new();
        let mut parts = Parts::default();
        let mut inside = Vec::new();
        let offset = |n: usize| (n as f64 + 0.5) / samples as f64 - 0.5;
        for sample in 0..samples.pow(3) {
            let place = [sample % samples, sample / samples % samples, sample / samples.pow(2)].map(offset);
            let point = centre + Vector3::from(axes.apply_vector(place));
            match self.anatomy.tissue(point) {
                Tissue::Nothing => {}
                Tissue::Csf => {
                    tissues[0] += share;
                    add(share, &self.signals.csf, signal);
                }
                Tissue::Grey => {
                    tissues[1] += share;
                    if in_nucleus(point) {
                        deep_grey += share;
                    }
                    add(share, &self.signals.grey, signal);
                    let near = near.iter().copied();
                    if let Some(region) = truth::region_at(point, self.bundles, self.ends, near) {
                        match regions.iter_mut().find(|(number, _)| *number == region) {
                            Some((_, count)) => *count += 1,
                            None => regions.push((region, 1)),
                        }
                    }
                }
                Tissue::White => {
                    tissues[2] += share;
                    inside.clear();
                    inside.extend(near.iter().filter_map(|&n| {
                        let tube = &self.bundles[n].tube;
                        let at = tube.locate(point).filter(|at| at.is_inside(0.0))?;
                        Some((n, tube.direction(&at)))
                    }));
                    if inside.is_empty() {
                        self.signals.add_background(share, inwards(point), signal);
                        if let Some(sums) = self.orientations {
                            sums.add_spread(share, inwards(point), &mut orientations);
                        }
                    }
                    let part = share / inside.len().max(1) as f64;
                    for &(bundle, along) in &inside {
                        self.signals.add_bundle(part, along, signal);
                        if let Some(sums) = self.orientations {
                            sums.add_fibres(part, along, &mut orientations);
                        }
                        parts.add(bundle, part, along);
                    }
                }
            }
        }
        // If at least an eighth of a voxel is cortex, streamline ends in this voxel can be assigned to a
        // region.
        let region = regions
            .into_iter()
            .max_by_key(|&(number, count)| (count, std::cmp::Reverse(number)))
            .filter(|&(_, count)| 8 * count >= samples.pow(3))
            .map_or(0, |(number, _)| number);
        Content {
            tissues: tissues.map(|t| t as f32),
            deep_grey: deep_grey as f32,
            orientations,
            region,
            parts: parts.largest_first(),
        }
    }
}

fn add(share: f64, tissue: &[f64], signal: &mut [f64]) {
    for (sum, s) in signal.iter_mut().zip(tissue) {
        *sum += share * s;
    }
}
