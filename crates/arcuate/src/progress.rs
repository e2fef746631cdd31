//! Shows the progress of a command. On a terminal, it is a spinner, or a bar if the total amount of work is
//! known. In a log, one line is written when a step of the work begins, and then one line every 30 seconds.

use arcuate_core::{Cancel, Control, Error, Result, printable_lines, threads};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Default time between two lines of a log, in seconds. The environment variable `ARCUATE_LOG_INTERVAL`
/// overrides it.
const INTERVAL: f64 = 30.0;
const INTERVAL_VARIABLE: &str = "ARCUATE_LOG_INTERVAL";
/// Time between two updates of a spinner.
const TURN: Duration = Duration::from_millis(120);
/// Fraction of the work that must be done before the remaining time is estimated.
const TELLING: f64 = 0.005;

/// The steps of the work whose progress is shown. Each step in the list is a part of the step before it.
static SHOWN: Mutex<Vec<Progress>> = Mutex::new(Vec::new());

/// Cancels the running library call.
static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::default);

/// Returns the handle that cancels the running function of the libraries. The command then ends.
pub(crate) fn cancel() -> &'static Cancel {
    &CANCEL
}

fn shown() -> MutexGuard<'static, Vec<Progress>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Destination of the progress of a command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Screen {
    /// Progress is not shown.
    None,
    /// The progress is shown on standard error, which is a terminal.
    Terminal,
    /// The progress is written to standard error as lines of a log.
    Log { interval: Duration },
    /// The progress is written to standard output as lines of a log. No line is written when a step begins.
    /// This is for callers that treat any text on standard error as a failure.
    Output { interval: Duration },
}

impl Screen {
    /// Returns the destination for a command.
    pub(crate) fn of(is_quiet: bool) -> Result<Self> {
        if is_quiet {
            return Ok(Self::None);
        }
        let interval = interval()?;
        Ok(if std::io::stderr().is_terminal() { Self::Terminal } else { Self::Log { interval } })
    }

    /// Returns where to show the progress of a command that may print only errors on standard error.
    pub(crate) fn without_errors() -> Result<Self> {
        let interval = interval()?;
        Ok(if std::io::stderr().is_terminal() { Self::Terminal } else { Self::Output { interval } })
    }
}

/// Returns the time between two lines that report the progress in a log.
fn interval() -> Result<Duration> {
    let Some(text) = std::env::var_os(INTERVAL_VARIABLE).filter(|text| !text.is_empty()) else {
        return Ok(Duration::from_secs_f64(INTERVAL));
    };
    let text = text.to_string_lossy();
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds >= 0.01);
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or_else(|| {
        let problem = format!("`{text}` is not a number of seconds of at least 0.01");
        Error::usage(
            INTERVAL_VARIABLE,
            problem,
            "give the seconds between two lines of the log, or unset \
                                                  the variable",
        )
    })
}

/// Progress of a step.
#[derive(Debug, Clone)]
struct Progress {
    bar: ProgressBar,
    /// `done` is the amount of work that is done. `total` is the total amount of work, or 0 if it is unknown.
    done: Arc<AtomicU64>,
    total: Arc<AtomicU64>,
    /// True if the running function of the libraries has reported progress. It can then also be cancelled.
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

    /// Sets the amount of work that is done, and the total amount. If the total becomes known, the spinner
    /// becomes a bar.
    fn show(&self, done: u64, total: u64) {
        if self.total.swap(total, Ordering::Relaxed) != total {
            self.bar.set_style(style("{spinner} {msg} {wide_bar} {percent:>3} % {eta}"));
            self.bar.set_length(total);
        }
        // Several threads report progress, so a later report can be smaller than an earlier one.
        let before = self.done.fetch_max(done, Ordering::Relaxed);
        self.bar.set_position(before.max(done));
    }

    /// Returns the progress as text. `elapsed` is the time since the step began.
    fn status_text(&self, elapsed: Duration) -> String {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        if total == 0 {
            return format!("{} so far", HumanDuration(elapsed));
        }
        let share = (done as f64 / total as f64).min(1.0);
        // The percentage is rounded down, so that it never is 100 % before the work is done.
        let percent = (100.0 * share).floor();
        if share < TELLING {
            return format!("{percent} %, {} so far", HumanDuration(elapsed));
        }
        let left = elapsed.mul_f64((1.0 - share) / share);
        format!("{percent} %, {} left", HumanDuration(left))
    }
}

#[expect(clippy::expect_used, reason = "both templates are constants, and a test shows them")]
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("a valid template")
}

/// A step of the work whose progress is shown until this value is dropped.
pub(crate) struct Shown {
    progress: Progress,
    thread: Option<JoinHandle<()>>,
}

impl Shown {
    /// Shows a step of a command.
    pub(crate) fn begin(command: &str, name: &str, screen: Screen) -> Self {
        let progress = Progress::new(name, screen);
        let thread = match screen {
            Screen::None => None,
            Screen::Terminal => {
                // Draws the spinner once, so that it exists before a message is printed above it.
                progress.bar.tick();
                turn(progress.bar.clone())
            }
            Screen::Log { interval } => {
                let line = printable_lines(&format!("arcuate {command}: {name}"));
                // An error of this write is ignored, and the work continues.
                let _ = writeln!(std::io::stderr(), "{line}");
                log(&progress, interval, move |words| {
                    let _ = writeln!(std::io::stderr(), "{line}: {words}");
                })
            }
            Screen::Output { interval } => {
                let line = printable_lines(&format!("{command}: {name}"));
                log(&progress, interval, move |words| {
                    let mut output = std::io::stdout();
                    // Standard output is buffered. The line is flushed, so that it appears at once.
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
            // The thread cannot fail.
            let _ = thread.join();
        }
    }
}

/// Starts a thread that redraws the spinner of `bar` until `bar` is finished. If the thread cannot be
/// started, the spinner does not move. The progress bar library has such a thread too, but the program would
/// end if that thread could not be started.
fn turn(bar: ProgressBar) -> Option<JoinHandle<()>> {
    let turn = move || {
        while !bar.is_finished() {
            std::thread::park_timeout(TURN);
            bar.tick();
        }
    };
    threads::start(turn).ok()
}

/// Starts a thread that reports the progress at regular intervals until the step is finished. If the thread
/// cannot be started, the progress is not reported.
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
                say(&progress.status_text(started.elapsed()));
                next = Instant::now() + interval;
            } else {
                std::thread::park_timeout(left);
            }
        }
    };
    threads::start(work).ok()
}

/// Returns a control for functions of the libraries. It updates the progress of the current step. If the
/// program receives a stop signal, it cancels the function.
pub(crate) fn control() -> Control {
    Control::default().with_cancel(cancel()).with_progress(|done, total| {
        if let Some(progress) = shown().last() {
            progress.is_controlled.store(true, Ordering::Relaxed);
            progress.show(done, total);
        }
    })
}

/// Renames the current step on a terminal.
pub(crate) fn rename(name: &str) {
    if let Some(progress) = shown().last() {
        progress.bar.set_message(printable_lines(name));
    }
}

/// True if a function of the libraries is running that can be cancelled.
pub(crate) fn can_be_cancelled() -> bool {
    shown().last().is_some_and(|progress| progress.is_controlled.load(Ordering::Relaxed))
}

/// Hides the progress bar while `write` prints text.
pub(crate) fn aside<R>(write: impl FnOnce() -> R) -> R {
    let bar = shown().last().map(|progress| progress.bar.clone());
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Removes the progress bar from the terminal, if the program ends before its work is done.
pub(crate) fn clear() {
    for progress in shown().iter() {
        progress.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_text_states_percentage_and_remaining_time() {
        let progress = Progress::new("sample", Screen::None);
        let after = |seconds: u64| progress.status_text(Duration::from_secs(seconds));
        assert_eq!(after(45), "45 seconds so far");
        progress.show(0, 2000);
        assert_eq!(after(60), "0 %, 60 seconds so far");
        progress.show(500, 2000);
        assert_eq!(after(60), "25 %, 3 minutes left");
        // A thread reported its progress late.
        progress.show(499, 2000);
        assert_eq!(after(60), "25 %, 3 minutes left");
        progress.show(1999, 2000);
        assert_eq!(after(4000), "99 %, 2 seconds left");
    }
}
