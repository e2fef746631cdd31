//! Selection of scans in a dataset.

use crate::entities::BidsName;
use arcuate_core::{Error, Result};
use serde_json::Value;
use std::path::Path;

/// A condition on the label of a BIDS entity in a file name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum EntityCondition {
    /// The file name must have the entity, with any label.
    There,
    /// The entity must have one of these labels. If the list contains `None`, the file name may also lack the
    /// entity.
    OneOf(Vec<Option<String>>),
}

/// Conditions on the BIDS entities in the file name of a diffusion series. They come from a filter file
/// (JSON) in the format of fMRIPrep and QSIPrep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter(Vec<(String, EntityCondition)>);

/// The names that PyBIDS uses for BIDS entities, each with the key of the entity in file names.
const ENTITIES: [(&str, &str); 14] = [
    ("subject", "sub"),
    ("session", "ses"),
    ("acquisition", "acq"),
    ("reconstruction", "rec"),
    ("direction", "dir"),
    ("run", "run"),
    ("echo", "echo"),
    ("part", "part"),
    ("chunk", "chunk"),
    ("space", "space"),
    ("resolution", "res"),
    ("res", "res"),
    ("desc", "desc"),
    ("description", "desc"),
];

impl Filter {
    /// Reads the conditions for diffusion series from a filter file: `{"dwi": {"session": "a", "run": ["1",
    /// null], "acquisition": "*"}}`.
    ///
    /// # Errors
    /// Returns an error if the filter file cannot be read or if one of its keys is not an entity of a
    /// diffusion series.
    pub fn read(path: &Path) -> Result<Self> {
        let object = crate::dataset::read_object(path)?;
        let refuse = |problem: String, advice: &str| Error::invalid(path.display(), problem, advice);
        let Some(of_series) = object.get("dwi") else {
            let advice = "give {\"dwi\": {\"session\": \"a\"}}, say";
            return Err(refuse("it says nothing of `dwi`".into(), advice));
        };
        let Some(of_series) = of_series.as_object() else {
            return Err(refuse(
                "its `dwi` is not a JSON object".into(),
                "give {\"dwi\": {\"session\": \
                \"a\"}}, say",
            ));
        };
        let mut conditions = Vec::new();
        for (name, value) in of_series {
            // These keys of a filter file are skipped, because they have the same value for every diffusion
            // series.
            if ["suffix", "datatype", "extension"].contains(&name.as_str()) {
                continue;
            }
            let Some((_, key)) = ENTITIES.iter().find(|(known, _)| known == name) else {
                let known: Vec<&str> = ENTITIES.iter().map(|(known, _)| *known).collect();
                return Err(refuse(
                    format!("`{name}` is not an entity of a series"),
                    &format!("give one of {}", known.join(", ")),
                ));
            };
            let label = |value: &Value| match value {
                Value::Null => Some(None),
                Value::String(text) => Some(Some(text.clone())),
                Value::Number(number) => Some(Some(number.to_string())),
                _ => None,
            };
            let of_entity = match value {
                Value::String(text) if text == "*" => Some(EntityCondition::There),
                Value::Array(values) => {
                    values.iter().map(label).collect::<Option<Vec<_>>>().map(EntityCondition::OneOf)
                }
                value => label(value).map(|label| EntityCondition::OneOf(vec![label])),
            };
            let of_entity = of_entity.ok_or_else(|| {
                refuse(
                    format!("`{name}` is not a label, a list of labels, null or \"*\""),
                    "give one of these",
                )
            })?;
            conditions.push(((*key).to_owned(), of_entity));
        }
        Ok(Self(conditions))
    }

    /// Returns true if a file name satisfies all conditions of the filter.
    pub fn accepts(&self, name: &BidsName) -> bool {
        self.0.iter().all(|(key, conditions)| match (conditions, name.get(key)) {
            (EntityCondition::There, label) => label.is_some(),
            (EntityCondition::OneOf(labels), label) => {
                labels.iter().any(|one| match (one.as_deref(), label) {
                    (None, None) => true,
                    (Some(conditions), Some(label)) => is_same_label(conditions, label),
                    _ => false,
                })
            }
        })
    }
}

/// Returns true if two labels of an entity are equal. In labels that are numbers, leading zeros are ignored.
fn is_same_label(a: &str, b: &str) -> bool {
    let number = |text: &str| text.parse::<u64>().ok();
    a == b
        || number(a).is_some_and(|one| {
            number(b) == Some(one) && a.trim_start_matches('0') == b.trim_start_matches('0')
        })
}

/// The criteria that select scans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Labels of the selected participants, with or without `sub-`. If the list is empty, all participants
    /// are selected.
    pub participants: Vec<String>,
    /// Labels of the selected sessions, with or without `ses-`. If the list is empty, all sessions are
    /// selected.
    pub sessions: Vec<String>,
    /// Names of the selected scans, as returned by [`BidsName::scan`]. If the list is empty, all scans are
    /// selected.
    pub scans: Vec<String>,
    /// Further conditions on the diffusion series.
    pub filter: Filter,
}

impl Selection {
    /// Returns the selected participants. `known` are the participants of the dataset.
    ///
    /// # Errors
    /// Returns an error if a selected participant does not exist.
    pub fn participants(&self, known: &[String]) -> Result<Vec<String>> {
        if self.participants.is_empty() {
            return Ok(known.iter().filter(|label| self.has_scan_of(label)).cloned().collect());
        }
        let mut chosen = Vec::new();
        for label in &self.participants {
            let label = label.strip_prefix("sub-").unwrap_or(label);
            if !known.iter().any(|one| one == label) {
                let problem = format!("there is no participant {label}");
                let shown: Vec<&str> = known.iter().take(20).map(String::as_str).collect();
                let more = if known.len() > shown.len() { ", …" } else { "" };
                let advice = format!("give some of {}{more}", shown.join(", "));
                return Err(Error::usage("‘participant_label’", problem, advice));
            }
            if !chosen.iter().any(|one| one == label) {
                chosen.push(label.to_owned());
            }
        }
        Ok(chosen)
    }

    /// Returns true if the list of selected scans contains a scan of the participant, or if the list is
    /// empty.
    fn has_scan_of(&self, participant: &str) -> bool {
        let is_of = |scan: &String| scan.split('_').next() == Some(&format!("sub-{participant}"));
        self.scans.is_empty() || self.scans.iter().any(is_of)
    }

    /// Returns true if the list of selected scans contains the scan of the diffusion series, or if the list
    /// is empty.
    pub fn names(&self, series: &BidsName) -> bool {
        self.scans.is_empty() || self.scans.contains(&series.scan())
    }

    /// Returns true if the diffusion series is selected by its session, its scan name and the filter. The
    /// caller checks that its participant is selected.
    pub fn accepts(&self, name: &BidsName) -> bool {
        let is_of_session = self.sessions.is_empty()
            || self
                .sessions
                .iter()
                .any(|label| name.get("ses") == Some(label.strip_prefix("ses-").unwrap_or(label)));
        is_of_session && self.filter.accepts(name)
    }
}
