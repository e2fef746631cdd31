//! Deconvolution of the voxels of a mask in parallel.

use arcuate_compute::Device;
use arcuate_core::{Control, Error, Mask, NotComputed, Result, Volume, VoxelCounts, require_signal};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of voxels per task. It is small, because brain voxels are contiguous and have different durations.
const PIECE: usize = 64;

/// The result of the fit of one voxel. Kernels use its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoxelFit {
    /// The solution was found.
    Converged,
    /// The maximum number of iterations was reached.
    Unconverged,
    /// Zeros: a measurement is not finite.
    Unfitted,
}

impl VoxelFit {
    pub(crate) const COUNT: usize = Self::Unfitted as usize + 1;
}

/// A solver for single voxels: prepared once, with separate working memory for each thread.
pub(crate) trait VoxelSolver: Sync {
    /// Working memory of a fit.
    type Scratch: Send;

    /// Returns the number of measurements of the series.
    fn measurements(&self) -> usize;

    /// Returns the fitted measurements, shell by shell.
    fn shells(&self) -> &[Vec<usize>];

    /// Returns the same fit without some measurements of the series, or `None` if the others do not determine it.
    fn without(&self, unused: &[usize]) -> Option<Self>
    where
        Self: Sized;

    /// Returns the number of coefficients of each resulting distribution.
    fn counts(&self) -> Vec<usize>;

    /// Allocates the working memory of one thread.
    fn scratch(&self) -> Self::Scratch;

    /// Fits a voxel. `coefficients` receives all distributions in order. The function and everything that it calls must
    /// be inlined, so that it is compiled for the available vector unit.
    fn solve(&self, scratch: &mut Self::Scratch, signals: &[f32], coefficients: &mut [f64]) -> VoxelFit;
}

/// Distributions of all voxels of a mask.
#[derive(Debug, Clone, PartialEq)]
pub struct Distributions {
    /// For each tissue, the coefficients in the basis of [`HarmonicBasis`](crate::HarmonicBasis), one channel each, in
    /// scanner axes; 0 outside the mask and in voxels that could not be fitted.
    pub coefficients: Vec<Volume<f32>>,
    /// Numbers of voxels that could not be computed, and of unused measurements.
    pub counts: VoxelCounts,
    /// Number of voxels that reached the maximum number of iterations.
    pub unconverged: usize,
    /// The device that computed the fit. It is the CPU if the requested GPUs could not.
    pub device: Device,
}

/// A fit, compiled for the available vector unit.
struct Solve<'a, S: VoxelSolver> {
    solver: &'a S,
    scratch: &'a mut S::Scratch,
    signals: &'a [f32],
    coefficients: &'a mut [f64],
}

impl Distributions {
    /// Creates zeros for every voxel of `mask`, with one volume for each number of coefficients.
    pub(crate) fn zeros(mask: &Mask, counts: &[usize]) -> Self {
        let volume = |&count: &usize| Volume::filled(*mask.grid(), count, 0f32);
        Self {
            coefficients: counts.iter().map(volume).collect(),
            counts: VoxelCounts::of(mask.count()),
            unconverged: 0,
            device: Device::Cpu,
        }
    }

    /// Copies the results of another fit in some voxels.
    pub(crate) fn take(&mut self, other: &Self, voxels: &[usize]) {
        for (own, others) in self.coefficients.iter_mut().zip(&other.coefficients) {
            for &voxel in voxels {
                own.voxel_mut(voxel).copy_from_slice(others.voxel(voxel));
            }
        }
        self.unconverged += other.unconverged;
        self.device = other.device.clone();
    }

    /// Sets the coefficients of all distributions of a voxel.
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

/// Fits one voxel. The numbers of measurements and coefficients must be those of the solver.
pub(crate) fn solve_voxel<S: VoxelSolver>(
    solver: &S,
    scratch: &mut S::Scratch,
    signals: &[f32],
    coefficients: &mut [f64],
) -> VoxelFit {
    assert_eq!(signals.len(), solver.measurements(), "signals of another series");
    Arch::new().dispatch(Solve { solver, scratch, signals, coefficients })
}

/// Fits every voxel of `mask` on the CPU. Voxels are independent, so that the result does not depend on the number of
/// threads.
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

/// Fits voxels with missing measurements on the CPU. `incomplete` groups the voxels by their missing measurements. Each
/// group shares a solver.
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

/// The result of a voxel's fit, and its coefficients.
type Solved = (VoxelFit, Vec<f64>);

/// Fits voxels with one solver, which does not use non-finite measurements.
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

/// Returns an error unless series and mask match, the series has this number of measurements, and it has a signal.
pub(crate) fn check(measurements: usize, dwi: &Volume<f32>, mask: &Mask) -> Result<()> {
    if dwi.channels() != measurements {
        let problem = format!("it has {measurements} rows, but the series has {} volumes", dwi.channels());
        return Err(Error::invalid("gradient table", problem, "give one row per volume of the series"));
    }
    dwi.grid().require_match(mask.grid(), "mask", "the diffusion series")?;
    if mask.is_empty() {
        return Err(Error::invalid("mask", "no voxel is inside", "give a mask that covers the brain"));
    }
    require_signal(dwi)
}
