//! A run by the library, and the same by the command.

mod common;

use arcuate::io::{read_tractogram, read_volume};
use arcuate::pipeline::run::{Evaluation, PlannedWork, RunOptions};
use arcuate::pipeline::session::{Session, SessionOptions};
use arcuate::pipeline::stages::MapDensity;
use common::{Scratch, small_brain};
use std::path::Path;

#[test]
fn the_library_runs_as_the_command_does() {
    let brain = Scratch::with(small_brain());
    let said = brain.run("run dwi.nii.gz --select 300 --random-seed 5 --device cpu --out command");
    assert_eq!(said.code, 0, "{}", said.errors);
    assert!(arcuate::pipeline::warnings::listen(), "nobody else listens");
    let [by_command, by_library] = ["command", "library"].map(|name| brain.path(name));
    let session = Session::new(SessionOptions { random_seed: 5, ..SessionOptions::default() });
    let options = RunOptions { select: Some(300), ..RunOptions::new(brain.path("dwi.nii.gz"), &by_library) };
    let record = options.run(&session).unwrap();

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
    // The same stages, inputs and figures are told of, and each in its words.
    let of_command = arcuate::pipeline::record::Record::read(&by_command).unwrap();
    assert_eq!((&record.steps, &record.figures), (&of_command.steps, &of_command.figures));
    let sums = |inputs: &[arcuate::pipeline::checksums::Input]| -> Vec<String> {
        inputs.iter().map(|input| input.sha256.clone()).collect()
    };
    assert_eq!(sums(&record.inputs), sums(&of_command.inputs));
    // Warnings name parameters where the command names options.
    for warning in of_command.warnings.iter().filter(|warning| !warning.contains("--")) {
        assert!(record.warnings.contains(warning), "{warning}: {:?}", record.warnings);
    }
    assert!(text(&by_library, "report.html").contains("<html"));
}

#[test]
fn options_of_stages_are_changed_as_values() {
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
    // What the library says names its parameters, and the file that it is about.
    let session = Session::default();
    let error = options.perform(&work, &session).unwrap_err().to_string();
    assert!(error.contains("tensor.nii.gz: no seed gave a streamline that is long enough"), "{error}");
    assert!(error.contains("lower ‘fa_cutoff’ or ‘min_length_mm’"), "{error}");
    // Nothing is written over unless the session says so.
    let error = options.run(&session).unwrap_err().to_string();
    assert!(error.contains("it is there already; choose another name, or say ‘force’"), "{error}");
    let session = Session::new(SessionOptions { force: true, ..SessionOptions::default() });
    options.run(&session).unwrap();
    assert_eq!(read_tractogram(&brain.path("out/tracks.trx")).unwrap().tractogram.len(), 50);
    // One session does one thing after the other, by what the files are then.
    let out = brain.path("fa.nii.gz");
    let map = MapDensity::new(brain.path("out/tracks.trx"), brain.path("out/mask.nii.gz"), &out);
    let before = map.run(&session).unwrap();
    std::fs::copy(brain.path("out/tensor/fa.nii.gz"), brain.path("out/mask.nii.gz")).unwrap();
    assert_eq!(map.run(&session).unwrap(), before);
}
