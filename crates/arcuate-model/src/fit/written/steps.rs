//! The steps of a schedule, written into a kernel.

use super::kind;
use crate::fit::schedule::{Operand, Operation, Schedule, Step, VoxelInput};
use crate::language::{Binary, Moments, Ternary, Unary};
use crate::special::bingham::{self, Operations};
use crate::special::watson::{Series, ratio_weights};
use arcuate_compute::cuda::writer::{Pointer, Value, Writer};
use std::cell::RefCell;
use std::marker::PhantomData;

/// What of a schedule no kernel computes, in words; nothing where kernels compute all of it.
pub(crate) fn obstacle(schedule: &Schedule) -> Option<&'static str> {
    let of_step = |step: &Step| match step.operation {
        Operation::Unary(
            Unary::Negative | Unary::Root | Unary::Exponential | Unary::Logarithm | Unary::Absolute,
        ) => None,
        Operation::Unary(function) => Some(name(function)),
        Operation::Binary(Binary::ArcTangent2) => Some("`atan2`"),
        _ => None,
    };
    schedule.voxel.iter().chain(&schedule.inner).find_map(of_step)
}

/// What the language calls a function that kernels do not have: mathematical libraries compute it, each with bits of its own.
fn name(function: Unary) -> &'static str {
    match function {
        Unary::Sine => "`sin`",
        Unary::Cosine => "`cos`",
        Unary::ArcTangent => "`atan`",
        Unary::ArcCosine => "`acos`",
        Unary::Erf => "`erf`",
        Unary::Dawson => "`dawson`",
        Unary::BesselI0e => "`i0e`",
        Unary::BesselI1e => "`i1e`",
        Unary::Negative | Unary::Root | Unary::Exponential | Unary::Logarithm | Unary::Absolute => {
            unreachable!("kernels have {function:?}")
        }
    }
}

/// Written down instead of done.
impl Operations for Value<'_> {
    type Constant = f64;

    fn constant(self, value: f64) -> Self {
        self.all(value)
    }

    fn fma(self, factor: Self, term: Self) -> Self {
        Value::fma(self, factor, term)
    }

    fn exponential(self) -> Self {
        Value::exponential(self)
    }

    fn if_above(self, limit: Self, if_true: Self, if_false: Self) -> Self {
        self.above(limit).choose(if_true, if_false)
    }
}

/// Writes the steps of a schedule.
pub(crate) struct Steps<'a, 'w, T: Series> {
    w: &'w Writer,
    schedule: &'a Schedule,
    precision: PhantomData<T>,
}

/// What the operands of steps are.
struct Operands<'a, 'w> {
    voxel: &'a [Value<'w>],
    /// Of the steps that are being written.
    own: &'a [Value<'w>],
    columns: &'a dyn Fn(u16) -> Value<'w>,
    kept: &'a [Value<'w>],
}

impl<'a, 'w, T: Series> Steps<'a, 'w, T> {
    pub(crate) fn new(w: &'w Writer, schedule: &'a Schedule) -> Self {
        Self { w, schedule, precision: PhantomData }
    }

    fn constant(&self, value: f64) -> Value<'w> {
        self.w.constant(kind::<T>(), value)
    }

    /// What is computed once for each set of parameters: inputs, then results of steps.
    pub(crate) fn voxel(&self, input: impl Fn(VoxelInput) -> Value<'w>) -> Vec<Value<'w>> {
        let mut values: Vec<Value<'w>> = self.schedule.inputs.iter().map(|one| input(*one)).collect();
        for step in &self.schedule.voxel {
            let columns = |_| unreachable!("what a voxel has once depends on no measurement");
            let operands = Operands { voxel: &values, own: &[], columns: &columns, kept: &[] };
            let made = self.step(step, &operands);
            values.extend(made);
        }
        values
    }

    /// The results for a measurement whose numbers begin there: the signal, then its derivatives or what is to be kept.
    pub(crate) fn inner(&self, voxel: &[Value<'w>], row: Pointer<'w>, kept: &[Value<'w>]) -> Vec<Value<'w>> {
        let loaded: RefCell<Vec<Option<Value<'w>>>> = RefCell::new(vec![None; self.schedule.column_count]);
        let column = |n: u16| {
            let place = row.element(
                self.w.constant(arcuate_compute::cuda::writer::Kind::U32, f64::from(n)),
                kind::<T>(),
            );
            *loaded.borrow_mut()[usize::from(n)].get_or_insert_with(|| place.load(kind::<T>()))
        };
        self.inner_with(voxel, &column, kept)
    }

    /// As [`inner`](Self::inner), of numbers that were read before.
    pub(crate) fn inner_with(
        &self,
        voxel: &[Value<'w>],
        column: &dyn Fn(u16) -> Value<'w>,
        kept: &[Value<'w>],
    ) -> Vec<Value<'w>> {
        let mut values: Vec<Value<'w>> = Vec::new();
        for step in &self.schedule.inner {
            let operands = Operands { voxel, own: &values, columns: column, kept };
            let made = self.step(step, &operands);
            values.extend(made);
        }
        self.schedule.results.iter().map(|&n| values[usize::from(n)]).collect()
    }

    fn operand(&self, operand: Operand, operands: &Operands<'_, 'w>) -> Value<'w> {
        match operand {
            Operand::Uniform(n) => self.constant(self.schedule.uniforms[usize::from(n)].0),
            Operand::Column(n) => (operands.columns)(n),
            Operand::Voxel(n) => operands.voxel[usize::from(n)],
            Operand::Inner(n) => operands.own[usize::from(n)],
            Operand::Kept(n) => operands.kept[usize::from(n)],
        }
    }

    fn step(&self, step: &Step, operands: &Operands<'_, 'w>) -> Vec<Value<'w>> {
        let of: Vec<Value<'w>> =
            step.operands().iter().map(|operand| self.operand(*operand, operands)).collect();
        let zero = self.constant(0.0);
        let result = match (step.operation, &of[..]) {
            (Operation::Copy, &[a]) => a,
            (Operation::Decay, &[a]) => a.decay(),
            (Operation::Unary(function), &[a]) => match function {
                Unary::Negative => -a,
                Unary::Root => a.root(),
                Unary::Exponential => a.exponential(),
                Unary::Logarithm => a.logarithm(),
                Unary::Absolute => a.size(),
                other => unreachable!("{other:?} is an obstacle"),
            },
            (Operation::Binary(function), &[a, b]) => match function {
                Binary::Add => a + b,
                Binary::Subtract => a - b,
                Binary::Multiply => a * b,
                Binary::Divide => a / b,
                Binary::Minimum => a.smaller(b),
                Binary::Maximum => a.larger(b),
                Binary::Less => b.above(a).choose(self.constant(1.0), zero),
                Binary::ArcTangent2 => unreachable!("an arc tangent is an obstacle"),
            },
            (Operation::Ternary(function), &[a, b, c]) => match function {
                Ternary::Choose => a.size().above(zero).choose(b, c),
                Ternary::Fma => a.fma(b, c),
                Ternary::Fms => a.fma(b, -c),
                Ternary::Fnma => (-a).fma(b, c),
            },
            (Operation::Harmonics(degree), &[first, second]) => {
                return Self::harmonics([first, second], degree);
            }
            (Operation::Moments(family, count), &[a]) => {
                return self.moments(family, a, usize::from(count));
            }
            (operation, operands) => unreachable!("{operation:?} of {} operands", operands.len()),
        };
        vec![result]
    }

    /// Coefficients of Bingham's distribution.
    fn harmonics(concentrations: [Value<'w>; 2], degree: u16) -> Vec<Value<'w>> {
        let table = T::bingham().map(|value| value.double());
        let mut out = vec![concentrations[0]; bingham::count(degree)];
        bingham::coefficients(concentrations, &table, degree, &mut out, 1);
        out
    }

    /// Coefficients of a family: `moments` of `special/watson.rs`, which says what is computed.
    fn moments(&self, family: Moments, x: Value<'w>, count: usize) -> Vec<Value<'w>> {
        let (twice, top) = match family {
            Moments::Watson => (x + x, T::WATSON_TOP),
            Moments::Stick => (-(x + x), T::STICK_TOP),
        };
        let one = self.constant(1.0);
        let mut out = vec![one; count];
        let (mut ratio, mut at_zero) = (self.constant(0.0), one);
        for degree in (1..=top / 2).rev().map(|n| 2 * n) {
            let [above, constant, below] = ratio_weights(degree).map(|weight| self.constant(weight));
            let rest = below.fma(ratio, constant);
            ratio = (twice * above) / twice.fma(rest, one);
            if let Some(place) = out.get_mut(usize::from(degree) / 2) {
                *place = ratio;
            }
            if family == Moments::Stick {
                let l = f64::from(degree);
                let step = self.constant(-(l - 1.0) / l * (2.0 * l + 1.0) / (2.0 * l - 3.0));
                at_zero = (ratio * step).fma(at_zero, one);
            }
        }
        let mut product = match family {
            Moments::Watson => one,
            Moments::Stick => one / at_zero,
        };
        for (n, place) in out.iter_mut().enumerate() {
            if n > 0 {
                let step = match family {
                    Moments::Watson => *place,
                    Moments::Stick => {
                        let l = 2.0 * n as f64;
                        *place * self.constant((2.0 * l + 1.0) / (2.0 * l - 3.0))
                    }
                };
                product = product * step;
            }
            *place = product;
        }
        out
    }
}
