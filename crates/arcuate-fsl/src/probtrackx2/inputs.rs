//! Input files of a command line of probtrackx2. The program finds all input files before it reads any file.

use super::options::Request;
use super::rois::{RoiFile, listed};
use super::seeds::SeedFiles;
use super::space_mappings::TransformNames;
use crate::subject::require_image;
use arcuate_core::{Error, Result};
use arcuate_pipeline::orientation_files::FibreFiles;
use arcuate_pipeline::sample_folder::fibres_of_base;
use std::path::{Path, PathBuf};

/// Input files of a run.
pub(super) struct Inputs {
    pub(super) fibres: Vec<FibreFiles>,
    pub(super) mask: PathBuf,
    pub(super) seeds: SeedFiles,
    pub(super) transforms: Option<TransformNames>,
    pub(super) waypoints: Vec<RoiFile>,
    pub(super) avoid: Vec<RoiFile>,
    pub(super) stop: Vec<RoiFile>,
    pub(super) stop_on_exit: Vec<RoiFile>,
    pub(super) targets: Vec<RoiFile>,
    pub(super) alternative: Vec<RoiFile>,
    pub(super) target2: Option<PathBuf>,
    pub(super) rows3: Vec<RoiFile>,
    /// Regions whose elements are the columns of matrix 3. Empty if the columns are the same elements as the
    /// rows.
    pub(super) columns3: Vec<RoiFile>,
    pub(super) target4: Option<PathBuf>,
    /// Regions of the columns of matrix 4. Empty if the columns are the seeds.
    pub(super) columns4: Vec<RoiFile>,
    /// Text files that list regions.
    lists: Vec<PathBuf>,
}

impl Inputs {
    /// Finds all input files. If a file is missing, returns an error about the first one.
    pub(super) fn find(request: &Request) -> Result<Self> {
        let fibres = fibres_of_base(&request.samples)?;
        let mask = require_image(&request.mask)?;
        let seeds = SeedFiles::find(request)?;
        let mut lists: Vec<PathBuf> = Vec::new();
        let mut of = |option: &str, word: Option<&PathBuf>| -> Result<Vec<RoiFile>> {
            let Some(word) = word else { return Ok(Vec::new()) };
            let (files, is_list) = listed(option, word)?;
            if is_list && !lists.contains(word) {
                lists.push(word.clone());
            }
            Ok(files)
        };
        let (rules, requested) = (&request.rules, &request.requested);
        let matrix3 = requested.matrix3.as_ref();
        let matrix4 = requested.matrix4.as_ref();
        let waypoints = of("waypoints", rules.waypoints.as_ref())?;
        let avoid = of("avoid", rules.avoid.as_ref())?;
        let stop = of("stop", rules.stop.as_ref())?;
        let stop_on_exit = of("wtstop", rules.stop_on_exit.as_ref())?;
        let targets = of("targetmasks", requested.targets.as_ref().map(|targets| &targets.file))?;
        let alternative = of("fopd", requested.alternative.as_ref())?;
        let rows3 = of("target3", matrix3.map(|matrix| &matrix.rows))?;
        let columns3 = of("lrtarget3", matrix3.and_then(|matrix| matrix.columns.as_ref()))?;
        let columns4 = of("colmask4", matrix4.and_then(|matrix| matrix.columns.as_ref()))?;
        let image =
            |option: &str, path: Option<&PathBuf>| path.map(|path| image_of(option, path)).transpose();
        Ok(Self {
            fibres,
            mask,
            seeds,
            transforms: TransformNames::find(request)?,
            waypoints,
            avoid,
            stop,
            stop_on_exit,
            targets,
            alternative,
            target2: image("target2", requested.matrix2.as_ref())?,
            rows3,
            columns3,
            target4: image("target4", matrix4.map(|matrix| &matrix.rows))?,
            columns4,
            lists,
        })
    }

    /// Returns all input files, without duplicates.
    pub(super) fn paths(&self, request: &Request, reference: &Path) -> Vec<PathBuf> {
        let regions = [
            &self.waypoints,
            &self.avoid,
            &self.stop,
            &self.stop_on_exit,
            &self.targets,
            &self.alternative,
            &self.rows3,
            &self.columns3,
            &self.columns4,
        ];
        let regions = regions.into_iter().flatten().map(|file| file.path.clone());
        let fibres = self.fibres.iter().flat_map(FibreFiles::all);
        let images = [Some(&self.mask), self.target2.as_ref(), self.target4.as_ref()];
        // If the option `--seed` names a text file, this file is an input too. An image may be named without
        // its file name ending.
        let seed = Some(request.seed.clone()).filter(|path| path.is_file());
        let transforms = self.transforms.iter().flat_map(TransformNames::paths);
        let mut all: Vec<PathBuf> = fibres.collect();
        all.extend(images.into_iter().flatten().cloned().chain(seed).chain(self.seeds.paths()));
        all.extend([reference.to_owned()].into_iter().chain(transforms).chain(regions));
        all.extend(self.lists.iter().cloned());
        let mut once: Vec<PathBuf> = Vec::new();
        for path in all {
            if !once.contains(&path) {
                once.push(path);
            }
        }
        once
    }
}

fn image_of(option: &str, word: &Path) -> Result<PathBuf> {
    let (files, is_list) = listed(option, word)?;
    match files.as_slice() {
        [file] if file.is_image && !is_list => Ok(file.path.clone()),
        _ => {
            let problem = "its elements are voxels of one image, and it is none";
            Err(Error::invalid(word.display(), problem, format!("give an image as --{option}")))
        }
    }
}
