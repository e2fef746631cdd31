//! Masks in another space than the diffusion images, as people name their transforms.

use arcuate_pipeline::mask_space::MaskSpace;
use arcuate_pipeline::transforms::TransformFile;
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use std::path::PathBuf;

/// How masks lie to the diffusion images.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Masks in another space")]
pub(super) struct SpaceArgs {
    /// Transform that brings images of the masks (and seeds) onto the diffusion images: a FLIRT matrix, a FNIRT field or its
    /// coefficients on the lattice of the diffusion images, or files of ITK and ANTs (0GenericAffine.mat, 1Warp.nii.gz, composite
    /// .h5, text) as `antsApplyTransforms -i MASK -r DWI -t …` takes them, several in its order with commas, FILE:inverse for
    /// [FILE,1]. Without it all are one space, in the scanner's millimetres
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = transform_files())]
    masks_to_dwi: Vec<TransformFile>,
    /// The way back, what brings diffusion images onto the masks: needed where there is a field (FNIRT's on the lattice of the
    /// masks), found by itself for matrices
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_parser = transform_files(), requires = "masks_to_dwi")]
    dwi_to_masks: Vec<TransformFile>,
}

impl SpaceArgs {
    /// The same for the library.
    pub(super) fn space(&self) -> MaskSpace {
        MaskSpace { masks_to_dwi: self.masks_to_dwi.clone(), dwi_to_masks: self.dwi_to_masks.clone() }
    }
}

fn transform_files() -> impl TypedValueParser<Value = TransformFile> {
    let of = |written: PathBuf| TransformFile::of(&written).map_err(|e| e.problem().to_owned());
    PathBufValueParser::new().try_map(of)
}
