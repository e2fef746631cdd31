//! The folder of results of `bedpostx`. It gets images, copies of the input files, and finally the file that
//! marks the folder as complete.

use super::environment::ImageFormat;
use super::example::{self, Example};
use super::outputs::{self, Image};
use super::pictures;
use super::samples::{Layout, Samples};
use super::subject::mask_of;
use super::xfibres_options::{Chains, Inputs};
use arcuate_core::{Grid, Result};
use arcuate_io::{has_ending, read_small_file, read_volume, write_file, write_image};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::output::OutputFolder;
use arcuate_pipeline::output_files::OutputFile;
use arcuate_pipeline::record::Record;
use arcuate_pipeline::scan::{self, Scan};
use arcuate_report::human;
use std::path::{Path, PathBuf};

/// Publications to cite.
const REFERENCES: &[&str] = &[
    "Behrens TEJ et al. (2003) Characterization and propagation of uncertainty in diffusion-weighted MR imaging. \
     doi:10.1002/mrm.10609",
    "Behrens TEJ et al. (2007) Probabilistic diffusion tractography with multiple fibre orientations: what can we gain? \
     doi:10.1016/j.neuroimage.2006.09.018",
    "Jbabdi S et al. (2012) Model-based analysis of multishell diffusion MR data for tractography: how to get over fitting \
     problems. doi:10.1002/mrm.24204",
];

const BELOW_LOGS: &str = "logs/";
/// Table with the measured and predicted signals of an example voxel.
const EXAMPLE: &str = "logs/example_voxel.csv";

/// A description of the scan, and an example voxel. Both are only available if one process read the whole
/// series.
pub(super) struct Whole {
    pub(super) scan: Scan,
    pub(super) example: Option<Example>,
}

/// Completion mark of a folder.
const MARKER: &str = "xfms/eye.mat";

impl Inputs {
    /// Returns all input files.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let needed = [&self.data, &self.mask, &self.bvecs, &self.bvals];
        needed.into_iter().chain(&self.deviations).cloned().collect()
    }
}

/// The folder of results of a subject while its files are written.
pub(super) struct Results {
    folder: OutputFolder,
    inputs: Inputs,
    nodif: Option<PathBuf>,
    images: Vec<Image>,
    output_files: Vec<OutputFile>,
    format: ImageFormat,
}

impl Results {
    pub(super) fn create(
        path: &Path,
        inputs: &Inputs,
        nodif: Option<PathBuf>,
        (chains, reads_series): (&Chains, bool),
        format: ImageFormat,
        job: &Job,
    ) -> Result<Self> {
        let images = outputs::of_bedpostx(&Layout::new(chains));
        // The images of the scan are first in the list. The report draws other images on the image at b = 0,
        // which is not limited to the mask.
        let of_scan = reads_series.then(|| scan::output_files(BELOW_LOGS, format.ending));
        let mut output_files: Vec<OutputFile> = of_scan.into_iter().flatten().collect();
        output_files.extend(images.iter().map(|image| image.output_file(format)));
        output_files.extend(reads_series.then(|| example::output_file(EXAMPLE)));
        let image = |name: &str| format!("{name}{}", format.ending);
        let mut more = vec![
            (image("nodif_brain_mask"), "The mask", Some(&inputs.mask)),
            ("bvals".to_owned(), "The b-values", Some(&inputs.bvals)),
            ("bvecs".to_owned(), "The directions of gradients", Some(&inputs.bvecs)),
            ("commands.txt".to_owned(), "The call of xfibres that this comes to", None),
            (MARKER.to_owned(), "The mark that the folder is complete", None),
        ];
        if nodif.is_some() {
            more.push((image("nodif_brain"), "The brain without diffusion weighting", None));
        }
        // An input that already is this file in the folder is not copied. The helper programs read their
        // inputs from the folder itself.
        let is_new =
            |name: &str, from: Option<&PathBuf>| from.is_none_or(|from| !is_same(from, &path.join(name)));
        output_files.extend(
            more.into_iter()
                .filter(|(name, _, from)| is_new(name, *from))
                .map(|(name, title, _)| OutputFile::file(name, title)),
        );
        let files: Vec<PathBuf> = inputs.files().into_iter().chain(nodif.clone()).collect();
        let folder = OutputFolder::create(path, &output_files, &files, job)?;
        Ok(Self { folder, inputs: inputs.clone(), nodif, images, output_files, format })
    }

    fn is_written(&self, name: &str) -> bool {
        self.output_files.iter().any(|output_file| output_file.name == name)
    }

    /// Writes all result files, except the file that marks the folder as complete. `count` is the number of
    /// voxels in the mask.
    pub(super) fn write(
        &self,
        samples: &Samples,
        grid: &Grid,
        count: usize,
        whole: Option<&Whole>,
        xfibres_line: &str,
        job: &Job,
    ) -> Result<()> {
        let logs = self.folder.create_below(outputs::LOGS.as_ref())?;
        job.write("write the images", || {
            outputs::write(&self.images, samples, grid, &self.folder, self.format)?;
            if let Some(Whole { scan, example }) = whole {
                scan.write(
                    &self.folder,
                    BELOW_LOGS,
                    self.format.ending,
                    &outputs::write_options(self.format),
                )?;
                if let Some(example) = example {
                    write_file(&self.folder.file(EXAMPLE), &example.signals)?;
                }
            }
            self.copy_inputs()?;
            write_file(&self.folder.file("commands.txt"), format!("{xfibres_line}\n"))
        })?;
        let pictures = pictures::fibres(&samples.layout, self.format.ending);
        let output_files = pictures.into_iter().chain(self.output_files.iter().cloned()).collect();
        let mut record = Record::new("Crossing fibres", output_files, job);
        note(&mut record, samples, grid, count);
        if let Some(Whole { scan, example }) = whole {
            scan.note(scan::companion_path(&self.inputs.data).as_deref(), &mut record, job)?;
            record.tables.extend(example.as_ref().map(|example| example.table.clone()));
        }
        record.add_inputs(&self.inputs.files(), job)?;
        record.add_inputs(self.nodif.as_slice(), job)?;
        record.write(&logs, job)
    }

    fn copy_inputs(&self) -> Result<()> {
        for (name, from) in [("bvals", &self.inputs.bvals), ("bvecs", &self.inputs.bvecs)] {
            if self.is_written(name) {
                copy(from, &self.folder.file(name))?;
            }
        }
        let options = outputs::write_options(self.format);
        let ending = self.format.ending;
        let name = format!("nodif_brain_mask{ending}");
        if self.is_written(&name) {
            let from = &self.inputs.mask;
            if has_ending(from, &[ending]) {
                copy(from, &self.folder.file(&name))?;
            } else {
                write_image(&self.folder.file(&name), &read_volume(from)?, &options)?;
            }
        }
        if let Some(nodif) = &self.nodif {
            let mut volume = read_volume(nodif)?;
            volume.clear_outside(&mask_of(&self.inputs.mask, volume.grid())?);
            write_image(&self.folder.file(&format!("nodif_brain{ending}")), &volume, &options)?;
        }
        Ok(())
    }

    /// Marks the folder as complete.
    pub(super) fn mark_as_finished(&self) -> Result<()> {
        let marker = self.folder.file(MARKER);
        self.folder.create_below("xfms".as_ref())?;
        write_file(&marker, "1  0  0  0  \n0  1  0  0  \n0  0  1  0  \n0  0  0  1  \n")
    }
}

/// Maximum size in bytes of an input file (a gradient table or a mask) that is copied.
const LARGEST_COPY: u64 = 1 << 32;

fn copy(from: &Path, to: &Path) -> Result<()> {
    write_file(to, read_small_file(from, LARGEST_COPY)?)
}

fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Adds a description and the numbers of the sampling to the record.
pub(super) fn note(record: &mut Record, samples: &Samples, grid: &Grid, count: usize) {
    let Layout { fibres, samples: of_voxel, .. } = samples.layout;
    record.done(format!(
        "In each of {} voxels a model of up to {} was sampled by Markov chains: {of_voxel} samples give the fraction and the direction of each fibre, and the uncertainty of both.",
        human::count(count as u64),
        pictures::describe_fibres(fibres),
    ));
    record.figure("voxels in the mask", count);
    record.figure("voxels sampled", samples.voxels.len());
    let means: Vec<_> =
        (0..fibres).map(|fibre| samples.mean(grid, samples.layout.of_fibre(fibre, 0))).collect();
    pictures::note_fibres(&means, record);
    record.figure("samples of a voxel", samples.layout.samples);
    record.choice("start of chains", "the best fit of the same model");
    record.cite(REFERENCES);
}

/// Registers the input files, so that error messages of the libraries can name the file of an input.
pub(super) fn came_from(inputs: &Inputs, job: &Job) {
    job.came_from("gradient table", &format_args!("{}, {}", inputs.bvals.display(), inputs.bvecs.display()));
    job.came_from("diffusion series", &inputs.data.display());
    job.came_from("mask", &inputs.mask.display());
    if let Some(path) = &inputs.deviations {
        job.came_from("gradient deviations", &path.display());
    }
}
