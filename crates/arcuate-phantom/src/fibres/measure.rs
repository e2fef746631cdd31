//! Simulates the diffusion measurement of a layout's block of tissue.

use super::layouts::Scene;
use super::{FibrePhantomOptions, FibreTissue};
use crate::noise::check_ratio;
use crate::parts::Parts;
use crate::signal::add_noise;
use arcuate_core::{Error, GradientTable, Result, Volume};
use nalgebra::Vector3;
use rayon::prelude::*;

/// Signal of the tissue without diffusion weighting, in arbitrary units.
const S0: f64 = 1000.0;
/// Maximum number of cells along each edge of a voxel. The signal is computed in each cell.
const MAX_CELLS: usize = 64;
/// Maximum number of bundle directions that are stored per voxel.
const PEAKS: usize = 3;

/// The simulated data of a block of tissue, and the true composition of its voxels.
pub(super) struct Measurement {
    pub(super) dwi: Volume<f32>,
    pub(super) fractions: Volume<f32>,
    pub(super) peaks: Volume<f32>,
    pub(super) noise_level: f64,
}

pub(super) fn measure(
    scene: &Scene,
    gradients: &GradientTable,
    options: &FibrePhantomOptions,
) -> Result<Measurement> {
    check_ratio(options.snr)?;
    if !(1..=MAX_CELLS).contains(&options.cells) {
        let problem = format!("{} sample points along a voxel edge are not possible", options.cells);
        return Err(Error::usage("cells", problem, "give from 1 to 64"));
    }
    let noise_level = options.snr.map_or(0.0, |snr| S0 / snr);
    let mut dwi = Volume::filled(scene.grid, gradients.len(), 0f32);
    let contents: Vec<([f64; 3], Parts)> = dwi
        .values_mut()
        .par_chunks_mut(gradients.len())
        .enumerate()
        .map(|(voxel, out)| {
            let mut signal = vec![0.0; gradients.len()];
            let content = look(scene, gradients, options.cells, voxel, &mut signal);
            add_noise(noise_level, options.seed, voxel, &mut signal);
            for (out, s) in out.iter_mut().zip(signal) {
                *out = s as f32;
            }
            content
        })
        .collect();
    let mut fractions = Volume::filled(scene.grid, 3, 0f32);
    let mut peaks = Volume::filled(scene.grid, 3 * PEAKS, 0f32);
    for (voxel, (shares, parts)) in contents.into_iter().enumerate() {
        fractions.voxel_mut(voxel).copy_from_slice(&shares.map(|share| share as f32));
        for (n, part) in parts.largest_first().iter().take(PEAKS).enumerate() {
            peaks.voxel_mut(voxel)[3 * n..3 * n + 3].copy_from_slice(&part.peak());
        }
    }
    Ok(Measurement { dwi, fractions, peaks, noise_level })
}

/// Returns the fractions of the tissues in a voxel, and the part of each bundle in the voxel. Adds the signal
/// of the voxel to `signal`.
fn look(
    scene: &Scene,
    gradients: &GradientTable,
    cells: usize,
    voxel: usize,
    signal: &mut [f64],
) -> ([f64; 3], Parts) {
    const TISSUE: FibreTissue = FibreTissue::STANDARD;
    let centre = Vector3::from(scene.grid.centre(voxel));
    let size = Vector3::from(scene.grid.voxel_sizes());
    let near: Vec<usize> = (0..scene.courses.len())
        .filter(|&n| Scene::is_true(&scene.courses[n]) && scene.courses[n].tube.is_near(centre, size.norm()))
        .collect();
    let share = 1.0 / cells.pow(3) as f64;
    let offset = |n: usize| (n as f64 + 0.5) / cells as f64 - 0.5;
    let (mut fractions, mut parts, mut inside) = ([0.0; 3], Parts::default(), Vec::new());
    for cell in 0..cells.pow(3) {
        let place = [cell % cells, cell / cells % cells, cell / cells.pow(2)].map(offset);
        let point = centre + size.component_mul(&Vector3::from(place));
        inside.clear();
        inside.extend(near.iter().filter_map(|&n| {
            let course = &scene.courses[n];
            let at = course.tube.locate(point).filter(|at| at.is_inside(0.0))?;
            Some((n, course.tube.direction(&at), course.axons / at.cross_section()))
        }));
        let axons: f64 = inside.iter().map(|(.., fraction)| fraction).sum();
        // The space around the axons is divided among the bundles in proportion to the volumes of their
        // axons.
        let around = if inside.is_empty() { 0.0 } else { (1.0 - axons) * (1.0 - TISSUE.water_share) };
        let elsewhere = 1.0 - axons - around;
        for (sum, part) in fractions.iter_mut().zip([axons, around, elsewhere]) {
            *sum += share * part;
        }
        for &(n, along, fraction) in &inside {
            parts.add(n, share * fraction, along);
        }
        let free = if inside.is_empty() { TISSUE.surroundings } else { TISSUE.water };
        for ((sum, &b), g) in signal.iter_mut().zip(gradients.b_values()).zip(gradients.directions()) {
            let mut attenuation = elsewhere * (-b * free).exp();
            for (_, along, fraction) in &inside {
                let square = along.dot(&Vector3::from(*g)).powi(2);
                let across = TISSUE.perpendicular + (TISSUE.parallel - TISSUE.perpendicular) * square;
                attenuation += fraction * (-b * TISSUE.parallel * square).exp();
                attenuation += around * fraction / axons * (-b * across).exp();
            }
            *sum += share * S0 * attenuation;
        }
    }
    (fractions, parts)
}

#[cfg(test)]
mod tests {
    use super::super::layouts::scene;
    use super::super::{FibreLayout, FibrePhantomOptions};
    use super::*;
    use crate::gradients::multi_shell_gradients;

    fn measured(layout: FibreLayout) -> (Scene, Measurement) {
        let gradients = multi_shell_gradients(&[(6, 1000.0)], 1).unwrap();
        let options = FibrePhantomOptions { snr: None, ..FibrePhantomOptions::default() };
        let scene = scene(layout).unwrap();
        let measurement = measure(&scene, &gradients, &options).unwrap();
        (scene, measurement)
    }

    #[test]
    fn fractions_add_up_and_axons_never_fill_a_voxel() {
        for layout in [FibreLayout::Planted, FibreLayout::FiberCup] {
            let (scene, measurement) = measured(layout);
            let mut maximum = 0f32;
            for voxel in 0..scene.grid.len() {
                let fractions = measurement.fractions.voxel(voxel);
                assert!((fractions.iter().sum::<f32>() - 1.0).abs() < 1e-6);
                assert!(fractions.iter().all(|&f| f >= 0.0));
                maximum = maximum.max(fractions[0]);
                // Without diffusion weighting, all tissues have the same signal. Volume fractions are
                // therefore equal to signal fractions.
                assert!((measurement.dwi.voxel(voxel)[0] - 1000.0).abs() < 1e-3);
            }
            assert!((0.55..0.95).contains(&maximum), "{layout:?}: {maximum}");
        }
    }

    #[test]
    fn axons_do_not_end_within_a_bundle() {
        // The test computes the volume of the axons of the arch-shaped bundle between two heights. It
        // compares this volume with that of axons with a constant cross-section. Other bundles are far away
        // at these heights, and the two limbs of the arch are nearly vertical.
        let (scene, measurement) = measured(FibreLayout::Planted);
        let arch = scene.courses.iter().find(|course| course.name == "arch").unwrap();
        for layer in [2, 7, 8] {
            let volume: f64 = (0..scene.grid.len())
                .filter(|&voxel| scene.grid.coordinates(voxel)[2] == layer)
                .filter(|&voxel| arch.tube.is_near(Vector3::from(scene.grid.centre(voxel)), 1.0))
                .map(|voxel| 8.0 * f64::from(measurement.fractions.voxel(voxel)[0]))
                .sum();
            // The volume consists of two limbs with a height of 2 mm and slopes of up to 12°. With cells of
            // 0.5 mm, a cross-section of 28 mm² has an error of at most 3 %.
            let expected = 2.0 * 2.0 * arch.axons;
            assert!((volume / expected - 1.0).abs() < 0.06, "layer {layer}: {volume} {expected}");
        }
    }

    #[test]
    fn voxels_inside_a_straight_bundle_agree_with_the_closed_form() {
        let (scene, measurement) = measured(FibreLayout::FiberCup);
        let voxel = scene.grid.voxel_at([84.0, 16.0, 4.5]).unwrap();
        let diagonal = scene.courses.iter().find(|course| course.name == "diagonal").unwrap();
        let at = diagonal.tube.locate(Vector3::from(scene.grid.centre(voxel))).unwrap();
        let along = diagonal.tube.direction(&at);
        let gradients = multi_shell_gradients(&[(6, 1000.0)], 1).unwrap();
        for (s, g) in measurement.dwi.voxel(voxel).iter().zip(gradients.directions()).skip(1) {
            let square = along.dot(&Vector3::from(*g)).powi(2);
            let expected = 300.0 * (-1.7 * square).exp()
                + 700.0 * 0.85 * (-0.51 - 1.19 * square).exp()
                + 700.0 * 0.15 * (-3.0f64).exp();
            // The tolerance allows for fibres whose direction changes by less than 2° within the voxel.
            assert!((f64::from(*s) - expected).abs() < 5.0, "{s} {expected}");
        }
        let peak = Vector3::from_column_slice(&measurement.peaks.voxel(voxel)[..3]).map(f64::from);
        assert!((peak.norm() - 0.3).abs() < 1e-3 && peak.normalize().dot(&along).abs() > 0.9998);
    }

    #[test]
    fn impossible_options_are_rejected() {
        let gradients = multi_shell_gradients(&[(6, 1000.0)], 1).unwrap();
        for snr in [0.0, -1.0, f64::NAN] {
            let options = FibrePhantomOptions { snr: Some(snr), ..FibrePhantomOptions::default() };
            assert!(measure(&scene(FibreLayout::Planted).unwrap(), &gradients, &options).is_err());
        }
        for cells in [0, 65] {
            let options = FibrePhantomOptions { cells, ..FibrePhantomOptions::default() };
            assert!(measure(&scene(FibreLayout::Planted).unwrap(), &gradients, &options).is_err());
        }
    }
}
