//! Writes the GPU kernels of all solvers into a folder, as PTX text: `write_solver_kernels FOLDER`.

#![allow(clippy::expect_used, clippy::panic, reason = "a tool for developers")]

use std::path::PathBuf;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("give the folder"));
    std::fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for (number, kernel) in arcuate_solve::solver_kernels().iter().enumerate() {
        // A pass has a kernel for vectors and one for products with Aᵀ, with the same name.
        let variant = ["vectors", "product"][number % 2];
        let file = folder.join(format!("{variant}_{}.ptx", kernel.name()));
        std::fs::write(&file, kernel.text()).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }
}
