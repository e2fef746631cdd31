//! Options for masks whose space is not that of the diffusion images. They give the transforms between the
//! two spaces.

use arcuate_pipeline::mask_space::MaskSpace;
use arcuate_pipeline::transforms::TransformFile;
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use std::path::PathBuf;

/// How masks lie to the diffusion images.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Masks in another space")]
pub(super) struct SpaceArgs {
    /// Transform from the space of masks and seeds to that of the diffusion images
    ///
    /// The file is a FLIRT matrix, a FNIRT field, or FNIRT coefficients on the grid of the diffusion images.
    /// It can also be a transform of ITK or ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite .h5, text).
    /// Give several ITK files separated by commas, in the order of `antsApplyTransforms -i MASK -r DWI -t …`.
    /// FILE:inverse means the inverse of the transform in FILE, as [FILE,1] in antsApplyTransforms. [default:
    /// none; all files are in the same scanner millimetres]
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = transform_files())]
    masks_to_dwi: Vec<TransformFile>,
    /// Transform from the space of the diffusion images to the space of the masks
    ///
    /// This option is required if --masks-to-dwi contains a deformation field. A FNIRT field must be on the
    /// grid of the masks. [default: the inverse of --masks-to-dwi, if this has only matrices]
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = transform_files(), requires = "masks_to_dwi")]
    dwi_to_masks: Vec<TransformFile>,
}

impl SpaceArgs {
    /// Converts the options to the type of the library.
    pub(super) fn space(&self) -> MaskSpace {
        MaskSpace { masks_to_dwi: self.masks_to_dwi.clone(), dwi_to_masks: self.dwi_to_masks.clone() }
    }
}

fn transform_files() -> impl TypedValueParser<Value = TransformFile> {
    let of = |written: PathBuf| TransformFile::of(&written).map_err(|e| e.problem().to_owned());
    PathBufValueParser::new().try_map(of)
}
