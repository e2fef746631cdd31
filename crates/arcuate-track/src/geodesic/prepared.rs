//! The field where rays are followed: in the memory of GPUs, or of the host.

use super::cuda::{Machine, describe};
use super::field::{Nodes, Plan, PreparationTimes, Repair, Repairs, check, fits, of_nodes, on_gpus};
use super::options::GeodesicOptions;
use arcuate_compute::cuda::Gpus;
use arcuate_compute::numbers::Real;
use arcuate_compute::{Device, fall_back, fallback_is_allowed};
use arcuate_core::{Error, ErrorKind, Result, Volume};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The field in the precision of the rays.
#[derive(Debug)]
pub(super) struct Prepared<'a, T: Real> {
    pub(super) plan: Plan<'a>,
    /// None where the processor follows the rays.
    machines: Vec<Machine<T>>,
    /// Whether these have failed, so that it does all the same.
    failed: AtomicBool,
    /// Made when the processor needs them first.
    nodes: OnceLock<Nodes<T>>,
}

impl<'a, T: Real> Prepared<'a, T> {
    /// The field, and what had to be repaired. Fails where no voxel has diffusion.
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

    /// The GPUs that follow the rays, unless they have failed.
    pub(super) fn machines(&self) -> &[Machine<T>] {
        if self.failed.load(Ordering::Relaxed) { &[] } else { &self.machines }
    }

    /// Leaves the rays to the processor from now on, if GPUs failed with this error and it may; else the error.
    pub(super) fn fall_back(&self, error: Error) -> Result<()> {
        if !(is_of_the_device(&error) && fallback_is_allowed()) {
            return Err(error);
        }
        fall_back(&error, ON_THE_CPU);
        self.failed.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// What follows the rays, in words.
    pub(super) fn followed_by(&self) -> String {
        if self.machines.is_empty() {
            return "CPU".to_owned();
        }
        let gpus = describe(&self.machines);
        if self.failed.load(Ordering::Relaxed) { format!("CPU, after {gpus} failed") } else { gpus }
    }

    /// The nodes in memory of the host.
    pub(super) fn nodes(&self) -> &Nodes<T> {
        self.nodes.get_or_init(|| self.plan.nodes().0)
    }

    /// How long the field took to make, where GPUs did it.
    pub(super) fn times(&self) -> Option<PreparationTimes> {
        self.machines.first().and_then(Machine::times)
    }
}

/// What is said when GPUs fail.
const ON_THE_CPU: &str = "the rays are followed on the CPU";

/// Whether the processor may do better.
fn is_of_the_device(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Device | ErrorKind::DeviceMemory | ErrorKind::DeviceTooSmall)
}
