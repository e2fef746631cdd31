//! The other data sets that one names, and the addresses of their files: `bids:preprocessed:sub-01/…`.

use crate::addresses::{encoded, folder_of, of_file, slashed};
use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};

/// The key of a description that they stand under.
pub(super) const KEY: &str = "DatasetLinks";

/// Data sets by their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Links {
    /// The data set that names them.
    here: PathBuf,
    /// Names, and roots as the file system has them; nothing where there is none.
    roots: Vec<(String, Option<PathBuf>)>,
}

/// The address of a file by its name from the root of the data set itself on.
pub(super) fn own(name: &str) -> String {
    format!("bids::{}", encoded(name))
}

impl Links {
    /// Those of a description, which lies in `here`.
    pub(super) fn of(description: &Map<String, Value>, here: &Path) -> Self {
        let named = description.get(KEY).and_then(Value::as_object).into_iter().flatten();
        let root = |address: &Value| fs::canonicalize(folder_of(address.as_str()?, here)?).ok();
        let roots = named.map(|(name, address)| (name.clone(), root(address))).collect();
        Self { here: fs::canonicalize(here).unwrap_or_else(|_| here.to_owned()), roots }
    }

    /// The name of a data set; `root` is as the file system has it.
    pub(super) fn name_of(&self, root: &Path) -> Option<&str> {
        let is_it = |known: &Option<PathBuf>| known.as_deref() == Some(root);
        self.roots.iter().find(|(_, known)| is_it(known)).map(|(name, _)| name.as_str())
    }

    /// Where a name leads: nowhere where nothing has it, or where there is no such folder any more.
    pub(super) fn root_of(&self, name: &str) -> Option<&Path> {
        self.roots.iter().find(|(known, _)| known == name)?.1.as_deref()
    }

    /// The address of a file: from the root of its data set on, of those that contain others the innermost. Nothing where there is no
    /// such file.
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
    fn files_are_named_by_their_data_sets() {
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
