//! The vectors of FISTA, and the passes over them.

use super::regulariser::Penalties;
use crate::Real;
use crate::engine::{Layout, Products, Vector, if_zero, pass};
use arcuate_numbers::Operations;
use std::marker::PhantomData;
use std::mem::swap;

/// The λ_i of each unknown. It exists only if one of them is not 0.
const L1: Vector = Vector::Unknowns(5);

/// Positions of the sums: those over the unknowns (moved, turn, L1, support), the penalty of groups, and those
/// over the data (image, residual, largest).
const UNKNOWNS: usize = 0;
const GROUPS: usize = 4;
const DATA: usize = 5;

/// `l1` states whether there are λ_i.
pub(crate) fn layout(l1: bool) -> Layout {
    Layout { unknowns: 5 + usize::from(l1), data: 3, sums: 8 }
}

/// Returns the extrapolated value a + β(a − a′), where a′ is the previous value and β is the momentum.
#[inline(always)]
fn extrapolated<N: Operations>(now: N, before: N, momentum: N) -> N {
    now + momentum * (now - before)
}

/// Returns the soft threshold of v or, if `non_negative` is 1 and not 0, [v − threshold]₊.
#[inline(always)]
fn shrunk<N: Operations>(v: N, threshold: N, non_negative: N) -> N {
    let (zero, below) = (v.known(0.0), v - threshold);
    let soft = threshold.if_reaches(v.size(), zero, v.if_above(zero, below, v + threshold));
    non_negative.if_above(zero, below.if_above(zero, below, zero), soft)
}

/// Returns the contributions of an unknown to four sums over a step from z to x⁺, each as two factors. The
/// sums are ‖x⁺ − z‖², ⟨z − x⁺, x⁺ − x⟩, Σ λ_i |x_i⁺| and the number of non-zero x_i⁺.
#[inline(always)]
fn terms<N: Operations>(new: N, [x, old]: [N; 2], l1: N, momentum: N) -> [[N; 2]; 4] {
    let (step, zero, one) = (new - extrapolated(x, old, momentum), new.known(0.0), new.known(1.0));
    // The penalty of an unknown that must stay 0 is infinite.
    let (penalty, held) = (if_zero(new, zero, l1), if_zero(new, zero, one));
    [[step, step], [-step, new - x], [penalty, new.size()], [held, one]]
}

pass! {
    /// Sets x⁺ to the shrunk z − t∇f(z) with the extrapolated point z and the step length t, without penalties
    /// on groups. Sums: [`terms`].
    fn proximal_step(round, [length, momentum, non_negative], [_], [x, old, q, old_q, l1]) {
        let (z, gradient) = (extrapolated(x, old, momentum), extrapolated(q, old_q, momentum));
        let new = round(shrunk(z - length * gradient, length * l1, non_negative));
        let [[a, b], [c, d], [e, f], [g, h]] = terms(new, [x, old], l1, momentum);
    } -> [new], sums [a * b, c * d, e * f, g * h];

    /// Sums: [`terms`] of x⁺.
    fn proximal_moved(_, [momentum], [], [new, x, old, l1]) {
        let [[a, b], [c, d], [e, f], [g, h]] = terms(new, [x, old], l1, momentum);
    } -> [], sums [a * b, c * d, e * f, g * h];

    /// Subtracts the data from the product A x⁺. Sums: ‖A(x⁺ − z)‖² and the squared residual.
    fn proximal_residual(round, [momentum], [r], [y, now, before]) {
        let r = round(r - y);
        let image = r - extrapolated(now, before, momentum);
    } -> [r], sums [image * image, r * r], largest;
}

/// An iterate of FISTA: the unknowns x, and the residual r = Ax − y.
#[derive(Debug, Clone, Copy)]
struct Iterate {
    x: Vector,
    residual: Vector,
}

/// The vectors of FISTA on a device. They are the current unknowns x and the previous unknowns x′, their
/// residuals r = Ax − y, and their gradients q = Aᵀr. The extrapolated point is z = x + β(x − x′) with the
/// momentum β. The residual and the gradient at z are the same linear combination of those at x and x′.
pub(super) struct Vectors<T, E> {
    engine: E,
    now: Iterate,
    before: Iterate,
    /// The next unknowns x⁺ that a step proposes.
    next: Iterate,
    gradient: Vector,
    gradient_before: Vector,
    l1: Vector,
    non_negative: f64,
    has_groups: bool,
    precision: PhantomData<T>,
}

/// Sums that decide whether the proposed unknowns x⁺ are accepted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Proposal {
    /// The squared residual ‖Ax⁺ − y‖².
    pub(super) residual: f64,
    /// The penalty R(x⁺).
    pub(super) penalty: f64,
    /// The squared step ‖x⁺ − z‖².
    pub(super) moved: f64,
    /// The squared norm of the product of A with the step, ‖A(x⁺ − z)‖².
    pub(super) image: f64,
    /// The inner product ⟨z − x⁺, x⁺ − x⟩. If it is positive, the momentum moves the unknowns uphill.
    pub(super) turn: f64,
    /// Number of non-zero unknowns in x⁺.
    pub(super) support: usize,
}

/// An iterate of FISTA on the host.
#[derive(Debug, Clone)]
pub(super) struct State<T> {
    pub(super) x: Vec<T>,
    pub(super) residual: Vec<T>,
    pub(super) gradient: Vec<T>,
}

impl<T: Real, E: Products<T>> Vectors<T, E> {
    /// Sets x = x′ = 0. This function computes one product. The vectors of `engine` must still be 0.
    pub(super) fn new(mut engine: E, penalties: &Penalties<'_, T>) -> Result<Self, E::Error> {
        let l1 = if penalties.l1.is_empty() { Vector::Zero } else { L1 };
        if l1 == L1 {
            engine.set(L1, &penalties.l1)?;
        }
        let iterate = |n| Iterate { x: Vector::Unknowns(n), residual: Vector::Data(n) };
        let mut vectors = Self {
            engine,
            now: iterate(0),
            before: iterate(1),
            next: iterate(2),
            gradient: Vector::Unknowns(3),
            gradient_before: Vector::Unknowns(4),
            l1,
            non_negative: f64::from(u8::from(penalties.non_negative)),
            has_groups: penalties.groups.is_some(),
            precision: PhantomData,
        };
        vectors.subtract_data(0.0)?;
        vectors.accept_and_forget()?;
        Ok(vectors)
    }

    /// Sets x and the previous x′ to the given vector. This function computes one product with A and one with
    /// Aᵀ.
    pub(super) fn restart_at(&mut self, x: &[T]) -> Result<(), E::Error> {
        self.engine.set(self.next.x, x)?;
        self.engine.forward(self.next.x, self.next.residual)?;
        self.subtract_data(0.0)?;
        self.accept_and_forget()
    }

    /// Computes the residual of the proposed unknowns x⁺ from the product A x⁺.
    fn subtract_data(&mut self, momentum: f64) -> Result<(), E::Error> {
        let read = [Vector::Given, self.now.residual, self.before.residual];
        self.engine.pass(proximal_residual, [momentum], [self.next.residual], read, Some(DATA))
    }

    /// Accepts the proposed unknowns, and copies the current iterate to the previous one.
    fn accept_and_forget(&mut self) -> Result<(), E::Error> {
        self.accept()?;
        self.engine.copy(self.now.x, self.before.x)?;
        self.engine.copy(self.now.residual, self.before.residual)?;
        self.engine.copy(self.gradient, self.gradient_before)
    }

    /// Computes the proposed unknowns x⁺ = prox(z − t ∇f(z)) with the step length t, and their residual. This
    /// function computes one product with A.
    pub(super) fn propose(&mut self, length: f64, momentum: f64) -> Result<Proposal, E::Error> {
        let Self { engine, now, before, next, l1, .. } = self;
        let scalars = [length, momentum, self.non_negative];
        let read = [now.x, before.x, self.gradient, self.gradient_before, *l1];
        let sums = (!self.has_groups).then_some(UNKNOWNS);
        engine.pass(proximal_step, scalars, [next.x], read, sums)?;
        if self.has_groups {
            engine.shrink_groups(next.x, length, GROUPS)?;
            let read = [next.x, now.x, before.x, *l1];
            engine.pass(proximal_moved, [momentum], [], read, Some(UNKNOWNS))?;
        }
        engine.forward(next.x, next.residual)?;
        self.subtract_data(momentum)?;
        let sums = self.engine.sums()?;
        let [moved, turn, l1, support] = [0, 1, 2, 3].map(|n| sums[UNKNOWNS + n]);
        let (penalty, support) = (l1 + sums[GROUPS], support as usize);
        Ok(Proposal { residual: sums[DATA + 1], penalty, moved, image: sums[DATA], turn, support })
    }

    /// Accepts the proposed unknowns x⁺: sets x′ ← x and x ← x⁺, and computes the gradient of the new x. This
    /// function computes one product with Aᵀ.
    pub(super) fn accept(&mut self) -> Result<(), E::Error> {
        swap(&mut self.now, &mut self.before);
        swap(&mut self.now, &mut self.next);
        swap(&mut self.gradient, &mut self.gradient_before);
        self.engine.adjoint(self.now.residual, DATA + 2)?;
        self.engine.take(self.gradient)
    }

    /// Returns the current unknowns x, their residual r and their gradient q.
    pub(super) fn state(&self) -> Result<State<T>, E::Error> {
        let get = |vector| self.engine.get(vector);
        Ok(State { x: get(self.now.x)?, residual: get(self.now.residual)?, gradient: get(self.gradient)? })
    }
}
