//! Mappings between spaces, cached over several runs.

pub(crate) use arcuate_compute::voxel_mapping::{VoxelMapping, Warp, affine, flat, index, inside, nearest};
pub(crate) use arcuate_core::Mapping;

use arcuate_core::Grid;
use std::sync::{Arc, Mutex, PoisonError};

/// Returns true if both mappings are the same. Compares pointers first, because comparing displacement fields
/// is slow.
pub(crate) fn same_mapping(one: Option<&Arc<Mapping>>, other: Option<&Arc<Mapping>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Cache of displacement fields in the form that tracking uses. Preparing them is slow, so they are kept for
/// later runs.
#[derive(Debug, Default)]
pub(crate) struct DisplacementCache(Mutex<CachedWarps>);

#[derive(Debug, Default)]
struct CachedWarps {
    runs: u64,
    warps: Vec<CachedWarp>,
}

#[derive(Debug)]
struct CachedWarp {
    mapping: Arc<Mapping>,
    from: Grid,
    to: Grid,
    warp: Arc<Warp>,
    /// Number of the tracking run that last used this displacement field.
    last: u64,
}

/// Number of runs after which an unused displacement field is removed from the cache. The runs can be
/// simultaneous.
const RUNS_KEPT: u64 = 8;

impl DisplacementCache {
    /// Starts a tracking run. Removes displacement fields from the cache that recent runs did not use.
    pub(crate) fn begin(&self) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.runs += 1;
        let runs = kept.runs;
        kept.warps.retain(|warp| warp.last + RUNS_KEPT >= runs);
    }

    /// Returns the transform from voxels of `field` to voxels of `grid`, as [`VoxelMapping::new`] does.
    pub(crate) fn voxel_mapping(
        &self,
        field: &Grid,
        grid: &Grid,
        mapping: Option<&Arc<Mapping>>,
    ) -> VoxelMapping {
        let Some(mapping) = mapping.filter(|mapping| mapping.displacement.is_some()) else {
            return VoxelMapping::new(field, grid, mapping.map(Arc::as_ref));
        };
        let affine = VoxelMapping::affine_of(field, grid, Some(mapping));
        if let Some(warp) = self.kept(field, grid, mapping) {
            return VoxelMapping { affine, warp: Some(warp) };
        }
        // The lock of the cache is not held here. Threads that wait for the lock may be needed for this
        // computation.
        let voxel_mapping = VoxelMapping::new(field, grid, Some(mapping));
        if let Some(warp) = &voxel_mapping.warp {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let (mapping, warp, last) = (Arc::clone(mapping), Arc::clone(warp), kept.runs);
            kept.warps.push(CachedWarp { mapping, from: *field, to: *grid, warp, last });
        }
        voxel_mapping
    }

    fn kept(&self, field: &Grid, grid: &Grid, mapping: &Arc<Mapping>) -> Option<Arc<Warp>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let CachedWarps { runs, warps } = &mut *kept;
        let same = |kept: &&mut CachedWarp| {
            kept.from == *field && kept.to == *grid && same_mapping(Some(&kept.mapping), Some(mapping))
        };
        let found = warps.iter_mut().find(same)?;
        found.last = *runs;
        Some(Arc::clone(&found.warp))
    }
}
