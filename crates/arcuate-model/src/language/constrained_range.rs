//! Ranges of values under the constraints of a model. A constraint a ≤ b restricts every sum of values that
//! is a multiple of b − a plus a rest with a known range. One constraint is used at a time.

use super::id::Id;
use super::lowering::Lowering;
use super::node::{Binary, Node, Unary};
use super::parser::Comparison;
use super::program::Program;
use super::range::Range;
use std::collections::{BTreeMap, HashMap};

/// Maximum number of terms of a sum. Longer sums are not restricted.
const MOST_TERMS: usize = 1_000;

/// A linear function of nodes: a constant, and the factor of each node.
#[derive(Default)]
struct Linear {
    constant: f64,
    factors: BTreeMap<Id, f64>,
}

impl Linear {
    /// Resolves sums, differences and products with constants. Returns `None` for very long sums.
    fn of(program: &Program, value: Id) -> Option<Self> {
        let mut linear = Self::default();
        let mut waiting = vec![(value, 1.0)];
        for _ in 0..MOST_TERMS {
            let Some((id, factor)) = waiting.pop() else { return Some(linear) };
            match program.node(id) {
                Node::Constant(bits) => linear.constant += factor * f64::from_bits(bits),
                Node::Unary(Unary::Negative, x) => waiting.push((x, -factor)),
                Node::Binary(Binary::Add, a, b) => waiting.extend([(a, factor), (b, factor)]),
                Node::Binary(Binary::Subtract, a, b) => waiting.extend([(a, factor), (b, -factor)]),
                Node::Binary(Binary::Multiply, a, b) => {
                    match (program.constant_of(a), program.constant_of(b)) {
                        (Some(known), _) => waiting.push((b, factor * known)),
                        (_, Some(known)) => waiting.push((a, factor * known)),
                        _ => *linear.factors.entry(id).or_default() += factor,
                    }
                }
                _ => *linear.factors.entry(id).or_default() += factor,
            }
        }
        None
    }

    /// Returns the range of `self` − `multiple` · `other`, from the ranges of the nodes.
    fn rest(&self, multiple: f64, other: &Self, of: impl Fn(Id) -> Range) -> Range {
        let mut factors = self.factors.clone();
        for (id, factor) in &other.factors {
            *factors.entry(*id).or_default() -= multiple * factor;
        }
        let constant = Range::of(self.constant - multiple * other.constant);
        factors.into_iter().fold(constant, |sum, (id, factor)| sum.plus(of(id).times(Range::of(factor))))
    }
}

impl Lowering<'_> {
    /// Returns the range of a value if all constraints of the model hold.
    pub(super) fn constrained_range(&self, value: Id) -> Range {
        // A copy of the program takes up the constraints, so that they do not change the program of the
        // formula.
        let mut copy = self.clone();
        copy.constraints = &[];
        let mut slacks = Vec::new();
        for constraint in self.constraints {
            // An error in a constraint is reported when the constraint itself is translated.
            let Ok(slack) = copy.slack(constraint) else { continue };
            if let Some(slack) = Linear::of(&copy.program, slack) {
                slacks.push((slack, constraint.comparison == Comparison::Equal));
            }
        }
        let program = &copy.program;
        let mut ranges: HashMap<Id, Range> = HashMap::new();
        for id in program.reachable(&[value]) {
            let node = program.node(id);
            let mut range = match node {
                Node::Input(_) => program.range(id),
                node => node.range(|id| ranges[&id]).within(program.range(id)),
            };
            if let Node::Binary(Binary::Add | Binary::Subtract, ..) = node
                && let Some(sum) = Linear::of(program, id)
            {
                for (slack, is_equality) in &slacks {
                    for (shared, factor) in &slack.factors {
                        let Some(own) = sum.factors.get(shared) else { continue };
                        // The sum is `multiple` times the slack plus a rest. The slack is at least 0, or
                        // exactly 0 for an equality.
                        let multiple = own / factor;
                        let rest = sum.rest(multiple, slack, |id| {
                            ranges.get(&id).copied().unwrap_or_else(|| program.range(id))
                        });
                        if multiple >= 0.0 || *is_equality {
                            range = range.within(Range::new(rest.low, f64::INFINITY));
                        }
                        if multiple <= 0.0 || *is_equality {
                            range = range.within(Range::new(f64::NEG_INFINITY, rest.high));
                        }
                    }
                }
            }
            ranges.insert(id, range);
        }
        ranges[&value]
    }
}
