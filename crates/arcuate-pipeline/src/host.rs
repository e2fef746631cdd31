//! The program that requests the work.

use arcuate_compute::Device;
use arcuate_core::{Control, Result};
use std::any::Any;
use std::rc::Rc;

/// The program that requests the work: the command line, Python, or a program that calls the library. It
/// provides the device (CPU or GPU), and shows the user the progress of the work. A [`Job`](crate::job::Job)
/// holds all other data of the work.
pub trait Host {
    /// Opens the device (CPU or GPU) to compute on. A job calls this function once, when the first algorithm
    /// with a GPU implementation begins.
    ///
    /// # Errors
    /// Returns an error if the device is not available.
    fn open_device(&self) -> Result<Device>;

    /// Returns the [`Control`] through which algorithms report their progress and learn that they are
    /// cancelled.
    fn control(&self) -> Control;

    /// Shows the user one line of text about the work.
    fn show_message(&self, line: &str);

    /// Shows text that the user requested, such as a table. The text contains its line ends.
    fn print(&self, text: &str) {
        self.show_message(text.trim_end_matches('\n'));
    }

    /// Shows the user that a step of a command is in progress, until the returned value is dropped.
    fn begin_step(&self, _command: &str, _step: &str) -> Box<dyn Any> {
        Box::new(())
    }

    /// Returns the name that users of a command have for a parameter of the library, for example a
    /// command-line option. Returns `None` if both names are the same.
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

    fn show_message(&self, line: &str) {
        (**self).show_message(line);
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
    /// Receives the progress of algorithms and can cancel them.
    pub control: Control,
}

impl Default for LibraryHost {
    /// Returns the default calling program, which computes on the CPU and neither reports progress nor
    /// cancels the work.
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

    fn show_message(&self, line: &str) {
        tracing::info!("{line}");
    }
}
