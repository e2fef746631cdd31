//! Deconvolution of the voxels of a mask, side by side.

use arcuate_compute::Device;
use arcuate_core::{Control, Error, Mask, NotComputed, Result, Volume, VoxelCounts, require_signal};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::collections::BTreeMap;
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

    /// The measurements that are fitted, shell by shell.
    fn shells(&self) -> &[Vec<usize>];

    /// The same fit without some measurements of the series; nothing if the others do not determine it.
    fn without(&self, unused: &[usize]) -> Option<Self>
    where
        Self: Sized;

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
    /// Voxels that could not be computed, and measurements that were not used.
    pub counts: VoxelCounts,
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

impl Distributions {
    /// Zeros for every voxel of `mask`, with a volume for each number of coefficients.
    pub(crate) fn zeros(mask: &Mask, counts: &[usize]) -> Self {
        let volume = |&count: &usize| Volume::filled(*mask.grid(), count, 0f32);
        Self {
            coefficients: counts.iter().map(volume).collect(),
            counts: VoxelCounts::of(mask.count()),
            unconverged: 0,
            device: Device::Cpu,
        }
    }

    /// Takes over what another fit has found in some voxels.
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

/// Fits voxels that lack measurements, each with those that it has, on the processor. `incomplete` has the voxels by the
/// measurements that they lack. Those that lack the same ones share a solver.
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

/// How the fit of a voxel ended, and its coefficients.
type Solved = (VoxelFit, Vec<f64>);

/// Fits voxels by one solver, which takes no measurement that is not finite.
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

/// Fails unless series and mask belong together, to so many measurements, and the series has a signal.
pub(crate) fn check(measurements: usize, dwi: &Volume<f32>, mask: &Mask) -> Result<()> {
    if dwi.channels() != measurements {
        let problem = format!("{measurements} rows for a series of {} volumes", dwi.channels());
        return Err(Error::invalid("gradient table", problem, "give one row per volume of the series"));
    }
    dwi.grid().require_match(mask.grid(), "mask", "the diffusion series")?;
    if mask.is_empty() {
        return Err(Error::invalid("mask", "no voxel is inside", "give a mask that covers the brain"));
    }
    require_signal(dwi)
}
