//! Description of a part of a divided run and of its files.

use super::part::PartOf;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Size in bytes and checksum of a file of the part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Content {
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// Description of a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) part: PartOf,
    /// Checksum of the options and inputs of the run.
    pub(super) identity: String,
    /// Command line that made the part.
    pub(super) words: Vec<String>,
    pub(super) random_seed: u64,
    #[serde(rename = "followed_by")]
    pub(super) device_name: String,
    /// Number of streamlines of this part that were counted for the connectome of a parcellation.
    pub(super) counted: u64,
    /// Files of the part by name.
    pub(super) files: BTreeMap<String, Content>,
}

impl Head {
    pub(super) fn new(part: PartOf, identity: String, words: Vec<String>, random_seed: u64) -> Self {
        let (device_name, files) = (String::new(), BTreeMap::new());
        Self { part, identity, words, random_seed, device_name, counted: 0, files }
    }
}
