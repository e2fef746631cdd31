//! Signal models that are built in Rust, and the checks that all models must pass.

use super::expression::Expression;
use super::model::{Constraint, Form, Known, Model, OtherNames, Output, Parameter, Start, TensorPart};
use super::model_program::{MEASURED, Role};
use super::node::{Input, Node};
use super::parser::{Start as TextStart, Text};
use super::source::Source;
use super::stage::{Method, Stage};
use super::unit::{Dimension, Unit};
use arcuate_core::{Result, narrow};

/// Names that have a fixed meaning in formulas and starting values.
const RESERVED: [&str; 4] = ["pi", "g", "let", "tensor"];
/// Names of files that a fit writes in addition to the maps of its model. Maps must not have these names.
const FILES: [&str; 20] = [
    "residual",
    "residuals",
    "predicted",
    "mean_b0",
    "mean_weighted",
    "mean_signal",
    "scan_mask",
    "status",
    "mask",
    "best_model",
    "aic",
    "aicc",
    "bic",
    "bic_maximum",
    "dic",
    "waic",
    "sigma",
    "acceptance",
    "few_draws",
    "state",
];
/// Maximum number of starts per voxel that results from the grid searches of a fit. The numbers of
/// consecutive grid searches multiply.
const MAX_STARTS: u64 = 4096;
/// Suffixes of the names of files that describe the uncertainty of a parameter.
const UNCERTAINTY: [&str; 7] =
    ["_error", "_deviation", "_dispersion", "_quantiles", "_samples", "_ess", "_rhat"];

/// A signal model that is built in Rust, with the same content as a model file. Its derivatives are computed
/// automatically, and it has all methods and checks of models from files.
///
/// ```
/// use arcuate_model::language::{Expression, Model, Parameter, SignalModel, Unit};
///
/// /// A mono-exponential decay: the apparent diffusion coefficient.
/// struct Decay;
///
/// impl SignalModel for Decay {
///     fn name(&self) -> &str {
///         "decay"
///     }
///
///     fn parameters(&self) -> Vec<Parameter> {
///         let diffusivity = Unit::parse("mm²/s").unwrap();
///         vec![
///             Parameter::signal("s0"),
///             Parameter::number("adc", diffusivity).with_bounds(0.0, 5e-3).with_grid(&[0.3e-3, 1e-3, 3e-3]),
///         ]
///     }
///
///     fn signal(&self) -> Expression {
///         let [s0, b, adc] = ["s0", "b", "adc"].map(Expression::name);
///         s0 * (-b * adc).call("exp")
///     }
/// }
///
/// let model = Model::of(&Decay)?;
/// assert_eq!(model.parameters().len(), 2);
/// # Ok::<(), arcuate_core::Error>(())
/// ```
pub trait SignalModel {
    /// Returns the model's name.
    fn name(&self) -> &str;

    /// Returns the parameters of the model: those that are fitted, and those with a known value for all
    /// voxels.
    fn parameters(&self) -> Vec<Parameter>;

    /// Returns the signal of a measurement as a formula. The formula can use the names of parameters, of
    /// measured quantities (`b`, `g`, `separation`, `duration`, `echo_time`, `amplitude`), and of quantities
    /// that the model declares.
    fn signal(&self) -> Expression;

    /// Returns the numbers per measurement that the user must provide in addition to the gradient table.
    fn measurements(&self) -> Vec<Known> {
        Vec::new()
    }

    /// Returns the numbers per voxel (maps) that the user must provide.
    fn maps(&self) -> Vec<Known> {
        Vec::new()
    }

    /// Returns the constraints on parameters. They have the syntax of a model file, such as `f1 + f2 <= 1`.
    fn constraints(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the maps that are computed from fitted parameters.
    fn outputs(&self) -> Vec<Output> {
        Vec::new()
    }

    /// Returns groups of interchangeable parameters, such as fibre populations. A fit sorts the groups by the
    /// value of their first parameter, largest first.
    fn alike(&self) -> Vec<Vec<String>> {
        Vec::new()
    }

    /// Returns whether the model's signal is the mean over the gradient directions of each shell.
    fn averages_directions(&self) -> bool {
        false
    }

    /// Returns the stages of a fit. Each stage has a method and the names of the parameters that it changes.
    /// By default, a grid search over all parameters with a grid comes first. Levenberg–Marquardt on all
    /// parameters follows.
    fn stages(&self) -> Vec<(Method, Vec<String>)> {
        Vec::new()
    }
}

impl Model {
    /// Builds a model from a [`SignalModel`], and checks the model.
    pub fn of(model: &impl SignalModel) -> Result<Self> {
        let source = Source { name: model.name().to_owned(), ..Source::default() };
        let mut constraints = Vec::new();
        for text in model.constraints() {
            let parsed =
                Text { source: &source, formula: &text, start: TextStart::String(0) }.comparison()?;
            let (left, comparison, right) = parsed;
            constraints.push(Constraint { left, comparison, right, place: None, text });
        }
        let made = Self {
            name: model.name().to_owned(),
            title: model.name().to_owned(),
            about: String::new(),
            references: Vec::new(),
            parameters: model.parameters(),
            measurements: model.measurements(),
            maps: model.maps(),
            constraints,
            signal: model.signal(),
            outputs: model.outputs(),
            stages: Vec::new(),
            alike: Vec::new(),
            averages: model.averages_directions(),
            other_names: OtherNames::default(),
            source: source.clone(),
        };
        let place = |name: &String| {
            made.parameter_of(name).ok_or_else(|| {
                source.error(None, format!("`{name}` is not a parameter"), "use a declared parameter")
            })
        };
        let places = |names: &Vec<String>| names.iter().map(place).collect::<Result<Vec<usize>>>();
        let alike = model.alike().iter().map(places).collect::<Result<Vec<_>>>()?;
        let mut stages = Vec::new();
        for (method, names) in model.stages() {
            stages.push(Stage::new(method, places(&names)?));
        }
        let stages = if stages.is_empty() { made.usual_stages() } else { stages };
        Self { stages, alike, ..made }.checked()
    }

    /// Returns the indices of the parameters that a method of fitting changes by default.
    pub(super) fn usual_parameters(&self, method: Method) -> Vec<usize> {
        let has_grid = |parameter: &Parameter| match &parameter.form {
            Form::Number { grid, .. } => !grid.is_empty(),
            Form::Orientation { grid } => *grid > 0,
        };
        let is_for = |parameter: &Parameter| {
            !parameter.is_fixed && (method == Method::LevenbergMarquardt || has_grid(parameter))
        };
        (0..self.parameters.len()).filter(|&n| is_for(&self.parameters[n])).collect()
    }

    /// Returns the default stages of a fit. If a parameter has a grid, the first stage is a grid search.
    /// Levenberg–Marquardt follows.
    pub(super) fn usual_stages(&self) -> Vec<Stage> {
        [Method::GridSearch { keep: 1 }, Method::LevenbergMarquardt]
            .map(|method| Stage::new(method, self.usual_parameters(method)))
            .into_iter()
            .filter(|stage| !stage.parameters.is_empty())
            .collect()
    }

    /// Checks the model and returns it.
    pub(super) fn checked(self) -> Result<Self> {
        self.check_names()?;
        if self.parameters.is_empty() {
            let problem = "it has no parameter";
            return Err(self.source.error(None, problem, "declare the parameters to fit under [parameters]"));
        }
        for parameter in &self.parameters {
            self.check_parameter(parameter)?;
        }
        for n in 0..self.parameters.len() {
            self.check_prior(n)?;
        }
        for stage in &self.stages {
            self.check_stage(stage)?;
        }
        self.check_joins()?;
        self.check_starts_kept()?;
        self.check_constraints()?;
        self.check_averages()?;
        self.output_program(&self.own_roles())?;
        Ok(self)
    }

    fn check_names(&self) -> Result<()> {
        let source = &self.source;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if self.name.is_empty() || !self.name.chars().all(is_name) {
            let problem = "it has no name of letters, digits, `-` and `_`";
            return Err(source.error(None, problem, "write name = \"my-model\""));
        }
        let parameters = self.parameters.iter().map(|parameter| (&parameter.name, parameter.place));
        let known = self.measurements.iter().chain(&self.maps).map(|known| (&known.name, known.place));
        let outputs = self.outputs.iter().map(|output| (&output.name, output.place));
        let mut seen: Vec<&str> = MEASURED.iter().map(|(name, ..)| *name).chain(RESERVED).collect();
        for (name, place) in parameters.chain(known).chain(outputs) {
            let mut others = UNCERTAINTY.iter().filter_map(|suffix| name.strip_suffix(suffix));
            if let Some(other) = others.find(|other| self.parameter_of(other).is_some()) {
                let problem = format!("the map of the uncertainty of `{other}` has the name `{name}`");
                return Err(source.error(place, problem, "choose another"));
            }
            if FILES.contains(&name.as_str()) {
                let problem = format!("another file of the results has the name `{name}`");
                return Err(source.error(place, problem, "choose another"));
            }
            if seen.contains(&name.as_str()) {
                let problem = format!("the name `{name}` is taken");
                return Err(source.error(place, problem, "choose another"));
            }
            seen.push(name);
        }
        Ok(())
    }

    fn check_parameter(&self, parameter: &Parameter) -> Result<()> {
        let name = &parameter.name;
        let refuse = |problem: String, advice: &str| Err(self.source.error(parameter.place, problem, advice));
        match &parameter.form {
            Form::Number { bounds, grid } => {
                let start = parameter.start_number();
                if let Some(outside) =
                    grid.iter().copied().chain(start).find(|value| !bounds.contains(*value))
                {
                    let problem = format!("`{name}` has a value {outside} beyond its bounds");
                    return refuse(problem, "widen the bounds or change the value");
                }
                if let Some(endless) = grid.iter().copied().chain(start).find(|value| value.is_infinite()) {
                    return refuse(format!("`{name}` starts at {endless}"), "start at a number");
                }
            }
            Form::Orientation { .. } if !parameter.unit.is_one() => {
                return refuse(format!("the orientation `{name}` has a unit"), "leave it out");
            }
            Form::Orientation { .. } => {}
        }
        if let (Form::Number { bounds, .. }, true) =
            (&parameter.form, parameter.unit.dimension() == Dimension::SIGNAL)
        {
            // A parameter with the unit of the signal cannot have a finite bound other than 0, and cannot
            // start at a fixed value. The reason is that the scale of the signal depends on the scanner.
            if [bounds.low, bounds.high].iter().any(|end| *end != 0.0 && end.is_finite()) {
                return refuse(
                    format!("`{name}` is a signal, which has no scale, and has bounds"),
                    "bound it by 0 and inf",
                );
            }
            if parameter.start_number().is_some() {
                return refuse(
                    format!("`{name}` is a signal, which has no scale, and starts at a number"),
                    "start it from mean_b0 or largest",
                );
            }
        }
        if parameter.is_fixed && parameter.start_number().is_none() {
            let problem = format!("`{name}` is fixed, and not at a number");
            return refuse(problem, "give start = a number");
        }
        let diffusivity = Unit::parse("mm²/s").map_or(Dimension::NUMBER, |unit| unit.dimension());
        let is_orientation = matches!(parameter.form, Form::Orientation { .. });
        let fits = match parameter.start {
            Start::Number(_) => !is_orientation,
            Start::Grid | Start::Model { .. } => true,
            Start::MeanB0 | Start::Signals(_) | Start::Tensor(TensorPart::S0) => {
                !is_orientation && parameter.unit.dimension() == Dimension::SIGNAL
            }
            Start::Tensor(TensorPart::Eigenvector(_)) => is_orientation,
            Start::Tensor(_) => !is_orientation && parameter.unit.dimension() == diffusivity,
        };
        if !fits {
            let problem = format!("`{name}` cannot start from that: it has another unit or kind");
            return refuse(
                problem,
                "signals start from mean_b0 or largest, diffusivities from tensor.md, orientations from tensor.v1",
            );
        }
        Ok(())
    }

    /// Checks each stage that continues only from the best start (`from_best`). It must follow a grid search
    /// that keeps several starts, with at least one other stage between the search and this stage.
    fn check_joins(&self) -> Result<()> {
        let mut since_search = None;
        for stage in &self.stages {
            match (stage.from_best, since_search) {
                (true, None | Some(0)) => {
                    let problem = "a stage continues from the best start, but there is only one start, or \
                                   no start has been fitted";
                    let advice =
                        "let a search before it `keep` several, and a stage between them follow each";
                    return Err(self.source.error(None, problem, advice));
                }
                (true, Some(_)) => since_search = None,
                (false, since) => since_search = since.map(|count| count + 1),
            }
            if matches!(stage.method, Method::GridSearch { keep } if keep > 1) {
                since_search = Some(0);
            }
        }
        Ok(())
    }

    fn check_stage(&self, stage: &Stage) -> Result<()> {
        for &n in &stage.parameters {
            let parameter = &self.parameters[n];
            let has_grid = match &parameter.form {
                Form::Number { grid, .. } => !grid.is_empty(),
                Form::Orientation { grid } => *grid > 0,
            };
            if stage.method.searches() && !has_grid {
                let problem = format!("a search is to try `{}`, which has no grid", parameter.name);
                return Err(self.source.error(
                    parameter.place,
                    problem,
                    "give it one, or leave it out of the stage",
                ));
            }
        }
        Ok(())
    }

    /// Checks the number of starts that grid searches keep. The stages after a grid search run once for each
    /// kept start, so that the numbers of consecutive searches multiply.
    fn check_starts_kept(&self) -> Result<()> {
        let behind_searches = self.stages.len().saturating_sub(1);
        let starts = self.stages[..behind_searches].iter().fold(1u64, |starts, stage| match stage.method {
            Method::GridSearch { keep } => starts.saturating_mul(u64::from(keep.max(1))),
            Method::LevenbergMarquardt => starts,
        });
        if starts <= MAX_STARTS {
            return Ok(());
        }
        let problem = format!("its searches together keep more than {MAX_STARTS} starts of a voxel");
        Err(self.source.error(None, problem, "let them keep fewer, or remove searches"))
    }

    /// Checks that parameters in constraints start at fixed values, and that at least one set of starting
    /// values satisfies all constraints.
    fn check_constraints(&self) -> Result<()> {
        let roles: Vec<Role> = self.own_roles();
        let mut lowered = self.program(&roles)?;
        let inputs: Vec<Input> = (0..narrow::<u16>(lowered.free_numbers)).map(Input::Parameter).collect();
        for (constraint, of_program) in self.constraints.iter().zip(lowered.constraints.clone()) {
            let refuse =
                |problem: &str, advice: &str| Err(self.source.error(constraint.place, problem, advice));
            let gradient = lowered.program.gradient(of_program.value, &inputs);
            let all = lowered.program.reachable(&[of_program.value]);
            let differs = |id: &super::Id| {
                matches!(lowered.program.node(*id), Node::Input(Input::Measurement(_) | Input::Map(_)))
            };
            if all.iter().any(differs) {
                return refuse(
                    "it is not the same for all voxels and measurements",
                    "write it in parameters alone",
                );
            }
            for (parameter, (role, first)) in self.parameters.iter().zip(&lowered.places) {
                let takes_part =
                    *role == Role::Free && lowered.program.constant_of(gradient[*first]) != Some(0.0);
                if takes_part && parameter.start_number().is_none() {
                    let problem = format!("`{}` takes part in it, and starts from the data", parameter.name);
                    return refuse(&problem, "let it start at a number or a grid");
                }
            }
        }
        if !self.constraints.is_empty() && !self.some_start_meets(&lowered) {
            let place = self.constraints[0].place;
            let problem = "no start value meets the constraints";
            return Err(self.source.error(place, problem, "change start or grid of its parameters"));
        }
        Ok(())
    }

    /// Checks a model whose signal is an average over gradient directions. The model must not use a gradient
    /// direction or additional numbers per measurement.
    fn check_averages(&self) -> Result<()> {
        if !self.averages {
            return Ok(());
        }
        let refuse = |place, problem: String| {
            let advice = "leave `averages` out, or write the average";
            Err(self.source.error(place, problem, advice))
        };
        if let Some(known) = self.measurements.first() {
            let problem = format!("averages over directions have no `{}` of a measurement", known.name);
            return refuse(known.place, problem);
        }
        let lowered = self.program(&self.own_roles())?;
        let is_direction =
            |id: &super::Id| matches!(lowered.program.node(*id), Node::Input(Input::Measurement(1..=3)));
        if lowered.program.reachable(&[lowered.signal]).iter().any(is_direction) {
            let place = self.signal.term().place;
            return refuse(place, "averages over directions have no `g`".to_owned());
        }
        Ok(())
    }

    /// Returns whether the starting values, or at least one combination of a grid search, satisfy all
    /// constraints.
    fn some_start_meets(&self, lowered: &super::ModelProgram) -> bool {
        let searched: Vec<usize> = self
            .stages
            .iter()
            .filter(|stage| stage.method.searches())
            .flat_map(|stage| stage.parameters.clone())
            .collect();
        let values = |n: usize| match &self.parameters[n].form {
            Form::Number { grid, .. } if searched.contains(&n) => grid.clone(),
            _ => vec![self.parameters[n].start_number().unwrap_or(1.0)],
        };
        // For parameters that occur in no constraint, only the first value is used.
        let all = lowered.program.reachable(&lowered.constraints.iter().map(|c| c.value).collect::<Vec<_>>());
        let takes_part = |role: Role, first: usize| {
            let input = match role {
                Role::Free => Input::Parameter(narrow::<u16>(first)),
                Role::Setting => Input::Setting(narrow::<u16>(first)),
                Role::Map => Input::Map(narrow::<u16>(first)),
            };
            all.iter().any(|id| lowered.program.node(*id) == Node::Input(input))
        };
        let mut combinations: Vec<Vec<f64>> = vec![Vec::new()];
        for (n, (role, first)) in lowered.places.iter().enumerate() {
            let parameter = &self.parameters[n];
            let choices =
                if takes_part(*role, *first) { values(n) } else { values(n).into_iter().take(1).collect() };
            let mut longer = Vec::new();
            for combination in &combinations {
                for value in &choices {
                    let mut combination = combination.clone();
                    combination.extend(vec![value * parameter.unit.factor(); parameter.numbers()]);
                    longer.push(combination);
                }
            }
            // The list of combinations is limited. A grid search does not evaluate more combinations than
            // this limit either.
            longer.truncate(1 << 20);
            combinations = longer;
        }
        let mut offsets = Vec::new();
        let mut next = 0;
        for parameter in &self.parameters {
            offsets.push(next);
            next += parameter.numbers();
        }
        combinations.iter().any(|combination| {
            let at = |wanted: Role, number: u16| {
                let found = lowered.places.iter().enumerate().find(|(n, (role, first))| {
                    let end = first + self.parameters[*n].numbers();
                    *role == wanted && (*first..end).contains(&usize::from(number))
                });
                found.map_or(0.0, |(n, (_, first))| combination[offsets[n] + usize::from(number) - first])
            };
            let values = lowered.program.evaluate(|input| match input {
                Input::Parameter(n) => at(Role::Free, n),
                Input::Setting(n) => at(Role::Setting, n),
                _ => 0.0,
            });
            lowered.constraints.iter().all(|constraint| {
                let value = values[constraint.value.index()];
                if constraint.is_equality { value.abs() < 1e-6 } else { value >= -1e-9 }
            })
        })
    }
}
