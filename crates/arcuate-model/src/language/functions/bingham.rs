//! Means over Bingham's distribution of fibre directions.

use super::row::{Argument, Arguments, CONCENTRATION, Function, STICK};
use crate::language::id::Id;
use crate::language::lowering::{Lowering, Value};
use crate::language::node::{Fanned, Node};
use crate::language::range::Range;

pub(super) const BINGHAM_STICK: Function = Function {
    name: "bingham_stick",
    arguments: &[
        Argument::number("x").within(STICK),
        Argument::number("kappa1").within(CONCENTRATION),
        Argument::number("kappa2").within(CONCENTRATION),
        Argument::unit_vector("g"),
        Argument::unit_vector("mu"),
        Argument::unit_vector("fan"),
    ],
    value: "mean of exp(−x (g·n)²) over Bingham's distribution of n about mu, which fans out along fan",
    example: "bingham_stick(2 * p, 8 * p, 4 * q, g, direction(p, q), across(direction(p, q), g, q))",
    // From `oracles/bingham.py`.
    reference: (
        "bingham_stick(1.7, 16, 4, direction(pi / 2, 0), direction(0, 0), direction(pi / 2, acos(0.25)))",
        0.9381456824370348,
        1e-12,
    ),
    lower: |lowering, of| {
        let [cosine, of_fan] = lowering.cosines(of, 3);
        let node = Node::Fanned(Fanned::Value, [of.id(0), of.id(1), of.id(2), cosine, of_fan]);
        Ok(Value::number(lowering.program.make(node)))
    },
};

/// Returns the mean of (n·g)² over a Bingham distribution of n: (1 + 2 Σ M₂ₘ(g) W₂ₘ)/3 with M₂₀ = (3 cos²θ −
/// 1)/2 and M₂₂ = √3/2 sin²θ cos 2φ. The angles of g in the frame of the distribution are θ and φ.
pub(super) const BINGHAM_COS2: Function = Function {
    name: "bingham_cos2",
    arguments: &[
        Argument::number("kappa1").within(CONCENTRATION),
        Argument::number("kappa2").within(CONCENTRATION),
        Argument::unit_vector("g"),
        Argument::unit_vector("mu"),
        Argument::unit_vector("fan"),
    ],
    value: "mean of the squared cosine (g·n)² over Bingham's distribution",
    example: "bingham_cos2(8 * p, 4 * q, g, direction(p, q), across(direction(p, q), g, q))",
    // From `oracles/bingham.py`.
    reference: (
        "bingham_cos2(16, 4, direction(pi / 2, 0), direction(0, 0), direction(pi / 2, acos(0.25)))",
        0.04005844654688358,
        1e-12,
    ),
    lower: |lowering, of| {
        let [cosine, of_fan] = lowering.cosines(of, 2);
        let concentrations = [of.id(0), of.id(1)];
        let program = &mut lowering.program;
        let [third, one, two, root] =
            [1.0 / 3.0, 1.0, 2.0, 3.0f64.sqrt() / 3.0].map(|value| program.constant(value));
        let [square, of_fan] = [cosine, of_fan].map(|id| program.multiply(id, id));
        let first = program.harmonic([2, 0], concentrations);
        let second = program.harmonic([2, 2], concentrations);
        let apart = program.subtract(square, third);
        let share = program.multiply(apart, first);
        let rest = program.subtract(one, square);
        let twice = program.multiply(two, of_fan);
        let difference = program.subtract(rest, twice);
        let weight = program.multiply(root, second);
        let other = program.multiply(weight, difference);
        let sum = program.add(share, third);
        let mean = program.add(sum, other);
        program.narrow(mean, Range::new(0.0, 1.0));
        Ok(Value::number(mean))
    },
};

impl Lowering<'_> {
    /// Returns the cosines of the angles between the vector with the index `first` of a function's arguments
    /// and each of the two vectors after it.
    fn cosines(&mut self, of: &Arguments, first: usize) -> [Id; 2] {
        [1, 2].map(|n| self.dot(of.vector(first), of.vector(first + n)))
    }
}
