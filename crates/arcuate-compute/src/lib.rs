//! Devices and counter-based random numbers; knows no MRI.

mod device;
mod random;

pub use device::{Device, DeviceChoice, DeviceReport, available_devices};
pub use random::{Purpose, Random};
