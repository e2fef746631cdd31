//! Warnings that algorithms give through `tracing`: kept for the records of all that they were said to.
//!
//! A program that has a subscriber of its own adds [`Ears`] to it; one that has none can [`listen`]. Commands have theirs, which
//! shows them too.

use arcuate_core::printable;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry;
use tracing_subscriber::util::SubscriberInitExt;

/// Longest message, in characters: as long as an error's parts together.
pub const LONGEST: usize = 3000;

/// Those who listen: a command, and within it the stage that is at work.
static LISTENERS: Mutex<Vec<Heard>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a part of the work gave, each once, in order.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    warnings: Arc<Mutex<Vec<String>>>,
    /// What the user was shown on its behalf, where it is a command or a stage.
    shown: Option<Arc<Mutex<Vec<String>>>>,
}

impl Heard {
    /// The warnings of a job: the user is shown what is new to it.
    pub fn of_job() -> Self {
        Self { shown: Some(Arc::default()), ..Self::default() }
    }

    /// Hears, with all who listen already, what is said until the answer is dropped.
    pub fn listen(&self) -> Listening {
        locked(&LISTENERS).push(self.clone());
        Listening { heard: self.clone() }
    }

    /// What was heard so far.
    pub fn list(&self) -> Vec<String> {
        locked(&self.warnings).clone()
    }

    /// Forgets what was heard so far.
    pub fn clear(&self) {
        locked(&self.warnings).clear();
    }

    /// Notes a warning, once.
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
pub fn is_new_to_the_user(message: &str) -> bool {
    let listeners = locked(&LISTENERS);
    let of_all = listeners.iter().filter_map(|heard| heard.shown.as_ref());
    // That of the innermost is the answer.
    of_all.fold(true, |_, shown| note(shown, message))
}

/// As long as it lives somebody listens.
#[must_use]
pub struct Listening {
    heard: Heard,
}

impl Listening {
    /// Until the program ends.
    pub fn for_good(self) {
        std::mem::forget(self);
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut listeners = locked(&LISTENERS);
        let own = |heard: &Heard| Arc::ptr_eq(&heard.warnings, &self.heard.warnings);
        if let Some(place) = listeners.iter().rposition(own) {
            listeners.remove(place);
        }
    }
}

/// Says warnings again to those who listen now, not to the user: of work that was done once for several commands.
pub fn repeat(warnings: &[String]) {
    for warning in warnings {
        hear(warning);
    }
}

/// Says a warning to those who listen.
pub fn hear(warning: &str) {
    for heard in locked(&LISTENERS).iter() {
        heard.hear(warning);
    }
}

/// What an event says.
pub fn message_of(event: &Event<'_>) -> String {
    let mut message = Message(String::new());
    event.record(&mut message);
    message.0
}

/// Hears the warnings of these crates for all who listen; other layers of a program's subscriber show them, or do not.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ears;

impl<S: Subscriber> Layer<S> for Ears {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::WARN && event.metadata().target().starts_with("arcuate") {
            hear(&printable(&message_of(event), LONGEST));
        }
    }
}

/// From now on warnings are heard in this process, unless it has a subscriber already; answers whether they are.
pub fn listen() -> bool {
    registry().with(Ears).try_init().is_ok()
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
