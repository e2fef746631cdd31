//! Tracts on the voxel grid of the scan: the voxels and the volume of each tract, and the values of other
//! images in the tract.

use arcuate_core::{Error, Grid, Result, Volume, statistics};
use arcuate_io::{describe_image, read_volume};
use arcuate_track::{Mapping, OrientationTable};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// An image whose values are summarised over the voxels of each tract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TractMap {
    /// Name of the image in the table.
    pub name: String,
    /// Path of the image, which has one volume and is in the space of the scan.
    pub path: PathBuf,
}

impl TractMap {
    /// Returns an error if the file is not an image of one volume.
    pub(super) fn check(&self) -> Result<()> {
        match describe_image(&self.path)?.dimensions.iter().skip(3).product() {
            1 => Ok(()),
            several => {
                let several: usize = several;
                let problem = format!("it has {several} volumes");
                Err(Error::invalid(self.path.display(), problem, "give an image of one"))
            }
        }
    }

    /// Reads the values of the image in the voxels of `grid`. If the image has another grid, they are
    /// interpolated trilinearly. The value is NaN in voxels outside the image.
    fn on(&self, grid: &Grid) -> Result<Vec<f32>> {
        let volume = read_volume(&self.path)?;
        let of = volume.grid();
        if of.matches(grid) {
            return Ok(volume.into_values());
        }
        let value = |voxel: usize| {
            let at = of.inverse().apply(grid.centre(voxel));
            of.voxel_containing(at).map_or(f32::NAN, |_| volume.trilinear(0, at) as f32)
        };
        Ok((0..grid.len()).into_par_iter().map(value).collect())
    }
}

/// Statistics of the values of an image over the voxels of a tract.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Values {
    pub(super) mean: f64,
    pub(super) median: f64,
    pub(super) deviation: f64,
}

impl Values {
    fn of(mut values: Vec<f32>) -> Option<Self> {
        values.retain(|value| value.is_finite());
        // The values are sorted before they are summed, so that rounding errors do not depend on the order of
        // the voxels.
        values.sort_unstable_by(f32::total_cmp);
        let count = values.len();
        let median = statistics::quantile_of_sorted(&values, 0.5)?;
        let mean = values.iter().map(|&value| f64::from(value)).sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum();
        let deviation = (squares / (count - 1).max(1) as f64).sqrt();
        Some(Self { mean, median, deviation })
    }
}

/// Volume of a tract in the scan, and statistics of images over the voxels of the tract.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct InScan {
    pub(super) volume_mm3: f64,
    /// Statistics of each image. `None` if the image has no finite value in the tract.
    pub(super) values: Vec<Option<Values>>,
}

/// The voxel grid of the scan, and the tract with the largest density in each voxel so far.
pub(super) struct Scan {
    grid: Grid,
    maps: Vec<Vec<f32>>,
    threshold: f32,
    strongest: Mutex<Vec<(f32, u16)>>,
}

impl Scan {
    /// Creates a scan without tracts. A voxel belongs to a tract if the density of the tract in the voxel is
    /// at least `threshold`.
    pub(super) fn new(table: &OrientationTable, maps: &[TractMap], threshold: f64) -> Result<Self> {
        let grid = *table.grid();
        let maps = maps.iter().map(|map| map.on(&grid)).collect::<Result<_>>()?;
        let strongest = Mutex::new(vec![(0.0, 0); grid.len()]);
        Ok(Self { grid, maps, threshold: threshold as f32, strongest })
    }

    /// Adds a tract to the scan. `number` is the number of the tract, counted from 1. `shares` is the density
    /// of the tract on a grid in the space of the masks. `to_masks` maps points of the scan to the space of
    /// the masks.
    pub(super) fn add(&self, number: u16, shares: &Volume<f32>, to_masks: Option<&Mapping>) -> InScan {
        let of = shares.grid();
        let share = |voxel: usize| {
            let point = self.grid.centre(voxel);
            let at = of.inverse().apply(to_masks.map_or(point, |to_masks| to_masks.apply(point)));
            of.voxel_containing(at).map_or(0.0, |_| shares.trilinear(0, at) as f32)
        };
        let inside: Vec<(usize, f32)> = (0..self.grid.len())
            .into_par_iter()
            .map(|voxel| (voxel, share(voxel)))
            .filter(|(_, share)| *share >= self.threshold && *share > 0.0)
            .collect();
        let mut strongest = self.strongest.lock().unwrap_or_else(PoisonError::into_inner);
        for &(voxel, share) in &inside {
            // If two tracts have the same density in a voxel, the tract with the smaller number is used. The
            // result thus does not depend on the order of tracking.
            let (known, by) = &mut strongest[voxel];
            if share > *known || share == *known && number < *by {
                (*known, *by) = (share, number);
            }
        }
        drop(strongest);
        let of_voxel: f64 = self.grid.voxel_sizes().iter().product();
        let values = |map: &Vec<f32>| Values::of(inside.iter().map(|&(voxel, _)| map[voxel]).collect());
        InScan { volume_mm3: of_voxel * inside.len() as f64, values: self.maps.iter().map(values).collect() }
    }

    /// Returns an image of the number of the tract with the largest density in each voxel. It is 0 in voxels
    /// without a tract.
    pub(super) fn strongest(self) -> Result<Volume<u16>> {
        let strongest = self.strongest.into_inner().unwrap_or_else(PoisonError::into_inner);
        Volume::new(self.grid, 1, strongest.into_iter().map(|(_, number)| number).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    #[test]
    fn voxels_are_assigned_to_the_strongest_tract() {
        let grid = Grid::new([6, 1, 1], Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
        let strongest = Mutex::new(vec![(0.0, 0); 6]);
        let maps = vec![vec![0.1, 0.2, 0.3, 0.4, f32::NAN, 0.6], vec![f32::NAN; 6]];
        let scan = Scan { grid, maps, threshold: 0.25, strongest };
        let shares = |values: [f32; 6]| Volume::new(grid, 1, values.to_vec()).unwrap();
        // The tract with number 2 is added before the tract with number 1.
        let second = scan.add(2, &shares([0.0, 0.5, 0.5, 0.2, 0.0, 0.9]), None);
        let first = scan.add(1, &shares([0.25, 0.5, 0.6, 0.7, 0.4, 0.0]), None);
        assert_eq!((second.volume_mm3, first.volume_mm3), (24.0, 40.0));
        let [Some(values), None] = first.values.as_slice() else {
            panic!("a map with values, and one without")
        };
        assert!((values.mean - 0.25).abs() < 1e-7 && (values.median - 0.25).abs() < 1e-7, "{values:?}");
        assert!((values.deviation - (0.05f64 / 3.0).sqrt()).abs() < 1e-7, "{values:?}");
        assert_eq!(scan.strongest().unwrap().values(), [1, 1, 1, 1, 1, 2]);
    }

    #[test]
    fn tracts_are_mapped_from_their_own_space() {
        let grid = Grid::new([4, 1, 1], Affine::identity()).unwrap();
        let scan = Scan { grid, maps: Vec::new(), threshold: 0.5, strongest: Mutex::new(vec![(0.0, 0); 4]) };
        // The space of the masks is shifted by 10 mm to the right, and its voxels are twice as large as those
        // of the scan. Voxel 1 of the masks covers the voxel coordinates 1.5 to 3.5 of the scan.
        let masks = Grid::new([2, 1, 1], Affine::scaling([2.0; 3], [10.5, 0.0, 0.0])).unwrap();
        let to_masks = Mapping::affine(Affine::scaling([1.0; 3], [10.0, 0.0, 0.0]));
        let shares = Volume::new(masks, 1, vec![0.0, 1.0]).unwrap();
        let found = scan.add(1, &shares, Some(&to_masks));
        // The centres of the two mask voxels have the scan coordinates 0.5 and 2.5. The densities that are
        // interpolated between them are 0.25 at 1, 0.75 at 2, and 1 at 3.
        assert_eq!(found.volume_mm3, 2.0);
        assert_eq!(scan.strongest().unwrap().values(), [0, 0, 1, 1]);
    }
}
