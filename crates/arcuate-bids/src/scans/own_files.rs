//! Lists the files that several datasets have for one participant.

use crate::dataset::{BidsFile, Dataset};
use crate::entities::BidsName;
use arcuate_io::{FileKind, written_endings};

/// A file of a participant, together with the dataset that contains it.
pub(super) type OwnFile<'a> = (&'a Dataset, &'a BidsFile);

/// Returns the files of the participant of a series. The names of these files have the same session as the
/// series, or no session. Files with the session come first.
pub(super) fn own_files<'a>(
    datasets: impl Iterator<Item = &'a Dataset>,
    series: &BidsName,
) -> Vec<OwnFile<'a>> {
    let is_own =
        |other: &&BidsFile| other.name.get("ses").is_none_or(|label| series.get("ses") == Some(label));
    let participant = series.get("sub").unwrap_or_default();
    let of_dataset = |dataset: &'a Dataset| {
        dataset.files_of(participant).filter(is_own).map(move |file| (dataset, file)).collect::<Vec<_>>()
    };
    let mut own: Vec<OwnFile<'a>> = datasets.flat_map(of_dataset).collect();
    own.sort_by_key(|(_, other)| usize::MAX - other.levels.len());
    own
}

/// Returns true if both file names have the same label of the entity `space`.
pub(super) fn is_in_space_of(name: &BidsName, series: &BidsName) -> bool {
    name.get("space") == series.get("space")
}

/// Returns whether a file is an image.
pub(super) fn is_image(name: &BidsName) -> bool {
    written_endings(FileKind::Image).contains(&name.extension.as_str())
}
