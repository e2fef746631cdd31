//! Prints the operations of a model's signal formula as readable text. The values are grouped by how often
//! they are computed: once, per measurement, per voxel, or per measurement and voxel.

use super::id::Id;
use super::model::{Form, Model};
use super::model_program::{MEASURED, ModelProgram, OWN_COLUMNS, Role};
use super::node::{Binary, Dispersed, Fanned, Input, Moments, Node, Ternary, Unary};
use super::program::Program;
use arcuate_core::{Result, narrow};
use std::collections::HashMap;
use std::fmt::Write;

/// Headings of the groups of values in a listing. Values under the first heading depend on constants only.
/// Values under the second heading depend on the measurement, under the third on the voxel, and under the
/// fourth on both.
const LEVELS: [&str; 4] = ["once", "per measurement", "per voxel", "per voxel and measurement"];
/// Operator precedence of the text of a value. The text is a sum, a product, or an atom that needs no
/// brackets.
const SUM: u8 = 0;
const PRODUCT: u8 = 1;
const ALONE: u8 = 2;

impl Model {
    /// Returns the operations that compute the model's signal, as text. A value has a line of its own if it
    /// is used twice, or if it need not be recomputed for every measurement or voxel. The headings are
    /// `once`, `per measurement`, `per voxel` and `per voxel and measurement`, with the number of operations.
    /// Numbers are in µm, ms and T.
    ///
    /// # Errors
    /// Returns an error if the model is not valid. A model that was checked gives no error.
    pub fn listing(&self) -> Result<String> {
        let lowered = self.program(&self.own_roles())?;
        let inputs = self.input_names(&lowered);
        let listing = Listing::new(&lowered.program, lowered.signal, inputs);
        Ok(listing.text())
    }

    /// Returns the names of the program's inputs.
    fn input_names(&self, lowered: &ModelProgram) -> HashMap<Input, String> {
        let mut names = HashMap::new();
        let axes = ["x", "y", "z"];
        for (n, (name, ..)) in MEASURED.iter().enumerate() {
            let column = if n == 0 { 0 } else { narrow::<u16>(n) + 3 };
            names.insert(Input::Measurement(column), (*name).to_owned());
        }
        for (axis, of) in axes.iter().enumerate() {
            names.insert(Input::Measurement(1 + narrow::<u16>(axis)), format!("g.{of}"));
        }
        for (n, known) in self.measurements.iter().enumerate() {
            names.insert(Input::Measurement(OWN_COLUMNS + narrow::<u16>(n)), known.name.clone());
        }
        for (parameter, (role, first)) in self.parameters.iter().zip(&lowered.places) {
            let input = |n: usize| match role {
                Role::Free => Input::Parameter(narrow::<u16>(first + n)),
                Role::Setting => Input::Setting(narrow::<u16>(first + n)),
                Role::Map => Input::Map(narrow::<u16>(first + n)),
            };
            match parameter.form {
                Form::Number { .. } => {
                    names.insert(input(0), parameter.name.clone());
                }
                Form::Orientation { .. } => {
                    for (n, axis) in axes.iter().enumerate() {
                        names.insert(input(n), format!("{}.{axis}", parameter.name));
                    }
                }
            }
        }
        // If the user overrides no parameter, no parameter has the role `Map`. The maps of the model
        // therefore have the first indices.
        for (n, map) in self.maps.iter().enumerate() {
            names.insert(Input::Map(narrow::<u16>(n)), map.name.clone());
        }
        names
    }
}

struct Listing<'a> {
    program: &'a Program,
    signal: Id,
    needed: Vec<Id>,
    levels: HashMap<Id, usize>,
    names: HashMap<Id, String>,
    inputs: HashMap<Input, String>,
}

impl<'a> Listing<'a> {
    fn new(program: &'a Program, signal: Id, inputs: HashMap<Input, String>) -> Self {
        let needed = program.reachable(&[signal]);
        let mut levels: HashMap<Id, usize> = HashMap::new();
        for &id in &needed {
            let level = match program.node(id) {
                Node::Constant(_) | Node::Input(Input::Setting(_)) => 0,
                Node::Input(Input::Measurement(_)) => 1,
                Node::Input(_) => 2,
                node => node.operands().fold(0, |level, operand| level | levels[&operand]),
            };
            levels.insert(id, level);
        }
        let mut listing = Self { program, signal, needed, levels, names: HashMap::new(), inputs };
        listing.name_values();
        listing
    }

    fn is_leaf(&self, id: Id) -> bool {
        matches!(self.program.node(id), Node::Constant(_) | Node::Input(_))
    }

    /// Gives names to values that are used twice, and to values that a value of another group uses.
    fn name_values(&mut self) {
        let mut uses: HashMap<Id, usize> = HashMap::new();
        let mut leaves: Vec<Id> = Vec::new();
        for &id in &self.needed {
            for operand in self.program.node(id).operands() {
                *uses.entry(operand).or_default() += 1;
                if self.levels[&operand] != self.levels[&id] {
                    leaves.push(operand);
                }
            }
        }
        let mut count = 0;
        let mut in_order = self.needed.clone();
        in_order.sort_by_key(|id| self.levels[id]);
        for id in in_order {
            let is_named = uses.get(&id).is_some_and(|uses| *uses > 1) || leaves.contains(&id);
            if is_named && !self.is_leaf(id) {
                count += 1;
                self.names.insert(id, format!("v{count}"));
            }
        }
        self.names.insert(self.signal, "signal".to_owned());
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (level, heading) in LEVELS.iter().enumerate() {
            let of_level = |id: &&Id| self.levels[id] == level && !self.is_leaf(**id);
            let operations = self.needed.iter().filter(of_level).count();
            let named: Vec<Id> = self
                .needed
                .iter()
                .copied()
                .filter(|id| self.levels[id] == level && self.names.contains_key(id))
                .collect();
            if named.is_empty() {
                continue;
            }
            let s = if operations == 1 { "" } else { "s" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{heading} ({operations} operation{s})");
            for id in named {
                let _ = writeln!(text, "  {} = {}", self.names[&id], self.expression(id).0);
            }
        }
        text
    }

    /// Returns the text of a value that is an operand of another value, and its precedence.
    fn operand(&self, id: Id) -> (String, u8) {
        match self.names.get(&id) {
            Some(name) => (name.clone(), ALONE),
            None => self.expression(id),
        }
    }

    /// Does the same as `operand`, but adds brackets if the precedence of the text is lower than `least`.
    fn bound(&self, id: Id, least: u8) -> String {
        let (text, binds) = self.operand(id);
        if binds < least { format!("({text})") } else { text }
    }

    fn call(&self, name: &str, operands: &[Id]) -> (String, u8) {
        let operands: Vec<String> = operands.iter().map(|id| self.operand(*id).0).collect();
        (format!("{name}({})", operands.join(", ")), ALONE)
    }

    /// Returns the text of a value as a formula of its operands, and its precedence.
    fn expression(&self, id: Id) -> (String, u8) {
        match self.program.node(id) {
            Node::Constant(bits) => {
                let value = f64::from_bits(bits);
                (value.to_string(), if value < 0.0 { SUM } else { ALONE })
            }
            Node::Input(input) => (self.inputs.get(&input).cloned().unwrap_or_default(), ALONE),
            Node::Unary(Unary::Negative, x) => (format!("-{}", self.bound(x, ALONE)), SUM),
            Node::Unary(function, x) => self.call(function.name(), &[x]),
            Node::Binary(function, a, b) => match function {
                Binary::Add => (format!("{} + {}", self.bound(a, SUM), self.bound(b, PRODUCT)), SUM),
                Binary::Subtract => (format!("{} - {}", self.bound(a, SUM), self.bound(b, PRODUCT)), SUM),
                Binary::Multiply => {
                    (format!("{} * {}", self.bound(a, PRODUCT), self.bound(b, ALONE)), PRODUCT)
                }
                Binary::Divide => (format!("{} / {}", self.bound(a, PRODUCT), self.bound(b, ALONE)), PRODUCT),
                Binary::Less => (format!("{} < {}", self.bound(a, SUM), self.bound(b, SUM)), SUM),
                function => self.call(function.name(), &[a, b]),
            },
            Node::Ternary(Ternary::Choose, operands) => self.call("where", &operands),
            Node::Ternary(Ternary::Fma, operands) => self.call("fma", &operands),
            Node::Ternary(Ternary::Fms, operands) => self.call("fms", &operands),
            Node::Ternary(Ternary::Fnma, operands) => self.call("fnma", &operands),
            Node::Moment(family, degree, x) => {
                let name = match family {
                    Moments::Watson => "watson_moment",
                    Moments::Stick => "stick_moment",
                };
                (format!("{name}({degree}, {})", self.operand(x).0), ALONE)
            }
            Node::Harmonic { degree, order, concentrations: [first, second] } => {
                let [first, second] = [first, second].map(|id| self.operand(id).0);
                (format!("bingham_coefficient({degree}, {order}, {first}, {second})"), ALONE)
            }
            Node::Fanned(part, operands) => {
                let name = match part {
                    Fanned::Value => "bingham_stick",
                    Fanned::ByX => "bingham_stick_by_x",
                    Fanned::ByFirst => "bingham_stick_by_kappa1",
                    Fanned::BySecond => "bingham_stick_by_kappa2",
                    Fanned::ByCosine => "bingham_stick_by_cosine",
                    Fanned::ByFanCosine => "bingham_stick_by_fan_cosine",
                };
                self.call(name, &operands)
            }
            Node::Dispersed(part, operands) => {
                let name = match part {
                    Dispersed::Value => "watson_stick",
                    Dispersed::ByX => "watson_stick_by_x",
                    Dispersed::ByConcentration => "watson_stick_by_kappa",
                    Dispersed::ByCosine => "watson_stick_by_cosine",
                };
                self.call(name, &operands)
            }
        }
    }
}
