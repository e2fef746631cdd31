//! What the libraries say through `tracing`: on standard error for the user, and kept for the report.

use crate::context::GlobalOptions;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Mutex;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry;
use tracing_subscriber::util::SubscriberInitExt;

static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Begins to listen.
pub(crate) fn install(options: &GlobalOptions) {
    let shown = match (options.quiet, options.verbose) {
        (true, _) => Level::ERROR,
        (false, 0) => Level::WARN,
        (false, 1) => Level::INFO,
        (false, _) => Level::DEBUG,
    };
    registry().with(Speak { shown }).init();
}

/// The warnings so far, each once, in order.
pub(crate) fn collected() -> Vec<String> {
    WARNINGS.lock().map(|list| list.clone()).unwrap_or_default()
}

struct Speak {
    shown: Level,
}

impl<S: Subscriber> Layer<S> for Speak {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = *event.metadata().level();
        let ours = event.metadata().target().starts_with("arcuate");
        if !ours || (level > self.shown && level > Level::WARN) {
            return;
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        // Names from files can hold anything; a warning is one line.
        message.0 = message.0.replace(char::is_control, "?");
        if level <= self.shown {
            let label = match level {
                Level::ERROR => "error: ",
                Level::WARN => "warning: ",
                _ => "",
            };
            // Where nobody listens, the work goes on.
            let _ = writeln!(std::io::stderr(), "{label}{}", message.0);
        }
        if level == Level::WARN
            && let Ok(mut list) = WARNINGS.lock()
            && !list.contains(&message.0)
        {
            list.push(message.0);
        }
    }
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let written = if field.name() == "message" {
            write!(self.0, "{value:?}")
        } else {
            write!(self.0, " {}={value:?}", field.name())
        };
        written.expect("writing to a string succeeds");
    }
}
