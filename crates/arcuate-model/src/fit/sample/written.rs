//! Generates the GPU kernel of Markov chains, in which several threads of a warp (lanes) share a voxel.
//! `step.rs` and `proposal.rs` compute and judge the moves, as on the CPU. With n lanes per voxel, a lane holds
//! every n-th measurement of the voxel, and the values kept for these measurements (`measurements.rs`). Every lane
//! holds the values that belong to the voxel itself.

mod measurements;

use super::moves::Moved;
use super::plan::{ChainPlan, Likelihood};
use super::proposal::{Draws, adapted};
use super::shape::{SWEEPS, Shape};
use super::step::Chain;
use crate::fit::arithmetic::{InMemory, Stored};
use arcuate_compute::Purpose;
use arcuate_compute::cuda::WrittenKernel;
use arcuate_compute::cuda::writer::{Kind, Pointer, Space, Value, Variable, Writer, random_block};
use arcuate_core::narrow;
use measurements::Measured;

/// Generates the GPU kernel that runs a model's chains. Its first arguments are the seed, the number of
/// voxels, the number of measurements, and the number of the chain. Then follow the first sweep, burn-in,
/// jumps, interval, window, and whether widths always adapt. The inputs are next: signals, items, factors,
/// usable measurements, maps and the numbers of the measurements. The last arguments are parameter values,
/// proposal widths, accepted proposals, proposals accepted after the burn-in, and samples.
pub(super) fn sample(plan: &ChainPlan<f32>, shape: &Shape, map_count: usize) -> WrittenKernel {
    let name = if plan.likelihood == Likelihood::Rician { "sample_rician" } else { "sample_gaussian" };
    let w = Writer::new(name);
    let seed = w.parameter(Kind::U64);
    let [voxels, measurements, chain_number, first, burn_in, jumps, interval, window, adapts] =
        [(); 9].map(|()| w.parameter(Kind::U32));
    let [signals, items, factors, usable, maps, columns] = [(); 6].map(|()| w.pointer(Space::Read));
    let [numbers, widths, accepted, totals, samples] = [(); 5].map(|()| w.pointer(Space::Global));
    let memory = w.shared();
    let (zero, one) = (voxels.all(0.0), voxels.all(1.0));

    fill_table(&w, shape, columns, memory, measurements);
    let thread = w.thread();
    let lane = thread & thread.all(f64::from(shape.lanes - 1));
    let group = thread >> shape.lanes.trailing_zeros();
    let wanted = w.block() * zero.all(f64::from(shape.threads / shape.lanes)) + group;
    // Groups of GPU threads without a voxel of their own repeat the last voxel and store nothing.
    let is_wanted = wanted.below(voxels);
    let voxel = is_wanted.choose(wanted, voxels - one);
    let shared = memory.offset(shape.table_bytes()).further(group, shape.voxel_bytes());
    let beside = memory.offset(shape.table_bytes() + shape.voxels_bytes()).further(thread, 16);
    let of_voxel = |array, count| InMemory::of_item(array, voxel, Kind::F32, count);
    let usable = usable.element(voxel, Kind::U32).load(Kind::U32).to(Kind::F32);
    let factor = factors.element(voxel, Kind::F32).load(Kind::F32);
    let state = of_voxel(numbers, plan.state_numbers());
    let variables = state.iter().map(|number| w.variable(number.now())).collect();
    let maps = of_voxel(maps, map_count).iter().map(Stored::now).collect();
    let item = items.element(voxel, Kind::U32).load(Kind::U32);
    let mut sampler = Sampler {
        w: &w,
        plan,
        shape,
        seed,
        item: (chain_number.to(Kind::U64) << 32) | item.to(Kind::U64),
        lane,
        is_wanted,
        shared,
        chain: Chain::new((variables, maps), plan.moves.kept_of_voxel, [factor, usable], |n| w.variable(n)),
        signals: Measured::new(&w, (plan, shape), [memory.further(lane, 4 * shape.stride), beside]),
        accepted: w.variables(shape.moves.div_ceil(shape.lanes) as usize, zero),
        draws: w.variable(shared.address()),
    };
    let end = burn_in + jumps;
    let of_moves = || [widths, accepted, totals].map(|array| array.further(voxel, 4 * shape.moves));
    sampler.load_moves(of_moves(), first.at_least(burn_in));
    let own_signals = signals.element(voxel.to(Kind::U64) * measurements.to(Kind::U64), Kind::F32);
    sampler.signals.load(own_signals, [lane, measurements, factor]);
    sampler.chain.evaluate_all(plan, &mut sampler.signals);
    sampler.run([first, burn_in, jumps, interval, window, adapts], samples, voxel);
    // These addresses are computed again, because holding them would need registers.
    sampler.store_numbers(of_voxel(numbers, plan.state_numbers()));
    w.end_when(!is_wanted);
    sampler.store_moves(of_moves(), end.above(burn_in));
    w.finish(shape.threads, shape.blocks)
}

/// Copies the numbers of the measurements (b, g and so on) to shared memory. Each measurement has a multiple
/// of four values there. The values after the last measurement are 0.
fn fill_table<'w>(
    w: &'w Writer,
    shape: &Shape,
    columns: Pointer<'w>,
    memory: Pointer<'w>,
    measurements: Value<'w>,
) {
    let whole = |value: u32| w.constant(Kind::U32, f64::from(value));
    let (stride, column_count) = (whole(shape.stride), whole(shape.columns));
    let length = whole(shape.lanes * shape.rounds * shape.stride);
    if shape.stride > 0 {
        w.count_from(w.thread(), length, whole(shape.threads), |n| {
            let m = n / stride;
            let column = n - m * stride;
            let value = w.variable(w.constant(Kind::F32, 0.0));
            w.when(m.below(measurements) & column.below(column_count), || {
                let place = columns.element(m * column_count + column, Kind::F32);
                value.set(place.load(Kind::F32));
            });
            memory.element(n, Kind::F32).store(value.now());
        });
    }
    w.wait_for_block();
}

/// The chain of a voxel in the generated kernel.
struct Sampler<'a, 'w> {
    w: &'w Writer,
    plan: &'a ChainPlan<f32>,
    shape: &'a Shape,
    seed: Value<'w>,
    item: Value<'w>,
    lane: Value<'w>,
    is_wanted: Value<'w>,
    /// Shared memory for one voxel. It contains the random numbers of several sweeps. For each move, it also
    /// contains the proposal width and two numbers of accepted proposals. The first counts from the end of
    /// the burn-in. The second counts from the last adaptation within the burn-in.
    shared: Pointer<'w>,
    chain: Chain<Variable<'w>>,
    signals: Measured<'a, 'w>,
    /// Counts of accepted proposals. A lane counts every n-th move.
    accepted: Vec<Variable<'w>>,
    /// Position in shared memory of the random numbers for the current sweep.
    draws: Variable<'w>,
}

impl<'w> Sampler<'_, 'w> {
    fn whole(&self, value: u32) -> Value<'w> {
        self.w.constant(Kind::U32, f64::from(value))
    }

    fn width(&self, which: Value<'w>) -> Pointer<'w> {
        self.shared.offset(self.shape.widths_at()).element(which, Kind::F32)
    }

    fn total(&self, which: Value<'w>) -> Pointer<'w> {
        self.shared.offset(self.shape.totals_at()).element(which, Kind::U32)
    }

    fn before(&self, which: Value<'w>) -> Pointer<'w> {
        self.shared.offset(self.shape.before_at()).element(which, Kind::U32)
    }

    /// Generates code that runs `of_move` for each move that this GPU thread handles. The arguments of
    /// `of_move` are the index of the move, and its number of accepted proposals.
    fn own_moves(&self, of_move: impl Fn(Value<'w>, Variable<'w>)) {
        for (group, accepted) in self.accepted.iter().enumerate() {
            let which = self.lane + self.whole(narrow::<u32>(group) * self.shape.lanes);
            self.w.when(which.below(self.whole(self.shape.moves)), || of_move(which, *accepted));
        }
    }

    /// Generates code that loads the proposal widths and the numbers of accepted proposals. `has_counted` is
    /// set if the burn-in is complete.
    fn load_moves(&self, [widths, accepted, totals]: [Pointer<'w>; 3], has_counted: Value<'w>) {
        self.own_moves(|which, own| {
            own.set(accepted.element(which, Kind::U32).load(Kind::U32));
            self.width(which).store(widths.element(which, Kind::F32).load(Kind::F32));
            self.total(which).store(totals.element(which, Kind::U32).load(Kind::U32));
            self.before(which).store(has_counted.choose(own.now(), self.whole(0)));
        });
        self.w.wait_for_warp();
    }

    /// Generates code that stores the proposal widths and the numbers of accepted proposals. `has_jumps` is
    /// set if there are sweeps after the burn-in.
    fn store_moves(&self, [widths, accepted, totals]: [Pointer<'w>; 3], has_jumps: Value<'w>) {
        self.own_moves(|which, own| {
            widths.element(which, Kind::F32).store(self.width(which).load(Kind::F32));
            let counted = own.now() - self.before(which).load(Kind::U32);
            let counted = has_jumps.choose(counted, self.whole(0));
            totals.element(which, Kind::U32).store(self.total(which).load(Kind::U32) + counted);
            accepted.element(which, Kind::U32).store(own.now());
        });
    }

    /// Generates code that stores parameter values in memory. Each value is stored by one of the threads that
    /// share the voxel.
    fn store_numbers(&self, out: Vec<InMemory<'w>>) {
        for ((n, mut place), number) in (0..).zip(out).zip(&self.chain.numbers) {
            let is_own = self.lane.equals(self.whole(n % self.shape.lanes));
            self.w.when(is_own & self.is_wanted, || place.set(number.now()));
        }
    }

    /// Generates code that runs the sweeps of the chain from the sweep `first` on. `jumps` is the number of sweeps
    /// after the burn-in. `adapts` is not 0 if widths adapt after the burn-in, too.
    fn run(
        &mut self,
        [first, burn_in, jumps, interval, window, adapts]: [Value<'w>; 6],
        samples: Pointer<'w>,
        voxel: Value<'w>,
    ) {
        let (w, one) = (self.w, self.whole(1));
        let has_counted = first.at_least(burn_in);
        // Number of remaining sweeps until the proposal widths adapt, number of remaining sweeps until the
        // next sample, and index of this sample.
        let until_window = w.variable(window - first.rest_of(window));
        let until_sample = w.variable(interval);
        let sample_number = w.variable(voxel.to(Kind::U64) * (jumps / interval).to(Kind::U64));
        w.when(has_counted, || {
            let behind = first - burn_in;
            sample_number.add((behind / interval).to(Kind::U64));
            until_sample.set(interval - behind.rest_of(interval));
        });
        let all_drawn = self.whole(SWEEPS);
        let slot = w.variable(all_drawn);
        w.count_from(first, burn_in + jumps, one, |sweep| {
            // The machine code of a sweep exceeds the instruction cache. Warps that run a sweep at the same
            // time fetch its code only once.
            w.wait_for_block();
            w.when(slot.now().equals(all_drawn), || {
                self.draw(sweep);
                slot.set(self.whole(0));
            });
            self.draws.set(self.shared.further(slot.now(), 16 * self.shape.moves).address());
            slot.add(one);
            w.when(sweep.equals(burn_in) & !has_counted, || {
                self.own_moves(|which, accepted| self.before(which).store(accepted.now()));
            });
            for which in 0..self.shape.moves {
                self.step(which);
            }
            until_window.set(until_window.now() - one);
            let is_behind = sweep.at_least(burn_in);
            w.when(until_window.now().equals(self.whole(0)), || {
                self.adapt(window, !is_behind | adapts.differs(self.whole(0)), is_behind);
                until_window.set(window);
            });
            w.when(is_behind, || {
                until_sample.set(until_sample.now() - one);
                w.when(until_sample.now().equals(self.whole(0)), || {
                    until_sample.set(interval);
                    let count = self.plan.sample_numbers();
                    self.store_numbers(InMemory::of_item(samples, sample_number.now(), Kind::F32, count));
                    sample_number.add(sample_number.now().all(1.0));
                });
            });
        });
    }

    /// Generates code that draws the random numbers of several sweeps. `first` is the first of these sweeps.
    fn draw(&self, first: Value<'w>) {
        let (w, moves) = (self.w, self.shape.moves);
        w.wait_for_warp();
        let turns =
            self.plan.of.iter().enumerate().filter(|(_, one)| matches!(one.moved, Moved::Orientation(_)));
        let turning: u64 = turns.fold(0, |bits, (n, _)| bits | 1 << n);
        w.count_from(self.lane, self.whole(SWEEPS * moves), self.whole(self.shape.lanes), |n| {
            let which = n.rest_of(self.whole(moves));
            let block = first.to(Kind::U64) * first.to(Kind::U64).all(f64::from(moves)) + n.to(Kind::U64);
            let words = self.random_block(block).map(|word| word.to(Kind::F32));
            let turning = w.bits(turning) >> which;
            let turns = (turning & turning.all(1.0)).differs(turning.all(0.0));
            let Draws { step: [x, y, z], room } =
                Draws::new(words, turns, self.plan.likelihood, self.chain.inverse_half);
            self.shared.further(n, 16).store_four([x, y, z, room]);
        });
        w.wait_for_warp();
    }

    /// Returns four random 32-bit words for the voxel. The generator is Philox4x32-10, as in `Random` of
    /// `arcuate_compute`.
    fn random_block(&self, block: Value<'w>) -> [Value<'w>; 4] {
        let low = |value: Value<'w>| value.to(Kind::U32);
        let high = |value: Value<'w>| low(value >> 32);
        let purpose = self.whole(Purpose::Sampling as u32);
        let counter = [low(block), low(self.item), high(self.item), purpose | (high(block) << 8)];
        random_block(counter, [low(self.seed), high(self.seed)])
    }

    /// Generates code that proposes a move of one parameter, and accepts or rejects it.
    fn step(&mut self, which: u32) {
        let [x, y, z, room] = self.shared.at(self.draws.now()).offset(16 * which).load_four(Kind::F32);
        let width = self.width(self.whole(which)).load(Kind::F32);
        let drawn = (width, Draws { step: [x, y, z], room });
        let taken = self.chain.step(self.plan, which as usize, drawn, &mut self.signals);
        let is_own = self.lane.equals(self.whole(which % self.shape.lanes));
        let one = (taken & is_own).choose(self.whole(1), self.whole(0));
        self.accepted[(which / self.shape.lanes) as usize].add(one);
    }

    /// Generates code that adapts the proposal widths at the end of a window of sweeps, and resets the
    /// numbers of accepted proposals. Each GPU thread handles some of the moves.
    fn adapt(&self, window: Value<'w>, changes: Value<'w>, counts: Value<'w>) {
        let (w, zero) = (self.w, self.whole(0));
        w.wait_for_warp();
        self.own_moves(|which, accepted| {
            w.when(changes, || {
                let (width, of_window) = (self.width(which), accepted.now().to(Kind::F32));
                width.store(adapted(width.load(Kind::F32), of_window, window.to(Kind::F32)));
            });
            w.when(counts, || {
                let counted = accepted.now() - self.before(which).load(Kind::U32);
                self.total(which).store(self.total(which).load(Kind::U32) + counted);
            });
            self.before(which).store(zero);
            accepted.set(zero);
        });
        w.wait_for_warp();
    }
}
