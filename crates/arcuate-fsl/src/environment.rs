//! Settings from environment variables: the device, the number of threads, and the image format. The command
//! lines of FSL's programs have no options for these settings.

use arcuate_compute::{DeviceChoice, parse_bytes};
use arcuate_core::{Error, Result};
use arcuate_io::{NIFTI_ENDINGS, NIFTI_PAIR_ENDINGS, WriteOptions, split_ending};
use std::path::{Path, PathBuf};

/// Environment variables for settings of all programs.
const DEVICE: &str = "ARCUATE_DEVICE";
const DEVICE_MEMORY: &str = "ARCUATE_DEVICE_MEMORY";
const THREADS: &str = "ARCUATE_THREADS";
/// FSL's own environment variable for the format of output images.
const OUTPUT_TYPE: &str = "FSLOUTPUTTYPE";

/// Settings from environment variables, for which FSL's command lines have no options.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Number of CPU threads. `None`: all threads.
    pub threads: Option<usize>,
    /// Device to compute on.
    pub device: DeviceChoice,
    /// Maximum memory in bytes that the program uses on each GPU.
    pub device_memory: Option<u64>,
}

/// Reads the settings from the environment variables. A program whose name ends in `_gpu` gets the same
/// device as any other: a GPU if the machine has one.
pub(super) fn settings() -> Result<Settings> {
    let settings = Settings {
        threads: parsed(THREADS, |text| text.parse().map_err(|_| "it is not a number".to_owned()))?,
        device: parsed(DEVICE, str::parse)?.unwrap_or(DeviceChoice::Auto),
        device_memory: parsed(DEVICE_MEMORY, parse_bytes)?,
    };
    if settings.device == DeviceChoice::Cpu && settings.device_memory.is_some() {
        let problem = format!("this variable limits GPU memory, but {DEVICE}=cpu uses no GPU");
        return Err(Error::usage(DEVICE_MEMORY, problem, "unset one of the two"));
    }
    if let Some(threads) = settings.threads.filter(|threads| !(1..=4096).contains(threads)) {
        return Err(Error::usage(
            THREADS,
            format!("{threads} is not a possible number of threads"),
            "give 1 \
            to 4096",
        ));
    }
    Ok(settings)
}

/// Format of the image files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ImageFormat {
    /// Ending of image file names.
    pub(super) ending: &'static str,
    pub(super) nifti_2: bool,
}

/// Returns the file name of an image without its ending. Output images get the ending of the output format.
pub(super) fn stem(name: &str) -> &str {
    let found = split_ending(name, &NIFTI_ENDINGS).or_else(|| split_ending(name, &NIFTI_PAIR_ENDINGS));
    found.map_or(name, |(stem, _)| stem)
}

impl ImageFormat {
    /// Returns the path of an output image. `name` is its name with or without a file name ending.
    pub(super) fn file(self, name: &str) -> PathBuf {
        Path::new(&format!("{}{}", stem(name), self.ending)).to_owned()
    }

    /// Returns the options with which a program writes its images.
    pub(super) fn options(self, program: &str) -> WriteOptions {
        let description = format!("arcuate {} {program}", env!("CARGO_PKG_VERSION"));
        WriteOptions { description, nifti_2: self.nifti_2, ..WriteOptions::default() }
    }
}

/// Returns the image format that `FSLOUTPUTTYPE` selects.
pub(super) fn image_format() -> Result<ImageFormat> {
    let output_type = value(OUTPUT_TYPE).unwrap_or_default();
    let (ending, nifti_2) = match output_type.as_str() {
        "" | "NIFTI_GZ" => (NIFTI_ENDINGS[1], false),
        "NIFTI" => (NIFTI_ENDINGS[0], false),
        "NIFTI2_GZ" => (NIFTI_ENDINGS[1], true),
        "NIFTI2" => (NIFTI_ENDINGS[0], true),
        other => {
            let problem = format!("`{other}` is not a supported output format");
            return Err(Error::usage(OUTPUT_TYPE, problem, "use NIFTI_GZ, NIFTI, NIFTI2_GZ or NIFTI2"));
        }
    };
    Ok(ImageFormat { ending, nifti_2 })
}

/// Returns the value of an environment variable. An empty variable counts as unset.
fn value(name: &str) -> Option<String> {
    std::env::var_os(name).map(|text| text.to_string_lossy().into_owned()).filter(|text| !text.is_empty())
}

fn parsed<T>(name: &str, parse: impl Fn(&str) -> std::result::Result<T, String>) -> Result<Option<T>> {
    let Some(text) = value(name) else { return Ok(None) };
    let refuse = |problem: String| {
        let advice = "set it as `arcuate help fit` describes the option of this name, or unset it";
        Error::usage(name, format!("`{text}`: {problem}"), advice)
    };
    parse(&text).map(Some).map_err(refuse)
}

/// Changes an error about a setting: its subject becomes the environment variable that has the setting,
/// instead of an option.
pub(super) fn about(error: Error) -> Error {
    error.with_subject(|subject| match subject.split(' ').next() {
        Some("‘device’" | "--device") => Some(DEVICE),
        Some("‘device_memory’" | "--device-memory") => Some(DEVICE_MEMORY),
        Some("‘threads’" | "--threads") => Some(THREADS),
        _ => None,
    })
}
