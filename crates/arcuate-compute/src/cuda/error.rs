use crate::bytes::show_bytes;

/// An error of the driver, or a wrong use of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CudaError {
    /// Device memory, or page-locked host memory, is exhausted. The same work may succeed in smaller pieces.
    #[error("{call} of {} on {gpu}: {why}", show_bytes(*bytes))]
    OutOfMemory {
        /// The driver call.
        call: &'static str,
        /// The device, as `cuda:0 (its name)`.
        gpu: String,
        /// The requested amount; 0 if the call does not report it.
        bytes: u64,
        /// The limit: the device's memory, or the cap set by the user.
        why: String,
    },
    /// The driver rejected a call, or reports an error of an earlier kernel in it.
    #[error("{call} on {about}: {name} ({text})")]
    Call {
        /// The driver call.
        call: &'static str,
        /// The device, kernel and amount that the call concerned.
        about: String,
        /// The driver's number of the error (`CUresult`).
        code: u32,
        /// The driver's name of the error.
        name: String,
        /// The driver's text for it.
        text: String,
    },
    /// An invalid launch or copy: wrong arguments, a buffer of another device, …
    #[error("{about}: {problem}")]
    Misuse {
        /// The kernel or the copy.
        about: String,
        /// The problem.
        problem: String,
    },
    /// A count that exceeds the kernels' counters.
    #[error("{what}: {count} items exceed the range of kernel indices")]
    TooMany {
        /// The counted items.
        what: &'static str,
        /// Their number.
        count: usize,
    },
    /// Work that was not done, though the driver reports no error.
    #[error("{about}: {problem}")]
    Undone {
        /// The device.
        about: String,
        /// The content found instead of results.
        problem: String,
    },
    /// The device cannot be used at all.
    #[error("{gpu}: {reason}")]
    Unusable {
        /// `cuda:0`, with its name if known.
        gpu: String,
        /// The reason, for the user.
        reason: String,
    },
}

/// A result whose error is [`CudaError`].
pub type CudaResult<T> = Result<T, CudaError>;

impl CudaError {
    /// Returns whether less work at a time, or another device, may succeed.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, Self::OutOfMemory { .. })
    }
}

impl From<CudaError> for arcuate_core::Error {
    fn from(error: CudaError) -> Self {
        let on_the_cpu = "use ‘device’ cpu";
        let again = format!("repeat the command; if it fails again, {on_the_cpu} and report it");
        match &error {
            CudaError::OutOfMemory { call, gpu, bytes, why } => {
                let asked = if *bytes == 0 { String::new() } else { format!(" of {}", show_bytes(*bytes)) };
                let problem = format!("{call}{asked} failed: {why}");
                Self::device_memory(
                    gpu,
                    problem,
                    format!("close other programs that use the GPU, or {on_the_cpu}"),
                )
            }
            CudaError::Call { call, about, name, text, .. } => {
                Self::device(about, format!("the driver call {call} failed with {name} ({text})"), again)
            }
            CudaError::TooMany { what, count } => Self::device_too_small(
                what,
                format!("{count} items exceed the range of kernel indices"),
                on_the_cpu,
            ),
            CudaError::Undone { about, problem } => Self::device(about, problem, again),
            CudaError::Misuse { about, problem } => Self::device(
                about,
                problem,
                format!("this is a bug in Arcuate; report it, and {on_the_cpu} until it is fixed"),
            ),
            CudaError::Unusable { gpu, reason } => {
                Self::device(gpu, reason, format!("see `arcuate setup devices`, or {on_the_cpu}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Error, ErrorKind};

    #[test]
    fn errors_keep_their_kind_and_fit_one_line() {
        let memory = CudaError::OutOfMemory {
            call: "cuMemAlloc",
            gpu: "cuda:0 (a GPU)".into(),
            bytes: 3 << 30,
            why: "1.00 GiB are free".into(),
        };
        assert!(memory.is_out_of_memory());
        let shown = Error::from(memory);
        assert_eq!(shown.kind(), ErrorKind::DeviceMemory);
        assert_eq!(
            shown.to_string(),
            "cuda:0 (a GPU): cuMemAlloc of 3.00 GiB failed: 1.00 GiB are free; close other programs that use the GPU, or \
             use ‘device’ cpu"
        );

        let fault = CudaError::Call {
            call: "cuStreamSynchronize",
            about: "cuda:0 after kernel `f`".into(),
            code: 700,
            name: "CUDA_ERROR_ILLEGAL_ADDRESS".into(),
            text: "an illegal\nmemory access".into(),
        };
        assert!(!fault.is_out_of_memory());
        let shown = Error::from(fault);
        assert_eq!(shown.kind(), ErrorKind::Device);
        assert!(shown.to_string().contains("kernel `f`: the driver call cuStreamSynchronize failed"));
        assert_eq!(shown.to_string().lines().count(), 1);

        let many = Error::from(CudaError::TooMany { what: "columns of a transform", count: 1 << 32 });
        assert_eq!(many.kind(), ErrorKind::DeviceTooSmall);
        let expected = "columns of a transform: 4294967296 items exceed the range of kernel indices; use \
                        ‘device’ cpu";
        assert_eq!(many.to_string(), expected);
    }
}
