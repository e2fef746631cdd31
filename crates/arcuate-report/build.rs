//! Puts the viewer's bundle into the library where it has been built: `npm ci && npm run build` in `viewer/`.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let bundle =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../viewer/dist/viewer.js");
    println!("cargo:rerun-if-changed={}", bundle.display());
    let code = match bundle.canonicalize() {
        // As a string literal of Rust, whatever is in the path.
        Ok(path) => {
            format!("Some(include_str!({:?}))", path.to_str().expect("a source folder whose path is text"))
        }
        Err(_) => "None".to_owned(),
    };
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap()).join("viewer.rs"), code).unwrap();
}
