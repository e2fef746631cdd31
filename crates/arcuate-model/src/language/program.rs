//! A computation as a graph: every value is a node, made of nodes before it, and equal values are one node. What computes
//! it (`crate::fit::interpreter`, `crate::fit::emit`) is not here.
//!
//! Constants are folded, and sums and products with 0 and 1 are none, when a node is made; in other respects the graph is
//! what was written, so that who reads the kernels made of it finds their model again.

use super::range::Range;
use std::collections::HashMap;
use std::fmt;

/// A node of a [`Program`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Id(u32);

impl Id {
    /// Its place among the nodes.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// The bits of a number in double precision.
    Constant(u64),
    /// A value that comes from elsewhere.
    Input(Input),
    /// A function of one value.
    Unary(Unary, Id),
    /// A function of two.
    Binary(Binary, Id, Id),
    /// A function of three.
    Ternary(Ternary, [Id; 3]),
    /// A coefficient of even degree of a function on the sphere that depends on one value.
    Moment(Moments, u16, Id),
    /// The mean of exp(−x cos²) over orientations, or a derivative of it: of x, the concentration κ and the cosine.
    Dispersed(Dispersed, [Id; 3]),
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Input {
    /// A number among those that are fitted.
    Parameter(u16),
    /// A number that is the same for all voxels and measurements, known before a fit.
    Setting(u16),
    /// A number of a measurement.
    Measurement(u16),
    /// A number of a voxel that is not fitted.
    Map(u16),
    /// A component of one of two vectors across an orientation that is fitted.
    Across {
        /// Which orientation.
        orientation: u16,
        /// The first vector or the second.
        vector: u8,
        /// Along x, y or z.
        axis: u8,
    },
}

/// Functions of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unary {
    /// −x.
    Negative,
    /// √x.
    Root,
    /// eˣ.
    Exponential,
    /// ln x.
    Logarithm,
    /// |x|.
    Absolute,
    /// Sine.
    Sine,
    /// Cosine.
    Cosine,
    /// The angle between −π/2 and π/2 whose tangent is x.
    ArcTangent,
    /// The angle between 0 and π whose cosine is x.
    ArcCosine,
    /// The error function.
    Erf,
    /// Dawson's integral exp(−x²) ∫ exp(t²) dt from 0 to x.
    Dawson,
    /// exp(−|x|) I₀(x).
    BesselI0e,
    /// exp(−|x|) I₁(x).
    BesselI1e,
}

/// Functions of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binary {
    /// a + b.
    Add,
    /// a − b.
    Subtract,
    /// a b.
    Multiply,
    /// a / b.
    Divide,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// 1 where a < b, else 0.
    Less,
    /// The angle of the point (b, a).
    ArcTangent2,
}

/// Functions of three values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ternary {
    /// b where a is not 0, else c.
    Choose,
    /// a b + c, rounded once.
    Fma,
    /// a b − c, rounded once.
    Fms,
    /// c − a b, rounded once.
    Fnma,
}

/// Families of coefficients, each of even degree l.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moments {
    /// ∫ W P_l of Watson's distribution W ∝ exp(κ cos²) with ∫ W = 1.
    Watson,
    /// (2 l + 1)/2 ∫ exp(−x t²) P_l(t) dt from −1 to 1: a stick's signal as a Legendre series.
    Stick,
}

/// The mean of exp(−x cos²) over Watson's distribution, and its derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dispersed {
    /// The mean itself.
    Value,
    /// Its derivative by x.
    ByX,
    /// Its derivative by κ.
    ByConcentration,
    /// Its derivative by the cosine of the angle between gradient and mean orientation.
    ByCosine,
}

/// Nodes, each made of those before it.
#[derive(Debug, Clone, Default)]
pub struct Program {
    nodes: Vec<Node>,
    ranges: Vec<Range>,
    known: HashMap<Node, Id>,
}

impl Program {
    /// All nodes, each behind those that it is made of.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What a value is.
    pub fn node(&self, id: Id) -> Node {
        self.nodes[id.index()]
    }

    /// Between which numbers a value lies.
    pub fn range(&self, id: Id) -> Range {
        self.ranges[id.index()]
    }

    /// The number that a value always is.
    pub fn constant_of(&self, id: Id) -> Option<f64> {
        match self.node(id) {
            Node::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// The nodes that the values of `roots` are made of, these among them, in order.
    pub fn reachable(&self, roots: &[Id]) -> Vec<Id> {
        let mut wanted = vec![false; self.nodes.len()];
        for root in roots {
            wanted[root.index()] = true;
        }
        for n in (0..self.nodes.len()).rev() {
            if wanted[n] {
                self.nodes[n].operands().for_each(|id| wanted[id.index()] = true);
            }
        }
        (0..self.nodes.len()).filter(|&n| wanted[n]).map(|n| Id(n as u32)).collect()
    }

    /// A value is known to lie between these numbers.
    pub(super) fn narrow(&mut self, id: Id, range: Range) {
        let known = &mut self.ranges[id.index()];
        *known = known.within(range);
    }

    /// The node itself, the one that was there before or a new one.
    pub(crate) fn make(&mut self, node: Node) -> Id {
        if let Some(&id) = self.known.get(&node) {
            return id;
        }
        let range = range_of(node, |id| self.range(id));
        let id = Id(self.nodes.len() as u32);
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
        // One zero will do.
        let value = if value == 0.0 { 0.0 } else { value };
        self.make(Node::Constant(value.to_bits()))
    }

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

    /// b where `flag` is not 0, else c.
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

    /// Signs go outwards, where they may meet another.
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
            // Of two factors the one that was there first comes first, so that a b and b a are one.
            (Binary::Add | Binary::Multiply | Binary::Minimum | Binary::Maximum, ..) if b < a => {
                self.make(Node::Binary(function, b, a))
            }
            _ => self.make(Node::Binary(function, a, b)),
        }
    }

    /// Between which numbers every value lies where inputs lie between these; where nothing is said of an input, it is as
    /// it was.
    pub(crate) fn ranges(&self, input: impl Fn(Input) -> Option<Range>) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::with_capacity(self.nodes.len());
        for (n, node) in self.nodes.iter().enumerate() {
            let known = self.ranges[n];
            let range = match node {
                Node::Input(which) => input(*which).unwrap_or(known),
                node => range_of(*node, |id| ranges[id.index()]).within(known),
            };
            ranges.push(range);
        }
        ranges
    }

    /// The values of all nodes in double precision, with the inputs as `input` has them.
    ///
    /// This is what a program means: what computes it otherwise is compared with this.
    pub fn evaluate(&self, input: impl Fn(Input) -> f64) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.nodes.len());
        self.evaluate_in(&mut values, input);
        values
    }

    /// The same in memory that is there.
    pub fn evaluate_in(&self, values: &mut Vec<f64>, input: impl Fn(Input) -> f64) {
        values.clear();
        for node in &self.nodes {
            let of = |id: Id| values[id.index()];
            let value = match *node {
                Node::Constant(bits) => f64::from_bits(bits),
                Node::Input(which) => input(which),
                Node::Unary(function, x) => function.of(of(x)),
                Node::Binary(function, a, b) => function.of(of(a), of(b)),
                Node::Ternary(function, [a, b, c]) => function.of(of(a), of(b), of(c)),
                Node::Moment(family, degree, x) => crate::special::moment(family, degree, of(x)),
                Node::Dispersed(part, [x, concentration, cosine]) => {
                    crate::special::dispersed(part, of(x), of(concentration), of(cosine))
                }
            };
            values.push(value);
        }
    }
}

/// Between which numbers a node lies whose operands do so.
fn range_of(node: Node, of: impl Fn(Id) -> Range) -> Range {
    match node {
        Node::Constant(bits) => Range::of(f64::from_bits(bits)),
        Node::Unary(function, x) => {
            let x = of(x);
            match function {
                Unary::Negative => x.negative(),
                Unary::Root => x.mapped(|x| x.max(0.0).sqrt()),
                Unary::Exponential => x.mapped(f64::exp),
                Unary::Logarithm => x.mapped(|x| x.max(0.0).ln()),
                Unary::Absolute => x.absolute(),
                Unary::Sine | Unary::Cosine => Range::new(-1.0, 1.0),
                Unary::ArcTangent => x.mapped(f64::atan),
                Unary::ArcCosine => Range::new(0.0, std::f64::consts::PI),
                Unary::Erf => x.mapped(libm::erf),
                Unary::Dawson => Range::new(-0.5411, 0.5411),
                Unary::BesselI0e => Range::new(0.0, 1.0),
                Unary::BesselI1e => Range::new(-0.22, 0.22),
            }
        }
        Node::Binary(function, a, b) => {
            let square = a == b;
            let (a, b) = (of(a), of(b));
            match function {
                Binary::Add => a.plus(b),
                Binary::Subtract => a.plus(b.negative()),
                Binary::Multiply if square => a.square(),
                Binary::Multiply => a.times(b),
                Binary::Divide => a.times(b.inverse()),
                Binary::Minimum => Range::new(a.low.min(b.low), a.high.min(b.high)),
                Binary::Maximum => Range::new(a.low.max(b.low), a.high.max(b.high)),
                Binary::Less => Range::new(0.0, 1.0),
                Binary::ArcTangent2 => Range::new(-std::f64::consts::PI, std::f64::consts::PI),
            }
        }
        Node::Ternary(function, [a, b, c]) => {
            let (a, b, c) = (of(a), of(b), of(c));
            match function {
                Ternary::Choose => Range::around([b.low, b.high, c.low, c.high]),
                Ternary::Fma => a.times(b).plus(c),
                Ternary::Fms => a.times(b).plus(c.negative()),
                Ternary::Fnma => c.plus(a.times(b).negative()),
            }
        }
        Node::Moment(Moments::Watson, ..) => Range::new(-0.5, 1.0),
        Node::Dispersed(Dispersed::Value, _) => Range::new(0.0, 1.0),
        Node::Input(_) | Node::Moment(Moments::Stick, ..) | Node::Dispersed(..) => Range::ALL,
    }
}

impl Node {
    /// The nodes that it is made of.
    pub fn operands(self) -> impl Iterator<Item = Id> {
        let (count, all) = match self {
            Self::Constant(_) | Self::Input(_) => (0, [Id(0); 3]),
            Self::Unary(_, x) | Self::Moment(_, _, x) => (1, [x; 3]),
            Self::Binary(_, a, b) => (2, [a, b, b]),
            Self::Ternary(_, all) | Self::Dispersed(_, all) => (3, all),
        };
        all.into_iter().take(count)
    }

    /// The same of other nodes.
    pub(crate) fn of(self, mut other: impl FnMut(Id) -> Id) -> Self {
        match self {
            Self::Constant(_) | Self::Input(_) => self,
            Self::Unary(function, x) => Self::Unary(function, other(x)),
            Self::Moment(family, degree, x) => Self::Moment(family, degree, other(x)),
            Self::Binary(function, a, b) => Self::Binary(function, other(a), other(b)),
            Self::Ternary(function, all) => Self::Ternary(function, all.map(other)),
            Self::Dispersed(part, all) => Self::Dispersed(part, all.map(other)),
        }
    }
}

impl Unary {
    /// Its value in double precision.
    #[inline]
    pub fn of(self, x: f64) -> f64 {
        use arcuate_compute::elementary::double;
        match self {
            Self::Negative => -x,
            Self::Root => x.sqrt(),
            Self::Exponential => double::exp(x),
            Self::Logarithm => double::ln(x),
            Self::Absolute => x.abs(),
            Self::Sine => libm::sin(x),
            Self::Cosine => libm::cos(x),
            Self::ArcTangent => libm::atan(x),
            Self::ArcCosine => libm::acos(x),
            Self::Erf => libm::erf(x),
            Self::Dawson => crate::special::dawson(x),
            Self::BesselI0e => crate::special::bessel_i0e(x),
            Self::BesselI1e => crate::special::bessel_i1e(x),
        }
    }
}

impl Binary {
    /// Its value in double precision.
    #[inline]
    pub fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Minimum => {
                if a < b {
                    a
                } else {
                    b
                }
            }
            Self::Maximum => {
                if a > b {
                    a
                } else {
                    b
                }
            }
            Self::Less => f64::from(u8::from(a < b)),
            Self::ArcTangent2 => libm::atan2(a, b),
        }
    }
}

impl Ternary {
    /// Its value in double precision.
    #[inline]
    pub fn of(self, a: f64, b: f64, c: f64) -> f64 {
        match self {
            Self::Choose => {
                if a == 0.0 {
                    c
                } else {
                    b
                }
            }
            Self::Fma => a.mul_add(b, c),
            Self::Fms => a.mul_add(b, -c),
            Self::Fnma => (-a).mul_add(b, c),
        }
    }
}

impl fmt::Display for Program {
    /// A line for each node: the program's text, by which two of them are known to be the same.
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

    #[test]
    fn equal_values_are_one_node_and_constants_are_folded() {
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
    fn values_are_those_of_their_functions() {
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
