//! Output files of a COMMIT evaluation.

use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::{Kind, OutputFile};
use crate::record::Iteration;
use crate::run::COMMIT_WEIGHTS;
use crate::stages::evaluation::write_map;
use arcuate_core::{Result, Volume};
use arcuate_evaluate::commit::{Commit, FitPoint, Layout, PathPoint, Segments};
use arcuate_io::{WriteOptions, write_file, write_weights};
use arcuate_model::compartments::Model;
use std::fmt::Write;

/// File of the weight of each streamline for each intra-axonal response. It is written if the model has
/// several intra-axonal responses.
const BY_RESPONSE: &str = "commit_weights_by_response.csv";
/// File of the results of a sequence of fits with decreasing penalties.
const CURVE: &str = "commit_lambda_curve.csv";
/// File of the predicted series.
pub(super) const SIGNAL: &str = "commit_signal.nii.gz";

/// Returns the files that every evaluation with COMMIT writes, except the tractograms.
pub(super) fn output_files(model: &Model, unit: &'static str) -> Vec<OutputFile> {
    let fraction = |name: &'static str, title: &'static str, caption: &'static str| {
        let content = format!("{title}: its signal at b = 0, divided by the sum of the compartments");
        OutputFile::heat_between(name, title, [0.0, 1.0]).with_caption(caption).with_content(content)
    };
    let error = |name, title, unit, caption| OutputFile::heat(name, title, name, unit).with_caption(caption);
    let in_unit = |name: &'static str, title: &'static str| {
        let content = format!(
            "{title}, in the unit of the fit: relative to the mean signal of the voxel at b = 0, unless the fit does not \
             normalise signals"
        );
        OutputFile::file(name, title).with_content(content)
    };
    let of_weights = format!("{unit} per mm").into();
    let segments = Kind::Counts { unit: "segments".into(), of: "voxel".into() };
    let compartments = model.compartments();
    let has = |there: bool, output_file: OutputFile| {
        if there { output_file } else { output_file.without_picture() }
    };
    let mut output_files = vec![
        OutputFile::shown(COMMIT_WEIGHTS, "One weight per streamline, signal per mm, 0 where unsupported", Kind::Weights { unit: of_weights }).with_content(
            "One weight per streamline of the input, in signal per mm, 0 if unsupported: the sum over intra-axonal responses",
        ),
        has(
            !compartments.intra.is_empty(),
            fraction(
                "commit_intra_fraction.nii.gz",
                "Intra-axonal fraction",
                "The contribution of the streamlines of a voxel to its signal at b = 0.",
            ),
        ),
        has(
            !compartments.extra.is_empty(),
            fraction(
                "commit_extra_fraction.nii.gz",
                "Extra-axonal fraction",
                "The contribution of hindered water along the peaks.",
            ),
        ),
        has(
            !compartments.isotropic.is_empty(),
            fraction(
                "commit_isotropic_fraction.nii.gz",
                "Isotropic fraction",
                "The contribution of water that diffuses equally in all directions.",
            ),
        ),
        error(
            "commit_rmse.nii.gz",
            "Error (RMSE)",
            unit,
            "Root mean square of measured minus predicted samples.",
        )
        .with_content("√(Σ (y − Ax)² / samples)"),
        error(
            "commit_nrmse.nii.gz",
            "Relative error (NRMSE)",
            "",
            "The same over the root mean square of the samples.",
        )
        .with_content("√(Σ (y − Ax)² / Σ y²), 0 if y is 0"),
        OutputFile::shown("commit_segments.nii.gz", "Segments", segments).with_caption(
            "A segment is a straight piece of a streamline inside one voxel. The histogram has only voxels with segments.",
        )
        .with_content("Number of segments in each voxel, 0 outside the problem"),
        in_unit("commit_intra.nii.gz", "Signal of the streamlines at b = 0"),
        in_unit("commit_extra.nii.gz", "Signal along the peaks at b = 0"),
        in_unit("commit_isotropic.nii.gz", "Signal of isotropic compartments at b = 0"),
        OutputFile::file("commit_trace.csv", "Objective, gradient, gap and time of each iteration").with_content(
            "Objective, projected gradient, duality gap, positive unknowns and seconds of each iteration",
        ),
    ];
    if compartments.intra.len() > 1 {
        output_files
            .push(OutputFile::file(BY_RESPONSE, "A row per streamline, a column per intra-axonal response"));
    }
    output_files
}

/// Describes the file of the results of a sequence of fits with decreasing penalties.
pub(super) fn curve() -> OutputFile {
    let curves = Kind::Curves {
        over: "factor".into(),
        step: "log₁₀ of the penalty divided by the requested penalty".into(),
        columns: vec![
            ["misfit".into(), "misfit ½‖y − Ax‖²".into()],
            ["supported_streamlines".into(), "supported streamlines".into()],
        ],
    };
    OutputFile::shown(CURVE, "Path of penalties", curves).with_caption(
        "From the penalty asked for, at the left, to the smallest that leaves no streamline, each fit from the one to its \
         right.",
    )
    .with_content("Misfit, objective, gap, and number of remaining streamlines and groups, for each penalty")
}

/// Names of the output files of `dmri-commit` 2.4, which are written for compatibility.
const COMPATIBLE: [&str; 6] = [
    "compartment_IC.nii.gz",
    "compartment_EC.nii.gz",
    "compartment_ISO.nii.gz",
    "fit_RMSE.nii.gz",
    "fit_NRMSE.nii.gz",
    "streamline_weights.txt",
];
/// File of the predicted series for compatibility.
const COMPATIBLE_SIGNAL: &str = "fit_signal_estimated.nii.gz";

/// Returns the folder of the compatible files.
fn compatible_folder(model: &Model) -> String {
    format!("Results_{}", model.kind().name())
}

/// Returns the files for compatibility with `dmri-commit`.
pub(super) fn compatible(model: &Model, with_signal: bool) -> Vec<OutputFile> {
    let signal = with_signal.then_some(COMPATIBLE_SIGNAL);
    let folder = compatible_folder(model);
    let names = COMPATIBLE.into_iter().chain(signal).map(|name| format!("{folder}/{name}"));
    names.map(|name| OutputFile::file(name, "The file of dmri-commit 2.4")).collect()
}

/// Writes the weights of the streamlines, the maps and the solver log.
pub(super) fn write_results(
    folder: &OutputFolder,
    commit: &Commit,
    layout: &Layout,
    segments: &Segments,
    trace: &[FitPoint],
    job: &Job,
) -> Result<()> {
    let comment = "COMMIT weight of each streamline, in signal per mm";
    write_weights(&folder.file(COMMIT_WEIGHTS), &commit.weights, &[comment])?;
    if layout.intra > 1 {
        write_file(&folder.file(BY_RESPONSE), by_response(commit, layout))?;
    }
    let [intra, extra, isotropic] = commit.fractions();
    let mut counts = Volume::filled(*segments.grid(), 1, 0.0);
    for (n, &voxel) in segments.voxels().iter().enumerate() {
        counts.values_mut()[voxel as usize] = segments.of_voxel(n).len() as f32;
    }
    for (name, map) in [
        ("intra", &commit.intra),
        ("extra", &commit.extra),
        ("isotropic", &commit.isotropic),
        ("intra_fraction", &intra),
        ("extra_fraction", &extra),
        ("isotropic_fraction", &isotropic),
        ("rmse", &commit.rmse),
        ("nrmse", &commit.nrmse),
        ("segments", &counts),
    ] {
        write_map(&folder.file(&format!("commit_{name}.nii.gz")), map, &job.image_options())?;
    }
    let mut text = String::from(
        "iteration,products,objective,projected_gradient,relative_gap,positive_unknowns,seconds\n",
    );
    let shown = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for p in trace {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{:.6}",
            p.iteration,
            p.products,
            p.objective,
            shown(p.projected_gradient),
            shown(p.relative_gap),
            p.positive,
            p.elapsed.as_secs_f64()
        );
    }
    write_file(&folder.file("commit_trace.csv"), text)
}

fn by_response(commit: &Commit, layout: &Layout) -> String {
    let mut text = String::new();
    for amounts in commit.amounts[layout.intra_unknowns()].chunks_exact(layout.intra) {
        for (j, amount) in amounts.iter().enumerate() {
            let _ = write!(text, "{}{amount}", if j > 0 { "," } else { "" });
        }
        text.push('\n');
    }
    text
}

/// Writes the results of a sequence of fits with decreasing penalties.
pub(super) fn write_curve(folder: &OutputFolder, path: &[PathPoint]) -> Result<()> {
    let mut text = String::from(
        "factor,lambda_streamlines,lambda_groups,lambda_extra,lambda_isotropic,misfit,objective,duality_gap,supported_streamlines,supported_groups\n",
    );
    for p in path {
        let gap = p.gap.map_or(String::new(), |gap| gap.to_string());
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{gap},{},{}",
            p.factor,
            p.streamlines,
            p.groups,
            p.extra,
            p.isotropic,
            p.misfit,
            p.objective,
            p.supported,
            p.supported_groups
        );
    }
    write_file(&folder.file(CURVE), text)
}

/// Writes the output files of `dmri-commit` 2.4 with the definitions of that program. The maps contain
/// contributions to the signal, and not fractions. They are 0 outside the voxels that are evaluated.
pub(super) fn write_compatible(
    folder: &OutputFolder,
    model: &Model,
    commit: &Commit,
    signal: Option<&Volume<f32>>,
) -> Result<()> {
    let path = folder.create_below(compatible_folder(model).as_ref())?;
    let options = WriteOptions { description: "Created with Arcuate".into(), ..WriteOptions::default() };
    let write = |file: &str, map: &Volume<f32>| write_map(&path.join(file), map, &options);
    let [intra, extra, isotropic, rmse, nrmse, weights] = COMPATIBLE;
    write(intra, &commit.intra)?;
    write(extra, &commit.extra)?;
    write(isotropic, &commit.isotropic)?;
    write(rmse, &commit.rmse)?;
    write(nrmse, &commit.nrmse)?;
    if let Some(signal) = signal {
        write(COMPATIBLE_SIGNAL, signal)?;
    }
    let mut text = String::new();
    for weight in &commit.weights {
        text.push_str(&scientific(*weight));
        text.push('\n');
    }
    write_file(&path.join(weights), text)
}

/// Formats a number like `%.5e` in C: the exponent has a sign and at least two digits.
fn scientific(value: f64) -> String {
    let text = format!("{value:.5e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// Converts the iterations in the solver log to those of the record.
pub(super) fn iterations(trace: &[FitPoint]) -> Vec<Iteration> {
    let row = |p: &FitPoint| Iteration {
        number: p.iteration,
        products: p.products,
        objective: p.objective,
        projected_gradient: p.projected_gradient,
        relative_gap: p.relative_gap,
        relative_residual: None,
        positive_weights: Some(p.positive),
        seconds: p.elapsed.as_secs_f64(),
    };
    trace.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_as_in_c() {
        for (value, text) in [
            (0.0, "0.00000e+00"),
            (0.012345678, "1.23457e-02"),
            (1.5e123, "1.50000e+123"),
            (-2.0, "-2.00000e+00"),
        ] {
            assert_eq!(scientific(value), text);
        }
    }
}
