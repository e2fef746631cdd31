//! How far the work is: on a terminal a spinner, or a bar where it is known how much there is to do; elsewhere, in a log, a line
//! when a part of the work begins and one every half minute as long as it lasts.

use arcuate_core::{Cancel, Control, Error, Result, printable_lines, threads};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Seconds between two lines of a log; the variable says another number.
const INTERVAL: f64 = 30.0;
const INTERVAL_VARIABLE: &str = "ARCUATE_LOG_INTERVAL";
/// Between two turns of a spinner.
const TURN: Duration = Duration::from_millis(120);
/// From this share on the time that is left can be told.
const TELLING: f64 = 0.005;

/// The parts of the work that are shown now, the last one within those before it.
static SHOWN: Mutex<Vec<Progress>> = Mutex::new(Vec::new());

/// What ends the call that is at work.
static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::default);

/// What ends the call that is at work, and the command after it.
pub(crate) fn cancel() -> &'static Cancel {
    &CANCEL
}

fn shown() -> MutexGuard<'static, Vec<Progress>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the progress of a command is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Screen {
    /// Nowhere.
    None,
    /// On a terminal at standard error.
    Terminal,
    /// In a log, at standard error.
    Log { interval: Duration },
    /// In a log at standard output, without a line when a part begins: for callers who take any word on standard error for a
    /// failure.
    Output { interval: Duration },
}

impl Screen {
    /// That of a command.
    pub(crate) fn of(is_quiet: bool) -> Result<Self> {
        if is_quiet {
            return Ok(Self::None);
        }
        let interval = interval()?;
        Ok(if std::io::stderr().is_terminal() { Self::Terminal } else { Self::Log { interval } })
    }

    /// That of a command whose standard error is for errors alone.
    pub(crate) fn without_errors() -> Result<Self> {
        let interval = interval()?;
        Ok(if std::io::stderr().is_terminal() { Self::Terminal } else { Self::Output { interval } })
    }
}

/// The time between two lines of a log.
fn interval() -> Result<Duration> {
    let Some(text) = std::env::var_os(INTERVAL_VARIABLE).filter(|text| !text.is_empty()) else {
        return Ok(Duration::from_secs_f64(INTERVAL));
    };
    let text = text.to_string_lossy();
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds >= 0.01);
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or_else(|| {
        let problem = format!("`{text}` is no number of seconds from 0.01 on");
        Error::usage(INTERVAL_VARIABLE, problem, "give the seconds between two lines of a log, or unset it")
    })
}

/// How far a part of the work is.
#[derive(Debug, Clone)]
struct Progress {
    bar: ProgressBar,
    /// How much is done, and of how much; of 0 where that is not known.
    done: Arc<AtomicU64>,
    total: Arc<AtomicU64>,
    /// Whether the work is a call that has told how far it is, and so looks whether it shall end.
    is_controlled: Arc<AtomicBool>,
}

impl Progress {
    fn new(name: &str, screen: Screen) -> Self {
        let target = match screen {
            Screen::Terminal => ProgressDrawTarget::stderr(),
            _ => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(style("{spinner} {msg} {elapsed}"));
        bar.set_message(printable_lines(name));
        Self { bar, done: Arc::default(), total: Arc::default(), is_controlled: Arc::default() }
    }

    /// Notes how much is done, and of how much; the spinner becomes a bar.
    fn show(&self, done: u64, total: u64) {
        if self.total.swap(total, Ordering::Relaxed) != total {
            self.bar.set_style(style("{spinner} {msg} {wide_bar} {percent:>3} % {eta}"));
            self.bar.set_length(total);
        }
        // What threads say last need not be the most.
        let before = self.done.fetch_max(done, Ordering::Relaxed);
        self.bar.set_position(before.max(done));
    }

    /// How far it is, after so much time.
    fn in_words(&self, elapsed: Duration) -> String {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        if total == 0 {
            return format!("{} so far", HumanDuration(elapsed));
        }
        let share = (done as f64 / total as f64).min(1.0);
        // Down, so that nothing unfinished is at 100 %.
        let percent = (100.0 * share).floor();
        if share < TELLING {
            return format!("{percent} %, {} so far", HumanDuration(elapsed));
        }
        let left = elapsed.mul_f64((1.0 - share) / share);
        format!("{percent} %, {} left", HumanDuration(left))
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a valid template")
}

/// A part of the work that is shown until this is dropped.
pub(crate) struct Shown {
    progress: Progress,
    thread: Option<JoinHandle<()>>,
}

impl Shown {
    /// Shows a part of the work of a command.
    pub(crate) fn begin(command: &str, name: &str, screen: Screen) -> Self {
        let progress = Progress::new(name, screen);
        let thread = match screen {
            Screen::None => None,
            Screen::Terminal => {
                // Before anything is said above it.
                progress.bar.tick();
                turn(progress.bar.clone())
            }
            Screen::Log { interval } => {
                let line = printable_lines(&format!("arcuate {command}: {name}"));
                // Where nobody listens, the work goes on.
                let _ = writeln!(std::io::stderr(), "{line}");
                log(&progress, interval, move |words| {
                    let _ = writeln!(std::io::stderr(), "{line}: {words}");
                })
            }
            Screen::Output { interval } => {
                let line = printable_lines(&format!("{command}: {name}"));
                log(&progress, interval, move |words| {
                    let mut output = std::io::stdout();
                    // Not before the buffer is full otherwise.
                    let _ = writeln!(output, "{line}: {words}").and_then(|()| output.flush());
                })
            }
        };
        shown().push(progress.clone());
        Self { progress, thread }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        shown().pop();
        self.progress.bar.finish_and_clear();
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It does nothing that could fail.
            let _ = thread.join();
        }
    }
}

/// A thread that turns a spinner until it is finished. Where none can be had, the spinner stands still: the bar's own would end the
/// program.
fn turn(bar: ProgressBar) -> Option<JoinHandle<()>> {
    let turn = move || {
        while !bar.is_finished() {
            std::thread::park_timeout(TURN);
            bar.tick();
        }
    };
    threads::start(turn).ok()
}

/// A thread that says how far the work is every so often until it is finished. Where none can be had, nothing is said.
fn log(
    progress: &Progress,
    interval: Duration,
    say: impl Fn(&str) + Send + 'static,
) -> Option<JoinHandle<()>> {
    let progress = progress.clone();
    let started = Instant::now();
    let work = move || {
        let mut next = started + interval;
        while !progress.bar.is_finished() {
            let left = next.saturating_duration_since(Instant::now());
            if left.is_zero() {
                say(&progress.in_words(started.elapsed()));
                next = Instant::now() + interval;
            } else {
                std::thread::park_timeout(left);
            }
        }
    };
    threads::start(work).ok()
}

/// Holds a call of a library: the part of the work that is shown now shows how far it is, and who tells the program to stop ends it.
pub(crate) fn control() -> Control {
    Control::default().with_cancel(cancel()).with_progress(|done, total| {
        if let Some(progress) = shown().last() {
            progress.is_controlled.store(true, Ordering::Relaxed);
            progress.show(done, total);
        }
    })
}

/// Gives the step that is shown now another name on a terminal.
pub(crate) fn rename(name: &str) {
    if let Some(progress) = shown().last() {
        progress.bar.set_message(printable_lines(name));
    }
}

/// Whether a call is at work that ends when it is cancelled.
pub(crate) fn can_be_cancelled() -> bool {
    shown().last().is_some_and(|progress| progress.is_controlled.load(Ordering::Relaxed))
}

/// Does what writes on the screen while no bar stands in its way.
pub(crate) fn aside<R>(write: impl FnOnce() -> R) -> R {
    let bar = shown().last().map(|progress| progress.bar.clone());
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Removes what is shown, where the program ends before the work does.
pub(crate) fn clear() {
    for progress in shown().iter() {
        progress.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_and_time_left_are_said_in_words() {
        let progress = Progress::new("sample", Screen::None);
        let after = |seconds: u64| progress.in_words(Duration::from_secs(seconds));
        assert_eq!(after(45), "45 seconds so far");
        progress.show(0, 2000);
        assert_eq!(after(60), "0 %, 60 seconds so far");
        progress.show(500, 2000);
        assert_eq!(after(60), "25 %, 3 minutes left");
        // One thread said it late.
        progress.show(499, 2000);
        assert_eq!(after(60), "25 %, 3 minutes left");
        progress.show(1999, 2000);
        assert_eq!(after(4000), "99 %, 2 seconds left");
    }
}
