//! Connections of geodesic tracking. A ray is the path from a seed in one direction. A connection is a ray
//! that reaches a target region and ends there.

use super::require_names_apart;
use crate::regions::RegionFile;
use arcuate_core::{Error, Result, StreamlineGroups};
use arcuate_track::{RayFigures, Selection};

/// Option of geodesic tracking to keep only the best connections: rays (paths from a seed in one direction)
/// that reach a target region.
#[derive(Debug, Clone, PartialEq)]
pub struct Connections {
    /// Target regions: masks, or labels of an image, on the voxel grid of the tensor image. They must not
    /// overlap.
    pub targets: Vec<RegionFile>,
    /// Criteria for the connections that are kept, among all rays that reach a target region.
    pub selection: Selection,
}

impl Connections {
    /// Returns an error if `--select`, a connectivity matrix, or counts of streamlines per target are
    /// requested together with connections.
    pub(super) fn check(&self, selects: bool, has_matrix: bool, counts_targets: bool) -> Result<()> {
        require_names_apart(&self.targets)?;
        let refused = |option, problem, advice| Err(Error::usage(option, problem, advice));
        if selects {
            return refused("‘select’", "connections are limited for each target", "give ‘best’ instead");
        }
        if has_matrix {
            let problem =
                "connections are ranked for each target, and rows of a matrix need all rays of a seed";
            return refused(
                "‘matrix’",
                problem,
                "leave out this option, or keep every ray instead of the connections to targets",
            );
        }
        if counts_targets {
            let problem =
                "only the strongest connections to each target are kept, and target-counts need all";
            return refused(
                "‘products’",
                problem,
                "leave out target-counts, or keep every ray instead of the connections to targets",
            );
        }
        Ok(())
    }
}

/// Returns groups of streamlines: one group for each target region, with the connections to this target that
/// are kept.
pub fn groups_of(rays: Option<&RayFigures>) -> StreamlineGroups {
    let mut groups = StreamlineGroups::default();
    let mut begin = 0u32;
    for (name, count) in numbers_of_targets(rays) {
        if count > 0 {
            groups.members.insert(name, (begin..begin + count).collect());
        }
        begin += count;
    }
    groups
}

/// Returns, for each target region, the name of its group of streamlines and the number of streamlines in the
/// group. The groups have the order of the streamlines in the tractogram.
pub(super) fn numbers_of_targets(rays: Option<&RayFigures>) -> impl Iterator<Item = (String, u32)> {
    let targets = rays.into_iter().flat_map(|rays| &rays.targets);
    targets.map(|target| match target.nearest_mm {
        Some(_) => (format!("{} (nearest approach)", target.name), 1),
        None => (target.name.clone(), arcuate_core::narrow::<u32>(target.kept)),
    })
}
