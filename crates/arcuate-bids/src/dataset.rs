//! A data set on the disk.

use crate::entities::BidsName;
use arcuate_core::{Error, Result, is_file_or_link, is_present};
use arcuate_io::read_text_file;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of a description or a sidecar, at most.
const LARGEST: u64 = 1 << 22;
/// Folders below each other that are looked into, at most: `sub-*/ses-*/dwi`.
const DEEPEST: usize = 3;
/// Folders of a participant or a session whose files are listed.
const DATATYPES: [&str; 2] = ["dwi", "anat"];

/// What made a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name: `qsiprep`.
    pub name: String,
    /// Its version, where it says one.
    pub version: Option<String>,
}

/// A file with a name of BIDS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BidsFile {
    /// Where it is.
    pub path: PathBuf,
    /// The folder that it lies in, from the root on: as many names as there are levels.
    pub levels: Vec<String>,
    /// Its name.
    pub name: BidsName,
}

impl BidsFile {
    /// From the root of the data set, with `/`.
    pub fn relative(&self) -> String {
        let name = self.name.to_string();
        let parts: Vec<&str> = self.levels.iter().map(String::as_str).chain([name.as_str()]).collect();
        parts.join("/")
    }

    /// The folder of the kind of data, `dwi`, where it lies in one.
    pub fn datatype(&self) -> Option<&str> {
        self.levels.last().map(String::as_str).filter(|level| DATATYPES.contains(level))
    }
}

/// A data set: what it says of itself, and its files of diffusion and anatomy.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Where it is.
    pub root: PathBuf,
    /// Its name.
    pub name: String,
    /// Whether it holds what a scanner gave, not derivatives.
    pub is_raw: bool,
    /// What made it, the last first.
    pub tools: Vec<Tool>,
    /// The whole description.
    pub description: Map<String, Value>,
    files: Vec<BidsFile>,
    /// Places of files, by the label of their participant.
    of_participants: BTreeMap<String, Vec<usize>>,
    /// Places of files, by the folder that they lie in.
    in_folders: BTreeMap<Vec<String>, Vec<usize>>,
}

/// Reads a JSON object.
pub(crate) fn read_object(path: &Path) -> Result<Map<String, Value>> {
    let text = read_text_file(path, LARGEST)?;
    serde_json::from_str(&text).map_err(|e| {
        Error::invalid(path.display(), format!("it is no JSON object ({e})"), "mend it, or take it away")
    })
}

impl Dataset {
    /// Reads what a data set says of itself, and which files it has.
    ///
    /// # Errors
    /// Where it has no description, or that says nothing of use.
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
        // Before BIDS 1.4.
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

    /// Whether one of the programs that made it has this name.
    pub fn is_made_by(&self, program: &str) -> bool {
        self.tools.iter().any(|tool| tool.name.to_lowercase().contains(program))
    }

    /// Its files.
    pub fn files(&self) -> &[BidsFile] {
        &self.files
    }

    /// Those whose names have this participant's label.
    pub fn files_of(&self, participant: &str) -> impl Iterator<Item = &BidsFile> {
        self.of_participants.get(participant).into_iter().flatten().map(|&place| &self.files[place])
    }

    /// Labels of its participants, in order.
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

    /// The files with this extension that belong to another by the inheritance principle: they lie in its folder or above, with its
    /// suffix and no entity that it lacks. The nearest is the last.
    ///
    /// # Errors
    /// Where one level has several.
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
                let problem =
                    format!("{} and {} would both belong to it", pair[0].relative(), pair[1].relative());
                return Err(Error::invalid(of.path.display(), problem, "leave one of them in that folder"));
            }
        }
        Ok(found)
    }

    /// What sidecars say of a file: those above it first, each key by the nearest that has it.
    ///
    /// # Errors
    /// Where one cannot be read.
    pub fn metadata(&self, of: &BidsFile) -> Result<Map<String, Value>> {
        let mut all = Map::new();
        for file in self.inherited(of, ".json")? {
            all.extend(read_object(&file.path)?);
        }
        Ok(all)
    }
}

/// Lists files of a folder and of those below it that BIDS has. Of other folders nothing is known.
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
            // A folder would be listed.
            tracing::warn!("{}", Error::missing(&path));
        }
    }
    Ok(())
}

/// Whether a name is that of a folder which BIDS has at this place.
fn is_level(name: &str, levels: &[String]) -> bool {
    match levels {
        [] => name.starts_with("sub-"),
        [_] => name.starts_with("ses-") || DATATYPES.contains(&name),
        [_, session] => session.starts_with("ses-") && DATATYPES.contains(&name),
        _ => false,
    }
}

/// Warns of an empty folder of a participant or session, as DataLad leaves it in the place of a data set within another until that
/// is fetched.
fn warn_of_empty(folder: &Path) -> Result<()> {
    let mut entries = fs::read_dir(folder).map_err(|e| Error::read(folder, e))?;
    if entries.next().is_none() {
        tracing::warn!(
            "{}: it is an empty folder; if it is a data set of its own, fetch it (datalad get)",
            folder.display()
        );
    }
    Ok(())
}
