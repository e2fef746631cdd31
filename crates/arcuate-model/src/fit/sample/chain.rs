//! Samples the posterior by Metropolis within Gibbs (Metropolis et al. 1953; Behrens et al. 2003,
//! doi:10.1002/mrm.10609), in sixteen voxels at once. Parameters move one after the other. Each move is a
//! normally distributed step, and its width adapts to an acceptance rate of one half. Orientations turn on
//! the sphere, in a uniformly distributed direction.
//!
//! The result of a SIMD lane depends only on the voxel that the lane processes. Random numbers depend on the
//! voxel's index in the image, the number of the chain and the number of the move. Sums over measurements are
//! added pairwise in a fixed order (`Tree`). GPU threads that share a voxel therefore get the same bits.
//! `proposal.rs` computes and judges the moves. Generated GPU kernels run the same code.

use super::density::half_precision;
use super::moves::{Move, Moved};
use super::plan::{ChainPlan, ChainState, Likelihood};
use super::proposal::{Current, Draws, Proposal, adapted, add_term, bounded};
use crate::fit::arithmetic::{Comparisons, LaneFlags};
use crate::fit::interpreter::{Interpreter, Row, WIDTH};
use crate::fit::progress::Count;
use crate::special::watson::Series;
use arcuate_compute::{Purpose, random_blocks};
use arcuate_core::Result;
use arcuate_numbers::{Lanes, Operations, Real};

/// Number of partial sums in a sum over measurements. The term of measurement m is added to the partial sum
/// with the index m modulo this number.
pub(super) const PARTS: usize = 32;
/// Smallest root mean square residual of a voxel, as a fraction of the signal without diffusion weighting. It
/// keeps sums of squared residuals above 0.
pub(crate) const MIN_RESIDUAL: f64 = 1e-6;
/// Number of sweeps of a chain between two checks whether the user cancelled the run. They take some
/// hundredths of a second for the slowest models.
const SWEEPS_BETWEEN_LOOKS: u32 = 64;

/// A sum over measurements, stored as partial sums. At the end, the partial sums are added pairwise in a
/// fixed order.
#[derive(Debug, Clone)]
struct Tree<T: Real>([Row<T>; PARTS]);

impl<T: Real> Tree<T> {
    #[inline(always)]
    fn new() -> Self {
        Self([Lanes::all(0.0); PARTS])
    }

    #[inline(always)]
    fn total(mut self) -> Row<T> {
        let mut half = PARTS / 2;
        while half > 0 {
            for n in 0..half {
                self.0[n] = self.0[n] + self.0[n + half];
            }
            half /= 2;
        }
        self.0[0]
    }
}

/// The input of one chain of one voxel, which one SIMD lane processes.
pub(crate) struct Lane<'a, T> {
    /// The index of the voxel in the image, with the number of the chain in the higher bits.
    pub(crate) item: u64,
    pub(crate) factor: T,
    pub(crate) signals: &'a [f32],
    pub(crate) maps: &'a [T],
    pub(crate) usable: u32,
}

/// Chains of sixteen voxels, one voxel per SIMD lane.
pub(crate) struct Chains<'a, T: Series> {
    plan: &'a ChainPlan<T>,
    all: Interpreter<T>,
    none: Interpreter<T>,
    of: Vec<Interpreter<T>>,
    items: [u64; WIDTH],
    factors: Row<T>,
    inverse_factors: Row<T>,
    usable: Row<T>,
    /// The exponent 2 / n for n measurements.
    inverse_half: Row<T>,
    least: Row<T>,
    /// Measured signals of the voxels in the SIMD lanes. An unusable signal is replaced by 0, and its
    /// predicted signal has the weight 0.
    signals: Vec<Row<T>>,
    weights: Vec<Row<T>>,
    maps: Vec<Row<T>>,
    /// The current parameter values of the chains (`numbers`), and those of the proposed move (`trial`). The
    /// noise σ is the last value.
    numbers: Vec<Row<T>>,
    trial: Vec<Row<T>>,
    widths: Vec<Row<T>>,
    accepted: Vec<[u32; WIDTH]>,
    totals: Vec<[u32; WIDTH]>,
    /// Values per measurement that are kept from one move to the next, value by value for all measurements.
    /// `tried` has the values for the proposed move.
    kept: Vec<Row<T>>,
    tried: Vec<Row<T>>,
    kept_of_voxel: Vec<Row<T>>,
    cost: Row<T>,
    /// The factor 1 / (2 σ²) of the current noise σ.
    of_sigma: Row<T>,
}

impl<'a, T: Series> Chains<'a, T> {
    pub(crate) fn new(plan: &'a ChainPlan<T>) -> Self {
        let zero = Lanes::all(0.0);
        let measurements = plan.measurements;
        let interpreter = |one: &Move| Interpreter::new(&one.schedule, measurements);
        Self {
            plan,
            all: interpreter(&plan.moves.all),
            none: interpreter(&plan.moves.none),
            of: plan.moves.of.iter().map(interpreter).collect(),
            items: [0; WIDTH],
            factors: zero,
            inverse_factors: zero,
            usable: zero,
            inverse_half: zero,
            least: zero,
            signals: vec![zero; measurements],
            weights: vec![zero; measurements],
            maps: Vec::new(),
            numbers: vec![zero; plan.state_numbers()],
            trial: vec![zero; plan.state_numbers()],
            widths: vec![zero; plan.of.len()],
            accepted: vec![[0; WIDTH]; plan.of.len()],
            totals: vec![[0; WIDTH]; plan.of.len()],
            kept: vec![zero; plan.moves.kept * measurements],
            tried: vec![zero; plan.moves.kept * measurements],
            kept_of_voxel: vec![zero; plan.moves.kept_of_voxel],
            cost: zero,
            of_sigma: zero,
        }
    }

    /// Continues the chains of these voxels from a state, and updates the state. The samples of each voxel
    /// are written to the voxel's part of `samples`, one sample after the other. Returns an error if the run
    /// was cancelled.
    #[inline(always)]
    pub(crate) fn run(
        &mut self,
        lanes: &[Lane<'_, T>],
        first_voxel: usize,
        state: &mut ChainState<T>,
        samples: &mut [T],
        count: &Count<'_>,
    ) -> Result<()> {
        self.enter(lanes, first_voxel, state);
        self.evaluate_all();
        let plan = self.plan;
        let numbers = plan.sample_numbers();
        let per_voxel = plan.samples() * numbers;
        for sweep in state.sweeps..plan.burn_in + plan.jumps {
            if sweep % SWEEPS_BETWEEN_LOOKS == 0 {
                count.check()?;
            }
            let counts = sweep >= plan.burn_in;
            for which in 0..plan.of.len() {
                let draws = self.draw(sweep, which);
                self.step(which, &draws, counts);
            }
            if (sweep + 1) % plan.window == 0 {
                self.adapt(sweep < plan.burn_in || plan.adapts_throughout);
            }
            if let Some(sample) = plan.sample_behind(sweep) {
                for lane in 0..lanes.len() {
                    let out = &mut samples[lane * per_voxel + sample * numbers..][..numbers];
                    for (out, number) in out.iter_mut().zip(&self.numbers) {
                        *out = number.0[lane];
                    }
                }
            }
        }
        self.leave(lanes.len(), first_voxel, state);
        Ok(())
    }

    /// Loads the signals of voxels and the states of their chains into the SIMD lanes.
    #[inline(always)]
    fn enter(&mut self, lanes: &[Lane<'_, T>], first_voxel: usize, state: &ChainState<T>) {
        let (numbers, moves) = (self.plan.state_numbers(), self.plan.of.len());
        self.maps = vec![Lanes::all(0.0); lanes[0].maps.len()];
        for lane in 0..WIDTH {
            // SIMD lanes without a voxel of their own repeat the voxel of the first lane.
            let from = if lane < lanes.len() { lane } else { 0 };
            let Lane { item, factor, signals, maps, usable } = lanes[from];
            let voxel = first_voxel + from;
            self.items[lane] = item;
            self.factors.0[lane] = factor;
            self.inverse_factors.0[lane] = T::of(1.0) / factor;
            self.usable.0[lane] = T::of(f64::from(usable));
            self.inverse_half.0[lane] = T::of(2.0) / T::of(f64::from(usable.max(1)));
            self.least.0[lane] = T::of(MIN_RESIDUAL * MIN_RESIDUAL) * T::of(f64::from(usable));
            for n in 0..numbers {
                self.numbers[n].0[lane] = state.numbers[voxel * numbers + n];
            }
            for n in 0..moves {
                self.widths[n].0[lane] = state.widths[voxel * moves + n];
                self.accepted[n][lane] = state.accepted[voxel * moves + n];
                self.totals[n][lane] = state.total[voxel * moves + n];
            }
            for (n, value) in maps.iter().enumerate() {
                self.maps[n].0[lane] = *value;
            }
            self.measure(lane, signals, factor);
        }
    }

    /// Loads the signals of a voxel. Rician noise needs positive signals. With this noise, signals that are
    /// not positive are replaced by the smallest positive signal of the voxel.
    #[inline(always)]
    fn measure(&mut self, lane: usize, signals: &[f32], factor: T) {
        let mut smallest = T::of(f64::INFINITY);
        for m in 0..signals.len() {
            let signal = T::of(f64::from(signals[m])) * factor;
            let is_usable = signal.size() < T::of(f64::INFINITY);
            self.signals[m].0[lane] = if is_usable { signal } else { T::of(0.0) };
            self.weights[m].0[lane] = if is_usable { T::of(1.0) } else { T::of(0.0) };
            if signal > T::of(0.0) {
                smallest = signal.smaller(smallest);
            }
        }
        if self.plan.likelihood == Likelihood::Rician {
            for m in 0..signals.len() {
                let signal = &mut self.signals[m].0[lane];
                let weight = self.weights[m].0[lane];
                *signal = if *signal <= T::of(0.0) { smallest * weight } else { *signal };
            }
        }
    }

    fn leave(&self, count: usize, first_voxel: usize, state: &mut ChainState<T>) {
        let (numbers, moves) = (self.plan.state_numbers(), self.plan.of.len());
        for lane in 0..count {
            let voxel = first_voxel + lane;
            for n in 0..numbers {
                state.numbers[voxel * numbers + n] = self.numbers[n].0[lane];
            }
            for n in 0..moves {
                state.widths[voxel * moves + n] = self.widths[n].0[lane];
                state.accepted[voxel * moves + n] = self.accepted[n][lane];
                state.total[voxel * moves + n] = self.totals[n][lane];
            }
        }
    }

    /// Draws the random numbers of a move. Each move of a chain has its own block of four random 32-bit
    /// words.
    #[inline(always)]
    fn draw(&self, sweep: u32, which: usize) -> Draws<Row<T>> {
        let block = u64::from(sweep) * self.plan.of.len() as u64 + which as u64;
        let bits = random_blocks(self.plan.random_seed, Purpose::Sampling, &self.items, block);
        let mut words: [Row<T>; 4] = [Lanes::all(0.0); 4];
        for n in 0..4 {
            for lane in 0..WIDTH {
                words[n].0[lane] = T::of_bits(bits[n][lane]);
            }
        }
        let turns = words[0].flag(matches!(self.plan.of[which].moved, Moved::Orientation(_)));
        Draws::new(words, turns, self.plan.likelihood, self.inverse_half)
    }

    /// Proposes a move of one parameter, and accepts or rejects it.
    #[inline(always)]
    fn step(&mut self, which: usize, draws: &Draws<Row<T>>, counts: bool) {
        let plan = self.plan;
        let one = &plan.of[which];
        for n in 0..self.numbers.len() {
            self.trial[n] = self.numbers[n];
        }
        let drawn = (self.widths[which], draws.step);
        let mut proposal = Proposal::new(plan, one, drawn, self.inverse_factors, &mut self.trial);
        proposal.add_fall(self.formulas_fall(which));
        let cost = self.evaluate(which, one.moved);
        let current = Current {
            cost: self.cost,
            sigma: self.numbers[plan.numbers],
            of_sigma: self.of_sigma,
            usable: self.usable,
            inverse_half: self.inverse_half,
        };
        let kind = (plan.likelihood, one.moved);
        let proposed = (cost, self.trial[plan.numbers]);
        let is_better = current.accepts(kind, proposed, draws.room, proposal.prior_falls);
        self.take(which, one.moved, cost, is_better & proposal.is_allowed, counts);
    }

    /// Returns by how much the energies (−ln density) of priors given as formulas decrease in a move. Returns
    /// `None` if no such prior changes.
    fn formulas_fall(&self, which: usize) -> Option<Row<T>> {
        let formulas = self.plan.formulas.as_ref()?;
        let of = |numbers: &[Row<T>]| formulas.energy(which, numbers, &self.maps, self.factors);
        let (before, after) = (of(&self.numbers)?, of(&self.trial)?);
        let mut falls = Lanes::all(0.0);
        for lane in 0..WIDTH {
            falls.0[lane] = T::of(before.0[lane] - after.0[lane]);
        }
        Some(falls)
    }

    /// Computes all values that are kept between moves, and the cost of the current parameter values.
    #[inline(always)]
    fn evaluate_all(&mut self) {
        let measurements = self.plan.measurements;
        for n in 0..self.numbers.len() {
            self.trial[n] = self.numbers[n];
        }
        self.all.set_inputs_with(&[], &self.numbers, &self.maps, &[]);
        for &(which, place) in &self.plan.moves.all.changed_of_voxel {
            self.kept_of_voxel[which] = self.all.voxel_value(place);
        }
        let mut tree = Tree::new();
        let mut first = 0;
        while first < measurements {
            let count = self.all.block(first);
            for n in 0..self.plan.moves.kept {
                self.kept[n * measurements + first..][..count].copy_from_slice(self.all.result(1 + n, count));
            }
            let noise = (self.plan.likelihood, self.trial[self.plan.numbers]);
            let measured = (&self.signals[first..], &self.weights[first..]);
            add(&mut tree, first, self.all.result(0, count), measured, noise);
            first += count;
        }
        self.cost = bounded(self.plan.likelihood, tree.total(), self.least);
        self.of_sigma = half_precision(self.numbers[self.plan.numbers]);
    }

    /// Returns the cost of the proposed parameter values.
    #[inline(always)]
    fn evaluate(&mut self, which: usize, moved: Moved) -> Row<T> {
        let measurements = self.plan.measurements;
        let (interpreter, changed) = match moved {
            // If a move changes only the noise σ, the residuals do not change.
            Moved::Noise if self.plan.likelihood == Likelihood::Gaussian => return self.cost,
            Moved::Noise => (&mut self.none, &[][..]),
            _ => (&mut self.of[which], &self.plan.moves.of[which].changed[..]),
        };
        interpreter.set_inputs_with(&[], &self.trial, &self.maps, &self.kept_of_voxel);
        let mut tree = Tree::new();
        let mut first = 0;
        while first < measurements {
            let count = interpreter.block_with(first, &self.kept);
            for (n, which) in changed.iter().enumerate() {
                let out = &mut self.tried[*which * measurements + first..][..count];
                out.copy_from_slice(interpreter.result(1 + n, count));
            }
            let noise = (self.plan.likelihood, self.trial[self.plan.numbers]);
            let measured = (&self.signals[first..], &self.weights[first..]);
            add(&mut tree, first, interpreter.result(0, count), measured, noise);
            first += count;
        }
        bounded(self.plan.likelihood, tree.total(), self.least)
    }

    /// Stores the proposed values as the current state of the chain, in SIMD lanes that accept the move.
    #[inline(always)]
    fn take(&mut self, which: usize, moved: Moved, cost: Row<T>, taken: LaneFlags<T>, counts: bool) {
        let taken = taken.0;
        let (zero, measurements) = (Lanes::all(0.0), self.plan.measurements);
        self.cost = taken.if_above(zero, cost, self.cost);
        for lane in 0..WIDTH {
            let is_taken = u32::from(taken.0[lane] > T::of(0.0));
            self.accepted[which][lane] += is_taken;
            self.totals[which][lane] += if counts { is_taken } else { 0 };
        }
        if moved == Moved::Noise {
            let n = self.plan.numbers;
            self.numbers[n] = taken.if_above(zero, self.trial[n], self.numbers[n]);
            self.of_sigma = half_precision(self.numbers[n]);
            return;
        }
        for n in moved.places() {
            self.numbers[n] = taken.if_above(zero, self.trial[n], self.numbers[n]);
        }
        let one = &self.plan.moves.of[which];
        for &(n, place) in &one.changed_of_voxel {
            let kept = &mut self.kept_of_voxel[n];
            *kept = taken.if_above(zero, self.of[which].voxel_value(place), *kept);
        }
        for n in &one.changed {
            let range = n * measurements..(n + 1) * measurements;
            for m in range {
                self.kept[m] = taken.if_above(zero, self.tried[m], self.kept[m]);
            }
        }
    }

    /// Adapts the proposal widths of all moves to an acceptance rate of one half, and resets the counts of
    /// accepted moves.
    #[inline(always)]
    fn adapt(&mut self, changes: bool) {
        let window = Lanes::all(f64::from(self.plan.window));
        for which in 0..self.widths.len() {
            let mut accepted: Row<T> = window;
            for lane in 0..WIDTH {
                accepted.0[lane] = T::of_bits(self.accepted[which][lane]);
            }
            if changes {
                self.widths[which] = adapted(self.widths[which], accepted, window);
            }
            self.accepted[which] = [0; WIDTH];
        }
    }
}

/// Adds the cost terms of a block of measurements to their sum. `first` is the index of the first measurement
/// in the block.
#[inline(always)]
fn add<T: Real>(
    tree: &mut Tree<T>,
    first: usize,
    predicted: &[Row<T>],
    (signals, weights): (&[Row<T>], &[Row<T>]),
    (likelihood, sigma): (Likelihood, Row<T>),
) {
    let half = if likelihood == Likelihood::Rician { half_precision(sigma) } else { sigma };
    let noise = [half, half + half];
    // Each loop has a constant likelihood, so that it has no branch.
    if likelihood == Likelihood::Rician {
        for m in 0..predicted.len() {
            let sum = &mut tree.0[(first + m) % PARTS];
            *sum = add_term(Likelihood::Rician, *sum, predicted[m], (signals[m], weights[m]), noise);
        }
        return;
    }
    for m in 0..predicted.len() {
        let sum = &mut tree.0[(first + m) % PARTS];
        *sum = add_term(Likelihood::Gaussian, *sum, predicted[m], (signals[m], weights[m]), noise);
    }
}
