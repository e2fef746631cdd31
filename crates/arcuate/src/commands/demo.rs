use super::{run, simulate};
use crate::grammar::Grammar;
use crate::meanings;
use crate::numbers::one_or_more;
use crate::record::{Record, Table};
use crate::references;
use arcuate_core::Result;
use arcuate_io::{read_tractogram, read_volume, read_weights};
use arcuate_phantom::{Comparison, ComparisonOptions, Score, compare_with_truth};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::run::{Filled, LIFE, LIFE_WEIGHTS, PRINCIPAL_DIRECTION, TENSORS, TRACTS, finish};
use arcuate_pipeline::stages::life;
use arcuate_report::human;
use clap::Args;
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;

/// Names of key figures.
const BUNDLES_FOUND: &str = "bundles found, all → supported streamlines";
const FALSE_CONNECTIONS: &str = "false connections, all → supported";
const ANGULAR_ERROR: &str = "median angular error, single-bundle voxels";
/// The figures that a reader should see first.
const KEY_FIGURES: [&str; 5] =
    [BUNDLES_FOUND, FALSE_CONNECTIONS, ANGULAR_ERROR, life::RMSE_WITHOUT, life::RMSE_WITH];

/// Simulate a small brain, run the pipeline on it, and compare with the truth
///
/// Runs `simulate` into OUT/brain and `run --tracking tensor` into OUT/results. Compares the result with the truth:
/// bundles found, false connections, angular error. The report is OUT/results/report.html.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Output: folder for the brain and the results
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    brain: simulate::BrainArgs,
    #[arg(long, help = meanings::SELECT, value_name = "N", default_value_t = 20_000, value_parser = one_or_more::<u64>)]
    select: u64,
}

impl Demo {
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        let phantom = self.brain.write_to(&self.out.join("brain"), simulate::Beside::default(), job)?;
        let run = run::of_words(self.run_words());
        let title = "A simulated brain, and what Arcuate finds in it";
        let Filled::Now(folder, mut record) = run.work(title, false, job, grammar)? else {
            // Its brain is made anew each time, and refused where there is one.
            return Ok(());
        };
        let results = |name: &str| folder.path().join(name);
        let comparison = job.step("compare with the truth", || {
            let tracks = read_tractogram(&results(TRACTS))?.tractogram;
            let weights = read_weights(&results(LIFE).join(LIFE_WEIGHTS))?;
            let principal = read_volume(&results(TENSORS).join(PRINCIPAL_DIRECTION))?;
            let options = ComparisonOptions::default();
            compare_with_truth(&phantom, &tracks, Some(&weights), Some(&principal), &options)
        })?;
        record.cite(references::SIMULATE);
        note(&comparison, &mut record);
        for line in in_words(&comparison, &record) {
            job.say(line);
        }
        record.done(format!(
            "A small brain with {} known connections was simulated, the whole job done on it (mask, tensors, streamlines, LiFE, \
             connectome), and the result compared with the truth.",
            comparison.before.bundles.len()
        ));
        record.keep_key_figures(&KEY_FIGURES);
        finish(&folder, &mut record, None, job)
    }

    /// `arcuate run` on the simulated brain, along tensors, which takes seconds: distributions and COMMIT take minutes.
    fn run_words(&self) -> Vec<OsString> {
        let brain = |name: &str| self.out.join("brain").join(name).into_os_string();
        vec![
            brain("dwi.nii.gz"),
            "--labels".into(),
            brain("labels.nii.gz"),
            "--label-names".into(),
            brain("labels.txt"),
            "--select".into(),
            self.select.to_string().into(),
            "--tracking".into(),
            "tensor".into(),
            "--out".into(),
            self.out.join("results").into_os_string(),
        ]
    }
}

/// The comparison as lines for the screen.
fn in_words(comparison: &Comparison, record: &Record) -> Vec<String> {
    let (all, supported) = (&comparison.before, comparison.after.as_ref());
    let bundles = all.bundles.len();
    let count = |n: usize| human::count(n as u64);
    let mut lines = vec!["compared with the truth:".to_owned()];
    let mut found = format!("{} of {bundles} connections found", all.bundles_found());
    let mut wrong = format!("{} streamlines join regions that nothing joins", count(all.invalid));
    if let Some(supported) = supported {
        found = format!("{found}, {} of {bundles} by supported streamlines", supported.bundles_found());
        let removed = 100.0 * (1.0 - supported.invalid as f64 / all.invalid.max(1) as f64);
        if all.invalid > 0 {
            let left = count(supported.invalid);
            wrong = format!("{wrong}; LiFE leaves {left} of them ({removed:.0} % removed)");
        }
    }
    lines.extend([found, wrong]);
    if let Some(error) = comparison.median_angular_error {
        let voxels = count(comparison.single_bundle_voxels);
        lines.push(format!(
            "main directions are {error:.2}° off in the median, in {voxels} voxels of a single bundle"
        ));
    }
    let figure = |name| record.figures.0.iter().find(|(known, _)| known == name).map(|(_, f)| f.shown());
    if let (Some(without), Some(with)) = (figure(life::RMSE_WITHOUT), figure(life::RMSE_WITH)) {
        lines.push(format!(
            "the signal is explained to {without} without streamlines and to {with} with them (mean RMSE)"
        ));
    }
    let heading = lines.remove(0);
    std::iter::once(heading).chain(lines.into_iter().map(|line| format!("  {line}"))).collect()
}

/// Puts the comparison into the key figures and, in full, into tables.
fn note(comparison: &Comparison, record: &mut Record) {
    let before = &comparison.before;
    let after = comparison.after.as_ref();
    // Before and after LiFE.
    let both = |of: &dyn Fn(&Score) -> String| match after {
        Some(after) => format!("{} → {}", of(before), of(after)),
        None => of(before),
    };
    let bundles = before.bundles.len();
    record.figure(BUNDLES_FOUND, both(&|s| format!("{} of {bundles}", s.bundles_found())));
    record.figure(
        "share of valid connections, all → supported",
        both(&|s| format!("{:.1} %", 100.0 * s.valid_share)),
    );
    record.figure(FALSE_CONNECTIONS, both(&|s| human::count(s.invalid as u64)));
    record.figure(
        "region pairs joined falsely, all → supported",
        both(&|s| s.false_connections.len().to_string()),
    );
    if let Some(error) = comparison.median_angular_error {
        let voxels = human::count(comparison.single_bundle_voxels as u64);
        record.figure(ANGULAR_ERROR, format!("{error:.2}° in {voxels} voxels"));
    }
    let scores = || std::iter::once(("all", before)).chain(after.map(|after| ("supported", after)));
    record.tables.push(Table {
        title: "Compared with the truth".into(),
        section: String::new(),
        text: "What became of the streamlines: a valid connection joins the two regions of a bundle along its course; an \
               invalid one joins regions that no bundle joins."
            .into(),
        columns: [
            "streamlines",
            "number",
            "valid",
            "off course",
            "invalid",
            "within one region",
            "an end in no region",
            "overlap",
            "overreach",
        ]
        .map(String::from)
            .to_vec(),
        rows: scores()
            .map(|(name, s)| {
                vec![
                    name.into(),
                    s.streamlines.into(),
                    s.valid.into(),
                    s.off_course.into(),
                    s.invalid.into(),
                    s.within_region.into(),
                    s.unconnected.into(),
                    s.mean_overlap().into(),
                    s.mean_overreach().into(),
                ]
            })
            .collect(),
    });
    record.tables.push(Table {
        title: "Bundles".into(),
        section: String::new(),
        text: "Valid connections of each bundle, the share of its volume that they pass, and the volume they pass \
               without belonging there."
            .into(),
        columns: ["bundle", "streamlines", "supported", "overlap", "overreach"].map(String::from).to_vec(),
        rows: before
            .bundles
            .iter()
            .enumerate()
            .map(|(n, bundle)| {
                vec![
                    bundle.name.clone().into(),
                    bundle.streamlines.into(),
                    after.map_or(Value::Null, |after| after.bundles[n].streamlines.into()),
                    bundle.overlap.into(),
                    bundle.overreach.into(),
                ]
            })
            .collect(),
    });
    if !before.false_connections.is_empty() {
        let supported = |regions| {
            let of = |after: &Score| {
                after.false_connections.iter().find(|f| f.regions == regions).map_or(0, |f| f.streamlines)
            };
            after.map_or(Value::Null, |after| of(after).into())
        };
        record.tables.push(Table {
            title: "False connections".into(),
            section: String::new(),
            text: "Region pairs that streamlines join though no bundle does, most first; of the supported only those \
                   pairs that are still worth naming."
                .into(),
            columns: ["from", "to", "streamlines", "supported"].map(String::from).to_vec(),
            rows: before
                .false_connections
                .iter()
                .map(|f| {
                    let (from, to) = f.names.clone();
                    vec![from.into(), to.into(), f.streamlines.into(), supported(f.regions)]
                })
                .collect(),
        });
    }
}
