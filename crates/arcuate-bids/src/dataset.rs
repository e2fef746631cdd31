//! Reading a BIDS dataset from disk.

use crate::entities::BidsName;
use arcuate_core::{Error, Result, is_file_or_link, is_present};
use arcuate_io::read_text_file;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The maximum size of a `dataset_description.json` or a sidecar file, in bytes.
const LARGEST: u64 = 1 << 22;
/// The maximum depth of the folders that are searched below the root of the dataset: `sub-*/ses-*/dwi`.
const DEEPEST: usize = 3;
/// Folders in the folder of a participant or a session whose files are listed.
const DATATYPES: [&str; 2] = ["dwi", "anat"];

/// A program that created a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// The name of the program that created a dataset, such as `qsiprep`.
    pub name: String,
    /// The version of the program that created the dataset, if the dataset states it.
    pub version: Option<String>,
}

/// A file with a BIDS name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BidsFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The path of the folder that contains the file, as a list of components relative to the root of the
    /// dataset.
    pub levels: Vec<String>,
    /// The file name.
    pub name: BidsName,
}

impl BidsFile {
    /// Returns the path of the file relative to the root of the dataset, with `/` as separator.
    pub fn relative(&self) -> String {
        let name = self.name.to_string();
        let parts: Vec<&str> = self.levels.iter().map(String::as_str).chain([name.as_str()]).collect();
        parts.join("/")
    }

    /// Returns the name of the folder for a type of data (such as `dwi`) that contains the file. Returns
    /// `None` if the file is in no such folder.
    pub fn datatype(&self) -> Option<&str> {
        self.levels.last().map(String::as_str).filter(|level| DATATYPES.contains(level))
    }
}

/// A BIDS dataset: its description, and the list of its diffusion and anatomical files.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// The root folder of the dataset.
    pub root: PathBuf,
    /// The name of the dataset.
    pub name: String,
    /// True if the dataset contains raw data, false if it contains derivatives (results of other programs).
    pub is_raw: bool,
    /// The programs that created the dataset, the most recent first.
    pub tools: Vec<Tool>,
    /// The complete contents of `dataset_description.json`.
    pub description: Map<String, Value>,
    files: Vec<BidsFile>,
    /// The files of each participant, by the participant's label. A file is given as its index in the list of
    /// all files of the dataset.
    of_participants: BTreeMap<String, Vec<usize>>,
    /// The files in each folder of the dataset. A file is given as its index in the list of all files of the
    /// dataset.
    in_folders: BTreeMap<Vec<String>, Vec<usize>>,
}

/// Reads a JSON object.
pub(crate) fn read_object(path: &Path) -> Result<Map<String, Value>> {
    let text = read_text_file(path, LARGEST)?;
    serde_json::from_str(&text).map_err(|e| {
        Error::invalid(
            path.display(),
            format!("the file is not a JSON object ({e})"),
            "repair or remove the file",
        )
    })
}

impl Dataset {
    /// Reads the `dataset_description.json` of a dataset and lists the files of the dataset.
    ///
    /// # Errors
    /// Returns an error if `dataset_description.json` is missing or invalid.
    pub fn read(root: &Path) -> Result<Self> {
        if !root.is_dir() {
            let advice = "give the root of a BIDS data set";
            return Err(if is_present(root) {
                Error::no_folder(root, advice)
            } else {
                Error::usage(root.display(), "there is no such folder", advice)
            });
        }
        let path = root.join("dataset_description.json");
        if !is_file_or_link(&path) {
            let problem = "it has no dataset_description.json";
            let advice = "give the root of a BIDS data set, or of the derivatives of one";
            return Err(Error::invalid(root.display(), problem, advice));
        }
        let description = read_object(&path)?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let name = description.get("Name").and_then(text).unwrap_or_else(|| root.display().to_string());
        let made_by = description.get("GeneratedBy").and_then(Value::as_array).cloned().unwrap_or_default();
        // Datasets that follow a version of BIDS before 1.4 use this key for the program that created the
        // derivatives.
        let before = description.get("PipelineDescription").cloned();
        let tools: Vec<Tool> = made_by
            .iter()
            .chain(&before)
            .filter_map(|tool| {
                let name = tool.get("Name").and_then(text).filter(|name| !name.is_empty())?;
                Some(Tool { name, version: tool.get("Version").and_then(text) })
            })
            .collect();
        let kind = description.get("DatasetType").and_then(Value::as_str).unwrap_or("");
        let is_raw = kind == "raw" || (kind.is_empty() && tools.is_empty());
        let mut files = Vec::new();
        list(root, &mut Vec::new(), &mut files)?;
        files.sort_by(|a: &BidsFile, b| a.path.cmp(&b.path));
        let (mut of_participants, mut in_folders) =
            (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for (place, file) in files.iter().enumerate() {
            if let Some(label) = file.name.get("sub") {
                of_participants.entry(label.to_owned()).or_default().push(place);
            }
            in_folders.entry(file.levels.clone()).or_default().push(place);
        }
        Ok(Self {
            root: root.to_owned(),
            name,
            is_raw,
            tools,
            description,
            files,
            of_participants,
            in_folders,
        })
    }

    /// Returns true if the dataset was created by a program with this name.
    pub fn is_made_by(&self, program: &str) -> bool {
        self.tools.iter().any(|tool| tool.name.to_lowercase().contains(program))
    }

    /// Returns the files of the dataset.
    pub fn files(&self) -> &[BidsFile] {
        &self.files
    }

    /// Returns the files of the participant with this label.
    pub fn files_of(&self, participant: &str) -> impl Iterator<Item = &BidsFile> {
        self.of_participants.get(participant).into_iter().flatten().map(|&place| &self.files[place])
    }

    /// Returns the sorted labels of the participants.
    pub fn participants(&self) -> Vec<String> {
        let mut labels: Vec<String> = self
            .files
            .iter()
            .filter_map(|file| file.levels.first()?.strip_prefix("sub-"))
            .map(str::to_owned)
            .collect();
        labels.sort();
        labels.dedup();
        labels
    }

    /// Returns the files with the extension `extension` that apply to the file `of` by the BIDS inheritance
    /// principle. These files are in the folder of `of` or in a folder above, have the same suffix as `of`,
    /// and have only entities that `of` has, too. The file nearest to `of` is last in the list.
    ///
    /// # Errors
    /// Returns an error if a folder contains two such files that apply to the same image (the argument `of`).
    pub fn inherited(&self, of: &BidsFile, extension: &str) -> Result<Vec<&BidsFile>> {
        let above = (0..=of.levels.len()).filter_map(|depth| self.in_folders.get(&of.levels[..depth]));
        let found: Vec<&BidsFile> = above
            .flatten()
            .map(|&place| &self.files[place])
            .filter(|file| {
                file.name.extension == extension
                    && file.name.suffix == of.name.suffix
                    && file.name.is_within(&of.name)
            })
            .collect();
        for pair in found.windows(2) {
            if pair[0].levels.len() == pair[1].levels.len() {
                let problem = format!(
                    "{} and {} are in the same folder and both apply to this series, but BIDS allows only \
                     one such file per folder",
                    pair[0].relative(),
                    pair[1].relative()
                );
                return Err(Error::invalid(of.path.display(), problem, "remove one of these two files"));
            }
        }
        Ok(found)
    }

    /// Returns the metadata of a file, merged from all JSON sidecars that apply to it. If several sidecars
    /// have the same key, the sidecar nearest to the file takes precedence.
    ///
    /// # Errors
    /// Returns an error if a JSON sidecar cannot be read.
    pub fn metadata(&self, of: &BidsFile) -> Result<Map<String, Value>> {
        let mut all = Map::new();
        for file in self.inherited(of, ".json")? {
            all.extend(read_object(&file.path)?);
        }
        Ok(all)
    }
}

/// Lists the files of a folder and of its subfolders that BIDS defines (participants, sessions and data
/// types). Other subfolders are ignored.
fn list(folder: &Path, levels: &mut Vec<String>, files: &mut Vec<BidsFile>) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|e| Error::read(folder, e))?;
    for entry in entries {
        let entry = entry.map_err(|e| Error::read(folder, e))?;
        let Ok(file_name) = entry.file_name().into_string() else { continue };
        let path = entry.path();
        let is_level = levels.len() < DEEPEST && is_level(&file_name, levels);
        if path.is_dir() {
            if is_level {
                if !DATATYPES.contains(&file_name.as_str()) {
                    warn_of_empty(&path)?;
                }
                levels.push(file_name);
                list(&path, levels, files)?;
                levels.pop();
            }
        } else if let Some(name) = BidsName::parse(&file_name) {
            files.push(BidsFile { path, levels: levels.clone(), name });
        } else if is_level && !path.exists() {
            // This entry of a folder has the name of a participant, session or data type folder, but it is a
            // symbolic link whose target is missing.
            tracing::warn!("{}", Error::missing(&path));
        }
    }
    Ok(())
}

/// Returns true if BIDS defines a folder with this name below the folder with the components `levels`.
fn is_level(name: &str, levels: &[String]) -> bool {
    match levels {
        [] => name.starts_with("sub-"),
        [_] => name.starts_with("ses-") || DATATYPES.contains(&name),
        [_, session] => session.starts_with("ses-") && DATATYPES.contains(&name),
        _ => false,
    }
}

/// Warns if the folder of a participant or session is empty. DataLad leaves an empty folder in place of a subdataset
/// that was not fetched.
fn warn_of_empty(folder: &Path) -> Result<()> {
    let mut entries = fs::read_dir(folder).map_err(|e| Error::read(folder, e))?;
    if entries.next().is_none() {
        tracing::warn!(
            "{}: the folder is empty; if it is a DataLad subdataset, fetch it (datalad get)",
            folder.display()
        );
    }
    Ok(())
}
