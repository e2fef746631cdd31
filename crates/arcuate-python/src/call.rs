//! Settings that all functions of the Python package share: device, number of threads, progress and
//! cancellation.

use crate::errors::{raise, warn};
use arcuate_compute::{Device, DeviceChoice, parse_bytes};
use arcuate_core::{Cancel, Control, Error, Result, threads};
use arcuate_pipeline::host::Host;
use arcuate_pipeline::warnings::{self, WarningList};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

/// Time between two checks of a running function. At each check, Ctrl-C can stop the function, and the
/// progress is reported.
const LOOK: Duration = Duration::from_millis(50);

/// Thread pools, found by process and number of threads. The process matters, because a forked process does
/// not have the threads of its parent.
static POOLS: Mutex<Vec<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(Vec::new());

/// Devices that are already open, with the requested device and memory limit of each.
static DEVICES: Mutex<Vec<(DeviceChoice, Option<u64>, Device)>> = Mutex::new(Vec::new());

/// Identifier of the process that first used a GPU. If no process used a GPU, it is 0.
static OWNER_OF_GPUS: AtomicU32 = AtomicU32::new(0);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Settings of a call.
#[pyclass(frozen, module = "arcuate._arcuate")]
pub(crate) struct Call {
    choice: DeviceChoice,
    device_memory: Option<u64>,
    /// Number of threads. If it is 0, there is one thread per processor.
    threads: usize,
    random_seed: u64,
    progress: Option<Py<PyAny>>,
    /// Number of Python stack frames between the call and the line of the user's code. Warnings refer to this
    /// line.
    frames: i32,
}

#[pymethods]
impl Call {
    #[new]
    fn new(
        device: &str,
        device_memory: Option<&str>,
        threads: Option<usize>,
        random_seed: u64,
        progress: Option<Py<PyAny>>,
        frames: i32,
    ) -> PyResult<Self> {
        let usage =
            |subject: &str, problem: String, advice: &str| raise(Error::usage(subject, problem, advice));
        let choice = device.parse().map_err(|problem| usage("‘device’", problem, "see arcuate.devices()"))?;
        let device_memory = device_memory
            .map(|text| {
                parse_bytes(text).map_err(|problem| usage("‘device_memory’", problem, "give \"2GiB\", say"))
            })
            .transpose()?;
        if let Some(threads) = threads.filter(|threads| !(1..=4096).contains(threads)) {
            return Err(usage(
                "‘threads’",
                format!("{threads} is not a possible number of threads"),
                "give 1 to 4096",
            ));
        }
        Ok(Self { choice, device_memory, threads: threads.unwrap_or(0), random_seed, progress, frames })
    }
}

/// The settings of a call that the running function can use.
pub(crate) struct Work<'a> {
    call: &'a Call,
    pub(crate) control: Control,
}

impl Work<'_> {
    /// Returns the seed of random numbers.
    pub(crate) fn random_seed(&self) -> u64 {
        self.call.random_seed
    }

    /// Opens the device and returns it. A function that cannot use a GPU does not call this.
    pub(crate) fn device(&self) -> Result<Device> {
        opened(&self.call.choice, self.call.device_memory)
    }

    /// Returns Python as the host of a job. The host opens devices and receives the progress of the job.
    pub(crate) fn host(&self) -> PythonHost {
        let Call { choice, device_memory, .. } = self.call;
        PythonHost { choice: choice.clone(), device_memory: *device_memory, control: self.control.clone() }
    }

    /// Returns a function that opens the device. It is for work that may turn out not to need the device.
    pub(crate) fn device_opener(&self) -> impl Fn() -> Result<Device> + 'static {
        let Call { choice, device_memory, .. } = self.call;
        let (choice, device_memory) = (choice.clone(), *device_memory);
        move || opened(&choice, device_memory)
    }
}

/// Python as the host of a job.
pub(crate) struct PythonHost {
    choice: DeviceChoice,
    device_memory: Option<u64>,
    control: Control,
}

impl Host for PythonHost {
    fn open_device(&self) -> Result<Device> {
        opened(&self.choice, self.device_memory)
    }

    fn control(&self) -> Control {
        self.control.clone()
    }

    // Python functions print nothing.
    fn show_message(&self, _line: &str) {}
}

/// Returns an open device. Each device is opened only once in a process.
fn opened(choice: &DeviceChoice, device_memory: Option<u64>) -> Result<Device> {
    let (own, owner) = (std::process::id(), OWNER_OF_GPUS.load(Ordering::Relaxed));
    if *choice != DeviceChoice::Cpu && owner != 0 && owner != own {
        let problem = "this process was forked from one that had begun to use a GPU, and cannot use it";
        let advice = "start processes by multiprocessing's `spawn`, or say ‘device’ cpu";
        return Err(Error::device("‘device’", problem, advice));
    }
    let mut devices = locked(&DEVICES);
    let known = devices.iter().find(|known| known.0 == *choice && known.1 == device_memory);
    if let Some((_, _, device)) = known {
        return Ok(device.clone());
    }
    let device = choice.open(device_memory)?;
    if device != Device::Cpu {
        OWNER_OF_GPUS.store(own, Ordering::Relaxed);
    }
    devices.push((choice.clone(), device_memory, device.clone()));
    Ok(device)
}

/// Returns a thread pool with this number of threads. The global pool of `rayon` is never used. In a forked
/// process, its threads do not exist, and a function would wait for them forever.
pub(crate) fn pool(threads: usize) -> Result<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pools = locked(&POOLS);
    if let Some((_, _, pool)) = pools.iter().find(|known| (known.0, known.1) == (process, threads)) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(|refused| {
        let problem = format!("the threads are not available ({refused})");
        Error::usage(
            "‘threads’",
            problem,
            "use fewer threads, or raise the limits of the operating system for processes and memory",
        )
    })?;
    let pool = Arc::new(pool);
    pools.push((process, threads, Arc::clone(&pool)));
    Ok(pool)
}

impl Call {
    /// Runs `work` in separate threads. During this time, other Python threads can run, Ctrl-C can cancel
    /// `work`, and the progress function is called. Warnings of `work` become Python warnings.
    pub(crate) fn perform<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Work<'_>) -> Result<R> + Send,
    ) -> PyResult<R> {
        static LISTENS: Once = Once::new();
        LISTENS.call_once(|| {
            warnings::listen();
        });
        let pool = pool(self.threads).map_err(raise)?;
        let cancel = Cancel::default();
        let far = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
        let heard = WarningList::default();
        let listening = heard.listen();
        let summary_dict = Arc::clone(&far);
        let control = Control::default()
            .with_progress(move |done, total| {
                summary_dict[0].fetch_max(done, Ordering::Relaxed);
                summary_dict[1].store(total, Ordering::Relaxed);
            })
            .with_cancel(&cancel);
        let job = Work { call: self, control };
        let mut interrupted = None;
        let (sender, receiver) = channel();
        let (of_work, of_pool) = (&job, &pool);
        let result = std::thread::scope(|scope| {
            // Here, the code does not hold Python's global lock. The mutex is needed because it may use only
            // data that several threads can share.
            let receiver = Mutex::new(receiver);
            threads::start_in(std::thread::Builder::new(), scope, move || {
                let work = std::panic::AssertUnwindSafe(|| of_pool.install(|| work(of_work)));
                let result = std::panic::catch_unwind(work);
                // The receiver exists until this result arrives.
                let _ = sender.send(result);
            })?;
            loop {
                let receiver = &receiver;
                match py.detach(|| locked(receiver).recv_timeout(LOOK)) {
                    Ok(result) => return Ok(result),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => unreachable!("the work sends what it comes to"),
                }
                let summary_dict = py.check_signals().and_then(|()| self.tell(py, &far));
                if let (Err(error), None) = (summary_dict, &interrupted) {
                    cancel.set();
                    interrupted = Some(error);
                }
            }
        });
        drop(listening);
        let result = result.map_err(raise)?.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if let Some(error) = interrupted {
            return Err(error);
        }
        let messages = heard.list();
        let value = result.map_err(raise)?;
        self.tell(py, &far)?;
        warn(py, &messages, self.frames)?;
        Ok(value)
    }

    /// Calls the progress function.
    fn tell(&self, py: Python<'_>, far: &[AtomicU64; 2]) -> PyResult<()> {
        let [done, total] = [0, 1].map(|n| far[n].load(Ordering::Relaxed));
        match &self.progress {
            Some(progress) if total > 0 => progress.call1(py, (done, total)).map(|_| ()),
            _ => Ok(()),
        }
    }
}
