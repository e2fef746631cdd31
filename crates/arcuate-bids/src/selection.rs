//! Selection of scans in a dataset.

use crate::entities::BidsName;
use arcuate_core::{Error, Result};
use serde_json::Value;
use std::path::Path;

/// A condition on the label of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
enum EntityCondition {
    /// The entity must be present, with any label.
    There,
    /// The entity must have one of these labels. `None` in the list allows that the entity is absent.
    OneOf(Vec<Option<String>>),
}

/// Conditions on the entities of a diffusion series. They come from a filter file in the format of fMRIPrep
/// and QSIPrep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter(Vec<(String, EntityCondition)>);

/// The names of entities in PyBIDS, each with its key in file names.
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
    /// Reads the part of a filter file that applies to diffusion series: `{"dwi": {"session": "a", "run":
    /// ["1", null], "acquisition": "*"}}`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or if a key is not an entity of a diffusion series.
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
        let mut wanted = Vec::new();
        for (name, value) in of_series {
            // These keys are skipped, because their values are the same for every diffusion series.
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
            wanted.push(((*key).to_owned(), of_entity));
        }
        Ok(Self(wanted))
    }

    /// Returns whether a file name satisfies all conditions.
    pub fn takes(&self, name: &BidsName) -> bool {
        self.0.iter().all(|(key, wanted)| match (wanted, name.get(key)) {
            (EntityCondition::There, label) => label.is_some(),
            (EntityCondition::OneOf(labels), label) => {
                labels.iter().any(|one| match (one.as_deref(), label) {
                    (None, None) => true,
                    (Some(wanted), Some(label)) => is_same_label(wanted, label),
                    _ => false,
                })
            }
        })
    }
}

/// Returns whether two labels are equal. If they are indices, leading zeros are ignored.
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
    /// Labels of the selected participants, with or without `sub-`. If the list is empty, all are selected.
    pub participants: Vec<String>,
    /// Labels of the selected sessions, with or without `ses-`. If the list is empty, all are selected.
    pub sessions: Vec<String>,
    /// Names of the selected scans, as returned by [`BidsName::scan`]. If the list is empty, all are
    /// selected.
    pub scans: Vec<String>,
    /// Further conditions on the diffusion series.
    pub filter: Filter,
}

impl Selection {
    /// Returns the selected participants among those of the dataset.
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

    /// Returns whether the selection names a scan of a participant. Returns true if it names no scans at all.
    fn has_scan_of(&self, participant: &str) -> bool {
        let is_of = |scan: &String| scan.split('_').next() == Some(&format!("sub-{participant}"));
        self.scans.is_empty() || self.scans.iter().any(is_of)
    }

    /// Returns whether the selection names the scan of a series. Returns true if it names no scans at all.
    pub fn names(&self, series: &BidsName) -> bool {
        self.scans.is_empty() || self.scans.contains(&series.scan())
    }

    /// Returns whether the sessions, the names of scans and the filter select a series. Its participant must
    /// be selected already.
    pub fn takes(&self, name: &BidsName) -> bool {
        let is_of_session = self.sessions.is_empty()
            || self
                .sessions
                .iter()
                .any(|label| name.get("ses") == Some(label.strip_prefix("ses-").unwrap_or(label)));
        is_of_session && self.filter.takes(name)
    }
}
