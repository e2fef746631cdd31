//! Generates the instructions of a kernel from a schedule (the list of operations of a model's formulas).

use super::kind;
use crate::fit::functions::{binary, ternary, unary};
use crate::fit::schedule::{Operand, Operation, Schedule, Step, VoxelInput};
use crate::special::bingham;
use crate::special::watson::{Series, moments_of, top_of};
use arcuate_compute::cuda::writer::{Kind, Pointer, Value, Variable, Writer};
use arcuate_core::narrow;
use std::cell::RefCell;
use std::marker::PhantomData;

/// The highest degree of the coefficients of the Bingham distribution that kernels compute in double
/// precision.
const LONGEST_DOUBLE_FAN: u16 = 36;

/// Returns the name of a feature of a schedule that GPU kernels do not support. Returns `None` if kernels
/// support all of its operations.
pub(crate) fn unsupported<T: Series>(schedule: &Schedule) -> Option<&'static str> {
    let of_step = |step: &Step| match step.operation {
        // The degree is limited because kernels store the quadrature nodes in the 64 KiB of constant memory.
        Operation::Harmonics(degree) if size_of::<T>() == 8 && degree > LONGEST_DOUBLE_FAN => {
            Some("dispersion series beyond degree 36 in double precision")
        }
        _ => None,
    };
    schedule.voxel.iter().chain(&schedule.inner).find_map(of_step)
}

/// Generates the steps of a schedule.
pub(crate) struct Steps<'a, 'w, T: Series> {
    w: &'w Writer,
    schedule: &'a Schedule,
    precision: PhantomData<T>,
}

/// The values of the operands of steps.
struct Operands<'a, 'w> {
    voxel: &'a [Value<'w>],
    /// Results of the operations that have been generated so far.
    own: &'a [Value<'w>],
    columns: &'a dyn Fn(usize) -> Value<'w>,
    kept: &'a [Value<'w>],
}

impl<'a, 'w, T: Series> Steps<'a, 'w, T> {
    pub(crate) fn new(w: &'w Writer, schedule: &'a Schedule) -> Self {
        Self { w, schedule, precision: PhantomData }
    }

    fn constant(&self, value: f64) -> Value<'w> {
        self.w.constant(kind::<T>(), value)
    }

    /// Generates the operations that are computed once per voxel for each set of parameter values. Returns
    /// the inputs of the voxel, then the results of the operations.
    pub(crate) fn voxel(&self, input: impl Fn(VoxelInput) -> Value<'w>) -> Vec<Value<'w>> {
        let mut values: Vec<Value<'w>> = self.schedule.inputs.iter().map(|one| input(*one)).collect();
        for step in &self.schedule.voxel {
            let columns = |_| unreachable!("a value per voxel cannot depend on the measurement");
            let operands = Operands { voxel: &values, own: &[], columns: &columns, kept: &[] };
            let made = self.step(step, &operands);
            values.extend(made);
        }
        values
    }

    /// Generates the operations for one measurement. The numbers of the measurement (b, g and so on) begin at
    /// the address `row`. Returns the signal, followed by its derivatives or by the values to keep.
    pub(crate) fn inner(&self, voxel: &[Value<'w>], row: Pointer<'w>, kept: &[Value<'w>]) -> Vec<Value<'w>> {
        let loaded: RefCell<Vec<Option<Value<'w>>>> = RefCell::new(vec![None; self.schedule.column_count]);
        let column = |n: usize| {
            let place = row.element(self.w.constant(Kind::U32, n as f64), kind::<T>());
            *loaded.borrow_mut()[n].get_or_insert_with(|| place.load(kind::<T>()))
        };
        self.inner_with(voxel, &column, kept)
    }

    /// Does the same as [`inner`](Self::inner), but the numbers of the measurement (b, g and so on) are
    /// already in registers.
    pub(crate) fn inner_with(
        &self,
        voxel: &[Value<'w>],
        column: &dyn Fn(usize) -> Value<'w>,
        kept: &[Value<'w>],
    ) -> Vec<Value<'w>> {
        let mut values: Vec<Value<'w>> = Vec::new();
        for step in &self.schedule.inner {
            let operands = Operands { voxel, own: &values, columns: column, kept };
            let made = self.step(step, &operands);
            values.extend(made);
        }
        self.schedule.results.iter().map(|&n| values[n]).collect()
    }

    fn operand(&self, operand: Operand, operands: &Operands<'_, 'w>) -> Value<'w> {
        match operand {
            Operand::Uniform(n) => self.constant(self.schedule.uniforms[n].0),
            Operand::Column(n) => (operands.columns)(n),
            Operand::Voxel(n) => operands.voxel[n],
            Operand::Inner(n) => operands.own[n],
            Operand::Kept(n) => operands.kept[n],
        }
    }

    fn step(&self, step: &Step, operands: &Operands<'_, 'w>) -> Vec<Value<'w>> {
        let of: Vec<Value<'w>> =
            step.operands().iter().map(|operand| self.operand(*operand, operands)).collect();
        let zero = self.constant(0.0);
        let result = match (step.operation, &of[..]) {
            (Operation::Copy, &[a]) => a,
            (Operation::Decay, &[a]) => a.decay(),
            (Operation::Unary(function), &[a]) => unary(function, a),
            (Operation::Binary(function), &[a, b]) => binary(function, a, b),
            (Operation::Ternary(function), &[a, b, c]) => ternary(function, [a, b, c]),
            (Operation::Harmonics(degree), &[first, second]) => {
                return self.harmonics([first, second], degree);
            }
            (Operation::Moments(family, count), &[a]) => {
                let mut out = vec![zero; usize::from(count)];
                moments_of(family, a, top_of::<T>(family), &mut out);
                return out;
            }
            (operation, operands) => unreachable!("{operation:?} of {} operands", operands.len()),
        };
        vec![result]
    }

    /// Generates code that computes the coefficients of the Bingham distribution. The operations are those of
    /// `coefficients` in `special/bingham.rs`. The generated code loops over the quadrature nodes, because
    /// each node needs many operations.
    fn harmonics(&self, [first, second]: [Value<'w>; 2], degree: u16) -> Vec<Value<'w>> {
        let (w, real) = (self.w, kind::<T>());
        let (zero, one) = (self.constant(0.0), self.constant(1.0));
        let (table, last, count) = (T::bingham(), usize::from(degree) / 2, bingham::count(degree));
        let least = last.max(1);
        let (mut of_nodes, mut tops) = (Vec::new(), Vec::new());
        for (square, weight, top, harmonics) in table.nodes() {
            of_nodes.extend([square, weight].iter().chain(&harmonics[..count]).map(|value| value.double()));
            tops.push(top.max(least) as f64);
        }
        let rows = w.constants(real, &of_nodes);
        let orders =
            w.constants(real, &table.orders().iter().map(|value| value.double()).collect::<Vec<_>>());
        let nodes = w.constant(Kind::U32, tops.len() as f64);
        let tops = w.constants(Kind::U32, &tops);

        let difference = (first - second) * self.constant(0.5);
        let lesser = first.above(second).choose(second, first);
        let is_below = zero.above(difference);
        let sign = is_below.choose(one, -one);
        let difference = is_below.choose(-difference, difference);
        let sums = w.variables(count, zero);
        w.count(nodes, |n| {
            let row = rows.further(n, real.bytes() * narrow::<u32>(count + 2));
            let square = row.load(real);
            let y = difference * square;
            let (ratio, sum) = (w.variable(zero), w.variable(one));
            let k = w.variable(tops.element(n, Kind::U32).load(Kind::U32));
            let order = |k| orders.element(k, real).load(real);
            w.repeat(|round| {
                round.leave_when(k.now().at_most(k.now().all(least as f64)));
                ratio.set(y / y.fma(ratio.now(), order(k.now())));
                sum.set(ratio.now().fma(sum.now(), one));
                k.set(k.now() - k.now().all(1.0));
            });
            let mut ratios = vec![zero; least + 1];
            let (mut ratio, mut sum) = (ratio.now(), sum.now());
            for k in (1..=least).rev() {
                ratio = y / y.fma(ratio, order(w.constant(Kind::U32, k as f64)));
                ratios[k] = ratio;
                let doubled = if k == 1 { ratio + ratio } else { ratio };
                sum = doubled.fma(sum, one);
            }
            let weight = row.offset(real.bytes()).load(real) * (-(lesser * square)).exponential();
            let mut product = weight / sum;
            for k in 0..=last {
                if k > 0 {
                    product = product * (ratios[k] * sign);
                }
                for n in k..=last {
                    let place = bingham::place(n, k);
                    let harmonic = row.offset(real.bytes() * narrow::<u32>(place + 2)).load(real);
                    sums[place].add_product(product, harmonic);
                }
            }
        });
        let inverse = one / sums[0].now();
        let of_sum = |sum: &Variable<'w>| sum.now() * inverse;
        std::iter::once(one).chain(sums[1..].iter().map(of_sum)).collect()
    }
}
