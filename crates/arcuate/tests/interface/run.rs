//! `arcuate run` gives the same results as its commands, one after another.

use crate::common::{Files, Scratch, brain, small_brain};
use serde_json::Value;

const RUN: &str = "run dwi.nii.gz --labels labels.nii.gz --label-names labels.txt";

/// Removes files that contain times, and the last column of iteration tables, which contains times.
fn untimed(files: Files) -> Files {
    let timed = |name: &str| [".json", ".html"].iter().any(|ending| name.ends_with(ending));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    files
        .into_iter()
        .filter(|(name, _)| !timed(name))
        .map(|(name, bytes)| {
            if !name.ends_with("_trace.csv") {
                return (name, bytes);
            }
            let rows = text(bytes)
                .lines()
                .map(|line| line.rsplit_once(',').unwrap().0.to_owned())
                .collect::<Vec<_>>();
            (name, rows.join("\n").into_bytes())
        })
        .collect()
}

/// Compares the files of `run` with those of the commands that `--dry-run` prints.
fn compare(options: &str, fewest: usize) {
    let brain = brain();
    let result = brain.run(&format!("{RUN} {options} --out whole"));
    assert_eq!(result.code, 0, "{}", result.errors);
    let commands = brain.succeed(&format!("{RUN} {options} --out alone --dry-run"));
    assert!(!brain.path("alone").exists(), "a dry run writes nothing");
    for command in commands.lines() {
        let result = brain.run(command.strip_prefix("arcuate ").expect("a command line"));
        assert_eq!(result.code, 0, "{command}: {}", result.errors);
    }
    let (whole, alone) = (untimed(brain.files("whole")), untimed(brain.files("alone")));
    assert_eq!(whole.keys().collect::<Vec<_>>(), alone.keys().collect::<Vec<_>>());
    assert!(whole.len() >= fewest, "{:?}", whole.keys());
    for (name, bytes) in &whole {
        assert!(*bytes == alone[name], "{name} differs from what its command gives");
    }
    require_same_warnings(&brain, &result.errors);
}

/// Requires that the record of each stage has the warnings of the separate command. Earlier stages must not hide
/// warnings. The record of the run must have each warning once. The screen must show them in this order. It can
/// repeat a warning for another stage.
fn require_same_warnings(brain: &Scratch, screen: &str) {
    let warnings = |name: &str| -> Vec<String> {
        let record: Value = brain.json(name);
        record["warnings"].as_array().unwrap().iter().map(|w| w.as_str().unwrap().to_owned()).collect()
    };
    let run: Value = brain.json("whole/arcuate.json");
    let mut all: Vec<String> = Vec::new();
    for step in run["steps"].as_array().unwrap() {
        let step = step.as_str().unwrap();
        let of_step = warnings(&format!("whole/{step}"));
        let by_itself = warnings(&format!("alone/{step}"));
        let moved: Vec<String> = by_itself.iter().map(|w| w.replace("alone/", "whole/")).collect();
        assert_eq!(of_step, moved, "{step}");
        all.extend(of_step);
    }
    let of_run = warnings("whole/arcuate.json");
    assert!(all.iter().all(|warning| of_run.contains(warning)), "{all:?} {of_run:?}");
    let shown: Vec<&str> = screen.lines().filter_map(|line| line.strip_prefix("warning: ")).collect();
    let mut distinct: Vec<&str> = Vec::new();
    for &warning in &shown {
        if !distinct.contains(&warning) {
            distinct.push(warning);
        }
    }
    assert_eq!(distinct, of_run);
    let of_stages = all.iter().filter(|&given| shown.contains(&given.as_str())).count();
    assert!(shown.len() <= of_stages + of_run.len(), "{shown:?}");
}

/// The series is read once, and its warning is shown once. Records of all steps that use the series have the warning.
#[test]
fn every_step_has_the_warnings_of_the_series() {
    let brain = brain();
    brain.succeed("convert dwi.nii.gz plain.nii");
    let mut image = brain.read("plain.nii");
    // The header states that the data begin within the header. This gives a warning.
    image[108..112].copy_from_slice(&16_f32.to_le_bytes());
    brain.write("odd.nii", image);
    let options = "--bval dwi.bval --bvec dwi.bvec --select 200";
    let result = brain.run(&format!("run odd.nii {options} --out whole"));
    assert_eq!(result.code, 0, "{}", result.errors);
    let commands = brain.succeed(&format!("run odd.nii {options} --out alone --dry-run"));
    for command in commands.lines() {
        assert_eq!(brain.run(command.strip_prefix("arcuate ").unwrap()).code, 0, "{command}");
    }
    require_same_warnings(&brain, &result.errors);
    for record in ["mask.nii.gz.json", "tensor/arcuate.json", "life/arcuate.json", "arcuate.json"] {
        assert!(brain.text(&format!("whole/{record}")).contains("odd.nii: "), "{record}");
    }
    assert_eq!(result.errors.matches("odd.nii: ").count(), 1, "{}", result.errors);
}

#[test]
fn separate_commands_give_the_same_files() {
    compare("--select 400 --random-seed 3 --threads 1", 28);
}

#[test]
fn separate_commands_give_the_same_files_with_commit_and_a_mask() {
    compare("--select 300 --evaluate commit --mask mask.nii.gz", 34);
}

#[test]
fn separate_commands_give_the_same_files_without_evaluation() {
    compare("--select 300 --evaluate none", 20);
}

#[test]
fn a_recipe_reaches_every_step() {
    let brain = brain();
    let plain = brain.succeed(&format!("{RUN} --out out --dry-run"));
    let defaults = brain.succeed("run --show-recipe");
    brain.write("defaults.toml", &defaults);
    let command = format!("{RUN} --out out --dry-run --recipe");
    // Options of an evaluation that is not run are ignored. If they are defaults, there is no warning.
    assert_eq!(brain.succeed(&format!("{command} defaults.toml")), plain);

    brain.write(
        "recipe.toml",
        "[fit.tensor]\nreweightings = 4\n\n[track.tensor]\nmask = \"white_matter.nii.gz\"\nselect = 70\n\n\
         [evaluate.commit]\ndebias = true\n",
    );
    let result = brain.run(&format!("{command} recipe.toml"));
    assert_eq!(
        result.errors,
        "warning: recipe.toml, line 8: [evaluate.commit] is ignored: this run does not have this stage\n"
    );
    let expected = plain
        .replace(
            "--mask out/mask.nii.gz --out out/tensor\n",
            "--mask out/mask.nii.gz --reweightings 4 --out out/tensor\n",
        )
        .replace(
            "--mask out/mask.nii.gz --out out/tracks.trx",
            "--mask white_matter.nii.gz --select 70 --out out/tracks.trx",
        );
    assert_eq!((result.code, result.output.as_str()), (0, expected.as_str()));
    // Options of the command line override the recipe.
    let result = brain.run(&format!("{command} recipe.toml --select 50"));
    assert!(result.output.contains("--select 50") && !result.output.contains("70"), "{}", result.output);
    // The run uses the recipe.
    let result = brain.run(&format!("{RUN} --out out --recipe recipe.toml --evaluate none"));
    assert_eq!(result.code, 0, "{}", result.errors);
    let track: Value = brain.json("out/tracks.trx.json");
    assert_eq!(track["figures"]["streamlines"]["value"], 70);
    assert_eq!(track["options"]["mask"], "white_matter.nii.gz");
    let record: Value = brain.json("out/arcuate.json");
    let inputs = record["inputs"].as_array().unwrap();
    assert!(inputs.iter().any(|input| input["path"] == "recipe.toml"), "{inputs:?}");
    let fit: Value = brain.json("out/tensor/arcuate.json");
    assert_eq!(fit["options"]["reweightings"], 4);
}

#[test]
fn errors_are_reported_before_the_first_step() {
    let brain = brain();
    brain.write("zeros.txt", "nothing");
    brain.succeed("convert labels.nii.gz zeros.mif");
    for (recipe, message) in [
        (
            "[track.tensr]\n",
            "r.toml, line 1: no stage of a run is called `track.tensr`; did you mean `track.tensor`? the \
                              stages are [mask], [fit.tensor], [track.tensor], [track.geodesic], [fit.ball-2-sticks], [track.samples], [response], [fit.csd], [track.fod], [evaluate.life], [evaluate.commit], \
                              [density], [connectome]",
        ),
        (
            "[connectome]\nassignment-radius = 3\nassignment = \"end-voxel\"\n",
            "r.toml, line 2: --assignment-radius: end-voxel searches nothing; leave it out, or choose --assignment radial",
        ),
        (
            "[evaluate.life]\ntolerance = 2\n",
            "r.toml, line 2: --tolerance: 2 is not a fraction; give a number of at least 0 and below 1",
        ),
    ] {
        brain.write("r.toml", recipe);
        let before = brain.listing(".");
        let result = brain.run(&format!("{RUN} --out out --recipe r.toml"));
        assert_eq!(result.errors, format!("error: {message}\n"));
        assert!(result.code > 0 && result.steps.len() <= 1, "{:?}", result.steps);
        assert_eq!(brain.listing("."), before);
    }
    brain.write("r.toml", "[track.tensor]\nmethod = \"straight\"\n");
    let result = brain.run(&format!("{RUN} --out out --recipe r.toml"));
    let expected = "error: r.toml, line 2: track tensor: --method straight: unknown value; use fact, tensor or deflection\n";
    assert_eq!((result.code, result.errors.as_str()), (2, expected));

    brain.write("r.toml", "[track.tensor]\nstep = 0.001\nmax-length = 1e6\n");
    let result = brain.run(&format!("{RUN} --out out --recipe r.toml"));
    assert!(
        result.errors.starts_with("error: r.toml, line 3: --max-length: a streamline of "),
        "{}",
        result.errors
    );
}

/// The record of a run lists its steps and all files.
#[test]
fn the_record_names_its_steps() {
    let brain = brain();
    let result = brain.run(&format!("{RUN} --select 200 --out out"));
    assert_eq!(result.code, 0, "{}", result.errors);
    let record: Value = brain.json("out/arcuate.json");
    let steps: Vec<&str> =
        record["steps"].as_array().unwrap().iter().map(|step| step.as_str().unwrap()).collect();
    let expected = [
        "mask.nii.gz.json",
        "tensor/arcuate.json",
        "tracks.trx.json",
        "life/arcuate.json",
        "track_density.nii.gz.json",
        "connectome/arcuate.json",
    ];
    assert_eq!(steps, expected);
    // Every file has an entry, and every entry is a file.
    let mut named: Vec<String> = record["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["name"].as_str().unwrap().to_owned())
        .collect();
    named.extend(steps.iter().map(|&step| step.to_owned()));
    named.push("arcuate.json".to_owned());
    // This file identifies the run, so that the same command can continue it.
    named.push(".arcuate-run.json".to_owned());
    named.sort();
    let there: Vec<String> = brain.listing("out").into_iter().filter(|name| !name.ends_with('/')).collect();
    assert_eq!(named, there);
    // Each step reports its start.
    assert!(result.steps.contains(&"track tensor: follow the streamlines".to_owned()), "{:?}", result.steps);
    assert_eq!(
        result.steps.iter().filter(|step| step.ends_with(": read the series")).count(),
        1,
        "{:?}",
        result.steps
    );
}

#[test]
fn posterior_samples_are_computed_and_tracked() {
    let scratch = Scratch::with(small_brain());
    scratch.write(
        "r.toml",
        "[fit.ball-2-sticks]\nburn-in = 60\njumps = 60\ninterval = 6\n\n[track.samples]\nselect = 300\nmin-length = 15.0\n",
    );
    scratch.succeed(
        "run dwi.nii.gz --out out --tracking samples --recipe r.toml --evaluate commit --device cpu",
    );
    // In voxels with two sampled fibres, the evaluation uses both directions. It does not use the tensor's direction.
    let record = scratch.text("out/commit/arcuate.json");
    assert!(record.contains("ball-2-sticks/n2_samples.nii.gz") && !record.contains("principal_direction"));
    scratch.fail(
        "evaluate commit out/tracks.trx --dwi dwi.nii.gz --peaks out/ball-2-sticks --peaks-frame fsl --out no",
        2,
        "error: --peaks-frame: the orientations of a folder of samples are in axes that are known; leave it out",
    );
    for name in [
        "ball-2-sticks/n1_samples.nii.gz",
        "ball-2-sticks/f2_samples.nii.gz",
        "tracks.trx",
        "track_density.nii.gz",
    ] {
        assert!(scratch.path(&format!("out/{name}")).exists(), "{name}");
    }
    // The commands of `--dry-run` contain the options of the recipe.
    let lines = scratch
        .succeed("run dwi.nii.gz --out again --tracking samples --recipe r.toml --evaluate commit --dry-run");
    let steps: Vec<&str> = lines
        .lines()
        .filter(|line| line.contains(" fit ball-2-sticks ") || line.contains(" track samples "))
        .collect();
    assert_eq!(steps.len(), 2, "{lines}");
    assert!(lines.contains(" --peaks again/ball-2-sticks "), "{lines}");
    assert!(steps[0].contains("--method mcmc") && steps[1].contains("--select 300"), "{lines}");
    // The run sets the method of this stage, so a recipe cannot set it.
    scratch.write("m.toml", "[fit.ball-2-sticks]\nmethod = 'lm'\n");
    let result = scratch.run("run dwi.nii.gz --out wrong --tracking samples --recipe m.toml");
    assert!(
        result.errors.starts_with("error: m.toml, line 2: `method` is set by the run itself; leave it out"),
        "{}",
        result.errors
    );
}

/// The parts of a run can be computed by several machines. Together they give the files of one run.
#[test]
fn shares_of_a_run_add_up_to_the_run() {
    let brain = brain();
    brain.write(
        "r.toml",
        "[fit.ball-2-sticks]\nburn-in = 30\njumps = 30\ninterval = 6\n\n[track.samples]\nseeds = 400\nmin-length = 15.0\n",
    );
    let line = format!("{RUN} --tracking samples --recipe r.toml --evaluate none");
    assert_eq!(brain.run(&format!("{line} --out whole")).code, 0);
    let share = |share: &str| brain.run(&format!("{line} --out shared --share {share}"));
    let result = share("2/3");
    assert!(
        result.code == 2
            && result.errors.contains("error: --share: the results that tracking needs are missing"),
        "{}",
        result.errors
    );
    assert!(!brain.path("shared").exists());
    assert_eq!(share("prepare").code, 0);
    assert!(
        brain.path("shared/ball-2-sticks/arcuate.json").exists() && !brain.path("shared/tracks.trx").exists()
    );
    let again = share("prepare");
    assert!(again.code == 0 && again.output.contains("mask: done before"), "{}", again.output);
    for part in ["3/3", "1/3", "2/3"] {
        let result = share(part);
        assert!(
            result.code == 0 && result.output.contains(&format!("part {part}: ")),
            "{}{}",
            result.output,
            result.errors
        );
    }
    let result = brain.run(&format!("{line} --out shared"));
    assert!(
        result.code == 0 && result.output.contains("3 parts of this divided run already exist"),
        "{}{}",
        result.output,
        result.errors
    );
    let mut shared = untimed(brain.files("shared"));
    shared.retain(|name, _| !name.starts_with("tracks.trx.parts/"));
    assert!(shared == untimed(brain.files("whole")));
    // Three cases cannot be divided: tracking of tensors, a number of accepted streamlines, and a single stage.
    for (words, recipe, problem) in [
        (
            "--tracking tensor --share prepare",
            "",
            "error: --share: only streamlines through samples are followed in parts",
        ),
        ("--tracking samples --share prepare", "", "counts the accepted streamlines of the whole run"),
        (
            "--tracking samples",
            "[track.samples]\nseeds = 4\npart = '1/2'\n",
            "later stages need all streamlines",
        ),
        ("--tracking samples --share 0/2", "", "give prepare, or the number of a part"),
    ] {
        brain.write("other.toml", recipe);
        let result = brain.run(&format!("{RUN} {words} --recipe other.toml --out no"));
        assert!(result.code == 2 && result.errors.contains(problem), "{words}: {}", result.errors);
        assert!(!brain.path("no").exists(), "{words}");
    }
}

/// A repeated command keeps completed results and computes the others. The files equal those of an uninterrupted run.
#[test]
fn repeated_commands_continue_interrupted_runs() {
    let brain = brain();
    let run = format!("{RUN} --tracking tensor --select 40");
    assert_eq!(brain.run(&format!("{run} --out whole")).code, 0);
    assert_eq!(brain.run(&format!("{run} --out again")).code, 0);
    let whole = untimed(brain.files("whole"));
    let before = brain.files("again");
    let result = brain.run(&format!("{run} --out again"));
    assert!(
        result.code == 0 && result.output.contains("all of it is there already"),
        "{}{}",
        result.output,
        result.errors
    );
    assert_eq!(brain.files("again"), before, "nothing is done twice");
    // Simulates an interruption during the evaluation: removes files that would not have been written.
    for name in ["arcuate.json", "report.html", "life/arcuate.json", "life/life_weights.txt"] {
        std::fs::remove_file(brain.path(&format!("again/{name}"))).unwrap();
    }
    let result = brain.run(&format!("{run} --out again"));
    assert_eq!(result.code, 0, "{}", result.errors);
    let taken: Vec<&str> = result.output.lines().filter(|line| line.contains("done before")).collect();
    let due = ["mask", "fit tensor", "track tensor", "density", "connectome"];
    assert_eq!(taken.len(), due.len(), "{taken:?}");
    assert!(taken.iter().zip(due).all(|(line, name)| line.starts_with(&format!("{name}: "))), "{taken:?}");
    assert!(untimed(brain.files("again")) == whole, "other files than of a run that nobody ended");
    // A changed result is an error. A missing result is computed again.
    let tracks = brain.read("again/tracks.trx");
    brain.write("again/tracks.trx", &tracks[..tracks.len() / 2]);
    let result = brain.run(&format!("{run} --out again"));
    assert!(
        result.code == 2 && result.errors.contains("tracks.trx: it was changed after the run had written it"),
        "{}",
        result.errors
    );
    std::fs::remove_file(brain.path("again/tracks.trx")).unwrap();
    let result = brain.run(&format!("{run} --out again"));
    assert!(
        result.code == 0 && !result.output.contains("track tensor: done"),
        "{}{}",
        result.output,
        result.errors
    );
    assert!(result.output.contains("fit tensor: done before") && untimed(brain.files("again")) == whole);
    // A command with other options or data does not continue this run.
    let other = brain.run(&format!("{RUN} --tracking tensor --select 41 --out again"));
    assert!(other.code == 2 && other.errors.contains("it is there already"), "{}", other.errors);
    let changed = brain.text("dwi.bval").replacen("1000", "999", 1);
    brain.write("dwi.bval", changed);
    let other = brain.run(&format!("{run} --out again"));
    assert!(other.code == 2 && other.errors.contains("it is there already"), "{}", other.errors);
    assert_eq!(brain.run(&format!("{run} --out again --force")).code, 0);
}

/// The record of a continued run keeps the warnings of completed stages.
#[test]
fn warnings_of_reused_stages_are_kept() {
    let brain = brain();
    let run = format!("{RUN} --tracking tensor --select 40 --gradient-axes=-x,y,z --out out");
    assert_eq!(brain.run(&run).code, 0);
    let warnings = || {
        let record: Value = brain.json("out/arcuate.json");
        record["warnings"].as_array().unwrap().clone()
    };
    let before = warnings();
    assert!(!before.is_empty());
    std::fs::remove_file(brain.path("out/report.html")).unwrap();
    std::fs::remove_file(brain.path("out/arcuate.json")).unwrap();
    assert_eq!(brain.run(&run).code, 0);
    assert_eq!(warnings(), before);
}

#[cfg(unix)]
#[test]
fn killed_runs_continue() {
    let brain = brain();
    brain.write("r.toml", "[fit.ball-2-sticks]\nburn-in = 100\njumps = 200\ninterval = 10\n");
    let line = format!("{RUN} --tracking samples --recipe r.toml --select 40 --evaluate none --out killed");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("arcuate"))
        .args(line.split_whitespace())
        .current_dir(brain.path(""))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // Kills the run after the tensors are written, while the chains are being computed.
    let tensors = brain.path("killed/tensor/arcuate.json");
    let begun = std::time::Instant::now();
    while !tensors.exists() && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let result = brain.run(&line);
    assert!(
        result.code == 0 && result.output.contains("mask: done before"),
        "{}{}",
        result.output,
        result.errors
    );
    assert_eq!(brain.run(&line.replace("killed", "whole")).code, 0);
    assert!(untimed(brain.files("killed")) == untimed(brain.files("whole")));
}

#[test]
fn a_log_has_times_and_stages() {
    let brain = brain();
    let result =
        brain.run(&format!("{RUN} --tracking tensor --select 20 --evaluate none --out out --log run.log"));
    assert_eq!(result.code, 0, "{}", result.errors);
    let log = brain.text("run.log");
    assert!(log.contains(" stage 1 of 5: mask\n") && log.contains(" stage 5 of 5: connectome\n"), "{log}");
    assert!(log.lines().all(|line| line.len() > 21 && line.as_bytes()[19] == b'Z'), "{log}");
    brain.fail(
        "mask dwi.nii.gz --out x.nii --log dwi.bval",
        2,
        "error: dwi.bval: it is there already, and no log of Arcuate; choose another name",
    );
    let failed = brain.run("mask nothing.nii --out x.nii --log run.log");
    assert!(failed.code == 1 && brain.text("run.log").contains(" error: nothing.nii: no such file"));
    assert!(brain.text("run.log").starts_with(&log), "lines are added");
    brain.fail(
        "mask dwi.nii.gz --out x.nii --log no/such/folder.log",
        1,
        "error: no/such/folder.log: its folder does not exist; create the folder or choose another",
    );
}
