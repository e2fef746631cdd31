//! Writes what `cargo xtask kernels` makes of the built-in models: `src/fit/models.cuh` and `src/fit/models.rs`.

use std::path::Path;

fn main() {
    let sources = arcuate_model::fit::kernel_sources().unwrap_or_else(|e| panic!("{e}"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/fit");
    for (name, text) in ["models.cuh", "models.rs"].into_iter().zip(sources) {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }
}
