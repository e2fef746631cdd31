//! Where the values of a program are: among the numbers that all voxels have, among those of measurements, or results of steps.

use super::elementary::{Elementary, Level};
use super::protocol::Protocol;
use super::schedule::{Operand, Operation, Schedule, Step, VoxelInput};
use crate::language::{Id, Input, Moments, Node};
use std::collections::HashMap;

/// The schedule of a program on a protocol.
pub(super) fn placed(of: &Elementary, protocol: &Protocol, settings: &[f64]) -> Schedule {
    let mut placement = Placement {
        of,
        needed: of.program.reachable(&of.roots),
        places: HashMap::new(),
        schedule: Schedule {
            uniforms: Vec::new(),
            columns: Vec::new(),
            column_count: 0,
            inputs: Vec::new(),
            voxel: Vec::new(),
            inner: Vec::new(),
            results: Vec::new(),
        },
    };
    placement.place_numbers(protocol, settings);
    placement.place_inputs();
    placement.place_steps();
    placement.place_results();
    placement.schedule
}

/// A schedule on its way.
struct Placement<'a> {
    of: &'a Elementary,
    /// What the results are made of, in its order.
    needed: Vec<Id>,
    places: HashMap<Id, Operand>,
    schedule: Schedule,
}

impl Placement<'_> {
    fn level(&self, id: Id) -> Level {
        self.of.levels[id.index()]
    }

    /// Numbers that voxels do not change: those of a level that steps or results need.
    fn place_numbers(&mut self, protocol: &Protocol, settings: &[f64]) {
        let Elementary { program, roots, .. } = self.of;
        let mut wanted = vec![false; program.nodes().len()];
        for &id in self.needed.iter().filter(|id| matches!(self.level(**id), Level::Voxel | Level::Inner)) {
            for operand in program.node(id).operands() {
                wanted[operand.index()] |= matches!(self.level(operand), Level::Uniform | Level::Measurement);
            }
        }
        for root in roots {
            wanted[root.index()] |= self.level(*root) != Level::Inner;
        }
        let of_level = |level: Level| {
            let is_wanted = |id: &Id| wanted[id.index()] && self.level(*id) == level;
            self.needed.iter().copied().filter(is_wanted).collect::<Vec<Id>>()
        };
        let (uniforms, columns) = (of_level(Level::Uniform), of_level(Level::Measurement));
        self.places.extend(uniforms.iter().enumerate().map(|(n, id)| (*id, Operand::Uniform(n as u16))));
        self.places.extend(columns.iter().enumerate().map(|(n, id)| (*id, Operand::Column(n as u16))));
        let at = |measurement: usize| {
            program.evaluate(|input| match input {
                Input::Setting(n) => settings[usize::from(n)],
                Input::Measurement(n) => protocol.value(measurement, n),
                _ => f64::NAN,
            })
        };
        let schedule = &mut self.schedule;
        schedule.column_count = columns.len();
        schedule.columns.reserve(protocol.len() * columns.len());
        for measurement in 0..protocol.len() {
            let values = at(measurement);
            schedule.columns.extend(columns.iter().map(|id| values[id.index()]));
        }
        let values = at(0);
        let uniform = |id: &Id| (values[id.index()], program.constant_of(*id).is_some());
        schedule.uniforms = uniforms.iter().map(uniform).collect();
    }

    /// What voxels bring: it comes before all results.
    fn place_inputs(&mut self) {
        for &id in &self.needed {
            let input = match self.of.program.node(id) {
                Node::Input(Input::Parameter(n)) => VoxelInput::Parameter(n),
                Node::Input(Input::Map(n)) => VoxelInput::Map(n),
                Node::Input(Input::Across { orientation, vector, axis }) => {
                    VoxelInput::Across { orientation, vector, axis }
                }
                _ => continue,
            };
            self.places.insert(id, Operand::Voxel(self.schedule.inputs.len() as u16));
            self.schedule.inputs.push(input);
        }
    }

    /// What is computed; coefficients of a family, all by one step.
    fn place_steps(&mut self) {
        let program = &self.of.program;
        let mut terms = HashMap::new();
        for &id in &self.needed {
            if let Node::Moment(family, degree, x) = program.node(id) {
                let most: &mut u16 = terms.entry((family, x)).or_insert(0);
                *most = (*most).max(degree / 2 + 1);
            }
        }
        // Of the voxel, and inner.
        let mut next = [self.schedule.inputs.len() as u16, 0];
        let mut done: HashMap<(Moments, Id), u16> = HashMap::new();
        for &id in &self.needed {
            let is_inner = match self.level(id) {
                Level::Voxel => false,
                Level::Inner => true,
                _ => continue,
            };
            let result = if is_inner { Operand::Inner } else { Operand::Voxel };
            let count = &mut next[usize::from(is_inner)];
            let (operation, operands) = match program.node(id) {
                Node::Constant(_) | Node::Input(_) => continue,
                Node::Unary(function, x) => (Operation::Unary(function), [x; 3]),
                Node::Binary(function, a, b) => (Operation::Binary(function), [a, b, b]),
                Node::Ternary(function, all) => (Operation::Ternary(function), all),
                Node::Moment(family, degree, x) => {
                    let known = done.get(&(family, x)).copied();
                    self.places.insert(id, result(known.unwrap_or(*count) + degree / 2));
                    if known.is_some() {
                        continue;
                    }
                    done.insert((family, x), *count);
                    (Operation::Moments(family, terms[&(family, x)]), [x; 3])
                }
                Node::Dispersed(..) => unreachable!("series are elementary by now"),
            };
            let step = Step { operation, operands: operands.map(|id| self.places[&id]) };
            self.places.entry(id).or_insert(result(*count));
            *count += step.results();
            let Schedule { voxel, inner, .. } = &mut self.schedule;
            if is_inner { inner } else { voxel }.push(step);
        }
    }

    /// What is asked for: a copy where it is no inner result.
    fn place_results(&mut self) {
        let mut next: u16 = self.schedule.inner.iter().map(Step::results).sum();
        for root in &self.of.roots {
            let place = match self.places[root] {
                Operand::Inner(place) => place,
                other => {
                    self.schedule.inner.push(Step { operation: Operation::Copy, operands: [other; 3] });
                    next += 1;
                    next - 1
                }
            };
            self.schedule.results.push(place);
        }
    }
}
