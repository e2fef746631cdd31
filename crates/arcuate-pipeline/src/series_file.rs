//! Diffusion series that is read on demand.

use crate::gradient_deviations;
use crate::job::Job;
use crate::series::{GradientSource, Series, Weighting};
use crate::warnings::{self, WarningList};
use arcuate_core::{Result, require_signal};
use std::path::PathBuf;
use std::rc::Rc;

/// Path of a diffusion series, and the source of its gradient table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SeriesFile {
    /// Path of the 4-D image.
    pub path: PathBuf,
    /// Source of the gradient table.
    pub gradients: GradientSource,
}

impl SeriesFile {
    /// Creates a diffusion series whose gradient table is in the image header or in files next to the image.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), gradients: GradientSource::default() }
    }

    /// Returns the files that the series is read from: the image and the files of the gradient table.
    #[doc(hidden)]
    pub fn files(&self) -> Vec<PathBuf> {
        self.gradients.files(&self.path)
    }

    /// Reads the series, or returns it if the job has kept it in memory. If an image of [gradient
    /// deviations](gradient_deviations::companion_path) is next to the series, warns that it is not used.
    #[doc(hidden)]
    pub fn read(&self, weighting: Weighting<'_>, job: &Job) -> Result<Rc<Series>> {
        let series = self.read_signals(weighting, job)?;
        if series.gradients.is_known() {
            gradient_deviations::warn_unused(&self.path, None);
        }
        Ok(series)
    }

    /// Reads the series like [`read`](Self::read), but without a warning about gradient deviations. It is for
    /// work that uses gradient deviations, or that does not use gradient directions. If the job has kept the
    /// series in memory, the warnings of its first reading are repeated.
    ///
    /// Returns an error if no value of the series is above 0.
    #[doc(hidden)]
    pub fn read_signals(&self, weighting: Weighting<'_>, job: &Job) -> Result<Rc<Series>> {
        let (path, source) = (&self.path, &self.gradients);
        let known = job.kept_series().borrow().get(path, source);
        let suffices = |series: &Series| series.gradients.is_known() || weighting == Weighting::Optional;
        let series = if let Some((series, heard)) = known.filter(|(series, _)| suffices(series)) {
            warnings::repeat(&heard);
            series
        } else {
            let heard = WarningList::default();
            let series = {
                let _listening = heard.listen();
                let read = || {
                    let series = Series::read(path, source, weighting)?;
                    require_signal(&series.dwi).map_err(|error| series.about(error))?;
                    Ok(series)
                };
                Rc::new(job.step("read the series", read)?)
            };
            job.kept_series().borrow_mut().put(path, source, &series, heard.list());
            series
        };
        job.came_from("diffusion series", &series.files[0].display());
        job.came_from("gradient table", &series.table_name());
        Ok(series)
    }
}
