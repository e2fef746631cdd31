//! Writes the `dataset_description.json` of a derivatives dataset. This file names the program and the
//! datasets from which the derivatives were computed.

use super::links::{self, Links};
use super::texts;
use crate::addresses::of_folder;
use crate::dataset::{Dataset, read_object};
use arcuate_core::{Error, Result};
use arcuate_io::write_file;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

/// The name of the file with the dataset's description.
pub(super) const FILE_NAME: &str = "dataset_description.json";
/// The name of this program in descriptions.
const PROGRAM: &str = "arcuate";
/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The version of BIDS that the names of files and the sidecars of the derivatives follow.
const BIDS_VERSION: &str = "1.11.1";
/// Keys of `dataset_description.json` that describe the container image. Next to each key is the environment
/// variable from which the program reads its value; container images set this variable.
const CONTAINER: [(&str, &str); 3] =
    [("Type", "ARCUATE_CONTAINER_TYPE"), ("Tag", "ARCUATE_CONTAINER_TAG"), ("URI", "ARCUATE_CONTAINER_URI")];

/// Makes the folder `out` a derivatives dataset of `source`, or checks that `out` already is one. Writes
/// `dataset_description.json`, `README.md` and `.bidsignore` into `out`. `others` are the datasets that
/// provide regions, tissues and anatomical images. Several processes may call this function at the same time.
/// Changes that users made to these files are kept. If another version of Arcuate wrote
/// `dataset_description.json`, a warning is printed and the version of this program is added to the file.
///
/// # Errors
/// Returns an error if another program created the dataset in `out`, or if that dataset was computed from
/// another source dataset. Also returns an error if a file cannot be written.
pub fn begin(out: &Path, source: &Dataset, others: &[Dataset]) -> Result<()> {
    begin_in(out, source, others, |variable| std::env::var(variable).ok())
}

fn begin_in(
    out: &Path,
    source: &Dataset,
    others: &[Dataset],
    environment: impl Fn(&str) -> Option<String>,
) -> Result<()> {
    fs::create_dir_all(out).map_err(|e| Error::write(out, e))?;
    let path = out.join(FILE_NAME);
    // The lock on the folder lets one process at a time change `dataset_description.json`, so that no link to
    // a dataset is lost. If the file system cannot lock folders, the file has the content from the process
    // that wrote it last.
    let folder = fs::File::open(out).ok();
    let _locked = folder.as_ref().map(fs::File::lock);
    let earlier = if path.exists() { Some(read_object(&path)?) } else { None };
    let mut description = earlier.clone().unwrap_or_else(|| {
        warn_of_name(out);
        new(source)
    });
    if earlier.is_some() {
        require_own(out, &description)?;
    }
    add_program(out, &mut description, &environment);
    add_links(out, source, others, &mut description)?;
    for (name, text) in [("README.md", texts::README), (".bidsignore", texts::IGNORED)] {
        let path = out.join(name);
        if !path.exists() {
            write_file(&path, text)?;
        }
    }
    if earlier.as_ref() != Some(&description) {
        let text = serde_json::to_string_pretty(&description).map_err(|e| Error::write(&path, e.into()))?;
        write_file(&path, text + "\n")?;
    }
    Ok(())
}

fn new(source: &Dataset) -> Map<String, Value> {
    let mut description = Map::new();
    description.insert("Name".into(), "Arcuate".into());
    description.insert("BIDSVersion".into(), BIDS_VERSION.into());
    description.insert("DatasetType".into(), "derivative".into());
    if let Some(license) = source.description.get("License").filter(|license| license.is_string()) {
        description.insert("License".into(), license.clone());
    }
    description
}

/// BIDS requires that a folder in `derivatives` is named after the program that created it.
fn warn_of_name(out: &Path) {
    let out = fs::canonicalize(out).unwrap_or_else(|_| out.to_owned());
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if out.parent().is_some_and(|parent| name(parent) == "derivatives") && !name(&out).contains(PROGRAM) {
        tracing::warn!(
            "{}: BIDS requires that a folder in `derivatives` has the name of its program; rename the \
             folder, for example to {PROGRAM}",
            out.display()
        );
    }
}

/// Returns the programs that a description lists.
fn programs(description: &Map<String, Value>) -> Vec<Value> {
    description.get("GeneratedBy").and_then(Value::as_array).cloned().unwrap_or_default()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn require_own(out: &Path, description: &Map<String, Value>) -> Result<()> {
    let programs = programs(description);
    if programs.iter().any(|program| text(program, "Name").eq_ignore_ascii_case(PROGRAM)) {
        return Ok(());
    }
    let names: Vec<&str> = programs.iter().map(|program| text(program, "Name")).collect();
    let problem = match names[..] {
        [] => "it already is a data set, not one of Arcuate".to_owned(),
        _ => format!("this folder is already a BIDS data set of another program ({})", names.join(", ")),
    };
    Err(Error::usage(
        out.display(),
        problem,
        "give another folder, which will contain only results of Arcuate",
    ))
}

fn add_program(
    out: &Path,
    description: &mut Map<String, Value>,
    environment: impl Fn(&str) -> Option<String>,
) {
    let mut programs = programs(description);
    let own: Vec<&Value> =
        programs.iter().filter(|program| text(program, "Name").eq_ignore_ascii_case(PROGRAM)).collect();
    if own.iter().any(|program| text(program, "Version") == VERSION) {
        return;
    }
    if let Some(before) = own.first() {
        tracing::warn!(
            "{}: this folder has results of Arcuate {}, and the running program is Arcuate {VERSION}; use a \
             new folder, unless results of both versions may be mixed",
            out.display(),
            text(before, "Version")
        );
    }
    let mut program = json!({"Name": PROGRAM, "Version": VERSION});
    let container: Map<String, Value> = CONTAINER
        .into_iter()
        .filter_map(|(key, variable)| Some((key.to_owned(), environment(variable)?)))
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| (key, value.into()))
        .collect();
    if !container.is_empty() {
        program["Container"] = container.into();
    }
    programs.insert(0, program);
    description.insert("GeneratedBy".into(), programs.into());
}

/// Adds links to the source datasets to a dataset description. Once a dataset has a name in these links, the
/// name never changes.
fn add_links(
    out: &Path,
    source: &Dataset,
    others: &[Dataset],
    description: &mut Map<String, Value>,
) -> Result<()> {
    let here = fs::canonicalize(out).map_err(|e| Error::read(out, e))?;
    for (place, dataset) in std::iter::once(source).chain(others).enumerate() {
        let root = fs::canonicalize(&dataset.root).map_err(|e| Error::read(&dataset.root, e))?;
        let known = Links::of(description, out);
        let name = if place > 0 {
            if known.name_of(&root).is_some() || root == here {
                continue;
            }
            free_name(dataset, &root, &known)
        } else {
            let name = if source.is_raw { "raw" } else { "preprocessed" };
            match known.root_of(name) {
                Some(other) if other == root => continue,
                Some(other) => {
                    let problem = format!(
                        "this folder contains results of the data set {}, not of the data set {}",
                        other.display(),
                        root.display()
                    );
                    let advice = "give another folder, so that results of two data sets are not mixed";
                    return Err(Error::usage(out.display(), problem, advice));
                }
                None => name.to_owned(),
            }
        };
        insert(description, links::KEY, Map::new(), |links| {
            links.insert(name, of_folder(&root, &here).into());
        });
        let mut origin = Map::new();
        origin.insert("URL".into(), of_folder(&root, &here).into());
        if let Some(doi) = dataset.description.get("DatasetDOI").filter(|doi| doi.is_string()) {
            origin.insert("DOI".into(), doi.clone());
        }
        insert(description, "SourceDatasets", Vec::new(), |origins: &mut Vec<Value>| {
            let origin = Value::from(origin);
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        });
    }
    Ok(())
}

/// Changes a list or an object in a dataset description. If the list or object is missing, an empty one is
/// created first.
fn insert<T: Into<Value> + serde::de::DeserializeOwned>(
    description: &mut Map<String, Value>,
    key: &str,
    nothing: T,
    change: impl FnOnce(&mut T),
) {
    let known = description.get(key).cloned();
    let mut value = known.and_then(|value| serde_json::from_value(value).ok()).unwrap_or(nothing);
    change(&mut value);
    description.insert(key.to_owned(), value.into());
}

/// Returns a name for a dataset that no other linked dataset has. It is the name of the program that created
/// the dataset, or the name of the folder. If another dataset has this name already, a number is appended.
fn free_name(dataset: &Dataset, root: &Path, known: &Links) -> String {
    let of_folder = root.file_name().unwrap_or_default().to_string_lossy();
    let tool = dataset.tools.first().map(|tool| tool.name.to_lowercase());
    let wanted = tool.unwrap_or_else(|| of_folder.into_owned());
    let plain: String = wanted.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    let plain = if plain.is_empty() { "derivatives".to_owned() } else { plain };
    let mut name = plain.clone();
    let mut number = 2;
    while known.root_of(&name).is_some() {
        name = format!("{plain}-{number}");
        number += 1;
    }
    name
}
