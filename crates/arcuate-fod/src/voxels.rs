//! Deconvolution of the voxels of a mask, side by side.

use arcuate_compute::Device;
use arcuate_core::{Control, Error, Mask, Result, Volume};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Voxels of a task: few, since those of the brain lie together and take unlike times.
const PIECE: usize = 64;

/// How the fit of one voxel ended. Kernels know it by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoxelFit {
    /// The solution.
    Converged,
    /// What the last iteration permitted left.
    Unconverged,
    /// Zeros: a measurement is not finite.
    Unfitted,
}

impl VoxelFit {
    pub(crate) const COUNT: usize = Self::Unfitted as usize + 1;
}

/// What fits one voxel: made once, with a scratch of its own for each thread.
pub(crate) trait VoxelSolver: Sync {
    /// Memory that a fit works in.
    type Scratch: Send;

    /// Measurements of the series that belong to it.
    fn measurements(&self) -> usize;

    /// Coefficients of each distribution that it gives.
    fn counts(&self) -> Vec<usize>;

    /// Memory for one thread.
    fn scratch(&self) -> Self::Scratch;

    /// Fits a voxel; `coefficients` are those of all distributions, one after the other. Must be inlined, and all that it
    /// calls, so that it is compiled for the vector unit found.
    fn solve(&self, scratch: &mut Self::Scratch, signals: &[f32], coefficients: &mut [f64]) -> VoxelFit;
}

/// Distributions of all voxels of a mask.
#[derive(Debug, Clone, PartialEq)]
pub struct Distributions {
    /// Of each tissue: the coefficients in the basis of [`HarmonicBasis`](crate::HarmonicBasis), a channel each; 0 outside
    /// the mask and in voxels that could not be fitted. Scanner axes.
    pub coefficients: Vec<Volume<f32>>,
    /// Voxels of the mask with a measurement that is not finite.
    pub unfitted: usize,
    /// Voxels whose iterations were not enough.
    pub unconverged: usize,
    /// What computed them: the processor where the GPUs asked for could not.
    pub device: Device,
}

/// A fit compiled for the vector unit found.
struct Solve<'a, S: VoxelSolver> {
    solver: &'a S,
    scratch: &'a mut S::Scratch,
    signals: &'a [f32],
    coefficients: &'a mut [f64],
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

/// Fits one voxel, whose measurements and coefficients must be as many as the solver has.
pub(crate) fn solve_voxel<S: VoxelSolver>(
    solver: &S,
    scratch: &mut S::Scratch,
    signals: &[f32],
    coefficients: &mut [f64],
) -> VoxelFit {
    assert_eq!(signals.len(), solver.measurements(), "signals of another series");
    Arch::new().dispatch(Solve { solver, scratch, signals, coefficients })
}

/// Fits every voxel of `mask` on the processor. The result does not depend on the number of threads: no voxel sees another.
pub(crate) fn solve_voxels<S: VoxelSolver>(
    solver: &S,
    dwi: &Volume<f32>,
    mask: &Mask,
    control: &Control,
) -> Result<Distributions> {
    let (grid, counts) = (*dwi.grid(), solver.counts());
    let total = counts.iter().sum();
    let mut volumes: Vec<_> = counts.iter().map(|&count| Volume::filled(grid, count, 0f32)).collect();
    let mut pieces: Vec<Vec<&mut [f32]>> = (0..grid.len().div_ceil(PIECE)).map(|_| Vec::new()).collect();
    for (volume, count) in volumes.iter_mut().zip(&counts) {
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
    Ok(Distributions { coefficients: volumes, unfitted, unconverged, device: Device::Cpu })
}

/// Fails unless series and mask belong together, to so many measurements.
pub(crate) fn check(measurements: usize, dwi: &Volume<f32>, mask: &Mask) -> Result<()> {
    if dwi.channels() != measurements {
        let problem = format!("{measurements} rows for a series of {} volumes", dwi.channels());
        return Err(Error::invalid("gradient table", problem, "give one row per volume of the series"));
    }
    dwi.grid().require_match(mask.grid(), "mask", "the diffusion series")?;
    if mask.is_empty() {
        return Err(Error::invalid("mask", "no voxel is inside", "give a mask that covers the brain"));
    }
    Ok(())
}
