//! A program: a computation as a graph. Every value is a node that is built from earlier nodes, and equal
//! values share one node. `crate::fit::interpreter` evaluates programs on the CPU, and `crate::fit::written`
//! generates GPU kernels from them.
//!
//! The graph has the operations of the model file. These operations are only changed by simplifications when
//! a node is created (`folding.rs`). Readers of generated kernels can therefore recognise their model.

use super::id::Id;
use super::node::{Input, Node};
use super::range::Range;
use arcuate_core::narrow;
use std::collections::HashMap;
use std::fmt;

/// A program: a list of nodes (values), each built from earlier nodes.
#[derive(Debug, Clone, Default)]
pub struct Program {
    nodes: Vec<Node>,
    /// The range of each node's value.
    ranges: Vec<Range>,
    known: HashMap<Node, Id>,
}

impl Program {
    /// Returns all nodes. Each node comes after its operands.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the node with this identifier.
    pub(crate) fn node(&self, id: Id) -> Node {
        self.nodes[id.index()]
    }

    /// Returns the range of the value that the node with this identifier can have.
    pub fn range(&self, id: Id) -> Range {
        self.ranges[id.index()]
    }

    /// Returns the ranges of all values.
    pub(super) fn known_ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// If a node is a constant, returns its number. If not, returns `None`.
    pub fn constant_of(&self, id: Id) -> Option<f64> {
        match self.node(id) {
            Node::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// Returns the nodes `roots` and all nodes that they depend on, in the order of the program.
    pub fn reachable(&self, roots: &[Id]) -> Vec<Id> {
        let mut is_needed = vec![false; self.nodes.len()];
        for root in roots {
            is_needed[root.index()] = true;
        }
        for n in (0..self.nodes.len()).rev() {
            if is_needed[n] {
                self.nodes[n].operands().for_each(|id| is_needed[id.index()] = true);
            }
        }
        (0..self.nodes.len()).filter(|&n| is_needed[n]).map(|n| Id(narrow::<u32>(n))).collect()
    }

    /// Restricts the known range of a node's value to a smaller range.
    pub(crate) fn narrow(&mut self, id: Id, range: Range) {
        let known = &mut self.ranges[id.index()];
        *known = known.within(range);
    }

    /// Adds a node to the program and returns its identifier. If the program already has an equal node, that
    /// node is used.
    pub(crate) fn make(&mut self, node: Node) -> Id {
        if let Some(&id) = self.known.get(&node) {
            return id;
        }
        let range = node.range(|id| self.range(id));
        let id = Id(narrow::<u32>(self.nodes.len()));
        self.nodes.push(node);
        self.ranges.push(range);
        self.known.insert(node, id);
        id
    }

    pub(super) fn input(&mut self, input: Input, range: Range) -> Id {
        let id = self.make(Node::Input(input));
        self.ranges[id.index()] = range;
        id
    }

    pub(crate) fn constant(&mut self, value: f64) -> Id {
        // The constants −0 and 0 share one node of the program.
        let value = if value == 0.0 { 0.0 } else { value };
        self.make(Node::Constant(value.to_bits()))
    }
}

impl fmt::Display for Program {
    /// Writes the program as text, one line per node. Programs with equal text are equal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, node) in self.nodes.iter().enumerate() {
            match node {
                Node::Constant(bits) => writeln!(f, "{n}: {:?}", f64::from_bits(*bits))?,
                node => writeln!(f, "{n}: {node:?}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Binary, Unary};

    #[test]
    fn equal_values_share_a_node_and_constants_are_folded() {
        let mut p = Program::default();
        let x = p.input(Input::Parameter(0), Range::new(0.0, 2.0));
        let y = p.input(Input::Parameter(1), Range::ALL);
        assert_eq!(p.multiply(x, y), p.multiply(y, x));
        let (two, three) = (p.constant(2.0), p.constant(3.0));
        let six = p.multiply(two, three);
        assert_eq!(p.constant_of(six), Some(6.0));
        let zero = p.constant(-0.0);
        assert_eq!(p.add(x, zero), x);
        assert_eq!(p.multiply(x, zero), zero);
        assert_eq!(p.subtract(x, x), zero);
        let minus = p.negative(y);
        let difference = p.add(x, minus);
        assert_eq!(p.node(difference), Node::Binary(Binary::Subtract, x, y));
        assert_eq!(p.negative(minus), y);
        let product = p.multiply(minus, minus);
        assert_eq!(product, p.multiply(y, y));
        assert_eq!(p.range(product), Range::new(0.0, f64::INFINITY));
        let one = p.constant(1.0);
        let divisor = p.add(one, x);
        assert_eq!(p.range(divisor), Range::new(1.0, 3.0));
    }

    #[test]
    fn operations_agree_with_their_functions() {
        let mut p = Program::default();
        let x = p.input(Input::Measurement(0), Range::ALL);
        let e = p.unary(Unary::Exponential, x);
        let half = p.constant(0.5);
        let less = p.binary(Binary::Less, x, half);
        let chosen = p.choose(less, e, x);
        for (value, expected) in [(0.25, 0.25f64.exp()), (0.75, 0.75)] {
            let values = p.evaluate(|_| value);
            assert!((values[chosen.index()] - expected).abs() < 1e-15);
        }
        assert_eq!(p.reachable(&[less]).len(), 3);
    }
}
