//! The format of maps in a folder of results.

use crate::output_files::OutputFile;
use crate::stems::MAP_ENDINGS;
use std::borrow::Cow;

/// The ending that names of images are made with.
const ENDING: &str = MAP_ENDINGS[0];

/// Images that are no maps and have one format: where chains ended, to the bit.
const NO_MAPS: [&str; 1] = ["state.nii.gz"];

/// A format of images, in the order of [`MAP_ENDINGS`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
    /// All of them.
    pub const ALL: [Self; MAP_ENDINGS.len()] = [Self::NiftiGz, Self::Nifti, Self::Mif];

    /// As it is typed.
    pub fn word(self) -> &'static str {
        self.ending().trim_start_matches('.')
    }

    /// The ending of its names.
    pub fn ending(self) -> &'static str {
        MAP_ENDINGS[self as usize]
    }

    /// The name of a result in this format: that of a map with its ending, any other as it is.
    pub fn name(self, name: &str) -> Cow<'_, str> {
        let file = name.rsplit(['/', std::path::MAIN_SEPARATOR]).next().unwrap_or(name);
        match name.strip_suffix(ENDING) {
            Some(stem) if self != Self::NiftiGz && !NO_MAPS.contains(&file) => {
                Cow::Owned(format!("{stem}{}", self.ending()))
            }
            _ => Cow::Borrowed(name),
        }
    }

    /// Results by their names in this format.
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
    fn maps_have_the_ending_of_their_format() {
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
    fn pictures_name_the_files_that_are_there() {
        let map = OutputFile::heat("after.nii.gz", "Error", "before.nii.gz", "signal");
        let [named]: [OutputFile; 1] = MapFormat::Mif.of(vec![map]).try_into().unwrap();
        assert_eq!(named.names(), ["after.mif", "before.mif"]);
    }
}
