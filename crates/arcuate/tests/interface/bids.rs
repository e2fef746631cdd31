//! `arcuate bids`: data sets in the brain imaging data structure.

mod anatomy;
mod jobs;

use crate::common::{Scratch, small_brain};
use serde_json::Value;

/// Options of a fast run. Other tests check the streamlines.
const RUN: &str = "--tracking tensor --select 20 --evaluate none";

fn description(tool: &str, kind: &str) -> String {
    format!(
        r#"{{"Name": "test", "BIDSVersion": "1.9.0", "DatasetType": "{kind}", "GeneratedBy": [{{"Name": "{tool}", "Version": "1.2"}}]}}"#
    )
}

/// Copies the series and its mask to files with BIDS names.
fn series(scratch: &Scratch, folder: &str, name: &str) {
    for (from, to) in [
        ("dwi.nii.gz", "desc-preproc_dwi.nii.gz"),
        ("dwi.bval", "desc-preproc_dwi.bval"),
        ("dwi.bvec", "desc-preproc_dwi.bvec"),
        ("mask.nii.gz", "desc-brain_mask.nii.gz"),
    ] {
        scratch.write(&format!("{folder}/{name}_{to}"), scratch.read(from));
    }
}

/// Writes two participants, one of them with two sessions. The preprocessing tool is not QSIPrep.
fn cohort() -> Scratch {
    let scratch = Scratch::with(small_brain());
    scratch.write("data/dataset_description.json", description("prep", "derivative"));
    series(&scratch, "data/sub-01/ses-a/dwi", "sub-01_ses-a_space-T1w");
    series(&scratch, "data/sub-01/ses-b/dwi", "sub-01_ses-b_space-T1w");
    series(&scratch, "data/sub-02/dwi", "sub-02_space-T1w");
    scratch.write("data/desc-preproc_dwi.json", r#"{"EchoTime": 0.09, "SkullStripped": false}"#);
    let labels = scratch.read("labels.nii.gz");
    for place in ["sub-01/ses-a/dwi/sub-01_ses-a", "sub-02/dwi/sub-02"] {
        scratch.write(&format!("data/{place}_space-T1w_seg-regions_dseg.nii.gz"), &labels);
    }
    scratch
}

fn json(scratch: &Scratch, name: &str) -> Value {
    serde_json::from_str(&scratch.text(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn scans_are_processed_to_derivatives() {
    let cohort = cohort();
    let result = cohort.run(&format!("bids data out participant {RUN}"));
    assert_eq!(result.code, 0, "{}", result.errors);
    assert!(
        result.output.contains("test, made by prep 1.2") && result.output.contains("3 of 3 scans done"),
        "{}",
        result.output
    );
    let listing = cohort.listing("out");
    for name in [
        "dataset_description.json",
        "sub-01/ses-a/dwi/sub-01_ses-a_space-T1w_model-tensor_param-fa_dwimap.nii.gz",
        "sub-01/ses-b/dwi/sub-01_ses-b_space-T1w_model-tensor_param-fa_dwimap.nii.gz",
        "sub-02/dwi/sub-02_space-T1w_model-tensor_param-md_dwimap.nii.gz",
    ] {
        assert!(listing.iter().any(|there| there == name), "{name} is not in {listing:#?}");
    }
    let of_results = cohort.read("out/.arcuate/sub-02_space-T1w/results/tensor/fa.nii.gz");
    let fa = "sub-02/dwi/sub-02_space-T1w_model-tensor_param-fa_dwimap.nii.gz";
    assert_eq!(cohort.read(&format!("out/{fa}")), of_results);
    let made_by = &json(&cohort, "out/dataset_description.json")["GeneratedBy"][0]["Name"];
    assert_eq!(made_by, "arcuate");
    // A scan has a connectome only if it has an atlas.
    let matrices = |place: &str| {
        listing.iter().filter(|name| name.starts_with(place) && name.contains("_relmat")).count()
    };
    assert!(
        matrices("sub-02/") > 0 && matrices("sub-01/ses-a/") > 0 && matrices("sub-01/ses-b/") == 0,
        "{listing:#?}"
    );
    // The streamlines of a scan are the same as those of the command `run`.
    let run = "run data/sub-02/dwi/sub-02_space-T1w_desc-preproc_dwi.nii.gz --mask data/sub-02/dwi/sub-02_space-T1w_desc-brain_mask.nii.gz";
    assert_eq!(cohort.run(&format!("{run} {RUN} --out alone")).code, 0);
    let of_run = cohort.read("out/.arcuate/sub-02_space-T1w/results/tracks.trx");
    assert!(cohort.read("alone/tracks.trx") == of_run, "other streamlines");

    let status = cohort.succeed("bids status out");
    assert!(status.contains("3 scans: 3 done") && status.contains("sub-01_ses-b_space-T1w"), "{status}");
    let states: Value = serde_json::from_str(&cohort.succeed("bids status out --json")).unwrap();
    assert_eq!((states.as_array().unwrap().len(), &states[0]["stage"]), (3, &Value::from("done")));

    // Completed scans are not repeated with the same options. They are repeated with other options.
    let before = cohort.files("out/sub-02");
    let result = cohort.run(&format!("bids data out participant {RUN}"));
    assert!(
        result.code == 0 && result.output.matches("all of it is there already").count() == 3,
        "{}{}",
        result.output,
        result.errors
    );
    assert_eq!(cohort.files("out/sub-02"), before);
    let result = cohort.run(
        "bids data out participant --participant-label 02 --tracking tensor --select 10 --evaluate none",
    );
    assert!(
        result.code == 0 && !result.output.contains("there already"),
        "{}{}",
        result.output,
        result.errors
    );
    assert_ne!(cohort.files("out/sub-02"), before);

    let result = cohort.run("bids data out group");
    assert_eq!(result.code, 0, "{}", result.errors);
    assert!(result.output.contains("3 of 3 scans have results in the tables"), "{}", result.output);
    let table = cohort.text("out/phenotype/arcuate.tsv");
    assert!(table.starts_with("participant_id\t") && table.lines().count() == 4, "{table}");
    assert!(table.contains("\techo_time\t") && table.contains("\t0.09\t"), "{table}");
    assert_eq!(json(&cohort, "out/phenotype/arcuate.json")["echo_time"]["Units"], "s");
}

#[test]
fn participants_sessions_and_filters_select_scans() {
    let cohort = cohort();
    let done = |words: &str| -> Vec<String> {
        let result = cohort.run(&format!("bids data out participant {RUN} {words} --force"));
        assert_eq!(result.code, 0, "{words}: {}", result.errors);
        let begun = |line: &str| {
            line.split_once(" (").map(|(id, _)| id.to_owned()).filter(|id| id.starts_with("sub-"))
        };
        result.output.lines().filter_map(begun).collect()
    };
    assert_eq!(done("--participant-label sub-02"), ["sub-02_space-T1w"]);
    assert_eq!(done("--participant_label 01 --session-label b"), ["sub-01_ses-b_space-T1w"]);
    assert_eq!(done("--scan sub-01_ses-b_space-T1w"), ["sub-01_ses-b_space-T1w"]);
    // The labels of these two participants would select three scans.
    let two = ["sub-01_ses-a_space-T1w", "sub-02_space-T1w"];
    assert_eq!(done("--scan sub-02_space-T1w sub-01_ses-a_space-T1w"), two);
    cohort.write("filter.json", r#"{"t1w": {}, "dwi": {"session": [null, "a"], "datatype": "dwi"}}"#);
    assert_eq!(done("--bids-filter-file filter.json"), ["sub-01_ses-a_space-T1w", "sub-02_space-T1w"]);
    cohort.fail(
        &format!("bids data other participant {RUN} --participant-label 03"),
        2,
        "error: --participant-label: there is no participant 03; give some of 01, 02",
    );
    cohort.fail(
        &format!("bids data other participant {RUN} --scan sub-01_ses-a_space-T1w sub-02"),
        2,
        "error: --scan: there is no scan sub-02; give some of sub-01_ses-a_space-T1w, sub-01_ses-b_space-T1w, sub-02_space-T1w",
    );
    cohort.write("filter.json", r#"{"dwi": {"colour": "red"}}"#);
    cohort.fail(
        "bids data other participant --bids-filter-file filter.json",
        1,
        "error: filter.json: `colour` is not an entity of a series; give one of subject, session, \
         acquisition, reconstruction, direction, run, echo, part, chunk, space, resolution, res, desc, \
         description",
    );
    cohort.fail(
        "bids data other participant --session-label z",
        2,
        "error: --session-label: there is no session z; give some of a, b",
    );
    cohort.write("filter.json", r#"{"dwi": {"space": "MNI"}}"#);
    cohort.fail(
        "bids data other participant --bids-filter-file filter.json",
        1,
        "error: data: no series matches the request (sub-*/[ses-*/]dwi/*_desc-preproc_dwi.nii.gz); check \
         the labels of participants and sessions, and the filter file",
    );
    let workflow = cohort.run("bids data other participant --workflow jobs");
    assert!(
        workflow.code == 2 && workflow.errors.contains("a workflow does both levels"),
        "{}",
        workflow.errors
    );
}

/// Damages a data set.
type Spoil<'a> = &'a dyn Fn(&Scratch);

/// In each case, one part of the data set is missing or wrong. The scan fails with one line, and the other scans
/// are processed.
#[test]
fn failing_scans_do_not_stop_the_others() {
    let series = "data/sub-01/ses-a/dwi/sub-01_ses-a_space-T1w_desc-preproc_dwi";
    let broken: [(&str, Spoil<'_>); 6] = [
        ("there is no .bvec file for this series in its folder or in a folder above", &|cohort| {
            std::fs::remove_file(cohort.path(&format!("{series}.bvec"))).unwrap();
        }),
        ("2 b-values for 14 volumes", &|cohort| cohort.write(&format!("{series}.bval"), "0 1000\n")),
        ("sidecar", &|cohort| cohort.write(&format!("{series}.json"), r#"{"Space": "MNI"}"#)),
        ("the file is not a JSON object", &|cohort| cohort.write(&format!("{series}.json"), "{")),
        ("desc-preproc_dwi.nii.gz: ", &|cohort| cohort.write(&format!("{series}.nii.gz"), "no image")),
        ("BIDS allows only one", &|cohort| {
            cohort.write("data/space-T1w_dwi.json", "{}");
            cohort.write("data/desc-preproc_dwi.json", "{}");
        }),
    ];
    for (line, spoil) in broken {
        let cohort = cohort();
        spoil(&cohort);
        let result = cohort.run(&format!("bids data out participant {RUN} --participant-label 01 02"));
        assert_eq!(result.code, 1, "{line}: {}", result.errors);
        let failed =
            result.errors.lines().find(|line| line.contains("_ses-a_") && line.contains(": failed: "));
        assert!(failed.is_some_and(|told| told.contains(line)), "{line}: {}", result.errors);
        let all = line.contains("allows only one");
        assert!(all || result.output.contains("2 of 3 scans done"), "{line}: {}", result.output);
        let status = cohort.run("bids status out");
        assert!(
            status.output.contains("failed") && status.output.contains(line),
            "{line}: {}",
            status.output
        );
        assert!(
            status.code == 1 && status.errors.contains("scans failed or were interrupted"),
            "{}",
            status.errors
        );
        if !all {
            let group = cohort.run("bids data out group");
            assert!(
                group.code == 1
                    && group.output.contains("2 of 3 scans have results in the tables")
                    && group.errors.contains("1 of 3 scans failed and have no results in the tables"),
                "{}",
                group.errors
            );
        }
    }
}

#[test]
fn invalid_requests_are_rejected() {
    let cohort = cohort();
    cohort.fail(
        "bids nothing out participant",
        2,
        "error: nothing: there is no such folder; give the root of a BIDS data set",
    );
    cohort.fail("bids . out participant", 1, "error: .: it has no dataset_description.json; give the root of a BIDS data set, or of the derivatives of one");
    cohort.write("raw/dataset_description.json", description("", "raw"));
    cohort.fail("bids raw out participant", 2, "error: raw: its series are as the scanner gave them; give the data set of a preprocessing (QSIPrep's), or say --raw where movement, eddy currents and distortion do not matter");
    cohort.fail(
        "bids data out group",
        1,
        "error: out/.arcuate: no scan was begun; do level `participant` first",
    );
    cohort.fail(
        "bids status data",
        1,
        "error: data: the folder has no work of `arcuate bids`; give the \
                                        root of its derivatives, or its --work-dir",
    );
    let small = cohort.run(&format!("bids data out participant {RUN} --participant-label 02 --mem-mb 100"));
    assert!(
        small.code == 1 && small.errors.contains("this scan needs about"),
        "{}{}",
        small.output,
        small.errors
    );
}

/// With `--raw`, raw series are accepted. Their gradient tables may be in a folder above.
#[test]
fn gradient_tables_are_inherited() {
    let scratch = Scratch::with(small_brain());
    scratch.write("raw/dataset_description.json", description("", "raw"));
    scratch.write("raw/sub-1/dwi/sub-1_dwi.nii.gz", scratch.read("dwi.nii.gz"));
    scratch.write("raw/dwi.bval", scratch.read("dwi.bval"));
    scratch.write("raw/sub-1/sub-1_dwi.bvec", scratch.read("dwi.bvec"));
    scratch.write("raw/participants.tsv", "participant_id\tage\nsub-2\t30\n");
    let result = scratch.run(&format!("bids raw out participant --raw {RUN}"));
    assert_eq!(result.code, 0, "{}", result.errors);
    assert!(result.errors.contains("the table of participants has no row for sub-1"), "{}", result.errors);
    let quiet = scratch.run(&format!("bids raw out participant --raw --skip-bids-validation {RUN}"));
    assert!(quiet.code == 0 && !quiet.errors.contains("no row"), "{}", quiet.errors);
}

/// QSIPrep's `.bvec` is along the image axes for any determinant, and its `.b` is in scanner axes. Both give the
/// same directions.
#[test]
fn qsiprep_directions_are_not_mirrored() {
    let scratch = Scratch::with(small_brain());
    let bvec = scratch.text("dwi.bvec");
    // This image has a positive determinant, so FSL's `.bvec` reverses x. QSIPrep's `.bvec` does not.
    let rows: Vec<Vec<f64>> = bvec
        .lines()
        .map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect())
        .collect();
    let text = |rows: &[Vec<f64>]| -> String {
        let line = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(" ") + "\n";
        rows.iter().map(line).collect::<Vec<_>>().concat()
    };
    let turned: Vec<Vec<f64>> = vec![rows[0].iter().map(|x| -x).collect(), rows[1].clone(), rows[2].clone()];
    let b: Vec<f64> = scratch.text("dwi.bval").split_whitespace().map(|word| word.parse().unwrap()).collect();
    let table: Vec<String> = (0..b.len())
        .map(|n| format!("{} {} {} {}\n", turned[0][n], turned[1][n], turned[2][n], b[n]))
        .collect();
    let table = table.concat();
    let fa_of = |tool: &str, files: &[(&str, &str)]| {
        let scratch = Scratch::with(small_brain());
        scratch.write("data/dataset_description.json", description(tool, "derivative"));
        series(&scratch, "data/sub-1/dwi", "sub-1_space-ACPC");
        std::fs::remove_file(scratch.path("data/sub-1/dwi/sub-1_space-ACPC_desc-preproc_dwi.bvec")).unwrap();
        for (ending, text) in files {
            scratch.write(&format!("data/sub-1/dwi/sub-1_space-ACPC_desc-preproc_dwi{ending}"), text);
        }
        let result = scratch.run(&format!("bids data out participant {RUN}"));
        assert_eq!(result.code, 0, "{tool}: {}", result.errors);
        scratch.read("out/.arcuate/sub-1_space-ACPC/results/tensor/principal_direction.nii.gz")
    };
    let due = fa_of("prep", &[(".bvec", &bvec)]);
    assert!(fa_of("qsiprep", &[(".bvec", &text(&turned))]) == due, "its .bvec");
    assert!(fa_of("qsiprep", &[(".bvec", &text(&turned)), (".b", &table)]) == due, "its .b");
    assert!(fa_of("qsiprep", &[(".bvec", &bvec)]) != due, "FSL's there is another table");
}

#[test]
fn a_workflow_is_written() {
    let cohort = cohort();
    let result = cohort.run(&format!(
        "bids data out --workflow jobs {RUN} --threads 4 --jobs-per-gpu 2 --device-memory 8GiB"
    ));
    assert_eq!(result.code, 0, "{}", result.errors);
    for line in cohort.text("jobs/config.yaml").lines().filter(|line| line.contains("/data/sub-")) {
        let path = line.trim().trim_start_matches("- ").trim_matches(|c: char| "\"[],".contains(c));
        assert!(path.split("\", \"").all(|path| std::path::Path::new(path).exists()), "{line}");
    }
    let again = cohort.run("bids data out --workflow jobs");
    assert!(again.code == 2 && again.errors.contains("it is there already"), "{}", again.errors);
    let (rules, config) = (cohort.text("jobs/Snakefile"), cohort.text("jobs/config.yaml"));
    assert!(rules.contains("rule participant") && rules.contains("rule group"), "{rules}");
    assert!(config.contains("sub-01_ses-b_space-T1w") && config.contains("--select"), "{config}");
    assert!(config.contains("\ngroup_options: []\n"), "{config}");
    assert!(!cohort.path("out").exists());
}

#[test]
fn atlases_of_other_derivatives_are_found() {
    let cohort = cohort();
    cohort.write("other/dataset_description.json", description("qsirecon", "derivative"));
    let regions = cohort.read("labels.nii.gz");
    for label in ["fine", "coarse"] {
        let name = format!("other/sub-02/dwi/sub-02_space-T1w_seg-{label}_dseg");
        cohort.write(&format!("{name}.nii.gz"), &regions);
        cohort.write(&format!("{name}.tsv"), "index\tname\n1\tone\n2\ttwo\n");
    }
    cohort.write("other/sub-02/anat/sub-02_space-MNI_seg-far_dseg.nii.gz", &regions);
    let words = format!("bids data out participant {RUN} --participant-label 02 --derivatives other");
    let several = cohort.run(&words);
    assert!(
        several.code == 0 && several.output.contains("several atlases"),
        "{}{}",
        several.output,
        several.errors
    );
    assert!(!cohort.listing("out").iter().any(|name| name.contains("_relmat")));
    let one = cohort.run(&format!("{words} --atlas coarse"));
    assert_eq!(one.code, 0, "{}", one.errors);
    assert!(
        cohort.listing("out").iter().any(|name| name.contains("coarse") && name.contains("_relmat")),
        "{:#?}",
        cohort.listing("out")
    );
    let far = cohort.run(&format!("{words} --atlas far"));
    assert!(
        far.code == 1
            && far.errors.contains(
                "there is no segmentation *_dseg with the label far in the \
                                              space T1w"
            ),
        "{}",
        far.output
    );
}

#[test]
fn the_work_folder_can_be_elsewhere() {
    let cohort = cohort();
    cohort.write("cutoff.toml", "[track.tensor]\ncutoff = 0.3\n");
    let words = format!("bids data out participant {RUN} --participant-label 02 --work-dir work");
    let tracks = |more: &str| {
        assert_eq!(cohort.run(&format!("{words} {more}")).code, 0);
        cohort.read("work/sub-02_space-T1w/results/tracks.trx")
    };
    let usual = tracks("");
    assert!(usual != tracks("--recipe cutoff.toml") && usual != tracks("--random-seed 1"));
    assert!(cohort.succeed("bids status work").contains("1 done") && !cohort.path("out/.arcuate").exists());
    assert_eq!(cohort.run("bids data out group --work-dir work").code, 0);
}

/// Finished scans are kept if another scan fails. Files that Arcuate did not write are kept in the work folder.
#[test]
fn finished_scans_and_foreign_files_are_kept() {
    let cohort = cohort();
    let words = format!("bids data out participant {RUN}");
    assert_eq!(cohort.run(&words).code, 0);
    cohort.write("out/.arcuate/sub-02_space-T1w/results/mine.txt", "mine");
    let done = cohort.files("out/sub-02");
    // An invalid recipe is reported before any result is removed.
    cohort.write("bad.toml", "[track.tensor]\ncutoff = 5.0\n");
    let bad = cohort.run(&format!("{words} --recipe bad.toml"));
    assert_eq!(bad.code, 1, "{}", bad.errors);
    assert!(cohort.path("out/.arcuate/sub-02_space-T1w/results/tensor/fa.nii.gz").exists());
    assert_eq!(cohort.files("out/sub-02"), done);
    // A run with other options replaces the earlier results, but keeps files that Arcuate did not write.
    let other = cohort.run("bids data out participant --tracking tensor --select 10 --evaluate none");
    assert_eq!(other.code, 0, "{}", other.errors);
    assert_eq!(cohort.text("out/.arcuate/sub-02_space-T1w/results/mine.txt"), "mine");
    // An absolute path to the same folders gives the same run.
    let absolute = words.replace("data out", &format!("{0}/data {0}/out", cohort.path("").display()));
    assert_eq!(cohort.run(&words).code, 0);
    let again = cohort.run(&absolute);
    assert!(
        again.output.matches("all of it is there already").count() == 3,
        "{}{}",
        again.output,
        again.errors
    );
    // The state of a scan that can no longer be processed still lists the files that were written.
    std::fs::remove_file(cohort.path("data/sub-02/dwi/sub-02_space-T1w_desc-preproc_dwi.bvec")).unwrap();
    assert_eq!(cohort.run(&words).code, 1);
    let status = cohort.run("bids status out --json");
    assert_eq!(status.code, 1, "{}", status.errors);
    let states: Value = serde_json::from_str(&status.output).unwrap();
    let stages: Vec<&str> =
        states.as_array().unwrap().iter().map(|state| state["stage"].as_str().unwrap()).collect();
    assert_eq!(stages, ["done", "done", "failed"]);
    assert!(states[2]["files"].as_array().unwrap().len() > 5);
    cohort.write("out/.arcuate/sub-01_ses-a_space-T1w/state.json", "{");
    assert!(
        cohort
            .run("bids status out")
            .output
            .contains("state.json: it is not a saved state of Arcuate; delete it, and run this scan again")
    );
    for (option, code) in [("--atlas x", 2), ("--mem-mb 3", 2)] {
        assert_eq!(cohort.run(&format!("bids data out group {option}")).code, code, "{option}");
    }
}
