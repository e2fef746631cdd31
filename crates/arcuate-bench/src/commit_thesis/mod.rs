//! COMMIT at the size of a published problem: 64,309 voxels, 399,758 streamlines of 47,082,501 segments, 188,151
//! extra-axonal compartments, responses of nine cylinders, four zeppelins and two balls.

mod acquisition;
mod paths;
mod products;

use crate::{Options, Outcome};
use acquisition::responses;
use arcuate_compute::{Device, DeviceChoice, Purpose, Random};
use arcuate_core::{Affine, Grid};
use arcuate_evaluate::commit::{Axes, Responses, Segment, Segments};
use clap::{Args, ValueEnum};
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// How large a problem is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Size {
    pub(crate) voxels: usize,
    pub(crate) streamlines: usize,
    pub(crate) segments: usize,
    pub(crate) axes: usize,
}

impl Size {
    /// The published problem.
    pub(crate) const THESIS: Self =
        Self { voxels: 64_309, streamlines: 399_758, segments: 47_082_501, axes: 188_151 };
}

/// Where segments and axes point.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Directions {
    /// Along smooth paths that neighbouring voxels share, as tracking leaves them
    Tracked,
    /// The same lengths in the same voxels, each in a direction of its own
    Uniform,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "commit-thesis")]
pub(crate) struct ThesisOptions {
    /// Where segments point; both by default
    #[arg(long = "segments", value_enum)]
    segment_directions: Vec<Directions>,
    /// Samples of the acquisition; several after commas
    #[arg(long, value_delimiter = ',', default_value = "100,270")]
    samples: Vec<usize>,
    /// Largest error of a response in any direction
    #[arg(long, default_value_t = 1e-5)]
    response_tolerance: f64,
    /// A table of so many orientations instead of harmonics
    #[arg(long, default_value_t = 0)]
    orientations: usize,
    /// Iterations of the fit; 0 measures the products alone
    #[arg(long, default_value_t = 2136)]
    fit_iterations: usize,
    /// Compare the products with double precision on the processor
    #[arg(long)]
    check: bool,
    /// Compute in double precision
    #[arg(long)]
    double: bool,
    /// A part of the problem: one in so many voxels, streamlines, segments and axes
    #[arg(long, default_value_t = 1)]
    one_in: usize,
    /// So many streamlines, with as many segments each, in the same voxels; several after commas
    #[arg(long = "tractogram", value_name = "STREAMLINES", value_delimiter = ',')]
    tractograms: Vec<usize>,
    /// Instead of the problem itself: so many segments in every voxel; several after commas. Voxels are as many as have
    /// the segments of the problem, but no more than it has
    #[arg(long, value_delimiter = ',')]
    load: Vec<usize>,
    /// auto, cpu, cuda:N or cuda:N,M
    #[arg(long, default_value = "auto")]
    on: DeviceChoice,
}

/// A synthetic problem, the same at any number of threads.
pub(crate) struct Problem {
    pub(crate) segments: Arc<Segments>,
    pub(crate) axes: Axes,
    pub(crate) responses: Responses,
}

impl Problem {
    /// A problem of this size whose acquisition has `samples` samples.
    pub(crate) fn new(size: &Size, samples: usize, directions: Directions) -> Outcome<Self> {
        let responses = responses(samples)?;
        let segments = paths::segments(size, directions)?;
        let axes = axes(&segments, size.axes, directions)?;
        Ok(Self { segments: Arc::new(segments), axes, responses })
    }

    /// Voxels with `load` segments each, of directions and streamlines without pattern.
    fn even(size: &Size, samples: usize, load: usize) -> Outcome<Self> {
        let voxels = size.voxels.min(size.segments / load.max(1)).max(1);
        let streamlines = size.streamlines.max(load);
        let pieces = (0..voxels)
            .into_par_iter()
            .flat_map_iter(|voxel| {
                let mut random = Random::new(2, Purpose::Phantom, voxel as u64);
                // Ascending from anywhere, as far apart as they can be.
                let first = random.uniform() * (streamlines / load.max(1)) as f64;
                (0..load).map(move |n| Segment {
                    piece: random.on_sphere().map(|c| c as f32),
                    streamline: (first + (n * streamlines) as f64 / load as f64) as u32,
                })
            })
            .collect();
        let grid = Grid::new([voxels, 1, 1], Affine::identity())?;
        let starts = (0..=voxels).map(|voxel| voxel * load).collect();
        let segments = Segments::new(grid, streamlines, (0..voxels as u32).collect(), starts, pieces)?;
        let axes = axes(&segments, size.axes * voxels / size.voxels, Directions::Uniform)?;
        Ok(Self { segments: Arc::new(segments), axes, responses: responses(samples)? })
    }

    /// The numbers of segments in voxels, ascending.
    pub(crate) fn loads(&self) -> Vec<usize> {
        let mut loads: Vec<usize> =
            (0..self.segments.voxels().len()).map(|n| self.segments.of_voxel(n).len()).collect();
        loads.sort_unstable();
        loads
    }
}

/// About the same number of axes in each voxel, from half to one and a half times the mean, and `count` in all. Tracked
/// ones are directions of segments of the voxel, as peaks would be.
fn axes(segments: &Segments, count: usize, directions: Directions) -> Outcome<Axes> {
    let voxels = segments.voxels().len();
    let random = |n: usize| Random::new(1, Purpose::Resampling, n as u64);
    let starts = paths::shares(count, (0..voxels).map(|n| 0.5 + random(n).uniform()));
    let axes = (0..voxels)
        .into_par_iter()
        .flat_map_iter(|n| {
            let (wanted, here, mut random) = (starts[n + 1] - starts[n], segments.of_voxel(n), random(n));
            (0..wanted).map(move |m| match here.get(here.len() * m / wanted) {
                Some(segment) if directions == Directions::Tracked => unit(segment),
                _ => random.on_sphere().map(|c| c as f32),
            })
        })
        .collect();
    Ok(Axes::new(starts, axes)?)
}

fn unit(segment: &Segment) -> [f32; 3] {
    let piece = segment.piece.map(f64::from);
    let length = piece.iter().map(|c| c * c).sum::<f64>().sqrt();
    piece.map(|c| (c / length) as f32)
}

pub(crate) fn run(options: &Options) -> Outcome {
    let options = &options.commit_thesis;
    let device = options.on.open(None)?;
    let part = |count: usize| count / options.one_in.max(1);
    let size = Size {
        voxels: part(Size::THESIS.voxels),
        streamlines: part(Size::THESIS.streamlines),
        segments: part(Size::THESIS.segments),
        axes: part(Size::THESIS.axes),
    };
    let longer = |&streamlines: &usize| Size {
        streamlines,
        segments: (size.segments as f64 * streamlines as f64 / size.streamlines as f64) as usize,
        ..size
    };
    let mut sizes: Vec<Size> = options.tractograms.iter().map(longer).collect();
    if sizes.is_empty() {
        sizes.push(size);
    }
    let both = [Directions::Tracked, Directions::Uniform];
    let chosen = if options.segment_directions.is_empty() { &both[..] } else { &options.segment_directions };
    for &samples in &options.samples {
        if options.load.is_empty() {
            for (&directions, size) in chosen.iter().flat_map(|d| sizes.iter().map(move |size| (d, size))) {
                let started = Instant::now();
                let problem = Problem::new(size, samples, directions)?;
                measure(options, &format!("{directions:?}"), &problem, started, &device)?;
            }
        }
        for &load in &options.load {
            let started = Instant::now();
            let problem = Problem::even(&size, samples, load)?;
            measure(options, &format!("{load} a voxel"), &problem, started, &device)?;
        }
    }
    Ok(())
}

/// Says what the problem is, which was begun at `started`, and times it.
fn measure(
    options: &ThesisOptions,
    name: &str,
    problem: &Problem,
    started: Instant,
    device: &Device,
) -> Outcome {
    let loads = problem.loads();
    let quantile = |part: f64| loads[((loads.len() - 1) as f64 * part) as usize];
    println!(
        "commit-thesis, {name}: {} samples, {} voxels, {} streamlines, {} segments, {} axes, {} + {} + {} responses, made \
         in {:.1} s",
        problem.responses.samples(),
        loads.len(),
        problem.segments.streamlines(),
        problem.segments.len(),
        problem.axes.len(),
        problem.responses.intra(),
        problem.responses.extra(),
        problem.responses.isotropic(),
        started.elapsed().as_secs_f64()
    );
    println!(
        "  segments a voxel: least {}, a tenth up to {}, median {}, mean {}, a tenth from {}, a hundredth from {}, most {}",
        quantile(0.0),
        quantile(0.1),
        quantile(0.5),
        problem.segments.len() / loads.len(),
        quantile(0.9),
        quantile(0.99),
        quantile(1.0)
    );
    if options.double {
        products::measure::<f64>(options, name, problem, device)
    } else {
        products::measure::<f32>(options, name, problem, device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Size = Size { voxels: 1500, streamlines: 9_000, segments: 1_000_003, axes: 4_400 };

    #[test]
    fn a_problem_has_exactly_the_wanted_sizes_and_any_run_gives_the_same() {
        for directions in [Directions::Tracked, Directions::Uniform] {
            let problem = Problem::new(&SMALL, 100, directions).unwrap();
            let [intra, extra, isotropic] =
                [problem.responses.intra(), problem.responses.extra(), problem.responses.isotropic()];
            assert_eq!((problem.responses.samples(), intra, extra, isotropic), (100, 9, 4, 2));
            let sizes = Size {
                voxels: problem.segments.voxels().len(),
                streamlines: problem.segments.streamlines(),
                segments: problem.segments.len(),
                axes: problem.axes.len(),
            };
            assert_eq!(sizes, SMALL);
            let single = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let again = single.install(|| Problem::new(&SMALL, 100, directions).unwrap());
            assert!(problem.segments == again.segments && problem.axes == again.axes);
        }
    }

    #[test]
    fn even_problems_have_the_wanted_load_everywhere() {
        let problem = Problem::even(&SMALL, 100, 700).unwrap();
        assert_eq!(problem.loads(), vec![700; SMALL.segments / 700]);
        // Few segments a voxel leave segments out, not in.
        assert_eq!(Problem::even(&SMALL, 100, 1).unwrap().loads(), vec![1; SMALL.voxels]);
    }

    #[test]
    fn tracked_voxels_are_loaded_unevenly_and_share_streamlines_with_their_neighbours() {
        let tracked = Problem::new(&SMALL, 100, Directions::Tracked).unwrap();
        let loads = tracked.loads();
        let median = loads[loads.len() / 2];
        assert!(loads[0] >= 5 && loads[loads.len() - 1] > 4 * median, "{} {median}", loads[0]);

        let members = |n: usize| -> Vec<u32> {
            let mut all: Vec<u32> =
                tracked.segments.of_voxel(n).iter().map(|segment| segment.streamline).collect();
            all.dedup();
            all
        };
        let (mut shared, mut total) = (0u32, 0);
        for n in 1..SMALL.voxels {
            if tracked.segments.voxels()[n] == tracked.segments.voxels()[n - 1] + 1 {
                let before = members(n - 1);
                let here = members(n);
                total += here.len();
                shared += here.iter().filter(|f| before.binary_search(f).is_ok()).count() as u32;
            }
        }
        // A streamline of random direction leaves a voxel through one of the two faces along x in a third of all cases:
        // about a third of those of a voxel are in the one before it.
        let part = f64::from(shared) / total as f64;
        assert!(part > 0.2, "{part}");
    }

    #[test]
    fn both_kinds_have_the_same_lengths_in_the_same_voxels_and_uniform_ones_no_direction() {
        let [tracked, uniform] = [Directions::Tracked, Directions::Uniform]
            .map(|directions| Problem::new(&SMALL, 100, directions).unwrap());
        let length = |s: &Segment| s.piece.iter().map(|c| c * c).sum::<f32>().sqrt();
        let mut squares = [0.0f64; 3];
        for n in 0..SMALL.voxels {
            let pairs = tracked.segments.of_voxel(n).iter().zip(uniform.segments.of_voxel(n));
            for (a, b) in pairs {
                assert_eq!(a.streamline, b.streamline);
                // Two roundings to f32 of lengths of a millimetre or so.
                assert!((length(a) - length(b)).abs() < 1e-6);
                let direction = unit(b);
                squares = std::array::from_fn(|axis| squares[axis] + f64::from(direction[axis]).powi(2));
            }
        }
        // A third each; of a million independent directions the mean errs by 0.3 / 1,000.
        for sum in squares {
            assert!((sum / SMALL.segments as f64 - 1.0 / 3.0).abs() < 0.002, "{sum}");
        }
    }
}
