//! Finds the anatomical files in the space of a diffusion series: an image for figures, a tissue image, a
//! segmentation, and transforms to a standard space.

use super::own_files::{OwnFile, is_image, is_in_space_of};
use crate::entities::BidsName;
use arcuate_io::{FileKind, all_endings};
use std::path::PathBuf;

/// The labels of the entity `desc` in the names of FreeSurfer's segmentations. The first segmentation is
/// preferred, because its cortex is bounded by the cortical surfaces.
const SEGMENTATIONS: [&str; 2] = ["aparcaseg", "aseg"];
/// The beginning of the name of a standard space, such as `MNI152NLin2009cAsym`, in file names.
const STANDARD: &str = "MNI";

/// The anatomical files that are in the same space as a diffusion series.
pub(super) struct Anatomy {
    /// An anatomical image that is the background of the figures in reports.
    pub(super) image: Option<PathBuf>,
    /// A tissue image for anatomically constrained tracking.
    pub(super) five_tissues: Option<PathBuf>,
    /// A segmentation from which a tissue image can be computed. `None` if a tissue image exists already.
    pub(super) segmentation: Option<PathBuf>,
}

impl Anatomy {
    /// Finds the anatomical files of a diffusion series among the files of its participant.
    pub(super) fn find(own: &[OwnFile<'_>], series: &BidsName, notes: &mut Vec<String>) -> Self {
        let find = |is_it: &dyn Fn(&BidsName) -> bool| {
            let is_it = |name: &BidsName| is_image(name) && is_in_space_of(name, series) && is_it(name);
            own.iter().find(|(_, file)| is_it(&file.name)).map(|(_, file)| file.path.clone())
        };
        let image = find(&|name| {
            ["T1w", "T2w"].contains(&name.suffix.as_str()) && name.get("desc") == Some("preproc")
        });
        let five_tissues = find(&|name| name.suffix == "probseg" && name.get("seg") == Some("hsvs"));
        // If the name of the diffusion series lacks the entity `space`, it is unknown which other files are
        // in the same space as the series.
        let is_comparable = five_tissues.is_none() && series.get("space").is_some();
        let of = |label: &str| find(&|name| name.suffix == "dseg" && name.get("desc") == Some(label));
        let segmentation = SEGMENTATIONS.iter().filter(|_| is_comparable).find_map(|label| of(label));
        note_transforms(own, series, notes);
        Self { image, five_tissues, segmentation }
    }
}

/// Adds a note for the user about transforms between the space of a diffusion series and a standard space.
/// These transforms are not used, because no file of a run is in a standard space.
fn note_transforms(own: &[OwnFile<'_>], series: &BidsName, notes: &mut Vec<String>) {
    let Some(space) = series.get("space") else { return };
    let is_standard = |label: Option<&str>| label.is_some_and(|label| label.starts_with(STANDARD));
    let leads = |name: &BidsName| {
        let (from, to) = (name.get("from"), name.get("to"));
        name.suffix == "xfm"
            && all_endings(FileKind::Transform).contains(&name.extension.as_str())
            && (is_standard(from) && to == Some(space) || is_standard(to) && from == Some(space))
    };
    let found: Vec<String> = own
        .iter()
        .filter(|(_, file)| leads(&file.name))
        .map(|(_, file)| file.path.display().to_string())
        .collect();
    if !found.is_empty() {
        notes.push(format!(
            "transforms to or from a standard brain were found, and none is applied: {}",
            found.join(", ")
        ));
    }
}
