//! Masks in another space than the diffusion images.

use crate::transforms::{MillimetresOf, TransformFiles, Transforms, in_the_same_space};
use arcuate_core::{Error, Grid, Result};
use arcuate_track::Mapping;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How masks (and seeds) lie to the diffusion images: in one space with them, or as transforms say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaskSpace {
    /// From the space of the masks to that of the diffusion images: a FLIRT matrix, or a FNIRT field on the lattice of the
    /// diffusion images.
    pub masks_to_dwi: Option<PathBuf>,
    /// The way back, a FNIRT field on the lattice of the masks: needed with a field.
    pub dwi_to_masks: Option<PathBuf>,
}

impl MaskSpace {
    /// The files of the transforms.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.masks_to_dwi.iter().chain(&self.dwi_to_masks)
    }

    /// Whether masks are in another space than the diffusion images.
    pub fn is_other(&self) -> bool {
        self.masks_to_dwi.is_some()
    }

    /// Fails where the files do not go together.
    pub fn check(&self) -> Result<()> {
        self.transforms().map(|_| ())
    }

    fn transforms(&self) -> Result<Option<TransformFiles>> {
        let there = self.masks_to_dwi.as_deref();
        there.map(|there| TransformFiles::of(there, self.dwi_to_masks.as_deref())).transpose()
    }

    /// The ways between the space of the masks and that of orientations or tensors on the lattice `field`, of which `source` is an
    /// image; nothing where all are one space.
    ///
    /// Fails where nothing lies in the other one, where a matrix is of millimetres that nothing says, and where a mask says that it
    /// lies elsewhere.
    pub fn transforms_of(
        &self,
        elsewhere: &Elsewhere<'_>,
        field: &Grid,
        source: Option<&Path>,
    ) -> Result<Option<Transforms>> {
        let Elsewhere { images, lattice, has_surfaces } = elsewhere;
        let Some(files) = self.transforms()? else {
            images.iter().try_for_each(|mask| in_the_same_space(mask, field, source))?;
            return Ok(None);
        };
        // FSL's millimetres are of an image: the seeds', or that of the first region.
        let of = match (images.first(), lattice, &files) {
            (Some(image), ..) => MillimetresOf::Image(image),
            (None, Some(lattice), _) => MillimetresOf::Lattice(lattice),
            (None, None, TransformFiles::Fnirt { dwi_to_masks, .. }) if *has_surfaces => {
                MillimetresOf::Image(dwi_to_masks)
            }
            (None, None, TransformFiles::Flirt(_)) if *has_surfaces => {
                let problem = "a matrix leads from the millimetres of an image, and only surfaces are given";
                let advice = "give an image of their space as ‘seed_mask’ or as a region, or two fields";
                return Err(Error::usage("‘masks_to_dwi’", problem, advice));
            }
            _ => {
                let problem = "there is no mask that would be in another space";
                let advice = "give ‘seed_mask’ or a region, or leave it out";
                return Err(Error::usage("‘masks_to_dwi’", problem, advice));
            }
        };
        files.read(of, field, source).map(Some)
    }
}

/// What lies in the space of masks.
#[derive(Debug, Default)]
pub struct Elsewhere<'a> {
    /// Images, that of seeds in front.
    pub images: Vec<&'a Path>,
    /// The lattice of voxels that are in no image: those of a CIFTI-2 file.
    pub lattice: Option<Grid>,
    /// Whether surfaces lie there.
    pub has_surfaces: bool,
}

/// The ways to the space of the masks and back from there, where that is another.
pub fn ways(transforms: Option<&Transforms>) -> [Option<Arc<Mapping>>; 2] {
    match transforms {
        Some(Transforms { to_field, from_field }) => [from_field, to_field].map(|way| Some(Arc::clone(way))),
        None => [None, None],
    }
}
