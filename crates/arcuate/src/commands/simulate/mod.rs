//! `arcuate simulate`: simulates brains and raw MRI data whose true values are known.

mod kspace;
mod meshes;
mod protocols;
mod shells;
mod tissues;

use crate::grammar::Grammar;
use crate::meanings;
use crate::numbers::one_or_more;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::Record;
use crate::references;
use crate::typed_options::BrainOptions;
use arcuate_core::{GradientTable, Result};
use arcuate_io::{GradientReading, write_image, write_tractogram};
use arcuate_phantom::{Phantom, PhantomOptions, default_gradients, signal_to_noise, simulate};
use arcuate_pipeline::job::Job;
use clap::{Args, Subcommand};
use protocols::Protocols;
pub(crate) use shells::Shell;
use std::path::{Path, PathBuf};

/// Returns the files of a simulated brain.
fn output_files(extra_outputs: ExtraOutputs, protocols: Option<&Protocols>) -> Vec<OutputFile> {
    let mut output_files = vec![
        OutputFile::file("dwi.nii.gz", "Diffusion series"),
        OutputFile::file("dwi.bval", "b-values of the series, s/mm²"),
        OutputFile::file("dwi.bvec", "Gradient directions of the series, FSL's image axes"),
        OutputFile::file("mask.nii.gz", "1 in the brain"),
        OutputFile::file("white_matter.nii.gz", "1 in white matter"),
        OutputFile::file("labels.nii.gz", "Region numbers, 0 for none"),
        OutputFile::file("labels.txt", "Names of the regions"),
        OutputFile::file("truth_streamlines.trx", "Known streamlines, a group per bundle"),
        OutputFile::file("truth_peaks.nii.gz", "Up to three directions a voxel, scanner axes")
            .with_content("Up to three directions per voxel, three volumes each, scanner axes"),
        OutputFile::file("truth_tissue.nii.gz", "Fractions of tissues"),
        OutputFile::file("truth_bundles.nii.gz", "Fractions of bundles"),
    ];
    if extra_outputs.tissues {
        output_files.extend(tissues::output_files());
    }
    if extra_outputs.meshes {
        output_files.extend(meshes::output_files());
    }
    output_files.extend(protocols.iter().flat_map(|protocols| protocols.output_files()));
    output_files
}

/// Simulate a small brain with known connections (or raw data: simulate kspace)
///
/// Writes the diffusion series (dwi.nii.gz, .bval, .bvec), a brain mask, a mask of white matter, and labels
/// with their names. Also writes the truth: streamlines with a group for each bundle, up to three peaks per
/// voxel (scanner axes), and the fractions of tissues and bundles.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Simulate {
    #[command(subcommand)]
    what: Option<OtherSimulation>,
    /// Output: folder for the simulated brain
    #[arg(long, value_name = "FOLDER", required = true)]
    out: Option<PathBuf>,
    #[command(flatten)]
    brain: BrainArgs,
    /// Simulate realistic tissues, and write the true tissues, bias field and FODs
    ///
    /// In the images, cerebrospinal fluid (CSF) is 3.5 times as bright as white matter. All white matter has
    /// the same fibre response, and there is an intensity bias field. Writes truth_5tt (five-tissue-type
    /// image), truth_bias, truth_fod (fibre orientation distributions) and response files for MRtrix. Without
    /// this option, the tissues are simple.
    #[arg(long)]
    tissues: bool,
    /// Write surface files into the folder surfaces
    ///
    /// The files are the white and the pial surface of each hemisphere, with labels of regions and of the
    /// cortex at their vertices. Other files are the nuclei, as meshes and as voxels, and CIFTI-2 files.
    #[arg(long)]
    meshes: bool,
    /// Write tract protocols into the folder protocols
    ///
    /// The folder has XTRACT's layout, for `arcuate track samples --protocols`. It contains the masks of each
    /// bundle in a standard space, and the transform from this space to the simulated brain.
    #[arg(long)]
    tract_protocols: bool,
}

/// Additional outputs of a brain.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ExtraOutputs {
    meshes: bool,
    protocols: bool,
    /// True if the brain has realistic tissues and the truth about them is written.
    tissues: bool,
}

/// Simulations other than a brain.
#[derive(Debug, Subcommand)]
enum OtherSimulation {
    #[command(name = "kspace")]
    KSpace(Box<kspace::SimulateKSpace>),
}

/// Options of the brain.
#[derive(Debug, Clone, Args)]
pub(crate) struct BrainArgs {
    /// Edge length of the voxels, in mm
    #[arg(long, value_name = "MM", default_value_t = PhantomOptions::default().voxel_size_mm)]
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
    /// Number of measurements with b > 0, each with another gradient direction
    #[arg(long, value_name = "N", default_value_t = shells::DIRECTIONS)]
    directions: usize,
    /// b-value of the measurements with b > 0, in s/mm²
    #[arg(long, value_name = "B", default_value_t = 2000.0)]
    b_value: f64,
    /// Number of measurements with b = 0
    #[arg(long, value_name = "N", default_value_t = shells::UNWEIGHTED)]
    b0s: usize,
    #[arg(
        long,
        help = meanings::SHELLS,
        long_help = meanings::with(
            meanings::SHELLS,
            "B:N is a shell with N gradient directions at b-value B, such as 700:16 in 0:6,700:16,2800:50. \
             Without :N, a shell has 64 directions, or 6 measurements if b = 0. Use this option instead of \
             --directions, --b-value and --b0s."
        ),
        value_name = "B,B,…",
        value_delimiter = ',',
        conflicts_with_all = ["directions", "b_value", "b0s", "gradients"]
    )]
    shells: Option<Vec<Shell>>,
    #[arg(
        long,
        help = meanings::GRADIENTS,
        long_help = meanings::with(
            meanings::GRADIENTS,
            "The file is MRtrix's table (columns x y z b, directions in scanner axes). Use it instead of \
             --directions, --b-value and --b0s."
        ),
        value_name = "FILE",
        conflicts_with_all = ["directions", "b_value", "b0s"]
    )]
    gradients: Option<PathBuf>,
    /// Number of true streamlines in each bundle
    #[arg(
        long,
        value_name = "N",
        default_value_t = PhantomOptions::default().streamlines_per_bundle,
        value_parser = one_or_more::<usize>
    )]
    streamlines_per_bundle: usize,
}

impl Simulate {
    /// Returns true if random numbers are drawn.
    pub(crate) fn draws(&self) -> bool {
        match &self.what {
            Some(OtherSimulation::KSpace(command)) => command.is_noisy(),
            None => true,
        }
    }

    /// Returns the gradient table (unless it is in a file) and the options of the brain.
    pub(crate) fn options(&self) -> Result<BrainOptions> {
        Ok(BrainOptions { gradients: self.brain.gradients()?, phantom: self.brain.phantom(self.tissues, 0)? })
    }

    pub(crate) fn run(&self, job: &Job, _: &Grammar) -> Result<()> {
        match (&self.what, &self.out) {
            (Some(OtherSimulation::KSpace(command)), _) => command.run(job),
            (None, Some(out)) => {
                let extra_outputs = ExtraOutputs {
                    meshes: self.meshes,
                    protocols: self.tract_protocols,
                    tissues: self.tissues,
                };
                self.brain.write_to(out, extra_outputs, job).map(|_| ())
            }
            (None, None) => unreachable!("a brain has its folder"),
        }
    }
}

impl BrainArgs {
    /// Returns the options of a brain with these shells.
    pub(crate) fn of_shells(voxel_size: f64, snr: f64, shells: Vec<Shell>) -> Self {
        Self {
            voxel_size,
            snr,
            directions: shells::DIRECTIONS,
            b_value: 2000.0,
            b0s: shells::UNWEIGHTED,
            shells: Some(shells),
            gradients: None,
            streamlines_per_bundle: PhantomOptions::default().streamlines_per_bundle,
        }
    }

    /// Simulates a brain, writes it and returns it.
    pub(crate) fn write_to(&self, out: &Path, extra_outputs: ExtraOutputs, job: &Job) -> Result<Phantom> {
        let protocols = extra_outputs.protocols.then(Protocols::new).transpose()?;
        let output_files = output_files(extra_outputs, protocols.as_ref());
        let inputs: Vec<PathBuf> = self.gradients.iter().cloned().collect();
        let folder = OutputFolder::create(out, &output_files, &inputs, job)?;
        let phantom =
            job.step("simulate the brain", || self.simulate(extra_outputs.tissues, job.random_seed()))?;
        job.write("write the brain", || write(&folder, &phantom, job))?;
        if let Some(truth) = &phantom.tissues {
            job.write("write the tissues", || tissues::write(&folder, truth, job))?;
        }
        let meshes = if extra_outputs.meshes {
            let meshes = job.step("make the meshes", || meshes::Meshes::of(&phantom))?;
            job.write("write the meshes", || meshes.write(&folder, &phantom, job))?;
            Some(meshes)
        } else {
            None
        };
        if let Some(protocols) = protocols {
            let dwi = folder.file("dwi.nii.gz");
            // `Protocols::write` reads image grids from the files `dwi.nii.gz` and one of the masks, so these
            // files must exist.
            job.step("write the protocols", || protocols.write(&folder, &dwi, job))?;
        }
        let mut record = Record::new("Simulated brain", output_files, job);
        record.cite(references::SIMULATE);
        record.add_inputs(&inputs, job)?;
        record.figure("bundles", phantom.bundles.len());
        record.figure("regions", phantom.labels.regions().len());
        record.figure("known streamlines", phantom.truth.len());
        if let Some(meshes) = meshes {
            meshes.note(&mut record);
        }
        record.write(folder.path(), job)?;
        job.show_message(format_args!(
            "{} bundles between {} regions, {} measurements: {}",
            phantom.bundles.len(),
            phantom.labels.regions().len(),
            phantom.dwi.channels(),
            folder.path().display()
        ));
        Ok(phantom)
    }

    /// Simulates a brain.
    fn simulate(&self, tissues: bool, seed: u64) -> Result<Phantom> {
        let gradients = match &self.gradients {
            Some(path) => table(path)?,
            None => self.gradients()?,
        };
        simulate(&gradients, &self.phantom(tissues, seed)?)
    }

    /// Returns the gradient table, unless it is in a file.
    fn gradients(&self) -> Result<GradientTable> {
        match &self.shells {
            Some(shells) => shells::gradients(shells),
            None => default_gradients(self.directions, self.b_value, self.b0s),
        }
    }

    fn phantom(&self, tissues: bool, seed: u64) -> Result<PhantomOptions> {
        Ok(PhantomOptions {
            voxel_size_mm: self.voxel_size,
            snr: signal_to_noise(self.snr)?,
            seed,
            streamlines_per_bundle: self.streamlines_per_bundle,
            tissues,
            ..PhantomOptions::default()
        })
    }
}

/// Reads a gradient table from a file.
fn table(path: &Path) -> Result<GradientTable> {
    let stored = arcuate_io::mrtrix_gradients::read(path, None)?;
    let reading = GradientReading::with_threshold(GradientTable::DEFAULT_B0_THRESHOLD);
    // This command has no option for the unit of b-values. The error therefore recommends to convert the
    // file.
    stored.check(&reading).map_err(|error| {
        error.advise(format!(
            "write it in s/mm² and with unit vectors: arcuate convert {} new.b, with --b-unit or --bvec-lengths",
            path.display()
        ))
    })?;
    stored.table(&reading).map_err(|error| {
        // The usual advice is to raise the threshold for b = 0. This command has no such option, so the
        // advice is replaced.
        let lacks_direction = error.problem().ends_with("no direction");
        if lacks_direction { error.advise("give its direction, or b = 0") } else { error }
    })
}

/// Writes the files of [`output_files`].
fn write(folder: &OutputFolder, phantom: &Phantom, job: &Job) -> Result<()> {
    let options = job.image_options();
    let grid = phantom.dwi.grid();
    write_image(&folder.file("dwi.nii.gz"), &phantom.dwi, &options)?;
    arcuate_io::fsl_gradients::write(
        &folder.file("dwi.bval"),
        &folder.file("dwi.bvec"),
        &phantom.gradients,
        grid.affine(),
    )?;
    write_image(&folder.file("mask.nii.gz"), &phantom.brain_mask.to_volume(), &options)?;
    write_image(&folder.file("white_matter.nii.gz"), &phantom.white_matter.to_volume(), &options)?;
    let labels = arcuate_core::Volume::new(*grid, 1, phantom.labels.values().to_vec())?;
    write_image(&folder.file("labels.nii.gz"), &labels, &options)?;
    arcuate_io::write_label_names(&folder.file("labels.txt"), phantom.labels.names())?;
    write_image(&folder.file("truth_peaks.nii.gz"), &phantom.peaks, &options)?;
    write_image(&folder.file("truth_tissue.nii.gz"), &phantom.tissue_fractions, &options)?;
    write_image(&folder.file("truth_bundles.nii.gz"), &phantom.bundle_fractions, &options)?;
    let streamlines = folder.file("truth_streamlines.trx");
    write_tractogram(&streamlines, &phantom.truth, Some(grid), &job.tractogram_options())
}
