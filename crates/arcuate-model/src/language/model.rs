//! A signal model as written: its parameters, its known quantities, and the formula of the signal.

use super::expression::Expression;
use super::parser::Comparison;
use super::prior::Prior;
use super::range::Range;
use super::source::{Place, Source};
use super::stage::Stage;
use super::unit::Unit;
use arcuate_core::{Error, statistics};

/// A signal model, read from a file ([`Model::parse`]) or built in Rust ([`SignalModel`](super::SignalModel)). The
/// model has been checked: names are known, units agree, divisors cannot be 0, and every parameter is used.
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

/// A quantity that a fit estimates in every voxel, or takes as known.
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

/// The kind of a parameter's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// A number.
    Number {
        /// Bounds, in the parameter's unit.
        bounds: Range,
        /// Values that a grid search evaluates, in the parameter's unit.
        grid: Vec<f64>,
    },
    /// A unit vector in scanner axes. Its sign has no meaning.
    Orientation {
        /// Number of orientations that a grid search evaluates; 0 for none.
        grid: usize,
    },
}

/// The starting value of a fit.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// A number in the parameter's unit.
    Number(f64),
    /// The middle of the search grid.
    Grid,
    /// The mean signal of the voxel without diffusion weighting.
    MeanB0,
    /// A statistic of the voxel's signals.
    Signals(SignalStatistic),
    /// A value of the log-linear tensor fit.
    Tensor(TensorPart),
    /// A parameter estimated by another model's fit.
    Model {
        /// The model.
        model: String,
        /// Its parameter.
        parameter: String,
    },
}

/// A statistic of a voxel's finite signals, in the order of the series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SignalStatistic {
    /// The largest.
    Largest,
    /// The mean.
    Mean,
    /// The first.
    First,
    /// The last.
    Last,
    /// The quantile at this fraction, from 0 to 1, with linear interpolation.
    Quantile(f64),
}

impl SignalStatistic {
    /// Parses a name from a model file: `largest`, `mean`, `median`, `first`, `last` or `quantile(part)`.
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

    /// Returns the value for these signals, or `None` if no signal is finite.
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

/// A quantity of a diffusion tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorPart {
    /// The signal without diffusion weighting.
    S0,
    /// The mean of the eigenvalues.
    MeanDiffusivity,
    /// The largest eigenvalue.
    AxialDiffusivity,
    /// The mean of the two smaller eigenvalues.
    RadialDiffusivity,
    /// An eigenvector. Eigenvector 0 belongs to the largest eigenvalue.
    Eigenvector(usize),
    /// An element: xx, yy, zz, xy, xz, yz.
    Element(usize),
}

impl TensorPart {
    /// Every quantity with its name after `tensor.`.
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

/// The names of a map in other programs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OtherNames {
    /// The NODDI toolbox for MATLAB, and programs that use its names.
    pub mdt: Option<String>,
    /// AMICO.
    pub amico: Option<String>,
    /// The parameter in file names of the Brain Imaging Data Structure (BIDS).
    pub bids: Option<String>,
}

/// A number per measurement or per voxel that the user provides.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) unit: Unit,
    pub(super) bounds: Range,
    pub(super) place: Place,
}

/// A relation between parameters that must hold.
#[derive(Debug, Clone)]
pub struct Constraint {
    pub(super) text: String,
    pub(super) left: Expression,
    pub(super) comparison: Comparison,
    pub(super) right: Expression,
    pub(super) place: Place,
}

/// A map computed from fitted parameters.
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
    /// Returns the model's name on the command line.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the model's title, or its name if the file has no title.
    pub fn title(&self) -> &str {
        if self.title.is_empty() { &self.name } else { &self.title }
    }

    /// Returns the model's description.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the model's names in other programs.
    pub fn other_names(&self) -> &OtherNames {
        &self.other_names
    }

    /// Returns the publications of the model.
    pub fn references(&self) -> &[String] {
        &self.references
    }

    /// Returns the parameters in their order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Returns the index of the parameter with this name.
    pub fn parameter_of(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// Returns the additional numbers per measurement that the model needs.
    pub fn measurements(&self) -> &[Known] {
        &self.measurements
    }

    /// Returns the numbers per voxel that the model needs.
    pub fn maps(&self) -> &[Known] {
        &self.maps
    }

    /// Returns the constraints on the parameters.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Returns the maps that are computed from fitted parameters.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// Returns the stages of the fit in their order.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Returns groups of interchangeable parameters, such as fibre populations, as parameter indices. A fit sorts each
    /// group by its first parameter, largest first.
    pub fn alike(&self) -> &[Vec<usize>] {
        &self.alike
    }

    /// Returns whether the signal is the mean over the directions of each shell. The data must be
    /// [averaged](crate::average_directions) before the fit.
    pub fn averages_directions(&self) -> bool {
        self.averages
    }

    /// Returns an error about a parameter, with its position in the file.
    pub(crate) fn wrong(
        &self,
        parameter: usize,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Error {
        self.source.error(self.parameters[parameter].place, problem, advice)
    }

    /// Returns the text that the model was read from; empty for models built in Rust.
    pub fn text(&self) -> &str {
        &self.source.text
    }
}

impl Parameter {
    /// Creates a number. By default its lower bound is 0 and it starts at 1.
    pub fn number(name: &str, unit: Unit) -> Self {
        let bounds = Range::new(0.0, f64::INFINITY);
        Self::new(name, unit, Form::Number { bounds, grid: Vec::new() }, Start::Number(1.0))
    }

    /// Creates a signal without diffusion weighting: at least 0, starting at the voxel's mean signal at b = 0.
    pub fn signal(name: &str) -> Self {
        Self { start: Start::MeanB0, ..Self::number(name, Unit::signal()) }
    }

    /// Creates a signal fraction: between 0 and 1, starting in the middle.
    pub fn fraction(name: &str) -> Self {
        Self::number(name, Unit::number()).with_bounds(0.0, 1.0).with_start(Start::Number(0.5))
    }

    /// Creates an orientation that starts at the tensor's first eigenvector.
    pub fn orientation(name: &str) -> Self {
        let start = Start::Tensor(TensorPart::Eigenvector(0));
        Self::new(name, Unit::number(), Form::Orientation { grid: 0 }, start)
    }

    fn new(name: &str, unit: Unit, form: Form, start: Start) -> Self {
        let (name, other_names) = (name.to_owned(), OtherNames::default());
        let (about, prior) = (String::new(), Prior::Uniform);
        Self { name, about, unit, form, start, is_fixed: false, prior, other_names, place: None }
    }

    /// Sets the description.
    #[must_use]
    pub fn with_about(self, about: &str) -> Self {
        Self { about: about.to_owned(), ..self }
    }

    /// Sets the bounds. Has no effect on an orientation.
    #[must_use]
    pub fn with_bounds(mut self, low: f64, high: f64) -> Self {
        if let Form::Number { bounds, .. } = &mut self.form {
            *bounds = Range::new(low, high);
        }
        self
    }

    /// Sets the starting value.
    #[must_use]
    pub fn with_start(self, start: Start) -> Self {
        Self { start, ..self }
    }

    /// Sets the values of the search grid. A fit without a search starts at the middle value.
    #[must_use]
    pub fn with_grid(mut self, values: &[f64]) -> Self {
        if let Form::Number { grid, .. } = &mut self.form {
            *grid = values.to_vec();
            self.start = Start::Grid;
        }
        self
    }

    /// Fixes the parameter at its starting value by default. The user can still fit it.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self { is_fixed: true, ..self }
    }

    /// Sets the prior.
    #[must_use]
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { prior, ..self }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the unit.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// Returns the kind of value.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Returns the starting value.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Returns whether the parameter is fixed by default.
    pub fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// Returns the prior.
    pub fn prior(&self) -> &Prior {
        &self.prior
    }

    /// Returns the names in other programs.
    pub fn other_names(&self) -> &OtherNames {
        &self.other_names
    }

    /// Returns the number of components: 1, or 3 for an orientation.
    pub fn numbers(&self) -> usize {
        match self.form {
            Form::Number { .. } => 1,
            Form::Orientation { .. } => 3,
        }
    }

    /// Returns the starting number in the parameter's unit (the middle of a grid), or `None` if the start depends on
    /// the data.
    pub fn start_number(&self) -> Option<f64> {
        match (&self.start, &self.form) {
            (Start::Number(value), _) => Some(*value),
            (Start::Grid, Form::Number { grid, .. }) => grid.get(grid.len() / 2).copied(),
            _ => None,
        }
    }
}

impl Known {
    /// Creates a number without bounds.
    pub fn new(name: &str, unit: Unit) -> Self {
        Self { name: name.to_owned(), about: String::new(), unit, bounds: Range::ALL, place: None }
    }

    /// Sets the bounds.
    #[must_use]
    pub fn with_bounds(self, low: f64, high: f64) -> Self {
        Self { bounds: Range::new(low, high), ..self }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the unit.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// Returns the bounds, in the unit of the number.
    pub fn bounds(&self) -> Range {
        self.bounds
    }
}

impl Constraint {
    /// Returns the constraint as written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Output {
    /// Creates a map.
    pub fn new(name: &str, unit: Unit, value: Expression) -> Self {
        let (about, other_names) = (String::new(), OtherNames::default());
        Self { name: name.to_owned(), about, unit, value, other_names, place: None }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the unit.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// Returns the names in other programs.
    pub fn other_names(&self) -> &OtherNames {
        &self.other_names
    }
}
