//! Checks before a fit: whether the starting values of a model satisfy its constraints, and whether the
//! user's images have valid values.

use super::begin::StartValue;
use super::constraints::LinearRow;
use super::curved_constraints::CurvedConstraints;
use super::options::{FitOptions, OverrideKind, Source};
use super::overrides::{override_of, unit_text};
use super::plan::{ModelPlan, Pipeline};
use super::stage::BoundsMethod;
use crate::language::{Form, Range, Role};
use arcuate_core::{Error, Result, Volume};
use arcuate_numbers::Real;

/// Largest violation of a constraint that is accepted at the start of a fit. Values of the user are in single
/// precision and may be rounded.
const SLACK: f64 = 1e-6;

/// Returns the range of a linear constraint's slack at the start of a fit. The slack must be 0 for an
/// equality, and at least 0 for an inequality. Starting values that come from images are not included.
fn begins<T: Real>(plan: &ModelPlan<T>, row: &LinearRow<T>) -> Range {
    let mut sum = Range::new(row.offset.double(), row.offset.double());
    for (place, weight) in row.weights.iter().enumerate() {
        let weight = weight.double();
        if weight == 0.0 {
            continue;
        }
        let searched = plan.stages.iter().rev().find_map(|stage| {
            let tried = stage.search.as_ref()?;
            let column = tried.searched.iter().position(|number| usize::from(*number) == place)?;
            Some(tried.values.iter().skip(column).step_by(tried.searched.len()))
        });
        let values: Vec<f64> = match (searched, plan.begin.start_values[place]) {
            (Some(values), _) => values.map(|value| weight * value.double()).collect(),
            (None, StartValue::Value(value)) => vec![weight * value.double()],
            _ => continue,
        };
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        sum = Range::new(sum.low + low, sum.high + high);
    }
    sum
}

/// Returns the starting images that occur in a linear constraint. Each comes with the index of its first
/// parameter value, and with its factor in the constraint.
fn images_in<'a, T: Real>(
    plan: &'a ModelPlan<T>,
    row: &'a LinearRow<T>,
) -> impl Iterator<Item = (&'a Volume<f32>, usize, f64)> + 'a {
    plan.sources.iter().filter_map(|(first, source, factor, _)| match source {
        Source::Map(map) if row.weights[*first].double() != 0.0 => {
            Some((&**map, *first, row.weights[*first].double() * factor))
        }
        _ => None,
    })
}

/// Returns an error if no combination of a grid search satisfies the constraints, or if the starting values
/// of a fit violate a constraint.
pub(super) fn check_beginnings<T: Real>(
    plan: &ModelPlan<T>,
    rows: &[LinearRow<T>],
    options: &FitOptions,
) -> Result<()> {
    let empty = plan.stages.iter().any(|stage| stage.search.as_ref().is_some_and(|tried| tried.len() == 0));
    let is_broken = |row: &LinearRow<T>| {
        let sum = begins(plan, row);
        images_in(plan, row).next().is_none()
            && if row.is_equality { sum.low > SLACK || sum.high < -SLACK } else { sum.high < -SLACK }
    };
    let broken: Vec<usize> = (0..rows.len()).filter(|&row| empty || is_broken(&rows[row])).collect();
    if broken.is_empty() {
        return Ok(());
    }
    let is_weighed = |first: usize| broken.iter().any(|&row| rows[row].weights[first].double() != 0.0);
    Err(no_start(plan, &broken, &is_weighed, options))
}

/// Returns an error that names the constraints which no starting values satisfy. If the user has set a
/// parameter of these constraints, the error names this parameter.
fn no_start<T: Real>(
    plan: &ModelPlan<T>,
    broken: &[usize],
    is_weighed: &dyn Fn(usize) -> bool,
    options: &FitOptions,
) -> Error {
    let texts: Vec<String> =
        broken.iter().map(|&row| format!("`{}`", plan.model.constraints()[row].text())).collect();
    let problem = format!("no start meets {}", texts.join(" and "));
    let parameters = plan.model.parameters();
    let is_overridden = |n: &usize| override_of(options, &parameters[*n]).is_some();
    let is_weighed = |n: &usize| {
        let (role, first) = plan.program.places[*n];
        role == Role::Free && is_weighed(first)
    };
    let all = 0..parameters.len();
    let overridden = all
        .clone()
        .find(|n| is_overridden(n) && is_weighed(n))
        .or_else(|| all.into_iter().find(is_overridden));
    match overridden {
        Some(n) => {
            let parameter = &parameters[n];
            let advice = "change ‘fix’ or ‘start’ of the parameters in this constraint";
            Error::usage(parameter.name(), problem, advice)
        }
        None => Error::invalid(plan.model.name(), problem, "change the search grids of the model"),
    }
}

/// Does the same as [`check_beginnings`], for models with nonlinear constraints. Also returns an error if the
/// starting value of a constrained parameter is not known before the fit. The same holds if the chosen method
/// for bounds does not support nonlinear constraints.
pub(super) fn check_curved<T: Real>(
    plan: &ModelPlan<T>,
    curved: &CurvedConstraints,
    options: &FitOptions,
) -> Result<()> {
    let model = &plan.model;
    if options.bounds == BoundsMethod::Transform {
        let problem = format!(
            "{} has nonlinear constraints, which transformed parameters do not satisfy",
            model.name()
        );
        return Err(Error::usage("‘bounds’", problem, "choose the projection method for bounds"));
    }
    for (first, source, ..) in &plan.sources {
        if matches!(source, Source::Map(_)) && curved.has(*first) {
            let of_place = |other: &(Role, usize)| *other == (Role::Free, *first);
            let n = plan.program.places.iter().position(of_place).unwrap_or_default();
            let problem =
                "it takes part in a constraint that is not linear, and starts elsewhere in each voxel";
            return Err(Error::usage(model.parameters()[n].name(), problem, "give a number"));
        }
    }
    let searches = || plan.stages.iter().filter_map(|stage| stage.search.as_ref());
    let of_constraints = |numbers: &[u16]| numbers.iter().any(|number| curved.has(usize::from(*number)));
    if searches().filter(|tried| of_constraints(&tried.searched)).count() > 1 {
        let problem = "two searches try parameters of constraints that are not linear";
        return Err(Error::invalid(
            model.name(),
            problem,
            "search all parameters of nonlinear constraints in one stage",
        ));
    }
    let start_value = |place: usize| match plan.begin.start_values[place] {
        StartValue::Value(value) => value.double(),
        _ => 0.0,
    };
    let tried = searches().find(|tried| of_constraints(&tried.searched));
    let broken = match tried {
        // The grid search has already removed the combinations that violate constraints. If no combination is
        // left, no starting values satisfy the constraints.
        Some(tried) if tried.len() == 0 => (0..model.constraints().len()).collect(),
        Some(_) => Vec::new(),
        None => curved.broken(start_value),
    };
    if broken.is_empty() { Ok(()) } else { Err(no_start(plan, &broken, &|first| curved.has(first), options)) }
}

/// Returns an error if an image of the user has invalid values in voxels that will be fitted.
pub(super) fn check_images<T: Real>(
    pipeline: &Pipeline<T>,
    options: &FitOptions,
    items: &[usize],
) -> Result<()> {
    if let Some(deviations) = &options.gradient_deviations {
        // Gradient deviations above this limit are not plausible: the gradient would be ten times too strong.
        check_values("gradient deviations", deviations, Range::new(-10.0, 10.0), "", items)?;
    }
    for plan in &pipeline.plans {
        for parameter in plan.model.parameters() {
            match (override_of(options, parameter), parameter.form()) {
                (Some(OverrideKind::Fixed(Source::Map(map))), Form::Number { bounds, .. }) => {
                    check_values(parameter.name(), map, *bounds, &parameter.unit().to_string(), items)?;
                }
                (Some(OverrideKind::StartingAt(Source::Map(map))), Form::Number { .. }) => {
                    check_values(parameter.name(), map, Range::ALL, "", items)?;
                }
                (
                    Some(OverrideKind::Fixed(Source::Map(map)) | OverrideKind::StartingAt(Source::Map(map))),
                    Form::Orientation { .. },
                ) => check_directions(parameter.name(), map, items)?,
                _ => {}
            }
        }
        for known in plan.model.maps() {
            if let Some((_, map)) = options.maps.iter().find(|(name, _)| name == known.name()) {
                check_values(known.name(), map, known.bounds(), &known.unit().to_string(), items)?;
            }
        }
        if let Some(rows) = plan.stages.first().map(|stage| &stage.constraints) {
            for (row, constraint) in rows.iter().zip(plan.model.constraints()) {
                check_constraint(plan, row, constraint.text(), items)?;
            }
        }
    }
    Ok(())
}

fn check_values(name: &str, map: &Volume<f32>, bounds: Range, unit: &str, items: &[usize]) -> Result<()> {
    // The accepted range is slightly wider than the bounds of the parameter. After rounding to single
    // precision, a value at a bound may be outside.
    let taken = Range::new(bounds.low - SLACK * bounds.low.abs(), bounds.high + SLACK * bounds.high.abs());
    let is_wrong = |value: f32| !value.is_finite() || !taken.contains(f64::from(value));
    let wrong: Vec<usize> = items.iter().copied().filter(|&item| is_wrong(map.voxel(item)[0])).collect();
    let Some(&first) = wrong.first() else { return Ok(()) };
    let ([x, y, z], first) = (map.grid().coordinates(first), map.voxel(first)[0]);
    let unit = unit_text(unit);
    let wanted = match (bounds.low.is_finite(), bounds.high.is_finite()) {
        (true, true) => format!("numbers from {} to {}{unit}", bounds.low, bounds.high),
        (true, false) => format!("numbers of {}{unit} or more", bounds.low),
        (false, true) => format!("numbers up to {}{unit}", bounds.high),
        (false, false) => "finite numbers".to_owned(),
    };
    let problem = format!(
        "{} of {} voxels in the mask have values that `{name}` does not allow ({wanted}); voxel {x}, {y}, \
         {z} (counted from 0) has {first}",
        wrong.len(),
        items.len()
    );
    Err(Error::invalid(name, problem, "check the image and its unit, or remove these voxels from the mask"))
}

fn check_directions(name: &str, map: &Volume<f32>, items: &[usize]) -> Result<()> {
    let is_direction = |item: &usize| {
        let of_voxel = map.voxel(*item);
        of_voxel.iter().all(|value| value.is_finite()) && of_voxel.iter().any(|value| *value != 0.0)
    };
    let wrong = items.iter().filter(|item| !is_direction(item)).count();
    if wrong == 0 {
        return Ok(());
    }
    let problem = format!("{wrong} of {} voxels in the mask have no direction for `{name}`", items.len());
    Err(Error::invalid(
        name,
        problem,
        "give a direction in every voxel, or remove these voxels from the \
                                       mask",
    ))
}

fn check_constraint<T: Real>(
    plan: &ModelPlan<T>,
    row: &LinearRow<T>,
    text: &str,
    items: &[usize],
) -> Result<()> {
    let images: Vec<_> = images_in(plan, row).collect();
    let Some((_, place, _)) = images.first() else { return Ok(()) };
    let others = begins(plan, row);
    let is_broken = |item: &usize| {
        let sum: f64 = images.iter().map(|(map, _, factor)| factor * f64::from(map.voxel(*item)[0])).sum();
        others.low + sum < -SLACK || row.is_equality && others.high + sum > SLACK
    };
    let broken = items.iter().filter(|item| is_broken(item)).count();
    if broken == 0 {
        return Ok(());
    }
    let of_place = |other: &&(Role, usize)| **other == (Role::Free, *place);
    let n = plan.program.places.iter().position(|other| of_place(&other)).unwrap_or_default();
    let problem = format!(
        "in {broken} of {} voxels in the mask, the start values violate the constraint `{text}`",
        items.len()
    );
    let advice = "change the image, or start the other parameters elsewhere";
    Err(Error::invalid(plan.model.parameters()[n].name(), problem, advice))
}
