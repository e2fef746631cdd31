//! The field where rays are followed: in the memory of GPUs, or of the host.

use super::cuda::Machine;
use super::field::{Nodes, Plan, PreparationTimes, Repair, Repairs, check, fits, of_nodes, on_gpus};
use super::options::GeodesicOptions;
use super::real::Real;
use super::run::is_of_the_device;
use arcuate_compute::cuda::Gpus;
use arcuate_compute::{Device, fall_back, fallback_is_allowed};
use arcuate_core::{Result, Volume};
use std::sync::OnceLock;

/// The field in the precision of the rays.
#[derive(Debug)]
pub(super) struct Prepared<'a, T: Real> {
    pub(super) plan: Plan<'a>,
    /// None where the processor follows the rays.
    pub(super) machines: Vec<Machine<T>>,
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
                    fall_back(&error, "the rays are followed on the CPU");
                }
                done => return done,
            }
        }
        Self::on_processor(tensor, options)
    }

    fn on_processor(tensor: &'a Volume<f32>, options: &'a GeodesicOptions) -> Result<(Self, Repairs)> {
        let plan = Plan::new(tensor, options, Repair::of(tensor, options.mask.as_ref())?)?;
        let (nodes, repairs) = plan.nodes();
        Ok((Self { plan, machines: Vec::new(), nodes: OnceLock::from(nodes) }, repairs))
    }

    fn on_gpus(
        tensor: &'a Volume<f32>,
        options: &'a GeodesicOptions,
        gpus: &Gpus,
    ) -> Result<(Self, Repairs)> {
        let (mut prepared, repairs, fields) = if fits::<T>(gpus, tensor, options)? {
            let (plan, fields, repairs) = on_gpus(tensor, options, gpus)?;
            (Self { plan, machines: Vec::new(), nodes: OnceLock::new() }, repairs, fields)
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

    /// The nodes in memory of the host.
    pub(super) fn nodes(&self) -> &Nodes<T> {
        self.nodes.get_or_init(|| self.plan.nodes().0)
    }

    /// How long the field took to make, where GPUs did it.
    pub(super) fn times(&self) -> Option<PreparationTimes> {
        self.machines.first().and_then(Machine::times)
    }
}
