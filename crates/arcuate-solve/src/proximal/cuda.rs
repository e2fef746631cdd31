//! The vectors of the solver FISTA on GPUs. Each GPU has all unknowns, and a range of the data.
#![allow(unsafe_code)]

use super::engine::{Engine, Proposal, State};
use super::regulariser::Penalties;
use super::{ProximalProblem, kernels};
use crate::gpus::{Share, Shares, Sizes, grid};
use crate::{Products, Real, SplitOperator};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Stream};
use arcuate_core::{Result, narrow};

/// Positions of the totals (sums over vectors) in their buffer. They are totals over the unknowns (moved,
/// turn, L1, support), over the groups, and over the data (image, residual, largest).
const UNKNOWNS: usize = 0;
const GROUPS: usize = 4;
const DATA: usize = 5;
const TOTALS: usize = 8;
/// Number of GPU threads that process one group of unknowns together.
const THREADS_OF_GROUP: usize = 256;

/// The groups of unknowns on a GPU.
struct Groups {
    starts: Buffer<u32>,
    members: Buffer<u32>,
    weights: Buffer<f64>,
}

/// An iterate of the solver FISTA: the unknowns x, and the residual r = Ax − y of the data on this GPU.
struct Iterate<T: Real> {
    x: Buffer<T>,
    residual: Buffer<T>,
}

/// The vectors on one GPU that only the solver FISTA has, in addition to those that every solver has.
pub(super) struct Vectors<T: Real> {
    now: Iterate<T>,
    before: Iterate<T>,
    next: Iterate<T>,
    gradient: Buffer<T>,
    gradient_before: Buffer<T>,
    l1: Buffer<T>,
    groups: Groups,
}

/// Numbers of penalties, of groups and of their members, which determine the size of the buffers.
#[derive(Clone, Copy)]
struct PenaltySizes {
    l1: usize,
    groups: usize,
    members: usize,
}

impl<T: Real> Iterate<T> {
    fn new(gpu: &Gpu, sizes: &Sizes) -> CudaResult<Self> {
        Ok(Self { x: gpu.alloc(sizes.columns)?, residual: gpu.alloc(sizes.rows)? })
    }
}

impl<T: Real> Vectors<T> {
    fn new(gpu: &Gpu, sizes: &Sizes, penalties: PenaltySizes) -> CudaResult<Self> {
        let starts = if penalties.groups > 0 { penalties.groups + 1 } else { 0 };
        Ok(Self {
            now: Iterate::new(gpu, sizes)?,
            before: Iterate::new(gpu, sizes)?,
            next: Iterate::new(gpu, sizes)?,
            gradient: gpu.alloc(sizes.columns)?,
            gradient_before: gpu.alloc(sizes.columns)?,
            l1: gpu.alloc(penalties.l1)?,
            groups: Groups {
                starts: gpu.alloc(starts)?,
                members: gpu.alloc(penalties.members)?,
                weights: gpu.alloc(penalties.groups)?,
            },
        })
    }

    /// Copies the penalties to the GPU.
    fn set_penalties(&mut self, stream: &Stream, penalties: &Penalties<'_, T>) -> CudaResult<()> {
        self.l1.copy_from(stream, &penalties.l1)?;
        let Some(groups) = penalties.groups else { return Ok(()) };
        // The members of groups are different unknowns. The number of unknowns has 32 bits.
        let starts: Vec<u32> = groups.starts().iter().map(|&start| narrow::<u32>(start)).collect();
        self.groups.starts.copy_from(stream, &starts)?;
        self.groups.members.copy_from(stream, groups.members())?;
        self.groups.weights.copy_from(stream, groups.weights())
    }
}

/// Allocates the maximum GPU memory that the solver FISTA needs on one GPU. This maximum is needed if every
/// unknown has a penalty and is also a group of its own.
pub(crate) fn largest_share<T: Real>(gpu: &Gpu, sizes: &Sizes) -> CudaResult<impl Sized + use<T>> {
    let each = PenaltySizes { l1: sizes.columns, groups: sizes.columns, members: sizes.columns };
    Share::<T, _>::new(gpu, sizes, TOTALS, |gpu, sizes| Vectors::<T>::new(gpu, sizes, each))
}

type DeviceShare<T> = Share<T, Vectors<T>>;

impl<T: Real> DeviceShare<T> {
    fn count(&self) -> u32 {
        u32::try_from(self.own.gradient.len()).expect("operators on GPUs have 32-bit unknowns")
    }

    /// Computes the proposed next unknowns x⁺, and the totals over the unknowns and over the groups.
    fn step(&mut self, length: f64, momentum: f64, non_negative: bool) -> CudaResult<()> {
        let count = self.count();
        let Self { stream, totals, own, .. } = self;
        let Vectors { now, before, next, gradient, gradient_before, l1, groups } = own;
        let l1 = (!l1.is_empty()).then_some(&*l1);
        let items = count as usize;
        // SAFETY: all vectors have `count` elements. The kernel accepts a null pointer as the penalties.
        unsafe {
            kernels::proximal_step::<T>(
                stream,
                grid(items),
                count,
                length,
                momentum,
                u32::from(non_negative),
                &now.x,
                &before.x,
                &*gradient,
                &*gradient_before,
                l1,
                &mut next.x,
            )
        }?;
        let Groups { starts, members, weights } = groups;
        if !weights.is_empty() {
            let of_groups = narrow::<u32>(weights.len());
            let (threads, x) = (weights.len().saturating_mul(THREADS_OF_GROUP), &mut next.x);
            // SAFETY: the members of groups were checked to be different unknowns below `count`.
            totals.of(stream, threads, (1, 0, GROUPS), |grid, sums| unsafe {
                kernels::proximal_groups(
                    stream, grid, of_groups, length, &*starts, &*members, &*weights, x, sums,
                )
            })?;
        }
        // SAFETY: all vectors have `count` elements.
        totals.of(stream, items, (4, 0, UNKNOWNS), |grid, sums| unsafe {
            kernels::proximal_moved(stream, grid, count, momentum, &now.x, &before.x, &next.x, l1, sums)
        })
    }

    /// Computes the residual A x⁺ − y of the proposed unknowns x⁺, and the totals over the data. The residual
    /// overwrites the product A x⁺.
    fn subtract_measured(&mut self, momentum: f64) -> CudaResult<()> {
        let Self { stream, totals, measured, own: Vectors { now, before, next, .. }, .. } = self;
        let rows = measured.len();
        let (now, before, next) = (&now.residual, &before.residual, &mut next.residual);
        // SAFETY: all vectors have `rows` elements.
        totals.of(stream, rows, (3, 4, DATA), |grid, sums| unsafe {
            kernels::proximal_residual(
                stream,
                grid,
                rows as u64,
                momentum,
                &*measured,
                now,
                before,
                next,
                sums,
            )
        })
    }

    /// Computes the gradient from the fixed-point sums, which are the total over all GPUs.
    fn take_gradient(&mut self) -> CudaResult<()> {
        let count = self.count();
        let Self { stream, sums, scale, own: Vectors { gradient, .. }, .. } = self;
        let (mine, others) = sums.exchanged();
        // SAFETY: all vectors have `count` elements. The kernel accepts a null pointer as the sums of other
        // GPUs.
        unsafe {
            kernels::proximal_gradient(stream, grid(count as usize), count, mine, others, &*scale, gradient)
        }
    }
}

impl<T: Real> Vectors<T> {
    /// Copies the current iterate to the previous iterate.
    fn forget(&mut self, stream: &Stream) -> CudaResult<()> {
        let Self { now, before, gradient, gradient_before, .. } = self;
        before.x.view_mut().copy_from_device(stream, now.x.view())?;
        before.residual.view_mut().copy_from_device(stream, now.residual.view())?;
        gradient_before.view_mut().copy_from_device(stream, gradient.view())
    }
}

pub(crate) struct CudaEngine<'a, T: Real> {
    shares: Shares<'a, T, Vectors<T>>,
    non_negative: bool,
    /// Returns the largest |r| over the residual r of the last proposed unknowns.
    largest: f64,
}

impl<'a, T: Real> CudaEngine<'a, T> {
    pub(crate) fn new(
        problem: &ProximalProblem<'_, T>,
        penalties: &Penalties<'_, T>,
        operator: &'a dyn SplitOperator<T>,
    ) -> Result<Self> {
        let columns = problem.operator.columns();
        let (groups, members) =
            penalties.groups.map_or((0, 0), |groups| (groups.len(), groups.members().len()));
        let of_penalties = PenaltySizes { l1: penalties.l1.len(), groups, members };
        let own = |gpu: &Gpu, sizes: &Sizes| Vectors::new(gpu, sizes, of_penalties);
        let mut shares = Shares::new(operator, columns, problem.data, TOTALS, own)?;
        shares.each(|_, _, share| Ok(share.own.set_penalties(&share.stream, penalties)?))?;
        Ok(Self { shares, non_negative: penalties.non_negative, largest: f64::NAN })
    }

    /// Computes the residual of the proposed unknowns x⁺, and returns all totals (sums over vectors).
    fn evaluate(&mut self, momentum: f64) -> Result<Vec<f64>> {
        self.shares.each(|operator, n, share| {
            let Iterate { x, residual } = &mut share.own.next;
            operator.products(n, &share.stream, Products::image(x, residual))?;
            Ok(share.subtract_measured(momentum)?)
        })?;
        self.totals()
    }

    fn totals(&mut self) -> Result<Vec<f64>> {
        let totals = self.shares.totals(&[DATA, DATA + 1], &[DATA + 2])?;
        self.largest = totals[DATA + 2];
        Ok(totals)
    }

    fn forget(&mut self) -> Result<()> {
        self.shares.each(|_, _, share| Ok(share.own.forget(&share.stream)?))
    }
}

impl<T: Real> Engine<T> for CudaEngine<'_, T> {
    type Error = arcuate_core::Error;

    fn begin(&mut self) -> Result<()> {
        self.shares.each(|_, _, share| {
            share.own.next.x.zero(&share.stream)?;
            share.own.next.residual.zero(&share.stream)?;
            Ok(share.subtract_measured(0.0)?)
        })?;
        self.totals()?;
        self.accept()?;
        self.forget()
    }

    fn restart_at(&mut self, x: &[T]) -> Result<()> {
        self.shares.each(|_, _, share| Ok(share.own.next.x.copy_from(&share.stream, x)?))?;
        self.evaluate(0.0)?;
        self.accept()?;
        self.forget()
    }

    fn propose(&mut self, length: f64, momentum: f64) -> Result<Proposal> {
        let non_negative = self.non_negative;
        self.shares.each(|_, _, share| Ok(share.step(length, momentum, non_negative)?))?;
        let totals = self.evaluate(momentum)?;
        Ok(Proposal {
            residual: totals[DATA + 1],
            penalty: totals[UNKNOWNS + 2] + totals[GROUPS],
            moved: totals[UNKNOWNS],
            image: totals[DATA],
            turn: totals[UNKNOWNS + 1],
            support: totals[UNKNOWNS + 3] as usize,
        })
    }

    fn accept(&mut self) -> Result<()> {
        let largest = (DATA + 2, self.largest);
        self.shares.each(|operator, n, share| {
            let Vectors { now, before, next, gradient, gradient_before, .. } = &mut share.own;
            std::mem::swap(now, before);
            std::mem::swap(now, next);
            std::mem::swap(gradient, gradient_before);
            share.add_adjoint(operator, n, largest, |own| &mut own.now.residual)
        })?;
        self.shares.exchange()?;
        self.shares.each(|_, _, share| Ok(share.take_gradient()?))
    }

    fn state(&mut self) -> Result<State<T>> {
        let first = self.shares.first();
        let x = first.own.now.x.to_vec(&first.stream)?;
        let gradient = first.own.gradient.to_vec(&first.stream)?;
        let mut residual = Vec::new();
        for share in &self.shares.shares {
            residual.extend(share.own.now.residual.to_vec(&share.stream)?);
        }
        Ok(State { x, residual, gradient })
    }
}

#[cfg(test)]
mod tests {
    use crate::gpus::DenseOnGpus;
    use crate::{
        Dense, GapRule, GroupPenalty, LinearOperator, Outcome, ProximalElement, ProximalProblem, Regulariser,
        debias, fista,
    };
    use arcuate_compute::cuda::Gpus;
    use arcuate_compute::{Purpose, Random};

    const ROWS: usize = 50;
    const RAW: usize = 7;
    const COLUMNS: usize = 22;

    /// Creates a matrix B ≥ 0 and an integer matrix E ≥ 0 for the operator A = B Eᵀ, and data that some of
    /// the unknowns explain.
    fn factors() -> (Vec<f64>, Vec<i32>, Vec<f64>) {
        let mut random = Random::new(7, Purpose::Resampling, 0);
        let basis: Vec<f64> = (0..ROWS * RAW).map(|_| random.uniform()).collect();
        let expansion: Vec<i32> = (0..COLUMNS * RAW).map(|_| random.below(3) as i32).collect();
        let y = (0..ROWS).map(|_| 4.0 * random.uniform() + random.normal()).collect();
        (basis, expansion, y)
    }

    fn regularisers() -> [Regulariser; 3] {
        // One group of unknowns is empty, one has a penalty that removes it, and the last is larger than the
        // others. Some unknowns are in no group.
        let members = (0..COLUMNS as u32).rev().filter(|m| m % 7 != 3).collect::<Vec<_>>();
        let starts = vec![0, 1, 1, 6, members.len()];
        let groups = GroupPenalty::new(starts, members, vec![0.5, 1.0, 30.0, 2.0]).unwrap();
        let l1 = vec![(5..20, 1.5)];
        [
            Regulariser::non_negative(COLUMNS),
            Regulariser::new(COLUMNS, true, l1, Some(groups.clone())).unwrap(),
            Regulariser::new(COLUMNS, false, vec![(0..COLUMNS, 2.0)], Some(groups)).unwrap(),
        ]
    }

    fn solve<T: ProximalElement>(
        operator: &dyn LinearOperator<T>,
        y: &[f64],
        regulariser: &Regulariser,
        rule: GapRule,
    ) -> crate::ProximalSolution<T> {
        let y: Vec<T> = y.iter().map(|&y| T::of(y)).collect();
        let problem = ProximalProblem::new(operator, &y, regulariser);
        let start = vec![T::zero(); operator.columns()];
        fista(&problem, &start, &rule, |_| true)
    }

    fn gap(gap: f64) -> GapRule {
        GapRule { gap: Some(gap), ..GapRule::default() }
    }

    #[test]
    fn gpu_solutions_reach_the_objective_of_the_cpu() {
        if !arcuate_emulation::available("FISTA on GPUs") {
            return;
        }
        let (basis, expansion, y) = factors();
        for ordinals in [&[0][..], &[0, 1]] {
            // A test machine may have only one GPU.
            let Ok(gpus) = Gpus::open(ordinals) else { continue };
            let raw = || DenseOnGpus::<f64>::factored(gpus.clone(), RAW, basis.clone(), expansion.clone());
            let single = DenseOnGpus::<f32>::factored(gpus.clone(), RAW, basis.clone(), expansion.clone());
            // One problem suffices to test several GPUs.
            for regulariser in
                regularisers().iter().skip(ordinals.len() - 1).take(if ordinals.len() > 1 { 1 } else { 3 })
            {
                let operator = raw();
                let expected = solve(operator.reference(), &y, regulariser, gap(1e-6));
                let got = solve(&operator, &y, regulariser, gap(1e-6));
                assert_eq!((got.outcome, expected.outcome), (Outcome::Converged, Outcome::Converged));
                // The objectives of both solutions are above the minimum by at most the duality gap.
                assert!((got.objective - expected.objective).abs() <= 1e-6 * expected.objective);
                // The first steps on GPU and CPU are equal except for rounding errors.
                for (a, b) in got.trace.iter().zip(&expected.trace).take(8) {
                    assert_eq!((a.iteration, a.products, a.support), (b.iteration, b.products, b.support));
                    assert!((a.objective - b.objective).abs() <= 1e-10 * b.objective, "{a:?} is not {b:?}");
                }
                let got = solve(&single, &y, regulariser, gap(1e-4));
                // Single precision resolves duality gaps to 10⁻⁷ of ½‖y‖², and ½‖y‖² is a few times the
                // objective.
                assert_eq!(got.outcome, Outcome::Converged, "{:?}", got.trace.last());
                assert!((got.objective - expected.objective).abs() <= 1.01e-4 * expected.objective);
                let problem = ProximalProblem::new(&operator, &y, regulariser);
                let refit = debias(&problem, &expected.weights, &GapRule::default(), |_| true);
                // Without a penalty, both solvers find the same solution, up to the duality gap.
                assert!(refit.objective <= (1.0 + 1e-6) * expected.objective);
                let kept = refit.weights.iter().zip(&expected.weights);
                assert!(kept.into_iter().all(|(after, before)| *after == 0.0 || *before != 0.0));
            }
        }
    }

    /// The problem has more groups of unknowns than the kernel has blocks, and groups that are larger than a
    /// block of threads.
    #[test]
    fn group_shrinkage_agrees_for_any_number_and_size() {
        if !arcuate_emulation::available("groups on GPUs") {
            return;
        }
        let columns = 1100;
        // The test operator has two rows only. Its products therefore need little time, and the penalties on
        // groups determine the time.
        let matrix: Vec<f64> = (0..2 * columns).map(|n| 0.1 + 0.01 * (n as f64 * 0.7).sin()).collect();
        let starts: Vec<usize> = (0..600).chain([columns]).collect();
        let weights = (0..600).map(|g| 0.05 + 0.0001 * f64::from(g)).collect();
        let groups = GroupPenalty::new(starts, (0..columns as u32).collect(), weights).unwrap();
        let regulariser = Regulariser::new(columns, true, Vec::new(), Some(groups)).unwrap();
        let y = [3.0, 4.0];
        let rule = GapRule { gap: Some(0.0), iterations: 8, ..GapRule::default() };
        let expected = solve(&Dense::new(columns, matrix.clone()), &y, &regulariser, rule);
        let operator = DenseOnGpus::<f64>::new(Gpus::open(&[0]).unwrap(), columns, matrix.clone());
        let got = solve(&operator, &y, &regulariser, rule);
        // The steps on GPU and CPU are equal except for rounding errors.
        assert!((got.objective - expected.objective).abs() <= 1e-12 * expected.objective);
        assert_eq!(got.trace.last().unwrap().support, expected.trace.last().unwrap().support);
        assert!(got.trace.last().unwrap().support > 0 && got.trace.last().unwrap().support < columns);
        // A repeated run must be bit-identical.
        assert_eq!(solve(&operator, &y, &regulariser, rule).weights, got.weights);
        let operator = DenseOnGpus::<f32>::new(Gpus::open(&[0]).unwrap(), columns, matrix);
        let single = solve(&operator, &y, &regulariser, rule);
        assert!((single.objective - expected.objective).abs() <= 1e-5 * expected.objective);
    }
}
