//! Derivatives of formulas (programs) by reverse accumulation (Griewank and Walther 2008, "Evaluating
//! derivatives").

use super::id::Id;
use super::node::{Binary, Dispersed, Fanned, Input, Moments, Node, Ternary};
use super::program::Program;
use crate::special::bingham::slope_terms;
use crate::special::watson::slope_weights;
use arcuate_core::narrow;
use std::collections::BTreeMap;

impl Program {
    /// Returns the derivatives of the value `of` with respect to the inputs `by`, as new nodes of the
    /// program. If the value does not depend on an input, the derivative is 0.
    pub fn gradient(&mut self, of: Id, by: &[Input]) -> Vec<Id> {
        let needed = self.reachable(&[of]);
        let mut depends = vec![false; of.index() + 1];
        for &id in &needed {
            depends[id.index()] = match self.node(id) {
                Node::Input(input) => by.contains(&input),
                node => node.operands().any(|operand| depends[operand.index()]),
            };
        }
        let mut adjoints: BTreeMap<Id, Id> = BTreeMap::new();
        let one = self.constant(1.0);
        adjoints.insert(of, one);
        for &id in needed.iter().rev() {
            if !depends[id.index()] {
                continue;
            }
            let Some(&adjoint) = adjoints.get(&id) else { continue };
            for (operand, slope) in self.slopes(id, &depends) {
                let share = self.multiply(adjoint, slope);
                let sum = match adjoints.get(&operand) {
                    Some(&sum) => self.add(sum, share),
                    None => share,
                };
                adjoints.insert(operand, sum);
            }
        }
        by.iter()
            .map(|&input| {
                let place = needed.iter().find(|id| self.node(**id) == Node::Input(input));
                match place.and_then(|id| adjoints.get(id)) {
                    Some(&adjoint) => adjoint,
                    None => self.constant(0.0),
                }
            })
            .collect()
    }

    /// Returns the derivatives of a node with respect to those of its operands for which `depends` is true.
    fn slopes(&mut self, id: Id, depends: &[bool]) -> Vec<(Id, Id)> {
        let mut slopes = Vec::new();
        let counts = |operand: Id| depends[operand.index()];
        match self.node(id) {
            Node::Constant(_) | Node::Input(_) => {}
            Node::Unary(function, x) => slopes.push((x, function.slope(self, id, x))),
            Node::Binary(function, a, b) => {
                if counts(a) {
                    slopes.push((a, function.slope(self, id, [a, b], true)));
                }
                if counts(b) {
                    slopes.push((b, function.slope(self, id, [a, b], false)));
                }
            }
            Node::Ternary(Ternary::Choose, [flag, b, c]) => {
                let [one, zero] = [1.0, 0.0].map(|value| self.constant(value));
                let (of_b, of_c) = (self.choose(flag, one, zero), self.choose(flag, zero, one));
                slopes.extend([(b, of_b), (c, of_c)].into_iter().filter(|(operand, _)| counts(*operand)));
            }
            Node::Ternary(function, [a, b, c]) => {
                let (of_c, sign) = match function {
                    Ternary::Fms => (-1.0, 1.0),
                    Ternary::Fnma => (1.0, -1.0),
                    _ => (1.0, 1.0),
                };
                let [of_c, sign] = [of_c, sign].map(|value| self.constant(value));
                let (of_a, of_b) = (self.multiply(sign, b), self.multiply(sign, a));
                slopes.extend(
                    [(a, of_a), (b, of_b), (c, of_c)].into_iter().filter(|(operand, _)| counts(*operand)),
                );
            }
            Node::Moment(family, degree, x) => {
                let slope = self.moment_slope(family, degree, x);
                slopes.push((x, slope));
            }
            Node::Dispersed(part, operands) => {
                assert_eq!(part, Dispersed::Value, "its derivatives are not available");
                let parts = [Dispersed::ByX, Dispersed::ByConcentration, Dispersed::ByCosine];
                for (operand, part) in operands.into_iter().zip(parts) {
                    if counts(operand) {
                        slopes.push((operand, self.make(Node::Dispersed(part, operands))));
                    }
                }
            }
            Node::Harmonic { degree, order, concentrations } => {
                let both = self.harmonic_slopes([degree, order], concentrations);
                slopes.extend(concentrations.into_iter().zip(both).filter(|(operand, _)| counts(*operand)));
            }
            Node::Fanned(part, operands) => {
                assert_eq!(part, Fanned::Value, "its derivatives are not available");
                let parts =
                    [Fanned::ByX, Fanned::ByFirst, Fanned::BySecond, Fanned::ByCosine, Fanned::ByFanCosine];
                for (operand, part) in operands.into_iter().zip(parts) {
                    if counts(operand) {
                        slopes.push((operand, self.make(Node::Fanned(part, operands))));
                    }
                }
            }
        }
        slopes
    }

    /// Returns the sign of a value (−1, 0 or 1) as a node of the program.
    pub(super) fn sign(&mut self, x: Id) -> Id {
        let zero = self.constant(0.0);
        let (above, below) = (self.binary(Binary::Less, zero, x), self.binary(Binary::Less, x, zero));
        self.subtract(above, below)
    }

    /// Returns the node of a coefficient of the Bingham distribution, with the given degree and order. The
    /// coefficient of degree 0 is the constant 1.
    pub(crate) fn harmonic(&mut self, [degree, order]: [u16; 2], concentrations: [Id; 2]) -> Id {
        match degree {
            0 => self.constant(1.0),
            _ => self.make(Node::Harmonic { degree, order, concentrations }),
        }
    }

    /// Returns the derivatives of a coefficient of the Bingham distribution with respect to both
    /// concentrations.
    pub(crate) fn harmonic_slopes(&mut self, place: [u16; 2], concentrations: [Id; 2]) -> [Id; 2] {
        let here = self.harmonic(place, concentrations);
        let [n, k] = place.map(|value| usize::from(value) / 2);
        let [sum, difference] = slope_terms(n, k).map(|both| {
            let [product, mean] = both.map(|terms| {
                let mut sum = self.constant(0.0);
                for (n, k, weight) in terms {
                    let weight = self.constant(weight);
                    let harmonic =
                        self.harmonic([2 * narrow::<u16>(n), 2 * narrow::<u16>(k)], concentrations);
                    let share = self.multiply(weight, harmonic);
                    sum = self.add(sum, share);
                }
                sum
            });
            let apart = self.multiply(here, mean);
            self.subtract(product, apart)
        });
        [self.subtract(sum, difference), self.add(sum, difference)]
    }

    pub(crate) fn moment_slope(&mut self, family: Moments, degree: u16, x: Id) -> Id {
        let weights = slope_weights(family, degree).map(|weight| self.constant(weight));
        let of = |program: &mut Self, degree: u16| match (family, degree) {
            (Moments::Watson, 0) => program.constant(1.0),
            _ => program.make(Node::Moment(family, degree, x)),
        };
        let here = of(self, degree);
        let mut terms = vec![(weights[0], of(self, degree + 2)), (weights[1], here)];
        if degree >= 2 {
            terms.push((weights[2], of(self, degree - 2)));
        }
        if family == Moments::Watson {
            let second = of(self, 2);
            terms.push((weights[3], self.multiply(here, second)));
        }
        let mut sum = self.constant(0.0);
        for (weight, term) in terms {
            let share = self.multiply(weight, term);
            sum = self.add(sum, share);
        }
        sum
    }
}
