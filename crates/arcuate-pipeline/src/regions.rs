//! Regions that are given as files: masks, labels of parcellation images, and surfaces.

use crate::surface_files::{SurfacePart, require_hemispheres};
use arcuate_core::{Error, Result, is_present};
use arcuate_io::{is_image_name, read_labels, read_mask};
use arcuate_track::{Mapping, Region, RegionShape};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that contains one or several regions. It is a mask, a label image with selected labels (each label
/// is one region), or a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionFile {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Mask,
    Labels(RangeInclusive<u32>),
    Surface(SurfacePart),
}

/// Maximum number of labels in a range such as `1-35`. A larger range is probably a typing error.
const MAX_LABELS: u32 = 1 << 16;

impl RegionFile {
    /// Parses a region: `mask.nii.gz`, `atlas.nii.gz:17` for a label, or `atlas.nii.gz:1-35` for a range of
    /// labels. If a file exists whose name is the whole text, it is a mask. The syntax of surfaces is
    /// described in [`SurfacePart::of`].
    ///
    /// Returns an error if the text after the name of an image is neither a label nor a range of labels. Also
    /// returns an error if the text after the name of a surface does not select a part of it.
    pub fn of(written: &Path) -> Result<Self> {
        if let Some(surface) = SurfacePart::of(written)? {
            return Ok(Self { path: surface.path().to_owned(), kind: Kind::Surface(surface) });
        }
        let mask = Self::mask(written);
        let Some((file, chosen)) = written.to_str().and_then(|text| text.rsplit_once(':')) else {
            return Ok(mask);
        };
        let file = PathBuf::from(file);
        if !is_image_name(&file) || is_present(written) {
            return Ok(mask);
        }
        let (first, last) = chosen.split_once('-').unwrap_or((chosen, chosen));
        let labels = match (first.parse::<u32>(), last.parse::<u32>()) {
            (Ok(first), Ok(last)) if first >= 1 && first <= last && last - first < MAX_LABELS => first..=last,
            _ => {
                let problem = format!("`{chosen}` is neither a label nor a range of labels such as 1-35");
                return Err(Error::usage(
                    written.display(),
                    problem,
                    "give a number of at least 1, or two \
                    with a hyphen",
                ));
            }
        };
        Ok(Self { path: file, kind: Kind::Labels(labels) })
    }

    /// Creates the region of a mask. The path is not parsed.
    pub fn mask(path: &Path) -> Self {
        Self { path: path.to_owned(), kind: Kind::Mask }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns all files that the regions are read from.
    #[doc(hidden)]
    pub fn files(&self) -> Vec<&Path> {
        match &self.kind {
            Kind::Mask | Kind::Labels(_) => vec![&self.path],
            Kind::Surface(surface) => surface.files().collect(),
        }
    }

    /// Returns the path of the file if it is an image. Returns `None` if the file is a surface.
    #[doc(hidden)]
    pub fn image(&self) -> Option<&Path> {
        (!matches!(self.kind, Kind::Surface(_))).then_some(self.path.as_path())
    }

    /// Returns the surface and its selected part. Returns `None` if the file is an image.
    #[doc(hidden)]
    pub fn surface(&self) -> Option<&SurfacePart> {
        match &self.kind {
            Kind::Surface(surface) => Some(surface),
            Kind::Mask | Kind::Labels(_) => None,
        }
    }

    /// Returns a list with one `RegionFile` for each region (label) of this file.
    #[doc(hidden)]
    pub fn each(&self) -> Vec<Self> {
        match &self.kind {
            Kind::Mask | Kind::Surface(_) => vec![self.clone()],
            Kind::Labels(labels) => {
                let one = |label| Self { path: self.path.clone(), kind: Kind::Labels(label..=label) };
                labels.clone().map(one).collect()
            }
        }
    }

    /// Returns the text that follows the file name in the name of the region: the label, or the selected part
    /// of a surface. Returns `None` if the region is the whole file.
    #[doc(hidden)]
    pub fn suffix(&self) -> Option<String> {
        match &self.kind {
            Kind::Mask => None,
            Kind::Labels(labels) => Some(labels.start().to_string()),
            Kind::Surface(surface) => surface.suffix(),
        }
    }

    /// Reads the regions. `mapping` maps from the space of the streamlines to the space of the regions.
    ///
    /// Returns the errors of [`SurfacePart::region`], and an error if no voxel has a selected label.
    #[doc(hidden)]
    pub fn read(&self, mapping: Option<&Arc<Mapping>>) -> Result<Vec<Region>> {
        let name = self.path.display().to_string();
        match &self.kind {
            Kind::Mask => Ok(vec![Region::of_mask(&name, read_mask(&self.path)?, mapping)]),
            Kind::Labels(labels) => {
                let image = read_labels(&self.path)?;
                labels.clone().map(|label| Region::of_label(&image, label, &name, mapping)).collect()
            }
            Kind::Surface(surface) => Ok(vec![surface.region(mapping)?]),
        }
    }
}

/// Returns an error if the surfaces among the regions seem to have swapped hemispheres (a left surface to the
/// right of a right surface).
pub fn require_hemispheres_of<'a>(regions: impl Iterator<Item = &'a Region>) -> Result<()> {
    let surfaces = regions.filter_map(|region| match &region.shape {
        RegionShape::Triangles { surface, .. } => Some((region.name.as_str(), surface.as_ref())),
        RegionShape::Inside(meshes) => meshes.first().map(|mesh| (region.name.as_str(), mesh.as_ref())),
        RegionShape::Voxels(_) => None,
    });
    require_hemispheres(surfaces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid, Volume};
    use arcuate_io::{WriteOptions, write_image};

    #[test]
    fn labels_are_parsed_after_the_image_name() {
        let of = |written: &str| RegionFile::of(Path::new(written));
        for (written, file, labels) in [
            ("a/atlas.nii.gz:17", "a/atlas.nii.gz", Some(17..=17)),
            ("atlas.mif:3-5", "atlas.mif", Some(3..=5)),
            ("atlas.nii.gz", "atlas.nii.gz", None),
            ("C:/masks/left", "C:/masks/left", None),
            ("odd:3", "odd:3", None),
        ] {
            let kind = labels.map_or(Kind::Mask, Kind::Labels);
            assert_eq!(of(written).unwrap(), RegionFile { path: file.into(), kind }, "{written}");
        }
        for written in ["a.nii:0", "a.nii:5-3", "a.nii:", "a.nii:x", "a.nii:1-4000000000", "a.nii:-3"] {
            assert!(of(written).unwrap_err().to_string().starts_with(written), "{written}");
        }
        let each: Vec<Option<String>> =
            of("atlas.nii:8-10").unwrap().each().iter().map(RegionFile::suffix).collect();
        assert_eq!(each, ["8", "9", "10"].map(|label| Some(label.to_owned())));
        let surface = of("lh.pial:around:lh.white").unwrap();
        assert_eq!((surface.image(), surface.files().len()), (None, 2));
        assert_eq!(surface.suffix().as_deref(), Some("ribbon"));
    }

    #[test]
    fn each_label_is_a_separate_region() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("atlas.nii");
        let grid = Grid::new([6, 1, 1], Affine::identity()).unwrap();
        let image = Volume::new(grid, 1, vec![0u8, 4, 5, 5, 0, 7]).unwrap();
        write_image(&path, &image, &WriteOptions::default()).unwrap();
        let written = |labels: &str| PathBuf::from(format!("{}:{labels}", path.display()));
        let read = |labels: &str| RegionFile::of(&written(labels)).unwrap().read(None);
        let regions = read("4-5").unwrap();
        let voxels: Vec<Vec<usize>> = regions.iter().map(|region| region.mask().unwrap().indices()).collect();
        assert_eq!(voxels, [vec![1], vec![2, 3]]);
        assert_eq!(regions[1].name, written("5").display().to_string());
        assert_eq!(read("7").unwrap()[0].mask().unwrap().indices(), [5]);
        let message = read("5-7").unwrap_err().to_string();
        assert!(message.contains("no voxel of the image has the label 6"), "{message}");
        // If no label of a label image is selected, the image is a mask of the voxels with values above 0.5.
        assert_eq!(RegionFile::of(&path).unwrap().read(None).unwrap()[0].mask().unwrap().count(), 4);
    }
}
