//! Applies and checks the overrides of parameters.

use super::options::{FitOptions, Override, OverrideKind};
use crate::language::{Form, Input, Known, Method, Model, ModelProgram, Node, Parameter, Role};
use arcuate_core::{Error, Result, Volume};

/// Returns the override of a parameter.
pub(super) fn override_of<'a>(options: &'a FitOptions, parameter: &Parameter) -> Option<&'a OverrideKind> {
    options.overrides.iter().rfind(|change| change.parameter == parameter.name()).map(|change| &change.what)
}

/// Returns an error if a user's override of a parameter, or a user's column with one number per measurement,
/// has no effect on any model.
pub(super) fn check(models: &[Model], options: &FitOptions) -> Result<()> {
    for change in &options.overrides {
        check_override(models, change, options.search_alone)?;
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
    Ok(())
}

fn check_override(models: &[Model], change: &Override, search_alone: bool) -> Result<()> {
    let name = &change.parameter;
    let refuse = |problem: &str, advice: String| Err(Error::usage(name, problem, advice));
    let having: Vec<(&Model, usize)> =
        models.iter().filter_map(|model| Some((model, model.parameter_of(name)?))).collect();
    if having.is_empty() {
        let names: Vec<&str> = models.iter().flat_map(Model::parameters).map(Parameter::name).collect();
        let otherwise = format!("there are {}", names.join(", "));
        let advice = crate::language::did_you_mean(name, names.iter().copied(), otherwise);
        return refuse("no model that is fitted has such a parameter", advice);
    }
    let is_fixed = |(model, n): &(&Model, usize)| model.parameters()[*n].is_fixed();
    // A parameter that the user has set free is fitted in the last Levenberg–Marquardt stage.
    let is_moved = |(model, n): &(&Model, usize)| {
        let moves = |stage: &crate::language::Stage| {
            stage.method == Method::LevenbergMarquardt
                && (model.parameters()[*n].is_fixed() || stage.parameters.contains(n))
        };
        !search_alone && model.stages().iter().any(moves)
    };
    match change.what {
        OverrideKind::Free if !having.iter().any(is_fixed) => {
            refuse("it is fitted already", "leave it out".to_owned())
        }
        OverrideKind::Kept if having.iter().all(is_fixed) => {
            refuse("it is fixed already", format!("give a value, as in {name}=VALUE, or leave it out"))
        }
        OverrideKind::Free | OverrideKind::StartingAt(_) if !having.iter().any(is_moved) => {
            let problem = if search_alone {
                "a search alone would not move it from where it starts"
            } else {
                "no Levenberg–Marquardt stage of the model would move it from where it starts"
            };
            refuse(problem, format!("take it as known: ‘fix’ {name}=VALUE"))
        }
        _ => Ok(()),
    }
}

/// Returns an error if the user gives a number for an orientation, or if the number is outside the bounds of
/// the parameter.
pub(super) fn check_within(parameter: &Parameter, value: f64) -> Result<()> {
    let Form::Number { bounds, .. } = parameter.form() else {
        let problem = "it is an orientation, and a number says nothing of it";
        return Err(Error::usage(
            parameter.name(),
            problem,
            "give an image with three volumes (x, y and z of the orientation)",
        ));
    };
    if bounds.contains(value) {
        return Ok(());
    }
    let unit = unit_text(&parameter.unit().to_string());
    let problem = format!(
        "the value {value}{unit} is outside the bounds of the parameter, {} to \
                           {}{unit}",
        bounds.low, bounds.high
    );
    Err(Error::usage(parameter.name(), problem, "give a value within the bounds, in this unit"))
}

/// Limits the values of an image that gives a parameter's starting values to the bounds of the parameter.
pub(super) fn within_bounds(parameter: &Parameter, image: &Volume<f32>) -> Volume<f32> {
    let mut image = image.clone();
    if let Form::Number { bounds, .. } = parameter.form() {
        let [low, high] = [bounds.low, bounds.high].map(|end| end as f32);
        image.values_mut().iter_mut().for_each(|value| *value = value.clamp(low, high));
    }
    image
}

/// Returns an error if a parameter that is given as an image is part of a constraint, because constraints are
/// the same for all voxels.
pub(super) fn check_map_roles(model: &Model, program: &ModelProgram) -> Result<()> {
    for (constraint, linear) in model.constraints().iter().zip(&program.constraints) {
        for id in program.program.reachable(&[linear.value]) {
            let Node::Input(Input::Map(number)) = program.program.node(id) else { continue };
            let place = (Role::Map, usize::from(number));
            if let Some(n) = program.places.iter().position(|other| *other == place) {
                let problem = format!(
                    "the constraint `{}` uses this map, but a constraint must be the same in all voxels",
                    constraint.text()
                );
                return Err(Error::usage(model.parameters()[n].name(), problem, "give a number"));
            }
        }
    }
    Ok(())
}

/// Returns the unit as text that follows a number. For the unit "1", the text is empty.
pub(super) fn unit_text(unit: &str) -> String {
    if unit == "1" { String::new() } else { format!(" {unit}") }
}
