//! From formulas to programs: names get their values, units are compared, divisors are looked at.

use super::expression::{Expression, Kind, Term};
use super::model::{Form, Model};
use super::parser::Comparison;
use super::program::{Binary, Id, Input, Program, Unary};
use super::range::Range;
use super::source::{Place, Source, did_you_mean};
use super::unit::{Dimension, Unit};
use arcuate_core::{Error, Result};
use std::collections::HashMap;

/// A number or three of them.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Scalar(Id),
    /// A vector and how long it is at most.
    Vector([Id; 3], f64),
}

/// What a formula is.
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

/// A formula on its way to a program.
pub(super) struct Lowering<'a> {
    source: &'a Source,
    pub(super) program: Program,
    symbols: Vec<(String, Value)>,
    used: Vec<bool>,
    done: HashMap<*const Term, Value>,
}

/// What every measurement has, if its table does: name, unit, what it is, and its smallest value.
pub const MEASURED: [(&str, &str, &str, f64); 5] = [
    ("b", "s/mm²", "diffusion weighting", 0.0),
    ("separation", "ms", "time Δ between the onsets of both gradient pulses", 0.0),
    ("duration", "ms", "time δ that a gradient pulse lasts", 0.0),
    ("echo_time", "ms", "echo time", 0.0),
    ("amplitude", "mT/m", "strength of the gradient pulses", 0.0),
];

/// Numbers of a measurement: b, the three components of g, Δ, δ, the echo time, the amplitude, then those of the model.
pub(crate) const OWN_COLUMNS: u16 = 8;

/// What a parameter is in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Fitted.
    Free,
    /// The same in all voxels.
    Setting,
    /// Of a voxel.
    Map,
}

/// A model as a program.
#[derive(Debug, Clone)]
pub struct ModelProgram {
    pub(crate) program: Program,
    pub(crate) signal: Id,
    /// The role of each parameter, and the first of its numbers among those of this role.
    pub(crate) places: Vec<(Role, usize)>,
    /// Numbers of each role.
    pub(crate) free_numbers: usize,
    pub(crate) map_numbers: usize,
    pub(crate) constraints: Vec<LinearConstraint>,
}

/// left side − right side of a constraint, which is to be 0 or at least 0.
#[derive(Debug, Clone)]
pub(crate) struct LinearConstraint {
    pub(crate) value: Id,
    pub(crate) is_equality: bool,
}

/// Maps made of what was fitted, as a program: for each the channels' values.
#[derive(Debug, Clone)]
pub(crate) struct OutputProgram {
    pub(crate) program: Program,
    pub(crate) values: Vec<Vec<Id>>,
}

impl Model {
    /// The roles that parameters have unless the user wants others.
    pub fn own_roles(&self) -> Vec<Role> {
        let role = |is_fixed| if is_fixed { Role::Setting } else { Role::Free };
        self.parameters.iter().map(|parameter| role(parameter.is_fixed)).collect()
    }

    /// The model as a program, its parameters in these roles.
    pub fn program(&self, roles: &[Role]) -> Result<ModelProgram> {
        let mut lowering = Lowering::new(&self.source);
        lowering.measured(self);
        let (places, [free_numbers, _, map_numbers]) = lowering.parameters(self, roles);
        let signal = lowering.value(&self.signal)?;
        let place = self.signal.term().place;
        let Shape::Scalar(id) = signal.shape else {
            return Err(lowering.error(place, "the signal is a vector", "make a number of it"));
        };
        if signal.dimension != Dimension::SIGNAL {
            let problem = format!("the signal is {}", signal.dimension);
            let advice = "its unit must be `signal`, that of a parameter like s0";
            return Err(lowering.error(place, problem, advice));
        }
        lowering.check_used(self)?;
        let mut constraints = Vec::new();
        for constraint in &self.constraints {
            let sides = [&constraint.left, &constraint.right].map(|side| lowering.value(side));
            let [left, right] = sides;
            let sides = [(left?, constraint.place), (right?, constraint.place)];
            lowering.common(&sides[0], &sides[1], constraint.place)?;
            let [(a, _), (b, _)] = [lowering.scalar(&sides[0], "=")?, lowering.scalar(&sides[1], "=")?];
            let (a, b) = if constraint.comparison == Comparison::Less { (b, a) } else { (a, b) };
            let value = lowering.program.subtract(a, b);
            constraints
                .push(LinearConstraint { value, is_equality: constraint.comparison == Comparison::Equal });
        }
        Ok(ModelProgram {
            program: lowering.program,
            signal: id,
            places,
            free_numbers,
            map_numbers,
            constraints,
        })
    }

    /// The maps that are made of what was fitted.
    pub(crate) fn output_program(&self, roles: &[Role]) -> Result<OutputProgram> {
        let mut lowering = Lowering::new(&self.source);
        lowering.parameters(self, roles);
        let mut values = Vec::new();
        for output in &self.outputs {
            let value = lowering.value(&output.value)?;
            if value.dimension != output.unit.dimension() {
                let problem = format!("`{}` is {}, not {}", output.name, value.dimension, output.unit);
                return Err(lowering.error(output.place, problem, "check its formula, or its unit"));
            }
            let factor = lowering.program.constant(output.unit.factor());
            let channels = match value.shape {
                Shape::Scalar(id) => vec![id],
                Shape::Vector(ids, _) => ids.to_vec(),
            };
            values.push(channels.into_iter().map(|id| lowering.program.divide(id, factor)).collect());
        }
        Ok(OutputProgram { program: lowering.program, values })
    }
}

impl<'a> Lowering<'a> {
    fn new(source: &'a Source) -> Self {
        let mut lowering = Self {
            source,
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

    /// A value that a function does not take.
    pub(super) fn beyond(
        &self,
        place: Place,
        (x, dimension): (Id, Dimension),
        function: &str,
        what: &str,
    ) -> Error {
        let extent = extent(self.program.range(x), dimension);
        let advice = "bound the parameters in it, or use min or max; a `where` around it does not help";
        self.error(place, format!("`{function}` {what}, and this {extent}"), advice)
    }

    fn define(&mut self, name: &str, value: Value) {
        self.symbols.push((name.to_owned(), value));
        self.used.push(false);
    }

    fn define_input(&mut self, name: &str, input: Input, unit: &Unit, bounds: Range) {
        let range = bounds.times(Range::of(unit.factor()));
        let id = self.program.input(input, range);
        self.define(name, Value::scalar(id, unit.dimension()));
    }

    fn define_vector(&mut self, name: &str, input: impl Fn(u16) -> Input) {
        let mut components = [Id::default(); 3];
        for (axis, component) in components.iter_mut().enumerate() {
            *component = self.program.input(input(axis as u16), Range::new(-1.0, 1.0));
        }
        self.define(name, Value { shape: Shape::Vector(components, 1.0), dimension: Dimension::NUMBER });
    }

    fn measured(&mut self, model: &Model) {
        for (n, (name, unit, _, smallest)) in MEASURED.into_iter().enumerate() {
            let column = if n == 0 { 0 } else { n as u16 + 3 };
            let unit = Unit::parse(unit).unwrap_or_else(Unit::number);
            self.define_input(name, Input::Measurement(column), &unit, Range::new(smallest, f64::INFINITY));
        }
        self.define_vector("g", |axis| Input::Measurement(1 + axis));
        for (n, column) in model.measurements.iter().enumerate() {
            let input = Input::Measurement(OWN_COLUMNS + n as u16);
            self.define_input(&column.name, input, &column.unit, column.bounds);
        }
    }

    /// Parameters and maps: their places, and how many numbers each role has.
    fn parameters(&mut self, model: &Model, roles: &[Role]) -> (Vec<(Role, usize)>, [usize; 3]) {
        let mut counts = [0; 3];
        let mut places = Vec::new();
        for (parameter, &role) in model.parameters.iter().zip(roles) {
            let count = &mut counts[role as usize];
            places.push((role, *count));
            let first = *count as u16;
            *count += parameter.numbers();
            let input = |n: u16| match role {
                Role::Free => Input::Parameter(first + n),
                Role::Setting => Input::Setting(first + n),
                Role::Map => Input::Map(first + n),
            };
            match parameter.form {
                Form::Number { bounds, .. } => {
                    self.define_input(&parameter.name, input(0), &parameter.unit, bounds);
                }
                Form::Orientation { .. } => self.define_vector(&parameter.name, input),
            }
        }
        for map in &model.maps {
            let input = Input::Map(counts[Role::Map as usize] as u16);
            counts[Role::Map as usize] += 1;
            self.define_input(&map.name, input, &map.unit, map.bounds);
        }
        (places, counts)
    }

    /// Fails where something was declared that no formula asked for.
    fn check_used(&self, model: &Model) -> Result<()> {
        let is_used =
            |name: &str| self.symbols.iter().zip(&self.used).any(|((known, _), &used)| used && known == name);
        let parameters = model.parameters.iter().map(|parameter| (&parameter.name, parameter.place));
        let known = model.measurements.iter().chain(&model.maps).map(|known| (&known.name, known.place));
        for (name, place) in parameters.chain(known) {
            if !is_used(name) {
                let problem = format!("`{name}` is not used in the signal");
                return Err(self.error(place, problem, "use it there, or remove it"));
            }
        }
        Ok(())
    }

    /// What a formula is.
    pub(super) fn value(&mut self, formula: &Expression) -> Result<Value> {
        if let Some(&value) = self.done.get(&formula.key()) {
            return Ok(value);
        }
        let value = self.new_value(formula)?;
        self.done.insert(formula.key(), value);
        Ok(value)
    }

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
                self.function(name, &values, place)
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

    fn map(&mut self, value: Value, mut of: impl FnMut(&mut Self, Id) -> Id) -> Value {
        let shape = match value.shape {
            Shape::Scalar(id) => Shape::Scalar(of(self, id)),
            Shape::Vector(ids, longest) => Shape::Vector(ids.map(|id| of(self, id)), longest),
        };
        Value { shape, ..value }
    }

    fn sum(&mut self, function: Binary, a: &Expression, b: &Expression, place: Place) -> Result<Value> {
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

    fn product(&mut self, a: Value, b: Value, place: Place) -> Result<Value> {
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

    fn quotient(&mut self, a: &Expression, b: &Expression, place: Place) -> Result<Value> {
        let (above, below) = (self.value(a)?, self.value(b)?);
        let (divisor, of_divisor) = self.scalar(&(below, b.term().place), "/")?;
        let range = self.program.range(divisor);
        if range.contains(0.0) {
            let problem = format!("the divisor can be 0: it {}", extent(range, of_divisor));
            let advice = "bound the parameters in it away from 0, or write max(x, 1e-6), atan2(1, x) or powder_stick(x); \
                          a `where` around it does not help";
            return Err(self.error(place, problem, advice));
        }
        let value = self.map(above, |lowering, id| lowering.program.divide(id, divisor));
        Ok(Value { dimension: above.dimension / of_divisor, ..value })
    }

    /// Whole and half powers by multiplication, others by exponential and logarithm.
    fn power(&mut self, base: &Expression, power: &Expression, place: Place) -> Result<Value> {
        let (of_base, of_power) = (self.value(base)?, self.value(power)?);
        let (x, dimension) = self.scalar(&(of_base, base.term().place), "^")?;
        let exponent = self.number(&(of_power, power.term().place), "a power")?;
        let range = self.program.range(x);
        let Some(power) = self.program.constant_of(exponent) else {
            if dimension != Dimension::NUMBER {
                let problem = format!("{dimension} to a power that is not known has no unit");
                return Err(self.error(place, problem, "make a pure number of it"));
            }
            if range.low <= 0.0 {
                return Err(self.beyond(
                    place,
                    (x, dimension),
                    "^",
                    "with such a power is only there above 0",
                ));
            }
            let logarithm = self.program.unary(Unary::Logarithm, x);
            let product = self.program.multiply(exponent, logarithm);
            return Ok(Value::number(self.program.unary(Unary::Exponential, product)));
        };
        let halves = 2.0 * power;
        if power < 0.0 && range.contains(0.0) {
            return Err(self.beyond(
                place,
                (x, dimension),
                "^",
                "with a power below 0 is only there beside 0",
            ));
        }
        if halves.fract() != 0.0 || halves.abs() > 32.0 {
            if dimension != Dimension::NUMBER || range.low <= 0.0 {
                return Err(self.beyond(
                    place,
                    (x, dimension),
                    "^",
                    "with such a power takes a pure number above 0",
                ));
            }
            let logarithm = self.program.unary(Unary::Logarithm, x);
            let product = self.program.multiply(exponent, logarithm);
            return Ok(Value::number(self.program.unary(Unary::Exponential, product)));
        }
        let Some(dimension) = dimension.to_the_halves(halves as i32) else {
            let problem = format!("{dimension} to the power {power} has no unit");
            return Err(self.error(place, problem, "check the formula"));
        };
        let size = halves.abs() as u32;
        let mut value = self.whole_power(x, size / 2);
        if size % 2 == 1 {
            if range.low < 0.0 {
                return Err(self.beyond(
                    place,
                    (x, dimension),
                    "^",
                    "with a half power is only there from 0 on",
                ));
            }
            let root = self.program.unary(Unary::Root, x);
            value = self.program.multiply(value, root);
        }
        if power < 0.0 {
            let one = self.program.constant(1.0);
            value = self.program.divide(one, value);
        }
        Ok(Value::scalar(value, dimension))
    }

    /// xⁿ by squaring.
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

    /// The number that an argument is, and its dimension.
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

    /// The pure number that an argument is.
    pub(super) fn number(&self, argument: &(Value, Place), of: &str) -> Result<Id> {
        let (id, dimension) = self.scalar(argument, of)?;
        if dimension == Dimension::NUMBER {
            return Ok(id);
        }
        let problem = format!("`{of}` takes a pure number, and this is {dimension}");
        Err(self.error(argument.1, problem, "check the units of what it is made of"))
    }

    /// The vector that an argument is, and how long it is at most.
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

    /// The dimension that both have; 0 has any.
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
        Err(self.error(place, problem, "check the units of what is joined here"))
    }
}

/// Between which numbers a value lies, in words.
fn extent(Range { low, high }: Range, dimension: Dimension) -> String {
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

impl ModelProgram {
    /// The graph, and the signal's place in it.
    pub fn parts(self) -> (Program, Id) {
        (self.program, self.signal)
    }
}
