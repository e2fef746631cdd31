//! Makes a five-tissue-type (5TT) image from a segmentation of the brain or from tissue maps.

use super::work::Work;
use crate::job::Job;
use crate::output::require_files_and_record;
use crate::output_files::{FIVE_TISSUES, Kind, Map, OutputFile};
use crate::record::{self, Record};
use crate::space::{image_grid, map_on};
use arcuate_core::{Control, FiveTissue, FiveTissues, Result, TissueMaps, VoxelCounts};
use arcuate_io::{read_labels, write_image};
use std::path::{Path, PathBuf};

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Smith RE et al. (2012) Anatomically-constrained tractography: improved diffusion MRI streamlines tractography \
     through effective use of anatomical information. doi:10.1016/j.neuroimage.2012.06.005",
];

/// Input from which tissues are determined.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TissueSource {
    /// A segmentation with FreeSurfer's region numbers, such as `aparc+aseg.mgz`.
    FreeSurfer(PathBuf),
    /// Maps of the fraction of each tissue, from 0 to 1, on the same voxel grid, as in [`TissueMaps`].
    Maps {
        /// Grey matter.
        grey_matter: PathBuf,
        /// White matter.
        white_matter: PathBuf,
        /// Cerebrospinal fluid.
        csf: PathBuf,
        /// Sub-cortical grey matter.
        subcortical: Option<PathBuf>,
        /// Pathological tissue.
        pathological: Option<PathBuf>,
    },
}

/// Makes a five-tissue-type (5TT) image.
#[derive(Debug, Clone, PartialEq)]
pub struct MakeFiveTissues {
    /// Input from which tissues are determined.
    pub source: TissueSource,
    /// Output image of the five tissues, with five volumes in the order of [`FiveTissue::ALL`].
    pub out: PathBuf,
    /// Optional output image of the interface between grey and white matter ([`FiveTissues::interface`]).
    pub interface: Option<PathBuf>,
}

impl MakeFiveTissues {
    /// Creates a 5TT image, without an image of the interface of grey and white matter.
    pub fn new(source: TissueSource, out: impl Into<PathBuf>) -> Self {
        Self { source, out: out.into(), interface: None }
    }

    fn inputs(&self) -> Vec<PathBuf> {
        match &self.source {
            TissueSource::FreeSurfer(segmentation) => vec![segmentation.clone()],
            TissueSource::Maps { grey_matter, white_matter, csf, subcortical, pathological } => {
                let needed = [grey_matter, white_matter, csf].into_iter();
                needed.chain(subcortical).chain(pathological).cloned().collect()
            }
        }
    }

    fn out_files(&self) -> Vec<PathBuf> {
        std::iter::once(&self.out).chain(&self.interface).cloned().collect()
    }

    /// Returns the output files that are in the folder of the record. Only these files can be listed in the
    /// record.
    fn output_files(&self) -> Vec<OutputFile> {
        let image = OutputFile::shown(record::name_of(&self.out), "Fractions of five tissues", Kind::Tissues)
            .with_content(FIVE_TISSUES);
        let interface = self.interface.as_deref().filter(|path| path.parent() == self.out.parent());
        let map = Kind::Map(Map { heat: true, ..Map::default() });
        let interface = interface
            .map(|path| OutputFile::shown(record::name_of(path), "Interface of grey and white matter", map));
        std::iter::once(image).chain(interface).collect()
    }

    /// Makes and writes the 5TT image. Warns if the tissue of a region number is unknown, or if no map of
    /// sub-cortical grey matter is given. Also warns if the tissue maps seem to be in the wrong order.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<FiveTissues> {
        require_files_and_record(&self.out, &self.out_files(), &self.inputs(), job)?;
        let (tissues, counts) = job.step("find the tissues", || match &self.source {
            TissueSource::FreeSurfer(segmentation) => of_free_surfer(segmentation, &job.control()),
            TissueSource::Maps { .. } => {
                let tissues = self.of_maps()?;
                let inside = (0..tissues.grid().len()).filter(|&voxel| tissues.dominant(voxel).is_some());
                let counts = VoxelCounts::of(inside.count());
                Ok((tissues, counts))
            }
        })?;
        if let Some(doubt) = tissues.order_doubt() {
            tracing::warn!(
                "{}: {doubt}; check that each input is an image of the right tissue",
                self.inputs()[0].display()
            );
        }
        write_image(&self.out, tissues.image(), &job.image_options())?;
        if let Some(path) = &self.interface {
            write_image(path, &tissues.interface(), &job.image_options())?;
        }
        let mut record = Record::new("Five tissues", self.output_files(), job);
        record.add_inputs(&self.inputs(), job)?;
        let volumes = FiveTissue::ALL.map(|tissue| (tissue.name(), 1e-3 * tissues.volume_of(tissue)));
        for (name, volume) in volumes {
            record.measure(&format!("volume of {name}"), volume, "cm³").key();
        }
        record.voxel_counts("", &counts);
        record.done("The fractions of five tissues were computed in every voxel.");
        record.cite(REFERENCES);
        record.write_next_to(&self.out, job)?;
        let texts: Vec<String> =
            volumes.iter().map(|(name, volume)| format!("{name} {volume:.1} cm³")).collect();
        job.show_message(texts.join(", "));
        Ok(tissues)
    }

    fn of_maps(&self) -> Result<FiveTissues> {
        let TissueSource::Maps { grey_matter, white_matter, csf, subcortical, pathological } = &self.source
        else {
            unreachable!("only images from tissue maps have it")
        };
        let grid = image_grid(grey_matter)?;
        let read = |path: &Path| map_on(path, &grid, &grey_matter.display().to_string());
        let (grey, white, csf_map) = (read(grey_matter)?, read(white_matter)?, read(csf)?);
        let sub_cortical = subcortical.as_deref().map(read).transpose()?;
        let lesions = pathological.as_deref().map(read).transpose()?;
        let maps = TissueMaps {
            grey: &grey,
            white: &white,
            csf: &csf_map,
            sub_cortical: sub_cortical.as_ref(),
            pathological: lesions.as_ref(),
        };
        let tissues = FiveTissues::from_maps(&maps).map_err(|error| {
            error.with_subject(|subject| match subject {
                "‘grey_matter’" | "tissue maps" => Some(grey_matter.display()),
                "‘white_matter’" => Some(white_matter.display()),
                "‘csf’" => Some(csf.display()),
                "‘subcortical’" => subcortical.as_ref().map(|path| path.display()),
                "‘pathological’" => pathological.as_ref().map(|path| path.display()),
                _ => None,
            })
        })?;
        if subcortical.is_none() {
            tracing::warn!(
                "no map of sub-cortical grey matter is given, so grey matter in nuclei counts as cortex; \
                 give a map with ‘subcortical’"
            );
        }
        Ok(tissues)
    }
}

fn of_free_surfer(path: &Path, control: &Control) -> Result<(FiveTissues, VoxelCounts)> {
    let labels = read_labels(path)?;
    let (tissues, unknown) =
        FiveTissues::from_free_surfer(&labels).map_err(|error| error.about(path.display()))?;
    let counts = tissues.count_unknown(&labels, &unknown, &path.display().to_string(), control);
    Ok((tissues, counts))
}

impl Work for MakeFiveTissues {
    fn outputs(&self) -> Vec<PathBuf> {
        let mut outputs = self.out_files();
        outputs.push(record::companion_path(&self.out));
        outputs
    }

    fn check(&self, _: &Job) -> Result<()> {
        Ok(())
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}
