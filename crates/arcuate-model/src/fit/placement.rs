//! Assigns storage to each value that a model's formulas use: constants that all voxels share, numbers of
//! measurements, and results of operations.

use super::dispersion_series::SeriesLength;
use super::elementary::{Elementary, Level};
use super::protocol::Protocol;
use super::schedule::{Operand, Operation, Schedule, Step, VoxelInput};
use super::unknowns::Unknown;
use crate::language::{Id, Input, ModelProgram, Moments, Node, Program, Unary};
use crate::special::bingham;
use arcuate_core::Result;
use std::collections::HashMap;

impl Schedule {
    /// Creates the schedule: the list of operations that compute a model's signal for the measurements of a
    /// protocol. The schedule also computes the derivatives of the signal with respect to the given unknowns.
    ///
    /// `settings` are the values of the parameters with the role `Setting` (fixed for all voxels), in base
    /// units.
    pub(crate) fn new(
        model: &ModelProgram,
        protocol: &Protocol,
        settings: &[f64],
        unknowns: &[Unknown],
        length: SeriesLength,
    ) -> Result<Self> {
        let (program, roots) = model.with_derivatives(unknowns);
        Self::of_roots(&program, &roots, protocol, settings, length)
    }

    /// Creates the schedule (a list of operations) that computes the values of the nodes `roots` of a
    /// program.
    pub(super) fn of_roots(
        program: &Program,
        roots: &[Id],
        protocol: &Protocol,
        settings: &[f64],
        length: SeriesLength,
    ) -> Result<Self> {
        let elementary = Elementary::new(program, protocol, settings, roots, length)?;
        let of = elementary.fused();
        let numbers = Numbers::new(&of, &of.roots, protocol, settings);
        Ok(Placement::new(&of, &of.roots, &numbers, &HashMap::new()).schedule)
    }
}

/// The constants and the numbers of measurements in a program, which do not depend on a voxel, and the
/// storage of each.
pub(crate) struct Numbers {
    uniforms: Vec<(f64, bool)>,
    columns: Vec<f64>,
    column_count: usize,
    places: HashMap<Id, Operand>,
}

impl Numbers {
    /// Collects all constants and numbers of measurements that operations or results use.
    pub(crate) fn new(of: &Elementary, roots: &[Id], protocol: &Protocol, settings: &[f64]) -> Self {
        let program = &of.program;
        let needed = program.reachable(roots);
        let level = |id: Id| of.levels[id.index()];
        let mut is_needed = vec![false; program.nodes().len()];
        for &id in needed.iter().filter(|id| matches!(level(**id), Level::Voxel | Level::Inner)) {
            for operand in program.node(id).operands() {
                is_needed[operand.index()] |= matches!(level(operand), Level::Uniform | Level::Measurement);
            }
        }
        for root in roots {
            is_needed[root.index()] |= level(*root) != Level::Inner;
        }
        let of_level = |wanted_level: Level| {
            let is_wanted = |id: &Id| is_needed[id.index()] && level(*id) == wanted_level;
            needed.iter().copied().filter(is_wanted).collect::<Vec<Id>>()
        };
        let (uniforms, columns) = (of_level(Level::Uniform), of_level(Level::Measurement));
        let mut places: HashMap<Id, Operand> = HashMap::new();
        places.extend(uniforms.iter().enumerate().map(|(n, id)| (*id, Operand::Uniform(n))));
        places.extend(columns.iter().enumerate().map(|(n, id)| (*id, Operand::Column(n))));
        let at = |measurement: usize| {
            program.evaluate(|input| match input {
                Input::Setting(n) => settings[usize::from(n)],
                Input::Measurement(n) => protocol.value(measurement, n),
                _ => f64::NAN,
            })
        };
        let mut values_of_columns = Vec::with_capacity(protocol.len() * columns.len());
        for measurement in 0..protocol.len() {
            let values = at(measurement);
            values_of_columns.extend(columns.iter().map(|id| values[id.index()]));
        }
        let values = at(0);
        let uniform = |id: &Id| (values[id.index()], program.constant_of(*id).is_some());
        Self {
            uniforms: uniforms.iter().map(uniform).collect(),
            columns: values_of_columns,
            column_count: columns.len(),
            places,
        }
    }
}

/// A schedule under construction.
pub(crate) struct Placement<'a> {
    of: &'a Elementary,
    /// The nodes of the program that the requested results depend on, in the order of the program.
    needed: Vec<Id>,
    places: HashMap<Id, Operand>,
    pub(crate) schedule: Schedule,
}

impl<'a> Placement<'a> {
    /// Creates the schedule (a list of operations) that computes the values of the nodes `roots`. `there`
    /// contains the nodes whose values were computed earlier, per voxel or per measurement. Each has the
    /// index of its stored value.
    pub(crate) fn new(
        of: &'a Elementary,
        roots: &[Id],
        numbers: &Numbers,
        there: &HashMap<Id, usize>,
    ) -> Self {
        let mut placement = Self {
            of,
            needed: needed(of, roots, there),
            places: numbers.places.clone(),
            schedule: Schedule {
                uniforms: numbers.uniforms.clone(),
                columns: numbers.columns.clone(),
                column_count: numbers.column_count,
                inputs: Vec::new(),
                voxel: Vec::new(),
                inner: Vec::new(),
                results: Vec::new(),
            },
        };
        placement.place_inputs(there);
        placement.place_steps();
        placement.place_results(roots);
        placement
    }

    /// If the value of this node is stored once per voxel, returns its index among the values of the voxel.
    pub(crate) fn voxel_place(&self, id: Id) -> Option<usize> {
        match self.places.get(&id) {
            Some(Operand::Voxel(place)) => Some(*place),
            _ => None,
        }
    }

    fn level(&self, id: Id) -> Level {
        self.of.levels[id.index()]
    }

    /// Assigns storage to the inputs of the voxel (such as parameter values). The results of operations have
    /// higher indices.
    fn place_inputs(&mut self, there: &HashMap<Id, usize>) {
        for &id in &self.needed {
            if let Some(&number) = there.get(&id) {
                let is_inner = self.level(id) == Level::Inner;
                let place =
                    if is_inner { Operand::Kept(number) } else { Operand::Voxel(self.schedule.inputs.len()) };
                if !is_inner {
                    self.schedule.inputs.push(VoxelInput::Kept(number));
                }
                self.places.insert(id, place);
                continue;
            }
            let input = match self.of.program.node(id) {
                Node::Input(Input::Parameter(n)) => VoxelInput::Parameter(n),
                Node::Input(Input::Map(n)) => VoxelInput::Map(n),
                Node::Input(Input::Across { orientation, vector, axis }) => {
                    VoxelInput::Across { orientation, vector, axis }
                }
                _ => continue,
            };
            self.places.insert(id, Operand::Voxel(self.schedule.inputs.len()));
            self.schedule.inputs.push(input);
        }
    }

    /// Assigns storage to the computed values. One operation computes all coefficients of a series.
    fn place_steps(&mut self) {
        let program = &self.of.program;
        let mut terms = HashMap::new();
        let mut degrees = HashMap::new();
        for &id in &self.needed {
            if let (Node::Moment(family, degree, x), None) = (program.node(id), self.places.get(&id)) {
                let maximum: &mut u16 = terms.entry((family, x)).or_insert(0);
                *maximum = (*maximum).max(degree / 2 + 1);
            }
            if let (Node::Harmonic { degree, concentrations, .. }, None) =
                (program.node(id), self.places.get(&id))
            {
                let maximum: &mut u16 = degrees.entry(concentrations).or_insert(0);
                *maximum = (*maximum).max(degree);
            }
        }
        // The next free index among the values per voxel, and the next free index among the values per
        // measurement.
        let mut next = [self.schedule.inputs.len(), 0];
        let mut done: HashMap<(Moments, Id), usize> = HashMap::new();
        let mut harmonics: HashMap<[Id; 2], usize> = HashMap::new();
        for &id in &self.needed {
            // Values that were computed earlier already have storage.
            if matches!(self.places.get(&id), Some(Operand::Kept(_) | Operand::Voxel(_))) {
                continue;
            }
            let is_inner = match self.level(id) {
                Level::Voxel => false,
                Level::Inner => true,
                _ => continue,
            };
            let result = if is_inner { Operand::Inner } else { Operand::Voxel };
            let count = &mut next[usize::from(is_inner)];
            let (operation, operands) = match program.node(id) {
                Node::Constant(_) | Node::Input(_) => continue,
                Node::Unary(Unary::Exponential, x) if self.of.decays && program.range(x).high <= 0.0 => {
                    (Operation::Decay, [x; 3])
                }
                Node::Unary(function, x) => (Operation::Unary(function), [x; 3]),
                Node::Binary(function, a, b) => (Operation::Binary(function), [a, b, b]),
                Node::Ternary(function, all) => (Operation::Ternary(function), all),
                Node::Moment(family, degree, x) => {
                    let known = done.get(&(family, x)).copied();
                    self.places.insert(id, result(known.unwrap_or(*count) + usize::from(degree / 2)));
                    if known.is_some() {
                        continue;
                    }
                    done.insert((family, x), *count);
                    (Operation::Moments(family, terms[&(family, x)]), [x; 3])
                }
                Node::Harmonic { degree, order, concentrations } => {
                    let known = harmonics.get(&concentrations).copied();
                    let own = bingham::place(usize::from(degree) / 2, usize::from(order) / 2);
                    self.places.insert(id, result(known.unwrap_or(*count) + own));
                    if known.is_some() {
                        continue;
                    }
                    harmonics.insert(concentrations, *count);
                    let [a, b] = concentrations;
                    (Operation::Harmonics(degrees[&concentrations]), [a, b, b])
                }
                Node::Dispersed(..) | Node::Fanned(..) => unreachable!("series are elementary by now"),
            };
            let step = Step { operation, operands: operands.map(|id| self.places[&id]) };
            self.places.entry(id).or_insert(result(*count));
            *count += step.results();
            let Schedule { voxel, inner, .. } = &mut self.schedule;
            if is_inner { inner } else { voxel }.push(step);
        }
    }

    /// Assigns storage to the requested results. A result that is not computed per measurement is copied to a
    /// value per measurement.
    fn place_results(&mut self, roots: &[Id]) {
        let mut next: usize = self.schedule.inner.iter().map(Step::results).sum();
        for root in roots {
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

/// Returns the nodes that the nodes `roots` depend on, in order. A node is omitted if only values that were
/// computed earlier depend on it.
fn needed(of: &Elementary, roots: &[Id], there: &HashMap<Id, usize>) -> Vec<Id> {
    let nodes = of.program.nodes();
    let mut is_needed = vec![false; nodes.len()];
    for root in roots {
        is_needed[root.index()] = true;
    }
    for id in of.program.reachable(roots).into_iter().rev() {
        if is_needed[id.index()] && !there.contains_key(&id) {
            nodes[id.index()].operands().for_each(|operand| is_needed[operand.index()] = true);
        }
    }
    of.program.reachable(roots).into_iter().filter(|id| is_needed[id.index()]).collect()
}
