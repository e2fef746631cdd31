/// The result of a benchmark. If a benchmark fails, it returns an error whose message is one line.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;
