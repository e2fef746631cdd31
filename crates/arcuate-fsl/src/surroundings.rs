//! What FSL's command lines have no words for, from the environment: where to compute, and how images are written.

use arcuate_compute::{DeviceChoice, parse_bytes};
use arcuate_core::{Error, Result};
use arcuate_io::WriteOptions;
use std::path::{Path, PathBuf};

/// The variables that stand for options of every command.
const DEVICE: &str = "ARCUATE_DEVICE";
const DEVICE_MEMORY: &str = "ARCUATE_DEVICE_MEMORY";
const THREADS: &str = "ARCUATE_THREADS";
/// FSL's own: the format of images.
const OUTPUT_TYPE: &str = "FSLOUTPUTTYPE";

/// Settings that FSL's command lines have no options for.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The number of threads of the CPU; all if it is not given.
    pub threads: Option<usize>,
    /// The device to compute on.
    pub device: DeviceChoice,
    /// Most memory to use on each GPU, in bytes.
    pub device_memory: Option<u64>,
}

/// The settings of the environment. A name that ends in `_gpu` asks for no more than any other does: a GPU if there is one.
pub(super) fn settings() -> Result<Settings> {
    let settings = Settings {
        threads: parsed(THREADS, |text| text.parse().map_err(|_| "it is no number".to_owned()))?,
        device: parsed(DEVICE, str::parse)?.unwrap_or(DeviceChoice::Auto),
        device_memory: parsed(DEVICE_MEMORY, parse_bytes)?,
    };
    if settings.device == DeviceChoice::Cpu && settings.device_memory.is_some() {
        let problem = format!("it limits the memory of GPUs, and {DEVICE}=cpu uses none");
        return Err(Error::usage(DEVICE_MEMORY, problem, "unset one of the two"));
    }
    if let Some(threads) = settings.threads.filter(|threads| !(1..=4096).contains(threads)) {
        return Err(Error::usage(THREADS, format!("{threads} is not a number of threads"), "give 1 to 4096"));
    }
    Ok(settings)
}

/// How images are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ImageFormat {
    /// What names of images end in.
    pub(super) ending: &'static str,
    pub(super) nifti_2: bool,
}

/// Endings that names of images may have in FSL's command lines; they are written with that of the format.
const IMAGE_ENDINGS: [&str; 6] = [".nii.gz", ".nii", ".hdr.gz", ".img.gz", ".hdr", ".img"];

/// A name of an image without its ending.
pub(super) fn stem(name: &str) -> &str {
    IMAGE_ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

impl ImageFormat {
    /// The file of an image whose name is given with or without an ending.
    pub(super) fn file(self, name: &str) -> PathBuf {
        Path::new(&format!("{}{}", stem(name), self.ending)).to_owned()
    }

    /// How images of a program are written.
    pub(super) fn options(self, program: &str) -> WriteOptions {
        let description = format!("arcuate {} {program}", env!("CARGO_PKG_VERSION"));
        WriteOptions { description, nifti_2: self.nifti_2, ..WriteOptions::default() }
    }
}

/// The format that `FSLOUTPUTTYPE` asks for.
pub(super) fn image_format() -> Result<ImageFormat> {
    let wanted = value(OUTPUT_TYPE).unwrap_or_default();
    let (ending, nifti_2) = match wanted.as_str() {
        "" | "NIFTI_GZ" => (".nii.gz", false),
        "NIFTI" => (".nii", false),
        "NIFTI2_GZ" => (".nii.gz", true),
        "NIFTI2" => (".nii", true),
        other => {
            let problem = format!("`{other}` is no format that is written here");
            return Err(Error::usage(OUTPUT_TYPE, problem, "use NIFTI_GZ, NIFTI, NIFTI2_GZ or NIFTI2"));
        }
    };
    Ok(ImageFormat { ending, nifti_2 })
}

/// The text of a variable; an empty one is none.
fn value(name: &str) -> Option<String> {
    std::env::var_os(name).map(|text| text.to_string_lossy().into_owned()).filter(|text| !text.is_empty())
}

fn parsed<T>(name: &str, parse: impl Fn(&str) -> std::result::Result<T, String>) -> Result<Option<T>> {
    let Some(text) = value(name) else { return Ok(None) };
    let refuse = |problem: String| {
        let advice = "set it as `arcuate help fit` says of the option of this name, or unset it";
        Error::usage(name, format!("`{text}`: {problem}"), advice)
    };
    parse(&text).map(Some).map_err(refuse)
}

/// An error about a setting, with the variable of the environment as its subject.
pub(super) fn about(error: Error) -> Error {
    error.said_of(|subject| match subject.split(' ').next() {
        Some("‘device’" | "--device") => Some(DEVICE),
        Some("‘device_memory’" | "--device-memory") => Some(DEVICE_MEMORY),
        Some("‘threads’" | "--threads") => Some(THREADS),
        _ => None,
    })
}
