//! Writes what `cargo xtask kernels` makes of the built-in models: `src/fit/models.cuh` and `src/fit/models.rs`, and
//! `chains.cuh` and `chains.rs` in `src/fit/sample`.

use std::path::Path;

fn main() {
    let fits = arcuate_model::fit::kernel_sources().unwrap_or_else(|e| panic!("{e}"));
    let chains = arcuate_model::fit::sample::chain_sources().unwrap_or_else(|e| panic!("{e}"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/fit");
    let names = ["models.cuh", "models.rs", "sample/chains.cuh", "sample/chains.rs"];
    for (name, text) in names.into_iter().zip(fits.into_iter().chain(chains)) {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }
}
