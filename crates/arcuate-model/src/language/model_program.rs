//! Translates models into programs (graphs of operations): the signal, constraints, derived maps, and how
//! each parameter gets its value.

use super::id::Id;
use super::lowering::{Lowering, Shape, Value};
use super::model::{Constraint, Form, Model, Start};
use super::node::{Binary, Input, Node, Unary};
use super::parser::Comparison;
use super::prior::Prior;
use super::program::Program;
use super::range::Range;
use super::unit::{Dimension, Unit};
use arcuate_core::{Result, narrow};

/// Quantities per measurement that gradient tables can provide. Each quantity has a name, a unit, a
/// description, and a smallest value.
pub const MEASURED: [(&str, &str, &str, f64); 5] = [
    ("b", "s/mm²", "diffusion weighting", 0.0),
    ("separation", "ms", "time Δ between the onsets of both gradient pulses", 0.0),
    ("duration", "ms", "time δ that a gradient pulse lasts", 0.0),
    ("echo_time", "ms", "echo time", 0.0),
    ("amplitude", "mT/m", "strength of the gradient pulses", 0.0),
];

/// Number of values per measurement that every program has: b, the three components of g, Δ, δ, echo time and
/// amplitude. The additional numbers per measurement that a model declares follow.
pub(crate) const OWN_COLUMNS: u16 = 8;

/// The role of a parameter: whether its value is fitted, known for all voxels, or known for each voxel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The parameter is fitted.
    Free,
    /// The parameter has one known value that is the same in all voxels.
    Setting,
    /// The parameter has a known value in each voxel (a map).
    Map,
}

/// A model as a program.
#[derive(Debug, Clone)]
pub struct ModelProgram {
    pub(crate) program: Program,
    /// The node of the program that computes the fitted signal. If measurements have different weights, the
    /// signal is multiplied by the [weight](Self::weigh) of its measurement.
    pub(crate) signal: Id,
    /// The node of the program that computes the signal, without the weight of the measurement.
    pub(crate) predicted: Id,
    /// For each parameter, its role and the index of its first component among all components of parameters
    /// with this role.
    pub(crate) places: Vec<(Role, usize)>,
    /// Number of components of all fitted parameters (`free_numbers`), and of all parameters given as maps
    /// (`map_numbers`).
    pub(crate) free_numbers: usize,
    pub(crate) map_numbers: usize,
    pub(crate) constraints: Vec<ConstraintValue>,
    /// True if the last nine known values of each voxel are the gradient deviation of the voxel.
    pub(crate) deviates: bool,
}

/// Number of values per voxel that describe the gradient deviation: a 3 × 3 matrix in column-major order.
pub(crate) const DEVIATIONS: usize = 9;

/// The slack of a constraint, which is the difference of its two sides. It must be 0 for an equality, and at
/// least 0 for an inequality.
#[derive(Debug, Clone)]
pub(crate) struct ConstraintValue {
    pub(crate) value: Id,
    pub(crate) is_equality: bool,
    /// True if the slack of the constraint is linear in the fitted values.
    pub(crate) is_linear: bool,
}

/// The program that computes the derived maps of a model. `values` has, for each map, the nodes of its
/// channels.
#[derive(Debug, Clone)]
pub(crate) struct OutputProgram {
    pub(crate) program: Program,
    pub(crate) values: Vec<Vec<Id>>,
}

/// The program that computes the energies (−ln density) of priors given as formulas, in base units.
/// `energies` has, for each of these priors, the index of its parameter and the node of its energy.
#[derive(Debug, Clone)]
pub(crate) struct EnergyProgram {
    pub(crate) program: Program,
    pub(crate) energies: Vec<(usize, Id)>,
    /// The energies that penalise violated constraints, in the order of the model.
    pub(crate) constraints: Vec<Id>,
}

impl ModelProgram {
    /// Returns the program (graph of operations) and the node of the signal.
    pub fn parts(self) -> (Program, Id) {
        (self.program, self.signal)
    }

    /// Multiplies the fitted signal by the weight of its measurement. `column` is the index of the weight
    /// among the numbers of a measurement. Measured signals are multiplied by the same weight.
    pub(crate) fn weigh(&mut self, column: u16) {
        let weight = self.program.input(Input::Measurement(column), Range::new(0.0, f64::INFINITY));
        self.signal = self.program.multiply(weight, self.predicted);
    }
}

impl Model {
    /// Returns the roles that the parameters have if the user does not override them.
    #[doc(hidden)]
    pub fn own_roles(&self) -> Vec<Role> {
        let role = |is_fixed| if is_fixed { Role::Setting } else { Role::Free };
        self.parameters.iter().map(|parameter| role(parameter.is_fixed)).collect()
    }

    /// Returns the model as a program (graph of operations), in which the parameters have these roles.
    #[doc(hidden)]
    pub fn program(&self, roles: &[Role]) -> Result<ModelProgram> {
        self.program_where(roles, false)
    }

    /// Does the same as [`program`](Self::program). If `deviates` is true, the program takes into account
    /// that gradients differ between voxels.
    pub(crate) fn program_where(&self, roles: &[Role], deviates: bool) -> Result<ModelProgram> {
        let mut lowering = Lowering::new(&self.source, &self.constraints);
        if deviates {
            let of_parameters = self.parameters.iter().zip(roles).filter(|(_, role)| **role == Role::Map);
            let numbers: usize = of_parameters.map(|(parameter, _)| parameter.numbers()).sum();
            lowering.deviating(numbers + self.maps.len());
        }
        lowering.measured(self, deviates);
        let (places, [free_numbers, _, map_numbers]) = lowering.parameters(self, roles);
        let signal = lowering.value(&self.signal)?;
        let place = self.signal.term().place;
        let Shape::Scalar(id) = signal.shape else {
            return Err(lowering.error(place, "the signal is a vector", "make a number of it"));
        };
        if signal.dimension != Dimension::SIGNAL {
            let problem = format!("the signal is {}", signal.dimension);
            let advice = "its unit must be `signal`, that of a parameter like s0";
            return Err(lowering.error(place, problem, advice));
        }
        lowering.check_used(self)?;
        let mut constraints = Vec::new();
        for constraint in &self.constraints {
            let value = lowering.slack(constraint)?;
            let is_equality = constraint.comparison == Comparison::Equal;
            let is_linear = is_linear(&lowering.program, value, free_numbers);
            constraints.push(ConstraintValue { value, is_equality, is_linear });
        }
        Ok(ModelProgram {
            program: lowering.program,
            signal: id,
            predicted: id,
            places,
            free_numbers,
            map_numbers: map_numbers + if deviates { DEVIATIONS } else { 0 },
            constraints,
            deviates,
        })
    }

    /// Returns what the model needs from the gradient table: `b`, `g`, the timing of the pulses, or a tensor
    /// fit to start from. If a series has no gradient table, such a model cannot be fitted. Returns `None` if
    /// the model needs no gradient table.
    pub fn weighting(&self) -> Result<Option<&'static str>> {
        if self.parameters.iter().any(|parameter| matches!(parameter.start, Start::Tensor(_))) {
            return Ok(Some("a tensor to start from"));
        }
        let ModelProgram { program, signal, .. } = self.program(&self.own_roles())?;
        let mut needed = None;
        for id in program.reachable(&[signal]) {
            let Node::Input(Input::Measurement(column @ 0..OWN_COLUMNS)) = program.node(id) else { continue };
            match column {
                0 => return Ok(Some("`b`")),
                1..=3 => needed = Some("`g`"),
                _ => needed = needed.or(Some("the timing of its pulses")),
            }
        }
        Ok(needed)
    }

    /// Returns a program that computes the energies (−ln density) of the priors given as formulas. If
    /// `constraints` is true, adds one energy per constraint. If a constraint is violated, its energy is so
    /// high ([`CONSTRAINT_ENERGY`]) that no chain accepts the parameter values.
    pub(crate) fn energy_program(&self, roles: &[Role], constraints: bool) -> Result<EnergyProgram> {
        let mut lowering = Lowering::new(&self.source, &self.constraints);
        lowering.parameters(self, roles);
        let mut energies = Vec::new();
        for (n, parameter) in self.parameters.iter().enumerate() {
            let Prior::Energy(energy) = &parameter.prior else { continue };
            let value = lowering.value(energy)?;
            match value.shape {
                Shape::Scalar(id) if value.dimension == Dimension::NUMBER => energies.push((n, id)),
                _ => {
                    let problem = format!("the energy of `{}` is not a number without unit", parameter.name);
                    let advice = "divide a value with a unit by a value of that unit, as in d / 1e-3 [mm²/s]";
                    return Err(lowering.error(energy.term().place, problem, advice));
                }
            }
        }
        let mut of_constraints = Vec::new();
        for constraint in self.constraints.iter().filter(|_| constraints) {
            let slack = lowering.slack(constraint)?;
            let program = &mut lowering.program;
            let (zero, energy) = (program.constant(0.0), program.constant(CONSTRAINT_ENERGY));
            let missed = program.subtract(zero, slack);
            let missed = program.binary(Binary::Maximum, missed, zero);
            of_constraints.push(program.multiply(energy, missed));
        }
        Ok(EnergyProgram { program: lowering.program, energies, constraints: of_constraints })
    }

    /// Returns a program that computes both sides of each constraint, and the nodes of the left and the right
    /// sides.
    pub(crate) fn constraint_program(&self, roles: &[Role]) -> Result<(Program, Vec<[Id; 2]>)> {
        let mut lowering = Lowering::new(&self.source, &self.constraints);
        lowering.parameters(self, roles);
        let sides = self.constraints.iter().map(|constraint| lowering.sides(constraint));
        let sides = sides.collect::<Result<Vec<_>>>()?;
        Ok((lowering.program, sides))
    }

    /// Returns the derived maps as a program.
    pub(crate) fn output_program(&self, roles: &[Role]) -> Result<OutputProgram> {
        let mut lowering = Lowering::new(&self.source, &self.constraints);
        lowering.parameters(self, roles);
        let mut values = Vec::new();
        for output in &self.outputs {
            let value = lowering.value(&output.value)?;
            if value.dimension != output.unit.dimension() {
                let problem = format!("`{}` is {}, not {}", output.name, value.dimension, output.unit);
                return Err(lowering.error(output.place, problem, "check its formula, or its unit"));
            }
            let factor = lowering.program.constant(output.unit.factor());
            let channels = match value.shape {
                Shape::Scalar(id) => vec![id],
                Shape::Vector(ids, _) => ids.to_vec(),
            };
            values.push(channels.into_iter().map(|id| lowering.program.divide(id, factor)).collect());
        }
        Ok(OutputProgram { program: lowering.program, values })
    }
}

/// Energy (−ln density) of a violated constraint, per unit of the violation (in µm, ms and T). Even if a
/// constraint is violated only by rounding, this energy exceeds any improvement of the signal.
const CONSTRAINT_ENERGY: f64 = 1e12;

/// Returns whether a value is a linear function of the fitted values: none of its derivatives depends on a
/// fitted value.
fn is_linear(program: &Program, value: Id, free_numbers: usize) -> bool {
    let mut graph = program.clone();
    let inputs: Vec<Input> = (0..narrow::<u16>(free_numbers)).map(Input::Parameter).collect();
    let gradient = graph.gradient(value, &inputs);
    let is_free = |id: &Id| matches!(graph.node(*id), Node::Input(Input::Parameter(_)));
    !graph.reachable(&gradient).iter().any(is_free)
}

impl Lowering<'_> {
    /// Returns the node of a constraint's slack: a value that must be 0 for an equality, and at least 0 for
    /// an inequality.
    pub(super) fn slack(&mut self, constraint: &Constraint) -> Result<Id> {
        let [a, b] = self.sides(constraint)?;
        let (a, b) = if constraint.comparison == Comparison::Less { (b, a) } else { (a, b) };
        Ok(self.program.subtract(a, b))
    }

    /// Returns the nodes of the left and the right side of a constraint.
    fn sides(&mut self, constraint: &Constraint) -> Result<[Id; 2]> {
        let [left, right] = [&constraint.left, &constraint.right].map(|side| self.value(side));
        let sides = [(left?, constraint.place), (right?, constraint.place)];
        self.common(&sides[0], &sides[1], constraint.place)?;
        let [(a, _), (b, _)] = [self.scalar(&sides[0], "=")?, self.scalar(&sides[1], "=")?];
        Ok([a, b])
    }

    /// Replaces the b-value and the gradient direction g by those of the voxel's true gradient (1 + L) g. The
    /// nine known values of the voxel that begin at the index `first` are the matrix L. The new direction is
    /// that of (1 + L) g, and b is multiplied by the square of the length of (1 + L) g.
    fn deviating(&mut self, first: usize) {
        let unit = Range::new(-1.0, 1.0);
        let program = &mut self.program;
        let b = program.input(Input::Measurement(0), Range::new(0.0, f64::INFINITY));
        let g = [0, 1, 2].map(|axis| program.input(Input::Measurement(1 + axis), unit));
        let mut turned = g;
        for (row, turned) in turned.iter_mut().enumerate() {
            for (column, component) in g.into_iter().enumerate() {
                let element = program.input(Input::Map(narrow::<u16>(first + 3 * column + row)), Range::ALL);
                let product = program.multiply(element, component);
                *turned = program.add(*turned, product);
            }
        }
        let squares = turned.map(|component| program.multiply(component, component));
        let sum = program.add(squares[0], squares[1]);
        let square = program.add(sum, squares[2]);
        // If the length of the new direction is 0, the direction is not normalised, because measurements at b
        // = 0 may have no direction.
        let least = program.constant(1e-12);
        let bounded = program.binary(Binary::Maximum, square, least);
        let length = program.unary(Unary::Root, bounded);
        let one = program.constant(1.0);
        let inverse = program.divide(one, length);
        let directions = turned.map(|component| program.multiply(component, inverse));
        for id in directions {
            program.narrow(id, unit);
        }
        let weighting = program.multiply(b, square);
        program.narrow(weighting, Range::new(0.0, f64::INFINITY));
        let b_unit = Unit::parse(MEASURED[0].1).unwrap_or_else(Unit::number);
        self.define("b", Value::scalar(weighting, b_unit.dimension()));
        self.define("g", Value { shape: Shape::Vector(directions, 1.0), dimension: Dimension::NUMBER });
    }

    /// Defines the names of quantities per measurement for formulas. The quantities of gradient tables come
    /// first, then those that the model declares.
    fn measured(&mut self, model: &Model, deviates: bool) {
        for (n, (name, unit, _, smallest)) in MEASURED.into_iter().enumerate() {
            if deviates && n == 0 {
                continue;
            }
            let column = if n == 0 { 0 } else { narrow::<u16>(n) + 3 };
            let unit = Unit::parse(unit).unwrap_or_else(Unit::number);
            self.define_input(name, Input::Measurement(column), &unit, Range::new(smallest, f64::INFINITY));
        }
        if !deviates {
            self.define_vector("g", |axis| Input::Measurement(1 + axis));
        }
        for (n, column) in model.measurements.iter().enumerate() {
            let input = Input::Measurement(OWN_COLUMNS + narrow::<u16>(n));
            self.define_input(&column.name, input, &column.unit, column.bounds);
        }
    }

    /// Defines the names of parameters and maps for formulas. Returns the role and index of each parameter,
    /// and the number of components for each role.
    fn parameters(&mut self, model: &Model, roles: &[Role]) -> (Vec<(Role, usize)>, [usize; 3]) {
        let mut counts = [0; 3];
        let mut places = Vec::new();
        for (parameter, &role) in model.parameters.iter().zip(roles) {
            let count = &mut counts[role as usize];
            places.push((role, *count));
            let first = narrow::<u16>(*count);
            *count += parameter.numbers();
            let input = |n: u16| match role {
                Role::Free => Input::Parameter(first + n),
                Role::Setting => Input::Setting(first + n),
                Role::Map => Input::Map(first + n),
            };
            match parameter.form {
                Form::Number { bounds, .. } => {
                    self.define_input(&parameter.name, input(0), &parameter.unit, bounds);
                }
                Form::Orientation { .. } => self.define_vector(&parameter.name, input),
            }
        }
        for map in &model.maps {
            let input = Input::Map(narrow::<u16>(counts[Role::Map as usize]));
            counts[Role::Map as usize] += 1;
            self.define_input(&map.name, input, &map.unit, map.bounds);
        }
        (places, counts)
    }

    /// Returns an error if the model declares a quantity that no formula uses.
    fn check_used(&self, model: &Model) -> Result<()> {
        let parameters = model.parameters.iter().map(|parameter| (&parameter.name, parameter.place));
        let known = model.measurements.iter().chain(&model.maps).map(|known| (&known.name, known.place));
        for (name, place) in parameters.chain(known) {
            if !self.is_used(name) {
                let problem = format!("`{name}` is not used in the signal");
                return Err(self.error(place, problem, "use it there, or remove it"));
            }
        }
        Ok(())
    }
}
