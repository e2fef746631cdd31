//! Masks in another space than the diffusion images, as people name their transforms.

use super::args::SeedArgs;
use super::masks::Masks;
use arcuate_core::{Error, Grid, Result};
use arcuate_io::read_mask;
use arcuate_pipeline::transforms::{TransformFiles, in_the_same_space};
use clap::Args;
use std::path::{Path, PathBuf};

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
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.masks_to_dwi.iter().chain(&self.dwi_to_masks)
    }

    /// Whether masks are in another space than the orientations.
    pub(super) fn are_other(&self) -> bool {
        self.masks_to_dwi.is_some()
    }

    pub(super) fn check(&self) -> Result<()> {
        self.transforms().map(|_| ())
    }

    fn transforms(&self) -> Result<Option<TransformFiles>> {
        let there = self.masks_to_dwi.as_deref();
        there.map(|there| TransformFiles::of(there, self.dwi_to_masks.as_deref())).transpose()
    }

    /// Reads the seeds' mask and the transforms to orientations on the lattice `field`, of which `source` is an image.
    pub(super) fn read(
        &self,
        seeds: &SeedArgs,
        regions: &[&PathBuf],
        field: &Grid,
        source: Option<&Path>,
    ) -> Result<Masks> {
        let mask = seeds.seed_mask.as_deref().map(read_mask).transpose()?;
        let Some(files) = self.transforms()? else {
            let mut files = seeds.seed_mask.iter().chain(regions.iter().copied());
            files.try_for_each(|mask| in_the_same_space(mask, field, source))?;
            return Ok(Masks { seeds: mask, transforms: None });
        };
        // FSL's millimetres are of an image: the seeds', or that of the first region.
        let image = seeds.seed_mask.as_ref().or_else(|| regions.first().copied()).ok_or_else(|| {
            let problem = "there is no mask that would be in another space";
            Error::usage("--masks-to-dwi", problem, "give --seed-mask or a region, or leave it out")
        })?;
        Ok(Masks { seeds: mask, transforms: Some(files.read(image, field, source)?) })
    }
}
