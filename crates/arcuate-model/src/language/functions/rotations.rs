//! Unit vectors and rotations.

use super::row::{Argument, Domain, Function};
use crate::language::id::Id;
use crate::language::lowering::{Lowering, Shape, Value};
use crate::language::node::{Binary, Node, Ternary, Unary};
use crate::language::range::Range;
use crate::language::unit::Dimension;

pub(super) const DIRECTION: Function = Function {
    name: "direction",
    arguments: &[Argument::number("theta"), Argument::number("phi")],
    value: "(sin θ cos φ, sin θ sin φ, cos θ)",
    example: "direction(p, q).x",
    reference: ("direction(pi / 6, pi / 3).x", 0.25, 1e-15),
    lower: |lowering, of| {
        let program = &mut lowering.program;
        let [sin, cos] = [Unary::Sine, Unary::Cosine].map(|f| program.unary(f, of.id(0)));
        let [sin_phi, cos_phi] = [Unary::Sine, Unary::Cosine].map(|f| program.unary(f, of.id(1)));
        let components = [program.multiply(sin, cos_phi), program.multiply(sin, sin_phi), cos];
        Ok(unit_vector(components))
    },
};

fn unit_vector(components: [Id; 3]) -> Value {
    Value { shape: Shape::Vector(components, 1.0), dimension: Dimension::NUMBER }
}

/// Turns a vector v about the unit vector k by an angle ψ, with Rodrigues' formula. The formula is v cos ψ +
/// (k × v) sin ψ + k (k · v)(1 − cos ψ).
pub(super) const ROTATE: Function = Function {
    name: "rotate",
    arguments: &[Argument::vector("v"), Argument::unit_vector("axis"), Argument::number("angle")],
    value: "v rotated about the axis by a right-handed angle",
    example: "dot(rotate(direction(p, q), g, p), vector(1, p, q))",
    reference: ("rotate(vector(1, 2, 3), direction(0, 0), pi / 2).x", -2.0, 1e-15),
    lower: |lowering, of| {
        let ((v, length), (k, _)) = (of.vector(0), of.vector(1));
        let [sin, cos] = [Unary::Sine, Unary::Cosine].map(|f| lowering.program.unary(f, of.id(2)));
        let along = lowering.dot((k, 1.0), (v, length));
        let one = lowering.program.constant(1.0);
        let rest = lowering.program.subtract(one, cos);
        let factor = lowering.program.multiply(along, rest);
        let across = lowering.cross(k, v);
        let components = std::array::from_fn(|axis| {
            let program = &mut lowering.program;
            let kept = program.multiply(v[axis], cos);
            let turned = program.multiply(across[axis], sin);
            let of_axis = program.multiply(k[axis], factor);
            let sum = program.add(kept, turned);
            program.add(sum, of_axis)
        });
        Ok(Value { shape: Shape::Vector(components, length), dimension: of.dimension(0) })
    },
};

/// The angles in radians that `across` accepts: slightly more than −2π to 2π.
const ANGLE: Domain = Domain::between(-6.4, 6.4);

/// Returns a unit vector perpendicular to the unit vector n. It is cos ψ r × n / |r × n| + sin ψ (r − (r·n)
/// n) / |r × n|. The angle around n is ψ, and the reference vector is r.
pub(super) const ACROSS: Function = Function {
    name: "across",
    arguments: &[
        Argument::unit_vector("n"),
        Argument::unit_vector("reference"),
        Argument::number("angle").within(ANGLE),
    ],
    value: "the unit vector across n at this angle from reference × n, towards the reference",
    example: "dot(across(direction(p, q), g, q), vector(1, p, q))",
    reference: ("across(direction(0, 0), direction(pi / 2, 0), pi / 6).x", 0.5, 1e-15),
    lower: |lowering, of| {
        let (n, reference, angle) = (of.vector(0), of.vector(1), of.id(2));
        let along = lowering.dot(n, reference);
        let square = lowering.program.multiply(along, along);
        // The lower limit of the length avoids a division by 0. If the reference vector is parallel to n, no
        // angle is defined.
        let [one, least] = [1.0, 1e-6].map(|value| lowering.program.constant(value));
        let rest = lowering.program.subtract(one, square);
        let rest = lowering.program.binary(Binary::Maximum, rest, least);
        let length = lowering.program.unary(Unary::Root, rest);
        let [sin, cos] = lowering.sine_and_cosine(angle).map(|value| lowering.program.divide(value, length));
        let side = lowering.cross(reference.0, n.0);
        let components = std::array::from_fn(|axis| {
            let program = &mut lowering.program;
            let part = program.multiply(along, n.0[axis]);
            let up = program.subtract(reference.0[axis], part);
            let [first, second] = [program.multiply(cos, side[axis]), program.multiply(sin, up)];
            program.add(first, second)
        });
        Ok(unit_vector(components))
    },
};

impl Lowering<'_> {
    /// Returns the sine and the cosine of an angle of [`ANGLE`], computed with sums and products only. A
    /// Taylor series computes both at an eighth of the angle, with an error below 1e-16. The angle is then
    /// doubled three times.
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
}
