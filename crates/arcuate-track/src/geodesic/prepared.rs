//! The metric field of a run: in GPU memory if GPUs follow the rays, and in host memory if the CPU follows
//! them.

use super::cuda::{Machine, describe};
use super::field::{Nodes, Plan, PreparationTimes, Repair, Repairs, check, fits, of_nodes, on_gpus};
use super::options::GeodesicOptions;
use arcuate_compute::cuda::Gpus;
use arcuate_compute::{Device, fall_back, fallback_is_allowed};
use arcuate_core::{Error, ErrorKind, Result, Volume};
use arcuate_numbers::Real;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The metric field in the precision of the rays, single or double.
#[derive(Debug)]
pub(super) struct Prepared<'a, T: Real> {
    pub(super) plan: Plan<'a>,
    /// GPUs that follow the rays; empty if the CPU follows them.
    machines: Vec<Machine<T>>,
    /// True if the GPUs have failed and the CPU follows the rays instead.
    failed: AtomicBool,
    /// Nodes of the metric field in host memory. They are computed when the CPU first needs them.
    nodes: OnceLock<Nodes<T>>,
}

impl<'a, T: Real> Prepared<'a, T> {
    /// Computes the metric field. Returns the field with the numbers of repaired tensors, or an error if no
    /// voxel has a mean diffusivity above 0.
    pub(super) fn new(
        tensor: &'a Volume<f32>,
        options: &'a GeodesicOptions,
        device: &Device,
    ) -> Result<(Self, Repairs)> {
        check(tensor)?;
        if let Device::Cuda(gpus) = device {
            match Self::on_gpus(tensor, options, gpus) {
                Err(error) if is_of_the_device(&error) && fallback_is_allowed() => {
                    fall_back(&error, ON_THE_CPU);
                }
                done => return done,
            }
        }
        Self::on_processor(tensor, options)
    }

    fn without_machines(plan: Plan<'a>, nodes: OnceLock<Nodes<T>>) -> Self {
        Self { plan, machines: Vec::new(), failed: AtomicBool::new(false), nodes }
    }

    fn on_processor(tensor: &'a Volume<f32>, options: &'a GeodesicOptions) -> Result<(Self, Repairs)> {
        let plan = Plan::new(tensor, options, Repair::of(tensor, options.mask.as_ref())?)?;
        let (nodes, repairs) = plan.nodes();
        Ok((Self::without_machines(plan, OnceLock::from(nodes)), repairs))
    }

    fn on_gpus(
        tensor: &'a Volume<f32>,
        options: &'a GeodesicOptions,
        gpus: &Gpus,
    ) -> Result<(Self, Repairs)> {
        let (mut prepared, repairs, fields) = if fits::<T>(gpus, tensor, options)? {
            let (plan, fields, repairs) = on_gpus(tensor, options, gpus)?;
            (Self::without_machines(plan, OnceLock::new()), repairs, fields)
        } else {
            let (prepared, repairs) = Self::on_processor(tensor, options)?;
            let fields = of_nodes(gpus, prepared.nodes())?;
            (prepared, repairs, fields)
        };
        for field in fields {
            prepared.machines.push(Machine::new(field)?);
        }
        Ok((prepared, repairs))
    }

    /// Returns the GPUs that follow the rays; none if the GPUs have failed.
    pub(super) fn machines(&self) -> &[Machine<T>] {
        if self.failed.load(Ordering::Relaxed) { &[] } else { &self.machines }
    }

    /// Switches to the CPU if `error` came from the GPUs and a fallback is allowed. If not, returns the
    /// error.
    pub(super) fn fall_back(&self, error: Error) -> Result<()> {
        if !(is_of_the_device(&error) && fallback_is_allowed()) {
            return Err(error);
        }
        fall_back(&error, ON_THE_CPU);
        self.failed.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Describes the devices that follow the rays.
    pub(super) fn device_name(&self) -> String {
        if self.machines.is_empty() {
            return "CPU".to_owned();
        }
        let gpus = describe(&self.machines);
        if self.failed.load(Ordering::Relaxed) { format!("CPU, after {gpus} failed") } else { gpus }
    }

    /// Returns the nodes in host memory.
    pub(super) fn nodes(&self) -> &Nodes<T> {
        self.nodes.get_or_init(|| self.plan.nodes().0)
    }

    /// Returns the time for the computation of the metric field; `None` if no GPU computed it.
    pub(super) fn times(&self) -> Option<PreparationTimes> {
        self.machines.first().and_then(Machine::times)
    }
}

/// Message after a failure of the GPUs.
const ON_THE_CPU: &str = "the rays are followed on the CPU";

/// Returns true if the error came from the GPU, so that the CPU may succeed.
fn is_of_the_device(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Device | ErrorKind::DeviceMemory | ErrorKind::DeviceTooSmall)
}
