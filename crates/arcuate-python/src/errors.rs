//! Converts errors and warnings of the libraries to Python exceptions and warnings.

use arcuate::parameters;
use arcuate_core::{Error, ErrorKind};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::ffi::c_str;
use pyo3::prelude::*;
use std::ffi::CString;

/// Returns an exception of a class of the Python package. `class` is the name of the class, and `line` is the
/// message.
fn exception(class: &str, line: String) -> PyErr {
    Python::attach(|py| {
        let made = py.import("arcuate._errors").and_then(|module| module.getattr(class)?.call1((&line,)));
        // If the Python package cannot be imported, the message is in a RuntimeError instead.
        made.map_or_else(|_| PyRuntimeError::new_err(line), PyErr::from_value)
    })
}

/// Returns an InputError.
pub(crate) fn refused(line: impl Into<String>) -> PyErr {
    exception("InputError", line.into())
}

/// Converts an error of the libraries to a Python exception. Its message is one line, in which parameters
/// have the names of Python keywords.
pub(crate) fn raise(error: Error) -> PyErr {
    let class = match error.kind() {
        ErrorKind::Usage | ErrorKind::Invalid | ErrorKind::Read => "InputError",
        ErrorKind::Write => "WriteError",
        ErrorKind::Device | ErrorKind::DeviceMemory | ErrorKind::DeviceTooSmall => "DeviceError",
        ErrorKind::Cancelled => return PyKeyboardInterrupt::new_err("interrupted"),
        _ => "ArcuateError",
    };
    let line = parameters::in_keywords(error).to_string();
    exception(class, parameters::options_as_keywords(&line))
}

/// Issues warnings with the Python module `warnings`. They refer to the line of code that is `frames` stack
/// frames above this function.
pub(crate) fn warn(py: Python<'_>, lines: &[String], frames: i32) -> PyResult<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let class = py.import("arcuate._errors")?.getattr("ArcuateWarning")?;
    for line in lines {
        let line = parameters::options_as_keywords(&parameters::line_in_keywords(line));
        let line = CString::new(line).unwrap_or_else(|_| c_str!("a warning that cannot be shown").to_owned());
        PyErr::warn(py, &class, &line, frames)?;
    }
    Ok(())
}
