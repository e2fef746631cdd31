//! Prepares models for a fit on the CPU or a GPU, from the models, a gradient table and the user's overrides.

use super::begin::{BeginPlan, StartValue};
use super::candidates::Candidates;
use super::cascade::{self, Given, Link};
use super::constraints::constraints;
use super::curved_constraints::{CurvedConstraints, CurvedStage};
use super::dispersion_series::SeriesLength;
use super::feasibility;
use super::options::{FitOptions, OverrideKind, Source};
use super::overrides::{self, check_within, override_of};
use super::plan::{ModelPlan, Pipeline};
use super::protocol::{Protocol, without_table};
use super::schedule::Schedule;
use super::stage::{Control, StagePlan};
use super::unknowns::Unknown;
use crate::language::{DEVIATIONS, Form, Method, Model, Parameter, Role, Stage, Start};
use crate::tensor::Measurements;
use arcuate_core::{Error, GradientTable, Result, Volume, narrow};
use arcuate_numbers::Real;

/// Default maximum number of evaluations of the signal in a voxel's fit. A fit that needs more evaluations
/// has a problem.
const USUAL_EVALUATIONS: u32 = 200;
/// Minimum number of gradient axes for a tensor fit. Opposite gradient directions count as one axis.
const TENSOR_AXES: usize = 6;

impl<T: Real> Pipeline<T> {
    pub(crate) fn new(models: &[Model], gradients: &GradientTable, options: &FitOptions) -> Result<Self> {
        let measurements = options.measurements.of(gradients)?;
        overrides::check(models, options)?;
        let (links, requested) = cascade::in_order(models)?;
        let mut pipeline = Self { plans: Vec::new(), requested, measurements, protocols: Vec::new() };
        for link in &links {
            let (plan, protocol) = pipeline.plan(link, gradients, options)?;
            pipeline.plans.push(plan);
            pipeline.protocols.push(protocol);
        }
        Ok(pipeline)
    }

    /// Prepares one model of the pipeline. All models that it starts from have been prepared.
    fn plan(
        &self,
        link: &Link,
        gradients: &GradientTable,
        options: &FitOptions,
    ) -> Result<(ModelPlan<T>, Protocol)> {
        let model = &link.model;
        let protocol = Protocol::new(gradients, &self.measurements, model, &options.columns)?;
        let roles = roles(model, options);
        let mut program = model.program_where(&roles, options.gradient_deviations.is_some())?;
        protocol.check(&program)?;
        protocol.weigh(&mut program);
        overrides::check_map_roles(model, &program)?;
        let settings = settings(model, &roles, options)?;
        let maps = maps(model, &roles, gradients, options)?;
        let mut plan = ModelPlan {
            model: model.clone(),
            begin: BeginPlan {
                b0: Vec::new(),
                rows: Vec::new(),
                start_values: Vec::new(),
                bounds: Vec::new(),
                fewest: 0,
            },
            stages: Vec::new(),
            control: control(options),
            given: Vec::new(),
            sources: Vec::new(),
            from_signals: Vec::new(),
            maps,
            unknowns: Vec::new(),
            resting: Vec::new(),
            noise_factor: protocol.noise_factor(),
            derivatives: Schedule::new(&program, &protocol, &settings, &[], SeriesLength::Double)?,
            settings,
            roles,
            program,
        };
        let kept = self.add_starts(&mut plan, link, options)?;
        self.add_tensor(&mut plan.begin, gradients, model)?;
        let found = add_stages(&mut plan, &protocol, &kept, options)?;
        plan.unknowns = plan.program.unknowns(model, &found);
        plan.resting = plan.unknowns.iter().map(|unknown| kept.rests(unknown.place())).collect();
        plan.derivatives =
            Schedule::new(&plan.program, &protocol, &plan.settings, &plan.unknowns, SeriesLength::Double)?;
        let fitted = plan.resting.iter().filter(|rests| !**rests).count();
        plan.begin.fewest = fitted.max(1);
        if protocol.conditions() < plan.begin.fewest {
            let problem = format!(
                "{} measurements cannot determine {fitted} unknowns of {}",
                protocol.conditions(),
                model.name()
            );
            return Err(Error::invalid(
                "gradient table",
                problem,
                "fit a smaller model, or fix some of its parameters",
            ));
        }
        Ok((plan, protocol))
    }

    /// Adds the bounds and starting values of all free parameters to a plan. Returns the parameters that the
    /// user overrides.
    fn add_starts(&self, plan: &mut ModelPlan<T>, link: &Link, options: &FitOptions) -> Result<Kept> {
        let model = &link.model;
        let mut kept = Kept::default();
        for (n, parameter) in model.parameters().iter().enumerate() {
            let (role, first) = plan.program.places[n];
            if role != Role::Free {
                continue;
            }
            let change = override_of(options, parameter);
            let factor = parameter.unit().factor();
            let power = parameter.unit().dimension().signal_power();
            let overridden = match change {
                Some(OverrideKind::Fixed(source)) => Some((source, true)),
                Some(OverrideKind::StartingAt(source)) => Some((source, false)),
                _ => None,
            };
            let rests = matches!(change, Some(OverrideKind::Fixed(_) | OverrideKind::Kept));
            kept.resting.push((first, parameter.numbers(), rests));
            let bounds = match parameter.form() {
                Form::Number { bounds, .. } => [T::of(bounds.low * factor), T::of(bounds.high * factor)],
                Form::Orientation { .. } => [T::of(f64::NEG_INFINITY), T::of(f64::INFINITY)],
            };
            let given = link.given.iter().find(|given| given.parameter == n);
            for component in 0..parameter.numbers() {
                plan.begin.bounds.push(bounds);
                let start_value = match overridden {
                    Some((Source::Number(value), _)) if power == 0.0 => {
                        StartValue::Value(T::of(value * factor))
                    }
                    None if given.is_none() => own_start(parameter, component),
                    _ => StartValue::Given,
                };
                plan.begin.start_values.push(start_value);
                if let (None, Some(given)) = (overridden, given) {
                    let place = self.number_of(*given, model)? + component;
                    plan.given.push((first + component, given.link, place));
                }
            }
            if let (None, Start::Signals(of)) = (overridden, parameter.start()) {
                plan.from_signals.push((first, *of));
            }
            match overridden {
                Some((Source::Number(value), _)) => {
                    check_within(parameter, *value)?;
                    // A parameter with the unit of the signal needs one value per voxel, because the signals
                    // of each voxel are scaled differently.
                    if power != 0.0 {
                        plan.sources.push((first, Source::Number(*value), factor, power));
                    }
                }
                Some((Source::Map(map), is_fixed)) => {
                    let map =
                        if is_fixed { (**map).clone() } else { overrides::within_bounds(parameter, map) };
                    plan.sources.push((first, Source::Map(Box::new(map)), factor, power));
                }
                None => {}
            }
            if matches!(change, Some(OverrideKind::StartingAt(_))) {
                kept.started.push(narrow::<u16>(first));
            }
        }
        Ok(kept)
    }

    /// Returns the index of the first value of the parameter that another model uses as a starting value.
    fn number_of(&self, given: Given, model: &Model) -> Result<usize> {
        let other = &self.plans[given.link];
        if other.roles[given.from] == Role::Free {
            return Ok(other.program.places[given.from].1);
        }
        let (name, from) = (other.model.name(), other.model.parameters()[given.from].name());
        let problem = format!(
            "`{}` starts from `{from}` of {name}, which is fixed there",
            model.parameters()[given.parameter].name()
        );
        Err(model.wrong(given.parameter, problem, format!("name one that it fits, or give ‘free’ {from}")))
    }

    /// Adds the linear equations of the tensor fit to the plan if a parameter of the model starts from the
    /// tensor.
    fn add_tensor(&self, begin: &mut BeginPlan<T>, gradients: &GradientTable, model: &Model) -> Result<()> {
        let place = |m: usize| self.measurements.iter().position(|used| *used == m);
        begin.b0 = gradients.b0_indices().into_iter().filter_map(place).collect();
        if !begin.start_values.iter().any(|start_value| matches!(start_value, StartValue::Tensor(..))) {
            return Ok(());
        }
        if !gradients.is_known() {
            return Err(without_table(&format!("{} starts from a tensor", model.name())));
        }
        let used = gradients.of_measurements(&self.measurements);
        let chosen = Measurements::Recommended.of(&used)?;
        let axes = used.distinct_axes(&chosen);
        if axes < TENSOR_AXES {
            let problem = format!(
                "{} starts from a tensor, which {axes} different directions cannot determine",
                model.name()
            );
            let advice = "at least 6 are needed; give starts with ‘start’, or acquire more";
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

/// Free parameters of a model that the user overrides.
#[derive(Default)]
struct Kept {
    /// For each free parameter: the index of its first value, the number of its values, and whether it keeps
    /// its starting value.
    resting: Vec<(usize, usize, bool)>,
    /// The first values of parameters whose starting value the user gave.
    started: Vec<u16>,
}

impl Kept {
    /// Returns whether a value keeps its starting value.
    fn rests(&self, place: u16) -> bool {
        let place = usize::from(place);
        self.resting.iter().any(|(first, count, rests)| *rests && (*first..first + count).contains(&place))
    }
}

/// Returns the roles of the parameters, with the user's overrides.
fn roles(model: &Model, options: &FitOptions) -> Vec<Role> {
    let mut roles = model.own_roles();
    for (parameter, role) in model.parameters().iter().zip(&mut roles) {
        match (override_of(options, parameter), *role) {
            (Some(OverrideKind::Free | OverrideKind::StartingAt(_)), Role::Setting) => *role = Role::Free,
            (Some(OverrideKind::Fixed(Source::Map(_))), Role::Setting) => *role = Role::Map,
            _ => {}
        }
    }
    roles
}

/// Returns the values of the parameters with the role `Setting`, in base units.
fn settings(model: &Model, roles: &[Role], options: &FitOptions) -> Result<Vec<f64>> {
    let mut settings = Vec::new();
    let of_role = model.parameters().iter().zip(roles).filter(|(_, role)| **role == Role::Setting);
    for (parameter, _) in of_role {
        let factor = parameter.unit().factor();
        if let Some(OverrideKind::Fixed(Source::Number(value))) = override_of(options, parameter) {
            check_within(parameter, *value)?;
            settings.push(value * factor);
        } else {
            settings.push(parameter.start_number().unwrap_or(0.0) * factor);
        }
    }
    Ok(settings)
}

/// Returns the maps that formulas use, each with the factor that converts it to base units: parameters with
/// the role `Map`, maps of the model, and gradient deviations.
fn maps(
    model: &Model,
    roles: &[Role],
    gradients: &GradientTable,
    options: &FitOptions,
) -> Result<Vec<(Volume<f32>, f64)>> {
    let mut maps = Vec::new();
    for (parameter, role) in model.parameters().iter().zip(roles) {
        if let (Role::Map, Some(OverrideKind::Fixed(Source::Map(map)))) =
            (role, override_of(options, parameter))
        {
            maps.push(((**map).clone(), parameter.unit().factor()));
        }
    }
    for known in model.maps() {
        let Some((_, map)) = options.maps.iter().find(|(name, _)| name == known.name()) else {
            let problem = format!("the model {} needs this map", model.name());
            return Err(Error::usage(known.name(), problem, format!("give ‘map’ {}=IMAGE", known.name())));
        };
        maps.push((map.clone(), known.unit().factor()));
    }
    if let Some(deviations) = &options.gradient_deviations {
        if !gradients.is_known() {
            return Err(without_table("gradient deviations need a gradient table"));
        }
        if deviations.channels() != DEVIATIONS {
            let problem = format!(
                "the image of gradient deviations has {} volumes, not {DEVIATIONS}",
                deviations.channels()
            );
            let advice = "give the image that the correction of gradient nonlinearities has written";
            return Err(Error::invalid("gradient deviations", problem, advice));
        }
        maps.extend((0..DEVIATIONS).map(|n| (deviations.channel(n), 1.0)));
    }
    Ok(maps)
}

/// Returns the start of a component of a parameter as the model states it.
fn own_start<T: Real>(parameter: &Parameter, component: usize) -> StartValue<T> {
    match parameter.start() {
        // The value 1 is a placeholder. The starting value is computed when the signals are known.
        Start::MeanB0 | Start::Signals(_) => StartValue::One,
        Start::Tensor(part) => StartValue::Tensor(*part, narrow::<u8>(component)),
        // If an orientation has no starting value of its own, a grid search sets it. Before the search, it
        // points along x.
        _ if parameter.numbers() == 3 => StartValue::Value(T::of(f64::from(u8::from(component == 0)))),
        _ => StartValue::Value(T::of(parameter.start_number().unwrap_or(0.0) * parameter.unit().factor())),
    }
}

/// Returns the stages of a fit, with the user's overrides.
fn stages(model: &Model, roles: &[Role], options: &FitOptions) -> Result<Vec<Stage>> {
    let mut stages = model.stages().to_vec();
    if let Some(last) = stages.iter_mut().rfind(|stage| stage.method == Method::LevenbergMarquardt) {
        // A parameter that the user set free is fitted together with all other free parameters.
        let freed = (0..roles.len()).filter(|&n| roles[n] == Role::Free && model.parameters()[n].is_fixed());
        last.parameters.extend(freed);
    }
    if options.search_alone {
        let Some(last) = stages.iter().rposition(|stage| stage.method.searches()) else {
            let problem = format!("{} has no parameter with a search grid", model.name());
            return Err(Error::usage(
                "‘method’ grid",
                problem,
                "give a parameter a search grid, or use another method",
            ));
        };
        stages.truncate(last + 1);
    }
    Ok(stages)
}

/// Adds the stages of the fit to a plan, and checks the constraints at the start. Returns the parameters that
/// the stages change.
fn add_stages<T: Real>(
    plan: &mut ModelPlan<T>,
    protocol: &Protocol,
    kept: &Kept,
    options: &FitOptions,
) -> Result<Vec<usize>> {
    let constraints = constraints::<T>(&plan.program, &plan.settings);
    let curved = CurvedConstraints::new(&plan.program, &plan.settings);
    let stages = stages(&plan.model, &plan.roles, options)?;
    let evaluations = if options.evaluations == 0 { USUAL_EVALUATIONS } else { options.evaluations };
    for stage in &stages {
        let searches = stage.method.searches();
        let unknowns =
            if searches { Vec::new() } else { plan.program.unknowns(&plan.model, &stage.parameters) };
        let length = if options.single_precision { SeriesLength::Single } else { SeriesLength::Double };
        let schedule = Schedule::new(&plan.program, protocol, &plan.settings, &unknowns, length)?;
        let bounds = unknowns.iter().map(|unknown| match unknown {
            Unknown::Number(n) => plan.begin.bounds[usize::from(*n)],
            Unknown::Turn { .. } => [T::of(f64::NEG_INFINITY), T::of(f64::INFINITY)],
        });
        let search = match stage.method {
            Method::LevenbergMarquardt => None,
            Method::GridSearch { keep } => {
                // A parameter whose starting value the user gave is not part of the grid search.
                let is_set = |place: u16| kept.rests(place) || kept.started.contains(&place);
                let tried = Candidates::new(
                    (&plan.model, &plan.program),
                    &plan.begin.start_values,
                    &stage.parameters,
                    keep,
                    (&constraints, curved.as_ref()),
                    &is_set,
                )?;
                if tried.is_none() {
                    continue;
                }
                tried
            }
        };
        let curved = match &curved {
            Some(_) if !searches => {
                Some(CurvedStage::new(&plan.program, protocol, &plan.settings, &unknowns, length)?)
            }
            _ => None,
        };
        plan.stages.push(StagePlan {
            bounds: bounds.collect(),
            resting: unknowns.iter().map(|unknown| kept.rests(unknown.place())).collect(),
            constraints: constraints.clone(),
            curved,
            schedule,
            unknowns,
            search,
            evaluations: stage.evaluations.map_or(evaluations, |maximum| maximum.min(evaluations)),
            from_best: stage.from_best,
        });
    }
    match &curved {
        None => feasibility::check_beginnings(plan, &constraints, options)?,
        Some(curved) => feasibility::check_curved(plan, curved, options)?,
    }
    Ok(stages.iter().flat_map(|stage| stage.parameters.clone()).collect())
}

fn control<T: Real>(options: &FitOptions) -> Control<T> {
    let single = options.single_precision;
    Control {
        tolerance: T::of(if single { 1e-6 } else { 1e-9 }),
        floor: T::of(if single { 1e-13 } else { 1e-28 }),
        bounds: options.bounds,
    }
}
