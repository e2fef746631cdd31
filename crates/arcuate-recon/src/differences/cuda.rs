//! Computes the product with WᵀW on a GPU. W computes weighted differences between neighbouring voxels.
#![allow(unsafe_code)]

use super::constants;
use super::kernels::{self, DifferencesPlan};
use crate::Element;
use crate::first_use::{Place, fits};
use arcuate_compute::cuda::{Buffer, Gpu, Grid, Stream};
use arcuate_core::Result;
use arcuate_solve::DeviceNormal;

const THREADS: u32 = constants::THREADS;

/// The weights of differences in GPU memory.
pub(super) struct DifferencesOnGpu<T: Element> {
    place: Place,
    plan: DifferencesPlan,
    weights: Buffer<T>,
}

impl<T: Element> DifferencesOnGpu<T> {
    /// Copies the weights of differences (one axis after the other) to the GPU. `voxels` is the number of
    /// voxels. `steps` has, for each axis, the distance in memory between neighbouring voxels.
    pub(super) fn new(gpu: &Gpu, voxels: usize, steps: &[usize], weights: &[T]) -> Result<Self> {
        let stream = gpu.stream()?;
        let of = |n: usize| steps.get(n).map_or(0, |&step| step as u64);
        let plan = DifferencesPlan {
            voxels: voxels as u64,
            step_0: of(0),
            step_1: of(1),
            step_2: of(2),
            axes: steps.len() as u64,
        };
        Ok(Self { place: Place::new(gpu), plan, weights: gpu.upload(&stream, weights)? })
    }
}

impl<T: Element> DeviceNormal<T> for DifferencesOnGpu<T> {
    fn gpu(&self) -> &Gpu {
        self.place.gpu()
    }

    fn normal(&self, stream: &Stream, unknowns: &Buffer<T>, out: &mut Buffer<T>) -> Result<()> {
        let voxels = self.plan.voxels as usize;
        fits("differences", 2 * voxels, unknowns, out)?;
        // SAFETY: The weights of every axis and both images have `voxels` entries.
        Ok(unsafe {
            kernels::differences_normal(
                stream,
                Grid::for_items(voxels, THREADS),
                self.plan,
                &self.weights,
                unknowns,
                out,
            )
        }?)
    }

    fn retreat(&self, error: &arcuate_core::Error) {
        self.place.retreat(error);
    }
}

impl<T: Element> AsRef<Place> for DifferencesOnGpu<T> {
    fn as_ref(&self) -> &Place {
        &self.place
    }
}
