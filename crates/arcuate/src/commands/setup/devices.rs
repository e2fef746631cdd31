use arcuate_compute::available_devices;
use arcuate_core::Result;
use arcuate_pipeline::job::Job;
use clap::Args;

/// List the processor and the GPUs, and why a GPU cannot be used
#[derive(Debug, Args)]
pub(crate) struct Devices {}

impl Devices {
    #[allow(clippy::unused_self, clippy::unnecessary_wraps)] // all commands have this signature
    pub(crate) fn run(&self, job: &Job) -> Result<()> {
        for device in available_devices() {
            let state =
                device.unusable.map_or_else(String::new, |reason| format!(" (cannot be used: {reason})"));
            job.show_message(format_args!("{:8} {}{state}", device.id, device.description));
        }
        Ok(())
    }
}
