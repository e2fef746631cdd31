//! Warnings of the libraries. All warnings go to `tracing`, and from there into the lists of jobs.
//!
//! A program with its own subscriber adds a [`WarningLayer`] to it. A program without a subscriber calls
//! [`listen`]. The command line has a subscriber that also shows the warnings.

use arcuate_core::printable;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry;
use tracing_subscriber::util::SubscriberInitExt;

/// Maximum length of a message, in characters. It equals the maximum length of all parts of an error.
pub const LONGEST: usize = 3000;

/// Lists that receive warnings: the list of the job, then the list of its current stage.
static LISTENERS: Mutex<Vec<WarningList>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Warnings of a part of the work, in order and without duplicates.
#[derive(Debug, Clone, Default)]
pub struct WarningList {
    warnings: Arc<Mutex<Vec<String>>>,
    /// Messages that the user was shown during a job or a stage.
    shown: Option<Arc<Mutex<Vec<String>>>>,
}

impl WarningList {
    /// Creates the list of a job, which tracks the messages that the user was shown.
    pub fn of_job() -> Self {
        Self { shown: Some(Arc::default()), ..Self::default() }
    }

    /// Also adds the warnings of the process to this list, until the result is dropped.
    pub fn listen(&self) -> Listening {
        locked(&LISTENERS).push(self.clone());
        Listening { list: self.clone() }
    }

    /// Returns the warnings so far.
    pub fn list(&self) -> Vec<String> {
        locked(&self.warnings).clone()
    }

    /// Removes all warnings.
    pub fn clear(&self) {
        locked(&self.warnings).clear();
    }

    /// Adds a warning, unless the list already contains it.
    fn add(&self, warning: &str) {
        note(&self.warnings, warning);
    }
}

/// Adds a message to a list. Returns true if the message was new.
fn note(list: &Mutex<Vec<String>>, message: &str) -> bool {
    let mut list = locked(list);
    let is_new = !list.iter().any(|known| known == message);
    if is_new {
        list.push(message.to_owned());
    }
    is_new
}

/// Notes that a message is shown. Returns true if the message was not shown before during the current job or
/// stage. The enclosing jobs do not need to show it again.
pub fn is_new_to_the_user(message: &str) -> bool {
    let listeners = locked(&LISTENERS);
    let of_all = listeners.iter().filter_map(|list| list.shown.as_ref());
    // The list of the innermost stage decides whether the message is new.
    of_all.fold(true, |_, shown| note(shown, message))
}

/// Guard: a list receives warnings until the guard is dropped.
#[must_use]
pub struct Listening {
    list: WarningList,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut listeners = locked(&LISTENERS);
        let own = |list: &WarningList| Arc::ptr_eq(&list.warnings, &self.list.warnings);
        if let Some(place) = listeners.iter().rposition(own) {
            listeners.remove(place);
        }
    }
}

/// Adds warnings of an earlier stage to all lists that currently receive warnings. The user is not shown the
/// warnings again.
pub fn repeat(warnings: &[String]) {
    for warning in warnings {
        add(warning);
    }
}

/// Adds a warning to all lists that currently receive warnings.
fn add(warning: &str) {
    for list in locked(&LISTENERS).iter() {
        list.add(warning);
    }
}

/// Returns the message of an event.
pub fn message_of(event: &Event<'_>) -> String {
    let mut message = Message(String::new());
    event.record(&mut message);
    message.0
}

/// Layer that adds the warnings of Arcuate's crates to all lists that currently receive warnings. It shows
/// nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct WarningLayer;

impl<S: Subscriber> Layer<S> for WarningLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::WARN && event.metadata().target().starts_with("arcuate") {
            add(&printable(&message_of(event), LONGEST));
        }
    }
}

/// Installs a subscriber that adds the warnings of this process to the lists. Returns false if the process
/// already has a subscriber.
pub fn listen() -> bool {
    registry().with(WarningLayer).try_init().is_ok()
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
