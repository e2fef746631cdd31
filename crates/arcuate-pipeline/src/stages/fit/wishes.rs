//! By what a fit is otherwise than its models say, and where the numbers come from that these ask for.

use crate::space::OnGrid;
use arcuate_core::{Error, ErrorKind, Grid, Result, Volume};
use arcuate_io::read_numbers;
use arcuate_model::fit::{MeasurementColumn, Source, Wish, WishFor};
use arcuate_model::language::Model;
use std::path::{Path, PathBuf};

/// What is said of parameters, measurements and voxels: words that begin with the name of what they are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelWishes {
    /// Take a parameter as known, at a value in its unit, in an image, or where the model has it start: `NAME`, `NAME=VALUE` or
    /// `NAME=IMAGE`.
    pub fix: Vec<String>,
    /// Start a parameter at a value in its unit, or in an image: `NAME=VALUE` or `NAME=IMAGE`.
    pub start: Vec<String>,
    /// Fit a parameter that the model has fixed: `NAME`.
    pub free: Vec<String>,
    /// Numbers of the measurements that the model asks for, in a text file with one for each: `NAME=FILE`.
    pub column: Vec<String>,
    /// Numbers of the voxels that the model asks for: `NAME=IMAGE`.
    pub map: Vec<String>,
}

impl ModelWishes {
    /// The files that they name.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let named = [&self.column, &self.map, &self.fix, &self.start].into_iter().flatten();
        let values = named.filter_map(|word| word.split_once('=')).map(|(_, value)| value);
        values.filter(|value| value.parse::<f64>().is_err()).map(PathBuf::from)
    }

    /// Parameters that are fitted though a model may have them fixed.
    pub(super) fn freed(&self) -> Vec<&str> {
        let started = self.start.iter().filter_map(|word| word.split_once('=')).map(|(name, _)| name);
        self.free.iter().map(String::as_str).chain(started).collect()
    }

    /// Parameters that are taken as known.
    pub(super) fn fixed(&self) -> Vec<&str> {
        self.fix.iter().map(|word| word.split_once('=').map_or(word.as_str(), |(name, _)| name)).collect()
    }

    /// What is to be otherwise than the models say.
    pub(super) fn wishes(&self, models: &[Model], grid: &Grid) -> Result<Vec<Wish>> {
        let mut wishes = Vec::new();
        for word in &self.fix {
            let (parameter, what) = if word.split_once('=').is_none() {
                (word.as_str(), WishFor::Kept)
            } else {
                let (name, value) = split("‘fix’", word)?;
                (name, WishFor::Fixed(source("‘fix’", value, grid)?))
            };
            wishes.push(Wish { parameter: parameter.to_owned(), what });
        }
        for word in &self.start {
            let (name, value) = split("‘start’", word)?;
            let what = WishFor::StartingAt(source("‘start’", value, grid)?);
            wishes.push(Wish { parameter: name.to_owned(), what });
        }
        wishes.extend(self.free.iter().map(|name| Wish { parameter: name.clone(), what: WishFor::Free }));
        for (n, wish) in wishes.iter().enumerate() {
            if wishes[..n].iter().any(|other| other.parameter == wish.parameter) {
                let problem = "two options say what is to be done with it";
                return Err(Error::usage(&wish.parameter, problem, "leave one out"));
            }
            check_channels(wish, models)?;
        }
        Ok(wishes)
    }

    /// Numbers of the measurements.
    pub(super) fn columns(&self) -> Result<Vec<MeasurementColumn>> {
        let mut columns = Vec::new();
        for word in &self.column {
            let (name, path) = split("‘column’", word)?;
            if columns.iter().any(|column: &MeasurementColumn| column.name == name) {
                return Err(Error::usage(
                    format!("‘column’ {word}"),
                    "there are numbers for it already",
                    "leave one out",
                ));
            }
            columns.push(MeasurementColumn { name: name.to_owned(), values: read_numbers(Path::new(path))? });
        }
        Ok(columns)
    }

    /// Numbers of the voxels.
    pub(super) fn maps(&self, models: &[Model], grid: &Grid) -> Result<Vec<(String, Volume<f32>)>> {
        let mut maps = Vec::new();
        for word in &self.map {
            let (name, path) = split("‘map’", word)?;
            if maps.iter().any(|(other, _): &(String, Volume<f32>)| other == name) {
                return Err(Error::usage(
                    format!("‘map’ {word}"),
                    "there is an image for it already",
                    "leave one out",
                ));
            }
            if !models.iter().any(|model| model.maps().iter().any(|map| map.name() == name)) {
                let problem = "no model that is fitted asks for this map";
                return Err(Error::usage(name, problem, "leave it out, or declare it under [maps]"));
            }
            let image = image(path, grid)?;
            if image.channels() != 1 {
                let problem = format!("its image has {} volumes", image.channels());
                return Err(Error::invalid(name, problem, "give one number for each voxel"));
            }
            maps.push((name.to_owned(), image));
        }
        Ok(maps)
    }

    /// An error about a parameter or a map, said of the image, or else of the wish, that says what is to be done with it.
    pub(super) fn about(&self, error: Error) -> Error {
        let is_invalid = error.kind() == ErrorKind::Invalid;
        error.said_of(|name| self.origin_of(name, is_invalid))
    }

    /// The image, where `is_invalid` is said of what it holds, or the wish for a parameter or a map of this name.
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

/// `NAME=VALUE` in two.
fn split<'a>(option: &str, word: &'a str) -> Result<(&'a str, &'a str)> {
    word.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty()).ok_or_else(|| {
        Error::usage(option, format!("`{word}` is no NAME=VALUE"), "write it so, without blanks")
    })
}

/// A number, or an image of it.
fn source(option: &str, value: &str, grid: &Grid) -> Result<Source> {
    if let Ok(number) = value.parse::<f64>() {
        if !number.is_finite() {
            return Err(Error::usage(option, format!("`{value}` is no value"), "give a number or an image"));
        }
        return Ok(Source::Number(number));
    }
    Ok(Source::Map(Box::new(image(value, grid)?)))
}

/// An image on the grid of the series.
fn image(path: &str, grid: &Grid) -> Result<Volume<f32>> {
    let whose = "the diffusion series";
    OnGrid::check(Path::new(path), grid, whose, None)?.in_its_order(whose)?.read()
}

/// Fails where an image has not as many volumes as its parameter has numbers.
fn check_channels(wish: &Wish, models: &[Model]) -> Result<()> {
    let (WishFor::Fixed(Source::Map(map)) | WishFor::StartingAt(Source::Map(map))) = &wish.what else {
        return Ok(());
    };
    for model in models {
        let Some(n) = model.parameter_of(&wish.parameter) else { continue };
        let numbers = model.parameters()[n].numbers();
        if map.channels() != numbers {
            let problem = format!("its image has {} volumes, not {numbers}", map.channels());
            return Err(Error::invalid(&wish.parameter, problem, "give an image of this parameter"));
        }
    }
    Ok(())
}
