//! Translates formulas into programs (graphs of operations): resolves names and checks units.

use super::expression::{Expression, Kind, Term};
use super::id::Id;
use super::model::Constraint;
use super::node::{Binary, Input, Node, Unary};
use super::program::Program;
use super::range::Range;
use super::source::{Place, Source, did_you_mean};
use super::unit::{Dimension, Unit};
use arcuate_core::{Error, Result, narrow};
use std::collections::HashMap;

/// The kind of a value: a scalar or a vector with three components.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Scalar(Id),
    /// The components of a vector, and the largest length that the vector can have.
    Vector([Id; 3], f64),
}

/// The value of a formula: a scalar or a vector, and its physical dimension.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub(super) shape: Shape,
    pub(super) dimension: Dimension,
}

impl Value {
    pub(super) fn scalar(id: Id, dimension: Dimension) -> Self {
        Self { shape: Shape::Scalar(id), dimension }
    }

    pub(super) fn number(id: Id) -> Self {
        Self::scalar(id, Dimension::NUMBER)
    }
}

/// The data that are needed while formulas are translated into a program.
#[derive(Clone)]
pub(super) struct Lowering<'a> {
    source: &'a Source,
    /// The constraints of the model, which restrict the ranges of values.
    pub(super) constraints: &'a [Constraint],
    pub(super) program: Program,
    symbols: Vec<(String, Value)>,
    used: Vec<bool>,
    done: HashMap<*const Term, Value>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(source: &'a Source, constraints: &'a [Constraint]) -> Self {
        let mut lowering = Self {
            source,
            constraints,
            program: Program::default(),
            symbols: Vec::new(),
            used: Vec::new(),
            done: HashMap::new(),
        };
        let pi = lowering.program.constant(std::f64::consts::PI);
        lowering.define("pi", Value::number(pi));
        lowering
    }

    pub(super) fn error(&self, place: Place, problem: impl Into<String>, advice: impl Into<String>) -> Error {
        self.source.error(place, problem, advice)
    }

    /// Searches the operations that compute a value for a difference of two named values that can be
    /// negative. Returns the names of both values.
    pub(super) fn difference_below_zero(&self, x: Id) -> Option<[&str; 2]> {
        let name = |id: Id| {
            let is_it = |value: &Value| matches!(value.shape, Shape::Scalar(own) if own == id);
            self.symbols.iter().find(|(_, value)| is_it(value)).map(|(name, _)| name.as_str())
        };
        self.program.reachable(&[x]).into_iter().find_map(|id| match self.program.node(id) {
            Node::Binary(Binary::Subtract, a, b) if self.program.range(id).low < 0.0 => {
                Some([name(a)?, name(b)?])
            }
            _ => None,
        })
    }

    /// Defines a name and its value.
    pub(super) fn define(&mut self, name: &str, value: Value) {
        self.symbols.push((name.to_owned(), value));
        self.used.push(false);
    }

    pub(super) fn define_input(&mut self, name: &str, input: Input, unit: &Unit, bounds: Range) {
        let range = bounds.times(Range::of(unit.factor()));
        let id = self.program.input(input, range);
        self.define(name, Value::scalar(id, unit.dimension()));
    }

    pub(super) fn define_vector(&mut self, name: &str, input: impl Fn(u16) -> Input) {
        let mut components = [Id::default(); 3];
        for (axis, component) in components.iter_mut().enumerate() {
            *component = self.program.input(input(narrow::<u16>(axis)), Range::new(-1.0, 1.0));
        }
        self.define(name, Value { shape: Shape::Vector(components, 1.0), dimension: Dimension::NUMBER });
    }

    /// Returns whether a formula that was translated has used this name.
    pub(super) fn is_used(&self, name: &str) -> bool {
        self.symbols.iter().zip(&self.used).any(|((known, _), &used)| used && known == name)
    }

    /// Returns the value of a formula.
    pub(super) fn value(&mut self, formula: &Expression) -> Result<Value> {
        // The operands of a term are computed before the term itself, in the order of an explicit stack.
        // Recursion over the terms of a long sum would overflow the call stack.
        let mut waiting = vec![(formula, false)];
        loop {
            let Some((next, has_operands)) = waiting.pop() else {
                let place = formula.term().place;
                return Err(self.error(place, "the formula has no value", "report this as a bug"));
            };
            if let Some(&value) = self.done.get(&next.key()) {
                if waiting.is_empty() {
                    return Ok(value);
                }
            } else if has_operands {
                let value = self.new_value(next)?;
                self.done.insert(next.key(), value);
                if waiting.is_empty() {
                    return Ok(value);
                }
            } else {
                waiting.push((next, true));
                waiting.extend(next.term().kind.operands().rev().map(|operand| (operand, false)));
            }
        }
    }

    /// Returns the value of a formula whose operands already have values.
    fn new_value(&mut self, formula: &Expression) -> Result<Value> {
        let Term { kind, place } = formula.term();
        let place = *place;
        match kind {
            Kind::Number(value) => Ok(Value::number(self.program.constant(*value))),
            Kind::Quantity(value, unit) => {
                Ok(Value::scalar(self.program.constant(value * unit.factor()), unit.dimension()))
            }
            Kind::Name(name) => self.named(name, place),
            Kind::Negative(x) => {
                let value = self.value(x)?;
                Ok(self.map(value, |lowering, id| lowering.program.unary(Unary::Negative, id)))
            }
            Kind::Sum(a, b) => self.sum(Binary::Add, a, b, place),
            Kind::Difference(a, b) => self.sum(Binary::Subtract, a, b, place),
            Kind::Product(a, b) => {
                let (left, right) = (self.value(a)?, self.value(b)?);
                self.product(left, right, place)
            }
            Kind::Quotient(a, b) => self.quotient(a, b, place),
            Kind::Power(base, power) => self.power(base, power, place),
            Kind::Call(name, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push((self.value(argument)?, argument.term().place));
                }
                self.function(name, values, place)
            }
            Kind::Component(of, axis) => {
                let value = self.value(of)?;
                let Shape::Vector(components, longest) = value.shape else {
                    return Err(self.error(
                        place,
                        "a number has no components",
                        "take it of a vector like g",
                    ));
                };
                if longest.is_finite() {
                    self.program.narrow(components[*axis], Range::new(-longest, longest));
                }
                Ok(Value::scalar(components[*axis], value.dimension))
            }
            Kind::Less(a, b) => {
                let sides = [(self.value(a)?, place), (self.value(b)?, place)];
                self.common(&sides[0], &sides[1], place)?;
                let [(a, _), (b, _)] = [self.scalar(&sides[0], "<")?, self.scalar(&sides[1], "<")?];
                Ok(Value::number(self.program.binary(Binary::Less, a, b)))
            }
        }
    }

    fn named(&mut self, name: &str, place: Place) -> Result<Value> {
        if let Some(n) = self.symbols.iter().position(|(known, _)| known == name) {
            self.used[n] = true;
            return Ok(self.symbols[n].1);
        }
        let known = self.symbols.iter().map(|(name, _)| name.as_str());
        let advice = did_you_mean(name, known, "declare it under [parameters], [measurements] or [maps]");
        Err(self.error(place, format!("`{name}` is not known here"), advice))
    }

    pub(super) fn map(&mut self, value: Value, mut of: impl FnMut(&mut Self, Id) -> Id) -> Value {
        let shape = match value.shape {
            Shape::Scalar(id) => Shape::Scalar(of(self, id)),
            Shape::Vector(ids, longest) => Shape::Vector(ids.map(|id| of(self, id)), longest),
        };
        Value { shape, ..value }
    }

    /// Returns the scalar value of a function's argument and its physical dimension. Returns an error if the
    /// argument is a vector.
    pub(super) fn scalar(&self, (value, place): &(Value, Place), of: &str) -> Result<(Id, Dimension)> {
        match value.shape {
            Shape::Scalar(id) => Ok((id, value.dimension)),
            Shape::Vector(..) => Err(self.error(
                *place,
                format!("`{of}` takes a number, and this is a vector"),
                "check the formula",
            )),
        }
    }

    /// Returns the scalar value of a function's argument. Returns an error if the argument is a vector or has
    /// a unit.
    pub(super) fn number(&self, argument: &(Value, Place), of: &str) -> Result<Id> {
        let (id, dimension) = self.scalar(argument, of)?;
        if dimension == Dimension::NUMBER {
            return Ok(id);
        }
        let problem = format!("`{of}` takes a pure number, and this is {dimension}");
        Err(self.error(argument.1, problem, "check the units of its terms"))
    }

    /// Returns the components of a function's argument that is a vector, and the largest length that the
    /// vector can have.
    pub(super) fn vector(&self, (value, place): &(Value, Place), of: &str) -> Result<([Id; 3], f64)> {
        match value.shape {
            Shape::Vector(ids, longest) => Ok((ids, longest)),
            Shape::Scalar(_) => Err(self.error(
                *place,
                format!("`{of}` takes a vector, and this is a number"),
                "check the formula",
            )),
        }
    }

    /// Returns the physical dimension that two values have in common. The constant 0 has every dimension.
    /// Returns an error if the dimensions differ.
    pub(super) fn common(&self, a: &(Value, Place), b: &(Value, Place), place: Place) -> Result<Dimension> {
        let is_zero = |value: &Value| matches!(value.shape, Shape::Scalar(id) if self.program.constant_of(id) == Some(0.0));
        let (left, right) = (a.0.dimension, b.0.dimension);
        if left == right || is_zero(&b.0) {
            return Ok(left);
        }
        if is_zero(&a.0) {
            return Ok(right);
        }
        let problem = format!("units do not fit: {left} and {right}");
        Err(self.error(place, problem, "check the units of these terms"))
    }
}

/// Returns the range of a value as text for an error message.
pub(super) fn extent(Range { low, high }: Range, dimension: Dimension) -> String {
    let unit = match dimension {
        Dimension::NUMBER => String::new(),
        dimension => format!(" {dimension}"),
    };
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("goes from {low} to {high}{unit}"),
        (true, false) => format!("goes from {low}{unit} up without end"),
        (false, true) => format!("goes from {high}{unit} down without end"),
        (false, false) => "has no bounds".to_owned(),
    }
}
