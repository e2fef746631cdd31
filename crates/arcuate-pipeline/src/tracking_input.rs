//! Type of a file or folder that can be the input of tracking, such as a tensor image.

use crate::output_files::{Kind, OutputFile, Picture};
use crate::record::{Record, companion_path, name_of};
use crate::run::TENSOR;
use crate::sample_folder::SampleFolder;
use arcuate_core::Error;
use arcuate_io::{Intent, describe_image, is_image_name};
use std::path::Path;

/// Type of a tracking input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackingInput {
    /// Diffusion tensors.
    Tensor,
    /// Fibre orientation distributions.
    Fod,
    /// Posterior samples of fibre orientations.
    Samples,
    /// Peaks.
    Peaks,
    /// A diffusion series, for bootstrap tracking: tensors are fitted to signals with resampled residuals.
    Series,
}

impl TrackingInput {
    /// Returns the type of a file or folder. A folder with posterior samples is recognised by its files. For
    /// a file, the record of the command that wrote it, the NIfTI intent code in its header, and an existing
    /// gradient table are used. The number of volumes is not used, because images of tensors, FODs and peaks
    /// can have the same number.
    pub fn of(path: &Path) -> Option<Self> {
        if path.is_dir() {
            return SampleFolder::find(path, &[], None).is_ok().then_some(Self::Samples);
        }
        if !is_image_name(path) {
            return None;
        }
        Self::of_record(path).or_else(|| {
            let description = describe_image(path).ok()?;
            if description.intent == Intent::SYMMETRIC_MATRIX {
                return Some(Self::Tensor);
            }
            let has_gradients = description.gradients.is_some() || has_bval(path);
            has_gradients.then_some(Self::Series)
        })
    }

    /// Returns the type of the file that a record states. The record is searched in the folder of the file
    /// and next to the file.
    fn of_record(path: &Path) -> Option<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = name_of(path);
        let is_it = |file: &OutputFile| file.name == name;
        let records = [Record::read(folder).ok(), Record::read_from(&companion_path(path)).ok()];
        let file = records.into_iter().flatten().find_map(|record| record.files.into_iter().find(is_it))?;
        match file.picture {
            Some(Picture { kind: Kind::Distributions, .. }) => Some(Self::Fod),
            Some(Picture { kind: Kind::Sticks, .. }) => Some(Self::Peaks),
            _ if file.name == TENSOR => Some(Self::Tensor),
            _ => None,
        }
    }

    /// Returns the subcommand of `arcuate track` for this type of input.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tensor => "tensor",
            Self::Fod => "fod",
            Self::Samples => "samples",
            Self::Peaks => "peaks",
            Self::Series => "bootstrap",
        }
    }

    /// Describes the input for users.
    fn description(self) -> &'static str {
        match self {
            Self::Tensor => "a tensor image",
            Self::Fod => "a FOD image",
            Self::Samples => "a folder of samples",
            Self::Peaks => "an image of peaks",
            Self::Series => "a diffusion series",
        }
    }
}

/// Creates the error for a command line in which the subcommand of `arcuate track` is missing before the
/// input.
pub fn missing_source(input: &Path) -> Error {
    let shown = input.display();
    if let Some(source) = TrackingInput::of(input) {
        let problem = format!("it is {}", source.description());
        return Error::usage(&shown, problem, format!("write: arcuate track {} {shown}", source.word()));
    }
    let problem = "the source is missing in the command, and the type of the file is not known";
    let sources =
        "tensor, fod, geodesic (a tensor image), samples (a folder), peaks or bootstrap (a diffusion series)";
    Error::usage(&shown, problem, format!("write: arcuate track SOURCE {shown}, with {sources} as SOURCE"))
}

/// Checks whether there is a file of b-values next to an image.
fn has_bval(path: &Path) -> bool {
    ["bval", "bvals"].iter().any(|ending| arcuate_io::companion_path(path, ending).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid, Volume};
    use arcuate_io::{HeaderNotes, WriteOptions, write_image};

    #[test]
    fn the_number_of_volumes_does_not_determine_the_input_kind() {
        let folder = tempfile::tempdir().unwrap();
        let grid = Grid::new([2; 3], Affine::identity()).unwrap();
        let write = |name: &str, intent: Option<Intent>| {
            let path = folder.path().join(name);
            let options = WriteOptions {
                notes: HeaderNotes { intent, ..HeaderNotes::default() },
                ..WriteOptions::default()
            };
            write_image(&path, &Volume::filled(grid, 6, 0.0f32), &options).unwrap();
            path
        };
        let unknown = write("unknown.nii", None);
        assert_eq!(TrackingInput::of(&unknown), None);
        let error = missing_source(&unknown).to_string();
        assert!(
            error.contains("write: arcuate track SOURCE ") && error.contains("tensor, fod, geodesic"),
            "{error}"
        );
        let series = write("dwi.nii", None);
        std::fs::write(folder.path().join("dwi.bval"), "0 1 1 1 1 1\n").unwrap();
        assert_eq!(TrackingInput::of(&series), Some(TrackingInput::Series));
        let mut record = Record::default();
        record.form = 1;
        record.files = vec![
            OutputFile::shown("fod.nii", "FODs", Kind::Distributions),
            OutputFile::shown("peaks.nii", "Peaks", Kind::Sticks),
            OutputFile::file(TENSOR, "Tensor"),
        ];
        let text = serde_json::to_string(&record).unwrap();
        std::fs::write(folder.path().join(crate::record::FILE_NAME), text).unwrap();
        for (name, source) in [
            ("fod.nii", TrackingInput::Fod),
            ("peaks.nii", TrackingInput::Peaks),
            (TENSOR, TrackingInput::Tensor),
        ] {
            let path = write(name, None);
            assert_eq!(TrackingInput::of(&path), Some(source), "{name}");
            let error = missing_source(&path).to_string();
            assert!(
                error.ends_with(&format!(
                    "{name}: it is {}; write: arcuate track {} {}",
                    source.description(),
                    source.word(),
                    path.display()
                )),
                "{error}"
            );
        }
    }
}
