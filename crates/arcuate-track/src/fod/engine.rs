//! Chooses GPUs or the CPU for tracking along arcs through FODs, and continues on the CPU if a GPU fails.

use super::cuda::OnGpus;
use super::fields::Arcs;
use crate::driver::{Batch, Follow};
use crate::gpus::fall_back_to_cpu;
use crate::walk::{InOrder, Walk};
use arcuate_compute::Device;
use arcuate_core::{Control, Result};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Name of the CPU in results.
pub(super) const PROCESSOR: &str = "the processor";

/// Tracks streamlines on GPUs. After a GPU failure, it tracks on the CPU.
pub(super) struct Engine<'a> {
    on_processor: InOrder<'a, Arcs<'a>>,
    gpus: Mutex<Option<OnGpus>>,
    control: &'a Control,
    /// Name of the device that tracks.
    pub(super) device_name: String,
}

/// Returns true if the GPU kernels support a run. They support tracking along arcs without regions, from
/// points or from uniformly drawn voxels. Tissues are supported if no displacement field maps them. All other
/// runs are tracked on the CPU.
fn is_supported_by_kernels(walk: &Walk<'_, Arcs<'_>>) -> bool {
    let (region_grids, starting_points) = (walk.region_grids, walk.starting_points);
    let is_straight =
        region_grids.anatomy.as_ref().is_none_or(|anatomy| anatomy.voxel_mapping.warp.is_none());
    region_grids.bits == 0
        && is_straight
        && starting_points.voxel_mapping.is_none()
        && !starting_points.needs_cpu()
}

impl<'a> Engine<'a> {
    pub(super) fn new(
        walk: &'a Walk<'a, Arcs<'a>>,
        seed: u64,
        device: &Device,
        control: &'a Control,
    ) -> Result<Self> {
        let gpus = match device {
            Device::Cuda(gpus) if is_supported_by_kernels(walk) => match OnGpus::new(walk, seed, gpus) {
                Err(error) => {
                    fall_back_to_cpu(error, control)?;
                    None
                }
                made => Some(made?),
            },
            Device::Cuda(_) | Device::Cpu => None,
        };
        let device_name = gpus.as_ref().map_or_else(|| PROCESSOR.to_owned(), OnGpus::describe);
        Ok(Self { on_processor: InOrder { walk, control }, gpus: Mutex::new(gpus), control, device_name })
    }

    fn lock(&self) -> MutexGuard<'_, Option<OnGpus>> {
        self.gpus.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Follow for Engine<'_> {
    fn follow(&self, numbers: Range<u64>, points: bool) -> Result<Vec<Batch>> {
        let mut gpus = self.lock();
        if let Some(working) = &*gpus {
            match working.batches(numbers.clone(), points, self.control) {
                Err(error) => fall_back_to_cpu(error, self.control)?,
                done => return done,
            }
            *gpus = None;
        }
        // The lock of the GPUs is released here. Threads that wait for it may be needed by the CPU tracking
        // below.
        drop(gpus);
        self.on_processor.follow(numbers, points)
    }

    fn maximum(&self) -> u64 {
        self.lock().as_ref().map_or_else(|| self.on_processor.maximum(), OnGpus::maximum)
    }

    fn target_bits(&self) -> (&[usize], usize) {
        self.on_processor.target_bits()
    }
}
