//! Generates code for the measurements of a voxel, which the GPU threads of the voxel share.

use crate::fit::sample::moves::{Move, Moves};
use crate::fit::sample::plan::{ChainPlan, Likelihood};
use crate::fit::sample::proposal::{PARTS, add_term, total};
use crate::fit::sample::shape::Shape;
use crate::fit::sample::step::{Chain, Measurements};
use crate::fit::schedule::VoxelInput;
use crate::fit::written::Steps;
use arcuate_compute::cuda::writer::{Kind, Pointer, Value, Variable, Writer};
use arcuate_core::narrow;
use std::cell::RefCell;

/// The measurements of a GPU thread, and the values that are kept for them.
pub(super) struct Measured<'a, 'w> {
    w: &'w Writer,
    plan: &'a ChainPlan<f32>,
    shape: &'a Shape,
    /// The numbers of the first measurement of this GPU thread (b, g and so on), in shared memory.
    table: Pointer<'w>,
    /// Memory of a GPU thread in addition to its registers, in groups of four values that are interleaved
    /// between neighbouring threads. It contains the weights of the thread's measurements. It also contains
    /// values saved before a move that changes several values of a measurement. If registers held these
    /// values, fewer warps could run at once.
    beside: Pointer<'w>,
    /// Measured signals. An unusable signal is replaced by 0, and its predicted signal has the weight 0.
    signals: Vec<Variable<'w>>,
    kept: Vec<Vec<Variable<'w>>>,
    /// The values per voxel of the last evaluation. If it changes one kept value per measurement, also the
    /// new value of each measurement.
    of_voxel: Vec<Value<'w>>,
    tried: Vec<Value<'w>>,
}

impl<'a, 'w> Measured<'a, 'w> {
    /// `table` is the memory with the numbers of the voxel's measurements, `beside` the memory of the thread
    /// in addition to its registers.
    pub(super) fn new(
        w: &'w Writer,
        (plan, shape): (&'a ChainPlan<f32>, &'a Shape),
        [table, beside]: [Pointer<'w>; 2],
    ) -> Self {
        let variables = || w.variables(shape.rounds as usize, w.constant(Kind::F32, 0.0));
        Self {
            w,
            plan,
            shape,
            table,
            beside,
            signals: variables(),
            kept: (0..plan.moves.kept).map(|_| variables()).collect(),
            of_voxel: Vec::new(),
            tried: Vec::new(),
        }
    }

    fn real(&self, value: f64) -> Value<'w> {
        self.w.constant(Kind::F32, value)
    }

    fn four_beside(&self, four: u32) -> Pointer<'w> {
        self.beside.offset(16 * self.shape.threads * four)
    }

    /// Returns the kept variables that a move changes in groups of four, and the memory in which each group is
    /// saved before the move.
    fn saved(&self, one: &Move) -> Vec<(Vec<Variable<'w>>, Pointer<'w>)> {
        let places: Vec<Variable<'w>> =
            one.changed.iter().flat_map(|n| self.kept[*n].iter().copied()).collect();
        let first = self.shape.rounds.div_ceil(4);
        let fours = places.chunks(4).zip(first..);
        fours.map(|(places, four)| (places.to_vec(), self.four_beside(four))).collect()
    }

    /// Combines the values of all GPU threads that share a voxel. Each of these threads gets the result.
    fn over_lanes(
        &self,
        mut value: Value<'w>,
        combine: impl Fn(Value<'w>, Value<'w>) -> Value<'w>,
    ) -> Value<'w> {
        let mut distance = self.shape.lanes / 2;
        while distance > 0 {
            value = combine(value, value.from_lane_across(distance));
            distance /= 2;
        }
        value
    }

    /// Generates code that loads the signals of a voxel.
    pub(super) fn load(&self, measured: Pointer<'w>, [lane, measurements, factor]: [Value<'w>; 3]) {
        let (w, zero, endless) = (self.w, self.real(0.0), self.real(f64::INFINITY));
        let smallest = w.variable(endless);
        let weights = w.variables(self.shape.rounds.next_multiple_of(4) as usize, zero);
        for (k, (place, weight)) in self.signals.iter().zip(&weights).enumerate() {
            let m = lane + lane.all(f64::from(narrow::<u32>(k) * self.shape.lanes));
            w.when(m.below(measurements), || {
                let signal = measured.element(m, Kind::F32).load(Kind::F32) * factor;
                w.when(signal.size().below(endless), || {
                    place.set(signal);
                    weight.set(self.real(1.0));
                });
                w.when(signal.above(zero), || smallest.set(signal.smaller(smallest.now())));
            });
        }
        if self.plan.likelihood == Likelihood::Rician {
            let least = self.over_lanes(smallest.now(), |own, other| other.smaller(own));
            for (place, weight) in self.signals.iter().zip(&weights) {
                let is_none = place.now().at_most(zero);
                place.set(is_none.choose(least * weight.now(), place.now()));
            }
        }
        for (four, weights) in weights.chunks(4).enumerate() {
            self.four_beside(narrow::<u32>(four)).store_four([0, 1, 2, 3].map(|n| weights[n].now()));
        }
    }
}

impl<'w> Measurements<Variable<'w>> for Measured<'_, 'w> {
    /// If a move changes several kept values per measurement, these are saved, and the new values are stored
    /// at once.
    fn evaluate(&mut self, number: usize, chain: &Chain<Variable<'w>>, noise: [Value<'w>; 2]) -> Value<'w> {
        let one = self.plan.moves.get(number);
        let changes_several = one.changed.len() > 1;
        if changes_several && number != Moves::ALL {
            for (places, memory) in self.saved(one) {
                let value = |n: usize| places.get(n).map_or(self.real(0.0), |place| place.now());
                memory.store_four([0, 1, 2, 3].map(value));
            }
        }
        let steps = Steps::<f32>::new(self.w, &one.schedule);
        self.of_voxel = steps.voxel(|input| match input {
            VoxelInput::Parameter(n) => chain.trial[usize::from(n)],
            VoxelInput::Map(n) => chain.maps[usize::from(n)],
            VoxelInput::Kept(n) => chain.kept[n].now(),
            VoxelInput::Across { .. } => unreachable!("chains need no derivatives"),
        });
        let mut sums = vec![self.real(0.0); PARTS / self.shape.lanes as usize];
        self.tried.clear();
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
            let results = steps.inner_with(&self.of_voxel, &column, &kept);
            if changes_several {
                for (n, value) in one.changed.iter().zip(&results[1..]) {
                    self.kept[*n][k].set(*value);
                }
            } else {
                self.tried.extend(results.get(1).copied());
            }
            let measured = (self.signals[k].now(), weights[k % 4]);
            let place = k % sums.len();
            sums[place] = add_term(self.plan.likelihood, sums[place], results[0], measured, noise);
        }
        self.over_lanes(total(&mut sums), |own, other| own + other)
    }

    fn of_voxel(&self, place: usize) -> Value<'w> {
        self.of_voxel[place]
    }

    fn take(&mut self, one: &Move, taken: Value<'w>) {
        if let [place] = one.changed[..] {
            for (kept, tried) in self.kept[place].iter().zip(&self.tried) {
                kept.set(taken.choose(*tried, kept.now()));
            }
        } else if one.changed.len() > 1 {
            self.w.when(!taken, || {
                for (places, memory) in self.saved(one) {
                    let values = memory.load_four(Kind::F32);
                    places.iter().zip(values).for_each(|(place, value)| place.set(value));
                }
            });
        }
    }

    fn formulas_fall(&self, which: usize, chain: &Chain<Variable<'w>>) -> Option<Value<'w>> {
        let formulas = self.plan.formulas.as_ref()?;
        let numbers: Vec<Value<'w>> = chain.numbers.iter().map(|number| number.now()).collect();
        let of = |numbers: &[Value<'w>]| formulas.written(which, numbers, &chain.maps, chain.factor);
        Some((of(&numbers)? - of(&chain.trial)?).to(Kind::F32))
    }
}
