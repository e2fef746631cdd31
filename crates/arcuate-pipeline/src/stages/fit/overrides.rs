//! Changes of the user to the parameters of a signal model, and the values per measurement and per voxel that
//! a model requires.

use crate::space::ImageOnGrid;
use arcuate_core::{Error, ErrorKind, Grid, Result, Volume};
use arcuate_io::read_numbers;
use arcuate_model::fit::{MeasurementColumn, Override, OverrideKind, Source};
use arcuate_model::language::Model;
use std::path::{Path, PathBuf};

/// Changes to parameters of signal models, and values per measurement or per voxel. Each entry is a text that
/// begins with the name of the parameter or of the values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelOverrides {
    /// Parameters to fix. `NAME=VALUE` fixes a parameter at a value in its unit, `NAME=IMAGE` at the values
    /// of an image, and `NAME` at the starting value in the model.
    pub fix: Vec<String>,
    /// Starting values of parameters. `NAME=VALUE` gives a value in the unit of the parameter, and
    /// `NAME=IMAGE` gives an image of values.
    pub start: Vec<String>,
    /// Fits a parameter that the model fixes: `NAME`.
    pub free: Vec<String>,
    /// Values per measurement that the model requires, as `NAME=FILE`. The text file has one number per
    /// measurement.
    pub column: Vec<String>,
    /// Values per voxel that the model requires, as `NAME=IMAGE`.
    pub map: Vec<String>,
}

impl ModelOverrides {
    /// Returns the files that the overrides name.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let named = [&self.column, &self.map, &self.fix, &self.start].into_iter().flatten();
        let values = named.filter_map(|word| word.split_once('=')).map(|(_, value)| value);
        values.filter(|value| value.parse::<f64>().is_err()).map(PathBuf::from)
    }

    /// Returns the parameters that are fitted even if a model fixes them: those in `free` and those in
    /// `start`.
    pub(super) fn freed(&self) -> Vec<&str> {
        let started = self.start.iter().filter_map(|word| word.split_once('=')).map(|(name, _)| name);
        self.free.iter().map(String::as_str).chain(started).collect()
    }

    /// Returns the parameters that the user fixes.
    pub(super) fn fixed(&self) -> Vec<&str> {
        self.fix.iter().map(|word| word.split_once('=').map_or(word.as_str(), |(name, _)| name)).collect()
    }

    /// Returns the changes to parameters in the form that the fit needs: fixed values, starting values, and
    /// freed parameters. Images of values are read.
    pub(super) fn overrides(&self, models: &[Model], grid: &Grid) -> Result<Vec<Override>> {
        let mut overrides = Vec::new();
        for word in &self.fix {
            let (parameter, what) = if word.split_once('=').is_none() {
                (word.as_str(), OverrideKind::Kept)
            } else {
                let (name, value) = split("‘fix’", word)?;
                (name, OverrideKind::Fixed(source("‘fix’", value, grid)?))
            };
            overrides.push(Override { parameter: parameter.to_owned(), what });
        }
        for word in &self.start {
            let (name, value) = split("‘start’", word)?;
            let what = OverrideKind::StartingAt(source("‘start’", value, grid)?);
            overrides.push(Override { parameter: name.to_owned(), what });
        }
        overrides.extend(
            self.free.iter().map(|name| Override { parameter: name.clone(), what: OverrideKind::Free }),
        );
        for (n, change) in overrides.iter().enumerate() {
            if overrides[..n].iter().any(|other| other.parameter == change.parameter) {
                let problem = "two options set this parameter";
                return Err(Error::usage(&change.parameter, problem, "leave one out"));
            }
            check_channels(change, models)?;
        }
        Ok(overrides)
    }

    /// Reads the values of the measurements.
    pub(super) fn columns(&self) -> Result<Vec<MeasurementColumn>> {
        let mut columns = Vec::new();
        for word in &self.column {
            let (name, path) = split("‘column’", word)?;
            if columns.iter().any(|column: &MeasurementColumn| column.name == name) {
                return Err(Error::usage(
                    format!("‘column’ {word}"),
                    "its numbers are given twice",
                    "leave one out",
                ));
            }
            columns.push(MeasurementColumn { name: name.to_owned(), values: read_numbers(Path::new(path))? });
        }
        Ok(columns)
    }

    /// Reads the values of the voxels.
    pub(super) fn maps(&self, models: &[Model], grid: &Grid) -> Result<Vec<(String, Volume<f32>)>> {
        let mut maps = Vec::new();
        for word in &self.map {
            let (name, path) = split("‘map’", word)?;
            if maps.iter().any(|(other, _): &(String, Volume<f32>)| other == name) {
                return Err(Error::usage(
                    format!("‘map’ {word}"),
                    "its image is given twice",
                    "leave one out",
                ));
            }
            if !models.iter().any(|model| model.maps().iter().any(|map| map.name() == name)) {
                let problem = "no model that is fitted asks for this map";
                return Err(Error::usage(
                    name,
                    problem,
                    "remove this map, or declare it under [maps] of the model file",
                ));
            }
            let image = image(path, grid)?;
            if image.channels() != 1 {
                let problem = format!("the image of this map has {} volumes", image.channels());
                return Err(Error::invalid(name, problem, "give an image with one number per voxel"));
            }
            maps.push((name.to_owned(), image));
        }
        Ok(maps)
    }

    /// Changes the subject of an error about a parameter or about values per voxel. The new subject is the
    /// image or the option that caused the error.
    pub(super) fn about(&self, error: Error) -> Error {
        let is_invalid = error.kind() == ErrorKind::Invalid;
        error.with_subject(|name| self.origin_of(name, is_invalid))
    }

    /// Returns the option that contains this name of a parameter or of values. If `is_invalid` is true,
    /// returns the text after the equals sign instead, which is usually the path of an image.
    fn origin_of(&self, name: &str, is_invalid: bool) -> Option<String> {
        let options = [("‘fix’", &self.fix), ("‘start’", &self.start), ("‘free’", &self.free)];
        let others = [("‘column’", &self.column), ("‘map’", &self.map)];
        let words = options.into_iter().chain(others).flat_map(|(option, words)| {
            words.iter().map(move |word| (option, word, word.split_once('=').unwrap_or((word, ""))))
        });
        let (option, word, (_, value)) = words.into_iter().find(|(_, _, (known, _))| *known == name)?;
        Some(if is_invalid && !value.is_empty() { value.to_owned() } else { format!("{option} {word}") })
    }
}

/// Splits `NAME=VALUE` into name and value.
fn split<'a>(option: &str, word: &'a str) -> Result<(&'a str, &'a str)> {
    word.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty()).ok_or_else(|| {
        Error::usage(
            option,
            format!("`{word}` does not have the form NAME=VALUE"),
            "write NAME=VALUE \
            without spaces",
        )
    })
}

/// Parses a number, or reads an image if the text is not a number.
fn source(option: &str, value: &str, grid: &Grid) -> Result<Source> {
    if let Ok(number) = value.parse::<f64>() {
        if !number.is_finite() {
            return Err(Error::usage(
                option,
                format!("`{value}` is neither a number nor an image"),
                "give a \
                number or an image",
            ));
        }
        return Ok(Source::Number(number));
    }
    Ok(Source::Map(Box::new(image(value, grid)?)))
}

/// Reads an image that must be on the voxel grid of the diffusion series.
fn image(path: &str, grid: &Grid) -> Result<Volume<f32>> {
    let whose = "the diffusion series";
    ImageOnGrid::check(Path::new(path), grid, whose, None)?.in_its_order(whose)?.read()
}

/// Returns an error if the image of a parameter has the wrong number of volumes. An orientation needs three,
/// and a number one.
fn check_channels(change: &Override, models: &[Model]) -> Result<()> {
    let (OverrideKind::Fixed(Source::Map(map)) | OverrideKind::StartingAt(Source::Map(map))) = &change.what
    else {
        return Ok(());
    };
    for model in models {
        let Some(n) = model.parameter_of(&change.parameter) else { continue };
        let numbers = model.parameters()[n].numbers();
        if map.channels() != numbers {
            let problem =
                format!("the image of this parameter has {} volumes, not {numbers}", map.channels());
            return Err(Error::invalid(
                &change.parameter,
                problem,
                "give an image with the values of this parameter",
            ));
        }
    }
    Ok(())
}
