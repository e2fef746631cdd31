use arcuate_compute::{Device, DeviceChoice, parse_bytes};
use arcuate_core::{Error, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::{OnceCell, RefCell};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::time::Instant;

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct GlobalOptions {
    /// Number of processor threads; all by default
    #[arg(long, global = true, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Seed of everything random: the same seed gives the same result at any number of threads
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Where to compute: auto (the first GPU where there is one), cpu, cuda, cuda:1, cuda:0,1
    #[arg(long, global = true, value_name = "DEVICE", default_value = "auto")]
    pub(crate) device: DeviceChoice,
    /// Most memory to use on each GPU, as 2GiB, 512MiB, 1.5GB; what is free by default
    #[arg(long, global = true, value_name = "AMOUNT", value_parser = parse_bytes)]
    pub(crate) device_memory: Option<u64>,
    /// Write over results that are there already
    #[arg(long, global = true)]
    pub(crate) force: bool,
    /// Say nothing but errors
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more; twice for everything
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// What every command has at hand: the device, the seed, and how to speak to the user.
pub(crate) struct Context {
    choice: DeviceChoice,
    device_memory: Option<u64>,
    device: OnceCell<Device>,
    pub(crate) seed: u64,
    pub(crate) force: bool,
    quiet: bool,
    bars: bool,
    timings: RefCell<Vec<(String, f64)>>,
    unsaid: RefCell<Option<std::io::Error>>,
}

impl Context {
    pub(crate) fn new(options: &GlobalOptions) -> Result<Self> {
        if options.device == DeviceChoice::Cpu && options.device_memory.is_some() {
            let problem = "it limits the memory of GPUs, and --device cpu uses none";
            return Err(Error::usage("--device-memory", problem, "leave one of the two out"));
        }
        if let Some(threads) = options.threads {
            if threads == 0 || threads > 4096 {
                let problem = format!("{threads} is not a number of threads");
                return Err(Error::usage("--threads", problem, "give 1 to 4096"));
            }
            rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(|e| {
                Error::usage("--threads", format!("{threads} threads cannot be had ({e})"), "give fewer")
            })?;
        }
        let context = Self {
            choice: options.device.clone(),
            device_memory: options.device_memory,
            device: OnceCell::new(),
            seed: options.seed,
            force: options.force,
            quiet: options.quiet,
            bars: !options.quiet && std::io::stderr().is_terminal(),
            timings: RefCell::new(Vec::new()),
            unsaid: RefCell::new(None),
        };
        // GPUs asked for by number are wanted before any work is done; otherwise who needs none need not wait for one.
        if let DeviceChoice::Cuda(_) = context.choice {
            context.device()?;
        }
        Ok(context)
    }

    /// The device to compute on, opened at the first call: for algorithms that have a GPU half.
    pub(crate) fn device(&self) -> Result<&Device> {
        if let Some(device) = self.device.get() {
            return Ok(device);
        }
        let device = self.choice.open(self.device_memory)?;
        Ok(self.device.get_or_init(|| device))
    }

    /// The device opened so far, or the processor, which did the work until then: for records, and for algorithms that
    /// have no GPU half, which need not open a GPU that nobody asked for by number.
    pub(crate) fn device_so_far(&self) -> &Device {
        self.device.get().unwrap_or(&Device::Cpu)
    }

    /// Does a step, with a spinner while it lasts, and notes how long it took.
    pub(crate) fn step<R>(&self, name: &str, work: impl FnOnce(&ProgressBar) -> Result<R>) -> Result<R> {
        let bar = self.bar(name);
        let started = Instant::now();
        let result = work(&bar);
        let seconds = started.elapsed().as_secs_f64();
        bar.finish_and_clear();
        if result.is_ok() {
            tracing::info!("{name}: {seconds:.2} s");
            self.timings.borrow_mut().push((name.to_owned(), seconds));
        }
        result
    }

    /// Steps done so far with their seconds.
    pub(crate) fn timings(&self) -> Vec<(String, f64)> {
        self.timings.borrow().clone()
    }

    /// A line for the user, on standard output, unless quiet.
    pub(crate) fn say(&self, line: impl std::fmt::Display) {
        if !self.quiet {
            self.print(format_args!("{line}\n"));
        }
    }

    /// Text that was asked for, on standard output, quiet or not. Once that has failed, no more is written.
    pub(crate) fn print(&self, text: impl std::fmt::Display) {
        let mut unsaid = self.unsaid.borrow_mut();
        if unsaid.is_none() {
            *unsaid = write!(std::io::stdout().lock(), "{text}").err();
        }
    }

    /// Fails where standard output could not be written, unless its reader had enough (`arcuate info FILE | head -1`).
    pub(crate) fn finish(&self) -> Result<()> {
        let failed = self.unsaid.take().or_else(|| std::io::stdout().flush().err());
        match failed {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Error::write(Path::new("standard output"), error))
            }
            _ => Ok(()),
        }
    }

    fn bar(&self, name: &str) -> ProgressBar {
        let target = if self.bars { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("a valid template");
        bar.set_style(style);
        bar.set_message(name.to_owned());
        bar.enable_steady_tick(std::time::Duration::from_millis(120));
        bar
    }
}

/// Turns a spinner into a bar of known length and shows how far it is.
pub(crate) fn show_progress(bar: &ProgressBar, done: u64, total: u64) {
    if bar.length() != Some(total) {
        let style = ProgressStyle::with_template("{spinner} {msg} {wide_bar} {percent:>3} % {eta}")
            .expect("a valid template");
        bar.set_style(style);
        bar.set_length(total);
    }
    bar.set_position(done);
}
