//! Times COMMIT on a synthetic problem with the size of a published one. The problem has 64,309 voxels,
//! 399,758 streamlines with 47,082,501 segments, and 188,151 extra-axonal compartments. The response
//! functions are those of nine cylinders, four zeppelins and two balls.

mod acquisition;
mod paths;
mod problem;
mod products;
mod size;

use crate::options::{Directions, Options, ThesisOptions};
use crate::outcome::Outcome;
use arcuate_compute::Device;
use arcuate_core::statistics;
use problem::Problem;
use size::Size;
use std::time::Instant;

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

/// Prints the size of the COMMIT problem, and times its matrix products and fits. `started` is the time at
/// which the program began to create the problem.
fn measure(
    options: &ThesisOptions,
    name: &str,
    problem: &Problem,
    started: Instant,
    device: &Device,
) -> Outcome {
    let loads = problem.loads();
    let quantile = |part| statistics::lower_quantile_of_sorted(&loads, part).unwrap_or(0);
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
    use super::problem::unit;
    use super::*;
    use arcuate_evaluate::commit::Segment;

    const SMALL: Size = Size { voxels: 500, streamlines: 3_000, segments: 333_331, axes: 1_466 };

    #[test]
    fn problems_have_the_requested_sizes_and_are_reproducible() {
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
    fn even_problems_have_the_requested_load_in_every_voxel() {
        let problem = Problem::even(&SMALL, 100, 700).unwrap();
        assert_eq!(problem.loads(), vec![700; SMALL.segments / 700]);
        // With a load of 1, each voxel has one segment. The other segments of the problem are omitted, and
        // the number of voxels stays the same.
        assert_eq!(Problem::even(&SMALL, 100, 1).unwrap().loads(), vec![1; SMALL.voxels]);
    }

    #[test]
    fn tracked_problems_have_uneven_loads_and_neighbours_share_streamlines() {
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
        // About a third of a voxel's streamlines also pass the previous voxel, which is its neighbour along
        // x. The reason: a streamline of random direction leaves a voxel through one of the two faces along x
        // in a third of all cases.
        let part = f64::from(shared) / total as f64;
        assert!(part > 0.2, "{part}");
    }

    #[test]
    fn tracked_and_uniform_problems_have_equal_lengths_and_voxels() {
        let [tracked, uniform] = [Directions::Tracked, Directions::Uniform]
            .map(|directions| Problem::new(&SMALL, 100, directions).unwrap());
        let length = |s: &Segment| s.piece.iter().map(|c| c * c).sum::<f32>().sqrt();
        let mut squares = [0.0f64; 3];
        for n in 0..SMALL.voxels {
            let pairs = tracked.segments.of_voxel(n).iter().zip(uniform.segments.of_voxel(n));
            for (a, b) in pairs {
                assert_eq!(a.streamline, b.streamline);
                // The tolerance allows for two roundings to single precision (f32) of segment lengths of
                // about 1 mm.
                assert!((length(a) - length(b)).abs() < 1e-6);
                let direction = unit(b);
                squares = std::array::from_fn(|axis| squares[axis] + f64::from(direction[axis]).powi(2));
            }
        }
        // For random directions on the sphere, the mean of each squared component is 1/3. With a million
        // independent directions, the standard error of this mean is 0.0003.
        for sum in squares {
            assert!((sum / SMALL.segments as f64 - 1.0 / 3.0).abs() < 0.002, "{sum}");
        }
    }
}
