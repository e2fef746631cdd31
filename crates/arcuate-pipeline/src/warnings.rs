//! Warnings of the libraries. All of them go to `tracing`, and from there into the lists of jobs.
//!
//! A program with a subscriber of its own adds a [`WarningLayer`] to it. A program without one calls [`listen`]. The command line has a
//! subscriber that also shows the warnings.

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

/// The lists that get warnings now: that of a job, then that of its stage in progress.
static LISTENERS: Mutex<Vec<WarningList>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The warnings of a part of the work, each once, in order.
#[derive(Debug, Clone, Default)]
pub struct WarningList {
    warnings: Arc<Mutex<Vec<String>>>,
    /// The messages that the user was shown during a job or a stage.
    shown: Option<Arc<Mutex<Vec<String>>>>,
}

impl WarningList {
    /// The warnings of a job: the user is shown what is new to it.
    pub fn of_job() -> Self {
        Self { shown: Some(Arc::default()), ..Self::default() }
    }

    /// Adds warnings of the process to this list, too, until the result is dropped.
    pub fn listen(&self) -> Listening {
        locked(&LISTENERS).push(self.clone());
        Listening { list: self.clone() }
    }

    /// The warnings so far.
    pub fn list(&self) -> Vec<String> {
        locked(&self.warnings).clone()
    }

    /// Removes all warnings.
    pub fn clear(&self) {
        locked(&self.warnings).clear();
    }

    /// Adds a warning, unless the list has it.
    fn add(&self, warning: &str) {
        note(&self.warnings, warning);
    }
}

/// Adds a message to a list, and returns true if the list did not have it.
fn note(list: &Mutex<Vec<String>>, message: &str) -> bool {
    let mut list = locked(list);
    let is_new = !list.iter().any(|known| known == message);
    if is_new {
        list.push(message.to_owned());
    }
    is_new
}

/// Notes that a message is shown, and returns true if the user was not shown it before during the job or stage in progress. The jobs
/// above the stage need not show it again.
pub fn is_new_to_the_user(message: &str) -> bool {
    let listeners = locked(&LISTENERS);
    let of_all = listeners.iter().filter_map(|list| list.shown.as_ref());
    // The innermost one decides.
    of_all.fold(true, |_, shown| note(shown, message))
}

/// A list gets warnings until this is dropped.
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

/// Adds warnings of work that was done for an earlier stage to the lists that get warnings now. The user is not shown them again.
pub fn repeat(warnings: &[String]) {
    for warning in warnings {
        add(warning);
    }
}

/// Adds a warning to the lists that get warnings now.
fn add(warning: &str) {
    for list in locked(&LISTENERS).iter() {
        list.add(warning);
    }
}

/// The message of an event.
pub fn message_of(event: &Event<'_>) -> String {
    let mut message = Message(String::new());
    event.record(&mut message);
    message.0
}

/// Adds warnings of these crates to the lists that get warnings now. It shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct WarningLayer;

impl<S: Subscriber> Layer<S> for WarningLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::WARN && event.metadata().target().starts_with("arcuate") {
            add(&printable(&message_of(event), LONGEST));
        }
    }
}

/// Installs a subscriber that adds warnings of this process to lists. Returns false if the process has a subscriber already.
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
