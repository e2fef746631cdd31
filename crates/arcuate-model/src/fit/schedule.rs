//! A program made ready to be computed in many voxels: what is the same for all of them is apart from what depends on the
//! voxel's parameters, and that from what must be computed for every measurement of every voxel.
//!
//! A schedule says what is computed, operation by operation, and not how: the interpreter of the processor follows it, and
//! kernels are written from it, so that both round alike.

use super::protocol::Protocol;
use crate::language::{
    Binary, Dispersed, Id, Input, Model, ModelProgram, Moments, Node, Program, Range, Role, Ternary, Unary,
};
use crate::special::legendre::scaled_recurrence;
use crate::special::watson::{LARGEST_CONCENTRATION, LARGEST_STICK, degree_for};
use arcuate_core::{Error, Result};
use std::collections::HashMap;
use std::fmt::{self, Write};

/// What a value is computed from: the order is that of inclusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Numbers known before a fit.
    Uniform,
    /// Those and the numbers of a measurement.
    Measurement,
    /// Those of the voxel, and no measurement's.
    Voxel,
    /// Everything.
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

/// Where an operand of a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// Among the numbers that are the same for all.
    Uniform(u16),
    /// Among those of a measurement.
    Column(u16),
    /// Among those of a voxel: inputs first, then results of steps.
    Voxel(u16),
    /// The result of an inner step.
    Inner(u16),
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Copy,
    Unary(Unary),
    Binary(Binary),
    Ternary(Ternary),
    /// So many coefficients of a family, of degree 0, 2, …
    Moments(Moments, u16),
}

/// A step with its operands; its results follow those of the step before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) operation: Operation,
    pub(crate) operands: [Operand; 3],
}

impl Step {
    /// How many results it has.
    pub(crate) fn results(&self) -> u16 {
        match self.operation {
            Operation::Moments(_, count) => count,
            _ => 1,
        }
    }

    /// Operands that count.
    pub(crate) fn operands(&self) -> &[Operand] {
        let count = match self.operation {
            Operation::Copy | Operation::Unary(_) | Operation::Moments(..) => 1,
            Operation::Binary(_) => 2,
            Operation::Ternary(_) => 3,
        };
        &self.operands[..count]
    }
}

/// What a voxel brings, each a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VoxelInput {
    Parameter(u16),
    Map(u16),
    Across { orientation: u16, vector: u8, axis: u8 },
}

/// See the module.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    /// The numbers that are the same for all, and whether each is so for whatever protocol and settings.
    pub(crate) uniforms: Vec<(f64, bool)>,
    /// Those of each measurement, measurement after measurement.
    pub(crate) columns: Vec<f64>,
    /// How many a measurement has.
    pub(crate) column_count: usize,
    /// What a voxel brings.
    pub(crate) inputs: Vec<VoxelInput>,
    /// What is computed once for each set of parameters.
    pub(crate) voxel: Vec<Step>,
    /// What is computed for each measurement.
    pub(crate) inner: Vec<Step>,
    /// The inner results that are asked for: the signal, then its derivatives by the unknowns, if these are wanted.
    pub(crate) results: Vec<u16>,
}

/// An unknown of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// The free number of this place.
    Number(u16),
    /// A turn of the orientation whose numbers begin at this place, towards one of two vectors across it.
    Turn { orientation: u16, first: u16, vector: u8 },
}

/// How far series go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SeriesLength {
    /// As far as it takes in single precision: to 1e-5 of the signal.
    Single,
    /// As far as it takes in double precision: to 1e-12.
    Double,
    /// To this degree.
    Degree(u16),
}

/// Series are no shorter, in single and in double precision, so that a few kernels serve most protocols.
pub(crate) const LEAST_DEGREES: [u16; 2] = [14, 34];

impl Schedule {
    /// The schedule of a model's signal on a protocol, and of its derivatives by these unknowns.
    ///
    /// `settings` are the numbers of the parameters of that role in base units.
    pub(crate) fn new(
        model: &ModelProgram,
        protocol: &Protocol,
        settings: &[f64],
        unknowns: &[Unknown],
        length: SeriesLength,
    ) -> Result<Self> {
        let mut program = model.program.clone();
        let roots = roots(&mut program, model, unknowns);
        let lowered = Lowered::new(&program, protocol, settings, &roots, length)?;
        Ok(lowered.fused().scheduled(protocol, settings))
    }

    /// The schedule in words, without the numbers of a protocol: two that read alike compute alike.
    pub(crate) fn text(&self) -> String {
        self.to_string()
    }

    /// A number that tells texts apart (Fowler, Noll and Vo's hash).
    pub(crate) fn fingerprint(&self) -> u64 {
        self.text().bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// How many numbers of a voxel there are: inputs and results.
    pub(crate) fn voxel_values(&self) -> usize {
        self.inputs.len() + self.voxel.iter().map(|step| usize::from(step.results())).sum::<usize>()
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for (value, is_constant) in &self.uniforms {
            if *is_constant {
                writeln!(text, "uniform {value:?}")?;
            } else {
                writeln!(text, "uniform of settings")?;
            }
        }
        writeln!(text, "{} columns", self.column_count)?;
        writeln!(text, "inputs {:?}", self.inputs)?;
        for (name, steps) in [("voxel", &self.voxel), ("inner", &self.inner)] {
            for step in steps {
                writeln!(text, "{name} {:?} {:?}", step.operation, step.operands())?;
            }
        }
        writeln!(text, "results {:?}", self.results)?;
        f.write_str(&text)
    }
}

/// The signal and its derivatives.
fn roots(program: &mut Program, model: &ModelProgram, unknowns: &[Unknown]) -> Vec<Id> {
    let inputs: Vec<Input> = (0..model.free_numbers as u16).map(Input::Parameter).collect();
    let mut roots = vec![model.signal];
    if unknowns.is_empty() {
        return roots;
    }
    let gradient = program.gradient(model.signal, &inputs);
    for unknown in unknowns {
        roots.push(match *unknown {
            Unknown::Number(n) => gradient[usize::from(n)],
            Unknown::Turn { orientation, first, vector } => {
                let mut sum = program.constant(0.0);
                for axis in 0..3u8 {
                    let across = program.make(Node::Input(Input::Across { orientation, vector, axis }));
                    let share = program.multiply(gradient[usize::from(first) + usize::from(axis)], across);
                    sum = program.add(sum, share);
                }
                sum
            }
        });
    }
    roots
}

/// A program in elementary operations.
struct Lowered {
    program: Program,
    levels: Vec<Level>,
    roots: Vec<Id>,
}

impl Lowered {
    fn new(
        of: &Program,
        protocol: &Protocol,
        settings: &[f64],
        roots: &[Id],
        length: SeriesLength,
    ) -> Result<Self> {
        let degrees = Degrees::new(of, protocol, settings, length);
        let mut lowered = Self { program: Program::default(), levels: Vec::new(), roots: Vec::new() };
        let mut places: HashMap<Id, Id> = HashMap::new();
        for id in of.reachable(roots) {
            let node = of.node(id);
            let place = |id: Id| places[&id];
            let made = match node {
                Node::Constant(bits) => lowered.program.constant(f64::from_bits(bits)),
                Node::Input(_) => lowered.program.make(node),
                Node::Unary(function, x) => lowered.program.unary(function, place(x)),
                Node::Binary(Binary::Divide, a, b) => lowered.quotient(place(a), place(b)),
                Node::Binary(function, a, b) => lowered.program.binary(function, place(a), place(b)),
                Node::Ternary(Ternary::Choose, [flag, b, c]) => {
                    lowered.program.choose(place(flag), place(b), place(c))
                }
                Node::Moment(Moments::Stick, _, x) => {
                    degrees.check_stick(x)?;
                    lowered.program.make(node.of(place))
                }
                Node::Ternary(..) | Node::Moment(..) => lowered.program.make(node.of(place)),
                Node::Dispersed(part, operands) => {
                    let degree = degrees.of(operands)?;
                    lowered.series(part, operands.map(place), degree)
                }
            };
            lowered.update_levels();
            places.insert(id, made);
        }
        lowered.roots = roots.iter().map(|root| places[root]).collect();
        Ok(lowered)
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

    /// a / b; what is divided in every measurement by what is not of the measurement is multiplied with its inverse.
    fn quotient(&mut self, a: Id, b: Id) -> Id {
        if self.level(b).is_below(self.level(a)) && self.level(a) == Level::Inner {
            let one = self.program.constant(1.0);
            let inverse = self.program.divide(one, b);
            return self.program.multiply(a, inverse);
        }
        self.program.divide(a, b)
    }

    /// Σ C_l(x) w_l(κ) P_l(t) over even degrees, or a derivative, by the recurrence of scaled polynomials.
    fn series(&mut self, part: Dispersed, [x, concentration, cosine]: [Id; 3], degree: u16) -> Id {
        let program = &mut self.program;
        let count = usize::from(degree) / 2 + 1;
        let recurrence = scaled_recurrence(count);
        let square = program.multiply(cosine, cosine);
        // Of each degree the polynomial, and its derivative by t².
        let mut values = vec![program.constant(1.0)];
        let mut slopes = vec![program.constant(0.0)];
        for n in 0..count - 1 {
            let [_, a, b] = recurrence[n];
            let [a, b] = [a, -b].map(|value| program.constant(value));
            let factor = program.make(Node::Ternary(Ternary::Fma, [square, a, b]));
            let next = match n {
                0 => factor,
                n => program.make(Node::Ternary(Ternary::Fms, [factor, values[n], values[n - 1]])),
            };
            if part == Dispersed::ByCosine {
                let slope = match n {
                    0 => a,
                    1 => {
                        let product = program.multiply(factor, slopes[1]);
                        program.make(Node::Ternary(Ternary::Fma, [a, values[1], product]))
                    }
                    n => {
                        let rest =
                            program.make(Node::Ternary(Ternary::Fms, [factor, slopes[n], slopes[n - 1]]));
                        program.make(Node::Ternary(Ternary::Fma, [a, values[n], rest]))
                    }
                };
                slopes.push(slope);
            }
            values.push(next);
        }
        let mut sum = None;
        for (n, [scale, ..]) in recurrence.into_iter().enumerate() {
            let degree = 2 * n as u16;
            let scale = program.constant(scale);
            let of_stick = if part == Dispersed::ByX {
                program.moment_slope(Moments::Stick, degree, x)
            } else {
                program.make(Node::Moment(Moments::Stick, degree, x))
            };
            let stick = program.multiply(scale, of_stick);
            let watson = match (part, degree) {
                (Dispersed::ByConcentration, 0) => program.constant(0.0),
                (Dispersed::ByConcentration, _) => {
                    program.moment_slope(Moments::Watson, degree, concentration)
                }
                (_, 0) => program.constant(1.0),
                _ => program.make(Node::Moment(Moments::Watson, degree, concentration)),
            };
            let (first, second) = if part == Dispersed::ByCosine {
                (program.multiply(stick, watson), slopes[n])
            } else {
                (program.multiply(stick, values[n]), watson)
            };
            sum = Some(match sum {
                None => program.multiply(first, second),
                Some(_) if program.constant_of(second) == Some(0.0) => sum.unwrap_or(first),
                Some(sum) if program.constant_of(sum) == Some(0.0) => program.multiply(first, second),
                Some(sum) => program.make(Node::Ternary(Ternary::Fma, [first, second, sum])),
            });
        }
        let sum = sum.unwrap_or(x);
        if part == Dispersed::ByCosine {
            let two = program.constant(2.0);
            let twice = program.multiply(two, cosine);
            return program.multiply(sum, twice);
        }
        sum
    }

    /// The same with products joined to the sums that alone use them.
    fn fused(self) -> Self {
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
        let mut fused = Self { program: Program::default(), levels: Vec::new(), roots: Vec::new() };
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
        fused.roots = roots.iter().map(|root| places[root]).collect();
        fused.update_levels();
        fused
    }

    /// The steps, and the numbers of the protocol.
    fn scheduled(self, protocol: &Protocol, settings: &[f64]) -> Schedule {
        let Self { program, levels, roots } = &self;
        let needed = program.reachable(roots);
        let level = |id: Id| levels[id.index()];
        // What is needed of a level by those above it.
        let mut wanted = vec![false; program.nodes().len()];
        for &id in needed.iter().filter(|id| matches!(level(**id), Level::Voxel | Level::Inner)) {
            for operand in program.node(id).operands() {
                wanted[operand.index()] |= matches!(level(operand), Level::Uniform | Level::Measurement);
            }
        }
        for root in roots {
            wanted[root.index()] |= level(*root) != Level::Inner;
        }
        let of_level = |wanted_level: Level| {
            needed
                .iter()
                .copied()
                .filter(|id| wanted[id.index()] && level(*id) == wanted_level)
                .collect::<Vec<Id>>()
        };
        let (uniform_ids, column_ids) = (of_level(Level::Uniform), of_level(Level::Measurement));
        let mut places: HashMap<Id, Operand> = HashMap::new();
        places.extend(uniform_ids.iter().enumerate().map(|(n, id)| (*id, Operand::Uniform(n as u16))));
        places.extend(column_ids.iter().enumerate().map(|(n, id)| (*id, Operand::Column(n as u16))));
        let at = |measurement: usize| {
            program.evaluate(|input| match input {
                Input::Setting(n) => settings[usize::from(n)],
                Input::Measurement(n) => protocol.value(measurement, n),
                _ => f64::NAN,
            })
        };
        let mut columns = Vec::with_capacity(protocol.len() * column_ids.len());
        for measurement in 0..protocol.len() {
            let values = at(measurement);
            columns.extend(column_ids.iter().map(|id| values[id.index()]));
        }
        let values = at(0);
        let uniform = |id: &Id| (values[id.index()], program.constant_of(*id).is_some());
        let uniforms = uniform_ids.iter().map(uniform).collect();
        let mut schedule = Schedule {
            uniforms,
            column_count: column_ids.len(),
            columns,
            inputs: Vec::new(),
            voxel: Vec::new(),
            inner: Vec::new(),
            results: Vec::new(),
        };
        for &id in &needed {
            let input = match program.node(id) {
                Node::Input(Input::Parameter(n)) => VoxelInput::Parameter(n),
                Node::Input(Input::Map(n)) => VoxelInput::Map(n),
                Node::Input(Input::Across { orientation, vector, axis }) => {
                    VoxelInput::Across { orientation, vector, axis }
                }
                _ => continue,
            };
            places.insert(id, Operand::Voxel(schedule.inputs.len() as u16));
            schedule.inputs.push(input);
        }
        // Inputs come before all results.
        let mut next = [schedule.inputs.len() as u16, 0];
        let mut terms = HashMap::new();
        for &id in &needed {
            if let Node::Moment(family, degree, x) = program.node(id) {
                let most: &mut u16 = terms.entry((family, x)).or_insert(0);
                *most = (*most).max(degree / 2 + 1);
            }
        }
        let mut done: HashMap<(Moments, Id), u16> = HashMap::new();
        for &id in &needed {
            let is_inner = match level(id) {
                Level::Voxel => false,
                Level::Inner => true,
                _ => continue,
            };
            let (operation, operands) = match program.node(id) {
                Node::Constant(_) | Node::Input(_) => continue,
                Node::Unary(function, x) => (Operation::Unary(function), [x; 3]),
                Node::Binary(function, a, b) => (Operation::Binary(function), [a, b, b]),
                Node::Ternary(function, all) => (Operation::Ternary(function), all),
                Node::Moment(family, degree, x) => {
                    let place = |first: u16| {
                        let place = first + degree / 2;
                        if is_inner { Operand::Inner(place) } else { Operand::Voxel(place) }
                    };
                    if let Some(&first) = done.get(&(family, x)) {
                        places.insert(id, place(first));
                        continue;
                    }
                    let first = next[usize::from(is_inner)];
                    done.insert((family, x), first);
                    places.insert(id, place(first));
                    (Operation::Moments(family, terms[&(family, x)]), [x; 3])
                }
                Node::Dispersed(..) => unreachable!("series are elementary by now"),
            };
            let step = Step { operation, operands: operands.map(|id| places[&id]) };
            let count = &mut next[usize::from(is_inner)];
            let place = if is_inner { Operand::Inner(*count) } else { Operand::Voxel(*count) };
            places.entry(id).or_insert(place);
            *count += step.results();
            if is_inner { &mut schedule.inner } else { &mut schedule.voxel }.push(step);
        }
        for root in roots {
            let place = match places[root] {
                Operand::Inner(place) => place,
                other => {
                    schedule.inner.push(Step { operation: Operation::Copy, operands: [other; 3] });
                    next[1] += 1;
                    next[1] - 1
                }
            };
            schedule.results.push(place);
        }
        schedule
    }
}

fn beyond_series(x: f64) -> Error {
    let problem =
        format!("b times the diffusivity of sticks reaches {x:.1}; its series goes to {LARGEST_STICK}");
    let advice = "leave out the strongest shell with --max-b, or give the diffusivity a smaller upper bound";
    Error::invalid("gradient table", problem, advice)
}

/// To which degrees series go.
struct Degrees {
    ranges: Vec<Range>,
    length: SeriesLength,
}

impl Degrees {
    fn new(program: &Program, protocol: &Protocol, settings: &[f64], length: SeriesLength) -> Self {
        let ranges = program.ranges(|input| match input {
            Input::Setting(n) => Some(Range::new(settings[usize::from(n)], settings[usize::from(n)])),
            Input::Measurement(n) => Some(protocol.range(n)),
            _ => None,
        });
        Self { ranges, length }
    }

    fn of(&self, [x, concentration, _]: [Id; 3]) -> Result<u16> {
        let (tolerance, least) = match self.length {
            SeriesLength::Single => (1e-5, LEAST_DEGREES[0]),
            SeriesLength::Double => (1e-12, LEAST_DEGREES[1]),
            SeriesLength::Degree(degree) => return Ok(degree),
        };
        let (x, concentration) = (self.ranges[x.index()].high, self.ranges[concentration.index()].high);
        let degree = degree_for(x, concentration.min(LARGEST_CONCENTRATION), tolerance);
        degree.map(|degree| degree.max(least)).ok_or_else(|| beyond_series(x))
    }

    /// Fails where sticks in all directions leave the range of their series.
    fn check_stick(&self, x: Id) -> Result<()> {
        let largest = self.ranges[x.index()].high;
        let is_known = !matches!(self.length, SeriesLength::Degree(_));
        if is_known && largest > LARGEST_STICK { Err(beyond_series(largest)) } else { Ok(()) }
    }
}

impl Unknown {
    /// The number that it is, or the first of the orientation that it turns.
    pub(crate) fn place(self) -> u16 {
        match self {
            Self::Number(place) | Self::Turn { first: place, .. } => place,
        }
    }
}

impl ModelProgram {
    /// The unknowns of a fit of these parameters, in their order.
    pub(crate) fn unknowns(&self, model: &Model, parameters: &[usize]) -> Vec<Unknown> {
        let mut unknowns = Vec::new();
        let mut orientation = 0;
        for (n, parameter) in model.parameters().iter().enumerate() {
            let (role, first) = self.places[n];
            if role != Role::Free {
                continue;
            }
            let (first, is_wanted) = (first as u16, parameters.contains(&n));
            if parameter.numbers() == 1 {
                unknowns.extend(is_wanted.then_some(Unknown::Number(first)));
            } else {
                if is_wanted {
                    unknowns.extend([0, 1].map(|vector| Unknown::Turn { orientation, first, vector }));
                }
                orientation += 1;
            }
        }
        unknowns
    }
}
