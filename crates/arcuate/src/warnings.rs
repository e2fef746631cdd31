//! Messages of the libraries on standard error. Each warning is shown once for each command and each stage of a run.

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

/// The target of messages about something that the user waits for.
const WAITING: &str = "arcuate::waiting";

/// From now on messages of this process are shown, and jobs get its warnings.
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
        // A message about waiting is shown like a warning, and is none.
        let wait = target == WAITING && self.shown >= Level::WARN;
        if !target.starts_with("arcuate") || (level > self.shown && !wait) {
            return;
        }
        // Names from files can hold anything; a warning is one line, and not of megabytes.
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
            // Where nobody listens, the work goes on.
            let _ = aside(|| writeln!(std::io::stderr(), "{label}{message}"));
        }
    }
}
