//! Finds the diffusion series of a dataset and the other files that are needed to process each series.

mod anatomy;
mod atlas;
mod gradients;
mod own_files;
#[cfg(test)]
mod tests;

use crate::dataset::{BidsFile, Dataset};
use crate::entities::BidsName;
use crate::selection::Selection;
use anatomy::Anatomy;
use arcuate_core::{Error, Result};
use arcuate_io::NIFTI_ENDINGS;
use arcuate_pipeline::series_file::SeriesFile;
pub use atlas::Atlas;
use atlas::atlas;
use gradients::gradients;
use own_files::{is_image, own_files};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A diffusion series, with the paths of its gradient table, its mask and its anatomical files.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// The BIDS entities of the scan's file name, such as `sub-01_ses-a_space-ACPC`. Entities that all
    /// preprocessed series have are omitted.
    pub name: BidsName,
    /// The path of the folder for the scan's results, as a list of components relative to the root of the
    /// derivatives.
    pub levels: Vec<String>,
    /// The diffusion series and its gradient table.
    pub series: SeriesFile,
    /// The brain mask of the series.
    pub mask: Option<PathBuf>,
    /// The anatomical image that is the background of the figures in reports.
    pub anatomy: Option<PathBuf>,
    /// The regions of a connectome.
    pub atlas: Option<Atlas>,
    /// The tissue image for anatomically constrained tracking.
    pub five_tissues: Option<PathBuf>,
    /// A segmentation with FreeSurfer's labels, from which a tissue image can be computed. `None` if the
    /// dataset already has a tissue image.
    pub segmentation: Option<PathBuf>,
    /// The metadata of the diffusion series, from all sidecars that apply to it.
    pub metadata: Map<String, Value>,
    /// Notes for the user about how the files of the scan were selected.
    pub notes: Vec<String>,
}

impl Scan {
    /// Returns the name of the scan, which consists of its BIDS entities.
    pub fn id(&self) -> String {
        self.name.stem()
    }

    /// Returns the paths of all files from which the scan is processed.
    pub fn files(&self) -> Vec<PathBuf> {
        let atlas = self.atlas.iter().flat_map(|atlas| std::iter::once(&atlas.image).chain(&atlas.names));
        let tissues = self.five_tissues.iter().chain(&self.segmentation);
        let others = self.mask.iter().chain(&self.anatomy).chain(tissues).chain(atlas);
        self.series.gradients.files(&self.series.path).into_iter().chain(others.cloned()).collect()
    }
}

/// A diffusion series that cannot be processed, or a participant without a series, and the reason.
#[derive(Debug)]
pub struct Unusable {
    /// The name of the scan. If a participant has no diffusion series, the name of the participant.
    pub id: String,
    /// The reason why the diffusion series cannot be processed.
    pub error: Error,
    /// True if this entry is about a diffusion series, false if it is about a participant without a series.
    pub is_series: bool,
}

/// Options of the search for diffusion series.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// The series to select.
    pub selection: Selection,
    /// True if the user requests raw diffusion series, false for preprocessed ones.
    pub raw: bool,
    /// The label of the atlas that the user requests for connectomes.
    pub atlas: Option<String>,
}

/// Finds the diffusion series that the user selected. Returns the usable series in order, and then those that
/// cannot be used. Anatomical images, atlases and tissue images are also searched for in the datasets
/// `others`.
///
/// # Errors
/// Returns an error if the dataset contains raw data but the user requests preprocessed series. Also returns
/// an error if a selected participant is missing, or if no series is selected.
pub fn find(dataset: &Dataset, others: &[Dataset], search: &Search) -> Result<(Vec<Scan>, Vec<Unusable>)> {
    let root = dataset.root.display();
    if dataset.is_raw && !search.raw {
        let problem = "its series are as the scanner gave them";
        let advice = "give the data set of a preprocessing (QSIPrep's), or say ‘raw’ where movement, eddy currents and distortion do not matter";
        return Err(Error::usage(root, problem, advice));
    }
    let participants = search.selection.participants(&dataset.participants())?;
    let is_series = |file: &&BidsFile| {
        let name = &file.name;
        file.datatype() == Some("dwi")
            && name.suffix == "dwi"
            && NIFTI_ENDINGS.contains(&name.extension.as_str())
            && name.get("desc") == (if dataset.is_raw { None } else { Some("preproc") })
            && search.selection.accepts(name)
    };
    require_sessions(dataset, &participants, search)?;
    require_scans(dataset.files().iter().filter(is_series), &search.selection)?;
    let (mut scans, mut unusable) = (Vec::new(), Vec::new());
    for participant in &participants {
        let is_named = |file: &&BidsFile| search.selection.names(&file.name);
        let series: Vec<&BidsFile> =
            dataset.files_of(participant).filter(is_series).filter(is_named).collect();
        if series.is_empty() && !search.selection.participants.is_empty() {
            let what = if dataset.is_raw { "diffusion series" } else { "series *_desc-preproc_dwi.nii.gz" };
            let problem = format!(
                "this participant has no {what} that matches the requested sessions and the filter file"
            );
            let error = Error::invalid(
                dataset.root.join(format!("sub-{participant}")).display(),
                problem,
                "check the requested sessions and the filter file",
            );
            unusable.push(Unusable { id: format!("sub-{participant}"), error, is_series: false });
        }
        for file in &series {
            let id = file.name.scan();
            let scan = if series.iter().filter(|other| other.name.scan() == id).count() > 1 {
                let problem = format!("several series have the name {id}");
                let advice = "keep only one series of this name, in the folder of its session";
                Err(Error::invalid(file.path.display(), problem, advice))
            } else {
                of_series(dataset, others, file, search)
            };
            match scan {
                Ok(scan) => scans.push(scan),
                Err(error) => unusable.push(Unusable { id, error, is_series: true }),
            }
        }
    }
    if scans.is_empty() && unusable.is_empty() {
        let problem = "no series matches the request (sub-*/[ses-*/]dwi/*_desc-preproc_dwi.nii.gz)";
        return Err(Error::invalid(
            root,
            problem,
            "check the labels of participants and sessions, and the filter file",
        ));
    }
    Ok((scans, unusable))
}

/// Returns an error if the dataset lacks a session that the user requests.
fn require_sessions(dataset: &Dataset, participants: &[String], search: &Search) -> Result<()> {
    let files = participants.iter().flat_map(|participant| dataset.files_of(participant));
    let mut known: Vec<&str> = files.filter_map(|file| file.name.get("ses")).collect();
    known.sort_unstable();
    known.dedup();
    for label in &search.selection.sessions {
        let label = label.strip_prefix("ses-").unwrap_or(label);
        if !known.contains(&label) {
            let advice = match known[..] {
                [] => "remove this option: the data set has no sessions".to_owned(),
                _ => format!("give some of {}", known.join(", ")),
            };
            return Err(Error::usage("‘session_label’", format!("there is no session {label}"), advice));
        }
    }
    Ok(())
}

/// Returns an error if the dataset lacks a scan that the user requests by name.
fn require_scans<'f>(series: impl Iterator<Item = &'f BidsFile>, selection: &Selection) -> Result<()> {
    if selection.scans.is_empty() {
        return Ok(());
    }
    let known: BTreeSet<String> = series.map(|file| file.name.scan()).collect();
    for scan in &selection.scans {
        if !known.contains(scan) {
            let shown: Vec<&str> = known.iter().take(MAX_SHOWN).map(String::as_str).collect();
            let more = if known.len() > shown.len() { ", …" } else { "" };
            let advice = match shown[..] {
                [] => "check the labels of participants and sessions, and the filter file".to_owned(),
                _ => format!("give some of {}{more}", shown.join(", ")),
            };
            return Err(Error::usage("‘scan’", format!("there is no scan {scan}"), advice));
        }
    }
    Ok(())
}

/// The maximum number of scans that the error message about an unknown scan lists.
const MAX_SHOWN: usize = 20;

/// Returns an error if the participant or session in the name of a file differs from the participant or
/// session of its folders.
fn require_own_folder(file: &BidsFile) -> Result<()> {
    for (key, prefix) in [("sub", "sub-"), ("ses", "ses-")] {
        let of_folder = file.levels.iter().find_map(|level| level.strip_prefix(prefix));
        if of_folder != file.name.get(key) {
            let problem = format!(
                "the label after {prefix} in the file name differs from the label after {prefix} in the name \
                 of the folder"
            );
            return Err(Error::invalid(
                file.path.display(),
                problem,
                "rename the file, or move it to the right folder",
            ));
        }
    }
    Ok(())
}

fn of_series(dataset: &Dataset, others: &[Dataset], file: &BidsFile, search: &Search) -> Result<Scan> {
    require_own_folder(file)?;
    let mut notes = Vec::new();
    let name = file.name.without(&["desc"]);
    let metadata = dataset.metadata(file)?;
    let gradients = gradients(dataset, file, &mut notes)?;
    let mask = mask(dataset, file);
    if mask.is_none() {
        notes.push(
            "there is no mask *_desc-brain_mask next to the series; the brain mask is computed from \
                    the series"
                .to_owned(),
        );
    }
    let own = own_files(std::iter::once(dataset).chain(others), &name);
    let Anatomy { image, five_tissues, segmentation } = Anatomy::find(&own, &name, &mut notes);
    let atlas = atlas(&own, &name, search.atlas.as_deref(), &mut notes)?;
    Ok(Scan {
        levels: file.levels.clone(),
        series: SeriesFile { path: file.path.clone(), gradients },
        mask,
        anatomy: image,
        atlas,
        five_tissues,
        segmentation,
        metadata,
        notes,
        name: name.of("", ""),
    })
}

/// Returns the brain mask of a diffusion series, from the folder of the series.
fn mask(dataset: &Dataset, series: &BidsFile) -> Option<PathBuf> {
    let is_it = |other: &&BidsFile| {
        let name = &other.name;
        other.levels == series.levels
            && is_image(name)
            && name.suffix == "mask"
            && name.get("desc") == Some("brain")
            && name.scan() == series.name.scan()
    };
    let participant = series.name.get("sub").unwrap_or_default();
    dataset.files_of(participant).find(is_it).map(|other| other.path.clone())
}

/// Returns the folder for the results of a scan, below the root of the derivatives.
pub fn folder_of(root: &Path, scan: &Scan) -> PathBuf {
    scan.levels.iter().fold(root.to_owned(), |folder, level| folder.join(level))
}
