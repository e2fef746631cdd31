//! A run with the library gives the same results as a run with the command.

#![cfg(test)]

mod common;

use arcuate::io::{read_tractogram, read_volume};
use arcuate::pipeline::job::{Job, JobOptions, LibraryHost};
use arcuate::pipeline::record::Figure;
use arcuate::pipeline::run::{Evaluation, PlannedWork, RunOptions, Tracking};
use arcuate::pipeline::stages::MapDensity;
use common::{Scratch, small_brain};
use std::path::Path;

#[test]
fn library_runs_agree_with_the_command() {
    let brain = Scratch::with(small_brain());
    let result = brain.run("run dwi.nii.gz --select 300 --random-seed 5 --device cpu --out command");
    assert_eq!(result.code, 0, "{}", result.errors);
    assert!(arcuate::pipeline::collect_warnings(), "nobody else listens");
    let [by_command, by_library] = ["command", "library"].map(|name| brain.path(name));
    let job = Job::new(LibraryHost::default(), JobOptions { random_seed: 5, ..JobOptions::default() });
    let options = RunOptions { select: Some(300), ..RunOptions::new(brain.path("dwi.nii.gz"), &by_library) };
    let record = options.run(&job).unwrap();

    for map in
        ["mask", "tensor/tensor", "tensor/fa", "tensor/residual", "life/life_rmse_after", "track_density"]
    {
        let of = |folder: &Path| read_volume(&folder.join(format!("{map}.nii.gz"))).unwrap();
        assert_eq!(of(&by_command), of(&by_library), "{map}");
    }
    let tracks = |folder: &Path| read_tractogram(&folder.join("tracks.trx")).unwrap().tractogram;
    assert_eq!(tracks(&by_command).len(), 300);
    assert_eq!(tracks(&by_command), tracks(&by_library));
    let text = |folder: &Path, name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let weights = |folder: &Path| text(folder, "life/life_weights.txt");
    assert_eq!(weights(&by_command), weights(&by_library));
    // The two records have the same stages, inputs and figures.
    let of_command = arcuate::pipeline::record::Record::read(&by_command).unwrap();
    assert_eq!((&record.steps, &record.figures), (&of_command.steps, &of_command.figures));
    let sums = |inputs: &[arcuate::pipeline::record::Input]| -> Vec<String> {
        inputs.iter().map(|input| input.sha256.clone()).collect()
    };
    assert_eq!(sums(&record.inputs), sums(&of_command.inputs));
    // Warnings of the library name parameters instead of options, so warnings with options are not compared.
    for warning in of_command.warnings.iter().filter(|warning| !warning.contains("--")) {
        assert!(record.warnings.contains(warning), "{warning}: {:?}", record.warnings);
    }
    assert!(text(&by_library, "report.html").contains("<html"));
}

/// A run with sampled fibres and a connectome. All files are the same as those of the command, except for
/// records and reports, which contain times and the command line.
#[test]
fn library_sampling_and_connectomes_agree_with_the_command() {
    let brain = Scratch::with(small_brain());
    let recipe = "[fit.ball-2-sticks]\nburn-in = 20\njumps = 40\ninterval = 10\n";
    std::fs::write(brain.path("recipe.toml"), recipe).unwrap();
    let result = brain.run(
        "run dwi.nii.gz --tracking samples --evaluate none --labels labels.nii.gz --select 200 --random-seed 5 --device cpu \
         --recipe recipe.toml --out command",
    );
    assert_eq!(result.code, 0, "{}", result.errors);
    let [by_command, by_library] = ["command", "library"].map(|name| brain.path(name));
    let job = Job::new(LibraryHost::default(), JobOptions { random_seed: 5, ..JobOptions::default() });
    let options = RunOptions {
        select: Some(200),
        tracking: Tracking::Samples,
        evaluation: Evaluation::None,
        labels: Some(brain.path("labels.nii.gz")),
        ..RunOptions::new(brain.path("dwi.nii.gz"), &by_library)
    };
    let mut work = options.work().unwrap();
    for work in &mut work {
        if let PlannedWork::FitModels(fit) = work {
            (fit.chains.burn_in, fit.chains.jumps, fit.chains.interval) = (Some(20), Some(40), Some(10));
        }
    }
    let record = options.perform(&work, &job).unwrap();
    let of_command = arcuate::pipeline::record::Record::read(&by_command).unwrap();
    assert_eq!(record.steps, of_command.steps);
    let [of_command, of_library] = [of_command, record].map(|record| {
        let is_no_time = |(_, figure): &(String, Figure)| figure.unit != "s";
        record.figures.0.into_iter().filter(is_no_time).collect::<Vec<_>>()
    });
    assert_eq!(of_library, of_command);

    let [of_command, of_library] = [&by_command, &by_library].map(|folder| files_below(folder));
    assert_eq!(of_command, of_library);
    let ends_in = |name: &str, endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    let mut compared = 0;
    for name in &of_library {
        let [one, other] = [&by_command, &by_library].map(|folder| folder.join(name));
        if ends_in(name, &[".nii.gz"]) {
            assert_eq!(read_volume(&one).unwrap(), read_volume(&other).unwrap(), "{name}");
        } else if ends_in(name, &[".trx"]) {
            let [one, other] = [one, other].map(|file| read_tractogram(&file).unwrap().tractogram);
            assert_eq!((one.len(), one), (200, other), "{name}");
        } else if !ends_in(name, &[".json", ".html"]) {
            assert_eq!(std::fs::read(&one).unwrap(), std::fs::read(&other).unwrap(), "{name}");
        } else {
            continue;
        }
        compared += 1;
    }
    assert!(compared > 40, "{compared} of {of_library:?}");
    for name in ["ball-2-sticks/n1_samples.nii.gz", "tracks.trx", "connectome/connectome_counts.csv"] {
        assert!(of_library.iter().any(|file| file == name), "{name}");
    }
}

/// The sorted paths of all files below a folder, relative to the folder.
fn files_below(folder: &Path) -> Vec<String> {
    let (mut names, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(at) = folders.pop() {
        for path in at.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                names.push(path.strip_prefix(folder).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    names.sort();
    names
}

#[test]
fn stage_options_can_be_changed_as_values() {
    let brain = Scratch::with(small_brain());
    let options = RunOptions {
        select: Some(50),
        evaluation: Evaluation::None,
        ..RunOptions::new(brain.path("dwi.nii.gz"), brain.path("out"))
    };
    let mut work = options.work().unwrap();
    for work in &mut work {
        if let PlannedWork::TrackTensor(track) = work {
            track.options.min_length_mm = Some(4000.0);
            track.options.max_length_mm = Some(5000.0);
        }
    }
    // An error of the library names its parameters and the file that caused it.
    let job = Job::default();
    let error = options.perform(&work, &job).unwrap_err().to_string();
    assert!(error.contains("tensor.nii.gz: all streamlines are shorter than the minimum length"), "{error}");
    assert!(error.contains("lower ‘cutoff’ or ‘min_length_mm’"), "{error}");
    // Existing files are not overwritten unless the job has `force`.
    let error = options.run(&job).unwrap_err().to_string();
    assert!(error.contains("it is there already; choose another name, or give ‘force’"), "{error}");
    let job = Job::new(LibraryHost::default(), JobOptions { force: true, ..JobOptions::default() });
    options.run(&job).unwrap();
    assert_eq!(brain.tractogram("out/tracks.trx").len(), 50);
    // One job can run a stage again after an input file has changed.
    let out = brain.path("fa.nii.gz");
    let map = MapDensity::new(brain.path("out/tracks.trx"), brain.path("out/mask.nii.gz"), &out);
    let before = map.run(&job).unwrap();
    std::fs::copy(brain.path("out/tensor/fa.nii.gz"), brain.path("out/mask.nii.gz")).unwrap();
    assert_eq!(map.run(&job).unwrap(), before);
}
