//! Ways between spaces that stay from run to run.

pub(crate) use arcuate_compute::ways::{Warp, Way, affine, flat, index, inside, nearest};
pub(crate) use arcuate_core::Mapping;

use arcuate_core::Grid;
use std::sync::{Arc, Mutex, PoisonError};

/// Whether both are the same way between spaces. Equal fields are long to compare.
pub(crate) fn same_mapping(one: Option<&Arc<Mapping>>, other: Option<&Arc<Mapping>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Displacements as streamlines use them, which are long to make: they stay from one run to the next ones.
#[derive(Debug, Default)]
pub(crate) struct Ways(Mutex<KeptWarps>);

#[derive(Debug, Default)]
struct KeptWarps {
    runs: u64,
    warps: Vec<KeptWarp>,
}

#[derive(Debug)]
struct KeptWarp {
    mapping: Arc<Mapping>,
    from: Grid,
    to: Grid,
    warp: Arc<Warp>,
    /// The run that used it last.
    last: u64,
}

/// Runs, some of them at the same time, after which a displacement that none has used is let go.
const RUNS_KEPT: u64 = 8;

impl Ways {
    /// Begins a run.
    pub(crate) fn begin(&self) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.runs += 1;
        let runs = kept.runs;
        kept.warps.retain(|warp| warp.last + RUNS_KEPT >= runs);
    }

    /// From voxels of `field` to those of `grid`, as [`Way::new`].
    pub(crate) fn way(&self, field: &Grid, grid: &Grid, mapping: Option<&Arc<Mapping>>) -> Way {
        let Some(mapping) = mapping.filter(|mapping| mapping.displacement.is_some()) else {
            return Way::new(field, grid, mapping.map(Arc::as_ref));
        };
        let affine = Way::affine_of(field, grid, Some(mapping));
        if let Some(warp) = self.kept(field, grid, mapping) {
            return Way { affine, warp: Some(warp) };
        }
        // Not behind the lock: threads that wait here may be those that this needs.
        let way = Way::new(field, grid, Some(mapping));
        if let Some(warp) = &way.warp {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let (mapping, warp, last) = (Arc::clone(mapping), Arc::clone(warp), kept.runs);
            kept.warps.push(KeptWarp { mapping, from: *field, to: *grid, warp, last });
        }
        way
    }

    fn kept(&self, field: &Grid, grid: &Grid, mapping: &Arc<Mapping>) -> Option<Arc<Warp>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let KeptWarps { runs, warps } = &mut *kept;
        let same = |kept: &&mut KeptWarp| {
            kept.from == *field && kept.to == *grid && same_mapping(Some(&kept.mapping), Some(mapping))
        };
        let found = warps.iter_mut().find(same)?;
        found.last = *runs;
        Some(Arc::clone(&found.warp))
    }
}

#[inline]
pub(crate) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
