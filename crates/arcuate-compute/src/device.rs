use arcuate_core::{Error, Result};
use std::num::NonZeroUsize;
use std::str::FromStr;

/// What the user asked for with `--device`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// The fastest device there is.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// An NVIDIA GPU by number.
    Cuda(usize),
}

/// Where work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// The processor, with rayon's threads.
    Cpu,
}

/// A device as `arcuate devices` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceReport {
    /// The name that `--device` takes.
    pub id: String,
    /// What it is.
    pub description: String,
    /// Why it cannot be used, where it cannot.
    pub unusable: Option<String>,
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = |digits: &str| digits.parse().map_err(|_| format!("`{digits}` is no GPU number"));
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            _ => match text.strip_prefix("cuda:") {
                Some(digits) => number(digits).map(Self::Cuda),
                None => Err("expected auto, cpu, cuda or cuda:NUMBER".to_owned()),
            },
        }
    }
}

impl DeviceChoice {
    /// The device to use; fails where the one asked for cannot be had.
    pub fn open(self) -> Result<Device> {
        match self {
            Self::Auto | Self::Cpu => Ok(Device::Cpu),
            Self::Cuda(_) => Err(Error::usage(
                "--device cuda",
                "this version of Arcuate computes on the CPU only",
                "use --device cpu, or leave the option out",
            )),
        }
    }
}

/// All devices of this machine.
pub fn available_devices() -> Vec<DeviceReport> {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut features = vec![std::env::consts::ARCH];
    #[cfg(target_arch = "x86_64")]
    {
        for (name, present) in [
            ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
            ("FMA", std::arch::is_x86_feature_detected!("fma")),
            ("AVX-512", std::arch::is_x86_feature_detected!("avx512f")),
        ] {
            if present {
                features.push(name);
            }
        }
    }
    vec![DeviceReport {
        id: "cpu".to_owned(),
        description: format!("{threads} hardware threads, {}", features.join(", ")),
        unusable: None,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_names_are_understood() {
        assert_eq!("auto".parse(), Ok(DeviceChoice::Auto));
        assert_eq!("cuda".parse(), Ok(DeviceChoice::Cuda(0)));
        assert_eq!("cuda:3".parse(), Ok(DeviceChoice::Cuda(3)));
        assert!("cuda:x".parse::<DeviceChoice>().is_err());
        assert!("gpu".parse::<DeviceChoice>().is_err());
        assert_eq!(DeviceChoice::Auto.open().unwrap(), Device::Cpu);
        assert!(DeviceChoice::Cuda(0).open().is_err());
    }
}
