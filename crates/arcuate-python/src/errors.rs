//! Converts errors and warnings of the library to Python's.

use arcuate::core::{Error, ErrorKind};
use arcuate::parameters;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::ffi::c_str;
use pyo3::prelude::*;
use std::ffi::CString;

/// Returns an exception of this class of the package.
fn exception(class: &str, line: String) -> PyErr {
    Python::attach(|py| {
        let made = py.import("arcuate._errors").and_then(|module| module.getattr(class)?.call1((&line,)));
        // If the package cannot be imported, a RuntimeError still states the problem.
        made.map_or_else(|_| PyRuntimeError::new_err(line), PyErr::from_value)
    })
}

/// Returns an InputError.
pub(crate) fn refused(line: impl Into<String>) -> PyErr {
    exception("InputError", line.into())
}

/// Converts an error to an exception: one line, with the names of keywords.
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

/// Issues warnings with Python's `warnings`, at the line that is `frames` frames above.
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
