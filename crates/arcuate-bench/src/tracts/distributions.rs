//! Times the tracking of a million streamlines as arcs (as in iFOD2) through the fibre orientation
//! distributions (FODs) of a whole brain.

use super::brain::{Brain, Bundle, in_brain};
use crate::measure::median;
use crate::options::{FodBenchOptions, Options};
use crate::outcome::Outcome;
use arcuate_compute::Device;
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{
    Affine, Control, FiveTissues, Grid, Mask, Result, StreamlineBatch, StreamlineSink, Tractogram, Volume,
};
use arcuate_io::read_volume;
use arcuate_track::{Anatomy, Constraints, FodImage, FodOptions, FodTracks, Seeds, track_fod};
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

const ORDER: usize = 8;
/// Decay of the spherical harmonic coefficients of an FOD lobe with the degree l: exp(−l(l + 1)·SMOOTH). The
/// dispersion of the fibres makes the decay stronger.
const SMOOTH: f64 = 0.02;
/// The number of streamlines that are also tracked on the CPU, to compare the results.
const COMPARED: u64 = 2_000;

/// A receiver of streamlines that only counts their points.
#[derive(Default)]
struct Points(u64);

impl StreamlineSink for Points {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.0 += batch.offsets[batch.offsets.len() - 1] - batch.offsets[0];
        Ok(())
    }
}

pub(crate) fn run(options: &Options) -> Outcome {
    let FodBenchOptions { track_fod_on, track_fod_memory, track_fod_image, track_fod_select } =
        &options.track_fod;
    let device = track_fod_on.open(*track_fod_memory)?;
    let started = Instant::now();
    let coefficients = track_fod_image.as_deref().map_or_else(simulate, |file| Ok(read_volume(file)?))?;
    let image = FodImage::new(&coefficients, None)?;
    drop(coefficients);
    let wanted = FodOptions { select: Some(*track_fod_select), seed: 1, ..FodOptions::default() };
    let seeds = image.mask_of_amplitude(wanted.min_amplitude as f32)?;
    println!(
        "arcs on {device}: {} voxels of degree {}, steps of {} mm; made or read in {:.1} s",
        image.voxels(),
        image.degree(),
        wanted.step_on(image.grid()),
        started.elapsed().as_secs_f64()
    );
    let mut problem =
        Problem { image, seeds, constraints: Constraints::default(), wanted, device, turns: options.turns };
    problem.measure("through distributions")?;
    if track_fod_image.is_none() {
        let once = Anatomy::new(tissues()?);
        problem.constraints.anatomy = Some(once.clone());
        problem.measure("heeding tissues")?;
        problem.constraints.anatomy = Some(Anatomy { back_track: true, ..once });
        problem.measure("the same, with back-tracking")?;
    }
    Ok(())
}

/// The FOD image, the seeds, the constraints and the options of the benchmark.
struct Problem {
    image: FodImage,
    seeds: Mask,
    constraints: Constraints,
    wanted: FodOptions,
    device: Device,
    turns: usize,
}

impl Problem {
    fn follow(
        &self,
        options: &FodOptions,
        device: &Device,
        sink: &mut dyn StreamlineSink,
    ) -> Result<FodTracks> {
        let seeds = Seeds::random_until(self.seeds.clone(), options.select.unwrap_or(1));
        track_fod(&self.image, &seeds, &self.constraints, options, device, sink, &Control::default())
    }

    /// Times the tracking in all turns except the first. Checks that the first streamlines are bit-identical
    /// to those of the CPU.
    fn measure(&self, title: &str) -> Outcome {
        let mut times = Vec::new();
        for turn in 0..=self.turns {
            let mut points = Points::default();
            let started = Instant::now();
            let FodTracks { summary, device_name } = self.follow(&self.wanted, &self.device, &mut points)?;
            let seconds = started.elapsed().as_secs_f64();
            if turn > 0 {
                times.push(seconds);
                continue;
            }
            println!(
                "  {title}: {} of {} seeds, {:.1} points each, {} steps in all, by {device_name}; first turn {seconds:.3} s",
                summary.streamlines,
                summary.seeds,
                points.0 as f64 / summary.streamlines.max(1) as f64,
                summary.steps_taken
            );
            println!("  {:.1} M steps/s in it", 1e-6 * summary.steps_taken as f64 / seconds);
        }
        if !times.is_empty() {
            println!("  median {:.3} s", median(&times));
        }
        if self.device == Device::Cpu {
            return Ok(());
        }
        let few = FodOptions {
            select: self.wanted.select.map(|select| select.min(COMPARED)),
            ..self.wanted.clone()
        };
        let on = |device: &Device| -> Outcome<(Tractogram, FodTracks)> {
            let mut found = Tractogram::new();
            let tracks = self.follow(&few, device, &mut found)?;
            Ok((found, tracks))
        };
        let (here, there) = (on(&Device::Cpu)?, on(&self.device)?);
        let bits = |tracks: &Tractogram| -> Vec<u32> {
            tracks.positions().iter().flatten().map(|c| c.to_bits()).collect()
        };
        let is_same = here.1.summary == there.1.summary
            && here.0.offsets() == there.0.offsets()
            && bits(&here.0) == bits(&there.0);
        println!(
            "  the first {} streamlines have {} bits on the processor\n",
            here.0.len(),
            if is_same { "the same" } else { "OTHER" }
        );
        if is_same { Ok(()) } else { Err("the processor and the GPU differ".into()) }
    }
}

fn lattice() -> Result<Grid> {
    Grid::new([70, 90, 64], Affine::scaling([2.0; 3], [-69.0, -89.0, -63.0]))
}

/// Creates a five-tissue image of the simulated brain: white matter surrounded by cortex, with a grey matter
/// nucleus on each side and CSF between the nuclei.
fn tissues() -> Result<Arc<FiveTissues>> {
    let grid = lattice()?;
    let mut image = Volume::filled(grid, 5, 0.0f32);
    for voxel in 0..grid.len() {
        let p = grid.centre(voxel);
        let within =
            |at: [f64; 3], radius: f64| (0..3).map(|n| (p[n] - at[n]).powi(2)).sum::<f64>() < radius * radius;
        if !in_brain(p) {
            continue;
        }
        let tissue = if within([0.0, -5.0, 5.0], 7.0) {
            3
        } else if within([-18.0, -5.0, 5.0], 9.0) || within([18.0, -5.0, 5.0], 9.0) {
            1
        } else if in_brain(p.map(|c| c / 0.92)) {
            2
        } else {
            0
        };
        image.voxel_mut(voxel)[tissue] = 1.0;
    }
    Ok(Arc::new(FiveTissues::new(image)?))
}

/// Simulates FODs in voxels of 2 mm. Each fibre in a voxel becomes one lobe of the FOD.
fn simulate() -> Outcome<Volume<f32>> {
    let grid = lattice()?;
    let mask = Mask::new(grid, (0..grid.len()).map(|voxel| in_brain(grid.centre(voxel))).collect())?;
    let brain = Brain { mask, bundles: Bundle::all() };
    let harmonics = EvenHarmonics::new(ORDER);
    let (order, degrees) = (harmonics.mrtrix_order(), harmonics.degrees());
    let mut volume = Volume::filled(grid, harmonics.count(), 0.0f32);
    let rows = volume.values_mut().par_chunks_exact_mut(harmonics.count()).enumerate();
    rows.filter(|(voxel, _)| brain.mask.contains(*voxel)).for_each(|(voxel, row)| {
        for (direction, fraction, spread) in brain.mean_fibres(grid.centre(voxel)) {
            let length = direction.iter().map(|c| c * c).sum::<f64>().sqrt();
            let values = harmonics.evaluate(direction.map(|c| c / length));
            for (out, &(at, factor)) in row.iter_mut().zip(&order) {
                let l = (degrees[at] * (degrees[at] + 1)) as f64;
                // The fibres are dispersed along both directions perpendicular to their mean. This has the
                // effect of a heat kernel on the sphere with half the variance.
                *out +=
                    (fraction * (-(SMOOTH + 0.5 * spread * spread) * l).exp() * factor * values[at]) as f32;
            }
        }
    });
    Ok(volume)
}
