/// The result of a benchmark. If a benchmark fails, it ends with an error of one line.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;
