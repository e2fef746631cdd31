//! Settings in which scans of a cohort differ: how they were measured, what their figures say in words, versions of programs, and what
//! commands chose.

use super::acquisition::FIELDS;
use super::member::Entry;
use arcuate_pipeline::figures;
use serde_json::Value;
use std::collections::HashMap;

/// Of more different values only their number is said: they are of each scan, no settings.
const MOST_VALUES: usize = 12;

/// What records say of memory.
const MEMORY: &str = "most memory so far";

/// A setting that is not the same for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    /// What is set.
    pub(super) name: String,
    /// Its values with the scans that have them, those that most have first. None where they are too many.
    pub(super) values: Vec<(String, Vec<usize>)>,
    /// How many there are.
    pub(super) count: usize,
}

/// The settings of a scan.
fn settings(entry: &Entry) -> Vec<(&str, String)> {
    let Some(results) = &entry.results else { return Vec::new() };
    let measured = FIELDS.iter().filter_map(|field| {
        let value = figures::shown(field.of(&entry.member)?);
        let unit = Some(field.unit).filter(|unit| !unit.is_empty()).map(|unit| format!(" {unit}"));
        Some((field.title, value + &unit.unwrap_or_default()))
    });
    let words = results.figures.0.iter().filter(|(_, figure)| matches!(figure.value, Value::String(_)));
    let words = words.map(|(name, figure)| (name.as_str(), figures::shown(&figure.value)));
    // What memory a process had is no setting.
    let chosen = results.choices.iter().filter(|(name, _)| !name.contains(MEMORY));
    let others = results.versions.iter().chain(chosen);
    measured.chain(words).chain(others.map(|(name, value)| (name.as_str(), value.clone()))).collect()
}

/// What differs between scans, in the order of their records. A scan that lacks a setting says nothing of it.
pub(super) fn find(entries: &[Entry]) -> Vec<Difference> {
    let mut all: Vec<(&str, HashMap<String, Vec<usize>>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (place, entry) in entries.iter().enumerate() {
        for (name, value) in settings(entry) {
            let at = *places.entry(name).or_insert_with(|| {
                all.push((name, HashMap::new()));
                all.len() - 1
            });
            all[at].1.entry(value).or_default().push(place);
        }
    }
    let differ = all.into_iter().filter(|(_, values)| values.len() > 1);
    let difference = |(name, values): (&str, HashMap<String, Vec<usize>>)| {
        let count = values.len();
        let mut values: Vec<_> = if count > MOST_VALUES { Vec::new() } else { values.into_iter().collect() };
        values.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.1.cmp(&b.1)));
        Difference { name: name.to_owned(), values, count }
    };
    differ.map(difference).collect()
}
