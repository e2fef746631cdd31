/// What goes wrong in a benchmark ends it with one line.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;
