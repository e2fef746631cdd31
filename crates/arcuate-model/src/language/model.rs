//! A signal model as the user writes it: its parameters, its known quantities, and the formula of the signal.

use super::expression::Expression;
use super::parser::Comparison;
use super::prior::Prior;
use super::range::Range;
use super::source::{Place, Source};
use super::stage::Stage;
use super::unit::Unit;
use arcuate_core::{Error, statistics};

/// A signal model that was read from a file ([`Model::parse`]) or built in Rust
/// ([`SignalModel`](super::SignalModel)). The model has been checked: all names are known, units agree,
/// divisors cannot be 0, and every parameter is used.
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

/// A parameter of a model: a quantity that a fit estimates in every voxel, or a quantity with a known value.
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
    /// A parameter with a scalar value.
    Number {
        /// The lower and upper bound of the parameter, in its unit.
        bounds: Range,
        /// The values of the parameter that a grid search evaluates, in the unit of the parameter.
        grid: Vec<f64>,
    },
    /// An orientation: a unit vector in scanner axes, whose sign has no meaning.
    Orientation {
        /// Number of orientations that a grid search evaluates. The number is 0 if there is no search.
        grid: usize,
    },
}

/// The source of the value at which the fit of a parameter starts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Start {
    /// A fixed value, in the parameter's unit.
    Number(f64),
    /// The middle of the search grid.
    Grid,
    /// The starting value is the mean of the voxel's signals at b = 0.
    MeanB0,
    /// A statistic of the voxel's signals.
    Signals(SignalStatistic),
    /// The starting value is a quantity of the voxel's log-linear tensor fit.
    Tensor(TensorPart),
    /// A parameter estimated by another model's fit.
    Model {
        /// The name of the model.
        model: String,
        /// The name of the parameter in the other model, from whose fit the starting value comes.
        parameter: String,
    },
}

/// A statistic of the finite signals of a voxel, which have the order of the series.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SignalStatistic {
    /// The largest signal.
    Largest,
    /// The mean signal.
    Mean,
    /// The first signal of the series.
    First,
    /// The last signal of the series.
    Last,
    /// The quantile of the signals at this probability (0 to 1), with linear interpolation.
    Quantile(f64),
}

impl SignalStatistic {
    /// Parses a name that model files use: `largest`, `mean`, `median`, `first`, `last` or `quantile(part)`.
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

    /// Returns the value of the statistic for the given signals. Returns `None` if no signal is finite.
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

/// A quantity of a fitted diffusion tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TensorPart {
    /// S₀, the signal without diffusion weighting.
    S0,
    /// The mean diffusivity: the mean of the tensor's eigenvalues.
    MeanDiffusivity,
    /// The axial diffusivity: the largest eigenvalue.
    AxialDiffusivity,
    /// The radial diffusivity: the mean of the tensor's two smaller eigenvalues.
    RadialDiffusivity,
    /// The eigenvector with this index. Index 0 belongs to the largest eigenvalue.
    Eigenvector(usize),
    /// The tensor element with this index, in the order xx, yy, zz, xy, xz, yz.
    Element(usize),
}

impl TensorPart {
    /// Every quantity of the tensor, with its name in model files. The name follows `tensor.` there.
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
    /// The name of the map in the NODDI toolbox for MATLAB, and in programs that use its names.
    pub mdt: Option<String>,
    /// The name in AMICO.
    pub amico: Option<String>,
    /// The parameter's name in file names of the Brain Imaging Data Structure (BIDS).
    pub bids: Option<String>,
}

/// A known number that the user provides for a model: a number per measurement or a number per voxel (map).
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) unit: Unit,
    pub(super) bounds: Range,
    pub(super) place: Place,
}

/// A constraint of a model: a relation between parameters that must be true, such as `f1 + f2 <= 1`.
#[derive(Debug, Clone)]
pub struct Constraint {
    pub(super) text: String,
    pub(super) left: Expression,
    pub(super) comparison: Comparison,
    pub(super) right: Expression,
    pub(super) place: Place,
}

/// An output of a model: a map that is computed from fitted parameters.
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
    /// Returns the name that selects the model on the command line.
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

    /// Returns the names of the model in other programs.
    pub fn other_names(&self) -> &OtherNames {
        &self.other_names
    }

    /// Returns the publications that describe the model.
    pub fn references(&self) -> &[String] {
        &self.references
    }

    /// Returns the parameters of the model, in the order of the model file.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Returns the index of the model's parameter with this name.
    pub fn parameter_of(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// Returns the numbers per measurement (such as an inversion time) that the user must provide in addition
    /// to the gradient table.
    pub fn measurements(&self) -> &[Known] {
        &self.measurements
    }

    /// Returns the numbers per voxel (maps) that the user must provide.
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

    /// Returns the stages of the fit, in the order in which they run.
    #[doc(hidden)]
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Returns groups of interchangeable parameters, such as fibre populations. Each group is a list of
    /// parameter indices. A fit sorts the groups by the value of their first parameter, largest first.
    pub fn alike(&self) -> &[Vec<usize>] {
        &self.alike
    }

    /// Returns whether the model's signal is the mean over the gradient directions of each shell. If so, the
    /// model is fitted to an [averaged](crate::average_directions) series.
    pub fn averages_directions(&self) -> bool {
        self.averages
    }

    /// Returns an error about a parameter. The error states the parameter's position in the model file.
    pub(crate) fn wrong(
        &self,
        parameter: usize,
        problem: impl Into<String>,
        advice: impl Into<String>,
    ) -> Error {
        self.source.error(self.parameters[parameter].place, problem, advice)
    }

    /// Returns the text of the file from which the model was read. The text is empty for models built in
    /// Rust.
    pub fn text(&self) -> &str {
        &self.source.text
    }
}

impl Parameter {
    /// Creates a scalar parameter. By default, its lower bound is 0 and it starts at 1.
    pub fn number(name: &str, unit: Unit) -> Self {
        let bounds = Range::new(0.0, f64::INFINITY);
        Self::new(name, unit, Form::Number { bounds, grid: Vec::new() }, Start::Number(1.0))
    }

    /// Creates a parameter for the signal without diffusion weighting. Its lower bound is 0, and it starts at
    /// the voxel's mean signal at b = 0.
    pub fn signal(name: &str) -> Self {
        Self { start: Start::MeanB0, ..Self::number(name, Unit::signal()) }
    }

    /// Creates a parameter for a signal fraction. It has the bounds 0 and 1, and starts at 0.5.
    pub fn fraction(name: &str) -> Self {
        Self::number(name, Unit::number()).with_bounds(0.0, 1.0).with_start(Start::Number(0.5))
    }

    /// Creates a parameter for an orientation. It starts at the first eigenvector of the tensor fit (with the
    /// largest eigenvalue).
    pub fn orientation(name: &str) -> Self {
        let start = Start::Tensor(TensorPart::Eigenvector(0));
        Self::new(name, Unit::number(), Form::Orientation { grid: 0 }, start)
    }

    fn new(name: &str, unit: Unit, form: Form, start: Start) -> Self {
        let (name, other_names) = (name.to_owned(), OtherNames::default());
        let (about, prior) = (String::new(), Prior::Uniform);
        Self { name, about, unit, form, start, is_fixed: false, prior, other_names, place: None }
    }

    /// Sets the description of the parameter.
    #[must_use]
    pub fn with_about(self, about: &str) -> Self {
        Self { about: about.to_owned(), ..self }
    }

    /// Sets the bounds of the parameter. For an orientation, this has no effect.
    #[must_use]
    pub fn with_bounds(mut self, low: f64, high: f64) -> Self {
        if let Form::Number { bounds, .. } = &mut self.form {
            *bounds = Range::new(low, high);
        }
        self
    }

    /// Sets the starting value of the parameter.
    #[must_use]
    pub fn with_start(self, start: Start) -> Self {
        Self { start, ..self }
    }

    /// Sets the parameter values that a grid search evaluates. If a fit has no grid search, the parameter
    /// starts at the middle value.
    #[must_use]
    pub fn with_grid(mut self, values: &[f64]) -> Self {
        if let Form::Number { grid, .. } = &mut self.form {
            *grid = values.to_vec();
            self.start = Start::Grid;
        }
        self
    }

    /// Fixes the parameter at its starting value by default. The user can still choose to fit this parameter.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self { is_fixed: true, ..self }
    }

    /// Sets the prior of the parameter.
    #[must_use]
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { prior, ..self }
    }

    /// Returns the parameter's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the parameter's description.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the parameter's unit.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// Returns the kind of the parameter's value.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Returns the parameter's starting value.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Returns whether the parameter is fixed by default.
    pub fn is_fixed(&self) -> bool {
        self.is_fixed
    }

    /// Returns the parameter's prior.
    pub fn prior(&self) -> &Prior {
        &self.prior
    }

    /// Returns the names of the parameter in other programs.
    pub fn other_names(&self) -> &OtherNames {
        &self.other_names
    }

    /// Returns the number of components of the parameter: 1 for a scalar, or 3 for an orientation.
    pub fn numbers(&self) -> usize {
        match self.form {
            Form::Number { .. } => 1,
            Form::Orientation { .. } => 3,
        }
    }

    /// Returns the starting value of the parameter, in its unit. For a parameter with a search grid, this is
    /// the middle value of the grid. Returns `None` if the starting value depends on the data.
    pub fn start_number(&self) -> Option<f64> {
        match (&self.start, &self.form) {
            (Start::Number(value), _) => Some(*value),
            (Start::Grid, Form::Number { grid, .. }) => grid.get(grid.len() / 2).copied(),
            _ => None,
        }
    }
}

impl Known {
    /// Creates a known number per measurement or per voxel, without bounds.
    pub fn new(name: &str, unit: Unit) -> Self {
        Self { name: name.to_owned(), about: String::new(), unit, bounds: Range::ALL, place: None }
    }

    /// Sets the bounds of the number.
    #[must_use]
    pub fn with_bounds(self, low: f64, high: f64) -> Self {
        Self { bounds: Range::new(low, high), ..self }
    }

    /// Returns the name of the number.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description of the number.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the unit of the number.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// Returns the bounds of the known number, in its unit.
    pub fn bounds(&self) -> Range {
        self.bounds
    }
}

impl Constraint {
    /// Returns the text of the constraint as the user wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Output {
    /// Creates a derived map.
    pub fn new(name: &str, unit: Unit, value: Expression) -> Self {
        let (about, other_names) = (String::new(), OtherNames::default());
        Self { name: name.to_owned(), about, unit, value, other_names, place: None }
    }

    /// Returns the name of the map.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description of the map.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the unit of the map.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// Returns the names of the map in other programs.
    pub fn other_names(&self) -> &OtherNames {
        &self.other_names
    }
}
