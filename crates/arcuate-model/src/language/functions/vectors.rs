//! Products, length and components of vectors.

use super::row::{Argument, Function};
use crate::language::id::Id;
use crate::language::lowering::{Lowering, Shape, Value};
use crate::language::node::Unary;
use crate::language::range::Range;

/// Two vectors.
const PAIR: &[Argument] = &[Argument::vector("u"), Argument::vector("v")];

pub(super) const DOT: Function = Function {
    name: "dot",
    arguments: PAIR,
    value: "scalar product",
    example: "dot(direction(p, q), g)",
    reference: ("dot(vector(1, 2, 3), vector(4, 5, 6))", 32.0, 0.0),
    lower: |lowering, of| {
        let product = lowering.dot(of.vector(0), of.vector(1));
        Ok(Value::scalar(product, of.dimension(0) * of.dimension(1)))
    },
};

pub(super) const CROSS: Function = Function {
    name: "cross",
    arguments: PAIR,
    value: "vector product",
    example: "dot(cross(direction(p, q), vector(q, p, 1)), g)",
    reference: ("cross(vector(1, 2, 3), vector(4, 5, 6)).y", 6.0, 0.0),
    lower: |lowering, of| {
        let product = lowering.cross(of.vector(0).0, of.vector(1).0);
        let dimension = of.dimension(0) * of.dimension(1);
        Ok(Value { shape: Shape::Vector(product, f64::INFINITY), dimension })
    },
};

pub(super) const NORM: Function = Function {
    name: "norm",
    arguments: &[Argument::vector("u")],
    value: "length of the vector",
    example: "norm(cross(direction(p, q), vector(q, p, 1)))",
    reference: ("norm(vector(2, 3, 6))", 7.0, 1e-15),
    lower: |lowering, of| {
        let (vector, length) = of.vector(0);
        let square = lowering.dot((vector, f64::INFINITY), (vector, f64::INFINITY));
        lowering.program.narrow(square, Range::new(0.0, f64::INFINITY));
        let root = lowering.program.unary(Unary::Root, square);
        lowering.program.narrow(root, Range::new(0.0, length));
        Ok(Value::scalar(root, of.dimension(0)))
    },
};

pub(super) const VECTOR: Function = Function {
    name: "vector",
    arguments: &[Argument::any("x"), Argument::any("y").like(0), Argument::any("z").like(0)],
    value: "vector of these components",
    example: "dot(vector(p, q, p * q), g)",
    reference: ("vector(1, 2, 3).z", 3.0, 0.0),
    lower: |_, of| {
        let shape = Shape::Vector([0, 1, 2].map(|n| of.id(n)), f64::INFINITY);
        Ok(Value { shape, dimension: of.dimension(0) })
    },
};

pub(super) const TENSOR: Function = Function {
    name: "tensor",
    arguments: &[
        Argument::any("dxx"),
        Argument::any("dyy").like(0),
        Argument::any("dzz").like(0),
        Argument::any("dxy").like(0),
        Argument::any("dxz").like(0),
        Argument::any("dyz").like(0),
        Argument::vector("u"),
    ],
    value: "uᵀ D u",
    example: "tensor(p, q, 1, p * q, 0.1, q, g)",
    reference: ("tensor(1, 2, 3, 0.1, 0.2, 0.3, vector(1, 2, 3))", 41.2, 1e-14),
    lower: |lowering, of| {
        let ([x, y, z], _) = of.vector(6);
        let program = &mut lowering.program;
        let mut sum = None;
        let two = program.constant(2.0);
        for (n, [a, b]) in [[x, x], [y, y], [z, z], [x, y], [x, z], [y, z]].into_iter().enumerate() {
            let mut weight = program.multiply(a, b);
            if a != b {
                weight = program.multiply(two, weight);
            }
            let term = program.multiply(of.id(n), weight);
            sum = Some(sum.map_or(term, |sum| program.add(sum, term)));
        }
        let along = of.dimension(6);
        Ok(Value::scalar(sum.unwrap_or(two), of.dimension(0) * along * along))
    },
};

impl Lowering<'_> {
    /// Returns the node of the scalar product of two vectors. Each has its largest length.
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

    /// Returns the nodes of the components of the vector product.
    pub(super) fn cross(&mut self, a: [Id; 3], b: [Id; 3]) -> [Id; 3] {
        std::array::from_fn(|axis| {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            let first = self.program.multiply(a[next], b[last]);
            let second = self.program.multiply(a[last], b[next]);
            self.program.subtract(first, second)
        })
    }
}
