//! Generates the GPU kernel of Markov chains, in which several threads of a warp (lanes) share a voxel.
//! `proposal.rs` computes and judges the moves, as on the CPU. With n lanes per voxel, a lane holds every n-th
//! measurement of the voxel, and the values kept for these measurements. Every lane holds the values that
//! belong to the voxel itself.

use super::chain::{MIN_RESIDUAL, PARTS};
use super::density::half_precision;
use super::moves::{Move, Moved};
use super::plan::{ChainPlan, Likelihood, MovePlan};
use super::proposal::{Current, Draws, Proposal, adapted, add_term, bounded};
use super::shape::{SWEEPS, Shape};
use crate::fit::schedule::VoxelInput;
use crate::fit::written::Steps;
use arcuate_compute::Purpose;
use arcuate_compute::cuda::WrittenKernel;
use arcuate_compute::cuda::writer::{Kind, Pointer, Space, Value, Variable, Writer};
use arcuate_core::narrow;
use std::cell::RefCell;

/// Generates the GPU kernel that runs a model's chains. Its first arguments are the seed, the number of
/// voxels, the number of measurements, the number of the chain, the first sweep, burn-in, jumps, interval,
/// window, and whether widths always adapt. The inputs follow: signals, items, factors, usable measurements,
/// maps and the numbers of the measurements. The last arguments are parameter values, proposal widths,
/// accepted proposals, proposals accepted after the burn-in, and samples.
pub(super) fn sample(plan: &ChainPlan<f32>, shape: &Shape, map_count: usize) -> WrittenKernel {
    let name = if plan.likelihood == Likelihood::Rician { "sample_rician" } else { "sample_gaussian" };
    let w = Writer::new(name);
    let seed = w.parameter(Kind::U64);
    let [voxels, measurements, chain_number, first_sweep, burn_in, jumps, interval, window, adapts] =
        [(); 9].map(|()| w.parameter(Kind::U32));
    let [signals, items, factors, usable, maps, columns] = [(); 6].map(|()| w.pointer(Space::Read));
    let [numbers, widths, accepted, totals, samples] = [(); 5].map(|()| w.pointer(Space::Global));
    let memory = w.shared();
    let (zero, one) = (voxels.all(0.0), voxels.all(1.0));
    let (f32_bytes, state) = (Kind::F32.bytes(), narrow::<u32>(plan.state_numbers()));

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
    let of_voxel = numbers.further(voxel, f32_bytes * state);
    let usable = usable.element(voxel, Kind::U32).load(Kind::U32);
    let usable_or_one = usable.differs(zero).choose(usable, one).to(Kind::F32);
    let factor = factors.element(voxel, Kind::F32).load(Kind::F32);
    let own_maps = maps.further(voxel, f32_bytes * narrow::<u32>(map_count));
    let real = |value: f64| w.constant(Kind::F32, value);
    let variables = |count: usize| w.variables(count, real(0.0));
    let number = |n: usize| of_voxel.offset(f32_bytes * narrow::<u32>(n)).load(Kind::F32);
    let sigma = number(plan.numbers);
    let chain = Chain {
        w: &w,
        plan,
        shape,
        seed,
        item: (chain_number.to(Kind::U64) << 32)
            | items.element(voxel, Kind::U32).load(Kind::U32).to(Kind::U64),
        lane,
        table: memory.further(lane, 4 * shape.stride),
        shared,
        beside,
        numbers: (0..=plan.numbers).map(|n| w.variable(number(n))).collect(),
        maps: (0..map_count).map(|n| own_maps.offset(f32_bytes * narrow::<u32>(n)).load(Kind::F32)).collect(),
        signals: variables(shape.rounds as usize),
        kept: (0..plan.moves.kept).map(|_| variables(shape.rounds as usize)).collect(),
        held: variables(plan.moves.kept_of_voxel),
        cost: w.variable(real(0.0)),
        of_sigma: w.variable(half_precision(sigma)),
        usable: usable.to(Kind::F32),
        inverse_half: real(2.0) / usable_or_one,
        factor,
        inverse_factor: real(1.0) / factor,
        least: real(f64::from((MIN_RESIDUAL * MIN_RESIDUAL) as f32)) * usable.to(Kind::F32),
        accepted: w.variables(shape.moves.div_ceil(shape.lanes) as usize, zero),
        draws: w.variable(shared.address()),
    };
    let has_counted = first_sweep.at_least(burn_in);
    // These addresses are computed again at the end of the kernel, because holding them would need registers.
    let of_moves = || [widths, accepted, totals].map(|of_all| of_all.further(voxel, 4 * shape.moves));
    let [own_widths, own_accepted, own_totals] = of_moves();
    chain.own_moves(|which, group| {
        let so_far = w.variable(own_accepted.element(which, Kind::U32).load(Kind::U32));
        chain.accepted[group].set(so_far.now());
        chain.width(which).store(own_widths.element(which, Kind::F32).load(Kind::F32));
        chain.total(which).store(own_totals.element(which, Kind::U32).load(Kind::U32));
        chain.before(which).store(has_counted.choose(so_far.now(), zero));
    });
    w.wait_for_warp();
    let own_signals = signals.element(voxel.to(Kind::U64) * measurements.to(Kind::U64), Kind::F32);
    chain.measure(own_signals, measurements, factor);
    chain.evaluate_all();

    let end = burn_in + jumps;
    // Number of remaining sweeps until the proposal widths adapt, number of remaining sweeps until the next
    // sample, and index of this sample.
    let until_window = w.variable(window - first_sweep.rest_of(window));
    let until_sample = w.variable(interval);
    let sample_numbers = narrow::<u32>(plan.sample_numbers());
    let bytes_of_sample = f32_bytes * sample_numbers;
    let samples_of_voxel = jumps / interval;
    let sample_number = w.variable(voxel.to(Kind::U64) * samples_of_voxel.to(Kind::U64));
    w.when(has_counted, || {
        let behind = first_sweep - burn_in;
        sample_number.add((behind / interval).to(Kind::U64));
        until_sample.set(interval - behind.rest_of(interval));
    });
    let slot = w.variable(zero.all(f64::from(SWEEPS)));
    w.count_from(first_sweep, end, one, |sweep| {
        // The machine code of a sweep exceeds the instruction cache. Warps that run a sweep at the same time
        // fetch its code only once.
        w.wait_for_block();
        w.when(slot.now().equals(zero.all(f64::from(SWEEPS))), || {
            chain.draw(sweep);
            slot.set(zero);
        });
        chain.draws.set(shared.further(slot.now(), 16 * shape.moves).address());
        slot.add(one);
        w.when(sweep.equals(burn_in) & !has_counted, || {
            chain.own_moves(|which, group| chain.before(which).store(chain.accepted[group].now()));
        });
        for (which, of_plan) in plan.of.iter().enumerate() {
            chain.step(narrow::<u32>(which), of_plan);
        }
        until_window.set(until_window.now() - one);
        let is_behind = sweep.at_least(burn_in);
        w.when(until_window.now().equals(zero), || {
            chain.adapt(window, !is_behind | adapts.differs(zero), is_behind);
            until_window.set(window);
        });
        w.when(is_behind, || {
            until_sample.set(until_sample.now() - one);
            w.when(until_sample.now().equals(zero), || {
                until_sample.set(interval);
                let out = samples.further(sample_number.now(), bytes_of_sample);
                chain.store_numbers(out, sample_numbers, is_wanted);
                sample_number.add(sample_number.now().all(1.0));
            });
        });
    });
    chain.store_numbers(numbers.further(voxel, f32_bytes * state), state, is_wanted);
    w.end_when(!is_wanted);
    let [own_widths, own_accepted, own_totals] = of_moves();
    chain.own_moves(|which, group| {
        own_widths.element(which, Kind::F32).store(chain.width(which).load(Kind::F32));
        let of_window = chain.accepted[group].now();
        let counted = of_window - chain.before(which).load(Kind::U32);
        let counted = end.above(burn_in).choose(counted, zero);
        own_totals.element(which, Kind::U32).store(chain.total(which).load(Kind::U32) + counted);
        own_accepted.element(which, Kind::U32).store(of_window);
    });
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

/// The variables of a Markov chain in the generated kernel.
struct Chain<'a, 'w> {
    w: &'w Writer,
    plan: &'a ChainPlan<f32>,
    shape: &'a Shape,
    seed: Value<'w>,
    item: Value<'w>,
    lane: Value<'w>,
    /// The numbers of the first measurement of this GPU thread (b, g and so on), in shared memory.
    table: Pointer<'w>,
    /// Shared memory for one voxel. It contains the random numbers of several sweeps. For each move, it also
    /// contains the proposal width, the number of proposals accepted after the burn-in, and the number of
    /// those accepted since the last adaptation within the burn-in.
    shared: Pointer<'w>,
    /// Memory of a GPU thread in addition to its registers, in groups of four values that are interleaved
    /// between neighbouring threads. It contains the weights of the thread's measurements. It also contains
    /// values saved before a move that changes several values of a measurement. If registers held these
    /// values, fewer warps could run at once.
    beside: Pointer<'w>,
    /// The current parameter values of the voxel. The noise σ is the last value.
    numbers: Vec<Variable<'w>>,
    maps: Vec<Value<'w>>,
    /// Measured signals of this GPU thread. An unusable signal is replaced by 0, and its predicted signal has
    /// the weight 0.
    signals: Vec<Variable<'w>>,
    kept: Vec<Vec<Variable<'w>>>,
    held: Vec<Variable<'w>>,
    cost: Variable<'w>,
    of_sigma: Variable<'w>,
    usable: Value<'w>,
    inverse_half: Value<'w>,
    factor: Value<'w>,
    inverse_factor: Value<'w>,
    least: Value<'w>,
    /// Counts of accepted proposals. A lane counts every n-th move.
    accepted: Vec<Variable<'w>>,
    /// Position in shared memory of the random numbers for the current sweep.
    draws: Variable<'w>,
}

/// The results of evaluating a proposed move.
struct Evaluated<'w> {
    cost: Value<'w>,
    /// The new kept value of each measurement, if the move changes one kept value per measurement.
    tried: Vec<Value<'w>>,
    /// The kept values per voxel that the move changes: the index and the new value of each.
    after: Vec<(usize, Value<'w>)>,
}

impl<'w> Chain<'_, 'w> {
    fn real(&self, value: f64) -> Value<'w> {
        self.w.constant(Kind::F32, value)
    }

    fn whole(&self, value: u32) -> Value<'w> {
        self.w.constant(Kind::U32, f64::from(value))
    }

    fn is_rician(&self) -> bool {
        self.plan.likelihood == Likelihood::Rician
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
    /// `of_move` are the index of the move, and its index among the moves of the thread.
    fn own_moves(&self, of_move: impl Fn(Value<'w>, usize)) {
        for group in 0..self.accepted.len() {
            let which = self.lane + self.whole(narrow::<u32>(group) * self.shape.lanes);
            self.w.when(which.below(self.whole(self.shape.moves)), || of_move(which, group));
        }
    }

    /// Generates code that counts an accepted proposal.
    fn count(&self, which: u32, taken: Value<'w>) {
        let is_own = self.lane.equals(self.whole(which % self.shape.lanes));
        let one = (taken & is_own).choose(self.whole(1), self.whole(0));
        self.accepted[(which / self.shape.lanes) as usize].add(one);
    }

    /// Generates code that stores the parameter values of a voxel in memory. Each value is stored by one of
    /// the threads that share the voxel.
    fn store_numbers(&self, out: Pointer<'w>, count: u32, is_wanted: Value<'w>) {
        for n in 0..count {
            let is_own = self.lane.equals(self.whole(n % self.shape.lanes));
            self.w.when(is_own & is_wanted, || out.offset(4 * n).store(self.numbers[n as usize].now()));
        }
    }

    fn four_beside(&self, four: u32) -> Pointer<'w> {
        self.beside.offset(16 * self.shape.threads * four)
    }

    /// Returns the kept variables that a move changes, in the order in which they are saved.
    fn places<'b>(&'b self, one: &'b Move) -> impl Iterator<Item = Variable<'w>> + 'b {
        one.changed.iter().flat_map(|n| self.kept[*n].iter().copied())
    }

    /// Generates code that saves the kept values that a move changes, before the move.
    fn put_aside(&self, one: &Move) {
        let places: Vec<Variable<'w>> = self.places(one).collect();
        for (four, places) in places.chunks(4).enumerate() {
            let value = |n: usize| places.get(n).map_or(self.real(0.0), |place| place.now());
            let at = self.shape.rounds.div_ceil(4) + narrow::<u32>(four);
            self.four_beside(at).store_four([0, 1, 2, 3].map(value));
        }
    }

    /// Generates code that restores the saved values.
    fn take_back(&self, one: &Move) {
        let places: Vec<Variable<'w>> = self.places(one).collect();
        for (four, places) in places.chunks(4).enumerate() {
            let at = self.shape.rounds.div_ceil(4) + narrow::<u32>(four);
            let values = self.four_beside(at).load_four(Kind::F32);
            places.iter().zip(values).for_each(|(place, value)| place.set(value));
        }
    }

    /// Returns the sum of a value over all GPU threads that share a voxel. Each of these threads gets the
    /// sum.
    fn sum_of_lanes(&self, mut sums: Vec<Value<'w>>) -> Value<'w> {
        while sums.len() > 1 {
            let half = sums.len() / 2;
            sums = (0..half).map(|n| sums[n] + sums[n + half]).collect();
        }
        let mut sum = sums[0];
        let mut distance = self.shape.lanes / 2;
        while distance > 0 {
            sum = sum + sum.from_lane_across(distance);
            distance /= 2;
        }
        bounded(self.plan.likelihood, sum, self.least)
    }

    fn measure(&self, measured: Pointer<'w>, measurements: Value<'w>, factor: Value<'w>) {
        let (w, zero) = (self.w, self.real(0.0));
        let endless = self.real(f64::INFINITY);
        let smallest = w.variable(endless);
        let weights = w.variables(self.shape.rounds.next_multiple_of(4) as usize, zero);
        for (k, (place, weight)) in self.signals.iter().zip(&weights).enumerate() {
            let m = self.lane + self.whole(narrow::<u32>(k) * self.shape.lanes);
            w.when(m.below(measurements), || {
                let signal = measured.element(m, Kind::F32).load(Kind::F32) * factor;
                w.when(signal.size().below(endless), || {
                    place.set(signal);
                    weight.set(self.real(1.0));
                });
                w.when(signal.above(zero), || smallest.set(signal.smaller(smallest.now())));
            });
        }
        if self.is_rician() {
            let mut least = smallest.now();
            let mut distance = self.shape.lanes / 2;
            while distance > 0 {
                least = least.from_lane_across(distance).smaller(least);
                distance /= 2;
            }
            for (place, weight) in self.signals.iter().zip(&weights) {
                let is_none = place.now().at_most(zero);
                place.set(is_none.choose(least * weight.now(), place.now()));
            }
        }
        for (four, weights) in weights.chunks(4).enumerate() {
            self.four_beside(narrow::<u32>(four)).store_four([0, 1, 2, 3].map(|n| weights[n].now()));
        }
    }

    /// Returns the cost of a proposed move, and the kept values that the move changes. If the move changes
    /// several kept values per measurement, these are stored at once.
    fn evaluate(&self, one: &Move, moves_noise: bool, trial: &[Value<'w>]) -> Evaluated<'w> {
        let w = self.w;
        let steps = Steps::<f32>::new(w, &one.schedule);
        let voxel = steps.voxel(|input| match input {
            VoxelInput::Parameter(n) => trial[usize::from(n)],
            VoxelInput::Map(n) => self.maps[usize::from(n)],
            VoxelInput::Kept(n) => self.held[n].now(),
            VoxelInput::Across { .. } => unreachable!("chains need no derivatives"),
        });
        let after = one.changed_of_voxel.iter().map(|(n, place)| (*n, voxel[*place]));
        let after = after.collect();
        let half = match (self.is_rician(), moves_noise) {
            (true, true) => half_precision(trial[self.plan.numbers]),
            (true, false) => self.of_sigma.now(),
            (false, _) => self.real(0.0),
        };
        let noise = [half, half + half];
        let mut sums = vec![self.real(0.0); PARTS / self.shape.lanes as usize];
        let mut tried = Vec::new();
        let mut weights = [self.real(0.0); 4];
        let row_bytes = 4 * self.shape.stride * self.shape.lanes;
        for k in 0..self.shape.rounds as usize {
            if k % 4 == 0 {
                weights = self.four_beside(narrow::<u32>(k) / 4).load_four_anew(Kind::F32);
            }
            let row = self.table.offset(row_bytes * narrow::<u32>(k));
            let fours: RefCell<Vec<Option<[Value<'w>; 4]>>> =
                RefCell::new(vec![None; self.shape.stride as usize / 4]);
            let column = |n: usize| {
                let load = || row.offset(16 * (narrow::<u32>(n) / 4)).load_four_anew(Kind::F32);
                fours.borrow_mut()[n / 4].get_or_insert_with(load)[n % 4]
            };
            let kept: Vec<Value<'w>> = self.kept.iter().map(|values| values[k].now()).collect();
            let results = steps.inner_with(&voxel, &column, &kept);
            let predicted = results[0];
            if one.changed.len() > 1 {
                for (n, value) in one.changed.iter().zip(&results[1..]) {
                    self.kept[*n][k].set(*value);
                }
            } else {
                tried.extend(results.get(1).copied());
            }
            let measured = (self.signals[k].now(), weights[k % 4]);
            let place = k % sums.len();
            sums[place] = add_term(self.plan.likelihood, sums[place], predicted, measured, noise);
        }
        Evaluated { cost: self.sum_of_lanes(sums), tried, after }
    }

    /// Generates code that computes all kept values, and the cost of the current parameter values.
    fn evaluate_all(&self) {
        let trial: Vec<Value<'w>> = self.numbers.iter().map(|number| number.now()).collect();
        let found = self.evaluate(&self.plan.moves.all, false, &trial);
        self.cost.set(found.cost);
        if let ([place], [_, ..]) = (&self.plan.moves.all.changed[..], &found.tried[..]) {
            let kept = &self.kept[*place];
            kept.iter().zip(&found.tried).for_each(|(kept, tried)| kept.set(*tried));
        }
        found.after.iter().for_each(|(n, value)| self.held[*n].set(*value));
    }

    /// Generates code that draws the random numbers of several sweeps. `first` is the first of these sweeps.
    fn draw(&self, first: Value<'w>) {
        let (w, moves) = (self.w, self.shape.moves);
        w.wait_for_warp();
        let turns =
            self.plan.of.iter().enumerate().filter(|(_, one)| matches!(one.moved, Moved::Orientation(_)));
        let turning: u64 = turns.fold(0, |bits, (n, _)| bits | 1 << n);
        let lanes = self.whole(self.shape.lanes);
        w.count_from(self.lane, self.whole(SWEEPS * moves), lanes, |n| {
            let which = n.rest_of(self.whole(moves));
            let block = first.to(Kind::U64) * first.to(Kind::U64).all(f64::from(moves)) + n.to(Kind::U64);
            let words = self.random_block(block).map(|word| word.to(Kind::F32));
            let turning = w.bits(turning) >> which;
            let turns = (turning & turning.all(1.0)).differs(turning.all(0.0));
            let Draws { step: [x, y, z], room } =
                Draws::new(words, turns, self.plan.likelihood, self.inverse_half);
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
        arcuate_compute::cuda::writer::random_block(counter, [low(self.seed), high(self.seed)])
    }

    /// Returns by how much the energies (−ln density) of priors given as formulas decrease in a move. Returns
    /// `None` if no such prior changes.
    fn formulas_fall(&self, which: u32, trial: &[Value<'w>]) -> Option<Value<'w>> {
        let numbers: Vec<Value<'w>> = self.numbers.iter().map(|number| number.now()).collect();
        let formulas = self.plan.formulas.as_ref()?;
        let of = |numbers: &[Value<'w>]| formulas.written(which as usize, numbers, &self.maps, self.factor);
        Some((of(&numbers)? - of(trial)?).to(Kind::F32))
    }

    /// Generates code that proposes a move of one parameter, and accepts or rejects it.
    fn step(&self, which: u32, of_plan: &MovePlan<f32>) {
        let (w, plan, moved) = (self.w, self.plan, of_plan.moved);
        let moves_noise = moved == Moved::Noise;
        let one = if moves_noise { &plan.moves.none } else { &plan.moves.of[which as usize] };
        let [x, y, z, room] = self.draws_of(which);
        let width = self.width(self.whole(which)).load(Kind::F32);
        let mut trial: Vec<Value<'w>> = self.numbers.iter().map(|number| number.now()).collect();
        let mut proposal = Proposal::new(plan, of_plan, (width, [x, y, z]), self.inverse_factor, &mut trial);
        proposal.add_fall(self.formulas_fall(which, &trial));
        let changes_several = one.changed.len() > 1;
        if changes_several {
            self.put_aside(one);
        }
        let cost = self.cost.now();
        // If a move changes only the noise σ of normal noise, the residuals do not change.
        let keeps_cost = moves_noise && !self.is_rician();
        let found = if keeps_cost {
            Evaluated { cost, tried: Vec::new(), after: Vec::new() }
        } else {
            self.evaluate(one, moves_noise, &trial)
        };
        let sigma = self.numbers[plan.numbers];
        let current = Current {
            cost,
            sigma: sigma.now(),
            of_sigma: self.of_sigma.now(),
            usable: self.usable,
            inverse_half: self.inverse_half,
        };
        let proposed = (found.cost, trial[plan.numbers]);
        let is_better = current.accepts((plan.likelihood, moved), proposed, room, proposal.prior_falls);
        let taken = is_better & proposal.is_allowed;
        if !keeps_cost {
            self.cost.set(taken.choose(found.cost, cost));
        }
        self.count(which, taken);
        if moves_noise {
            sigma.set(taken.choose(trial[plan.numbers], sigma.now()));
            self.of_sigma.set(half_precision(sigma.now()));
        }
        for place in moved.places() {
            self.numbers[place].set(taken.choose(trial[place], self.numbers[place].now()));
        }
        for (n, value) in &found.after {
            self.held[*n].set(taken.choose(*value, self.held[*n].now()));
        }
        if changes_several {
            w.when(!taken, || self.take_back(one));
        } else if let [place] = one.changed[..] {
            for (kept, tried) in self.kept[place].iter().zip(&found.tried) {
                kept.set(taken.choose(*tried, kept.now()));
            }
        }
    }

    fn draws_of(&self, which: u32) -> [Value<'w>; 4] {
        self.shared.at(self.draws.now()).offset(16 * which).load_four(Kind::F32)
    }

    /// Generates code that adapts the proposal widths at the end of a window of sweeps, and resets the
    /// numbers of accepted proposals. Each GPU thread handles some of the moves.
    fn adapt(&self, window: Value<'w>, changes: Value<'w>, counts: Value<'w>) {
        let (w, zero) = (self.w, self.whole(0));
        w.wait_for_warp();
        self.own_moves(|which, group| {
            let accepted = self.accepted[group];
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
