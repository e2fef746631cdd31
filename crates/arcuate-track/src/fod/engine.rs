//! Who follows streamlines by arcs: the processor or GPUs, and what is done where a GPU fails.

use super::cuda::OnGpus;
use super::fields::Arcs;
use crate::driver::{Batch, Follow};
use crate::gpus::retreat;
use crate::walk::{InOrder, Walk};
use arcuate_compute::Device;
use arcuate_core::{Control, Result};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Of what the processor follows, in words.
pub(super) const PROCESSOR: &str = "the processor";

/// Follows streamlines, on GPUs as long as these do it.
pub(super) struct Engine<'a> {
    on_processor: InOrder<'a, Arcs<'a>>,
    gpus: Mutex<Option<OnGpus>>,
    control: &'a Control,
    /// Who follows, in words.
    pub(super) followed_by: String,
}

/// Whether kernels know all that a run asks for: arcs from points, or from voxels that are evenly drawn, through no region and through
/// tissues to which no displacement leads. All other methods are the processor's.
fn is_known_to_kernels(walk: &Walk<'_, Arcs<'_>>) -> bool {
    let (lattices, beginnings) = (walk.lattices, walk.beginnings);
    let is_straight = lattices.anatomy.as_ref().is_none_or(|anatomy| anatomy.way.warp.is_none());
    lattices.bits == 0 && is_straight && beginnings.way.is_none() && !beginnings.of_the_processor()
}

impl<'a> Engine<'a> {
    pub(super) fn new(
        walk: &'a Walk<'a, Arcs<'a>>,
        seed: u64,
        device: &Device,
        control: &'a Control,
    ) -> Result<Self> {
        let gpus = match device {
            Device::Cuda(gpus) if is_known_to_kernels(walk) => match OnGpus::new(walk, seed, gpus) {
                Err(error) => {
                    retreat(error, control)?;
                    None
                }
                made => Some(made?),
            },
            Device::Cuda(_) | Device::Cpu => None,
        };
        let followed_by = gpus.as_ref().map_or_else(|| PROCESSOR.to_owned(), OnGpus::describe);
        Ok(Self { on_processor: InOrder { walk, control }, gpus: Mutex::new(gpus), control, followed_by })
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
                Err(error) => retreat(error, self.control)?,
                done => return done,
            }
            *gpus = None;
        }
        // Threads that wait here may be those that the work below needs.
        drop(gpus);
        self.on_processor.follow(numbers, points)
    }

    fn most(&self) -> u64 {
        self.lock().as_ref().map_or_else(|| self.on_processor.most(), OnGpus::most)
    }

    fn target_bits(&self) -> (&[usize], usize) {
        self.on_processor.target_bits()
    }
}
