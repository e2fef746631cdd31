//! Samples the posterior by Metropolis within Gibbs (Metropolis et al. 1953; Behrens et al. 2003,
//! doi:10.1002/mrm.10609), in sixteen voxels at once. Parameters move one after the other. Each move is a
//! normally distributed step, and its width adapts to an acceptance rate of one half. Orientations turn on
//! the sphere, in a uniformly distributed direction.
//!
//! The result of a SIMD lane depends only on the voxel that the lane processes. Random numbers depend on the
//! voxel's index in the image, the number of the chain and the number of the move. Sums over measurements are
//! added pairwise in a fixed order (`total`). GPU threads that share a voxel therefore get the same bits.
//! `step.rs` and `proposal.rs` compute and judge the moves. Generated GPU kernels run the same code.

use super::moves::{Move, Moved};
use super::plan::{ChainPlan, ChainState, Likelihood};
use super::proposal::{Draws, PARTS, adapted, add_term, total};
use super::step::{Chain, Measurements};
use crate::fit::arithmetic::{Comparisons, Flag, LaneFlags};
use crate::fit::evaluation::{get_lane, set_lane};
use crate::fit::interpreter::{Interpreter, Row, WIDTH};
use crate::fit::progress::Count;
use arcuate_compute::{Purpose, random_blocks};
use arcuate_core::Result;
use arcuate_numbers::{Lanes, Real};

/// Number of sweeps of a chain between two checks whether the user cancelled the run. They take some
/// hundredths of a second for the slowest models.
const SWEEPS_BETWEEN_LOOKS: u32 = 64;

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
pub(crate) struct Chains<'a, T: Real> {
    plan: &'a ChainPlan<T>,
    signals: Measured<'a, T>,
    items: [u64; WIDTH],
    widths: Vec<Row<T>>,
    accepted: Vec<[u32; WIDTH]>,
    totals: Vec<[u32; WIDTH]>,
}

impl<'a, T: Real> Chains<'a, T> {
    pub(crate) fn new(plan: &'a ChainPlan<T>) -> Self {
        Self {
            plan,
            signals: Measured::new(plan),
            items: [0; WIDTH],
            widths: vec![Lanes::all(0.0); plan.of.len()],
            accepted: vec![[0; WIDTH]; plan.of.len()],
            totals: vec![[0; WIDTH]; plan.of.len()],
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
        let plan = self.plan;
        let mut chain = self.enter(lanes, first_voxel, state);
        chain.evaluate_all(plan, &mut self.signals);
        let numbers = plan.sample_numbers();
        for sweep in state.sweeps..plan.burn_in + plan.jumps {
            if sweep % SWEEPS_BETWEEN_LOOKS == 0 {
                count.check()?;
            }
            for which in 0..plan.of.len() {
                let drawn = (self.widths[which], self.draw(sweep, which, chain.inverse_half));
                let taken = chain.step(plan, which, drawn, &mut self.signals);
                for lane in 0..WIDTH {
                    let is_taken = u32::from(taken.is_set(lane));
                    self.accepted[which][lane] += is_taken;
                    self.totals[which][lane] += if sweep >= plan.burn_in { is_taken } else { 0 };
                }
            }
            if (sweep + 1) % plan.window == 0 {
                self.adapt(sweep < plan.burn_in || plan.adapts_throughout);
            }
            if let Some(sample) = plan.sample_behind(sweep) {
                let of_voxels = samples.chunks_mut(plan.samples() * numbers).enumerate();
                for (lane, of_voxel) in of_voxels {
                    get_lane(&chain.numbers, lane, &mut of_voxel[sample * numbers..][..numbers]);
                }
            }
        }
        for lane in 0..lanes.len() {
            let voxel = first_voxel + lane;
            let [numbers, moves] = ChainState::ranges(plan, &(voxel..voxel + 1));
            get_lane(&chain.numbers, lane, &mut state.numbers[numbers]);
            get_lane(&self.widths, lane, &mut state.widths[moves.clone()]);
            for (n, place) in moves.enumerate() {
                (state.accepted[place], state.total[place]) = (self.accepted[n][lane], self.totals[n][lane]);
            }
        }
        Ok(())
    }

    /// Loads the signals of voxels and the states of their chains into the SIMD lanes.
    #[inline(always)]
    fn enter(&mut self, lanes: &[Lane<'_, T>], first_voxel: usize, state: &ChainState<T>) -> Chain<Row<T>> {
        let (plan, zero) = (self.plan, Lanes::all(0.0));
        let (mut numbers, mut maps) = (vec![zero; plan.state_numbers()], vec![zero; lanes[0].maps.len()]);
        let mut scales = [zero; 2];
        for lane in 0..WIDTH {
            // SIMD lanes without a voxel of their own repeat the voxel of the first lane.
            let from = if lane < lanes.len() { lane } else { 0 };
            let Lane { item, factor, signals, maps: own_maps, usable } = lanes[from];
            self.items[lane] = item;
            set_lane(&mut scales, lane, &[factor, T::of(f64::from(usable))]);
            set_lane(&mut maps, lane, own_maps);
            let voxel = first_voxel + from;
            let [of_numbers, of_moves] = ChainState::ranges(plan, &(voxel..voxel + 1));
            set_lane(&mut numbers, lane, &state.numbers[of_numbers]);
            set_lane(&mut self.widths, lane, &state.widths[of_moves.clone()]);
            for (n, place) in of_moves.enumerate() {
                (self.accepted[n][lane], self.totals[n][lane]) = (state.accepted[place], state.total[place]);
            }
            self.signals.load(lane, signals, factor);
        }
        Chain::new((numbers, maps), plan.moves.kept_of_voxel, scales, |value| value)
    }

    /// Draws the random numbers of a move. Each move of a chain has its own block of four random 32-bit
    /// words.
    #[inline(always)]
    fn draw(&self, sweep: u32, which: usize, inverse_half: Row<T>) -> Draws<Row<T>> {
        let block = u64::from(sweep) * self.plan.of.len() as u64 + which as u64;
        let bits = random_blocks(self.plan.random_seed, Purpose::Sampling, &self.items, block);
        let mut words: [Row<T>; 4] = [Lanes::all(0.0); 4];
        for n in 0..4 {
            for lane in 0..WIDTH {
                words[n].0[lane] = T::of_bits(bits[n][lane]);
            }
        }
        let turns = words[0].flag(matches!(self.plan.of[which].moved, Moved::Orientation(_)));
        Draws::new(words, turns, self.plan.likelihood, inverse_half)
    }

    /// Adapts the proposal widths of all moves to an acceptance rate of one half, and resets the counts of
    /// accepted moves.
    #[inline(always)]
    fn adapt(&mut self, changes: bool) {
        let window = Lanes::all(f64::from(self.plan.window));
        for (width, accepted) in self.widths.iter_mut().zip(&mut self.accepted) {
            if changes {
                *width = adapted(*width, Lanes(accepted.map(T::of_bits)), window);
            }
            *accepted = [0; WIDTH];
        }
    }
}

/// The measured signals of sixteen voxels.
struct Measured<'a, T: Real> {
    plan: &'a ChainPlan<T>,
    /// The moves in the order of their numbers, and the number of the last evaluated move.
    interpreters: Vec<Interpreter<T>>,
    last: usize,
    /// An unusable signal is replaced by 0, and its predicted signal has the weight 0.
    signals: Vec<Row<T>>,
    weights: Vec<Row<T>>,
    /// Values per measurement that are kept from one move to the next, value by value for all measurements.
    /// `tried` has the values for the proposed move.
    kept: Vec<Row<T>>,
    tried: Vec<Row<T>>,
}

impl<'a, T: Real> Measured<'a, T> {
    fn new(plan: &'a ChainPlan<T>) -> Self {
        let (measurements, zero) = (plan.measurements, Lanes::all(0.0));
        let interpreter = |one: &Move| Interpreter::new(&one.schedule, measurements);
        Self {
            plan,
            interpreters: plan.moves.every().map(interpreter).collect(),
            last: 0,
            signals: vec![zero; measurements],
            weights: vec![zero; measurements],
            kept: vec![zero; plan.moves.kept * measurements],
            tried: vec![zero; plan.moves.kept * measurements],
        }
    }

    /// Loads the signals of a voxel. Rician noise needs positive signals. With this noise, signals that are
    /// not positive are replaced by the smallest positive signal of the voxel.
    #[inline(always)]
    fn load(&mut self, lane: usize, signals: &[f32], factor: T) {
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
}

impl<T: Real> Measurements<Row<T>> for Measured<'_, T> {
    #[inline(always)]
    fn evaluate(&mut self, number: usize, chain: &Chain<Row<T>>, noise: [Row<T>; 2]) -> Row<T> {
        let Self { plan, interpreters, signals, weights, kept, tried, .. } = self;
        let mut sums = [Lanes::all(0.0); PARTS];
        self.last = number;
        interpreters[number].set_inputs(&[], &chain.trial, &chain.maps, &chain.kept);
        interpreters[number].blocks(
            kept,
            #[inline(always)]
            |of, block| {
                for (n, which) in plan.moves.get(number).changed.iter().enumerate() {
                    let out = &mut tried[which * plan.measurements..][block.clone()];
                    out.copy_from_slice(of.result(1 + n, &block));
                }
                let measured = (&signals[block.clone()], &weights[block.clone()]);
                let predicted = of.result(0, &block);
                // Each loop has a constant likelihood, so that it has no branch.
                if plan.likelihood == Likelihood::Rician {
                    add::<true, T>(&mut sums, block.start, predicted, measured, noise);
                } else {
                    add::<false, T>(&mut sums, block.start, predicted, measured, noise);
                }
            },
        );
        total(&mut sums)
    }

    #[inline(always)]
    fn of_voxel(&self, place: usize) -> Row<T> {
        self.interpreters[self.last].voxel_value(place)
    }

    #[inline(always)]
    fn take(&mut self, one: &Move, taken: LaneFlags<T>) {
        for n in &one.changed {
            for m in n * self.plan.measurements..(n + 1) * self.plan.measurements {
                self.kept[m] = taken.choose(self.tried[m], self.kept[m]);
            }
        }
    }

    fn formulas_fall(&self, which: usize, chain: &Chain<Row<T>>) -> Option<Row<T>> {
        let formulas = self.plan.formulas.as_ref()?;
        let of = |numbers: &[Row<T>]| formulas.energy(which, numbers, &chain.maps, chain.factor);
        let falls = of(&chain.numbers)? - of(&chain.trial)?;
        Some(Lanes(falls.0.map(T::of)))
    }
}

/// Adds the cost terms of a block of measurements to their partial sums. `first` is the index of the first
/// measurement in the block.
#[inline(always)]
fn add<const RICIAN: bool, T: Real>(
    sums: &mut [Row<T>; PARTS],
    first: usize,
    predicted: &[Row<T>],
    (signals, weights): (&[Row<T>], &[Row<T>]),
    noise: [Row<T>; 2],
) {
    let likelihood = if RICIAN { Likelihood::Rician } else { Likelihood::Gaussian };
    for m in 0..predicted.len() {
        let sum = &mut sums[(first + m) % PARTS];
        *sum = add_term(likelihood, *sum, predicted[m], (signals[m], weights[m]), noise);
    }
}
