//! Regions whose outlines are drawn on maps.

use crate::constraint_files::ConstraintFiles;
use crate::output_files::{MAX_OUTLINES, Outline};
use crate::regions::RegionFile;
use crate::stages::tracking::name_of_region;
use crate::stages::tracking::options::Tracking;
use std::path::Path;

/// File of the seeds and regions: an image with one volume for each.
pub(super) const REGIONS: &str = "regions.nii.gz";

/// A region whose outline is drawn on maps.
pub(super) struct Outlined {
    name: String,
    pub(super) region: RegionFile,
}

/// Returns the seeds and regions whose outlines are drawn on maps.
pub(super) fn outlined(tracking: &Tracking) -> Vec<Outlined> {
    let seeds = tracking.seeds.mask.as_deref();
    // Maps are in the space of the seed mask. If there is no seed mask, they are in the space of the source
    // of directions. Regions in another space cannot be drawn on them.
    if !tracking.counts_visits() || tracking.space.is_other() && seeds.is_none() {
        return Vec::new();
    }
    of(seeds, &tracking.constraints)
}

/// Returns the outlines for the report.
pub(super) fn outlines(tracking: &Tracking) -> Vec<Outline> {
    let regions = outlined(tracking).into_iter().enumerate();
    regions.map(|(volume, region)| Outline { volume, ..Outline::new(REGIONS, region.name) }).collect()
}

/// Returns the seeds, waypoints, target regions and other regions, up to the maximum number of outlines on a
/// map.
fn of(seeds: Option<&Path>, constraints: &ConstraintFiles) -> Vec<Outlined> {
    let ConstraintFiles { waypoints, targets, stop, stop_on_exit, avoid, .. } = constraints;
    let lists = [
        ("waypoint", waypoints.as_slice()),
        ("target", targets),
        ("stop", stop),
        ("stop on exit", stop_on_exit),
        ("avoided", avoid),
    ];
    let seeds = seeds.map(|file| Outlined { name: "seeds".into(), region: RegionFile::mask(file) });
    let of_list = |(what, files): (&str, &[RegionFile])| {
        let region =
            |region: RegionFile| Outlined { name: format!("{what} {}", name_of_region(&region)), region };
        // Only regions that are images have an outline. Surfaces have none.
        let images = files.iter().filter(|file| file.image().is_some());
        images.flat_map(RegionFile::each).map(region).collect::<Vec<_>>()
    };
    seeds.into_iter().chain(lists.into_iter().flat_map(of_list)).take(MAX_OUTLINES).collect()
}
