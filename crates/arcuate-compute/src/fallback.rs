use crate::bytes::show_bytes;
use crate::cuda::Gpu;
use crate::device::Device;
use arcuate_core::{Error, ErrorKind, Result};

/// If this environment variable is `1`, work is not repeated on the CPU or in smaller pieces after a GPU
/// failure. Tests set the variable, so that a broken kernel is reported and not hidden.
const FORBIDDEN: &str = "ARCUATE_NO_FALLBACK";

/// Returns whether work may be repeated on the CPU or in smaller pieces after a GPU failure. This is allowed
/// unless the environment variable `ARCUATE_NO_FALLBACK` is 1.
pub fn fallback_is_allowed() -> bool {
    std::env::var_os(FORBIDDEN).is_none_or(|value| value != "1")
}

/// Warns once that work continues in a different manner after a GPU failure, for example on the CPU.
/// `onwards` describes this for the warning. Callers that cannot return the GPU's error use this function.
///
/// # Panics
/// Panics with the GPU's error if [fallbacks are forbidden](fallback_is_allowed).
pub fn fall_back(error: &Error, onwards: &str) {
    assert!(fallback_is_allowed(), "{error} ({FORBIDDEN} is set: no {onwards})");
    tracing::warn!("{error}; {onwards}");
}

/// Runs `work` on a device with any amount of GPU memory. If GPU memory is exhausted, the work is repeated
/// with half of the memory; if that fails too, it is repeated on the CPU. If the smallest pieces of the work
/// do not fit, or if the GPU or driver fails, the work is repeated on the CPU at once. Each repetition gives
/// one warning, which begins with `what`. Errors of other kinds are returned. If [fallbacks are
/// forbidden](fallback_is_allowed), errors of the GPU are returned too.
///
/// `work` gets the device to use, and should use at most the memory that [`Device::budget`] of this device
/// reports. Each attempt starts from the beginning and keeps nothing of earlier attempts.
pub fn with_fallback<R>(what: &str, device: &Device, work: impl FnMut(&Device) -> Result<R>) -> Result<R> {
    let Device::Cuda(gpus) = device else {
        return retreat(what, device, None, || Device::Cpu, work);
    };
    if !fallback_is_allowed() {
        return retreat(what, device, None, || Device::Cpu, work);
    }
    // The memory budget of the GPUs is queried before the work allocates memory, since a second attempt may
    // use half of this budget. If a GPU cannot report its memory, the work itself fails.
    let half = gpus.budget().map_or(0, |budget| budget / 2);
    let smaller = || {
        // The memory limit applies to all buffers of a GPU. So the bytes of the buffers that exist already
        // are added.
        let held = gpus.iter().map(Gpu::allocated_bytes).max().unwrap_or(0);
        Device::Cuda(gpus.with_memory_cap(Some(held.saturating_add(half))))
    };
    retreat(what, device, Some((show_bytes(half), &smaller)), || Device::Cpu, work)
}

/// Runs `work` on the device `first`. If its memory is exhausted, runs the work on the device `smaller`. If a
/// device still has too little memory, or if a device fails, runs the work on the device `last_resort`.
/// `smaller` also has a description of its amount of memory. If `smaller` is `None`, the result of `first` is
/// returned.
fn retreat<D, R>(
    what: &str,
    first: &D,
    smaller: Option<(String, &dyn Fn() -> D)>,
    last_resort: impl FnOnce() -> D,
    mut work: impl FnMut(&D) -> Result<R>,
) -> Result<R> {
    let mut done = work(first);
    let Some((memory, smaller)) = smaller else { return done };
    if let Err(error) = &done
        && error.kind() == ErrorKind::DeviceMemory
    {
        tracing::warn!(
            "{what}: GPU memory ran out ({}); this step is repeated in smaller pieces, with at most {memory} \
             of new GPU memory",
            error.problem()
        );
        done = work(&smaller());
    }
    match done {
        Err(error) if matches!(error.kind(), ErrorKind::DeviceMemory | ErrorKind::DeviceTooSmall) => {
            tracing::warn!(
                "{what}: the GPU has too little memory ({}); using the CPU instead",
                error.problem()
            );
            work(&last_resort())
        }
        Err(error) if error.kind() == ErrorKind::Device => {
            tracing::warn!("{what}: the GPU failed ({}); using the CPU instead", error.problem());
            work(&last_resort())
        }
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Error;
    use std::sync::{Arc, Mutex};

    /// The outcome of one attempt to do the work.
    #[derive(Clone, Copy)]
    enum Outcome {
        Done,
        NoMemory,
        TooSmall,
        Fault,
        Invalid,
    }
    use Outcome::{Done, Fault, Invalid, NoMemory, TooSmall};

    /// Runs work whose first, second and further attempts have these outcomes. Returns the device that did
    /// the work (or the kind of the final error), the devices that were tried, and the warnings.
    fn run(
        outcomes: &[Outcome],
    ) -> (std::result::Result<&'static str, ErrorKind>, Vec<&'static str>, String) {
        let mut tried = Vec::new();
        let messages = Sink::default();
        let sink = messages.clone();
        let subscriber = tracing_subscriber::fmt()
            .without_time()
            .with_target(false)
            .with_ansi(false)
            .with_writer(move || sink.clone())
            .finish();
        let done = tracing::subscriber::with_default(subscriber, || {
            let smaller = ("1.00 GiB".to_owned(), &(|| "half") as &dyn Fn() -> &'static str);
            retreat(
                "fit",
                &"gpu",
                Some(smaller),
                || "cpu",
                |device| {
                    tried.push(*device);
                    match outcomes[tried.len() - 1] {
                        Done => Ok(*device),
                        NoMemory => Err(Error::device_memory("gpu", "3 GiB were refused", "wait")),
                        TooSmall => Err(Error::device_too_small("gpu", "5 GiB are needed", "wait")),
                        Fault => Err(Error::device("gpu", "a fault", "report it")),
                        Invalid => Err(Error::invalid("data", "no number", "mend them")),
                    }
                },
            )
        });
        let messages = String::from_utf8(messages.0.lock().unwrap().clone()).unwrap();
        (done.map_err(|error| error.kind()), tried, messages)
    }

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    const SMALLER: &str = " WARN fit: GPU memory ran out (3 GiB were refused); this step is repeated in \
                           smaller pieces, with at most 1.00 GiB of new GPU memory\n";

    #[test]
    fn work_that_fits_runs_once_without_messages() {
        assert_eq!(run(&[Done]), (Ok("gpu"), vec!["gpu"], String::new()));
    }

    #[test]
    fn work_without_memory_retries_with_half_and_then_on_the_cpu() {
        assert_eq!(run(&[NoMemory, Done]), (Ok("half"), vec!["gpu", "half"], SMALLER.to_owned()));
        let cpu = " WARN fit: the GPU has too little memory (3 GiB were refused); using the CPU instead\n";
        let messages = format!("{SMALLER}{cpu}");
        assert_eq!(run(&[NoMemory, NoMemory, Done]), (Ok("cpu"), vec!["gpu", "half", "cpu"], messages));
    }

    #[test]
    fn work_too_large_for_the_gpu_runs_on_the_cpu_immediately() {
        let cpu = " WARN fit: the GPU has too little memory (5 GiB are needed); using the CPU instead\n";
        assert_eq!(run(&[TooSmall, Done]), (Ok("cpu"), vec!["gpu", "cpu"], cpu.to_owned()));
        let messages = format!("{SMALLER}{cpu}");
        assert_eq!(run(&[NoMemory, TooSmall, Done]), (Ok("cpu"), vec!["gpu", "half", "cpu"], messages));
    }

    #[test]
    fn work_that_fails_on_a_gpu_runs_on_the_cpu_immediately() {
        let cpu = " WARN fit: the GPU failed (a fault); using the CPU instead\n";
        assert_eq!(run(&[Fault, Done]), (Ok("cpu"), vec!["gpu", "cpu"], cpu.to_owned()));
        let messages = format!("{SMALLER}{cpu}");
        assert_eq!(run(&[NoMemory, Fault, Done]), (Ok("cpu"), vec!["gpu", "half", "cpu"], messages));
    }

    #[test]
    fn other_errors_are_returned_immediately() {
        assert_eq!(run(&[Invalid]), (Err(ErrorKind::Invalid), vec!["gpu"], String::new()));
        assert_eq!(
            run(&[NoMemory, Invalid]),
            (Err(ErrorKind::Invalid), vec!["gpu", "half"], SMALLER.to_owned())
        );
    }

    #[test]
    fn the_cpu_has_no_fallback() {
        let mut tries = 0;
        let done: Result<()> = with_fallback("fit", &Device::Cpu, |device| {
            tries += 1;
            assert_eq!(*device, Device::Cpu);
            Err(Error::device_memory("gpu", "3 GiB were refused", "wait"))
        });
        assert_eq!((done.unwrap_err().kind(), tries), (ErrorKind::DeviceMemory, 1));
    }
}
