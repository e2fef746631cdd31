//! Regions whose outlines are drawn on maps.

use crate::constraint_files::ConstraintFiles;
use crate::output_files::Outline;
use crate::regions::RegionFile;
use crate::stages::tracking::asked::Tracking;
use crate::stages::tracking::name_of_region;
use std::path::Path;

/// The image of the regions, a volume for each.
pub(super) const REGIONS: &str = "regions.nii.gz";

/// A region whose outline is drawn on maps.
pub(super) struct Outlined {
    name: String,
    pub(super) region: RegionFile,
}

/// Regions that have an outline, at most: nobody tells more lines apart.
const MOST_OUTLINES: usize = 8;

/// The regions that have a line on maps.
pub(super) fn outlined(tracking: &Tracking) -> Vec<Outlined> {
    let seeds = tracking.seeds.mask.as_deref();
    // Maps lie where the seeds do; other masks in another space lie elsewhere.
    if !tracking.counts_visits() || tracking.space.is_other() && seeds.is_none() {
        return Vec::new();
    }
    of(seeds, &tracking.constraints)
}

/// Their lines in the report.
pub(super) fn outlines(tracking: &Tracking) -> Vec<Outline> {
    let regions = outlined(tracking).into_iter().enumerate();
    regions.map(|(volume, region)| Outline { volume, ..Outline::new(REGIONS, region.name) }).collect()
}

/// The seeds, waypoints, targets and other regions that streamlines respect, as far as they can be told apart.
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
        // Lines around voxels.
        let images = files.iter().filter(|file| file.image().is_some());
        images.flat_map(RegionFile::each).map(region).collect::<Vec<_>>()
    };
    seeds.into_iter().chain(lists.into_iter().flat_map(of_list)).take(MOST_OUTLINES).collect()
}
