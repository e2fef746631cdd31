//! File names of a model's maps.

use super::example;
use crate::output_files::{Kind, Map, OutputFile};
use crate::scan::{SIGNAL_UNIT, unit_of_map};
use arcuate_model::language::{Form, Model, OtherNames, Parameter};
use std::borrow::Cow;
use std::path::Path;

/// Naming scheme of parameter maps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapNames {
    /// Names of the model's own parameters.
    #[default]
    Arcuate,
    /// Names as in the NODDI toolbox for MATLAB: ficvf, fiso, odi.
    Mdt,
    /// Names of AMICO: `fit_NDI`, `fit_FWF`, `fit_ODI`.
    Amico,
    /// Names in the form of the Brain Imaging Data Structure (BIDS): `…_model-noddi_param-icvf_dwimap`.
    Bids,
}

impl MapNames {
    /// Returns the file name of the map of a parameter. If this naming scheme has no name for it, the name of
    /// the parameter in the model is used.
    pub(super) fn file(self, model: &Model, name: &str, other: &OtherNames, dwi: &Path) -> String {
        let other = match self {
            Self::Arcuate => None,
            Self::Mdt => other.mdt.as_deref(),
            Self::Amico => other.amico.as_deref(),
            Self::Bids => {
                let own: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
                let parameter = other.bids.clone().unwrap_or(own);
                let label = model.other_names().bids.clone();
                let plain = || model.name().chars().filter(char::is_ascii_alphanumeric).collect();
                let label: String = label.unwrap_or_else(plain);
                return format!("{}model-{label}_param-{parameter}_dwimap.nii.gz", entities(dwi));
            }
        };
        format!("{}.nii.gz", other.unwrap_or(name))
    }
}

/// Returns the BIDS entities in the file name of a series. For `sub-01_ses-2_dwi.nii.gz`, they are
/// `sub-01_ses-2_`.
fn entities(dwi: &Path) -> String {
    let name = dwi.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.split('.').next().unwrap_or_default();
    let kept: Vec<&str> = stem
        .split('_')
        .filter(|part| {
            part.contains('-') && !["desc-", "model-", "param-"].iter().any(|key| part.starts_with(key))
        })
        .collect();
    if kept.is_empty() { String::new() } else { kept.join("_") + "_" }
}

/// Describes every output file of the fit of a model, and how the report shows each file.
pub(super) fn files_of(
    model: &Model,
    names: MapNames,
    standard_errors: bool,
    dwi: &Path,
    freed: &[&str],
) -> Vec<OutputFile> {
    let mut output_files = Vec::new();
    let is_free = |parameter: &&Parameter| !parameter.is_fixed() || freed.contains(&parameter.name());
    let free: Vec<&Parameter> = model.parameters().iter().filter(is_free).collect();
    // A parameter that no stage of the model fits has a map but no standard error.
    let is_fitted = |parameter: &&&Parameter| {
        let n = model.parameter_of(parameter.name());
        parameter.is_fixed()
            || model.stages().iter().any(|stage| n.is_some_and(|n| stage.parameters.contains(&n)))
    };
    for parameter in &free {
        let name = names.file(model, parameter.name(), parameter.other_names(), dwi);
        let title = title(model, parameter.name(), parameter.about());
        output_files.push(match parameter.form() {
            Form::Orientation { .. } => {
                let fraction = fraction_of(parameter.name(), &free);
                let weighted_by =
                    fraction.map(|own| names.file(model, own.name(), own.other_names(), dwi).into());
                let caption = match fraction {
                    Some(own) => format!("{COLOURS} Brightness: {}.", own.name()).into(),
                    None => Cow::from(COLOURS),
                };
                let kind = Kind::Map(Map { directions: true, weighted_by, ..Map::default() });
                let content = format!("{title}: three volumes, scanner axes");
                OutputFile::shown(name, title, kind).with_caption(caption).with_content(content)
            }
            Form::Number { bounds, .. } => {
                number(name, title, &parameter.unit().to_string(), [bounds.low, bounds.high])
            }
        });
    }
    for output in model.outputs() {
        let name = names.file(model, output.name(), output.other_names(), dwi);
        let title = title(model, output.name(), output.about());
        output_files.push(number(name, title, &output.unit().to_string(), [0.0, f64::INFINITY]));
    }
    if standard_errors {
        for parameter in free.iter().filter(is_fitted) {
            let what = if parameter.numbers() == 3 { "rad".to_owned() } else { parameter.unit().to_string() };
            let maximum = if parameter.numbers() == 3 { "90°" } else { "the range of its bounds" };
            let title = format!(
                "Standard error of {}, {what} ({maximum}: not determined; 0: at a bound, taken as known or not fitted)",
                parameter.name()
            );
            let file = OutputFile::file(format!("{}_error.nii.gz", parameter.name()), title);
            output_files.push(file.with_content(STANDARD_ERROR));
        }
    }
    let title = format!("Root mean square of measured minus predicted signal, {}", model.name());
    let residual = Map { heat: true, aside: true, unit: SIGNAL_UNIT.into(), ..Map::default() };
    output_files.push(OutputFile::shown("residual.nii.gz", title, Kind::Map(residual)));
    let status =
        OutputFile::file("status.nii.gz", format!("How the fit of {} ended, a number", model.name()));
    output_files.push(status.with_content(STATUS));
    output_files.push(example::output_file(model, freed));
    output_files
}

/// Describes the file of a map with one number per voxel, in the unit that the model uses.
fn number(name: String, title: String, unit: &str, bounds: [f64; 2]) -> OutputFile {
    let content = match unit {
        "1" => String::new(),
        "signal" => format!("{title}, {SIGNAL_UNIT}"),
        unit => format!("{title}, {unit}"),
    };
    OutputFile::shown(name, title, scalar(unit, bounds)).with_content(content)
}

/// Description of the values in the map of a standard error.
const STANDARD_ERROR: &str = "Standard error (Cramér–Rao bound) in the unit of the parameter, for an orientation an angle in \
    rad. 0 if it does not exist, for example at a bound; the range of the bounds, or 90°, if it is not determined";

/// Values of the map of the status.
const STATUS: &str = "0 outside the mask, 1 converged, 2 converged at a bound or a constraint, 3 maximum number of \
    evaluations reached. Not fitted: 4 no signal, 5 too few measurements, 6 the signal cannot come from the model. With \
    Markov chains: 7 no proposal accepted, 8 sampled";

/// Colours of an orientation map.
const COLOURS: &str = "Red: left to right. Green: front to back. Blue: up and down.";

/// Returns the signal fraction of the fibre with this orientation. It is the parameter `f` or `ndi` whose
/// name ends in the same number. If the fraction is near 0, the orientation is arbitrary, so the report shows
/// it dark.
fn fraction_of<'a>(orientation: &str, parameters: &[&'a Parameter]) -> Option<&'a Parameter> {
    let letters = orientation.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &orientation[letters.len()..];
    let is_fraction = |parameter: &&&Parameter| matches!(parameter.form(), Form::Number { bounds, .. } if bounds.low == 0.0 && bounds.high == 1.0);
    ["f", "ndi"].into_iter().find_map(|name| {
        let name = format!("{name}{number}");
        parameters.iter().filter(is_fraction).find(|parameter| parameter.name() == name).copied()
    })
}

fn title(model: &Model, name: &str, about: &str) -> String {
    if about.is_empty() {
        return format!("{name} ({})", model.name());
    }
    let mut letters = about.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{} ({name})", letters.as_str())
}

/// Returns how the report shows a map with one number per voxel. Diffusivities are shown in µm²/ms (1e-3
/// mm²/s).
fn scalar(unit: &str, [low, high]: [f64; 2]) -> Kind {
    let (factor, shown) = unit_of_map(unit);
    let is_fraction = unit == "1" && low == 0.0 && high == 1.0;
    Kind::Map(Map {
        factor,
        window: is_fraction.then_some([0.0, 1.0]),
        unit: shown,
        histogram: true,
        ..Map::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_files::read_model;
    use crate::output_files::Picture;

    /// Returns, for each orientation map of a model, the name of the image that scales the brightness of its
    /// colours.
    fn weights(model: &str) -> Vec<(String, Option<String>)> {
        let model = read_model(model).unwrap();
        let files = files_of(&model, MapNames::default(), false, Path::new("dwi.nii.gz"), &[]);
        let of_file = |file: OutputFile| match file.picture {
            Some(Picture { kind: Kind::Map(Map { directions: true, weighted_by, .. }), .. }) => {
                Some((file.name.into_owned(), weighted_by.map(Cow::into_owned)))
            }
            _ => None,
        };
        files.into_iter().filter_map(of_file).collect()
    }

    #[test]
    fn orientations_are_weighted_by_their_fractions() {
        let expected = |pairs: &[(&str, &str)]| {
            pairs
                .iter()
                .map(|(map, weight)| (format!("{map}.nii.gz"), Some(format!("{weight}.nii.gz"))))
                .collect::<Vec<_>>()
        };
        assert_eq!(weights("ball-1-stick"), expected(&[("n", "f")]));
        assert_eq!(weights("ball-2-sticks"), expected(&[("n1", "f1"), ("n2", "f2")]));
        assert_eq!(weights("noddi-watson"), expected(&[("mu", "ndi")]));
    }
}
