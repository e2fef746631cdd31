//! Writes the GPU kernels of signal models into a folder, as PTX text. `write_ptx FOLDER` writes the kernels
//! of the built-in models; `write_ptx FOLDER MODEL.toml ...` writes the kernels of these model files.

#![allow(clippy::expect_used, clippy::panic, reason = "a tool for developers")]

use arcuate_compute::cuda::WrittenKernel;
use arcuate_core::{GradientTable, Orientations};
use arcuate_model::fit::sample::{Deviation, Noise, SampleOptions, written_chain};
use arcuate_model::fit::{FitOptions, written_kernels};
use arcuate_model::language::Model;
use arcuate_model::models;
use std::path::{Path, PathBuf};

/// Built-in models that have no GPU kernels in double precision.
const ONLY_SINGLE: [&str; 3] = ["ball-1-racket", "ball-2-rackets", "ball-3-rackets"];

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
    let files: Vec<String> = std::env::args().skip(2).collect();
    let models: Vec<Model> = if files.is_empty() {
        models::model_names().map(|name| models::model(name).unwrap_or_else(|e| panic!("{e}"))).collect()
    } else {
        let read = |file: &String| {
            let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{file}: {e}"));
            Model::parse(file, &text).unwrap_or_else(|e| panic!("{e}"))
        };
        files.iter().map(read).collect()
    };
    for model in models {
        let name = model.name();
        for single_precision in [true, false] {
            let options = FitOptions { single_precision, ..FitOptions::default() };
            let written = written_kernels(std::slice::from_ref(&model), &table, &options);
            // The check below fails if a model of this list does have kernels, so that the list stays
            // correct.
            let without = !single_precision && ONLY_SINGLE.contains(&name);
            let kernels = written.unwrap_or_else(|e| panic!("{name}: {e}"));
            // The result also contains kernels of other models, whose fits this model starts from.
            let is_own = |(stage, _): &(String, WrittenKernel)| {
                stage.rsplit_once('_').is_some_and(|(model, _)| model == name)
            };
            assert_eq!(kernels.iter().any(is_own), !without, "{name}, single precision {single_precision}");
            for (stage, kernel) in &kernels {
                write(&folder, stage, kernel);
            }
            if !single_precision {
                continue;
            }
            let sigma = || Deviation::Known(20.0);
            for (noise, what) in [(Noise::default(), "integrated"), (Noise::Rician(sigma()), "rician")] {
                let sampling = SampleOptions { noise, ..SampleOptions::default() };
                let chain = written_chain(&model, &table, &options, &sampling, 99 << 10);
                let chain = chain.unwrap_or_else(|e| panic!("{name}: {e}"));
                let kernel = chain.unwrap_or_else(|| panic!("{name}: there is no kernel of chains"));
                write(&folder, &format!("{name}_{what}"), &kernel);
            }
        }
    }
}

fn write(folder: &Path, stage: &str, kernel: &WrittenKernel) {
    let file = folder.join(format!("{stage}_{}.ptx", kernel.name()));
    std::fs::write(&file, kernel.text()).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
}
