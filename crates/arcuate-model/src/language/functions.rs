//! The functions of the model language.

use super::id::Id;
use super::lowering::{Lowering, Shape, Value};
use super::node::{Binary, Dispersed, Fanned, Moments, Node, Ternary, Unary};
use super::range::Range;
use super::source::Place;
use super::unit::Dimension;
use crate::special::watson::{LARGEST_CONCENTRATION, LARGEST_STICK};
use arcuate_core::{Result, saturating};
use arcuate_numbers::legendre::times_square;

/// Every function: name, arguments and description.
pub const FUNCTIONS: [(&str, &str, &str); 31] = [
    ("exp", "x", "eˣ"),
    ("ln", "x", "natural logarithm, x above 0"),
    ("sqrt", "x", "square root, x at least 0"),
    ("abs", "x", "x without its sign"),
    ("min", "x, y", "the smaller one"),
    ("max", "x, y", "the larger one"),
    ("where", "x <= y, u, v", "u where the comparison holds, else v"),
    ("sin", "x", "sine"),
    ("cos", "x", "cosine"),
    ("atan", "x", "arc tangent"),
    ("atan2", "y, x", "angle of the point (x, y)"),
    ("acos", "x", "arc cosine, x between −1 and 1"),
    ("erf", "x", "error function"),
    ("dawson", "x", "Dawson's integral exp(−x²) ∫₀ˣ exp(t²) dt"),
    ("i0e", "x", "exp(−|x|) I₀(x)"),
    ("i1e", "x", "exp(−|x|) I₁(x)"),
    ("legendre", "l, x", "Legendre polynomial of even degree l, a number"),
    ("dot", "u, v", "scalar product"),
    ("cross", "u, v", "vector product"),
    ("norm", "u", "length of a vector"),
    ("vector", "x, y, z", "the vector of these components"),
    ("direction", "theta, phi", "(sin θ cos φ, sin θ sin φ, cos θ)"),
    ("rotate", "v, axis, angle", "v turned about a unit vector"),
    ("powder_stick", "x", "mean of exp(−x cos²) over all orientations"),
    (
        "watson_stick",
        "x, kappa, c",
        "mean of exp(−x (g·n)²) over Watson's distribution of n about an axis at cosine c to g",
    ),
    ("watson_cos2", "kappa", "mean of the squared cosine to the axis of Watson's distribution"),
    (
        "watson_moment",
        "l, kappa",
        "mean of the Legendre polynomial of even degree l over Watson's distribution",
    ),
    (
        "across",
        "n, reference, angle",
        "the unit vector across n at this angle from reference × n, towards the reference",
    ),
    (
        "bingham_stick",
        "x, kappa1, kappa2, g, mu, fan",
        "mean of exp(−x (g·n)²) over Bingham's distribution of n about mu, which fans out along fan",
    ),
    (
        "bingham_cos2",
        "kappa1, kappa2, g, mu, fan",
        "mean of the squared cosine (g·n)² over Bingham's distribution",
    ),
    ("tensor", "dxx, dyy, dzz, dxy, dxz, dyz, u", "uᵀ D u"),
];

/// The largest angle in radians that the function `across` accepts: slightly more than 2π.
const LARGEST_ANGLE: f64 = 6.4;
/// The largest degree of a Legendre polynomial that the function `legendre` accepts.
const LARGEST_DEGREE: f64 = 40.0;

impl Lowering<'_> {
    /// Returns the value of a function for the given arguments. Each argument has its position in the model
    /// file, for error messages.
    pub(super) fn function(
        &mut self,
        name: &str,
        arguments: &[(Value, Place)],
        place: Place,
    ) -> Result<Value> {
        let Some((_, takes, _)) = FUNCTIONS.into_iter().find(|(known, ..)| *known == name) else {
            let known = FUNCTIONS.iter().map(|(name, ..)| *name);
            let advice = super::source::did_you_mean(name, known, "see the page on the model language");
            return Err(self.error(place, format!("`{name}` is not a function"), advice));
        };
        let count = takes.split(',').count();
        if arguments.len() != count {
            let problem = format!("`{name}` takes {count}: {name}({takes})");
            return Err(self.error(place, problem, format!("{} are given", arguments.len())));
        }
        match name {
            "exp" => self.of_number(Unary::Exponential, &arguments[0], name),
            "ln" => {
                let x = self.number(&arguments[0], name)?;
                if self.program.range(x).low <= 0.0 {
                    return Err(self.beyond(
                        arguments[0].1,
                        (x, Dimension::NUMBER),
                        "ln",
                        "is only there above 0",
                    ));
                }
                Ok(self.pure(Unary::Logarithm, x))
            }
            "sqrt" => {
                let (x, dimension) = self.scalar(&arguments[0], name)?;
                if self.program.range(x).low < 0.0 {
                    return Err(self.beyond(
                        arguments[0].1,
                        (x, dimension),
                        "sqrt",
                        "is defined only for values of at least 0",
                    ));
                }
                let Some(dimension) = dimension.to_the_halves(1) else {
                    let problem = format!("{dimension} has no square root");
                    return Err(self.error(arguments[0].1, problem, "check the formula"));
                };
                Ok(Value::scalar(self.program.unary(Unary::Root, x), dimension))
            }
            "abs" => {
                let (x, dimension) = self.scalar(&arguments[0], name)?;
                Ok(Value::scalar(self.program.unary(Unary::Absolute, x), dimension))
            }
            "min" | "max" => {
                let dimension = self.common(&arguments[0], &arguments[1], place)?;
                let [(a, _), (b, _)] = [self.scalar(&arguments[0], name)?, self.scalar(&arguments[1], name)?];
                let function = if name == "min" { Binary::Minimum } else { Binary::Maximum };
                Ok(Value::scalar(self.program.binary(function, a, b), dimension))
            }
            "where" => {
                let flag = self.number(&arguments[0], name)?;
                let dimension = self.common(&arguments[1], &arguments[2], place)?;
                let [(a, _), (b, _)] = [self.scalar(&arguments[1], name)?, self.scalar(&arguments[2], name)?];
                Ok(Value::scalar(self.program.choose(flag, a, b), dimension))
            }
            "sin" => self.of_number(Unary::Sine, &arguments[0], name),
            "cos" => self.of_number(Unary::Cosine, &arguments[0], name),
            "atan" => self.of_number(Unary::ArcTangent, &arguments[0], name),
            "acos" => {
                let x = self.number(&arguments[0], name)?;
                if self.program.range(x).size() > 1.0 + 1e-9 {
                    return Err(self.beyond(
                        arguments[0].1,
                        (x, Dimension::NUMBER),
                        "acos",
                        "is only there between −1 and 1",
                    ));
                }
                Ok(self.pure(Unary::ArcCosine, x))
            }
            "atan2" => {
                self.common(&arguments[0], &arguments[1], place)?;
                let [(y, _), (x, _)] = [self.scalar(&arguments[0], name)?, self.scalar(&arguments[1], name)?];
                Ok(Value::number(self.program.binary(Binary::ArcTangent2, y, x)))
            }
            "erf" => self.of_number(Unary::Erf, &arguments[0], name),
            "dawson" => self.of_number(Unary::Dawson, &arguments[0], name),
            "i0e" => self.of_number(Unary::BesselI0e, &arguments[0], name),
            "i1e" => self.of_number(Unary::BesselI1e, &arguments[0], name),
            "legendre" => {
                let degree = self.degree(&arguments[0])?;
                let x = self.number(&arguments[1], name)?;
                Ok(Value::number(self.legendre(degree, x)))
            }
            "dot" => {
                let (a, b) = (self.vector(&arguments[0], name)?, self.vector(&arguments[1], name)?);
                let dimension = arguments[0].0.dimension * arguments[1].0.dimension;
                Ok(Value::scalar(self.dot(a, b), dimension))
            }
            "cross" => {
                let ((a, _), (b, _)) = (self.vector(&arguments[0], name)?, self.vector(&arguments[1], name)?);
                let product = self.cross(a, b);
                let dimension = arguments[0].0.dimension * arguments[1].0.dimension;
                Ok(Value { shape: Shape::Vector(product, f64::INFINITY), dimension })
            }
            "norm" => {
                let (a, length) = self.vector(&arguments[0], name)?;
                let square = self.dot((a, f64::INFINITY), (a, f64::INFINITY));
                self.program.narrow(square, Range::new(0.0, f64::INFINITY));
                let root = self.program.unary(Unary::Root, square);
                self.program.narrow(root, Range::new(0.0, length));
                Ok(Value::scalar(root, arguments[0].0.dimension))
            }
            "vector" => {
                let mut components = [Id::default(); 3];
                for (component, argument) in components.iter_mut().zip(arguments) {
                    self.common(&arguments[0], argument, place)?;
                    *component = self.scalar(argument, name)?.0;
                }
                let shape = Shape::Vector(components, f64::INFINITY);
                Ok(Value { shape, dimension: arguments[0].0.dimension })
            }
            "direction" => {
                let (theta, phi) = (self.number(&arguments[0], name)?, self.number(&arguments[1], name)?);
                let [sin, cos] = [Unary::Sine, Unary::Cosine].map(|f| self.program.unary(f, theta));
                let [sin_phi, cos_phi] = [Unary::Sine, Unary::Cosine].map(|f| self.program.unary(f, phi));
                let components =
                    [self.program.multiply(sin, cos_phi), self.program.multiply(sin, sin_phi), cos];
                Ok(Value { shape: Shape::Vector(components, 1.0), dimension: Dimension::NUMBER })
            }
            "rotate" => self.rotate(arguments),
            "powder_stick" => {
                let x = self.stick(&arguments[0], name)?;
                Ok(Value::number(self.program.make(Node::Moment(Moments::Stick, 0, x))))
            }
            "watson_stick" => {
                let x = self.stick(&arguments[0], name)?;
                let concentration = self.concentration(&arguments[1], name)?;
                let cosine = self.number(&arguments[2], name)?;
                if self.program.range(cosine).size() > 1.0 + 1e-9 {
                    return Err(self.beyond(
                        arguments[2].1,
                        (cosine, Dimension::NUMBER),
                        name,
                        "takes a cosine, at most 1",
                    ));
                }
                let node = Node::Dispersed(Dispersed::Value, [x, concentration, cosine]);
                Ok(Value::number(self.program.make(node)))
            }
            "watson_cos2" => {
                let concentration = self.concentration(&arguments[0], name)?;
                let moment = self.program.make(Node::Moment(Moments::Watson, 2, concentration));
                let [two, third] = [2.0 / 3.0, 1.0 / 3.0].map(|value| self.program.constant(value));
                let product = self.program.multiply(two, moment);
                let mean = self.program.add(product, third);
                self.program.narrow(mean, Range::new(1.0 / 3.0, 1.0));
                Ok(Value::number(mean))
            }
            "across" => self.across(arguments),
            "bingham_stick" => {
                let x = self.stick(&arguments[0], name)?;
                let [first, second] = self.concentrations(&arguments[1..3], name)?;
                let [cosine, of_fan] = self.cosines(&arguments[3..], name)?;
                let node = Node::Fanned(Fanned::Value, [x, first, second, cosine, of_fan]);
                Ok(Value::number(self.program.make(node)))
            }
            "bingham_cos2" => {
                let concentrations = self.concentrations(&arguments[..2], name)?;
                let cosines = self.cosines(&arguments[2..], name)?;
                Ok(Value::number(self.bingham_square(concentrations, cosines)))
            }
            "watson_moment" => {
                let degree = self.degree(&arguments[0])?;
                let concentration = self.concentration(&arguments[1], name)?;
                Ok(Value::number(self.program.make(Node::Moment(Moments::Watson, degree, concentration))))
            }
            _ => self.tensor(arguments, place),
        }
    }

    fn of_number(&mut self, function: Unary, argument: &(Value, Place), name: &str) -> Result<Value> {
        let x = self.number(argument, name)?;
        Ok(self.pure(function, x))
    }

    fn pure(&mut self, function: Unary, x: Id) -> Value {
        Value::number(self.program.unary(function, x))
    }

    /// Returns the value of a function's argument that must be a constant even number (a degree).
    fn degree(&mut self, argument: &(Value, Place)) -> Result<u16> {
        let x = self.number(argument, "a degree")?;
        match self.program.constant_of(x) {
            Some(degree) if degree >= 0.0 && degree % 2.0 == 0.0 && degree <= LARGEST_DEGREE => {
                Ok(saturating::<u16>(degree))
            }
            _ => {
                let problem = format!("a degree is an even number from 0 to {LARGEST_DEGREE}");
                Err(self.error(argument.1, problem, "write it as a number"))
            }
        }
    }

    fn stick(&mut self, argument: &(Value, Place), name: &str) -> Result<Id> {
        let x = self.number(argument, name)?;
        if self.program.range(x).low < 0.0 {
            let what = format!("takes 0 to {LARGEST_STICK}");
            return Err(self.beyond(argument.1, (x, Dimension::NUMBER), name, &what));
        }
        Ok(x)
    }

    fn concentration(&mut self, argument: &(Value, Place), name: &str) -> Result<Id> {
        let x = self.number(argument, name)?;
        let range = self.program.range(x);
        if range.low < 0.0 || range.high > LARGEST_CONCENTRATION {
            let what = format!("takes a concentration from 0 to {LARGEST_CONCENTRATION}");
            return Err(self.beyond(argument.1, (x, Dimension::NUMBER), name, &what));
        }
        Ok(x)
    }

    fn concentrations(&mut self, arguments: &[(Value, Place)], name: &str) -> Result<[Id; 2]> {
        Ok([self.concentration(&arguments[0], name)?, self.concentration(&arguments[1], name)?])
    }

    /// Returns the components of an argument that is a vector with a length of at most 1, and its maximum
    /// length. Returns an error for a vector that can be longer.
    fn unit_vector(&self, argument: &(Value, Place), name: &str) -> Result<([Id; 3], f64)> {
        let (vector, longest) = self.vector(argument, name)?;
        if longest > 1.0 || argument.0.dimension != Dimension::NUMBER {
            let problem = format!("`{name}` takes unit vectors");
            let advice = "give g, an orientation that is fitted, across(...) or direction(theta, phi)";
            return Err(self.error(argument.1, problem, advice));
        }
        Ok((vector, 1.0))
    }

    /// Returns the cosines of the angles between the first vector and each of the two other vectors.
    fn cosines(&mut self, arguments: &[(Value, Place)], name: &str) -> Result<[Id; 2]> {
        let of = self.unit_vector(&arguments[0], name)?;
        let [mu, fan] = [self.unit_vector(&arguments[1], name)?, self.unit_vector(&arguments[2], name)?];
        Ok([self.dot(of, mu), self.dot(of, fan)])
    }

    /// Returns the mean of (n·g)² over a Bingham distribution of n: (1 + 2 Σ M₂ₘ(g) W₂ₘ)/3 with M₂₀ = (3
    /// cos²θ − 1)/2 and M₂₂ = √3/2 sin²θ cos 2φ. The angles of g in the frame of the distribution are θ and
    /// φ.
    fn bingham_square(&mut self, concentrations: [Id; 2], [cosine, of_fan]: [Id; 2]) -> Id {
        let [third, one, two, root] =
            [1.0 / 3.0, 1.0, 2.0, 3.0f64.sqrt() / 3.0].map(|value| self.program.constant(value));
        let [square, of_fan] = [cosine, of_fan].map(|id| self.program.multiply(id, id));
        let first = self.program.harmonic([2, 0], concentrations);
        let second = self.program.harmonic([2, 2], concentrations);
        let apart = self.program.subtract(square, third);
        let share = self.program.multiply(apart, first);
        let rest = self.program.subtract(one, square);
        let twice = self.program.multiply(two, of_fan);
        let difference = self.program.subtract(rest, twice);
        let weight = self.program.multiply(root, second);
        let other = self.program.multiply(weight, difference);
        let sum = self.program.add(share, third);
        let mean = self.program.add(sum, other);
        self.program.narrow(mean, Range::new(0.0, 1.0));
        mean
    }

    /// Returns the sine and the cosine of an angle up to [`LARGEST_ANGLE`], computed with sums and products
    /// only. A Taylor series computes both at an eighth of the angle, with an error below 1e-16. The angle is
    /// then doubled three times.
    fn sine_and_cosine(&mut self, angle: Id) -> [Id; 2] {
        let [eighth, one, two] = [0.125, 1.0, 2.0].map(|value| self.program.constant(value));
        let part = self.program.multiply(eighth, angle);
        let square = self.program.multiply(part, part);
        // The Taylor series is Σ (−square)ⁿ / (2n + first)!, with first = 1 for the sine (divided by the
        // angle) and first = 0 for the cosine.
        let [series_of_sine, mut cosine] = [(1, 7), (0, 8)].map(|(first, last): (u32, u32)| {
            let coefficient = |n: u32| {
                let factorial: f64 = (1..=2 * n + first).map(f64::from).product();
                if n.is_multiple_of(2) { 1.0 / factorial } else { -1.0 / factorial }
            };
            let mut sum = self.program.constant(coefficient(last));
            for n in (0..last).rev() {
                let coefficient = self.program.constant(coefficient(n));
                sum = self.program.make(Node::Ternary(Ternary::Fma, [sum, square, coefficient]));
            }
            sum
        });
        let mut sine = self.program.multiply(part, series_of_sine);
        for _ in 0..3 {
            let product = self.program.multiply(sine, cosine);
            let square = self.program.multiply(sine, sine);
            let twice = self.program.multiply(two, square);
            (sine, cosine) = (self.program.multiply(two, product), self.program.subtract(one, twice));
        }
        for value in [sine, cosine] {
            self.program.narrow(value, Range::new(-1.0, 1.0));
        }
        [sine, cosine]
    }

    /// Returns a unit vector perpendicular to the unit vector n. It is cos ψ r × n / |r × n| + sin ψ (r −
    /// (r·n) n) / |r × n|. The angle around n is ψ, and the reference vector is r.
    fn across(&mut self, arguments: &[(Value, Place)]) -> Result<Value> {
        let n = self.unit_vector(&arguments[0], "across")?;
        let reference = self.unit_vector(&arguments[1], "across")?;
        let angle = self.number(&arguments[2], "across")?;
        if self.program.range(angle).size() > LARGEST_ANGLE {
            let what = format!("takes an angle from −{LARGEST_ANGLE} to {LARGEST_ANGLE}");
            return Err(self.beyond(arguments[2].1, (angle, Dimension::NUMBER), "across", &what));
        }
        let along = self.dot(n, reference);
        let square = self.program.multiply(along, along);
        // The lower limit of the length avoids a division by 0. If the reference vector is parallel to n, no
        // angle is defined.
        let [one, least] = [1.0, 1e-6].map(|value| self.program.constant(value));
        let rest = self.program.subtract(one, square);
        let rest = self.program.binary(Binary::Maximum, rest, least);
        let length = self.program.unary(Unary::Root, rest);
        let [sin, cos] = self.sine_and_cosine(angle).map(|value| self.program.divide(value, length));
        let side = self.cross(reference.0, n.0);
        let components = std::array::from_fn(|axis| {
            let part = self.program.multiply(along, n.0[axis]);
            let up = self.program.subtract(reference.0[axis], part);
            let [first, second] = [self.program.multiply(cos, side[axis]), self.program.multiply(sin, up)];
            self.program.add(first, second)
        });
        Ok(Value { shape: Shape::Vector(components, 1.0), dimension: Dimension::NUMBER })
    }

    fn legendre(&mut self, degree: u16, x: Id) -> Id {
        let square = self.program.multiply(x, x);
        let (mut before, mut here) = (self.program.constant(0.0), self.program.constant(1.0));
        for l in (0..degree).step_by(2) {
            let [up, middle, down] = times_square(l).map(|value| self.program.constant(value));
            let factor = self.program.subtract(square, middle);
            let product = self.program.multiply(factor, here);
            let taken = self.program.multiply(down, before);
            let difference = self.program.subtract(product, taken);
            (before, here) = (here, self.program.divide(difference, up));
        }
        if self.program.range(x).size() <= 1.0 {
            self.program.narrow(here, Range::new(-0.5, 1.0));
        }
        here
    }

    pub(super) fn dot(&mut self, (a, length_a): ([Id; 3], f64), (b, length_b): ([Id; 3], f64)) -> Id {
        let mut sum = self.program.multiply(a[0], b[0]);
        for axis in 1..3 {
            let product = self.program.multiply(a[axis], b[axis]);
            sum = self.program.add(sum, product);
        }
        let maximum = length_a * length_b;
        if maximum.is_finite() {
            self.program.narrow(sum, Range::new(-maximum, maximum));
        }
        sum
    }

    fn cross(&mut self, a: [Id; 3], b: [Id; 3]) -> [Id; 3] {
        std::array::from_fn(|axis| {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            let first = self.program.multiply(a[next], b[last]);
            let second = self.program.multiply(a[last], b[next]);
            self.program.subtract(first, second)
        })
    }

    /// Turns a vector v about the unit vector k by an angle ψ, with Rodrigues' formula. The formula is v cos
    /// ψ + (k × v) sin ψ + k (k · v)(1 − cos ψ).
    fn rotate(&mut self, arguments: &[(Value, Place)]) -> Result<Value> {
        let (v, length) = self.vector(&arguments[0], "rotate")?;
        let (k, of_k) = self.vector(&arguments[1], "rotate")?;
        if of_k > 1.0 {
            let advice = "give g, an orientation that is fitted, or direction(theta, phi)";
            return Err(self.error(arguments[1].1, "`rotate` takes a unit vector as its axis", advice));
        }
        let angle = self.number(&arguments[2], "rotate")?;
        let [sin, cos] = [Unary::Sine, Unary::Cosine].map(|f| self.program.unary(f, angle));
        let along = self.dot((k, 1.0), (v, length));
        let one = self.program.constant(1.0);
        let rest = self.program.subtract(one, cos);
        let factor = self.program.multiply(along, rest);
        let across = self.cross(k, v);
        let components = std::array::from_fn(|axis| {
            let kept = self.program.multiply(v[axis], cos);
            let turned = self.program.multiply(across[axis], sin);
            let of_axis = self.program.multiply(k[axis], factor);
            let sum = self.program.add(kept, turned);
            self.program.add(sum, of_axis)
        });
        Ok(Value { shape: Shape::Vector(components, length), dimension: arguments[0].0.dimension })
    }

    fn tensor(&mut self, arguments: &[(Value, Place)], place: Place) -> Result<Value> {
        let mut elements = [Id::default(); 6];
        for (element, argument) in elements.iter_mut().zip(arguments) {
            self.common(&arguments[0], argument, place)?;
            *element = self.scalar(argument, "tensor")?.0;
        }
        let ([x, y, z], _) = self.vector(&arguments[6], "tensor")?;
        let mut sum = None;
        let two = self.program.constant(2.0);
        for (element, [a, b]) in elements.into_iter().zip([[x, x], [y, y], [z, z], [x, y], [x, z], [y, z]]) {
            let mut weight = self.program.multiply(a, b);
            if a != b {
                weight = self.program.multiply(two, weight);
            }
            let term = self.program.multiply(element, weight);
            sum = Some(sum.map_or(term, |sum| self.program.add(sum, term)));
        }
        let along = arguments[6].0.dimension;
        Ok(Value::scalar(sum.unwrap_or(two), arguments[0].0.dimension * along * along))
    }
}
