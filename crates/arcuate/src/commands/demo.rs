use super::{run, simulate};
use crate::grammar::Grammar;
use crate::meanings;
use crate::numbers::one_or_more;
use crate::record::{Record, Table};
use crate::references;
use arcuate_core::{Result, Volume};
use arcuate_io::{read_tractogram, read_volume, read_weights};
use arcuate_phantom::{Comparison, ComparisonOptions, FalseConnection, Score, compare_with_truth};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::judgement;
use arcuate_pipeline::run::{
    COMMIT, COMMIT_WEIGHTS, DISTRIBUTIONS, Filled, LIFE, LIFE_WEIGHTS, PEAKS, PRINCIPAL_DIRECTION, TENSORS,
    TRACTS, finish,
};
use arcuate_pipeline::stages::{evaluation, tracking};
use arcuate_report::human;
use clap::Args;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Names of key figures.
const BUNDLES_FOUND: &str = "bundles found, all → supported streamlines";
const FALSE_STREAMLINES: &str = "streamlines that join regions falsely, all → supported";
const ANGULAR_ERROR: &str = "median angular error, single-bundle voxels";
/// The figures that a reader should see first.
const KEY_FIGURES: [&str; 5] =
    [BUNDLES_FOUND, FALSE_STREAMLINES, ANGULAR_ERROR, evaluation::SUPPORTED, tracking::MEAN_LENGTH];

/// Simulate a small brain, run the pipeline on it, and compare with the truth
///
/// Runs `arcuate simulate` into OUT/brain, and `arcuate run` with its defaults into OUT/results: fibre
/// orientation distributions, COMMIT and a connectome. Then compares the result with the truth: the bundles
/// that were found, false connections, and the angular error. The report is OUT/results/report.html.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Output: folder for the simulated brain and for the results
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Edge length of the voxels, in mm
    #[arg(long, value_name = "MM", default_value_t = 3.5)]
    voxel_size: f64,
    #[arg(
        long,
        help = meanings::SNR,
        long_help = meanings::with(
            meanings::SNR,
            "The ratio is the b = 0 signal of white matter divided by the standard deviation of the noise."
        ),
        value_name = "SNR",
        default_value_t = 30.0
    )]
    snr: f64,
    #[arg(
        long,
        help = meanings::SHELLS,
        long_help = meanings::with(
            meanings::SHELLS,
            "B:N is a shell with N gradient directions at b-value B. `arcuate run` chooses its methods from \
             the shells."
        ),
        value_name = "B,B,…",
        value_delimiter = ',',
        default_value = "0:6,1000:20,2000:40"
    )]
    shells: Vec<simulate::Shell>,
    #[arg(long, help = meanings::SELECT, value_name = "N", default_value_t = 5000, value_parser = one_or_more::<u64>)]
    select: u64,
}

impl Demo {
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        let brain = simulate::BrainArgs::of_shells(self.voxel_size, self.snr, self.shells.clone());
        let phantom = brain.write_to(&self.out.join("brain"), simulate::ExtraOutputs::default(), job)?;
        let run = run::of_words(self.run_arguments());
        let title = "A simulated brain, and what Arcuate finds in it";
        let Filled::Now(folder, mut record) = run.work(title, false, job, grammar)? else {
            // This case does not occur. The demo has just simulated a new brain, so no earlier run can have
            // used this brain.
            return Ok(());
        };
        let comparison = job.step("compare with the truth", || {
            let tracks = read_tractogram(&folder.path().join(TRACTS))?.tractogram;
            let weights = read_weights(&weights_in(folder.path()))?;
            let directions = directions_in(folder.path())?;
            // All falsely joined pairs of regions are needed, also those with few streamlines.
            let options = ComparisonOptions { minimum_streamlines: 1, ..ComparisonOptions::default() };
            compare_with_truth(&phantom, &tracks, Some(&weights), Some(&directions), &options)
        })?;
        record.cite(references::SIMULATE);
        note(&comparison, &mut record);
        record.done(format!(
            "A small brain with {} known connections was simulated. {} The result was compared with the truth.",
            comparison.before.bundles.len(),
            run.done()?
        ));
        record.keep_key_figures(&KEY_FIGURES);
        finish(&folder, &mut record, None, job)
    }

    /// The command line of `arcuate run` on the simulated brain, after the name of the command.
    fn run_arguments(&self) -> Vec<OsString> {
        let brain = |name: &str| self.out.join("brain").join(name).into_os_string();
        vec![
            brain("dwi.nii.gz"),
            "--labels".into(),
            brain("labels.nii.gz"),
            "--label-names".into(),
            brain("labels.txt"),
            "--select".into(),
            self.select.to_string().into(),
            "--out".into(),
            self.out.join("results").into_os_string(),
        ]
    }
}

/// Returns the file of the streamline weights: COMMIT's, or LiFE's if the run evaluated with LiFE.
fn weights_in(results: &Path) -> PathBuf {
    let of_commit = results.join(COMMIT).join(COMMIT_WEIGHTS);
    if of_commit.exists() { of_commit } else { results.join(LIFE).join(LIFE_WEIGHTS) }
}

/// Reads the main direction of each voxel: the largest peak of the fibre orientation distribution, or the principal
/// direction of the tensor if the run has no distributions. A missing direction is zero.
fn directions_in(results: &Path) -> Result<Volume<f32>> {
    let peaks = results.join(DISTRIBUTIONS).join(PEAKS);
    let directions = if peaks.exists() {
        read_volume(&peaks)?.channels_at(&[0, 1, 2])
    } else {
        read_volume(&results.join(TENSORS).join(PRINCIPAL_DIRECTION))?
    };
    Ok(directions.map(|component| if component.is_finite() { component } else { 0.0 }))
}

/// Adds the comparison to the key figures and, in full, to tables. The comparison must contain all pairs of
/// regions that are joined falsely.
fn note(comparison: &Comparison, record: &mut Record) {
    note_figures(comparison, record);
    let Comparison { before, after, .. } = comparison;
    record.tables.push(classes_of_streamlines(before, after.as_ref()));
    record.tables.push(bundles(before, after.as_ref()));
    if !before.false_connections.is_empty() {
        record.tables.push(false_connections(before, after.as_ref()));
    }
}

fn note_figures(comparison: &Comparison, record: &mut Record) {
    let before = &comparison.before;
    let after = comparison.after.as_ref();
    // Returns the value before and after the evaluation of the streamlines, separated by an arrow.
    let both = |of: &dyn Fn(&Score) -> String| match after {
        Some(after) => format!("{} → {}", of(before), of(after)),
        None => of(before),
    };
    let bundles = before.bundles.len();
    let minimum = ComparisonOptions::default().minimum_streamlines;
    record.figure(BUNDLES_FOUND, both(&|s| format!("{} of {bundles}", found_with(minimum, s))));
    record.figure(
        "valid streamlines, by number, all → supported",
        both(&|s| format!("{:.1} %", 100.0 * s.valid as f64 / s.streamlines.max(1) as f64)),
    );
    if let Some(after) = after {
        let share = format!("{:.1} %", 100.0 * after.valid_share);
        record.figure("valid streamlines, share of the weight", share);
    }
    record.figure(FALSE_STREAMLINES, both(&|s| human::count(s.invalid as u64)));
    let pairs_with = |streamlines: usize, s: &Score| {
        s.false_connections.iter().filter(|pair| pair.streamlines >= streamlines).count().to_string()
    };
    record.figure(
        &format!("region pairs joined falsely by at least {minimum} streamlines, all → supported"),
        both(&|s| pairs_with(minimum, s)),
    );
    record.figure(
        "region pairs joined falsely by any streamline, all → supported",
        both(&|s| pairs_with(1, s)),
    );
    let supported = after.unwrap_or(before);
    record.figure(judgement::CONNECTIONS, bundles);
    record.figure(judgement::FOUND, found_with(minimum, supported));
    record.figure(judgement::COMPARED, supported.streamlines);
    record.figure(judgement::OUTSIDE, supported.unconnected);
    record.figure(judgement::JOINED, supported.valid + supported.off_course + supported.invalid);
    record.figure(judgement::FALSELY_JOINED, supported.invalid);
    if let Some(error) = comparison.median_angular_error {
        let voxels = human::count(comparison.single_bundle_voxels as u64);
        record.figure(ANGULAR_ERROR, format!("{error:.2}° in {voxels} voxels"));
    }
}

fn classes_of_streamlines(before: &Score, after: Option<&Score>) -> Table {
    let scores = std::iter::once(("all", before)).chain(after.map(|after| ("supported", after)));
    Table {
        title: "Classes of streamlines".into(),
        section: judgement::TRUTH.into(),
        text: "Each streamline is in one class. A valid streamline joins the two regions of a bundle and follows the bundle. An \
               invalid one joins two regions without a common bundle."
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
        rows: scores
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
    }
}

fn bundles(before: &Score, after: Option<&Score>) -> Table {
    Table {
        title: "Bundles".into(),
        section: judgement::TRUTH.into(),
        text: "Valid streamlines of each bundle. Overlap is the fraction of the bundle's volume that they pass. Overreach is \
               the white matter volume that they pass outside the bundle, divided by the bundle's volume."
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
    }
}

fn false_connections(before: &Score, after: Option<&Score>) -> Table {
    let minimum = ComparisonOptions::default().minimum_streamlines;
    let (listed, others): (Vec<&FalseConnection>, Vec<&FalseConnection>) =
        before.false_connections.iter().partition(|pair| pair.streamlines >= minimum);
    let supported = |regions| {
        let of = |after: &Score| {
            after.false_connections.iter().find(|f| f.regions == regions).map_or(0, |f| f.streamlines)
        };
        after.map_or(Value::Null, |after| of(after).into())
    };
    let not_listed: usize = others.iter().map(|pair| pair.streamlines).sum();
    Table {
        title: "False connections".into(),
        section: judgement::TRUTH.into(),
        text: format!(
            "Pairs of regions that streamlines join without a bundle, in descending order. Pairs with fewer than {minimum} \
                 streamlines are not listed: {} pairs with {} streamlines together.",
            human::count(others.len() as u64),
            human::count(not_listed as u64)
        ),
        columns: ["from", "to", "streamlines", "supported"].map(String::from).to_vec(),
        rows: listed
            .iter()
            .map(|f| {
                let (from, to) = f.names.clone();
                vec![from.into(), to.into(), f.streamlines.into(), supported(f.regions)]
            })
            .collect(),
    }
}

/// Returns the number of bundles with at least `minimum` valid streamlines.
fn found_with(minimum: usize, score: &Score) -> usize {
    score.bundles.iter().filter(|bundle| bundle.streamlines >= minimum).count()
}
