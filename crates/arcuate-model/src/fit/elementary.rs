//! Converts the formulas of a model to elementary operations: replaces repeated divisions by products,
//! expands series, and fuses products with sums.

use super::bingham_series::bingham_series;
use super::dispersion_series::{Degrees, SeriesLength, dispersion_series};
use super::protocol::Protocol;
use crate::language::{Binary, Id, Input, Moments, Node, Program, Ternary};
use arcuate_core::Result;
use std::collections::HashMap;

/// The inputs that a computed value depends on. Each level includes the inputs of the preceding levels, but
/// `Voxel` does not include the inputs of `Measurement`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// The value depends only on constants that are known before a fit.
    Uniform,
    /// The value depends on constants, and on numbers of the measurement such as b.
    Measurement,
    /// The value depends on constants and on numbers of the voxel such as its parameters, but on no number of
    /// a measurement.
    Voxel,
    /// The value depends on numbers of the measurement and on numbers of the voxel.
    Inner,
}

impl Level {
    fn join(self, other: Self) -> Self {
        use Level::{Inner, Measurement, Uniform, Voxel};
        match (self, other) {
            (Uniform, level) | (level, Uniform) => level,
            (Measurement, Measurement) => Measurement,
            (Voxel, Voxel) => Voxel,
            _ => Inner,
        }
    }

    fn is_below(self, other: Self) -> bool {
        self != other && self.join(other) == other
    }
}

/// A program that consists of elementary operations (such as a sum or an exponential) only.
pub(crate) struct Elementary {
    pub(crate) program: Program,
    /// For each node of the program, the kind of inputs that its value depends on.
    pub(crate) levels: Vec<Level>,
    pub(crate) roots: Vec<Id>,
    /// True if the exponential of a value that is never above 0 becomes
    /// [`Operation::Decay`](super::schedule::Operation), which is computed faster.
    pub(crate) decays: bool,
}

impl Elementary {
    pub(crate) fn new(
        of: &Program,
        protocol: &Protocol,
        settings: &[f64],
        roots: &[Id],
        length: SeriesLength,
    ) -> Result<Self> {
        let degrees = Degrees::new(of, protocol, settings, length);
        let mut elementary =
            Self { program: Program::default(), levels: Vec::new(), roots: Vec::new(), decays: false };
        let mut places: HashMap<Id, Id> = HashMap::new();
        for id in of.reachable(roots) {
            let node = of.node(id);
            let place = |id: Id| places[&id];
            let made = match node {
                Node::Constant(bits) => elementary.program.constant(f64::from_bits(bits)),
                Node::Input(_) => elementary.program.make(node),
                Node::Unary(function, x) => elementary.program.unary(function, place(x)),
                Node::Binary(Binary::Divide, a, b) => elementary.quotient(place(a), place(b)),
                Node::Binary(function, a, b) => elementary.program.binary(function, place(a), place(b)),
                Node::Ternary(Ternary::Choose, [flag, b, c]) => {
                    elementary.program.choose(place(flag), place(b), place(c))
                }
                Node::Moment(Moments::Stick, _, x) => {
                    degrees.check_stick(x)?;
                    elementary.program.make(node.of(place))
                }
                Node::Fanned(part, operands) => {
                    let degree = degrees.of_bingham(operands)?;
                    bingham_series(&mut elementary.program, part, operands.map(place), degree)
                }
                Node::Ternary(..) | Node::Moment(..) | Node::Harmonic { .. } => {
                    elementary.program.make(node.of(place))
                }
                Node::Dispersed(part, operands) => {
                    let degree = degrees.of(operands)?;
                    dispersion_series(&mut elementary.program, part, operands.map(place), degree)
                }
            };
            elementary.update_levels();
            places.insert(id, made);
        }
        // The known ranges of the input values must be set again, because the new program does not have them.
        for (id, made) in &places {
            elementary.program.narrow(*made, of.range(*id));
        }
        elementary.roots = roots.iter().map(|root| places[root]).collect();
        Ok(elementary)
    }

    fn update_levels(&mut self) {
        for node in &self.program.nodes()[self.levels.len()..] {
            let level = match node {
                Node::Constant(_) | Node::Input(Input::Setting(_)) => Level::Uniform,
                Node::Input(Input::Measurement(_)) => Level::Measurement,
                Node::Input(_) => Level::Voxel,
                node => node.operands().map(|id| self.levels[id.index()]).fold(Level::Uniform, Level::join),
            };
            self.levels.push(level);
        }
    }

    fn level(&mut self, id: Id) -> Level {
        self.update_levels();
        self.levels[id.index()]
    }

    /// Returns the quotient a / b. If `a` depends on the measurement and `b` does not, a is multiplied by the
    /// inverse of b. The inverse is computed once per voxel.
    fn quotient(&mut self, a: Id, b: Id) -> Id {
        if self.level(b).is_below(self.level(a)) && self.level(a) == Level::Inner {
            let one = self.program.constant(1.0);
            let inverse = self.program.divide(one, b);
            return self.program.multiply(a, inverse);
        }
        self.program.divide(a, b)
    }

    /// Moves a factor that depends only on the voxel into the sum that it multiplies, if terms of this sum
    /// have such factors, too. For example, S₀ then multiplies three volume fractions once per voxel, instead
    /// of the signal of every measurement.
    pub(crate) fn spread(self) -> Self {
        let Self { program: of, roots, .. } = &self;
        let mut spread =
            Self { program: Program::default(), levels: Vec::new(), roots: Vec::new(), decays: self.decays };
        let mut places: HashMap<Id, Id> = HashMap::new();
        for id in of.reachable(roots) {
            let made = spread.program.make(of.node(id).of(|id| places[&id]));
            spread.program.narrow(made, of.range(id));
            places.insert(id, made);
        }
        spread.roots =
            roots.iter().map(|root| self.multiplied(&mut spread.program, &places, None, *root)).collect();
        spread.update_levels();
        spread
    }

    /// Copies a value to another program. If a factor that depends only on the voxel is given, the value is
    /// multiplied by this factor.
    fn multiplied(&self, program: &mut Program, places: &HashMap<Id, Id>, factor: Option<Id>, id: Id) -> Id {
        let is_inner = |id: Id| self.levels[id.index()] == Level::Inner;
        match self.program.node(id) {
            Node::Binary(function @ (Binary::Add | Binary::Subtract), a, b)
                if is_inner(id) && factor.is_some() =>
            {
                let [a, b] = [a, b].map(|id| self.multiplied(program, places, factor, id));
                program.binary(function, a, b)
            }
            Node::Binary(Binary::Multiply, a, b) if is_inner(a) != is_inner(b) && is_inner(id) => {
                let (of_voxel, inner) = if is_inner(a) { (b, a) } else { (a, b) };
                if self.levels[of_voxel.index()] == Level::Measurement {
                    return times(program, factor, places[&id]);
                }
                let factor = times(program, factor, places[&of_voxel]);
                self.multiplied(program, places, Some(factor), inner)
            }
            _ => times(program, factor, places[&id]),
        }
    }

    /// Combines a product and the sum that uses it into one fused multiply–add, if no other operation uses
    /// the product.
    pub(crate) fn fused(self) -> Self {
        let Self { program: of, roots, .. } = &self;
        let mut uses = vec![0usize; of.nodes().len()];
        let needed = of.reachable(roots);
        for &id in &needed {
            of.node(id).operands().for_each(|operand| uses[operand.index()] += 1);
        }
        for root in roots {
            uses[root.index()] += 1;
        }
        let joined = |id: Id, level: Level| match of.node(id) {
            Node::Binary(Binary::Multiply, a, b)
                if uses[id.index()] == 1 && self.levels[id.index()] == level =>
            {
                Some([a, b])
            }
            _ => None,
        };
        let mut fused =
            Self { program: Program::default(), levels: Vec::new(), roots: Vec::new(), decays: self.decays };
        let mut places: HashMap<Id, Id> = HashMap::new();
        for &id in &needed {
            let level = self.levels[id.index()];
            let counts = matches!(level, Level::Voxel | Level::Inner);
            let place = |id: Id| places[&id];
            let node = match of.node(id) {
                Node::Binary(function @ (Binary::Add | Binary::Subtract), a, b) if counts => {
                    let is_sum = function == Binary::Add;
                    match (joined(a, level), joined(b, level)) {
                        (Some([u, v]), _) => {
                            let fused = if is_sum { Ternary::Fma } else { Ternary::Fms };
                            Node::Ternary(fused, [u, v, b])
                        }
                        (None, Some([u, v])) => {
                            let fused = if is_sum { Ternary::Fma } else { Ternary::Fnma };
                            Node::Ternary(fused, [u, v, a])
                        }
                        (None, None) => of.node(id),
                    }
                }
                node => node,
            };
            places.insert(id, fused.program.make(node.of(place)));
        }
        for (id, made) in &places {
            fused.program.narrow(*made, of.range(*id));
        }
        fused.roots = roots.iter().map(|root| places[root]).collect();
        fused.update_levels();
        fused
    }
}

/// Multiplies a value by an optional factor.
fn times(program: &mut Program, factor: Option<Id>, value: Id) -> Id {
    factor.map_or(value, |factor| program.multiply(factor, value))
}
