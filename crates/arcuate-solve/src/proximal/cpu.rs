//! The vectors of the solver on the processor.

use super::ProximalProblem;
use super::engine::{Engine, Proposal, State};
use super::regulariser::Penalties;
use crate::vector::PIECE;
use crate::{LinearOperator, Real, vector};
use rayon::prelude::*;
use std::convert::Infallible;

/// An iterate: x, r = Ax − y, q = Aᵀr.
struct Iterate<T> {
    x: Vec<T>,
    residual: Vec<T>,
    gradient: Vec<T>,
}

pub(crate) struct CpuEngine<'a, T, A> {
    operator: &'a A,
    data: &'a [T],
    penalties: &'a Penalties<'a, T>,
    now: Iterate<T>,
    before: Iterate<T>,
    /// x⁺ and its residual.
    next: (Vec<T>, Vec<T>),
}

impl<'a, T: Real, A: LinearOperator<T>> CpuEngine<'a, T, A> {
    pub(crate) fn new(problem: &ProximalProblem<'a, T, A>, penalties: &'a Penalties<'a, T>) -> Self {
        let (rows, columns) = (problem.operator.rows(), problem.operator.columns());
        let iterate = || Iterate {
            x: vec![T::zero(); columns],
            residual: vec![T::zero(); rows],
            gradient: vec![T::zero(); columns],
        };
        Self {
            operator: problem.operator,
            data: problem.data,
            penalties,
            now: iterate(),
            before: iterate(),
            next: (vec![T::zero(); columns], vec![T::zero(); rows]),
        }
    }

    /// What was before is the same as now.
    fn forget(&mut self) {
        self.before.x.copy_from_slice(&self.now.x);
        self.before.residual.copy_from_slice(&self.now.residual);
        self.before.gradient.copy_from_slice(&self.now.gradient);
    }

    /// x⁺ ← shrunk z − t∇f(z), without groups.
    fn step(&mut self, length: f64, momentum: f64) {
        let Self { penalties, now, before, next, .. } = self;
        let pieces = next.0.par_chunks_mut(PIECE).enumerate();
        pieces.for_each(|(piece, out)| {
            let first = piece * PIECE;
            for (k, out) in out.iter_mut().enumerate() {
                let i = first + k;
                let z = extrapolated(now.x[i], before.x[i], momentum);
                let gradient = extrapolated(now.gradient[i], before.gradient[i], momentum);
                *out = T::of(penalties.shrink(z - length * gradient, length * penalties.l1(i)));
            }
        });
    }

    /// Shrinks the groups of x⁺; Σ_g λ_g ‖x_g⁺‖.
    fn shrink_groups(&mut self, length: f64) -> f64 {
        let Some(groups) = self.penalties.groups else { return 0.0 };
        let next = &mut self.next.0;
        let mut penalty = 0.0;
        for (members, weight) in groups.iter() {
            let norm = super::regulariser::norm(members.iter().map(|&m| next[m as usize]));
            let factor = Penalties::<T>::shrink_group(norm, length * weight);
            for &m in members {
                next[m as usize] = T::of(next[m as usize].wide() * factor);
            }
            penalty += weight * super::regulariser::norm(members.iter().map(|&m| next[m as usize]));
        }
        penalty
    }
}

/// a + β(a − a′).
fn extrapolated<T: Real>(now: T, before: T, momentum: f64) -> f64 {
    now.wide() + momentum * (now.wide() - before.wide())
}

/// Sums over pieces of vectors of this length, added in order.
fn sums<const N: usize>(length: usize, terms: impl Fn(usize) -> [f64; N] + Sync) -> [f64; N] {
    let of_piece = |piece: usize| {
        let mut sums = [0.0; N];
        for i in piece * PIECE..((piece + 1) * PIECE).min(length) {
            let terms = terms(i);
            for n in 0..N {
                sums[n] += terms[n];
            }
        }
        sums
    };
    let pieces: Vec<[f64; N]> = (0..length.div_ceil(PIECE)).into_par_iter().map(of_piece).collect();
    pieces.iter().fold([0.0; N], |all, piece| std::array::from_fn(|n| all[n] + piece[n]))
}

impl<T: Real, A: LinearOperator<T>> Engine<T> for CpuEngine<'_, T, A> {
    type Error = Infallible;

    fn begin(&mut self) -> Result<(), Infallible> {
        self.now.x.fill(T::zero());
        for (r, &y) in self.now.residual.iter_mut().zip(self.data) {
            *r = -y;
        }
        self.operator.adjoint(&self.now.residual, &mut self.now.gradient);
        self.forget();
        Ok(())
    }

    fn restart_at(&mut self, x: &[T]) -> Result<(), Infallible> {
        self.now.x.copy_from_slice(x);
        self.operator.forward(x, &mut self.now.residual);
        vector::subtract(&mut self.now.residual, self.data);
        self.operator.adjoint(&self.now.residual, &mut self.now.gradient);
        self.forget();
        Ok(())
    }

    fn propose(&mut self, length: f64, momentum: f64) -> Result<Proposal, Infallible> {
        self.step(length, momentum);
        let of_groups = self.shrink_groups(length);
        let Self { operator, data, penalties, now, before, next: (next, residual) } = self;
        let [moved, turn, l1, support] = sums(next.len(), |i| {
            let (x, after) = (now.x[i].wide(), next[i].wide());
            let step = after - extrapolated(now.x[i], before.x[i], momentum);
            let l1 = if after == 0.0 { 0.0 } else { penalties.l1(i) * after.abs() };
            [step * step, -step * (after - x), l1, if after == 0.0 { 0.0 } else { 1.0 }]
        });
        operator.forward(next, residual);
        vector::subtract(residual, data);
        let [image, norm] = sums(residual.len(), |i| {
            let r = residual[i].wide();
            let image = r - extrapolated(now.residual[i], before.residual[i], momentum);
            [image * image, r * r]
        });
        Ok(Proposal {
            residual: norm,
            penalty: l1 + of_groups,
            moved,
            image,
            turn,
            support: support as usize,
        })
    }

    fn accept(&mut self) -> Result<(), Infallible> {
        std::mem::swap(&mut self.now, &mut self.before);
        std::mem::swap(&mut self.now.x, &mut self.next.0);
        std::mem::swap(&mut self.now.residual, &mut self.next.1);
        self.operator.adjoint(&self.now.residual, &mut self.now.gradient);
        Ok(())
    }

    fn state(&mut self) -> Result<State<T>, Infallible> {
        let Iterate { x, residual, gradient } = &self.now;
        Ok(State { x: x.clone(), residual: residual.clone(), gradient: gradient.clone() })
    }
}
