//! Build, test, demonstrate and measure Arcuate: `cargo xtask help`.
fn main() {}
