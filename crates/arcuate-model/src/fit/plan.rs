//! From a model, a gradient table and wishes to what the processor or a GPU is given.

use super::begin::{BeginPlan, Beginning};
use super::candidates::Candidates;
use super::protocol::{MeasurementColumn, Protocol};
use super::schedule::{Schedule, SeriesLength, Unknown};
use super::stage::{BoundsMethod, Control, LinearRow, StagePlan};
use crate::language::{Form, Input, Known, Method, Model, ModelProgram, Parameter, Role, Start};
use crate::models;
use crate::special::watson::Series;
use crate::tensor::{Measurements, distinct_axes};
use arcuate_core::{Error, GradientTable, Result, Volume};

/// How models are fitted.
#[derive(Debug, Clone, Default)]
pub struct FitOptions {
    /// The measurements that are fitted.
    pub measurements: ModelMeasurements,
    /// How bounds are kept.
    pub bounds: BoundsMethod,
    /// Evaluations of the signal in a voxel at most, by each Levenberg–Marquardt stage; 0 for the usual number.
    pub evaluations: u32,
    /// Whether single precision suffices: sums and functions are then of f32, on the processor and on GPUs.
    pub single_precision: bool,
    /// Whether standard errors are wanted.
    pub standard_errors: bool,
    /// What is to be otherwise than the models say, of all models that have such a parameter.
    pub wishes: Vec<Wish>,
    /// Numbers of every measurement.
    pub columns: Vec<MeasurementColumn>,
    /// Numbers of every voxel, by what models call them, in the units that these say.
    pub maps: Vec<(String, Volume<f32>)>,
}

/// Which measurements a model is fitted to.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ModelMeasurements {
    /// All.
    #[default]
    All,
    /// Those with b up to this many s/mm².
    UpTo(f64),
    /// The shells of these b-values, and b = 0.
    Shells(Vec<f64>),
}

impl ModelMeasurements {
    /// Numbers of the measurements, ascending.
    pub fn of(&self, gradients: &GradientTable) -> Result<Vec<usize>> {
        match self {
            Self::All => Measurements::All,
            Self::UpTo(b) => Measurements::UpTo(*b),
            Self::Shells(shells) => Measurements::Shells(shells.clone()),
        }
        .of(gradients)
    }
}

/// Something about a parameter that is to be otherwise.
#[derive(Debug, Clone)]
pub struct Wish {
    /// The parameter.
    pub parameter: String,
    /// What is wished.
    pub what: WishFor,
}

/// What can be wished.
#[derive(Debug, Clone)]
pub enum WishFor {
    /// It is known.
    Fixed(Source),
    /// It stays where the model has it start.
    Kept,
    /// It is fitted from there.
    StartingAt(Source),
    /// It is fitted, though the model has it fixed.
    Free,
}

/// Where values come from, in the parameter's unit.
#[derive(Debug, Clone)]
pub enum Source {
    /// The same in all voxels.
    Number(f64),
    /// A value of each voxel, three of an orientation.
    Map(Box<Volume<f32>>),
}

/// Evaluations that suffice unless something is wrong.
const USUAL_EVALUATIONS: u32 = 200;
/// Axes that a tensor needs.
const TENSOR_AXES: usize = 6;

/// A model ready to be fitted.
#[derive(Debug, Clone)]
pub(crate) struct ModelPlan<T: Series> {
    pub(crate) model: Model,
    pub(crate) program: ModelProgram,
    pub(crate) roles: Vec<Role>,
    pub(crate) settings: Vec<f64>,
    pub(crate) begin: BeginPlan<T>,
    pub(crate) stages: Vec<StagePlan<T>>,
    pub(crate) control: Control<T>,
    /// Numbers that come from an earlier plan: this one's number, the plan and its number.
    pub(crate) given: Vec<(usize, usize, usize)>,
    /// Numbers that come from the user: the first number, the source, the unit's factor, and the power of the signal in it.
    pub(crate) sources: Vec<(usize, Source, f64, f64)>,
    /// Maps that the program asks for, in its order: name and factor.
    pub(crate) maps: Vec<(Volume<f32>, f64)>,
    /// Unknowns of the last stage: what information criteria count.
    pub(crate) unknowns: Vec<Unknown>,
    pub(crate) resting: Vec<bool>,
    /// In double precision, with the derivatives by all of these.
    pub(crate) derivatives: Schedule,
}

/// Models in the order in which they must be fitted, and the measurements that are used.
#[derive(Debug, Clone)]
pub(crate) struct Pipeline<T: Series> {
    pub(crate) plans: Vec<ModelPlan<T>>,
    /// The plans of the models that were asked for.
    pub(crate) asked: Vec<usize>,
    pub(crate) measurements: Vec<usize>,
    pub(crate) protocols: Vec<Protocol>,
}

impl<T: Series> Pipeline<T> {
    pub(crate) fn new(models: &[Model], gradients: &GradientTable, options: &FitOptions) -> Result<Self> {
        let measurements = options.measurements.of(gradients)?;
        for wish in &options.wishes {
            if models.iter().all(|model| model.parameter_of(&wish.parameter).is_none()) {
                let names: Vec<&str> =
                    models.iter().flat_map(Model::parameters).map(Parameter::name).collect();
                let problem = "no model that is fitted has such a parameter";
                let advice = format!("there are {}", names.join(", "));
                return Err(Error::usage(&wish.parameter, problem, advice));
            }
        }
        for column in &options.columns {
            let asks = |model: &Model| model.measurements().iter().any(|known| known.name() == column.name);
            if !models.iter().any(asks) {
                let names: Vec<&str> = models.iter().flat_map(Model::measurements).map(Known::name).collect();
                let advice = if names.is_empty() {
                    "leave it out".to_owned()
                } else {
                    format!("they ask for {}", names.join(", "))
                };
                let problem = "no model that is fitted asks for such numbers of measurements";
                return Err(Error::usage(&column.name, problem, advice));
            }
        }
        let mut pipeline = Self { plans: Vec::new(), asked: Vec::new(), measurements, protocols: Vec::new() };
        for (n, model) in models.iter().enumerate() {
            if models[..n].iter().any(|other| other.name() == model.name()) {
                return Err(Error::usage(model.name(), "two models have this name", "give each once"));
            }
            let place = pipeline.add(model, models, gradients, options, &mut Vec::new())?;
            pipeline.asked.push(place);
        }
        Ok(pipeline)
    }

    /// The place of a model's plan, which is made if it is not there yet.
    fn add(
        &mut self,
        model: &Model,
        models: &[Model],
        gradients: &GradientTable,
        options: &FitOptions,
        above: &mut Vec<String>,
    ) -> Result<usize> {
        if let Some(place) = self.plans.iter().position(|plan| plan.model.name() == model.name()) {
            return Ok(place);
        }
        if above.iter().any(|name| name == model.name()) {
            let problem =
                format!("its start comes from {}, whose start comes from it", above.join(", from "));
            return Err(Error::invalid(
                model.name(),
                problem,
                "let one of them start from numbers or the tensor",
            ));
        }
        above.push(model.name().to_owned());
        let mut sources: Vec<(usize, usize, String)> = Vec::new();
        for (n, parameter) in model.parameters().iter().enumerate() {
            let Start::Model { model: name, parameter: wanted } = parameter.start() else { continue };
            let other = match models.iter().find(|other| other.name() == name) {
                Some(other) => other.clone(),
                None => models::model(name).map_err(|_| {
                    let problem =
                        format!("`{}` starts from the model {name}, which is not there", parameter.name());
                    Error::invalid(model.name(), problem, "name a built-in model, or fit both together")
                })?,
            };
            let place = self.add(&other, models, gradients, options, above)?;
            sources.push((n, place, wanted.clone()));
        }
        above.pop();
        let (plan, protocol) = self.plan(model, &sources, gradients, options)?;
        self.plans.push(plan);
        self.protocols.push(protocol);
        Ok(self.plans.len() - 1)
    }

    fn plan(
        &self,
        model: &Model,
        from_models: &[(usize, usize, String)],
        gradients: &GradientTable,
        options: &FitOptions,
    ) -> Result<(ModelPlan<T>, Protocol)> {
        let protocol = Protocol::new(gradients, &self.measurements, model, &options.columns)?;
        let wish = |n: usize| {
            let name = model.parameters()[n].name();
            options.wishes.iter().rfind(|wish| wish.parameter == name).map(|wish| &wish.what)
        };
        let mut roles = model.own_roles();
        for (n, role) in roles.iter_mut().enumerate() {
            match (wish(n), *role) {
                (Some(WishFor::Free | WishFor::StartingAt(_)), Role::Setting) => *role = Role::Free,
                (Some(WishFor::Fixed(Source::Map(_))), Role::Setting) => *role = Role::Map,
                _ => {}
            }
        }
        let program = model.program(&roles)?;
        protocol.check(&program)?;
        let mut settings = Vec::new();
        let mut maps = Vec::new();
        for (n, parameter) in model.parameters().iter().enumerate() {
            let factor = parameter.unit().factor();
            match (roles[n], wish(n)) {
                (Role::Setting, Some(WishFor::Fixed(Source::Number(value)))) => {
                    check_within(parameter, *value)?;
                    settings.push(value * factor);
                }
                (Role::Setting, _) => settings.push(parameter.start_number().unwrap_or(0.0) * factor),
                (Role::Map, Some(WishFor::Fixed(Source::Map(map)))) => maps.push(((**map).clone(), factor)),
                _ => {}
            }
        }
        for known in model.maps() {
            let Some((_, map)) = options.maps.iter().find(|(name, _)| name == known.name()) else {
                let problem = format!("the model {} needs this map", model.name());
                return Err(Error::usage(
                    known.name(),
                    problem,
                    format!("give --map {}=IMAGE", known.name()),
                ));
            };
            maps.push((map.clone(), known.unit().factor()));
        }
        let constraints = constraints::<T>(&program, &settings);
        let mut plan = ModelPlan {
            model: model.clone(),
            begin: BeginPlan {
                b0: Vec::new(),
                rows: Vec::new(),
                beginnings: Vec::new(),
                bounds: Vec::new(),
                fewest: 0,
            },
            stages: Vec::new(),
            control: control(options),
            given: Vec::new(),
            sources: Vec::new(),
            maps,
            unknowns: Vec::new(),
            resting: Vec::new(),
            derivatives: Schedule::new(&program, &protocol, &settings, &[], SeriesLength::Double)?,
            settings,
            roles,
            program,
        };
        let mut resting = Vec::new();
        for (n, parameter) in model.parameters().iter().enumerate() {
            let (role, first) = plan.program.places[n];
            if role != Role::Free {
                continue;
            }
            let factor = parameter.unit().factor();
            let power = parameter.unit().dimension().signal_power();
            let wished = match wish(n) {
                Some(WishFor::Fixed(source)) => Some((source, true)),
                Some(WishFor::StartingAt(source)) => Some((source, false)),
                _ => None,
            };
            let rests = matches!(wish(n), Some(WishFor::Fixed(_) | WishFor::Kept));
            resting.push((first, parameter.numbers(), rests));
            let bounds = match parameter.form() {
                Form::Number { bounds, .. } => [T::of(bounds.low * factor), T::of(bounds.high * factor)],
                Form::Orientation { .. } => [T::of(f64::NEG_INFINITY), T::of(f64::INFINITY)],
            };
            for component in 0..parameter.numbers() {
                plan.begin.bounds.push(bounds);
                let from_model = from_models.iter().find(|(parameter, ..)| *parameter == n);
                let beginning = if wished.is_some() || from_model.is_some() {
                    Beginning::Given
                } else {
                    match parameter.start() {
                        Start::MeanB0 => Beginning::One,
                        Start::Tensor(part) => Beginning::Tensor(*part, component as u8),
                        // Orientations without a start are set by a search; until then along x.
                        _ if parameter.numbers() == 3 => {
                            Beginning::Value(T::of(f64::from(u8::from(component == 0))))
                        }
                        _ => Beginning::Value(T::of(parameter.start_number().unwrap_or(0.0) * factor)),
                    }
                };
                plan.begin.beginnings.push(beginning);
                if let (None, Some((_, other, name))) = (wished, from_model) {
                    plan.given.push((
                        first + component,
                        *other,
                        self.number_of(*other, name, component, model)?,
                    ));
                }
            }
            if let Some((source, is_fixed)) = wished {
                if let Source::Number(value) = source {
                    if parameter.numbers() != 1 {
                        let problem = "it is an orientation, and a number says nothing of it";
                        return Err(Error::usage(parameter.name(), problem, "give a map of three volumes"));
                    }
                    if is_fixed || !value.is_finite() {
                        check_within(parameter, *value)?;
                    }
                }
                plan.sources.push((first, source.clone(), factor, power));
            }
        }
        self.add_tensor(&mut plan.begin, gradients, model)?;
        let mut stages = model.stages().to_vec();
        if let Some(last) = stages.iter_mut().rfind(|stage| stage.method == Method::LevenbergMarquardt) {
            // What the user freed is fitted with all the rest.
            let freed = (0..plan.roles.len())
                .filter(|&n| plan.roles[n] == Role::Free && model.parameters()[n].is_fixed());
            last.parameters.extend(freed);
        }
        for stage in &stages {
            let searches = stage.method.searches();
            let unknowns =
                if searches { Vec::new() } else { plan.program.unknowns(model, &stage.parameters) };
            let length = if options.single_precision { SeriesLength::Single } else { SeriesLength::Double };
            let schedule = Schedule::new(&plan.program, &protocol, &plan.settings, &unknowns, length)?;
            let rests = |place: u16| {
                let place = usize::from(place);
                resting.iter().any(|(first, count, rests)| *rests && (*first..first + count).contains(&place))
            };
            let is_resting: Vec<bool> = unknowns
                .iter()
                .map(|unknown| match unknown {
                    Unknown::Number(n) | Unknown::Turn { first: n, .. } => rests(*n),
                })
                .collect();
            let bounds = unknowns.iter().map(|unknown| match unknown {
                Unknown::Number(n) => plan.begin.bounds[usize::from(*n)],
                Unknown::Turn { .. } => [T::of(f64::NEG_INFINITY), T::of(f64::INFINITY)],
            });
            let search = match stage.method {
                Method::LevenbergMarquardt => None,
                Method::GridSearch { keep } => {
                    let tried =
                        Candidates::new(&plan, &stage.parameters, keep, &constraints, &|place| rests(place))?;
                    if tried.is_none() {
                        continue;
                    }
                    tried
                }
            };
            plan.unknowns.clone_from(&unknowns);
            plan.resting.clone_from(&is_resting);
            plan.stages.push(StagePlan {
                bounds: bounds.collect(),
                resting: is_resting,
                constraints: constraints.clone(),
                schedule,
                unknowns,
                search,
            });
        }
        plan.derivatives =
            Schedule::new(&plan.program, &protocol, &plan.settings, &plan.unknowns, SeriesLength::Double)?;
        let fitted = plan.resting.iter().filter(|rests| !**rests).count();
        plan.begin.fewest = fitted.max(1);
        if protocol.len() < plan.begin.fewest {
            let problem = format!(
                "{} measurements cannot determine {fitted} unknowns of {}",
                protocol.len(),
                model.name()
            );
            return Err(Error::invalid(
                "gradient table",
                problem,
                "fit a smaller model, or fix parameters of it",
            ));
        }
        Ok((plan, protocol))
    }

    /// A number of a plan that another model starts from.
    fn number_of(&self, plan: usize, name: &str, component: usize, model: &Model) -> Result<usize> {
        let other = &self.plans[plan];
        let found = other.model.parameter_of(name).filter(|&n| other.roles[n] == Role::Free);
        let Some(n) = found else {
            let problem = format!(
                "it starts from `{name}` of {}, which does not fit such a parameter",
                other.model.name()
            );
            return Err(Error::invalid(model.name(), problem, "name one that it fits"));
        };
        if component >= other.model.parameters()[n].numbers() {
            let problem = format!("an orientation cannot start from `{name}` of {}", other.model.name());
            return Err(Error::invalid(model.name(), problem, "name an orientation"));
        }
        Ok(other.program.places[n].1 + component)
    }

    /// The linear problem of the tensor, if the model starts from one.
    fn add_tensor(&self, begin: &mut BeginPlan<T>, gradients: &GradientTable, model: &Model) -> Result<()> {
        let place = |m: usize| self.measurements.iter().position(|used| *used == m);
        begin.b0 = gradients.b0_indices().into_iter().filter_map(place).collect();
        if !begin.beginnings.iter().any(|beginning| matches!(beginning, Beginning::Tensor(..))) {
            return Ok(());
        }
        let used = gradients.of_measurements(&self.measurements);
        let chosen = Measurements::Recommended.of(&used)?;
        let axes = distinct_axes(&used, &chosen);
        if axes < TENSOR_AXES {
            let problem = format!(
                "{} starts from a tensor, and {axes} different directions cannot determine one",
                model.name()
            );
            let advice = "at least 6 are needed; give starts with --start, or acquire more";
            return Err(Error::invalid("gradient table", problem, advice));
        }
        for m in chosen {
            let b = 1e-3 * used.b_values()[m];
            let [x, y, z] = used.directions()[m];
            let row = [
                1.0,
                -b * x * x,
                -b * y * y,
                -b * z * z,
                -2.0 * b * x * y,
                -2.0 * b * x * z,
                -2.0 * b * y * z,
            ];
            begin.rows.push((m, row.map(T::of)));
        }
        Ok(())
    }
}

fn check_within(parameter: &Parameter, value: f64) -> Result<()> {
    let Form::Number { bounds, .. } = parameter.form() else {
        let problem = "it is an orientation, and a number says nothing of it";
        return Err(Error::usage(parameter.name(), problem, "give a map of three volumes"));
    };
    if bounds.contains(value) {
        return Ok(());
    }
    let problem =
        format!("{value} {} is beyond its bounds, {} to {}", parameter.unit(), bounds.low, bounds.high);
    Err(Error::usage(parameter.name(), problem, format!("give it in {}", parameter.unit())))
}

fn control<T: Series>(options: &FitOptions) -> Control<T> {
    let single = options.single_precision;
    Control {
        tolerance: T::of(if single { 1e-6 } else { 1e-9 }),
        floor: T::of(if single { 1e-13 } else { 1e-28 }),
        evaluations: if options.evaluations == 0 { USUAL_EVALUATIONS } else { options.evaluations },
        bounds: options.bounds,
    }
}

/// Constraints as rows of weights.
fn constraints<T: Series>(program: &ModelProgram, settings: &[f64]) -> Vec<LinearRow<T>> {
    let inputs: Vec<Input> = (0..program.free_numbers as u16).map(Input::Parameter).collect();
    let row = |constraint: &crate::language::LinearConstraint| {
        let mut graph = program.program.clone();
        let gradient = graph.gradient(constraint.value, &inputs);
        let values = graph.evaluate(|input| match input {
            Input::Setting(n) => settings[usize::from(n)],
            _ => 0.0,
        });
        LinearRow {
            weights: gradient.iter().map(|id| T::of(values[id.index()])).collect(),
            offset: T::of(values[constraint.value.index()]),
            is_equality: constraint.is_equality,
        }
    };
    program.constraints.iter().map(row).collect()
}
