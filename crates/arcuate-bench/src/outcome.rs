/// The result of a benchmark. An error ends it with one line.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;
