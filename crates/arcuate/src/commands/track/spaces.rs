//! Masks in another space than the diffusion images, as people name their transforms.

use arcuate_pipeline::mask_space::MaskSpace;
use clap::Args;
use std::path::PathBuf;

/// How masks lie to the diffusion images.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Masks in another space")]
pub(super) struct SpaceArgs {
    /// Transform from the space of the masks (and seeds) to that of the diffusion images: a FLIRT matrix, or a FNIRT field on
    /// the lattice of the diffusion images. Without it all are one space, in the scanner's millimetres
    #[arg(long, value_name = "FILE")]
    masks_to_dwi: Option<PathBuf>,
    /// The way back, a FNIRT field on the lattice of the masks: needed with a field, found by itself for a matrix
    #[arg(long, value_name = "FILE", requires = "masks_to_dwi")]
    dwi_to_masks: Option<PathBuf>,
}

impl SpaceArgs {
    /// The same for the library.
    pub(super) fn space(&self) -> MaskSpace {
        MaskSpace { masks_to_dwi: self.masks_to_dwi.clone(), dwi_to_masks: self.dwi_to_masks.clone() }
    }
}
