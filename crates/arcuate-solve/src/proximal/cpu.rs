//! The vectors of FISTA on the CPU.

use super::ProximalProblem;
use super::engine::{Engine, Proposal, State};
use super::regulariser::Penalties;
use crate::{LinearOperator, Real, vector};
use std::convert::Infallible;

/// An iterate of the solver FISTA: the unknowns x, the residual r = Ax − y, and q = Aᵀr.
struct Iterate<T> {
    x: Vec<T>,
    residual: Vec<T>,
    gradient: Vec<T>,
}

pub(crate) struct CpuEngine<'a, T> {
    operator: &'a dyn LinearOperator<T>,
    data: &'a [T],
    penalties: &'a Penalties<'a, T>,
    now: Iterate<T>,
    before: Iterate<T>,
    /// The next unknowns x⁺ that a step proposes, and their residual.
    next: (Vec<T>, Vec<T>),
}

impl<'a, T: Real> CpuEngine<'a, T> {
    pub(crate) fn new(problem: &ProximalProblem<'a, T>, penalties: &'a Penalties<'a, T>) -> Self {
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

    /// Copies the current iterate to the previous iterate.
    fn forget(&mut self) {
        self.before.x.copy_from_slice(&self.now.x);
        self.before.residual.copy_from_slice(&self.now.residual);
        self.before.gradient.copy_from_slice(&self.now.gradient);
    }

    /// Sets x⁺ ← shrunk z − t∇f(z) with the extrapolated point z and the step length t, without penalties on
    /// groups. Returns the [`sums`](Self::sums) of this proposal.
    fn step(&mut self, length: f64, momentum: f64) -> [f64; 4] {
        let Self { penalties, now, before, next, .. } = self;
        let new = |[x, old, q, old_q]: [T; 4], l1: f64| {
            let z = extrapolated(x, old, momentum);
            let gradient = extrapolated(q, old_q, momentum);
            T::of(penalties.shrink(z - length * gradient, length * l1))
        };
        let [x, old, q, old_q] = [&now.x, &before.x, &now.gradient, &before.gradient].map(Vec::as_slice);
        if penalties.l1.is_empty() {
            vector::pass([&mut next.0], [x, old, q, old_q], |_, read| {
                let new = new(read, 0.0);
                ([new], terms(new, [read[0], read[1]], 0.0, momentum))
            })
        } else {
            vector::pass([&mut next.0], [x, old, q, old_q, &penalties.l1], |_, [x, old, q, old_q, l1]| {
                let new = new([x, old, q, old_q], l1.double());
                ([new], terms(new, [x, old], l1.double(), momentum))
            })
        }
    }

    /// Returns four sums over a proposed step from the extrapolated point z to x⁺. The sums are ‖x⁺ − z‖², ⟨z
    /// − x⁺, x⁺ − x⟩, Σ λ_i |x_i⁺| and the number of non-zero x_i⁺.
    fn sums(&self, momentum: f64) -> [f64; 4] {
        let Self { penalties, now, before, next, .. } = self;
        if penalties.l1.is_empty() {
            vector::pass([], [&next.0, &now.x, &before.x], |[], [new, x, old]| {
                ([], terms(new, [x, old], 0.0, momentum))
            })
        } else {
            vector::pass([], [&next.0, &now.x, &before.x, &penalties.l1], |[], [new, x, old, l1]| {
                ([], terms(new, [x, old], l1.double(), momentum))
            })
        }
    }

    /// Shrinks the groups of x⁺. Returns their penalty Σ_g λ_g ‖x_g⁺‖.
    fn shrink_groups(&mut self, length: f64) -> f64 {
        let Some(groups) = self.penalties.groups else { return 0.0 };
        let next = &mut self.next.0;
        let mut penalty = 0.0;
        for (members, weight) in groups.iter() {
            let norm = super::regulariser::norm(members.iter().map(|&m| next[m as usize]));
            let factor = Penalties::<T>::shrink_group(norm, length * weight);
            for &m in members {
                next[m as usize] = T::of(next[m as usize].double() * factor);
            }
            penalty += weight * super::regulariser::norm(members.iter().map(|&m| next[m as usize]));
        }
        penalty
    }
}

/// Returns the extrapolated value a + β(a − a′), where a′ is the previous value and β is the momentum.
#[inline(always)]
fn extrapolated<T: Real>(now: T, before: T, momentum: f64) -> f64 {
    now.double() + momentum * (now.double() - before.double())
}

/// Returns the contributions of one unknown to the sums of [`CpuEngine::sums`].
#[inline(always)]
fn terms<T: Real>(new: T, [x, old]: [T; 2], l1: f64, momentum: f64) -> [f64; 4] {
    let after = new.double();
    let step = after - extrapolated(x, old, momentum);
    // The unknown is compared with 0 first, because its penalty may be infinite.
    let (penalty, held) = if after == 0.0 { (0.0, 0.0) } else { (l1 * after.abs(), 1.0) };
    [step * step, -step * (after - x.double()), penalty, held]
}

impl<T: Real> Engine<T> for CpuEngine<'_, T> {
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
        let mut sums = self.step(length, momentum);
        let mut of_groups = 0.0;
        if self.penalties.groups.is_some() {
            of_groups = self.shrink_groups(length);
            sums = self.sums(momentum);
        }
        let [moved, turn, l1, support] = sums;
        let Self { operator, data, now, before, next: (next, residual), .. } = self;
        operator.forward(next, residual);
        let read = [*data, &now.residual, &before.residual];
        let [image, norm] = vector::pass([residual], read, |[r], [y, now, before]| {
            let residual = r - y;
            let wide = residual.double();
            let image = wide - extrapolated(now, before, momentum);
            ([residual], [image * image, wide * wide])
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
