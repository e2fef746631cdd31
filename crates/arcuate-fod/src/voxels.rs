//! Deconvolution of the voxels of a mask by several CPU threads.

use arcuate_compute::Device;
use arcuate_core::{Control, Error, Mask, NotComputed, Result, Volume, VoxelCounts, require_signal};
use arcuate_numbers::Arch;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of voxels that a thread fits as one task. The number is small, because brain voxels are next to
/// each other in the list and need more time than other voxels.
const PIECE: usize = 64;

/// The result of the fit of a voxel. The GPU kernels use the index of the variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum VoxelFit {
    /// The fit found the solution.
    Converged,
    /// The fit reached the maximum number of iterations.
    Unconverged,
    /// All coefficients are 0, because a measurement is infinite or NaN.
    Unfitted,
}

impl VoxelFit {
    pub(crate) const COUNT: usize = Self::Unfitted as usize + 1;
}

/// A deconvolution method that fits one voxel at a time. It is prepared once. Each thread has its own working
/// memory.
pub(crate) trait VoxelSolver: Sync {
    /// Working memory of a fit.
    type Scratch: Send;

    /// Returns the number of measurements of the series.
    fn measurements(&self) -> usize;

    /// Returns the indices of the measurements that are fitted, for each shell.
    fn shells(&self) -> &[Vec<usize>];

    /// Returns the same method without these measurements of the series. Returns `None` if the remaining
    /// measurements do not determine the result.
    fn without(&self, unused: &[usize]) -> Option<Self>
    where
        Self: Sized;

    /// Returns the number of coefficients of each distribution that a fit computes.
    fn counts(&self) -> Vec<usize>;

    /// Allocates the working memory of one thread.
    fn scratch(&self) -> Self::Scratch;

    /// Fits a voxel. `coefficients` receives all distributions, one after the other. The function and all
    /// functions that it calls must be inlined, so that they are compiled for the SIMD instruction set of the
    /// CPU.
    fn solve(&self, scratch: &mut Self::Scratch, signals: &[f32], coefficients: &mut [f64]) -> VoxelFit;
}

/// The orientation distributions of all voxels of a mask.
#[derive(Debug, Clone, PartialEq)]
pub struct Distributions {
    /// For each tissue, a volume with one channel per coefficient, in the basis of
    /// [`HarmonicBasis`](crate::HarmonicBasis) and scanner axes. The coefficients are 0 outside the mask and
    /// in voxels that could not be fitted.
    pub coefficients: Vec<Volume<f32>>,
    /// Number of voxels that could not be computed, and number of measurements that were not used.
    pub counts: VoxelCounts,
    /// Number of voxels in which the fit reached the maximum number of iterations.
    pub unconverged: usize,
    /// The device that computed the fit. It is the CPU if the requested GPUs could not compute it.
    pub device: Device,
}

/// The fit of many voxels, compiled for the SIMD instruction set of the CPU.
struct Solve<'a, S: VoxelSolver> {
    solver: &'a S,
    scratch: &'a mut S::Scratch,
    signals: &'a [f32],
    coefficients: &'a mut [f64],
}

impl Distributions {
    /// Creates volumes of zeros on the grid of `mask`. `counts` has the number of coefficients of each
    /// volume.
    pub(crate) fn zeros(mask: &Mask, counts: &[usize]) -> Self {
        let volume = |&count: &usize| Volume::filled(*mask.grid(), count, 0f32);
        Self {
            coefficients: counts.iter().map(volume).collect(),
            counts: VoxelCounts::of(mask.count()),
            unconverged: 0,
            device: Device::Cpu,
        }
    }

    /// Copies the coefficients of these voxels from another result.
    pub(crate) fn take(&mut self, other: &Self, voxels: &[usize]) {
        for (own, others) in self.coefficients.iter_mut().zip(&other.coefficients) {
            for &voxel in voxels {
                own.voxel_mut(voxel).copy_from_slice(others.voxel(voxel));
            }
        }
        self.unconverged += other.unconverged;
        self.device = other.device.clone();
    }

    /// Stores the coefficients of all distributions of one voxel.
    fn set(&mut self, voxel: usize, coefficients: &[f64]) {
        let mut left = coefficients;
        for volume in &mut self.coefficients {
            let (own, rest) = left.split_at(volume.channels());
            volume.voxel_mut(voxel).iter_mut().zip(own).for_each(|(out, value)| *out = *value as f32);
            left = rest;
        }
    }
}

impl<S: VoxelSolver> WithSimd for Solve<'_, S> {
    type Output = VoxelFit;

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) -> VoxelFit {
        if self.signals.iter().any(|signal| !signal.is_finite()) {
            self.coefficients.fill(0.0);
            return VoxelFit::Unfitted;
        }
        self.solver.solve(self.scratch, self.signals, self.coefficients)
    }
}

/// Fits one voxel. `signals` and `coefficients` must have the lengths that the deconvolution method requires.
pub(crate) fn solve_voxel<S: VoxelSolver>(
    solver: &S,
    scratch: &mut S::Scratch,
    signals: &[f32],
    coefficients: &mut [f64],
) -> VoxelFit {
    assert_eq!(signals.len(), solver.measurements(), "signals of another series");
    Arch::new().dispatch(Solve { solver, scratch, signals, coefficients })
}

/// Fits every voxel of `mask` on the CPU. Voxels are independent of each other, so that the result does not
/// depend on the number of threads.
pub(crate) fn solve_voxels<S: VoxelSolver>(
    solver: &S,
    dwi: &Volume<f32>,
    mask: &Mask,
    control: &Control,
) -> Result<Distributions> {
    let (grid, counts) = (*dwi.grid(), solver.counts());
    let total = counts.iter().sum();
    let mut found = Distributions::zeros(mask, &counts);
    let mut pieces: Vec<Vec<&mut [f32]>> = (0..grid.len().div_ceil(PIECE)).map(|_| Vec::new()).collect();
    for (volume, count) in found.coefficients.iter_mut().zip(&counts) {
        for (piece, values) in pieces.iter_mut().zip(volume.values_mut().chunks_mut(PIECE * count)) {
            piece.push(values);
        }
    }
    let (done, voxels) = (AtomicU64::new(0), mask.count() as u64);
    let scratch = || (solver.scratch(), vec![0.0; total]);
    let fits =
        pieces.into_par_iter().enumerate().map_init(scratch, |(scratch, coefficients), (piece, mut out)| {
            let first = piece * PIECE;
            let inside = (first..grid.len().min(first + PIECE)).filter(|&voxel| mask.contains(voxel));
            let (mut unfitted, mut unconverged, mut fitted) = (0, 0, 0);
            for voxel in inside {
                match solve_voxel(solver, scratch, dwi.voxel(voxel), coefficients) {
                    VoxelFit::Converged => {}
                    VoxelFit::Unconverged => unconverged += 1,
                    VoxelFit::Unfitted => unfitted += 1,
                }
                let mut left = coefficients.as_slice();
                for (values, &count) in out.iter_mut().zip(&counts) {
                    let (own, rest) = left.split_at(count);
                    let at = (voxel - first) * count;
                    values[at..at + count].iter_mut().zip(own).for_each(|(out, value)| *out = *value as f32);
                    left = rest;
                }
                fitted += 1;
            }
            control.progress(done.fetch_add(fitted, Ordering::Relaxed) + fitted, voxels)?;
            Ok::<_, Error>((unfitted, unconverged))
        });
    let (unfitted, unconverged) =
        fits.try_reduce(|| (0, 0), |(a, b), (c, d): (usize, usize)| Ok((a + c, b + d)))?;
    found.counts.add(NotComputed::NotFinite, unfitted);
    found.unconverged = unconverged;
    Ok(found)
}

/// Fits voxels in which some measurements cannot be used, on the CPU. `incomplete` groups the voxels by these
/// measurements. All voxels of a group are fitted with the same prepared method.
pub(crate) fn solve_incomplete<S: VoxelSolver>(
    solver: &S,
    dwi: &Volume<f32>,
    incomplete: &BTreeMap<Vec<usize>, Vec<usize>>,
    found: &mut Distributions,
    control: &Control,
) -> Result<()> {
    let all: Vec<(&Vec<usize>, &Vec<usize>)> = incomplete.iter().collect();
    let solved: Vec<Option<Vec<Solved>>> = all
        .par_iter()
        .map(|(unused, voxels)| {
            control.check()?;
            if unused.is_empty() {
                return Ok(Some(solve_with(solver, dwi, voxels)));
            }
            Ok(solver.without(unused).map(|solver| solve_with(&solver, dwi, voxels)))
        })
        .collect::<Result<_>>()?;
    for ((_, voxels), solved) in all.into_iter().zip(solved) {
        let Some(solved) = solved else {
            found.counts.add(NotComputed::TooFew, voxels.len());
            continue;
        };
        for (&voxel, (fit, coefficients)) in voxels.iter().zip(solved) {
            found.unconverged += usize::from(fit == VoxelFit::Unconverged);
            found.set(voxel, &coefficients);
        }
    }
    Ok(())
}

/// The result of a voxel's fit, and the voxel's coefficients.
type Solved = (VoxelFit, Vec<f64>);

/// Fits voxels with one prepared method. If a measurement of a voxel is infinite or NaN, the coefficients of
/// this voxel are 0.
fn solve_with<S: VoxelSolver>(solver: &S, dwi: &Volume<f32>, voxels: &[usize]) -> Vec<Solved> {
    let total = solver.counts().iter().sum();
    let fits = voxels.par_iter().map_init(
        || solver.scratch(),
        |scratch, &voxel| {
            let finite = |signal: &f32| if signal.is_finite() { *signal } else { 0.0 };
            let signals: Vec<f32> = dwi.voxel(voxel).iter().map(finite).collect();
            let mut coefficients = vec![0.0; total];
            (solve_voxel(solver, scratch, &signals, &mut coefficients), coefficients)
        },
    );
    fits.collect()
}

/// Returns an error if the series and the mask do not match, if the number of measurements is wrong, or if no
/// signal is above 0.
pub(crate) fn check(measurements: usize, dwi: &Volume<f32>, mask: &Mask) -> Result<()> {
    if dwi.channels() != measurements {
        let problem = format!(
            "the gradient table has {measurements} rows, but the series has {} volumes",
            dwi.channels()
        );
        return Err(Error::invalid("gradient table", problem, "give one row per volume of the series"));
    }
    dwi.grid().require_match(mask.grid(), "mask", "the diffusion series")?;
    if mask.is_empty() {
        return Err(Error::invalid("mask", "no voxel is inside", "give a mask that covers the brain"));
    }
    require_signal(dwi)
}
