use crate::bytes::show_bytes;

/// An error that the driver reports, or a wrong use of the driver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CudaError {
    /// Device memory, or page-locked host memory, is exhausted. The same work may succeed in smaller pieces.
    #[error("{call} of {} on {gpu}: {why}", show_bytes(*bytes))]
    OutOfMemory {
        /// The driver call that failed.
        call: &'static str,
        /// The GPU, as `cuda:0 (its name)`.
        gpu: String,
        /// The number of bytes of memory that was requested; 0 if the failed call does not report it.
        bytes: u64,
        /// The limit that was exceeded: the GPU's memory, or the limit that the user set.
        why: String,
    },
    /// The driver rejected a call, or the call reports an error of an earlier kernel.
    #[error("{call} on {about}: {name} ({text})")]
    Call {
        /// The driver call that returned the error.
        call: &'static str,
        /// The GPU, kernel and amount of memory that the call concerned.
        about: String,
        /// The driver's number for the error (`CUresult`).
        code: u32,
        /// The driver's name for the error, such as `CUDA_ERROR_INVALID_VALUE`.
        name: String,
        /// The driver's description of the error.
        text: String,
    },
    /// The launch or copy is invalid, for example because of wrong arguments or a buffer of another GPU.
    #[error("{about}: {problem}")]
    Misuse {
        /// The kernel or the copy that is invalid.
        about: String,
        /// The description of the problem.
        problem: String,
    },
    /// A number of items exceeds the range of the indices that kernels use.
    #[error("{what}: {count} items are too many for the indices of a GPU kernel")]
    TooMany {
        /// The kind of items that were counted.
        what: &'static str,
        /// The number of items.
        count: usize,
    },
    /// The GPU did not do the work, but the driver reports no error.
    #[error("{about}: {problem}")]
    Undone {
        /// The GPU that did not do the work.
        about: String,
        /// Description of the values that the GPU memory holds instead of results.
        problem: String,
    },
    /// The GPU cannot be used at all.
    #[error("{gpu}: {reason}")]
    Unusable {
        /// The GPU, as `cuda:0`, with its name if the name is known.
        gpu: String,
        /// The reason why the GPU cannot be used, for the user.
        reason: String,
    },
}

/// The result of a call that fails with a [`CudaError`].
pub type CudaResult<T> = Result<T, CudaError>;

impl CudaError {
    /// Returns whether memory is exhausted, so that smaller pieces of work or another device may succeed.
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
                let amount = if *bytes == 0 { String::new() } else { format!(" of {}", show_bytes(*bytes)) };
                let problem = format!("{call}{amount} failed: {why}");
                Self::device_memory(
                    gpu,
                    problem,
                    format!("close other programs that use the GPU, or {on_the_cpu}"),
                )
            }
            CudaError::Call { call, about, name, text, .. } => Self::device(
                about,
                format!("the GPU driver's function {call} failed with {name} ({text})"),
                again,
            ),
            CudaError::TooMany { what, count } => Self::device_too_small(
                what,
                format!("{count} items are too many for the indices of a GPU kernel"),
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
        assert!(
            shown.to_string().contains("kernel `f`: the GPU driver's function cuStreamSynchronize failed")
        );
        assert_eq!(shown.to_string().lines().count(), 1);

        let many = Error::from(CudaError::TooMany { what: "columns of a transform", count: 1 << 32 });
        assert_eq!(many.kind(), ErrorKind::DeviceTooSmall);
        let expected = "columns of a transform: 4294967296 items are too many for the indices of a GPU \
                        kernel; use ‘device’ cpu";
        assert_eq!(many.to_string(), expected);
    }
}
