//! What a part of a run says of itself and of its files.

use super::part::PartOf;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A file of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Content {
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// What a part says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) part: PartOf,
    /// What tells its run from others.
    pub(super) identity: String,
    /// The command line that made it.
    pub(super) words: Vec<String>,
    pub(super) random_seed: u64,
    pub(super) followed_by: String,
    /// Streamlines that were counted between regions of a parcellation.
    pub(super) counted: u64,
    /// Its files by their names.
    pub(super) files: BTreeMap<String, Content>,
}

impl Head {
    pub(super) fn new(part: PartOf, identity: String, words: Vec<String>, random_seed: u64) -> Self {
        let (followed_by, files) = (String::new(), BTreeMap::new());
        Self { part, identity, words, random_seed, followed_by, counted: 0, files }
    }
}
