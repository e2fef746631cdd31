//! Reads the links from a BIDS dataset to other datasets, and creates the BIDS URIs of files:
//! `bids:preprocessed:sub-01/…`.

use crate::addresses::{encoded, folder_of, of_file, slashed};
use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};

/// The key under which a `dataset_description.json` lists the links to other datasets.
pub(super) const KEY: &str = "DatasetLinks";

/// The datasets to which a dataset refers: their names and root folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Links {
    /// The dataset that contains the links.
    here: PathBuf,
    /// Name and canonical path of the root folder of each linked dataset. The path is `None` if the folder
    /// does not exist.
    roots: Vec<(String, Option<PathBuf>)>,
}

/// Returns the BIDS URI of a file of the dataset that contains the links. `name` is the path of the file
/// relative to the root of the dataset.
pub(super) fn own(name: &str) -> String {
    format!("bids::{}", encoded(name))
}

impl Links {
    /// Reads the links to other datasets from the description of the dataset in the folder `here`.
    pub(super) fn of(description: &Map<String, Value>, here: &Path) -> Self {
        let named = description.get(KEY).and_then(Value::as_object).into_iter().flatten();
        let root = |address: &Value| fs::canonicalize(folder_of(address.as_str()?, here)?).ok();
        let roots = named.map(|(name, address)| (name.clone(), root(address))).collect();
        Self { here: fs::canonicalize(here).unwrap_or_else(|_| here.to_owned()), roots }
    }

    /// Returns the name of the linked dataset with this canonical root folder.
    pub(super) fn name_of(&self, root: &Path) -> Option<&str> {
        let is_it = |known: &Option<PathBuf>| known.as_deref() == Some(root);
        self.roots.iter().find(|(_, known)| is_it(known)).map(|(name, _)| name.as_str())
    }

    /// Returns the root folder of the linked dataset with this name. Returns `None` if no dataset has this
    /// name or if the folder no longer exists.
    pub(super) fn root_of(&self, name: &str) -> Option<&Path> {
        self.roots.iter().find(|(known, _)| known == name)?.1.as_deref()
    }

    /// Returns the BIDS URI of a file in one of the linked datasets. If several linked datasets contain the
    /// file, the dataset with the deepest root folder is used. Returns `None` if the file does not exist.
    pub(super) fn address(&self, path: &Path) -> Option<String> {
        let path = fs::canonicalize(path).ok()?;
        let roots = self.roots.iter().filter_map(|(name, root)| Some((name.as_str(), root.as_deref()?)));
        let around = roots.chain([("", self.here.as_path())]).filter(|(_, root)| path.starts_with(root));
        let nearest = around.max_by_key(|(_, root)| root.components().count());
        Some(match nearest.and_then(|(name, root)| Some((name, path.strip_prefix(root).ok()?))) {
            Some((name, below)) => format!("bids:{name}:{}", encoded(&slashed(below))),
            None => of_file(&path),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn file_links_name_their_dataset() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for below in ["raw/sub-1", "raw/derivatives/qsiprep/sub-1", "raw/derivatives/arcuate", "else"] {
            fs::create_dir_all(root.join(below)).unwrap();
        }
        let here = root.join("raw/derivatives/arcuate");
        let links =
            json!({"DatasetLinks": {"raw": "../..", "preprocessed": "../qsiprep", "gone": "../gone"}});
        let links = Links::of(links.as_object().unwrap(), &here);
        for (file, address) in [
            ("raw/sub-1/a.nii", "bids:raw:sub-1/a.nii"),
            ("raw/derivatives/qsiprep/sub-1/b c.nii", "bids:preprocessed:sub-1/b%20c.nii"),
            ("raw/derivatives/arcuate/d.nii", "bids::d.nii"),
        ] {
            fs::write(root.join(file), "").unwrap();
            assert_eq!(links.address(&root.join(file)).as_deref(), Some(address));
        }
        fs::write(root.join("else/e.nii"), "").unwrap();
        let address = links.address(&root.join("else/e.nii")).unwrap();
        assert!(address.starts_with("file:///") && address.ends_with("/else/e.nii"), "{address}");
        assert_eq!(links.address(&root.join("none.nii")), None);
        assert_eq!(links.name_of(&root.join("raw")), Some("raw"));
        assert_eq!(links.root_of("raw"), Some(root.join("raw").as_path()));
        assert_eq!((links.root_of("gone"), links.root_of("other")), (None, None));
    }
}
