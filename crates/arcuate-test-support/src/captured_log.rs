use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs `work`. Returns the result of `work`, and the warnings that were logged during it, one text per
/// warning.
pub fn warnings<R>(work: impl FnOnce() -> R) -> (R, Vec<String>) {
    let lines = Lines::default();
    let sink = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_ansi(false)
        .with_level(false)
        .with_target(false)
        .without_time()
        .with_writer(move || sink.clone())
        .finish();
    let answer = tracing::subscriber::with_default(subscriber, work);
    (answer, lines.text().lines().map(|line| line.trim_start().to_owned()).collect())
}

/// Runs `work`. Returns the result of `work`, and the messages logged during it. A message is included if it
/// is at least as severe as `level`.
pub fn with_captured_log<R>(level: tracing::Level, work: impl FnOnce() -> R) -> (R, String) {
    let lines = Lines::default();
    let sink = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .with_writer(move || sink.clone())
        .finish();
    let answer = tracing::subscriber::with_default(subscriber, work);
    (answer, lines.text())
}
