//! The program that requests the work.

use arcuate_compute::Device;
use arcuate_core::{Control, Result};
use std::any::Any;
use std::rc::Rc;

/// The program that requests the work: the command line, Python, or a program that calls the library. It
/// provides the device, and shows the user the progress of the work. A [`Job`](crate::job::Job) keeps
/// everything else.
pub trait Host {
    /// Opens the device to compute on. A job calls this function once, when the first algorithm with a GPU
    /// implementation begins.
    ///
    /// # Errors
    /// If the device is not available.
    fn open_device(&self) -> Result<Device>;

    /// Returns the control that reports progress of long calls and cancels them.
    fn control(&self) -> Control;

    /// Shows the user a line about the work.
    fn say(&self, line: &str);

    /// Writes text that the user requested, including its line ends.
    fn print(&self, text: &str) {
        self.say(text.trim_end_matches('\n'));
    }

    /// Shows that a step of a command is in progress, until the result is dropped.
    fn begin_step(&self, _command: &str, _step: &str) -> Box<dyn Any> {
        Box::new(())
    }

    /// Returns the user's name of a library parameter in a command, for example a command-line option. `None`
    /// if both have the same name.
    fn parameter(&self, _command: &str, _parameter: &str) -> Option<&'static str> {
        None
    }
}

impl<H: Host + ?Sized> Host for Rc<H> {
    fn open_device(&self) -> Result<Device> {
        (**self).open_device()
    }

    fn control(&self) -> Control {
        (**self).control()
    }

    fn say(&self, line: &str) {
        (**self).say(line);
    }

    fn print(&self, text: &str) {
        (**self).print(text);
    }

    fn begin_step(&self, command: &str, step: &str) -> Box<dyn Any> {
        (**self).begin_step(command, step)
    }

    fn parameter(&self, command: &str, parameter: &str) -> Option<&'static str> {
        (**self).parameter(command, parameter)
    }
}

/// A program that calls the library. Lines for the user go to `tracing` at level `INFO`.
#[derive(Debug, Clone)]
pub struct LibraryHost {
    /// Device to compute on.
    pub device: Device,
    /// Control that reports progress of long calls and cancels them.
    pub control: Control,
}

impl Default for LibraryHost {
    /// Returns a host that computes on the CPU.
    fn default() -> Self {
        Self { device: Device::Cpu, control: Control::default() }
    }
}

impl Host for LibraryHost {
    fn open_device(&self) -> Result<Device> {
        Ok(self.device.clone())
    }

    fn control(&self) -> Control {
        self.control.clone()
    }

    fn say(&self, line: &str) {
        tracing::info!("{line}");
    }
}
