//! Operations that add nodes to a program and simplify them. Operations on constants are computed at once
//! (folded), additions of 0 and multiplications by 0 and 1 are removed, and signs are moved outwards.

use super::id::Id;
use super::node::{Binary, Node, Ternary, Unary};
use super::program::Program;

impl Program {
    fn negated(&self, id: Id) -> Option<Id> {
        match self.node(id) {
            Node::Unary(Unary::Negative, of) => Some(of),
            _ => None,
        }
    }

    pub(crate) fn unary(&mut self, function: Unary, x: Id) -> Id {
        if let Some(value) = self.constant_of(x) {
            return self.constant(function.of(value));
        }
        match (function, self.node(x)) {
            (Unary::Negative, Node::Unary(Unary::Negative, of)) => of,
            (Unary::Negative, Node::Binary(Binary::Subtract, a, b)) => self.binary(Binary::Subtract, b, a),
            _ => self.make(Node::Unary(function, x)),
        }
    }

    pub(crate) fn negative(&mut self, x: Id) -> Id {
        self.unary(Unary::Negative, x)
    }

    pub(crate) fn add(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Add, a, b)
    }

    pub(crate) fn subtract(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Subtract, a, b)
    }

    pub(crate) fn multiply(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Multiply, a, b)
    }

    pub(crate) fn divide(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Divide, a, b)
    }

    /// Returns the node of a value that is `b` if `flag` is not 0, and `c` if `flag` is 0.
    pub(crate) fn choose(&mut self, flag: Id, b: Id, c: Id) -> Id {
        match self.constant_of(flag) {
            Some(0.0) => c,
            Some(_) => b,
            None => self.make(Node::Ternary(Ternary::Choose, [flag, b, c])),
        }
    }

    pub(crate) fn binary(&mut self, function: Binary, a: Id, b: Id) -> Id {
        let (of_a, of_b) = (self.constant_of(a), self.constant_of(b));
        if let (Some(a), Some(b)) = (of_a, of_b) {
            return self.constant(function.of(a, b));
        }
        let (is_a, is_b) = (|value| of_a == Some(value), |value| of_b == Some(value));
        match function {
            Binary::Add if is_a(0.0) => b,
            Binary::Add | Binary::Subtract if is_b(0.0) => a,
            Binary::Subtract if is_a(0.0) => self.negative(b),
            Binary::Subtract if a == b => self.constant(0.0),
            Binary::Multiply if is_a(0.0) || is_b(0.0) => self.constant(0.0),
            Binary::Divide if is_a(0.0) => a,
            Binary::Multiply if is_a(1.0) => b,
            Binary::Multiply | Binary::Divide if is_b(1.0) => a,
            Binary::Multiply if is_a(-1.0) => self.negative(b),
            Binary::Multiply | Binary::Divide if is_b(-1.0) => self.negative(a),
            _ => self.with_signs(function, a, b),
        }
    }

    /// Moves the signs of the operands outwards, so that signs can cancel.
    fn with_signs(&mut self, function: Binary, a: Id, b: Id) -> Id {
        match (function, self.negated(a), self.negated(b)) {
            (Binary::Add, _, Some(b)) => self.subtract(a, b),
            (Binary::Add, Some(a), _) => self.subtract(b, a),
            (Binary::Subtract, _, Some(b)) => self.add(a, b),
            (Binary::Subtract, Some(a), None) => {
                let sum = self.add(a, b);
                self.negative(sum)
            }
            (Binary::Multiply | Binary::Divide, Some(a), Some(b)) => self.binary(function, a, b),
            (Binary::Multiply | Binary::Divide, Some(a), None) => {
                let value = self.binary(function, a, b);
                self.negative(value)
            }
            (Binary::Multiply | Binary::Divide, None, Some(b)) => {
                let value = self.binary(function, a, b);
                self.negative(value)
            }
            // The operand that was created first becomes the first operand, so that `a b` and `b a` become
            // the same node.
            (Binary::Add | Binary::Multiply | Binary::Minimum | Binary::Maximum, ..) if b < a => {
                self.make(Node::Binary(function, b, a))
            }
            _ => self.make(Node::Binary(function, a, b)),
        }
    }
}
