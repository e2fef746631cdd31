//! Regions in files: masks, and chosen labels of parcellations.

use arcuate_core::{Error, Result};
use arcuate_io::{is_image_name, read_labels, read_mask};
use arcuate_track::{Mapping, Region};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A mask, or of an image of labels those that are chosen, each a region of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionFile {
    path: PathBuf,
    labels: Option<RangeInclusive<u32>>,
}

/// Labels of a range, beyond which somebody has mistyped.
const MOST_LABELS: u32 = 1 << 16;

impl RegionFile {
    /// As it is written: `mask.nii.gz`, or `atlas.nii.gz:17`, or `atlas.nii.gz:1-35` for all labels from one to another. A file
    /// that is called so is a mask.
    ///
    /// Fails where what follows the name of an image says no labels.
    pub fn of(written: &Path) -> Result<Self> {
        let mask = Self::mask(written);
        let Some((file, chosen)) = written.to_str().and_then(|text| text.rsplit_once(':')) else {
            return Ok(mask);
        };
        let file = PathBuf::from(file);
        if !is_image_name(&file) || written.exists() {
            return Ok(mask);
        }
        let (first, last) = chosen.split_once('-').unwrap_or((chosen, chosen));
        let labels = match (first.parse::<u32>(), last.parse::<u32>()) {
            (Ok(first), Ok(last)) if first >= 1 && first <= last && last - first < MOST_LABELS => {
                first..=last
            }
            _ => {
                let problem = format!("`{chosen}` is no label, and no range of labels such as 1-35");
                return Err(Error::usage(written.display(), problem, "give a number from 1 on, or two"));
            }
        };
        Ok(Self { path: file, labels: Some(labels) })
    }

    /// A mask, whatever it is called.
    pub fn mask(path: &Path) -> Self {
        Self { path: path.to_owned(), labels: None }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Each of its regions alone.
    pub fn each(&self) -> Vec<Self> {
        match &self.labels {
            None => vec![self.clone()],
            Some(labels) => {
                let one = |label| Self { path: self.path.clone(), labels: Some(label..=label) };
                labels.clone().map(one).collect()
            }
        }
    }

    /// The label, of a region that is one.
    pub fn label(&self) -> Option<u32> {
        self.labels.as_ref().map(|labels| *labels.start())
    }

    /// Reads the regions, to whose space `mapping` leads from that of what is followed.
    ///
    /// Fails where a label that is chosen does not occur.
    pub fn read(&self, mapping: Option<&Arc<Mapping>>) -> Result<Vec<Region>> {
        let name = self.path.display().to_string();
        let Some(labels) = &self.labels else {
            return Ok(vec![Region::of_mask(&name, read_mask(&self.path)?, mapping)]);
        };
        let image = read_labels(&self.path)?;
        labels.clone().map(|label| Region::of_label(&image, label, &name, mapping)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid, Volume};
    use arcuate_io::{WriteOptions, write_image};

    #[test]
    fn labels_follow_the_name_of_an_image() {
        let of = |written: &str| RegionFile::of(Path::new(written));
        for (written, file, labels) in [
            ("a/atlas.nii.gz:17", "a/atlas.nii.gz", Some(17..=17)),
            ("atlas.mif:3-5", "atlas.mif", Some(3..=5)),
            ("atlas.nii.gz", "atlas.nii.gz", None),
            ("C:/masks/left", "C:/masks/left", None),
            ("odd:3", "odd:3", None),
        ] {
            assert_eq!(of(written).unwrap(), RegionFile { path: file.into(), labels }, "{written}");
        }
        for written in ["a.nii:0", "a.nii:5-3", "a.nii:", "a.nii:x", "a.nii:1-4000000000", "a.nii:-3"] {
            assert!(of(written).unwrap_err().to_string().starts_with(written), "{written}");
        }
        let each: Vec<Option<u32>> =
            of("atlas.nii:8-10").unwrap().each().iter().map(RegionFile::label).collect();
        assert_eq!(each, [Some(8), Some(9), Some(10)]);
    }

    #[test]
    fn each_label_is_a_region_of_its_own() {
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
        let said = read("5-7").unwrap_err().to_string();
        assert!(said.contains("no voxel has the label 6"), "{said}");
        // Without labels it is a mask, of what is above ½.
        assert_eq!(RegionFile::of(&path).unwrap().read(None).unwrap()[0].mask().unwrap().count(), 4);
    }
}
