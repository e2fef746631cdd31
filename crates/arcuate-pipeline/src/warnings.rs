//! Collects the warnings of Arcuate's crates. All warnings are `tracing` events. They are added to the lists
//! of warnings of the jobs that run.
//!
//! A program with its own `tracing` subscriber adds a [`WarningLayer`] to this subscriber. A program without
//! a subscriber calls [`listen`]. The command line has a subscriber that also shows the warnings.

use arcuate_core::printable;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry;
use tracing_subscriber::util::SubscriberInitExt;

/// Maximum length of a warning, in characters. It is the same as the maximum length of a whole error message.
pub const LONGEST: usize = 3000;

/// Lists to which warnings are added: the list of the job, then the list of its current stage.
static LISTENERS: Mutex<Vec<WarningList>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The warnings of a job or a stage, in the order in which they occurred. Each warning is in the list once.
#[derive(Debug, Clone, Default)]
pub struct WarningList {
    warnings: Arc<Mutex<Vec<String>>>,
    /// Messages that the user was shown during the job or the stage. `None` if they are not tracked.
    shown: Option<Arc<Mutex<Vec<String>>>>,
}

impl WarningList {
    /// Creates the list of warnings of a job. It also tracks which messages the user was shown.
    pub fn of_job() -> Self {
        Self { shown: Some(Arc::default()), ..Self::default() }
    }

    /// Starts to add all warnings of the process to this list, and stops when the returned value is dropped.
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

/// Notes that the user is shown a message. Returns true if the message was not shown before during the
/// current stage, or during the job if no stage is running.
pub fn is_new_to_the_user(message: &str) -> bool {
    let listeners = locked(&LISTENERS);
    let of_all = listeners.iter().filter_map(|list| list.shown.as_ref());
    // The message is added to all lists. The result is that of the last list, which belongs to the current
    // stage.
    of_all.fold(true, |_, shown| note(shown, message))
}

/// While this value exists, warnings are added to its list.
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

/// Adds warnings of an earlier stage to the lists of the current job and stage. The user is not shown these
/// warnings again.
pub fn repeat(warnings: &[String]) {
    for warning in warnings {
        add(warning);
    }
}

/// Adds a warning to the lists of the current job and stage.
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

/// `tracing` layer that adds the warnings of Arcuate's crates to the lists of the current job and stage. It
/// shows nothing to the user.
#[derive(Debug, Clone, Copy, Default)]
pub struct WarningLayer;

impl<S: Subscriber> Layer<S> for WarningLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::WARN && event.metadata().target().starts_with("arcuate") {
            add(&printable(&message_of(event), LONGEST));
        }
    }
}

/// Installs a `tracing` subscriber that adds the warnings of this process to the lists of the current job and
/// stage. Returns false if the process already has a subscriber.
pub fn listen() -> bool {
    registry().with(WarningLayer).try_init().is_ok()
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = if field.name() == "message" {
            write!(self.0, "{value:?}")
        } else {
            write!(self.0, " {}={value:?}", field.name())
        };
    }
}
