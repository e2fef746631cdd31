//! Shows messages of the libraries on standard error. For each command and each stage of a run, the same
//! warning is shown only once.

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

/// Log target of messages which state that the user has to wait for something.
const WAITING: &str = "arcuate::waiting";

/// Installs the handler for log messages. It shows the messages of this process, and passes warnings to the
/// job that is running.
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
        // A message about waiting is shown at the same levels as a warning, but without the word "warning".
        let wait = target == WAITING && self.shown >= Level::WARN;
        if !target.starts_with("arcuate") || (level > self.shown && !wait) {
            return;
        }
        // The message can contain names from files, and therefore any character. Its printable form is one
        // line of limited length.
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
            // An error of this write is ignored, and the work continues.
            let _ = aside(|| writeln!(std::io::stderr(), "{label}{message}"));
        }
    }
}
