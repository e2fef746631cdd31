//! Errors and warnings of the library as Python's.

use arcuate::core::{Error, ErrorKind};
use arcuate::parameters;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::ffi::c_str;
use pyo3::prelude::*;
use std::ffi::CString;

/// The exception of this class, which the package has.
fn exception(class: &str, line: String) -> PyErr {
    Python::attach(|py| {
        let made = py.import("arcuate._errors").and_then(|module| module.getattr(class)?.call1((&line,)));
        // Without its package the module still says what is wrong.
        made.map_or_else(|_| PyRuntimeError::new_err(line), PyErr::from_value)
    })
}

/// That what was given cannot be meant.
pub(crate) fn refused(line: impl Into<String>) -> PyErr {
    exception("InputError", line.into())
}

/// The exception that an error is: one line, with the names of keywords.
pub(crate) fn raise(error: Error) -> PyErr {
    let class = match error.kind() {
        ErrorKind::Usage | ErrorKind::Invalid | ErrorKind::Read => "InputError",
        ErrorKind::Write => "WriteError",
        ErrorKind::Device | ErrorKind::DeviceMemory | ErrorKind::DeviceTooSmall => "DeviceError",
        ErrorKind::Cancelled => return PyKeyboardInterrupt::new_err("interrupted"),
    };
    let line = parameters::in_keywords(error).to_string();
    exception(class, parameters::options_as_keywords(&line))
}

/// Says warnings by Python's `warnings`, at the line that so many frames lead to.
pub(crate) fn warn(py: Python<'_>, said: &[String], frames: i32) -> PyResult<()> {
    if said.is_empty() {
        return Ok(());
    }
    let class = py.import("arcuate._errors")?.getattr("ArcuateWarning")?;
    for line in said {
        let line = parameters::options_as_keywords(&parameters::line_in_keywords(line));
        let line = CString::new(line).unwrap_or_else(|_| c_str!("a warning that cannot be shown").to_owned());
        PyErr::warn(py, &class, &line, frames)?;
    }
    Ok(())
}
