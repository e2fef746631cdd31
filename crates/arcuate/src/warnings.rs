//! What the libraries say through `tracing`: on standard error for the user, each warning once for each command and each stage
//! of a run, and for the records of all of them that it was said to.

use crate::global_options::GlobalOptions;
use crate::parameters::text_in_options;
use crate::progress::aside;
use arcuate_core::printable;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry;
use tracing_subscriber::util::SubscriberInitExt;

/// Longest message, in characters: as long as an error's parts together.
const LONGEST: usize = 3000;

/// The target of messages about something that the user waits for.
const WAITING: &str = "arcuate::waiting";

/// Those who listen: a command, and within it the stage that is at work.
static LISTENERS: Mutex<Vec<Heard>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a part of the work gave, each once, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heard {
    warnings: Arc<Mutex<Vec<String>>>,
    /// What the user was shown on its behalf, where it is a command or a stage.
    shown: Option<Arc<Mutex<Vec<String>>>>,
}

impl Heard {
    /// That of a command or a stage: the user is shown what is new to it.
    pub(crate) fn of_command() -> Self {
        Self { shown: Some(Arc::default()), ..Self::default() }
    }

    /// Hears, with all who listen already, what is said until the answer is dropped.
    pub(crate) fn listen(&self) -> Listening {
        let mut listeners = locked(&LISTENERS);
        listeners.push(self.clone());
        Listening { before: listeners.len() - 1 }
    }

    /// What was heard so far.
    pub(crate) fn list(&self) -> Vec<String> {
        locked(&self.warnings).clone()
    }

    fn hear(&self, warning: &str) {
        note(&self.warnings, warning);
    }
}

/// Adds what is not in a list yet; answers whether it was not.
fn note(list: &Mutex<Vec<String>>, message: &str) -> bool {
    let mut list = locked(list);
    let is_new = !list.iter().any(|known| known == message);
    if is_new {
        list.push(message.to_owned());
    }
    is_new
}

/// Whether the user has not been shown a message for the command or stage that is at work; from now on they have, and need not
/// be for those that it is a part of.
fn is_new_to_the_user(message: &str) -> bool {
    let listeners = locked(&LISTENERS);
    let of_all = listeners.iter().filter_map(|heard| heard.shown.as_ref());
    // That of the innermost is the answer.
    of_all.fold(true, |_, shown| note(shown, message))
}

/// As long as it lives somebody listens.
#[must_use]
pub(crate) struct Listening {
    before: usize,
}

impl Listening {
    /// Until the program ends.
    pub(crate) fn for_good(self) {
        std::mem::forget(self);
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        locked(&LISTENERS).truncate(self.before);
    }
}

/// Says warnings again to those who listen now, not to the user: of work that was done once for several commands.
pub(crate) fn repeat(warnings: &[String]) {
    for warning in warnings {
        hear(warning);
    }
}

fn hear(warning: &str) {
    for heard in locked(&LISTENERS).iter() {
        heard.hear(warning);
    }
}

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

struct Speak {
    shown: Level,
}

impl<S: Subscriber> Layer<S> for Speak {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = *event.metadata().level();
        let target = event.metadata().target();
        // What the user waits for is told like a warning, and is none.
        let wait = target == WAITING && self.shown >= Level::WARN;
        if !target.starts_with("arcuate") || (level > self.shown && level > Level::WARN && !wait) {
            return;
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        // Names from files can hold anything; a warning is one line, and not of megabytes.
        message.0 = printable(&text_in_options(&message.0), LONGEST);
        if level == Level::WARN {
            hear(&message.0);
        }
        let once = wait || level == Level::WARN;
        if (wait || level <= self.shown) && (!once || is_new_to_the_user(&message.0)) {
            let label = match level {
                Level::ERROR => "error: ",
                Level::WARN => "warning: ",
                _ => "",
            };
            // Where nobody listens, the work goes on.
            let _ = aside(|| writeln!(std::io::stderr(), "{label}{}", message.0));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_shown_once_for_each_stage_and_heard_by_all() {
        // No other test of this program listens.
        let (command, first, second) = (Heard::of_command(), Heard::of_command(), Heard::of_command());
        let aside = Heard::default();
        let say = |message: &str| {
            hear(message);
            is_new_to_the_user(message)
        };
        let _all = command.listen();
        {
            let _stage = first.listen();
            // Whoever keeps warnings for later shows them to nobody.
            let _kept = aside.listen();
            assert!(say("low signal") && !say("low signal"));
        }
        {
            let _stage = second.listen();
            assert!(say("low signal") && say("no gradient") && !say("low signal"));
        }
        assert!(!say("low signal") && say("few seeds"));
        assert_eq!(command.list(), ["low signal", "no gradient", "few seeds"]);
        assert_eq!(second.list(), ["low signal", "no gradient"]);
        assert_eq!(
            (first.list(), aside.list()),
            (vec!["low signal".to_owned()], vec!["low signal".to_owned()])
        );
    }
}
