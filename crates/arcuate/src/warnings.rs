//! Messages of the libraries on standard error. Each warning is shown once for each command and each stage of
//! a run.

use crate::global_options::GlobalOptions;
use crate::parameters::text_in_options;
use crate::progress::aside;
use arcuate_core::printable;
use arcuate_pipeline::log_file::LogFile;
use arcuate_pipeline::warnings::{LONGEST, WarningLayer, is_new_to_the_user, message_of};
use std::io::Write as _;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry;
use tracing_subscriber::util::SubscriberInitExt;

/// Target of messages about something the user waits for.
const WAITING: &str = "arcuate::waiting";

/// Installs the handler that shows messages of this process and passes warnings to jobs.
pub(crate) fn install(options: &GlobalOptions, log: Option<LogFile>) {
    let shown = match (options.quiet, options.verbose) {
        (true, _) => Level::ERROR,
        (false, 0) => Level::WARN,
        (false, 1) => Level::INFO,
        (false, _) => Level::DEBUG,
    };
    registry().with(WarningLayer).with(Speak { shown, log }).init();
}

struct Speak {
    shown: Level,
    log: Option<LogFile>,
}

impl<S: Subscriber> Layer<S> for Speak {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = *event.metadata().level();
        let target = event.metadata().target();
        // A message about waiting is shown like a warning but is not one.
        let wait = target == WAITING && self.shown >= Level::WARN;
        if !target.starts_with("arcuate") || (level > self.shown && !wait) {
            return;
        }
        // Names from files can contain anything. A warning is one line of limited length.
        let message = printable(&text_in_options(&message_of(event)), LONGEST);
        let once = wait || level == Level::WARN;
        if !once || is_new_to_the_user(&message) {
            let label = match level {
                Level::ERROR => "error: ",
                Level::WARN => "warning: ",
                _ => "",
            };
            if let Some(log) = &self.log {
                log.note(&format!("{label}{message}"));
            }
            // If standard error cannot be written, the work continues.
            let _ = aside(|| writeln!(std::io::stderr(), "{label}{message}"));
        }
    }
}
