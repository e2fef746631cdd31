//! Traces: the posterior samples of selected voxels in the order of the Markov chains. A plot of a trace
//! shows whether the chains mix and agree. The plot also shows whether the chains have forgotten their
//! starting values.

use crate::output_files::{Kind, OutputFile, Picture, TracedParameter, TracedVoxel};
use crate::scan::unit_of_map;
use arcuate_core::{Error, Grid, Mask, Result};
use arcuate_io::write_file;
use arcuate_model::fit::sample::{ModelSamples, SampledParameter, Trace};
use std::fmt::Write;
use std::path::Path;

/// Minimum number of independent samples per Markov chain for a reliable R̂, a measure of the agreement of
/// the chains (Vehtari et al. 2021).
pub(super) const FEW: f64 = 50.0;

/// Heading of the traces in the report.
const HEADING: &str = "Traces";
/// File of the traces of a model.
pub(super) const FILE: &str = "traces.csv";
/// Maximum number of voxels whose samples are plotted. Each voxel has a plot for every parameter.
const MOST: usize = 8;
const PARAMETER: &str = "‘trace_voxel’";

/// Voxels whose samples the report shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TracedVoxels {
    /// Voxels whose samples are plotted, as voxel indices `I,J,K` counted from 0; at most 8 voxels. Default:
    /// the example voxel of the report.
    pub words: Vec<String>,
}

impl TracedVoxels {
    /// Parses the voxels that the user specified. Returns their indices in the voxel grid.
    pub(super) fn voxels(&self, grid: &Grid) -> Result<Vec<usize>> {
        if self.words.len() > MOST {
            let problem = format!("{} voxels are too many", self.words.len());
            return Err(Error::usage(PARAMETER, problem, format!("name {MOST} at most")));
        }
        let mut voxels = Vec::new();
        for word in &self.words {
            let refuse = |problem: String, advice: &str| {
                Err(Error::usage(format!("{PARAMETER} {word}"), problem, advice))
            };
            let indices: Option<Vec<usize>> = word.split(',').map(|index| index.parse().ok()).collect();
            let Some(&[i, j, k]) = indices.as_deref() else {
                return refuse(
                    "it is not a voxel".into(),
                    "give three indices with commas, such as 40,52,31",
                );
            };
            let shape = grid.shape();
            if i >= shape[0] || j >= shape[1] || k >= shape[2] {
                let [x, y, z] = shape;
                let problem = format!("the image has {x} × {y} × {z} voxels");
                return refuse(problem, "give indices counted from 0");
            }
            let voxel = grid.index([i, j, k]);
            if voxels.contains(&voxel) {
                return refuse("it is named twice".into(), "name each voxel once");
            }
            voxels.push(voxel);
        }
        Ok(voxels)
    }

    /// Returns an error if a voxel that the user specified is outside the mask.
    pub(super) fn check_mask(&self, mask: &Mask) -> Result<()> {
        let voxels = self.voxels(mask.grid())?;
        match voxels.iter().zip(&self.words).find(|(voxel, _)| !mask.contains(**voxel)) {
            Some((_, word)) => {
                let subject = format!("{PARAMETER} {word}");
                Err(Error::usage(subject, "the voxel is outside the mask", "give a voxel inside the mask"))
            }
            None => Ok(()),
        }
    }
}

/// Describes the file of the traces (posterior samples in their order) of a model. How the report shows this
/// file is set later, when the samples are available.
pub(super) fn output_file() -> OutputFile {
    OutputFile::file(FILE, "Samples in their order").with_content(
        "Samples of the example voxel, or of the requested voxels, in their order: voxel, chain, number, then each \
         parameter in its unit. For an orientation, NAME_angle is the angle to its principal axis in degrees",
    )
}

/// Returns the name of the table column of a parameter.
fn column(parameter: &SampledParameter) -> String {
    if parameter.numbers == 3 { format!("{}_angle", parameter.name) } else { parameter.name.clone() }
}

/// Returns the label of a parameter in the report, with the unit that the report uses.
fn traced(column: String, parameter: &SampledParameter) -> TracedParameter {
    if parameter.numbers == 3 {
        return TracedParameter { column, label: format!("{}: angle, °", parameter.name), factor: None };
    }
    let (factor, unit) = unit_of_map(&parameter.unit);
    let name = &parameter.name;
    TracedParameter {
        column,
        label: if unit.is_empty() { name.clone() } else { format!("{name}, {unit}") },
        factor,
    }
}

/// Describes the convergence of a parameter's samples.
fn note(trace: &Trace) -> String {
    let all: usize = trace.chains.iter().map(Vec::len).sum();
    let Some([hat, bulk, tail]) = trace.convergence else {
        return "no R̂: none moves, or there are too few samples".to_owned();
    };
    let few = if bulk.min(tail) < FEW * trace.chains.len() as f64 { " (too few for R̂)" } else { "" };
    format!("R̂ {hat:.3}; {all} count as {bulk:.0} independent ones, {tail:.0} in the tails{few}")
}

/// Writes a table of the posterior samples of some voxels, with one row for each sample. An orientation is
/// written as its angle to its principal axis over the samples, in degrees. Returns how the report shows the
/// table, or `None` if no voxel has samples.
pub(super) fn write(
    path: &Path,
    samples: &ModelSamples,
    voxels: &[usize],
    grid: &Grid,
) -> Result<Option<Picture>> {
    let parameters = &samples.parameters;
    let columns: Vec<String> = parameters.iter().map(column).collect();
    let mut text = format!("i,j,k,chain,sample,{}\n", columns.join(","));
    let mut found = Vec::new();
    for &voxel in voxels {
        let at @ [i, j, k] = grid.coordinates(voxel);
        let Some(traces) =
            parameters.iter().map(|one| samples.trace(voxel, one)).collect::<Option<Vec<Trace>>>()
        else {
            tracing::warn!(
                "{}: voxel {i}, {j}, {k} could not be sampled, so its chains are not plotted",
                samples.fit.model
            );
            continue;
        };
        for chain in 0..samples.chains {
            for sample in 0..samples.samples {
                let _ = write!(text, "{i},{j},{k},{},{}", chain + 1, sample + 1);
                for trace in &traces {
                    // Samples have single precision. A number of type `f32` is printed with the fewest digits
                    // that identify its value.
                    let _ = write!(text, ",{}", trace.chains[chain][sample] as f32);
                }
                text.push('\n');
            }
        }
        found.push(TracedVoxel { at, notes: traces.iter().map(note).collect() });
    }
    write_file(path, text)?;
    if found.is_empty() {
        return Ok(None);
    }
    let named = columns.into_iter().zip(parameters);
    let parameters = named.map(|(column, one)| traced(column, one)).collect();
    let caption = "Each line is a chain. Chains that have found the posterior look alike from the first sample to the last: none \
                   stays in a place of its own, and none drifts. R̂ is near 1 where halves of chains agree. Orientations \
                   are shown as the angle to their principal axis.";
    let kind = Kind::Traces { section: HEADING.into(), parameters, voxels: found };
    Ok(Some(Picture { caption: caption.into(), kind }))
}
