use crate::bytes::show_bytes;
use crate::cuda::{self, CudaError, Gpu, Gpus};
use arcuate_core::{Error, Result};
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// The value of the option `--device`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum DeviceChoice {
    /// The first GPU that can be used, or the CPU if no GPU can be used.
    #[default]
    Auto,
    /// The CPU is used, even if there are GPUs.
    Cpu,
    /// NVIDIA GPUs with these numbers. The list has at least one number, and no number twice.
    Cuda(Vec<usize>),
}

/// The device on which computations run. A clone is cheap.
///
/// Every algorithm takes a device. If an algorithm has no GPU implementation, it computes on the CPU for any
/// device, with the same result. An algorithm without a GPU implementation calls
/// [`Device::computes_on_the_cpu`] to report this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Device {
    /// Computations run on the CPU, with rayon's threads.
    Cpu,
    /// Computations run on one NVIDIA GPU, or on several that share the work.
    #[doc(hidden)]
    Cuda(Gpus),
}

/// A device as `arcuate setup devices` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceReport {
    /// The name of the device as a value of `--device`.
    pub id: String,
    /// Description of the device for the user.
    pub description: String,
    /// The reason why the device cannot be used; `None` if the device can be used.
    pub unusable: Option<String>,
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = |digits: &str| digits.parse().map_err(|_| format!("`{digits}` is not a GPU number"));
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(vec![0])),
            _ => {
                let numbers = text
                    .strip_prefix("cuda:")
                    .ok_or("expected auto, cpu, cuda, cuda:NUMBER or cuda:NUMBER,NUMBER")?;
                let ordinals =
                    numbers.split(',').map(number).collect::<std::result::Result<Vec<usize>, _>>()?;
                match (1..ordinals.len()).find(|&n| ordinals[..n].contains(&ordinals[n])) {
                    Some(twice) => Err(format!("GPU {} is listed twice", ordinals[twice])),
                    None => Ok(Self::Cuda(ordinals)),
                }
            }
        }
    }
}

impl DeviceChoice {
    /// Opens the device. Returns an error if the requested device is not available. `memory_cap` limits the
    /// memory that buffers may use on each GPU, in bytes.
    pub fn open(&self, memory_cap: Option<u64>) -> Result<Device> {
        match self {
            Self::Cpu => Ok(Device::Cpu),
            Self::Cuda(ordinals) => match Gpus::open(ordinals) {
                Ok(gpus) => Ok(Device::Cuda(gpus.with_memory_cap(memory_cap))),
                Err(CudaError::Unusable { gpu, reason }) => {
                    let advice = "see `arcuate setup devices`, or use ‘device’ cpu";
                    Err(Error::usage(format_args!("‘device’ {gpu}"), reason, advice))
                }
                Err(error) => Err(error.into()),
            },
            Self::Auto => match Gpu::open_first() {
                Ok(gpu) => {
                    tracing::info!("computing on {gpu}");
                    Ok(Device::Cuda(Gpus::new(vec![gpu.with_memory_cap(memory_cap)])?))
                }
                Err(error) => {
                    tracing::info!("computing on the CPU: {}", Error::from(error).problem());
                    Ok(Device::Cpu)
                }
            },
        }
    }
}

impl Device {
    /// Writes to the log (option `-v`) that `what` is computed on the CPU although a GPU was requested.
    pub fn computes_on_the_cpu(&self, what: &str) {
        if let Self::Cuda(_) = self {
            tracing::info!("{what}: computed on the CPU, there is no GPU version of it yet");
        }
    }

    /// Number of bytes of GPU memory that a computation may use on each GPU; `None` for the CPU.
    pub fn budget(&self) -> Result<Option<u64>> {
        match self {
            Self::Cpu => Ok(None),
            Self::Cuda(gpus) => Ok(Some(gpus.budget()?)),
        }
    }
}

/// Prints the device as a value of `--device`: `cpu`, `cuda:0`, `cuda:0,1`.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(gpus) => {
                let ordinals: Vec<String> = gpus.iter().map(|gpu| gpu.ordinal().to_string()).collect();
                write!(f, "cuda:{}", ordinals.join(","))
            }
        }
    }
}

/// Lists all devices of this machine. If there is no GPU, one entry explains why.
pub fn available_devices() -> Vec<DeviceReport> {
    let mut devices = vec![processor()];
    match cuda::list_gpus() {
        Ok(gpus) => devices.extend(gpus.into_iter().map(describe)),
        Err(reason) => devices.push(DeviceReport {
            id: "cuda".to_owned(),
            description: "NVIDIA GPUs".to_owned(),
            unusable: Some(reason),
        }),
    }
    devices
}

fn processor() -> DeviceReport {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    #[cfg(target_arch = "x86_64")]
    let extensions = [
        ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
        ("FMA", std::arch::is_x86_feature_detected!("fma")),
        ("AVX-512", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let extensions: [(&str, bool); 0] = [];
    let present = extensions.into_iter().filter(|(_, present)| *present).map(|(name, _)| name);
    let features: Vec<&str> = std::iter::once(std::env::consts::ARCH).chain(present).collect();
    DeviceReport {
        id: "cpu".to_owned(),
        description: format!("{threads} hardware threads, {}", features.join(", ")),
        unusable: None,
    }
}

fn describe(gpu: cuda::GpuReport) -> DeviceReport {
    let memory = match gpu.free_bytes {
        Some(free) => format!("{} free of {}", show_bytes(free), show_bytes(gpu.total_bytes)),
        None => show_bytes(gpu.total_bytes),
    };
    let (major, minor) = gpu.capability;
    DeviceReport {
        id: format!("cuda:{}", gpu.ordinal),
        description: format!(
            "{}, {memory}, compute capability {major}.{minor}, driver {}",
            gpu.name, gpu.driver
        ),
        unusable: gpu.unusable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_names_are_parsed() {
        assert_eq!("auto".parse(), Ok(DeviceChoice::Auto));
        assert_eq!("cpu".parse(), Ok(DeviceChoice::Cpu));
        assert_eq!("cuda".parse(), Ok(DeviceChoice::Cuda(vec![0])));
        assert_eq!("cuda:3".parse(), Ok(DeviceChoice::Cuda(vec![3])));
        assert_eq!("cuda:1,0,2".parse(), Ok(DeviceChoice::Cuda(vec![1, 0, 2])));
        let wrong = |text: &str| text.parse::<DeviceChoice>().unwrap_err();
        assert_eq!(wrong("cuda:x"), "`x` is not a GPU number");
        assert_eq!(wrong("cuda:"), "`` is not a GPU number");
        assert_eq!(wrong("cuda:0,"), "`` is not a GPU number");
        assert_eq!(wrong("cuda:-1"), "`-1` is not a GPU number");
        assert_eq!(wrong("cuda:2,1,2"), "GPU 2 is listed twice");
        assert!(wrong("gpu").contains("expected auto"));
    }

    #[test]
    fn the_cpu_is_always_available_and_missing_gpus_have_a_reason() {
        // Other tests may provide an emulated driver later. The list of devices and the opened devices must
        // use the same driver, so the driver is chosen first.
        arcuate_emulation::available("the_cpu_is_always_available_and_missing_gpus_have_a_reason");
        assert_eq!(DeviceChoice::Cpu.open(None).unwrap(), Device::Cpu);
        assert_eq!(Device::Cpu.to_string(), "cpu");
        assert_eq!(Device::Cpu.budget().unwrap(), None);
        let devices = available_devices();
        assert_eq!((devices[0].id.as_str(), &devices[0].unusable), ("cpu", &None));
        // With or without a driver, devices that are listed as usable can be opened. For other devices, the
        // error of opening is the listed reason.
        for device in &devices[1..] {
            let opened = device.id.parse::<DeviceChoice>().unwrap().open(None);
            match &device.unusable {
                None => assert_eq!(opened.unwrap().to_string(), device.id),
                Some(reason) => assert_eq!(opened.unwrap_err().problem(), reason),
            }
        }
        let first = devices[1..].iter().find(|device| device.unusable.is_none()).unwrap_or(&devices[0]);
        assert_eq!(DeviceChoice::Auto.open(None).unwrap().to_string(), first.id);
    }

    #[test]
    fn a_gpu_is_described_in_one_line() {
        let gpu = cuda::GpuReport {
            ordinal: 1,
            name: "NVIDIA H200".into(),
            total_bytes: 139 << 30,
            free_bytes: Some(138 << 30),
            capability: (9, 0),
            driver: "550.54.15 (CUDA 12.4)".into(),
            unusable: None,
        };
        let shown = describe(gpu);
        assert_eq!(shown.id, "cuda:1");
        assert_eq!(
            shown.description,
            "NVIDIA H200, 138 GiB free of 139 GiB, compute capability 9.0, driver 550.54.15 (CUDA 12.4)"
        );
    }
}
