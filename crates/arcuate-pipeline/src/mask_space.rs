//! Masks in another space than the diffusion images.

use crate::stems::find_image;
use crate::transforms::{MillimetresOf, TransformFile, TransformFiles, Transforms, in_the_same_space};
use arcuate_core::{Error, Grid, Result, is_file_or_link};
use arcuate_io::is_image_name;
use arcuate_track::Mapping;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How masks (and seeds) lie to the diffusion images: in one space with them, or as transforms say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaskSpace {
    /// What brings images of the masks onto the diffusion images: a FLIRT matrix, a FNIRT field or its coefficients on the lattice of
    /// the diffusion images, or transforms of ITK and ANTs in the order of `antsApplyTransforms`.
    pub masks_to_dwi: Vec<TransformFile>,
    /// What brings diffusion images onto the masks, on whose lattice a FNIRT field is: needed with a field.
    pub dwi_to_masks: Vec<TransformFile>,
}

impl MaskSpace {
    /// As the folder of bedpostX has it, where XTRACT looks: `xfms/standard2diff` and `xfms/diff2standard`, FNIRT's fields or FLIRT's
    /// matrices; one space where these are not there.
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
        // The way back of a matrix follows from it.
        let dwi_to_masks = if is_field { find("diff2standard")? } else { Vec::new() };
        Ok(Self { masks_to_dwi, dwi_to_masks })
    }

    /// The files of the transforms.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.masks_to_dwi.iter().chain(&self.dwi_to_masks).map(|file| &file.path)
    }

    /// Whether masks are in another space than the diffusion images.
    pub fn is_other(&self) -> bool {
        !self.masks_to_dwi.is_empty()
    }

    /// Fails where the files do not go together.
    pub fn check(&self) -> Result<()> {
        self.transforms().map(|_| ())
    }

    fn transforms(&self) -> Result<Option<TransformFiles>> {
        self.is_other().then(|| TransformFiles::of(&self.masks_to_dwi, &self.dwi_to_masks)).transpose()
    }

    /// The ways between the space of the masks and that of orientations or tensors on the lattice `field`, of which `source` is an
    /// image; nothing where all are one space.
    ///
    /// Fails where nothing lies in the other one, as [`TransformFiles::read`] does, and where a mask says that it lies elsewhere.
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
        let of = match (images.first(), lattice) {
            (Some(image), _) => Some(MillimetresOf::Image(image)),
            (None, Some(lattice)) => Some(MillimetresOf::Lattice(lattice)),
            (None, None) if *has_surfaces => None,
            (None, None) => {
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
