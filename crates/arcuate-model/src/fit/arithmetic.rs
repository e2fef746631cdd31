//! Comparisons, branches and variables of algorithms that run on the CPU and in generated GPU kernels. An
//! algorithm that uses only these traits and [`Operations`] is written once. On the CPU, its numbers are SIMD
//! lanes with one voxel each. In a kernel, its numbers are registers, and each operation writes an
//! instruction. Both compute the same bits.
//!
//! The CPU runs a branch if at least one lane needs it. Statements in a branch therefore either assign with
//! [`Stored::set_in`], or compute the same value again in lanes that do not need the branch.

use super::interpreter::{Row, WIDTH};
use arcuate_compute::cuda::writer::{self, Kind, Pointer, Value};
use arcuate_core::narrow;
use arcuate_numbers::{Lanes, Operations, Real};
use std::ops::{BitAnd, BitOr, Not};

/// Numbers whose comparisons return flags.
pub(crate) trait Comparisons: Operations {
    /// The result of a comparison: true or false.
    type Flag: Flag<Number = Self>;

    /// Returns a constant flag. `self` only provides the type.
    fn flag(self, value: bool) -> Self::Flag;
    /// Compares two numbers: `self` > `other`; false if either is NaN.
    fn above(self, other: Self) -> Self::Flag;
    /// Compares two numbers: `self` < `other`; false if either is NaN.
    fn below(self, other: Self) -> Self::Flag;
    /// Compares two numbers: `self` ≥ `other`; false if either is NaN.
    fn reaches(self, other: Self) -> Self::Flag;
    /// Computes the inverse square root of a positive number.
    fn inverse_root(self) -> Self;
    /// Computes the sine and cosine of 2π times the number.
    fn sin_cos_turns(self) -> (Self, Self);
}

/// A truth value for each voxel.
pub(crate) trait Flag:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// The numbers that the flag selects.
    type Number;
    /// A branch that has begun. It ends when this value is dropped.
    type Branch;

    /// Selects a number: `set` if the flag is set, `not_set` if not.
    fn choose(self, set: Self::Number, not_set: Self::Number) -> Self::Number;
    /// Begins a branch for the voxels whose flag is set. Returns `None` if no voxel needs the branch.
    fn branch(self) -> Option<Self::Branch>;
}

/// The branches of an algorithm with these numbers.
pub(crate) type BranchOf<N> = <<N as Comparisons>::Flag as Flag>::Branch;

/// The flags of an algorithm with these numbers.
pub(crate) type FlagOf<N> = <N as Comparisons>::Flag;

/// A number in memory or in a mutable register.
pub(crate) trait Stored: Clone {
    /// The numbers that are stored.
    type Number: Comparisons;

    /// Returns the stored number.
    fn now(&self) -> Self::Number;
    /// Assigns a number.
    fn set(&mut self, value: Self::Number);
    /// Assigns a number in the voxels that need this branch.
    fn set_in(&mut self, branch: &BranchOf<Self::Number>, value: Self::Number);

    /// Adds the product a b with one rounding.
    #[inline(always)]
    fn add_product(&mut self, a: Self::Number, b: Self::Number) {
        self.set(a.fma(b, self.now()));
    }
}

/// Returns whether a signal is usable: finite.
#[inline(always)]
pub(crate) fn is_usable<N: Comparisons>(signal: N) -> N::Flag {
    signal.size().below(signal.known(f64::INFINITY))
}

/// The flags of SIMD lanes: 1 if the flag of a lane is set, and 0 if not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LaneFlags<T: Real>(pub(crate) Row<T>);

impl<T: Real> LaneFlags<T> {
    /// Sets the flags of the lanes for which `is_set` returns true.
    #[inline(always)]
    pub(crate) fn of(is_set: impl Fn(usize) -> bool) -> Self {
        let mut flags = Lanes::all(0.0);
        for lane in 0..WIDTH {
            flags.0[lane] = T::of(f64::from(u8::from(is_set(lane))));
        }
        Self(flags)
    }

    /// Returns whether the flag of a lane is set.
    #[inline(always)]
    pub(crate) fn is_set(self, lane: usize) -> bool {
        self.0.0[lane] > T::of(0.0)
    }
}

impl<T: Real> Comparisons for Row<T> {
    type Flag = LaneFlags<T>;

    #[inline(always)]
    fn flag(self, value: bool) -> LaneFlags<T> {
        LaneFlags(Lanes::all(f64::from(u8::from(value))))
    }

    #[inline(always)]
    fn above(self, other: Self) -> LaneFlags<T> {
        LaneFlags(self.if_above(other, Lanes::all(1.0), Lanes::all(0.0)))
    }

    #[inline(always)]
    fn below(self, other: Self) -> LaneFlags<T> {
        Comparisons::above(other, self)
    }

    #[inline(always)]
    fn reaches(self, other: Self) -> LaneFlags<T> {
        LaneFlags(self.if_reaches(other, Lanes::all(1.0), Lanes::all(0.0)))
    }

    #[inline(always)]
    fn inverse_root(self) -> Self {
        Lanes::inverse_root(self)
    }

    #[inline(always)]
    fn sin_cos_turns(self) -> (Self, Self) {
        Lanes::sin_cos_turns(self)
    }
}

impl<T: Real> BitAnd for LaneFlags<T> {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0.smaller(other.0))
    }
}

impl<T: Real> BitOr for LaneFlags<T> {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0.larger(other.0))
    }
}

impl<T: Real> Not for LaneFlags<T> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(Lanes::all(1.0) - self.0)
    }
}

impl<T: Real> Flag for LaneFlags<T> {
    type Number = Row<T>;
    type Branch = Self;

    #[inline(always)]
    fn choose(self, set: Row<T>, not_set: Row<T>) -> Row<T> {
        self.0.if_above(Lanes::all(0.0), set, not_set)
    }

    #[inline(always)]
    fn branch(self) -> Option<Self> {
        let mut is_needed = false;
        for lane in 0..WIDTH {
            is_needed |= self.is_set(lane);
        }
        is_needed.then_some(self)
    }
}

impl<T: Real> Stored for Row<T> {
    type Number = Self;

    #[inline(always)]
    fn now(&self) -> Self {
        *self
    }

    #[inline(always)]
    fn set(&mut self, value: Self) {
        *self = value;
    }

    #[inline(always)]
    fn set_in(&mut self, branch: &LaneFlags<T>, value: Self) {
        *self = branch.choose(value, *self);
    }
}

impl<'w> Comparisons for Value<'w> {
    type Flag = Value<'w>;

    fn flag(self, value: bool) -> Self {
        self.writer().constant(Kind::Flag, f64::from(u8::from(value)))
    }

    fn above(self, other: Self) -> Self {
        Value::above(self, other)
    }

    fn below(self, other: Self) -> Self {
        Value::below(self, other)
    }

    fn reaches(self, other: Self) -> Self {
        self.at_least(other)
    }

    fn inverse_root(self) -> Self {
        Value::inverse_root(self)
    }

    fn sin_cos_turns(self) -> (Self, Self) {
        let [sin, cos] = Value::sin_cos_turns(self);
        (sin, cos)
    }
}

impl<'w> Flag for Value<'w> {
    type Number = Value<'w>;
    type Branch = writer::Branch<'w>;

    fn choose(self, set: Self, not_set: Self) -> Self {
        Value::choose(self, set, not_set)
    }

    fn branch(self) -> Option<writer::Branch<'w>> {
        self.writer().branch(self)
    }
}

impl<'w> Stored for writer::Variable<'w> {
    type Number = Value<'w>;

    fn now(&self) -> Value<'w> {
        writer::Variable::now(*self)
    }

    fn set(&mut self, value: Value<'w>) {
        writer::Variable::set(*self, value);
    }

    fn set_in(&mut self, _: &writer::Branch<'w>, value: Value<'w>) {
        writer::Variable::set(*self, value);
    }

    fn add_product(&mut self, a: Value<'w>, b: Value<'w>) {
        writer::Variable::add_product(*self, a, b);
    }
}

/// A number in the memory of a GPU.
#[derive(Clone, Copy)]
pub(crate) struct InMemory<'w> {
    place: Pointer<'w>,
    kind: Kind,
}

impl<'w> InMemory<'w> {
    /// Returns the numbers of an item (for example a voxel) in an array that has `count` numbers per item.
    pub(crate) fn of_item(array: Pointer<'w>, item: Value<'w>, kind: Kind, count: usize) -> Vec<Self> {
        let bytes = |count: usize| kind.bytes() * narrow::<u32>(count);
        let first = array.further(item, bytes(count));
        (0..count).map(|n| Self { place: first.offset(bytes(n)), kind }).collect()
    }
}

impl<'w> Stored for InMemory<'w> {
    type Number = Value<'w>;

    fn now(&self) -> Value<'w> {
        self.place.load(self.kind)
    }

    fn set(&mut self, value: Value<'w>) {
        self.place.store(value);
    }

    fn set_in(&mut self, _: &writer::Branch<'w>, value: Value<'w>) {
        self.place.store(value);
    }
}
