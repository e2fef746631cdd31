//! The program that work is done for.

use arcuate_compute::Device;
use arcuate_core::{Control, Result};
use std::any::Any;
use std::rc::Rc;

/// The program that work is done for: the command line, Python, or a program that calls the library. It provides the device and
/// shows the user the progress of the work. A [`Job`](crate::job::Job) keeps everything else.
pub trait Host {
    /// Opens the device to compute on. A job calls this once, when the first algorithm with a GPU implementation begins.
    ///
    /// # Errors
    /// If the device is not available.
    fn open_device(&self) -> Result<Device>;

    /// Reports the progress of long calls, and cancels them.
    fn control(&self) -> Control;

    /// Shows the user a line about what was done.
    fn say(&self, line: &str);

    /// Writes text that the user asked for, with its line ends.
    fn print(&self, text: &str) {
        self.say(text.trim_end_matches('\n'));
    }

    /// Shows that a step of a command is in progress, until the result is dropped.
    fn begin_step(&self, _command: &str, _step: &str) -> Box<dyn Any> {
        Box::new(())
    }

    /// The user's name for a parameter of the library, in a command: the option of a command line. `None` if it has the same name.
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

/// A program that calls the library. Lines for the user go to `tracing`, as information.
#[derive(Debug, Clone)]
pub struct LibraryHost {
    /// The device to compute on.
    pub device: Device,
    /// Reports the progress of long calls, and cancels them.
    pub control: Control,
}

impl Default for LibraryHost {
    /// The CPU.
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
