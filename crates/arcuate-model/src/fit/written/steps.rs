//! Generates the instructions of a kernel from a schedule (the list of operations of a model's formulas).

use super::kind;
use crate::fit::schedule::{Operand, Operation, Schedule, Step, VoxelInput};
use crate::special::bingham::{self, Concentrations, fraction};
use crate::special::watson::moments;
use arcuate_compute::cuda::writer::{Kind, Pointer, Value, Variable, Writer};
use arcuate_core::narrow;
use arcuate_numbers::Real;
use std::cell::RefCell;
use std::marker::PhantomData;

/// The highest degree of the coefficients of the Bingham distribution that kernels compute in double
/// precision.
const LONGEST_DOUBLE_FAN: u16 = 36;

/// Returns the name of a feature of a schedule that GPU kernels do not support. Returns `None` if kernels
/// support all of its operations.
pub(crate) fn unsupported<T: Real>(schedule: &Schedule) -> Option<&'static str> {
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
pub(crate) struct Steps<'a, 'w, T: Real> {
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

impl<'a, 'w, T: Real> Steps<'a, 'w, T> {
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
            (Operation::Unary(function), &[a]) => function.compute(a),
            (Operation::Binary(function), &[a, b]) => function.compute(a, b),
            (Operation::Ternary(function), &[a, b, c]) => function.compute([a, b, c]),
            (Operation::Harmonics(degree), &[a, b]) => return self.harmonics([a, b], degree),
            (Operation::Moments(family, count), &[a]) => {
                let mut out = vec![zero; usize::from(count)];
                moments(family, a, &mut out);
                return out;
            }
            (operation, operands) => unreachable!("{operation:?} of {} operands", operands.len()),
        };
        vec![result]
    }

    /// Generates code that computes the coefficients of the Bingham distribution. The generated code loops over
    /// the quadrature nodes, because each node needs many operations.
    fn harmonics(&self, concentrations: [Value<'w>; 2], degree: u16) -> Vec<Value<'w>> {
        let (w, real) = (self.w, kind::<T>());
        let (zero, one) = (self.constant(0.0), self.constant(1.0));
        let (last, count) = (usize::from(degree) / 2, bingham::count(degree));
        let lowest = bingham::lowest(last);
        let (mut numbers, mut tops) = (Vec::new(), Vec::new());
        for node in bingham::nodes::<T>() {
            let of_node =
                [node.square, node.weight].into_iter().chain(node.harmonics[..count].iter().copied());
            numbers.extend(of_node.map(Real::double));
            tops.push(node.top.max(lowest) as f64);
        }
        let (rows, nodes) = (w.constants(real, &numbers), w.constant(Kind::U32, tops.len() as f64));
        let tops = w.constants(Kind::U32, &tops);
        let of = Concentrations::new(concentrations);
        let sums = w.variables(count, zero);
        w.count(nodes, |n| {
            let row = rows.further(n, real.bytes() * narrow::<u32>(count + 2));
            let number = |n: usize| row.offset(real.bytes() * narrow::<u32>(n)).load(real);
            let higher = |y: Value<'w>| {
                let [ratio, sum] = [zero, one].map(|value| w.variable(value));
                let k = w.variable(tops.element(n, Kind::U32).load(Kind::U32));
                w.repeat(|round| {
                    round.leave_when(k.now().at_most(k.now().all(lowest as f64)));
                    let order = (k.now() + k.now()).to(real);
                    let [of_ratio, of_sum] = fraction(y, order, [ratio.now(), sum.now()]);
                    ratio.set(of_ratio);
                    sum.set(of_sum);
                    k.set(k.now() - k.now().all(1.0));
                });
                [ratio.now(), sum.now()]
            };
            of.add_node([number(0), number(1)], last, higher, |place, factor| {
                sums[place].add_product(factor, number(place + 2));
            });
        });
        let inverse = one / sums[0].now();
        let of_sum = |sum: &Variable<'w>| sum.now() * inverse;
        std::iter::once(one).chain(sums[1..].iter().map(of_sum)).collect()
    }
}
