//! Devices: the CPU or NVIDIA GPUs.
//!
//! Functions that can run on a GPU have a [`Device`] among their arguments. Results do not depend on the device.
//!
//! ```
//! use arcuate::compute::{Device, DeviceChoice, available_devices};
//!
//! // Opens the GPUs of this machine, or the CPU if there are none.
//! let device = DeviceChoice::default().open(None)?;
//! let cpu = Device::Cpu;
//! println!("{} devices, among them {device} and {cpu}", available_devices().len());
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_compute::{Device, DeviceChoice, DeviceReport, available_devices, parse_bytes};
