//! Times probabilistic tracking at the size of a published measurement with 27 tracts. Each tract has seeds,
//! waypoints, exclusion regions and stop regions in a standard space. A warp connects this space with the
//! space of the brain.

mod brain;
pub(crate) mod dense;
pub(crate) mod distributions;
mod files;
mod standard;

use crate::measure::median;
use crate::options::{Options, TractBenchOptions};
use crate::outcome::Outcome;
use arcuate_compute::DeviceStreamlineSink;
use arcuate_connect::{ConnectionCounter, ConnectomeOptions};
use arcuate_core::{Affine, Control, Grid, Labels, Mask, saturating};
use arcuate_track::{
    Constraints, Jitter, OrientationTable, SampleOptions, SampleOutputs, SampleTracker, Seeds, TrackSummary,
    VisitMap,
};
use brain::{Brain, Bundle, SAMPLES, in_brain};
use rayon::prelude::*;
use standard::Standard;
use std::sync::Arc;
use std::time::Instant;

/// The tracking options of a measurement.
#[derive(Debug, Clone, Copy)]
struct Case {
    samples: f64,
    in_flight: u32,
    streams: u32,
}

impl TractBenchOptions {
    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for &samples in &self.tract_samples {
            for &in_flight in &self.tract_in_flight {
                for &streams in &self.tract_streams {
                    cases.push(Case { samples, in_flight, streams: streams.max(1) });
                }
            }
        }
        cases
    }
}

/// A tract to track, with its orientation samples, seeds and regions.
struct Task<'a> {
    tracker: &'a SampleTracker<'a>,
    standard: &'a Standard,
    bundle: &'a Bundle,
    mask: &'a Mask,
    regions: &'a Constraints,
    /// Regions between which the streamlines are counted. `None` if no connectome is requested.
    labels: Option<&'a Labels>,
}

impl Task<'_> {
    /// Returns the seeds of the tract, with `each` streamlines per seed voxel.
    fn seeds(&self, each: u32) -> Seeds {
        let (mask, mapping) = (self.mask.clone(), Some(Arc::clone(&self.standard.back)));
        Seeds::Voxels { mask, mapping, each, jitter: Jitter::BallMm(0.5) }
    }

    /// Tracks the streamlines of the tract. Returns the summary of the run, and the map of the number of
    /// streamlines per voxel.
    fn follow(&self, seeds: &Seeds, seed: u64) -> Outcome<(TrackSummary, Option<VisitMap>)> {
        let standard = self.standard;
        let options = SampleOptions { seed, ..SampleOptions::probtrackx2() };
        let map = Some((standard.grid, Some(Arc::clone(&standard.there))));
        let connectome = ConnectomeOptions::default();
        let mut counter =
            self.labels.map(|labels| ConnectionCounter::new(labels, &connectome)).transpose()?;
        let device_sink = counter.as_mut().map(|counter| counter as &mut dyn DeviceStreamlineSink);
        let outputs = SampleOutputs { map, device_sink, ..SampleOutputs::default() };
        let tracks = self.tracker.track(seeds, self.regions, &options, outputs, &Control::default())?;
        Ok((tracks.summary, tracks.map))
    }

    /// Tracks the tract in all GPU streams of a case at the same time. Each stream tracks from the same seeds
    /// with other random numbers. Returns the sum of their summaries.
    fn all(&self, case: Case, seeds: &Seeds) -> Outcome<TrackSummary> {
        let parts: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..case.streams)
                .map(|stream| {
                    scope.spawn(move || self.follow(seeds, u64::from(stream)).map_err(|e| e.to_string()))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("a thread that follows")).collect()
        });
        let mut all = TrackSummary::default();
        for part in parts {
            all.merge(&part?.0);
        }
        Ok(all)
    }

    fn each(&self, case: Case) -> u32 {
        saturating::<u32>((f64::from(self.bundle.tract.samples) * case.samples).round()).max(1)
    }

    /// Tracks the tract `reruns` times with different random numbers. Returns the number of pairs of visit
    /// maps, and the lowest correlation among these pairs.
    fn reruns(&self, case: Case, reruns: u64) -> Outcome<(usize, f64)> {
        let seeds = self.seeds(self.each(case));
        let maps = (0..reruns).map(|n| Ok(self.follow(&seeds, 100 + n)?.1)).collect::<Outcome<Vec<_>>>()?;
        let maps: Vec<&[u32]> = maps.iter().flatten().map(VisitMap::counts).collect();
        let pairs = (0..maps.len()).flat_map(|n| (0..n).map(move |m| [n, m])).collect::<Vec<_>>();
        let worst = pairs.par_iter().map(|[n, m]| correlation(maps[*n], maps[*m])).reduce(|| 1.0, f64::min);
        Ok((pairs.len(), worst))
    }
}

/// The summary and the time in seconds of one case, summed over all tracts.
#[derive(Debug, Clone, Default)]
struct Total {
    summary: TrackSummary,
    seconds: f64,
}

pub(crate) fn run(options: &Options) -> Outcome {
    let wanted = &options.tracts;
    let device = wanted.tracts_on.open(wanted.tract_memory)?;
    let started = Instant::now();
    let grid = Grid::new([102, 132, 94], Affine::scaling([1.35; 3], [-68.2, -88.4, -62.8]))?;
    let mask = Mask::new(grid, (0..grid.len()).map(|voxel| in_brain(grid.centre(voxel))).collect())?;
    let brain = Brain { mask, bundles: Bundle::all() };
    let standard = Standard::new(&grid)?;
    if let Some(folder) = &wanted.tracts_into {
        files::write(&brain, &standard, folder)?;
        println!("written to {} in {:.1} s", folder.display(), started.elapsed().as_secs_f64());
        return Ok(());
    }
    let table = OrientationTable::new(&brain)?;
    let labels = if wanted.tract_connections { Some(standard::parcellation(&grid)?) } else { None };
    println!(
        "tracking on {device}: {} voxels of 1.35 mm, 3 fibres × {SAMPLES} samples, {:.2} GB; made in {:.1} s",
        brain.mask.count(),
        1e-9 * table.bytes() as f64,
        started.elapsed().as_secs_f64()
    );
    let started = Instant::now();
    let mut tracker = SampleTracker::new(&table, &device)?;
    println!("  brought to the device in {:.3} s", started.elapsed().as_secs_f64());
    println!("  tract  in flight streams    streamlines   accepted  steps each  seconds  M steps/s");
    let cases = wanted.cases();
    let mut totals = vec![Total::default(); cases.len()];
    for bundle in &brain.bundles {
        if !wanted.tracts.is_empty() && !wanted.tracts.contains(&bundle.name) {
            continue;
        }
        let (mask, regions) = (standard.seeds(bundle)?, standard.regions(bundle)?);
        for (&case, total) in cases.iter().zip(&mut totals) {
            tracker.limit_in_flight((case.in_flight > 0).then_some(case.in_flight));
            let task = Task {
                tracker: &tracker,
                standard: &standard,
                bundle,
                mask: &mask,
                regions: &regions,
                labels: labels.as_ref(),
            };
            let seeds = task.seeds(task.each(case).div_ceil(case.streams));
            let mut seconds = Vec::new();
            let mut summary = TrackSummary::default();
            for _ in 0..options.turns {
                let started = Instant::now();
                summary = task.all(case, &seeds)?;
                seconds.push(started.elapsed().as_secs_f64());
            }
            let seconds = median(&seconds);
            total.summary.merge(&summary);
            total.seconds += seconds;
            show(&bundle.name, case, &Total { summary, seconds });
            if wanted.tract_reruns > 1 {
                let (pairs, worst) = task.reruns(case, wanted.tract_reruns)?;
                println!("         least correlation of {pairs} pairs of maps {worst:.5}");
            }
        }
    }
    for (&case, total) in cases.iter().zip(&totals) {
        show("all", case, total);
    }
    Ok(())
}

fn show(name: &str, case: Case, Total { summary, seconds }: &Total) {
    println!(
        "  {name:<6} {:>9} {:>7} {:>14} {:>9.2} % {:>11.1} {seconds:>8.3} {:>10.0}",
        if case.in_flight == 0 { "all".to_owned() } else { case.in_flight.to_string() },
        case.streams,
        summary.seeds,
        100.0 * summary.acceptance(),
        summary.steps_taken as f64 / summary.seeds.max(1) as f64,
        1e-6 * summary.steps_taken as f64 / seconds
    );
}

fn correlation(one: &[u32], other: &[u32]) -> f64 {
    // The correlation of two visit maps ignores voxels that are zero in both maps.
    let pairs =
        || one.iter().zip(other).filter(|(a, b)| **a > 0 || **b > 0).map(|(&a, &b)| [a, b].map(f64::from));
    let count = pairs().count() as f64;
    let mean = |side: usize| pairs().map(|pair| pair[side]).sum::<f64>() / count;
    let means = [mean(0), mean(1)];
    let product = |a: usize, b: usize| pairs().map(|p| (p[a] - means[a]) * (p[b] - means[b])).sum::<f64>();
    product(0, 1) / (product(0, 0) * product(1, 1)).sqrt()
}
