use super::{run, simulate};
use crate::context::Context;
use crate::output::OutputFolder;
use crate::record::{Record, TableSection, count};
use crate::references;
use crate::{Cli, commands::Command};
use arcuate_core::{Result, Volume};
use arcuate_phantom::{Comparison, ComparisonOptions, Score, compare_with_truth};
use clap::{Args, Parser};
use std::path::PathBuf;

/// Simulate a small brain with known connections, do the whole job on it, and compare
///
/// What `simulate` and `run` do, with their defaults, into OUT/brain and OUT/results; then how the result compares with
/// the truth: bundles found, false connections, angular error. The report is OUT/results/report.html.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(&[simulate::REFERENCES, &run::references()].concat()))]
pub(crate) struct Demo {
    /// Folder for brain and results
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    brain: simulate::BrainArgs,
    /// Number of streamlines to track
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    streamlines: u64,
}

impl Demo {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let brain = OutputFolder::create(&self.out.join("brain"), simulate::FILES, &[], context.force)?;
        let run = self.run_command(&brain);
        let results = run.folder(context)?;
        let phantom = context.step("simulate the brain", |_| self.brain.simulate(context.seed))?;
        context.step("write the brain", |_| simulate::write(&brain, &phantom))?;

        let mut record = Record::new("A simulated brain, and what Arcuate finds in it", context);
        record.cite(simulate::REFERENCES);
        let found = run.work(&results, &mut record, context)?;
        let weights = Some(found.life.weights.as_slice());
        let comparison = context.step("compare with the truth", |_| {
            let principal = first_three(&found.maps.eigenvectors)?;
            compare_with_truth(
                &phantom,
                &found.tracks,
                weights,
                Some(&principal),
                &ComparisonOptions::default(),
            )
        })?;
        note(&comparison, &mut record);
        run::finish(&results, &mut record, context)
    }

    /// `arcuate run` on the simulated brain, with its own defaults.
    fn run_command(&self, brain: &OutputFolder) -> run::Run {
        let text = |path: PathBuf| path.into_os_string();
        let arguments = [
            "arcuate".into(),
            "run".into(),
            text(brain.path().join("dwi.nii.gz")),
            "--labels".into(),
            text(brain.path().join("labels.nii.gz")),
            "--label-names".into(),
            text(brain.path().join("labels.txt")),
            "--streamlines".into(),
            self.streamlines.to_string().into(),
            "--out".into(),
            text(self.out.join("results")),
        ];
        match Cli::parse_from(arguments).command {
            Command::Run(run) => run,
            _ => unreachable!("the arguments say `run`"),
        }
    }
}

/// The principal direction of each voxel: the first three of nine channels.
fn first_three(eigenvectors: &Volume<f32>) -> Result<Volume<f32>> {
    let values = eigenvectors.values().chunks_exact(9).flat_map(|voxel| voxel[..3].to_vec()).collect();
    Volume::new(*eigenvectors.grid(), 3, values)
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
    record.figure(
        "bundles found, all → supported streamlines",
        both(&|s| format!("{} of {bundles}", s.bundles_found())),
    );
    record.figure(
        "share of valid connections, all → supported",
        both(&|s| format!("{:.1} %", 100.0 * s.valid_share)),
    );
    record.figure("false connections, all → supported", both(&|s| count(s.invalid)));
    record.figure(
        "region pairs joined falsely, all → supported",
        both(&|s| s.false_connections.len().to_string()),
    );
    if let Some(error) = comparison.median_angular_error {
        let voxels = count(comparison.single_bundle_voxels);
        record
            .figure("median angular error, single-bundle voxels", format!("{error:.2}° in {voxels} voxels"));
    }
    let scores = || std::iter::once(("all", before)).chain(after.map(|after| ("supported", after)));
    record.sections.push(TableSection {
        title: "Compared with the truth".into(),
        text: "What became of the streamlines: a valid connection joins the two regions of a bundle along its course; an \
               invalid one joins regions that no bundle joins."
            .into(),
        columns: ["streamlines", "number", "valid", "off course", "invalid", "no connection", "overlap", "overreach"]
            .map(String::from)
            .to_vec(),
        rows: scores()
            .map(|(name, s)| {
                vec![
                    name.to_owned(),
                    s.streamlines.to_string(),
                    s.valid.to_string(),
                    s.off_course.to_string(),
                    s.invalid.to_string(),
                    s.unconnected.to_string(),
                    format!("{:.2}", s.mean_overlap()),
                    format!("{:.2}", s.mean_overreach()),
                ]
            })
            .collect(),
    });
    record.sections.push(TableSection {
        title: "Bundles".into(),
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
                    bundle.name.clone(),
                    bundle.streamlines.to_string(),
                    after.map_or_else(String::new, |after| after.bundles[n].streamlines.to_string()),
                    format!("{:.2}", bundle.overlap),
                    format!("{:.2}", bundle.overreach),
                ]
            })
            .collect(),
    });
    if !before.false_connections.is_empty() {
        let supported = |regions| {
            let of = |after: &Score| {
                after.false_connections.iter().find(|f| f.regions == regions).map_or(0, |f| f.streamlines)
            };
            after.map_or_else(String::new, |after| of(after).to_string())
        };
        record.sections.push(TableSection {
            title: "False connections".into(),
            text: "Region pairs that streamlines join though no bundle does, most first; of the supported only those \
                   pairs that are still worth naming."
                .into(),
            columns: ["from", "to", "streamlines", "supported"].map(String::from).to_vec(),
            rows: before
                .false_connections
                .iter()
                .map(|f| {
                    let (from, to) = f.names.clone();
                    vec![from, to, f.streamlines.to_string(), supported(f.regions)]
                })
                .collect(),
        });
    }
}
