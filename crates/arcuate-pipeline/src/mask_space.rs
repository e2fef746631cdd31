//! Masks in another space than the diffusion images.

use crate::find_files::find_image;
use crate::transforms::{MillimetresOf, TransformFile, TransformFiles, Transforms, in_the_same_space};
use arcuate_core::{Error, Grid, Result, is_file_or_link};
use arcuate_io::is_image_name;
use arcuate_track::Mapping;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Relation between the space of the masks and seeds and the space of the diffusion images. Both spaces are
/// the same, or transforms are given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaskSpace {
    /// Transforms that resample images in the space of the masks onto the diffusion images. The list contains
    /// one FLIRT matrix, or one FNIRT field, or ITK and ANTs transforms in the order of
    /// `antsApplyTransforms`. A FNIRT field contains displacements or coefficients, on the grid of the
    /// diffusion images. The list is empty if both spaces are the same.
    pub masks_to_dwi: Vec<TransformFile>,
    /// Transforms that resample diffusion images onto the images in the space of the masks. They are required
    /// if `masks_to_dwi` contains a displacement field. A FNIRT field is on the grid of the masks.
    pub dwi_to_masks: Vec<TransformFile>,
}

impl MaskSpace {
    /// Finds the transforms in a folder of bedpostX, as XTRACT does: `xfms/standard2diff` and
    /// `xfms/diff2standard`, which are FNIRT fields or FLIRT matrices. If these files do not exist, the masks
    /// are in the space of the diffusion images.
    pub fn of_bedpostx(folder: &Path) -> Result<Self> {
        let find = |name: &str| -> Result<Vec<TransformFile>> {
            let stem = folder.join("xfms").join(name);
            for stem in [stem.clone(), folder.join("xfms").join(format!("{name}_warp"))] {
                if let Some(field) = find_image(&stem)? {
                    return Ok(vec![TransformFile::of(&field)?]);
                }
            }
            let matrix = stem.with_extension("mat");
            if is_file_or_link(&matrix) { Ok(vec![TransformFile::of(&matrix)?]) } else { Ok(Vec::new()) }
        };
        let masks_to_dwi = find("standard2diff")?;
        let is_field = masks_to_dwi.iter().any(|file| is_image_name(&file.path));
        // A FLIRT matrix needs no file of the inverse transform, because its inverse is computed.
        let dwi_to_masks = if is_field { find("diff2standard")? } else { Vec::new() };
        Ok(Self { masks_to_dwi, dwi_to_masks })
    }

    /// Returns the files of the transforms.
    #[doc(hidden)]
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.masks_to_dwi.iter().chain(&self.dwi_to_masks).map(|file| &file.path)
    }

    /// Checks whether the masks are in another space than the diffusion images.
    #[doc(hidden)]
    pub fn is_other(&self) -> bool {
        !self.masks_to_dwi.is_empty()
    }

    /// Returns an error if the transform files cannot be used together.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        self.transforms().map(|_| ())
    }

    fn transforms(&self) -> Result<Option<TransformFiles>> {
        self.is_other().then(|| TransformFiles::of(&self.masks_to_dwi, &self.dwi_to_masks)).transpose()
    }

    /// Reads the transforms between the space of the masks and the space of the orientations or tensors.
    /// `field` is the grid of the orientations or tensors, and `source` is an image on that grid. Returns
    /// `None` if both spaces are the same.
    ///
    /// Returns the errors of [`TransformFiles::read`]. Also returns an error if there are transforms but no
    /// input in the space of the masks. If there are no transforms, returns an error if the header of a mask
    /// states another space.
    #[doc(hidden)]
    pub fn transforms_of(
        &self,
        elsewhere: &MaskSpaceInputs<'_>,
        field: &Grid,
        source: Option<&Path>,
    ) -> Result<Option<Transforms>> {
        let MaskSpaceInputs { images, lattice, has_surfaces } = elsewhere;
        let Some(files) = self.transforms()? else {
            images.iter().try_for_each(|mask| in_the_same_space(mask, field, source))?;
            return Ok(None);
        };
        // FSL millimetres (voxel indices times voxel sizes) are defined by an image. This is the image of the
        // seeds, or the image of the first region if the seeds have no image.
        let of = match (images.first(), lattice) {
            (Some(image), _) => Some(MillimetresOf::Image(image)),
            (None, Some(lattice)) => Some(MillimetresOf::Lattice(lattice)),
            (None, None) if *has_surfaces => None,
            (None, None) => {
                let problem = "it has no effect without a mask or region";
                let advice = "give ‘seed_mask’ or a region, or leave it out";
                return Err(Error::usage("‘masks_to_dwi’", problem, advice));
            }
        };
        files.read(of, field, source).map(Some)
    }
}

/// Inputs in the space of the masks.
#[derive(Debug, Default)]
pub struct MaskSpaceInputs<'a> {
    /// Images in the space of the masks, with the image of the seeds first.
    pub images: Vec<&'a Path>,
    /// Voxel grid of the seeds if they are the voxels of a CIFTI-2 file, which is not an image.
    pub lattice: Option<Grid>,
    /// True if there are surfaces in the space of the masks.
    pub has_surfaces: bool,
}

/// Returns two mappings: from the space of the orientations or tensors to the space of the masks, and back.
/// Both are `None` if the two spaces are the same.
pub fn mappings(transforms: Option<&Transforms>) -> [Option<Arc<Mapping>>; 2] {
    match transforms {
        Some(Transforms { to_field, from_field }) => {
            [from_field, to_field].map(|mapping| Some(Arc::clone(mapping)))
        }
        None => [None, None],
    }
}
