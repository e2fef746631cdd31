//! The operators of formulas, and how they act on scalars, vectors and units.

use super::expression::Expression;
use super::functions::{ABOVE_0, FROM_0};
use super::id::Id;
use super::lowering::{Lowering, Shape, Value, extent};
use super::node::{Binary, Unary};
use super::source::Place;
use super::unit::Dimension;
use arcuate_core::{Result, saturating};

impl Lowering<'_> {
    pub(super) fn sum(
        &mut self,
        function: Binary,
        a: &Expression,
        b: &Expression,
        place: Place,
    ) -> Result<Value> {
        let (left, right) = (self.value(a)?, self.value(b)?);
        let dimension = self.common(&(left, place), &(right, place), place)?;
        let shape = match (left.shape, right.shape) {
            (Shape::Scalar(a), Shape::Scalar(b)) => Shape::Scalar(self.program.binary(function, a, b)),
            (Shape::Vector(a, long_a), Shape::Vector(b, long_b)) => {
                let components = std::array::from_fn(|n| self.program.binary(function, a[n], b[n]));
                Shape::Vector(components, long_a + long_b)
            }
            _ => {
                return Err(self.error(
                    place,
                    "one side is a vector, the other a number",
                    "check the formula",
                ));
            }
        };
        Ok(Value { shape, dimension })
    }

    pub(super) fn product(&mut self, a: Value, b: Value, place: Place) -> Result<Value> {
        let dimension = a.dimension * b.dimension;
        let shape = match (a.shape, b.shape) {
            (Shape::Scalar(a), Shape::Scalar(b)) => Shape::Scalar(self.program.multiply(a, b)),
            (Shape::Scalar(factor), Shape::Vector(v, longest))
            | (Shape::Vector(v, longest), Shape::Scalar(factor)) => {
                let size = self.program.range(factor).size();
                Shape::Vector(v.map(|component| self.program.multiply(factor, component)), longest * size)
            }
            _ => {
                let advice = "write dot(u, v) or cross(u, v)";
                return Err(self.error(place, "two vectors have two products", advice));
            }
        };
        Ok(Value { shape, dimension })
    }

    pub(super) fn quotient(&mut self, a: &Expression, b: &Expression, place: Place) -> Result<Value> {
        let (above, below) = (self.value(a)?, self.value(b)?);
        let (divisor, of_divisor) = self.scalar(&(below, b.term().place), "/")?;
        let range = self.program.range(divisor);
        let Some(divisor) = self.without_zero(divisor) else {
            let problem = format!("the divisor can be 0: it {}", extent(range, of_divisor));
            let advice = "bound the parameters in it away from 0, or write max(x, 1e-6), atan2(1, x) or powder_stick(x); \
                          a `where` around it does not help";
            return Err(self.error(place, problem, advice));
        };
        let value = self.map(above, |lowering, id| lowering.program.divide(id, divisor));
        Ok(Value { dimension: above.dimension / of_divisor, ..value })
    }

    /// Returns a divisor that cannot be 0. If the constraints of the model keep the divisor away from 0, it is
    /// clipped. Returns `None` if it can be 0.
    fn without_zero(&mut self, divisor: Id) -> Option<Id> {
        if !self.program.range(divisor).contains(0.0) {
            return Some(divisor);
        }
        if let Some(divisor) = self.within(divisor, &ABOVE_0) {
            return Some(divisor);
        }
        let minus = self.program.negative(divisor);
        let minus = self.within(minus, &ABOVE_0)?;
        Some(self.program.negative(minus))
    }

    /// Returns x to the power `exponent` as e^(exponent ln x), for x above 0.
    fn power_by_logarithm(&mut self, x: Id, exponent: Id) -> Value {
        let logarithm = self.program.unary(Unary::Logarithm, x);
        let product = self.program.multiply(exponent, logarithm);
        Value::number(self.program.unary(Unary::Exponential, product))
    }

    /// Returns the node of a value raised to a power. Integer and half-integer powers use multiplications and
    /// a square root. Other powers use an exponential and a logarithm.
    pub(super) fn power(&mut self, base: &Expression, power: &Expression, place: Place) -> Result<Value> {
        let (of_base, of_power) = (self.value(base)?, self.value(power)?);
        let (x, dimension) = self.scalar(&(of_base, base.term().place), "^")?;
        let exponent = self.number(&(of_power, power.term().place), "a power")?;
        let Some(power) = self.program.constant_of(exponent) else {
            if dimension != Dimension::NUMBER {
                let problem = format!("{dimension} to a power that is not known has no unit");
                return Err(self.error(place, problem, "make a pure number of it"));
            }
            let Some(x) = self.within(x, &ABOVE_0) else {
                let what = "with such a power is defined only above 0";
                return Err(self.beyond(place, (x, dimension), "^", what));
            };
            return Ok(self.power_by_logarithm(x, exponent));
        };
        let halves = 2.0 * power;
        let Some(x) = (if power < 0.0 { self.without_zero(x) } else { Some(x) }) else {
            return Err(self.beyond(place, (x, dimension), "^", "with a negative power is not defined at 0"));
        };
        if halves.fract() != 0.0 || halves.abs() > 32.0 {
            let above = self.within(x, &ABOVE_0).filter(|_| dimension == Dimension::NUMBER);
            let Some(x) = above else {
                let what = "with such a power takes a pure number above 0";
                return Err(self.beyond(place, (x, dimension), "^", what));
            };
            return Ok(self.power_by_logarithm(x, exponent));
        }
        let Some(dimension) = dimension.to_the_halves(saturating::<i32>(halves)) else {
            let problem = format!("{dimension} to the power {power} has no unit");
            return Err(self.error(place, problem, "check the formula"));
        };
        let size = saturating::<u32>(halves.abs());
        let mut value = self.whole_power(x, size / 2);
        if size % 2 == 1 {
            let Some(x) = self.within(x, &FROM_0) else {
                let what = "with a half power is defined only for values of at least 0";
                return Err(self.beyond(place, (x, dimension), "^", what));
            };
            let root = self.program.unary(Unary::Root, x);
            value = self.program.multiply(value, root);
        }
        if power < 0.0 {
            let one = self.program.constant(1.0);
            value = self.program.divide(one, value);
        }
        Ok(Value::scalar(value, dimension))
    }

    /// Returns xⁿ, computed by repeated squaring.
    fn whole_power(&mut self, x: Id, n: u32) -> Id {
        match n {
            0 => self.program.constant(1.0),
            1 => x,
            n => {
                let half = self.whole_power(x, n / 2);
                let square = self.program.multiply(half, half);
                if n % 2 == 0 { square } else { self.program.multiply(square, x) }
            }
        }
    }
}
