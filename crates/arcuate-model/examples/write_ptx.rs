//! Writes the kernels of the built-in models, as a GPU's driver would get them, into a folder: `write_ptx FOLDER`.

use arcuate_core::{GradientTable, Orientations};
use arcuate_model::fit::sample::{Deviation, Noise, SampleOptions, written_chain};
use arcuate_model::fit::{FitOptions, written_kernels};
use arcuate_model::models;
use std::path::PathBuf;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("give the folder"));
    std::fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let directions = Orientations::half_sphere(50);
    let mut axes = vec![[1.0, 0.0, 0.0]; 5];
    let mut b_values = vec![0.0; 5];
    for b in [1000.0, 2000.0] {
        axes.extend_from_slice(directions.directions());
        b_values.resize(axes.len(), b);
    }
    let table = GradientTable::new(&axes, b_values, 50.0).unwrap_or_else(|e| panic!("{e}"));
    for name in models::model_names() {
        let model = models::model(name).unwrap_or_else(|e| panic!("{e}"));
        for single_precision in [true, false] {
            let options = FitOptions { single_precision, ..FitOptions::default() };
            let kernels = match written_kernels(std::slice::from_ref(&model), &table, &options) {
                Ok(kernels) => kernels,
                Err(error) => {
                    eprintln!("{name}: {error}");
                    continue;
                }
            };
            let mut kernels = kernels;
            if single_precision {
                let sigma = || Deviation::Known(20.0);
                for (noise, what) in [(Noise::default(), "integrated"), (Noise::Rician(sigma()), "rician")] {
                    let sampling = SampleOptions { noise, ..SampleOptions::default() };
                    let chain = written_chain(&model, &table, &options, &sampling, 99 << 10);
                    match chain {
                        Ok(chain) => kernels.extend(chain.map(|kernel| (format!("{name}_{what}"), kernel))),
                        Err(error) => eprintln!("{name}: {error}"),
                    }
                }
            }
            for (stage, kernel) in kernels {
                let file = folder.join(format!("{stage}_{}.ptx", kernel.name()));
                std::fs::write(&file, kernel.text()).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            }
        }
    }
}
