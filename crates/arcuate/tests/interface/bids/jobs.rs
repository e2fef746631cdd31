//! Each scan is a separate job. Several scans of a participant are processed at the same time.

use super::{RUN, cohort, json, series};
use crate::common::{CommandOutput, Files, Scratch};

/// Writes a participant with two sessions. One session has two runs and two directions, and one of these series has
/// no gradient table.
fn participant() -> Scratch {
    let scratch = cohort();
    for folder in ["data/sub-01", "data/sub-02"] {
        std::fs::remove_dir_all(scratch.path(folder)).unwrap();
    }
    for entities in ["dir-AP_run-1", "dir-AP_run-2", "dir-PA_run-1", "dir-PA_run-2"] {
        series(&scratch, "data/sub-02/ses-a/dwi", &format!("sub-02_ses-a_{entities}_space-T1w"));
    }
    series(&scratch, "data/sub-02/ses-b/dwi", "sub-02_ses-b_space-T1w");
    let broken = "data/sub-02/ses-a/dwi/sub-02_ses-a_dir-PA_run-2_space-T1w_desc-preproc_dwi.bvec";
    std::fs::remove_file(scratch.path(broken)).unwrap();
    scratch
}

/// Runs several jobs at the same time. Each line contains the options of one job.
fn at_once(scratch: &Scratch, lines: &[&str]) -> Vec<CommandOutput> {
    std::thread::scope(|scope| {
        let job = |line: &&str| {
            let words = format!("bids data out participant {line} {RUN} --threads 1");
            scope.spawn(move || scratch.run(&words))
        };
        let running: Vec<_> = lines.iter().map(job).collect();
        running.into_iter().map(|job| job.join().unwrap()).collect()
    })
}

/// Returns the files of the derivatives, without the files that contain paths or times.
fn derivatives(scratch: &Scratch) -> Files {
    let is_of_its_own = |name: &str| {
        name.starts_with(".arcuate/") || name.contains(".html") || name == "dataset_description.json"
    };
    scratch.files("out").into_iter().filter(|(name, _)| !is_of_its_own(name)).collect()
}

#[test]
fn scans_of_one_participant_are_independent_jobs() {
    let one_by_one = participant();
    let workflow = one_by_one.run("bids data out --workflow jobs --session-label a b");
    let told = "run-2_space-T1w: the scan cannot be processed and gets no job: ";
    assert!(workflow.code == 0 && workflow.errors.contains(told), "{}", workflow.errors);
    let text = one_by_one.text("jobs/jobs.txt");
    let lines: Vec<&str> = text.lines().collect();
    let due = ["a_dir-AP_run-1", "a_dir-AP_run-2", "a_dir-PA_run-1", "b"];
    assert_eq!(lines, due.map(|scan| format!("--scan sub-02_ses-{scan}_space-T1w")));
    let group = "\ngroup_options: [\"--session-label\", \"a\", \"b\"]\n";
    assert!(one_by_one.text("jobs/config.yaml").contains(group));
    for line in &lines {
        // The scan that cannot be processed does not affect other scans.
        let result = one_by_one.run(&format!("bids data out participant {line} {RUN}"));
        assert!(result.code == 0 && result.output.contains("1 of 1 scans done"), "{line}: {}", result.errors);
    }
    let due = derivatives(&one_by_one);
    for _ in 0..2 {
        let together = participant();
        for result in at_once(&together, &lines) {
            assert_eq!(result.code, 0, "{}", result.errors);
        }
        assert_eq!(derivatives(&together).keys().collect::<Vec<_>>(), due.keys().collect::<Vec<_>>());
        let differ = due.iter().find(|(name, bytes)| derivatives(&together)[*name] != **bytes);
        assert_eq!(differ.map(|(name, _)| name), None);
        let states = json_of_status(&together);
        assert_eq!(
            states,
            [
                ("a_dir-AP_run-1", "done"),
                ("a_dir-AP_run-2", "done"),
                ("a_dir-PA_run-1", "done"),
                ("b", "done")
            ]
            .map(|(scan, stage)| (format!("sub-02_ses-{scan}_space-T1w"), stage.to_owned()))
        );
        assert_eq!(
            json(&together, "out/dataset_description.json")["GeneratedBy"].as_array().unwrap().len(),
            1
        );
    }
    // The page of the group states why one scan has no job.
    let group = one_by_one.run("bids data out group");
    assert!(
        group.code == 0 && group.output.contains("4 of 5 scans have results in the tables"),
        "{}",
        group.errors
    );
    assert!(
        one_by_one
            .text("out/group.html")
            .contains("there is no .bvec file for this series in its folder or in a folder above")
    );
}

/// Returns the scans with their states.
fn json_of_status(scratch: &Scratch) -> Vec<(String, String)> {
    let states: Vec<serde_json::Value> =
        serde_json::from_str(&scratch.succeed("bids status out --json")).unwrap();
    let text = |state: &serde_json::Value, key: &str| state[key].as_str().unwrap().to_owned();
    states.iter().map(|state| (text(state, "scan"), text(state, "stage"))).collect()
}

/// If two jobs get the same scan at the same time, only one of them processes it.
#[test]
fn scans_are_processed_by_one_job_at_a_time() {
    let scratch = participant();
    let twice = ["--scan sub-02_ses-b_space-T1w"; 2];
    let result = at_once(&scratch, &twice);
    // Both succeed if the first has finished before the second begins.
    let waited =
        result.iter().filter(|result| result.errors.contains("another arcuate is at work on this scan"));
    let done = result.iter().filter(|result| result.code == 0).count();
    assert_eq!(done + waited.count(), 2, "{}{}", result[0].errors, result[1].errors);
    assert!(done > 0);
    assert_eq!(json_of_status(&scratch), [("sub-02_ses-b_space-T1w".to_owned(), "done".to_owned())]);
}

/// The shares of several jobs give the same derivatives as one job.
#[test]
fn shares_of_a_scan_add_up_to_the_scan() {
    const SHARED: &str = "--tracking samples --evaluate none --recipe r.toml";
    let ready = || {
        let scratch = cohort();
        let recipe = "[fit.ball-2-sticks]\nburn-in = 10\njumps = 10\ninterval = 5\n[track.samples]\nseeds = 300\nmin-length = 15.0\n";
        scratch.write("r.toml", recipe);
        scratch
    };
    let (whole, shared) = (ready(), ready());
    let line = format!("bids data out participant --scan sub-02_space-T1w {SHARED}");
    let share = |share: &str| shared.run(&format!("{line} --share {share}"));
    assert_eq!(whole.run(&line).code, 0);
    let early = share("1/2");
    assert!(
        early.code == 1 && early.errors.contains("first run the command with --share prepare"),
        "{}",
        early.errors
    );
    for (words, result) in [
        ("prepare", "share prepare: 1 of 1 scans done"),
        ("2/2", "share 2/2: 1 of 1 scans done"),
        ("1/2", "share 1/2: 1 of 1 scans done"),
    ] {
        let done = share(words);
        assert!(done.code == 0 && done.output.contains(result), "{}{}", done.output, done.errors);
        assert!(!shared.path("out/sub-02").exists());
    }
    let done = shared.run(&line);
    assert!(
        done.code == 0 && done.output.contains("2 parts of this divided run already exist"),
        "{}{}",
        done.output,
        done.errors
    );
    assert!(derivatives(&shared) == derivatives(&whole));
    assert!(!shared.files("out/.arcuate").keys().any(|name| name.contains(".parts/")));
    // A workflow contains the shares.
    shared.succeed(&format!("bids data out --workflow jobs {SHARED} --shares 8"));
    assert!(shared.text("jobs/config.yaml").contains("\nshares: 8\n"));
    let result = shared.run(&format!("bids data out --workflow more {SHARED} --share 1/8"));
    assert_eq!(result.code, 2, "{}", result.errors);
}
