//! Finds settings that differ between the scans of a cohort. Settings are acquisition parameters, figures
//! that are text, program versions and choices of the program that records state.

use super::acquisition::FIELDS;
use super::member::Entry;
use arcuate_pipeline::figures;
use serde_json::Value;
use std::collections::HashMap;

/// The maximum number of distinct values of a setting for which the values are listed. If a setting has more,
/// the page only states how many, because such values identify scans rather than settings.
const MAX_VALUES: usize = 12;

/// A part of the name under which a record states the maximum memory use of its process.
const MEMORY: &str = "most memory so far";

/// A setting whose value differs between the scans of a cohort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    /// The name of the setting.
    pub(super) name: String,
    /// The values of the setting, each with the indices of the scans that have this value. The most frequent
    /// value is first. Empty if the setting has too many different values.
    pub(super) values: Vec<(String, Vec<usize>)>,
    /// The number of different values of the setting.
    pub(super) count: usize,
}

/// Returns the settings of a scan.
fn settings(entry: &Entry) -> Vec<(&str, String)> {
    let Some(results) = &entry.results else { return Vec::new() };
    let measured = FIELDS.iter().filter_map(|field| {
        let value = figures::shown(field.of(&entry.member)?);
        let unit = Some(field.unit).filter(|unit| !unit.is_empty()).map(|unit| format!(" {unit}"));
        Some((field.title, value + &unit.unwrap_or_default()))
    });
    let words = results.figures.0.iter().filter(|(_, figure)| matches!(figure.value, Value::String(_)));
    let words = words.map(|(name, figure)| (name.as_str(), figures::shown(&figure.value)));
    // The maximum memory use of a process is among the choices in a record, but it is not a setting.
    let chosen = results.choices.iter().filter(|(name, _)| !name.contains(MEMORY));
    let others = results.versions.iter().chain(chosen);
    measured.chain(words).chain(others.map(|(name, value)| (name.as_str(), value.clone()))).collect()
}

/// Returns the settings that differ between scans, in the order in which the records state them. For each
/// setting, only scans whose record has this setting are compared.
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
        let mut values: Vec<_> = if count > MAX_VALUES { Vec::new() } else { values.into_iter().collect() };
        values.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.1.cmp(&b.1)));
        Difference { name: name.to_owned(), values, count }
    };
    differ.map(difference).collect()
}
