//! File format of the maps in a folder of results.

use crate::output_files::OutputFile;
use arcuate_io::{MAP_ENDINGS, split_ending};
use std::borrow::Cow;

/// Ending of the default image names.
const ENDING: &str = MAP_ENDINGS[0];

/// Names of images that are always written in the default format. This is the final state of Markov chains,
/// which must be stored exactly.
const NO_MAPS: [&str; 1] = ["state.nii.gz"];

/// Image format, in the order of [`MAP_ENDINGS`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapFormat {
    /// Compressed NIfTI.
    #[default]
    NiftiGz,
    /// NIfTI.
    Nifti,
    /// MRtrix.
    Mif,
}

impl MapFormat {
    /// All formats.
    pub const ALL: [Self; MAP_ENDINGS.len()] = [Self::NiftiGz, Self::Nifti, Self::Mif];

    /// Returns the name of this image format on the command line.
    #[doc(hidden)]
    pub fn word(self) -> &'static str {
        self.ending().trim_start_matches('.')
    }

    /// Returns the file name ending of this image format, with the dot.
    pub fn ending(self) -> &'static str {
        MAP_ENDINGS[self as usize]
    }

    /// Returns the name of a result file in this image format. Only the names of maps change.
    #[doc(hidden)]
    pub fn name(self, name: &str) -> Cow<'_, str> {
        let file = name.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or(name);
        match split_ending(name, &[ENDING]) {
            Some((stem, _)) if self != Self::NiftiGz && !NO_MAPS.contains(&file) => {
                Cow::Owned(format!("{stem}{}", self.ending()))
            }
            _ => Cow::Borrowed(name),
        }
    }

    /// Replaces the names of result files by their names in this image format.
    #[doc(hidden)]
    pub fn of(self, output_files: Vec<OutputFile>) -> Vec<OutputFile> {
        output_files
            .into_iter()
            .map(|output_file| output_file.named(|name| self.name(name).into_owned()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn map_names_have_the_ending_of_their_format() {
        for (format, names) in [
            (MapFormat::NiftiGz, ["fa.nii.gz", "noddi/odi.nii.gz"]),
            (MapFormat::Nifti, ["fa.nii", "noddi/odi.nii"]),
            (MapFormat::Mif, ["fa.mif", "noddi/odi.mif"]),
        ] {
            assert_eq!(["fa.nii.gz", "noddi/odi.nii.gz"].map(|name| format.name(name)), names);
            for other in ["tracks.trx", "weights.txt", "a/state.nii.gz", "state.nii.gz"] {
                assert_eq!(format.name(other), other);
            }
        }
    }

    #[test]
    fn pictures_refer_to_the_written_files() {
        let map = OutputFile::heat("after.nii.gz", "Error", "before.nii.gz", "signal");
        let [named]: [OutputFile; 1] = MapFormat::Mif.of(vec![map]).try_into().unwrap();
        assert_eq!(named.names(), ["after.mif", "before.mif"]);
    }
}
