use crate::context::Context;
use arcuate_compute::available_devices;
use arcuate_core::Result;
use clap::Args;

/// List the devices that can compute
#[derive(Debug, Args)]
pub(crate) struct Devices {}

impl Devices {
    #[allow(clippy::unused_self, clippy::unnecessary_wraps)] // The shape of every command.
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        for device in available_devices() {
            let state =
                device.unusable.map_or_else(String::new, |reason| format!(" (cannot be used: {reason})"));
            context.say(format_args!("{:8} {}{state}", device.id, device.description));
        }
        Ok(())
    }
}
