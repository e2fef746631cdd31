//! Estimates the single-fibre response in several iterations. Each iteration finds the voxels with a single
//! fibre, by deconvolution with the response of the preceding iteration.

use super::selection::mask_of;
use super::zonal::response_of_bundles;
use crate::peaks::{Peak, PeakFinder};
use crate::response::Response;
use crate::single_shell::{SingleShell, SingleShellOptions};
use crate::voxels::check;
use arcuate_core::{Control, Error, GradientTable, Mask, Result, Volume};
use rayon::prelude::*;

/// Options of [`tournier_response`]. The defaults are those of MRtrix's `dwi2response tournier`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TournierOptions {
    /// Number of voxels from which the response is estimated.
    pub voxels: usize,
    /// Number of voxels in which the next iteration searches for single fibres. They are the best
    /// single-fibre voxels of this iteration. Their neighbours are searched, too.
    pub search: usize,
    /// Number of times that the set of the best single-fibre voxels is dilated: each dilation adds the voxels
    /// that share a face with it.
    pub dilation: usize,
    /// Maximum number of iterations.
    pub iterations: usize,
    /// The highest degree l of the response.
    pub order: usize,
}

impl Default for TournierOptions {
    fn default() -> Self {
        Self { voxels: 300, search: 3000, dilation: 1, iterations: 10, order: 10 }
    }
}

/// The single-fibre response, and the voxels from which it was estimated.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SingleFibreResponse {
    /// The response of the shell with the largest b-value, as one row of coefficients.
    pub response: Response,
    /// The voxels from which the response was estimated.
    pub voxels: Mask,
    /// Fibre direction of each voxel from which the response was estimated, in the order of
    /// [`Mask::indices`]. Directions are unit vectors in scanner axes.
    pub directions: Vec<[f64; 3]>,
    /// Number of iterations that were run.
    pub iterations: usize,
    /// True if the last two iterations selected the same voxels.
    pub converged: bool,
}

/// Zonal coefficients of the initial response, which has the shape of a flat disc. The orientation
/// distributions of the first iteration have the order of this response. If the order of the estimated
/// response is lower, they have that order.
const FIRST_RESPONSE: [f64; 3] = [1.0, -1.0, 1.0];

/// Estimates the response of the shell with the largest b-value by iterations (Tournier, Calamante and
/// Connelly 2013, doi:10.1002/nbm.3017). Each iteration deconvolves voxels with the current response. The
/// next response is estimated from the voxels with the largest score √p₁ · (1 − p₂/p₁)². The amplitudes of
/// the two largest peaks are p₁ and p₂. The iterations end when two iterations in sequence select the same
/// voxels. `directions` are the directions of the non-negativity constraint, as in [`SingleShell::new`].
///
/// # Errors
/// Returns an error if the series, the gradient table and the mask do not match, or if the shell does not
/// have enough directions. Also returns an error if the mask has too few voxels, if no voxel has a peak, or
/// if `control` cancels the run.
pub fn tournier_response(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    directions: &[[f64; 3]],
    options: &TournierOptions,
    control: &Control,
) -> Result<SingleFibreResponse> {
    check(gradients.len(), dwi, mask)?;
    if options.voxels == 0 || options.iterations == 0 {
        return Err(Error::usage(
            "single-fibre voxels",
            "the number is 0",
            "give 1 or more voxels, and 1 or more iterations",
        ));
    }
    let inside = mask.count();
    if inside < options.voxels {
        let problem =
            format!("the mask has {inside} voxels, but {} are needed for the response", options.voxels);
        return Err(Error::invalid(
            "mask",
            problem,
            "give a larger mask, or use fewer voxels for the \
                                                    response",
        ));
    }
    let shell =
        gradients.measurements_by_shell().pop().map_or_else(Vec::new, |(_, measurements)| measurements);
    let shell_gradients = gradients.of_measurements(&shell);
    let shell_dwi = dwi.channels_at(&shell);
    let degrees = FIRST_RESPONSE.len().min(options.order / 2 + 1);
    let mut response = Response::new(vec![FIRST_RESPONSE[..degrees].to_vec()])?;
    let mut search = mask.indices();
    let mut chosen: Vec<(usize, [f64; 3])> = Vec::new();
    let (mut iteration, mut converged) = (0, false);
    while !converged && iteration < options.iterations {
        control.progress(iteration as u64, options.iterations as u64)?;
        let solver =
            SingleShell::new(&shell_gradients, &response, directions, &SingleShellOptions::default())?;
        let ranked = ranked_voxels(&shell_dwi, &search, &solver, control)?;
        if ranked.is_empty() {
            let problem = "no voxel of the mask has a peak";
            return Err(Error::invalid(
                "diffusion series",
                problem,
                "check the series and its gradient table",
            ));
        }
        let found = &ranked[..options.voxels.min(ranked.len())];
        let (voxels, fibres): (Vec<usize>, Vec<[f64; 3]>) =
            found.iter().map(|single| (single.voxel, single.direction)).unzip();
        response = response_of_bundles(&shell_dwi, &shell_gradients, &voxels, &fibres, options.order)?;
        let mut now: Vec<_> = voxels.into_iter().zip(fibres).collect();
        now.sort_unstable_by_key(|(voxel, _)| *voxel);
        converged = now.len() == chosen.len() && now.iter().zip(&chosen).all(|((a, _), (b, _))| a == b);
        (chosen, iteration) = (now, iteration + 1);
        search =
            around(&ranked[..options.search.max(options.voxels).min(ranked.len())], mask, options.dilation);
    }
    let (voxels, directions): (Vec<usize>, _) = chosen.into_iter().unzip();
    let voxels = mask_of(dwi.grid(), &voxels)?;
    Ok(SingleFibreResponse { response, voxels, directions, iterations: iteration, converged })
}

/// A voxel, and the largest peak of its fibre orientation distribution.
struct SingleFibre {
    voxel: usize,
    direction: [f64; 3],
    likeness: f64,
}

/// Returns the single-fibre score √p₁ · (1 − p₂/p₁)² of a voxel, where p₁ and p₂ are the amplitudes of its
/// two largest peaks. Returns 0 if the voxel has no peak.
fn likeness(peaks: &[Peak]) -> f64 {
    match peaks {
        [] => 0.0,
        [only] => only.amplitude.sqrt(),
        [first, second, ..] => first.amplitude.sqrt() * (1.0 - second.amplitude / first.amplitude).powi(2),
    }
}

/// Returns the voxels that have a peak, sorted by their single-fibre score √p₁ · (1 − p₂/p₁)². The voxel with
/// the highest score is first.
fn ranked_voxels(
    dwi: &Volume<f32>,
    search: &[usize],
    solver: &SingleShell,
    control: &Control,
) -> Result<Vec<SingleFibre>> {
    let finder = PeakFinder::new(solver.count())?;
    let scratch = || (solver.scratch(), finder.scratch(), vec![0.0; solver.count()]);
    let voxels = search.par_iter().map_init(scratch, |(fit, find, coefficients), &voxel| {
        control.check()?;
        solver.fit(fit, dwi.voxel(voxel), coefficients);
        let peaks = finder.find(find, coefficients, 0.0);
        Ok(peaks.first().map(|first| SingleFibre {
            voxel,
            direction: first.direction,
            likeness: likeness(peaks),
        }))
    });
    let found: Vec<Option<SingleFibre>> = voxels.collect::<Result<_>>()?;
    let mut ranked: Vec<SingleFibre> = found.into_iter().flatten().collect();
    ranked.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then(a.voxel.cmp(&b.voxel)));
    Ok(ranked)
}

/// Dilates a set of voxels `dilation` times, inside the mask. Each dilation adds the voxels that share a face
/// with the set.
fn around(voxels: &[SingleFibre], mask: &Mask, dilation: usize) -> Vec<usize> {
    let [nx, ny, nz] = mask.grid().shape();
    let mut flags = vec![false; nx * ny * nz];
    for single in voxels {
        flags[single.voxel] = true;
    }
    for _ in 0..dilation {
        let before = flags.clone();
        for (index, inside) in before.iter().enumerate() {
            if *inside {
                let (x, y, z) = (index % nx, index / nx % ny, index / (nx * ny));
                let steps = [(x, nx, 1), (y, ny, nx), (z, nz, nx * ny)];
                for (place, size, step) in steps {
                    if place > 0 {
                        flags[index - step] = true;
                    }
                    if place + 1 < size {
                        flags[index + step] = true;
                    }
                }
            }
        }
    }
    (0..flags.len()).filter(|&voxel| flags[voxel] && mask.contains(voxel)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid, Orientations};

    /// Creates a series in which two kinds of voxels alternate. One kind has a single fibre, in many
    /// directions. In the other kind, two fibres cross at a right angle.
    fn series(voxels: usize) -> (Volume<f32>, GradientTable) {
        let axes = Orientations::half_sphere(60).directions().to_vec();
        let gradients = GradientTable::new(
            &[vec![[0.0; 3]], axes].concat(),
            [vec![0.0], vec![3000.0; 60]].concat(),
            50.0,
        )
        .unwrap();
        let grid = Grid::new([voxels, 1, 1], Affine::identity()).unwrap();
        let directions = Orientations::half_sphere(voxels).directions().to_vec();
        let mut values = Vec::new();
        for (n, d) in directions.iter().enumerate() {
            let other = crate::smooth::tangents(*d)[0];
            for (m, g) in gradients.directions().iter().enumerate() {
                let bundle = |d: &[f64; 3]| {
                    let cosine: f64 = (0..3).map(|k| g[k] * d[k]).sum();
                    1000.0 * (-gradients.b_values()[m] * (0.2e-3 + 1.5e-3 * cosine * cosine)).exp()
                };
                let noise = 4.0 * ((n * 61 + m) as f64 * 0.618_034).fract() - 2.0;
                let signal = if n % 2 == 0 { bundle(d) } else { f64::midpoint(bundle(d), bundle(&other)) };
                values.push((signal + noise) as f32);
            }
        }
        (Volume::new(grid, 61, values).unwrap(), gradients)
    }

    #[test]
    fn a_second_peak_lowers_the_score_of_a_voxel() {
        let peaks = [4.0, 1.0, 0.5].map(|amplitude| Peak { direction: [0.0, 0.0, 1.0], amplitude });
        assert_eq!([0, 1, 2, 3].map(|number| likeness(&peaks[..number])), [0.0, 2.0, 1.125, 1.125]);
    }

    #[test]
    fn single_fibres_are_distinguished_from_crossings() {
        let (dwi, gradients) = series(400);
        let constraint = Orientations::half_sphere(300).directions().to_vec();
        let options = TournierOptions { voxels: 100, search: 250, ..TournierOptions::default() };
        let mask = Mask::full(*dwi.grid());
        let run = || {
            tournier_response(&dwi, &gradients, &mask, &constraint, &options, &Control::default()).unwrap()
        };
        let found = run();
        assert!(found.converged && found.iterations > 1);
        assert_eq!(found.voxels.count(), 100);
        assert!(found.voxels.indices().iter().all(|voxel| voxel % 2 == 0));
        assert_eq!(found.response.b_values(), Some(&[3000.0][..]));
        // Within the noise, the response must give the signal along fibres and across them.
        for (cosine, expected) in [(1.0, 1000.0 * (-5.1f64).exp()), (0.0, 1000.0 * (-0.6f64).exp())] {
            assert!((found.response.amplitude(0, cosine) - expected).abs() < 6.0, "{cosine}");
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        assert_eq!(pool.install(run), found);
        let few = Mask::new(*dwi.grid(), (0..400).map(|n| n < 99).collect()).unwrap();
        let refused = tournier_response(&dwi, &gradients, &few, &constraint, &options, &Control::default());
        assert!(refused.unwrap_err().to_string().contains("the mask has 99 voxels"));
        let stopped = TournierOptions { iterations: 1, ..options };
        let found =
            tournier_response(&dwi, &gradients, &mask, &constraint, &stopped, &Control::default()).unwrap();
        assert!(!found.converged && found.iterations == 1);
    }

    #[test]
    fn order_2_needs_6_directions() {
        let (dwi, gradients) = series(400);
        let chosen: Vec<usize> = [0].into_iter().chain((1..61).step_by(5)).collect();
        let (dwi, gradients) = (dwi.channels_at(&chosen), gradients.of_measurements(&chosen));
        let constraint = Orientations::half_sphere(300).directions().to_vec();
        let mask = Mask::full(*dwi.grid());
        let run = |order: usize| {
            let options = TournierOptions { voxels: 100, search: 250, order, ..TournierOptions::default() };
            tournier_response(&dwi, &gradients, &mask, &constraint, &options, &Control::default())
        };
        assert_eq!(run(2).unwrap().response.order(), 2);
        let expected = "gradient table: the 12 directions of the shell with the largest b do not determine \
                        the 15 coefficients of order 4; acquire at least 15 directions, or give an ‘order’ \
                        of 2";
        assert_eq!(run(4).unwrap_err().to_string(), expected);
    }
}
