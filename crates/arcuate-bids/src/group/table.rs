//! Writes the table of a cohort, `phenotype/arcuate.tsv`, and the description of its columns,
//! `phenotype/arcuate.json`.

use super::acquisition::{FIELDS, Field};
use super::columns::{Column, Names, of_figures};
use super::member::Entry;
use crate::entities::BidsName;
use crate::participants::{Participants, with_prefix};
use arcuate_core::{Error, Result, cell, printable_lines};
use arcuate_io::write_file;
use arcuate_pipeline::figures;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The content of a table cell whose value is unknown, as BIDS defines it.
const NOTHING: &str = "n/a";

/// A column of the cohort's table, with its cells and the description of the column.
struct Described {
    name: String,
    description: Value,
    /// The cell of each member. `None` if its content is unknown.
    cells: Vec<Option<String>>,
}

/// Returns the label of a BIDS entity in the name of a cohort member.
fn entity(entry: &Entry, key: &str) -> Option<String> {
    // The name of a scan lacks a suffix, without which it cannot be parsed as a BIDS file name. A suffix is
    // therefore appended.
    let name = BidsName::parse(&format!("{}_dwi", entry.member.id))?;
    name.get(key).map(str::to_owned)
}

/// Returns the label of a member's participant with its prefix: `sub-01`.
pub(super) fn participant(entry: &Entry) -> String {
    with_prefix(&entry.member.participant, "sub-")
}

/// Returns the label of a member's session with its prefix: `ses-a`.
pub(super) fn session(entry: &Entry) -> Option<String> {
    entry.member.session.as_ref().map(|session| with_prefix(session, "ses-"))
}

/// Writes the table `phenotype/arcuate.tsv` and its description `phenotype/arcuate.json` below `folder`.
/// Returns the paths of both files, and the columns of the table that contain figures from records.
pub(super) fn write(
    folder: &Path,
    entries: &[Entry],
    participants: Option<&Participants>,
) -> Result<(Vec<PathBuf>, Vec<Column>)> {
    let mut names = Names::default();
    let mut all = of_members(entries, &mut names);
    all.extend(of_sidecars(entries, &mut names));
    if let Some(participants) = participants {
        all.extend(of_participants(entries, participants, &mut names));
    }
    let columns = of_figures(entries, &mut names);
    all.extend(columns.iter().map(of_figure));
    let [table, description] = ["tsv", "json"].map(|ending| folder.join(format!("arcuate.{ending}")));
    let text = serde_json::to_string_pretty(&descriptions(&all));
    let text = text.map_err(|e| Error::write(&description, e.into()))?;
    write_file(&table, tsv(entries.len(), &all))?;
    write_file(&description, text + "\n")?;
    Ok((vec![table, description], columns))
}

fn tsv(rows: usize, columns: &[Described]) -> String {
    let header: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let row = |row: usize| {
        let cells = columns.iter().map(|column| column.cells[row].as_deref().unwrap_or(NOTHING));
        cells.collect::<Vec<_>>().join("\t")
    };
    let lines = std::iter::once(header.join("\t")).chain((0..rows).map(row));
    lines.map(|line| line + "\n").collect()
}

fn descriptions(columns: &[Described]) -> Value {
    let tool = json!({
        "Description": "Figures of the runs of Arcuate, a row for each scan; those of one participant are several rows."
    });
    let described = columns.iter().map(|column| (column.name.clone(), column.description.clone()));
    let all = std::iter::once(("MeasurementToolMetadata".to_owned(), tool)).chain(described);
    Value::Object(all.collect::<Map<_, _>>())
}

/// Returns the columns of the table that identify the scans, and the columns with their processing states and
/// run times.
fn of_members(entries: &[Entry], names: &mut Names) -> Vec<Described> {
    let mut column = |name: &str, description: Value, of: &dyn Fn(&Entry) -> Option<String>| Described {
        name: names.take(name),
        description,
        cells: entries.iter().map(of).collect(),
    };
    let describe = |long: &str, description: &str| json!({"LongName": long, "Description": description});
    let word = |text: String| Some(cell(&text));
    let mut columns = vec![
        column("participant_id", describe("Participant", "The participant of the scan."), &|entry| {
            word(participant(entry))
        }),
        column("session_id", describe("Session", "The session of the scan."), &|entry| {
            session(entry).and_then(word)
        }),
    ];
    for key in entities(entries) {
        let description = describe(&key, &format!("The entity `{key}` in the name of the scan."));
        columns.push(column(&key, description, &|entry| entity(entry, &key).and_then(word)));
    }
    let levels = json!({
        "LongName": "State",
        "Description": "The state of the scan.",
        "Levels": {
            "done": "its results are complete",
            "running": "its run is in progress",
            "failed": "its run failed, or its record cannot be read",
            "missing": "its run has not started",
        },
    });
    columns.push(column("state", levels, &|entry| word(entry.member.state.word().to_owned())));
    let version = describe("Version of Arcuate", "The version of the program that made the results.");
    columns.push(column("arcuate_version", version, &|entry| {
        entry.results.as_ref()?.version("arcuate").map(cell)
    }));
    let mut seconds = describe("Time", "Time of all parts of the run together.");
    seconds["Units"] = "s".into();
    columns.push(column("seconds", seconds, &|entry| {
        entry.results.as_ref().map(|results| results.total_seconds().to_string())
    }));
    let mut warnings = describe("Warnings", "The number of warnings of the run.");
    warnings["Units"] = "1".into();
    columns.push(column("warnings", warnings, &|entry| {
        entry.results.as_ref().map(|results| results.warnings.len().to_string())
    }));
    columns
}

/// Returns the BIDS entities in the names of the members, except participant and session, in the order of
/// BIDS.
fn entities(entries: &[Entry]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for entry in entries {
        let name = BidsName::parse(&format!("{}_dwi", entry.member.id));
        for (key, _) in name.iter().flat_map(BidsName::entities) {
            if !["sub", "ses"].contains(&key.as_str()) && !keys.contains(key) {
                keys.push(key.clone());
            }
        }
    }
    keys
}

/// Returns a column for each acquisition parameter that the sidecar of at least one member has.
fn of_sidecars(entries: &[Entry], names: &mut Names) -> Vec<Described> {
    let is_known = |field: &&Field| entries.iter().any(|entry| field.of(&entry.member).is_some());
    let described = FIELDS.iter().filter(is_known).map(|field| {
        let mut description = json!({
            "LongName": field.title,
            "Description": format!("`{}` of the sidecars of the series.", field.key),
        });
        if !field.unit.is_empty() {
            description["Units"] = field.unit.into();
        }
        let of_member = |entry: &Entry| field.of(&entry.member).and_then(value_cell);
        Described {
            name: names.take(field.column),
            description,
            cells: entries.iter().map(of_member).collect(),
        }
    });
    described.collect()
}

/// Returns the columns that the cohort's table takes from the dataset's table of participants.
fn of_participants(entries: &[Entry], table: &Participants, names: &mut Names) -> Vec<Described> {
    let described = table.columns.iter().enumerate().map(|(place, column)| {
        let describe = table.descriptions.get(column).filter(|describe| describe.is_object()).cloned();
        let of_member = |entry: &Entry| {
            let describe = table.cell(&participant(entry), place)?;
            // A cell with a negative number is not changed, although spreadsheets could interpret a leading
            // minus sign as a formula.
            Some(if describe.parse::<f64>().is_ok() { describe.to_owned() } else { cell(describe) })
        };
        Described {
            name: names.take(column),
            description: describe.unwrap_or_else(|| {
                json!({"LongName": column, "Description": "A value of the participant, from \
                    participants.tsv."})
            }),
            cells: entries.iter().map(of_member).collect(),
        }
    });
    described.collect()
}

fn of_figure(column: &Column) -> Described {
    let figure = printable_lines(&column.figure);
    let mut description = json!({
        "LongName": figure,
        "Description": format!("Figure ‘{figure}’ of the record of the run."),
    });
    if column.has_numbers() {
        let unit = if column.unit.is_empty() { "1".to_owned() } else { printable_lines(&column.unit) };
        description["Units"] = unit.into();
    }
    let cells = column.values.iter().map(|figure| value_cell(&figure.as_ref()?.value));
    Described { name: column.name.clone(), description, cells: cells.collect() }
}

/// Returns the value of a figure as a table cell. Numbers are not rounded.
fn value_cell(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is_so) => Some(is_so.to_string()),
        other => Some(figures::shown(other)).filter(|text| !text.trim().is_empty()).map(|text| cell(&text)),
    }
}
