//! What users wish to be otherwise than models say, and what of it is refused.

use super::begin::Beginning;
use super::plan::{FitOptions, ModelPlan, Pipeline, Source, Wish, WishFor};
use super::stage::LinearRow;
use crate::language::{Form, Input, Known, Method, Model, ModelProgram, Node, Parameter, Range, Role};
use crate::special::watson::Series;
use arcuate_core::{Error, Result, Volume};

/// How far constraints may be missed: values come as `f32`.
const SLACK: f64 = 1e-6;

/// What is wished for a parameter.
pub(super) fn wish_for<'a>(options: &'a FitOptions, parameter: &Parameter) -> Option<&'a WishFor> {
    options.wishes.iter().rfind(|wish| wish.parameter == parameter.name()).map(|wish| &wish.what)
}

/// Fails for wishes and columns that are for nothing.
pub(super) fn check(models: &[Model], options: &FitOptions) -> Result<()> {
    for wish in &options.wishes {
        check_wish(models, wish)?;
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

fn check_wish(models: &[Model], wish: &Wish) -> Result<()> {
    let name = &wish.parameter;
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
    // What is freed joins the last Levenberg–Marquardt stage.
    let is_moved = |(model, n): &(&Model, usize)| {
        let moves = |stage: &crate::language::Stage| {
            stage.method == Method::LevenbergMarquardt
                && (model.parameters()[*n].is_fixed() || stage.parameters.contains(n))
        };
        model.stages().iter().any(moves)
    };
    match wish.what {
        WishFor::Free if !having.iter().any(is_fixed) => {
            refuse("it is fitted already", "leave it out".to_owned())
        }
        WishFor::Kept if having.iter().all(is_fixed) => {
            refuse("it is fixed already", format!("give a value, as in {name}=VALUE, or leave it out"))
        }
        WishFor::Free | WishFor::StartingAt(_) if !having.iter().any(is_moved) => {
            let problem = "no Levenberg–Marquardt stage of the model would move it from where it starts";
            refuse(problem, format!("take it as known: --fix {name}=VALUE"))
        }
        _ => Ok(()),
    }
}

/// Fails where a parameter cannot be a number, or not this one.
pub(super) fn check_within(parameter: &Parameter, value: f64) -> Result<()> {
    let Form::Number { bounds, .. } = parameter.form() else {
        let problem = "it is an orientation, and a number says nothing of it";
        return Err(Error::usage(parameter.name(), problem, "give an image of three volumes"));
    };
    if bounds.contains(value) {
        return Ok(());
    }
    let unit = said(&parameter.unit().to_string());
    let problem = format!("{value}{unit} is beyond its bounds, {} to {}{unit}", bounds.low, bounds.high);
    Err(Error::usage(parameter.name(), problem, "give a value within them, in this unit"))
}

/// An image to start from, brought within the bounds of its parameter.
pub(super) fn within_bounds(parameter: &Parameter, image: &Volume<f32>) -> Volume<f32> {
    let mut image = image.clone();
    if let Form::Number { bounds, .. } = parameter.form() {
        let [low, high] = [bounds.low, bounds.high].map(|end| end as f32);
        image.values_mut().iter_mut().for_each(|value| *value = value.clamp(low, high));
    }
    image
}

/// Fails where what is given as an image takes part in a constraint, which is the same for all voxels.
pub(super) fn check_map_roles(model: &Model, program: &ModelProgram) -> Result<()> {
    for (constraint, linear) in model.constraints().iter().zip(&program.constraints) {
        for id in program.program.reachable(&[linear.value]) {
            let Node::Input(Input::Map(number)) = program.program.node(id) else { continue };
            let place = (Role::Map, usize::from(number));
            if let Some(n) = program.places.iter().position(|other| *other == place) {
                let problem = format!(
                    "it takes part in `{}`, which must be the same for all voxels",
                    constraint.text()
                );
                return Err(Error::usage(model.parameters()[n].name(), problem, "give a number"));
            }
        }
    }
    Ok(())
}

/// What the numbers that are not of an image come to in a constraint where a fit begins: at least and at most.
fn begins<T: Series>(plan: &ModelPlan<T>, row: &LinearRow<T>) -> Range {
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
        let values: Vec<f64> = match (searched, plan.begin.beginnings[place]) {
            (Some(values), _) => values.map(|value| weight * value.double()).collect(),
            (None, Beginning::Value(value)) => vec![weight * value.double()],
            _ => continue,
        };
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        sum = Range::new(sum.low + low, sum.high + high);
    }
    sum
}

/// Whether images take part in a constraint: their first number, and what one of its values is multiplied with.
fn images_in<'a, T: Series>(
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

/// Fails where a search has nothing to try, or a fit begins where constraints are not met.
pub(super) fn check_beginnings<T: Series>(
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
    let texts: Vec<String> =
        broken.iter().map(|&row| format!("`{}`", plan.model.constraints()[row].text())).collect();
    let problem = format!("no start meets {}", texts.join(" and "));
    let parameters = plan.model.parameters();
    let is_wished = |n: &usize| wish_for(options, &parameters[*n]).is_some();
    let is_weighed = |n: &usize| {
        let (role, first) = plan.program.places[*n];
        role == Role::Free && broken.iter().any(|&row| rows[row].weights[first].double() != 0.0)
    };
    let all = 0..parameters.len();
    let wished =
        all.clone().find(|n| is_wished(n) && is_weighed(n)).or_else(|| all.into_iter().find(is_wished));
    match wished {
        Some(n) => {
            let parameter = &parameters[n];
            let advice = "change what --fix and --start say of the parameters in it";
            Err(Error::usage(parameter.name(), problem, advice))
        }
        None => Err(Error::invalid(plan.model.name(), problem, "change the grids of its stages")),
    }
}

/// Fails where images hold what models cannot take in voxels that are to be fitted.
pub(super) fn check_images<T: Series>(
    pipeline: &Pipeline<T>,
    options: &FitOptions,
    items: &[usize],
) -> Result<()> {
    if let Some(deviations) = &options.gradient_deviations {
        // A gradient that is ten times as long is none.
        check_values("gradient deviations", deviations, Range::new(-10.0, 10.0), "", items)?;
    }
    for plan in &pipeline.plans {
        for parameter in plan.model.parameters() {
            match (wish_for(options, parameter), parameter.form()) {
                (Some(WishFor::Fixed(Source::Map(map))), Form::Number { bounds, .. }) => {
                    check_values(parameter.name(), map, *bounds, &parameter.unit().to_string(), items)?;
                }
                (Some(WishFor::StartingAt(Source::Map(map))), Form::Number { .. }) => {
                    check_values(parameter.name(), map, Range::ALL, "", items)?;
                }
                (
                    Some(WishFor::Fixed(Source::Map(map)) | WishFor::StartingAt(Source::Map(map))),
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

/// A unit behind a number.
fn said(unit: &str) -> String {
    if unit == "1" { String::new() } else { format!(" {unit}") }
}

fn check_values(name: &str, map: &Volume<f32>, bounds: Range, unit: &str, items: &[usize]) -> Result<()> {
    // The nearest `f32` of a bound may be beyond it.
    let taken = Range::new(bounds.low - SLACK * bounds.low.abs(), bounds.high + SLACK * bounds.high.abs());
    let is_wrong = |value: f32| !value.is_finite() || !taken.contains(f64::from(value));
    let wrong: Vec<f32> =
        items.iter().map(|&item| map.voxel(item)[0]).filter(|value| is_wrong(*value)).collect();
    let Some(first) = wrong.first() else { return Ok(()) };
    let unit = said(unit);
    let wanted = match (bounds.low.is_finite(), bounds.high.is_finite()) {
        (true, true) => format!("numbers from {} to {}{unit}", bounds.low, bounds.high),
        (true, false) => format!("numbers of {}{unit} or more", bounds.low),
        (false, true) => format!("numbers up to {}{unit}", bounds.high),
        (false, false) => "finite numbers".to_owned(),
    };
    let problem = format!(
        "{} of {} voxels in the mask are not what `{name}` takes, {wanted}; one is {first}",
        wrong.len(),
        items.len()
    );
    Err(Error::invalid(name, problem, "check the image and its unit, or leave these voxels out of the mask"))
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
    Err(Error::invalid(name, problem, "give one for each, or leave these voxels out of the mask"))
}

fn check_constraint<T: Series>(
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
        "in {broken} of {} voxels in the mask a fit would begin where `{text}` is broken",
        items.len()
    );
    let advice = "change the image, or start the other parameters elsewhere";
    Err(Error::invalid(plan.model.parameters()[n].name(), problem, advice))
}
