//! Definition of a function of the model language: name, arguments with their domains, description, and
//! translation to a program.

use crate::language::id::Id;
use crate::language::lowering::{Lowering, Shape, Value, extent};
use crate::language::node::Binary;
use crate::language::range::Range;
use crate::language::source::Place;
use crate::language::unit::{Dimension, Unit};
use crate::special::watson::{LARGEST_CONCENTRATION, LARGEST_STICK};
use arcuate_core::{Error, Result, saturating};
use std::fmt::Write as _;

/// A function of the model language.
#[derive(Debug)]
pub struct Function {
    /// The name of the function in formulas.
    pub name: &'static str,
    /// The arguments of the function, in order.
    pub(super) arguments: &'static [Argument],
    /// The value of the function, as text.
    pub value: &'static str,
    /// A formula with the function of two numbers p and q between 0.05 and 1, and of the gradient direction
    /// g. Its value is a pure number. Tests use it.
    pub example: &'static str,
    /// A formula of constants, its value from another source, and the largest relative error. Tests compare
    /// them.
    pub reference: (&'static str, f64, f64),
    /// Translates the function to a program. The arguments have been checked.
    pub(super) lower: fn(&mut Lowering<'_>, &Arguments) -> Result<Value>,
}

/// An argument of a function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Argument {
    name: &'static str,
    kind: Kind,
    domain: Domain,
    /// The index of an argument with the same unit.
    like: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A number without unit.
    Number,
    /// A comparison of two values: 1 or 0.
    Comparison,
    /// A number of any unit.
    Any,
    /// A number with a unit of this dimension.
    Quantity(&'static str),
    /// An even degree, which the formula has as a constant.
    Degree,
    Vector,
    UnitVector,
}

/// The largest degree of a Legendre polynomial.
const LARGEST_DEGREE: f64 = 40.0;

impl Argument {
    const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, domain: Domain::ALL, like: None }
    }

    pub(super) const fn number(name: &'static str) -> Self {
        Self::new(name, Kind::Number)
    }

    pub(super) const fn comparison(name: &'static str) -> Self {
        Self::new(name, Kind::Comparison)
    }

    pub(super) const fn any(name: &'static str) -> Self {
        Self::new(name, Kind::Any)
    }

    pub(super) const fn quantity(name: &'static str, unit: &'static str) -> Self {
        Self::new(name, Kind::Quantity(unit))
    }

    pub(super) const fn degree(name: &'static str) -> Self {
        Self::new(name, Kind::Degree)
    }

    pub(super) const fn vector(name: &'static str) -> Self {
        Self::new(name, Kind::Vector)
    }

    pub(super) const fn unit_vector(name: &'static str) -> Self {
        Self::new(name, Kind::UnitVector)
    }

    /// Restricts the values of the argument.
    pub(super) const fn within(self, domain: Domain) -> Self {
        Self { domain, ..self }
    }

    /// Requires the unit of the argument with the index `other`.
    pub(super) const fn like(self, other: usize) -> Self {
        Self { like: Some(other), ..self }
    }

    /// Returns the kind and the domain of the argument as text for the documentation.
    fn text(&self, arguments: &[Self]) -> String {
        let kind = match self.kind {
            Kind::Number if self.domain.text().is_empty() => "pure number".to_owned(),
            Kind::Number => String::new(),
            Kind::Comparison => "comparison".to_owned(),
            Kind::Any => match self.like {
                Some(other) => format!("unit of {}", arguments[other].name),
                None => "any unit".to_owned(),
            },
            Kind::Quantity(unit) => unit.to_owned(),
            Kind::Degree => format!("even number from 0 to {LARGEST_DEGREE}"),
            Kind::Vector => "vector".to_owned(),
            Kind::UnitVector => "unit vector".to_owned(),
        };
        [self.domain.text(), kind].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// The values that an argument can have.
#[derive(Debug, Clone, Copy)]
pub(in crate::language) struct Domain {
    low: f64,
    high: f64,
    /// True if the lower end does not belong to the domain.
    is_open: bool,
    /// True if the upper end is checked when the measurements are known.
    is_high_later: bool,
}

impl Domain {
    const ALL: Self = Self::between(f64::NEG_INFINITY, f64::INFINITY);

    pub(super) const fn between(low: f64, high: f64) -> Self {
        Self { low, high, is_open: false, is_high_later: false }
    }

    /// Returns whether all numbers of a range belong to the domain. Ends may differ by rounding errors, but
    /// not around 0.
    fn has(&self, range: Range) -> bool {
        const SLACK: f64 = 1e-9;
        let is_above =
            if self.is_open { range.low > self.low } else { range.low >= self.low - SLACK * self.low.abs() };
        // An infinite end minus itself is not a number.
        (self.low == f64::NEG_INFINITY || is_above)
            && (self.is_high_later
                || self.high == f64::INFINITY
                || range.high <= self.high + SLACK * self.high.abs())
    }

    fn text(&self) -> String {
        let number = |value: f64| value.to_string().replace('-', "−");
        match (self.low.is_finite(), self.high.is_finite()) {
            (false, false) => String::new(),
            (true, false) if self.is_open => format!("above {}", number(self.low)),
            (true, false) => format!("at least {}", number(self.low)),
            _ => format!("from {} to {}", number(self.low), number(self.high)),
        }
    }
}

/// Numbers above 0.
pub(in crate::language) const ABOVE_0: Domain = Domain { is_open: true, ..FROM_0 };
/// Numbers of at least 0.
pub(in crate::language) const FROM_0: Domain = Domain::between(0.0, f64::INFINITY);
/// Cosines.
pub(super) const COSINE: Domain = Domain::between(-1.0, 1.0);
/// Concentrations of distributions of orientations.
pub(super) const CONCENTRATION: Domain = Domain::between(0.0, LARGEST_CONCENTRATION);
/// Products of b and the diffusivity of a stick.
pub(super) const STICK: Domain = Domain { is_high_later: true, ..Domain::between(0.0, LARGEST_STICK) };

/// The arguments of a call, which have been checked.
pub(super) struct Arguments(Vec<(Value, Place)>);

impl Arguments {
    /// Returns the node of an argument that is a number.
    pub(super) fn id(&self, n: usize) -> Id {
        match self.0[n].0.shape {
            Shape::Scalar(id) => id,
            Shape::Vector(..) => unreachable!("the argument was checked to be a number"),
        }
    }

    /// Returns the components of an argument that is a vector, and the largest length that it can have.
    pub(super) fn vector(&self, n: usize) -> ([Id; 3], f64) {
        match self.0[n].0.shape {
            Shape::Vector(ids, longest) => (ids, longest),
            Shape::Scalar(_) => unreachable!("the argument was checked to be a vector"),
        }
    }

    /// Returns an argument that is a degree.
    pub(super) fn degree(&self, lowering: &Lowering<'_>, n: usize) -> u16 {
        saturating::<u16>(lowering.program.constant_of(self.id(n)).unwrap_or(0.0))
    }

    pub(super) fn dimension(&self, n: usize) -> Dimension {
        self.0[n].0.dimension
    }

    /// Returns the position of an argument in the model file, for error messages.
    pub(super) fn place(&self, n: usize) -> Place {
        self.0[n].1
    }
}

impl Function {
    /// Returns the row of the function in the table of the documentation: the call, the value and the
    /// arguments.
    pub fn table_row(&self) -> String {
        let mut domains = String::new();
        let texts: Vec<String> = self.arguments.iter().map(|one| one.text(self.arguments)).collect();
        let mut n = 0;
        while n < texts.len() {
            let same = texts[n..].iter().take_while(|text| **text == texts[n]).count();
            let names: Vec<&str> = self.arguments[n..n + same].iter().map(|one| one.name).collect();
            let separator = if n == 0 { "" } else { "; " };
            // Writing to a string cannot fail.
            let _ = write!(domains, "{separator}{}: {}", names.join(", "), texts[n]);
            n += same;
        }
        format!("| `{}` | {} | {domains} |", self.call(), self.value).replace("|x|", "\\|x\\|")
    }

    /// Returns the function with the names of its arguments, such as `atan2(y, x)`.
    fn call(&self) -> String {
        let names: Vec<&str> = self.arguments.iter().map(|argument| argument.name).collect();
        format!("{}({})", self.name, names.join(", "))
    }
}

impl Lowering<'_> {
    /// Returns the value of a function. Each argument has its position in the model file.
    pub(super) fn value_of(
        &mut self,
        function: &Function,
        arguments: Vec<(Value, Place)>,
        place: Place,
    ) -> Result<Value> {
        let count = function.arguments.len();
        if arguments.len() != count {
            let problem = format!("`{}` takes {count}: {}", function.name, function.call());
            return Err(self.error(place, problem, format!("{} are given", arguments.len())));
        }
        let mut checked = Arguments(arguments);
        for (n, argument) in function.arguments.iter().enumerate() {
            self.check(function.name, argument, &mut checked.0[n])?;
            if let Some(other) = argument.like {
                let dimension = self.common(&checked.0[other], &checked.0[n], place)?;
                checked.0[other].0.dimension = dimension;
                checked.0[n].0.dimension = dimension;
            }
        }
        (function.lower)(self, &checked)
    }

    /// Checks the kind, the unit and the domain of an argument. If only the constraints of the model keep its
    /// value in the domain, the value is clipped to the domain.
    fn check(&mut self, function: &str, argument: &Argument, given: &mut (Value, Place)) -> Result<()> {
        let dimension = given.0.dimension;
        match argument.kind {
            Kind::Number | Kind::Comparison => {
                self.number(given, function)?;
            }
            Kind::Any => {
                self.scalar(given, function)?;
            }
            Kind::Quantity(unit) => {
                self.scalar(given, function)?;
                if Unit::parse(unit).is_none_or(|unit| unit.dimension() != dimension) {
                    let problem = format!(
                        "`{function}` takes {} in a unit like {unit}, and this is {dimension}",
                        argument.name
                    );
                    return Err(self.error(given.1, problem, "check the units of its terms"));
                }
            }
            Kind::Degree => {
                let degree = self.number(given, "a degree")?;
                let degree = self.program.constant_of(degree);
                if !degree.is_some_and(|l| l >= 0.0 && l % 2.0 == 0.0 && l <= LARGEST_DEGREE) {
                    let problem = format!("a degree is an even number from 0 to {LARGEST_DEGREE}");
                    return Err(self.error(given.1, problem, "write it as a number"));
                }
            }
            Kind::Vector => {
                self.vector(given, function)?;
            }
            Kind::UnitVector => {
                let (ids, longest) = self.vector(given, function)?;
                if longest > 1.0 || dimension != Dimension::NUMBER {
                    let problem = format!("`{function}` takes unit vectors");
                    let advice =
                        "give g, an orientation that is fitted, across(...) or direction(theta, phi)";
                    return Err(self.error(given.1, problem, advice));
                }
                given.0.shape = Shape::Vector(ids, 1.0);
            }
        }
        if let Shape::Scalar(x) = given.0.shape {
            let Some(inside) = self.within(x, &argument.domain) else {
                let what = format!("takes {} {}", argument.name, argument.domain.text());
                return Err(self.beyond(given.1, (x, dimension), function, &what));
            };
            given.0.shape = Shape::Scalar(inside);
        }
        Ok(())
    }

    /// Returns a value in the domain: the value `x`, if its range is in the domain. If the constraints of the
    /// model keep it in the domain, it is clipped, because fits keep constraints only up to rounding errors.
    /// Returns `None` if the value can be outside the domain.
    pub(in crate::language) fn within(&mut self, x: Id, domain: &Domain) -> Option<Id> {
        let range = self.program.range(x);
        if domain.has(range) {
            return Some(x);
        }
        let constrained = self.constrained_range(x);
        if !domain.has(constrained) {
            return None;
        }
        let mut inside = x;
        if range.low < domain.low || domain.is_open && range.low <= domain.low {
            let low = self.program.constant(constrained.low.max(domain.low));
            inside = self.program.binary(Binary::Maximum, inside, low);
        }
        if range.high > domain.high && !domain.is_high_later {
            let high = self.program.constant(constrained.high.min(domain.high));
            inside = self.program.binary(Binary::Minimum, inside, high);
        }
        Some(inside)
    }

    /// Returns an error that the value of an argument can be outside the domain of a function.
    pub(in crate::language) fn beyond(
        &self,
        place: Place,
        (x, dimension): (Id, Dimension),
        function: &str,
        what: &str,
    ) -> Error {
        let extent = extent(self.program.range(x), dimension);
        let advice = match self.difference_below_zero(x) {
            Some([a, b]) => format!(
                "write max({a} - {b}, 0), or add the constraint \"{b} <= {a}\"; a `where` around it does not help"
            ),
            None => {
                "bound the parameters in it, or use min or max; a `where` around it does not help".to_owned()
            }
        };
        self.error(place, format!("`{function}` {what}, and this {extent}"), advice)
    }
}
