//! A signal model as it was written: its parameters, what it takes as known, and the formula of the signal.

use super::expression::Expression;
use super::parser::Comparison;
use super::prior::Prior;
use super::range::Range;
use super::source::{Place, Source};
use super::stage::Stage;
use super::unit::Unit;
use arcuate_core::{Error, statistics};

/// A signal model: read from a file ([`Model::parse`]) or made in Rust ([`SignalModel`](super::SignalModel)). It has been
/// checked: names are known, units fit, divisors cannot be 0, every parameter is used.
#[derive(Debug, Clone)]
pub struct Model {
    pub(super) source: Source,
    pub(super) name: String,
    pub(super) title: String,
    pub(super) about: String,
    pub(super) references: Vec<String>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) measurements: Vec<Known>,
    pub(super) maps: Vec<Known>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) signal: Expression,
    pub(super) outputs: Vec<Output>,
    pub(super) stages: Vec<Stage>,
    pub(super) alike: Vec<Vec<usize>>,
    pub(super) averages: bool,
    pub(super) other_names: OtherNames,
}

/// What a fit finds in every voxel, or takes as known.
#[derive(Debug, Clone)]
pub struct Parameter {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) unit: Unit,
    pub(super) form: Form,
    pub(super) start: Start,
    pub(super) is_fixed: bool,
    pub(super) prior: Prior,
    pub(super) other_names: OtherNames,
    pub(super) place: Place,
}

/// What kind of value a parameter is.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// A number.
    Number {
        /// Between which numbers it lies, in its unit.
        bounds: Range,
        /// Values that a search tries, in its unit.
        grid: Vec<f64>,
    },
    /// A unit vector in scanner axes whose sign means nothing.
    Orientation {
        /// How many orientations a search tries; 0 for none.
        grid: usize,
    },
}

/// Where a fit begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// At a number, in the parameter's unit.
    Number(f64),
    /// At the middle of what a search would try.
    Grid,
    /// At the voxel's mean signal without diffusion weighting.
    MeanB0,
    /// At a number made of the signals that a voxel has.
    Signals(OfSignals),
    /// At what the log-linear tensor fit finds.
    Tensor(TensorPart),
    /// At what another model's fit found.
    Model {
        /// The model.
        model: String,
        /// Its parameter.
        parameter: String,
    },
}

/// A number made of the signals of a voxel that are numbers, in the order of the series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OfSignals {
    /// The largest.
    Largest,
    /// The mean.
    Mean,
    /// The first.
    First,
    /// The last.
    Last,
    /// The one that this part of them, from 0 to 1, are not above; between two of them in proportion.
    Quantile(f64),
}

impl OfSignals {
    /// That of its name in a model file: `largest`, `mean`, `median`, `first`, `last` or `quantile(part)`.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "largest" => Self::Largest,
            "mean" => Self::Mean,
            "median" => Self::Quantile(0.5),
            "first" => Self::First,
            "last" => Self::Last,
            _ => {
                let part = text.strip_prefix("quantile(")?.strip_suffix(')')?.trim().parse().ok()?;
                return (0.0..=1.0).contains(&part).then_some(Self::Quantile(part));
            }
        })
    }

    /// Its value for some signals; nothing where none is a number.
    pub fn of(self, signals: impl Iterator<Item = f32>) -> Option<f64> {
        let mut signals: Vec<f64> = signals.filter(|signal| signal.is_finite()).map(f64::from).collect();
        let (&first, &last) = (signals.first()?, signals.last()?);
        Some(match self {
            Self::First => first,
            Self::Last => last,
            Self::Largest => signals.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Mean => signals.iter().sum::<f64>() / signals.len() as f64,
            Self::Quantile(part) => statistics::quantile(&mut signals, part)?,
        })
    }
}

/// What there is to take from a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorPart {
    /// The signal without diffusion weighting.
    S0,
    /// The mean of the eigenvalues.
    MeanDiffusivity,
    /// The largest eigenvalue.
    AxialDiffusivity,
    /// The mean of the other two.
    RadialDiffusivity,
    /// An eigenvector, that of the largest eigenvalue first.
    Eigenvector(usize),
    /// An element: xx, yy, zz, xy, xz, yz.
    Element(usize),
}

impl TensorPart {
    /// Every part and what it is called behind `tensor.`.
    pub const ALL: [(&'static str, Self); 13] = [
        ("s0", Self::S0),
        ("md", Self::MeanDiffusivity),
        ("ad", Self::AxialDiffusivity),
        ("rd", Self::RadialDiffusivity),
        ("v1", Self::Eigenvector(0)),
        ("v2", Self::Eigenvector(1)),
        ("v3", Self::Eigenvector(2)),
        ("dxx", Self::Element(0)),
        ("dyy", Self::Element(1)),
        ("dzz", Self::Element(2)),
        ("dxy", Self::Element(3)),
        ("dxz", Self::Element(4)),
        ("dyz", Self::Element(5)),
    ];
}

/// What other programs call a map.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OtherNames {
    /// The NODDI toolbox for MATLAB, and what follows it.
    pub mdt: Option<String>,
    /// AMICO.
    pub amico: Option<String>,
    /// The parameter in names of the brain imaging data structure.
    pub bids: Option<String>,
}

/// A number of every measurement or of every voxel that the user brings.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) unit: Unit,
    pub(super) bounds: Range,
    pub(super) place: Place,
}

/// What parameters must meet together.
#[derive(Debug, Clone)]
pub struct Constraint {
    pub(super) text: String,
    pub(super) left: Expression,
    pub(super) comparison: Comparison,
    pub(super) right: Expression,
    pub(super) place: Place,
}

/// A map made of what was fitted.
#[derive(Debug, Clone)]
pub struct Output {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) unit: Unit,
    pub(super) value: Expression,
    pub(super) other_names: OtherNames,
    pub(super) place: Place,
}

impl Model {
    /// What it is called on the command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is called in a sentence; its name where the file does not say.
    pub fn title(&self) -> &str {
        if self.title.is_empty() { &self.name } else { &self.title }
    }

    /// What it says of itself.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// What other programs call it.
    pub fn other_names(&self) -> &OtherNames {
        &self.other_names
    }

    /// Where it comes from.
    pub fn references(&self) -> &[String] {
        &self.references
    }

    /// Parameters in their order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The place of the parameter of a name.
    pub fn parameter_of(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// Numbers of every measurement that it needs beside the usual ones.
    pub fn measurements(&self) -> &[Known] {
        &self.measurements
    }

    /// Numbers of every voxel that it needs.
    pub fn maps(&self) -> &[Known] {
        &self.maps
    }

    /// What parameters must meet together.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Maps made of what was fitted.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// Its steps in their order.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Groups of parameters that could change places, such as fibre populations: a fit sorts them by their first one, the
    /// largest first. Parameters by their places.
    pub fn alike(&self) -> &[Vec<usize>] {
        &self.alike
    }

    /// Whether its signal is the mean over directions of each shell, which is to be
    /// [taken](crate::average_directions) before it is fitted.
    pub fn averages_directions(&self) -> bool {
        self.averages
    }

    /// An error about a parameter, with its place in the file.
    pub(crate) fn wrong(
        &self,
        parameter: usize,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Error {
        self.source.error(self.parameters[parameter].place, problem, advice)
    }

    /// The text that it was read from; empty for models made in Rust.
    pub fn text(&self) -> &str {
        &self.source.text
    }
}

impl Parameter {
    /// A number; it is 0 or more, and starts at 1, unless more is said.
    pub fn number(name: &str, unit: Unit) -> Self {
        let bounds = Range::new(0.0, f64::INFINITY);
        Self::new(name, unit, Form::Number { bounds, grid: Vec::new() }, Start::Number(1.0))
    }

    /// The signal without diffusion weighting: 0 or more, from the mean of what was measured.
    pub fn signal(name: &str) -> Self {
        Self { start: Start::MeanB0, ..Self::number(name, Unit::signal()) }
    }

    /// A part of the signal: between 0 and 1, from the middle.
    pub fn fraction(name: &str) -> Self {
        Self::number(name, Unit::number()).with_bounds(0.0, 1.0).with_start(Start::Number(0.5))
    }

    /// An orientation; from the tensor's first eigenvector.
    pub fn orientation(name: &str) -> Self {
        let start = Start::Tensor(TensorPart::Eigenvector(0));
        Self::new(name, Unit::number(), Form::Orientation { grid: 0 }, start)
    }

    fn new(name: &str, unit: Unit, form: Form, start: Start) -> Self {
        let (name, other_names) = (name.to_owned(), OtherNames::default());
        let (about, prior) = (String::new(), Prior::Uniform);
        Self { name, about, unit, form, start, is_fixed: false, prior, other_names, place: None }
    }

    /// With what it is, for people.
    #[must_use]
    pub fn with_about(self, about: &str) -> Self {
        Self { about: about.to_owned(), ..self }
    }

    /// Between these numbers; of an orientation nothing changes.
    #[must_use]
    pub fn with_bounds(mut self, low: f64, high: f64) -> Self {
        if let Form::Number { bounds, .. } = &mut self.form {
            *bounds = Range::new(low, high);
        }
        self
    }

    /// From here.
    #[must_use]
    pub fn with_start(self, start: Start) -> Self {
        Self { start, ..self }
    }

    /// With values that a search tries, from whose middle a fit without a search begins.
    #[must_use]
    pub fn with_grid(mut self, values: &[f64]) -> Self {
        if let Form::Number { grid, .. } = &mut self.form {
            *grid = values.to_vec();
            self.start = Start::Grid;
        }
        self
    }

    /// Known, unless the user wants it fitted: at the number where it starts.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self { is_fixed: true, ..self }
    }

    /// With what is known of it before anything is measured.
    #[must_use]
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { prior, ..self }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Its unit.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// What kind of value it is.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Where a fit begins.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Whether it is known unless the user wants it fitted.
    pub fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// What is known of it before anything is measured.
    pub fn prior(&self) -> &Prior {
        &self.prior
    }

    /// What other programs call it.
    pub fn other_names(&self) -> &OtherNames {
        &self.other_names
    }

    /// How many numbers it is.
    pub fn numbers(&self) -> usize {
        match self.form {
            Form::Number { .. } => 1,
            Form::Orientation { .. } => 3,
        }
    }

    /// The number where it starts, in its unit: that of a grid is the middle one. Nothing where it comes from the data.
    pub fn start_number(&self) -> Option<f64> {
        match (&self.start, &self.form) {
            (Start::Number(value), _) => Some(*value),
            (Start::Grid, Form::Number { grid, .. }) => grid.get(grid.len() / 2).copied(),
            _ => None,
        }
    }
}

impl Known {
    /// Any number, unless bounds are given.
    pub fn new(name: &str, unit: Unit) -> Self {
        Self { name: name.to_owned(), about: String::new(), unit, bounds: Range::ALL, place: None }
    }

    /// Between these.
    #[must_use]
    pub fn with_bounds(self, low: f64, high: f64) -> Self {
        Self { bounds: Range::new(low, high), ..self }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Its unit.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// Between which numbers it must lie, in its unit.
    pub fn bounds(&self) -> Range {
        self.bounds
    }
}

impl Constraint {
    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Output {
    /// A map.
    pub fn new(name: &str, unit: Unit, value: Expression) -> Self {
        let (about, other_names) = (String::new(), OtherNames::default());
        Self { name: name.to_owned(), about, unit, value, other_names, place: None }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Its unit.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// What other programs call it.
    pub fn other_names(&self) -> &OtherNames {
        &self.other_names
    }
}
