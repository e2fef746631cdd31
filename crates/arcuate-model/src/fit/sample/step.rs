//! The moves of a Markov chain. The CPU (`chain.rs`) and the generated GPU kernel (`written.rs`) run the same
//! code.

use super::density::half_precision;
use super::moves::{Move, Moved, Moves};
use super::plan::{ChainPlan, Likelihood};
use super::proposal::{Current, Draws, Proposal, bounded};
use crate::fit::arithmetic::{Comparisons, Flag, FlagOf, Stored};
use arcuate_numbers::{Operations, Real};

/// Smallest root mean square residual of a voxel, as a fraction of the signal without diffusion weighting. It
/// keeps sums of squared residuals above 0.
pub(crate) const MIN_RESIDUAL: f64 = 1e-6;

/// The chain of a voxel (or the chains of sixteen voxels).
pub(super) struct Chain<V: Stored> {
    /// The current parameter values, and those of the proposed move (`trial`). The noise σ is the last value.
    pub(super) numbers: Vec<V>,
    pub(super) trial: Vec<V::Number>,
    pub(super) maps: Vec<V::Number>,
    /// Values per voxel that are kept from one move to the next.
    pub(super) kept: Vec<V>,
    /// The factor that scales the signals, and its inverse.
    pub(super) factor: V::Number,
    inverse_factor: V::Number,
    cost: V,
    /// The factor 1 / (2 σ²) of the current noise σ.
    of_sigma: V,
    usable: V::Number,
    /// The exponent 2 / n for n measurements.
    pub(super) inverse_half: V::Number,
    least: V::Number,
}

/// The measurements of a voxel, and the values that are kept for them. A GPU thread has some of the measurements
/// of a voxel, and the CPU has those of sixteen voxels in blocks.
pub(super) trait Measurements<V: Stored> {
    /// Returns the sum of the cost's terms at the trial values of a chain, after a move with this number
    /// ([`Moves::get`]). `noise` contains the factors 1 / (2 σ²) and 1 / σ², which only Rician noise needs.
    fn evaluate(&mut self, which: usize, chain: &Chain<V>, noise: [V::Number; 2]) -> V::Number;
    /// Returns a value per voxel that the last evaluation has computed.
    fn of_voxel(&self, place: usize) -> V::Number;
    /// Stores the kept values that the last evaluation has computed, where the move was accepted.
    fn take(&mut self, one: &Move, taken: FlagOf<V::Number>);
    /// Returns by how much the energies (−ln density) of priors given as formulas decrease in a move. Returns
    /// `None` if no such prior changes.
    fn formulas_fall(&self, which: usize, chain: &Chain<V>) -> Option<V::Number>;
}

impl<V: Stored> Chain<V> {
    /// `usable` is the number of usable measurements. `make` makes variables.
    pub(super) fn new(
        (numbers, maps): (Vec<V>, Vec<V::Number>),
        kept: usize,
        [factor, usable]: [V::Number; 2],
        make: impl Fn(V::Number) -> V,
    ) -> Self {
        let (zero, one) = (factor.known(0.0), factor.known(1.0));
        let trial: Vec<V::Number> = numbers.iter().map(Stored::now).collect();
        Self {
            kept: (0..kept).map(|_| make(zero)).collect(),
            factor,
            inverse_factor: one / factor,
            cost: make(zero),
            of_sigma: make(half_precision(trial[trial.len() - 1])),
            usable,
            inverse_half: factor.known(2.0) / usable.larger(one),
            least: factor.known(MIN_RESIDUAL * MIN_RESIDUAL) * usable,
            numbers,
            trial,
            maps,
        }
    }

    /// Computes all kept values, and the cost of the current parameter values.
    #[inline(always)]
    pub(super) fn evaluate_all<T: Real>(&mut self, plan: &ChainPlan<T>, of: &mut impl Measurements<V>) {
        let cost = self.evaluate(plan, Moves::ALL, false, of);
        self.take(plan, Moves::ALL, cost, self.factor.flag(true), of);
    }

    /// Proposes a move of one parameter, and accepts or rejects it. Returns whether the move is accepted.
    #[inline(always)]
    pub(super) fn step<T: Real>(
        &mut self,
        plan: &ChainPlan<T>,
        which: usize,
        (width, draws): (V::Number, Draws<V::Number>),
        of: &mut impl Measurements<V>,
    ) -> FlagOf<V::Number> {
        let of_plan = &plan.of[which];
        let moved = of_plan.moved;
        for (trial, number) in self.trial.iter_mut().zip(&self.numbers) {
            *trial = number.now();
        }
        let drawn = (width, draws.step);
        let mut proposal = Proposal::new(plan, of_plan, drawn, self.inverse_factor, &mut self.trial);
        proposal.add_fall(of.formulas_fall(which, self));
        let moves_noise = moved == Moved::Noise;
        // If a move changes only the noise σ of normal noise, the residuals do not change.
        let keeps_cost = moves_noise && plan.likelihood == Likelihood::Gaussian;
        let number = if moves_noise { Moves::NONE } else { Moves::FIRST + which };
        let cost = if keeps_cost { self.cost.now() } else { self.evaluate(plan, number, moves_noise, of) };
        let sigma = &self.numbers[plan.numbers];
        let current = Current {
            cost: self.cost.now(),
            sigma: sigma.now(),
            of_sigma: self.of_sigma.now(),
            usable: self.usable,
            inverse_half: self.inverse_half,
        };
        let proposed = (cost, self.trial[plan.numbers]);
        let is_better = current.accepts((plan.likelihood, moved), proposed, draws.room, proposal.prior_falls);
        let taken = is_better & proposal.is_allowed;
        if !keeps_cost {
            self.take(plan, number, cost, taken, of);
        }
        let places = if moves_noise { plan.numbers..plan.numbers + 1 } else { moved.places() };
        for place in places {
            let number = &mut self.numbers[place];
            number.set(taken.choose(self.trial[place], number.now()));
        }
        if moves_noise {
            self.of_sigma.set(half_precision(self.numbers[plan.numbers].now()));
        }
        taken
    }

    /// Returns the cost of the trial values, after a move with this number.
    #[inline(always)]
    fn evaluate<T: Real>(
        &mut self,
        plan: &ChainPlan<T>,
        number: usize,
        moves_noise: bool,
        of: &mut impl Measurements<V>,
    ) -> V::Number {
        let half = match (plan.likelihood == Likelihood::Rician, moves_noise) {
            (true, true) => half_precision(self.trial[plan.numbers]),
            (true, false) => self.of_sigma.now(),
            (false, _) => self.factor.known(0.0),
        };
        let sum = of.evaluate(number, self, [half, half + half]);
        bounded(plan.likelihood, sum, self.least)
    }

    /// Stores the cost and the kept values of a move where it was accepted.
    #[inline(always)]
    fn take<T: Real>(
        &mut self,
        plan: &ChainPlan<T>,
        number: usize,
        cost: V::Number,
        taken: FlagOf<V::Number>,
        of: &mut impl Measurements<V>,
    ) {
        let one = plan.moves.get(number);
        self.cost.set(taken.choose(cost, self.cost.now()));
        for &(n, place) in &one.changed_of_voxel {
            let kept = &mut self.kept[n];
            kept.set(taken.choose(of.of_voxel(place), kept.now()));
        }
        of.take(one, taken);
    }
}
