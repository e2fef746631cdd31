//! What anatomy says of a series: an image, tissues, and ways to a standard brain.

use super::own_files::{OwnFile, is_image, is_in_space_of};
use crate::entities::BidsName;
use std::path::PathBuf;

/// FreeSurfer's segmentations, by how names describe them: the one with the cortex that surfaces enclose first.
const SEGMENTATIONS: [&str; 2] = ["aparcaseg", "aseg"];
/// What the names of standard brains begin with.
const STANDARD: &str = "MNI";
/// Endings of transforms, as ITK and FSL write them.
const TRANSFORMS: [&str; 3] = [".h5", ".mat", ".txt"];

/// Anatomy in the space of a series.
pub(super) struct Anatomy {
    /// An image to show results on.
    pub(super) image: Option<PathBuf>,
    /// Tissues that streamlines heed.
    pub(super) five_tissues: Option<PathBuf>,
    /// A segmentation that tissues can be made of, where there is no image of them.
    pub(super) segmentation: Option<PathBuf>,
}

impl Anatomy {
    /// What files of a participant have for a series.
    pub(super) fn find(own: &[OwnFile<'_>], series: &BidsName, notes: &mut Vec<String>) -> Self {
        let find = |is_it: &dyn Fn(&BidsName) -> bool| {
            let is_it = |name: &BidsName| is_image(name) && is_in_space_of(name, series) && is_it(name);
            own.iter().find(|(_, file)| is_it(&file.name)).map(|(_, file)| file.path.clone())
        };
        let image = find(&|name| {
            ["T1w", "T2w"].contains(&name.suffix.as_str()) && name.get("desc") == Some("preproc")
        });
        let five_tissues = find(&|name| name.suffix == "probseg" && name.get("seg") == Some("hsvs"));
        // In a space that has no name nothing but the series itself is known to lie.
        let is_comparable = five_tissues.is_none() && series.get("space").is_some();
        let of = |label: &str| find(&|name| name.suffix == "dseg" && name.get("desc") == Some(label));
        let segmentation = SEGMENTATIONS.iter().filter(|_| is_comparable).find_map(|label| of(label));
        note_transforms(own, series, notes);
        Self { image, five_tissues, segmentation }
    }
}

/// Names the transforms between the space of a series and a standard brain: nothing of a run is in the latter, so that none is applied.
fn note_transforms(own: &[OwnFile<'_>], series: &BidsName, notes: &mut Vec<String>) {
    let Some(space) = series.get("space") else { return };
    let is_standard = |label: Option<&str>| label.is_some_and(|label| label.starts_with(STANDARD));
    let leads = |name: &BidsName| {
        let (from, to) = (name.get("from"), name.get("to"));
        name.suffix == "xfm"
            && TRANSFORMS.contains(&name.extension.as_str())
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
