//! Diffusion series and their gradient tables.

use crate::space;
use arcuate_core::{Affine, Error, GradientTable, Grid, Mask, Result, SignedAxes, Volume, is_present};
use arcuate_io::{
    GradientReading, StoredGradients, companion_path, describe_image, fsl_gradients, read_gradients,
    read_image,
};
use arcuate_model::{MaskOptions, brain_mask};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Source of the gradient table of a diffusion series, and how the table is read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GradientSource {
    /// FSL's files of b-values (s/mm²) and gradient directions. The directions are along the image axes, with
    /// x negated if the determinant of the affine is positive. By default, the table in the image header is
    /// used. If there is none, the files next to the series are used ([`gradient_files_next_to`]).
    pub fsl: Option<[PathBuf; 2]>,
    /// File of the gradient table, which replaces `fsl`. It is an MRtrix table (x y z b, in scanner axes), a
    /// Camino `.scheme`, or a `.prtcl`.
    pub table: Option<PathBuf>,
    /// Meaning of the numbers in the gradient table. If no b = 0 threshold is set, b-values up to
    /// [`GradientTable::DEFAULT_B0_THRESHOLD`] count as b = 0.
    pub reading: GradientReading,
    /// Image axis to which each axis of the gradient directions corresponds. It corrects gradient tables
    /// whose axes are flipped or swapped.
    pub axes: SignedAxes,
}

impl GradientSource {
    /// Returns the files that the series at `path` is read from: the image and the files of the gradient
    /// table.
    #[doc(hidden)]
    pub fn files(&self, path: &Path) -> Vec<PathBuf> {
        let given = self.table.iter().chain(self.fsl.iter().flatten()).cloned();
        let companion_path = gradient_files_next_to(path).into_iter().flatten();
        std::iter::once(path.to_owned()).chain(given).chain(companion_path).collect()
    }

    /// Returns the options for reading the gradient table. If the user set no b = 0 threshold, it is the
    /// default threshold.
    fn reading(&self) -> Result<GradientReading> {
        let b0_threshold = self.reading.b0_threshold.unwrap_or(GradientTable::DEFAULT_B0_THRESHOLD);
        GradientTable::check_b0_threshold(b0_threshold)?;
        Ok(GradientReading { b0_threshold: Some(b0_threshold), ..self.reading })
    }

    /// Finds the gradient table of a series with `count` volumes and this affine. `in_header` is the gradient
    /// table in the image header, if there is one. The files of the gradient table are added to `files`.
    /// Returns `None` if the series has no gradient table.
    fn find(
        &self,
        path: &Path,
        in_header: Option<StoredGradients>,
        affine: &Affine,
        count: usize,
        files: &mut Vec<PathBuf>,
    ) -> Result<Option<StoredGradients>> {
        if let Some(file) = &self.table {
            files.push(file.clone());
            return read_gradients(file, affine, Some(count)).map(Some);
        }
        let of_fsl = match &self.fsl {
            Some(files) => Some(files.clone()),
            None if in_header.is_some() => return Ok(in_header),
            None => gradient_files_next_to(path),
        };
        let Some([bval, bvec]) = of_fsl else { return Ok(None) };
        let stored = fsl_gradients::read(&bval, &bvec, affine, Some(count))?;
        files.extend([bval, bvec]);
        Ok(Some(stored))
    }
}

/// Returns an error for a 3-D image.
fn require_series(path: &Path, measurements: usize) -> Result<()> {
    if measurements == 1 {
        let problem = "it is a 3-D image, not a diffusion series";
        return Err(Error::invalid(path.display(), problem, "give the 4-D series of all measurements"));
    }
    Ok(())
}

/// Creates the error for a series without a gradient table, if the work needs one.
fn unknown_weighting(path: &Path, weighting: Weighting<'_>) -> Error {
    let mut problem =
        missing_gradient_file(path).unwrap_or_else(|| "its diffusion weighting is unknown".into());
    if let Weighting::NeededFor(reason) = weighting {
        problem = format!("{problem}, and {reason}");
    }
    Error::invalid(path.display(), problem, "give ‘bval’ and ‘bvec’, or ‘gradients’")
}

/// Specifies whether a diffusion series must have a gradient table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weighting<'a> {
    /// A gradient table is required.
    Needed,
    /// A gradient table is required. The text is the reason, for the error message.
    NeededFor(&'a str),
    /// A gradient table is not required. If it is missing, [`GradientTable::unknown`] replaces it.
    Optional,
}

/// A diffusion series with its gradient table and its files.
pub struct Series {
    /// Signals, one channel per measurement.
    pub dwi: Volume<f32>,
    /// Gradient table.
    pub gradients: GradientTable,
    /// The image file, and the files of the gradient table.
    pub files: Vec<PathBuf>,
}

impl Series {
    /// Reads a 4-D image and its gradient table.
    pub fn read(path: &Path, options: &GradientSource, weighting: Weighting<'_>) -> Result<Self> {
        let reading = options.reading()?;
        let image = read_image(path)?;
        let (dwi, in_header) = (image.volume, image.gradients);
        require_series(path, dwi.channels())?;
        let mut files = vec![path.to_owned()];
        let (affine, count) = (*dwi.grid().affine(), dwi.channels());
        match options.find(path, in_header, &affine, count, &mut files)? {
            Some(stored) => {
                let gradients = stored.table(&reading)?.with_axes(&options.axes, &affine)?;
                Ok(Self { dwi, gradients, files })
            }
            None if weighting == Weighting::Optional => {
                Ok(Self { dwi, gradients: GradientTable::unknown(count)?, files })
            }
            None => Err(unknown_weighting(path, weighting)),
        }
    }

    /// Reads only the gradient table of a series, not its signals.
    pub fn gradients_of(path: &Path, options: &GradientSource) -> Result<GradientTable> {
        let image = describe_image(path)?;
        let (affine, count) = (*image.grid.affine(), image.dimensions.iter().skip(3).product::<usize>());
        require_series(path, count)?;
        let stored = options.find(path, image.gradients, &affine, count, &mut Vec::new())?;
        let table =
            stored.ok_or_else(|| unknown_weighting(path, Weighting::Needed))?.table(&options.reading()?)?;
        table.with_axes(&options.axes, &affine)
    }

    /// Checks whether the series at `path` has a gradient table. Returns `true` if the image header cannot be
    /// read. The error is reported when the series is read.
    #[doc(hidden)]
    pub fn has_table(path: &Path, options: &GradientSource) -> bool {
        let is_given = options.table.is_some() || options.fsl.is_some();
        let in_header = || describe_image(path).map_or(true, |image| image.gradients.is_some());
        is_given || gradient_files_next_to(path).is_some() || in_header()
    }

    /// Returns the names of the files of the gradient table, separated by commas.
    #[doc(hidden)]
    pub fn table_name(&self) -> String {
        let companion_path = if self.files.len() > 1 { &self.files[1..] } else { &self.files[..] };
        companion_path.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
    }

    /// If the subject of an error is the series or its gradient table, replaces it with the file from which
    /// this was read.
    #[doc(hidden)]
    pub fn about(&self, error: Error) -> Error {
        error.with_subject(|data| match data {
            "gradient table" => Some(self.table_name()),
            "diffusion series" => Some(self.files[0].display().to_string()),
            _ => None,
        })
    }

    /// Returns an error if the mask file is not on the voxel grid of the series, or if the mask is empty. A
    /// mask file that does not exist yet is not checked.
    #[doc(hidden)]
    pub fn check_mask(&self, given: Option<&Path>) -> Result<()> {
        match given.filter(|path| is_present(path)) {
            Some(path) => self.mask(Some(path)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Reads the mask `given`. If no mask is given, computes a brain mask from the series.
    pub fn mask(&self, given: Option<&Path>) -> Result<Mask> {
        let Some(path) = given else {
            return brain_mask(&self.dwi, &self.gradients, &MaskOptions::default())
                .map_err(|e| self.about(e));
        };
        space::region_on(path, self.dwi.grid(), "the diffusion series")
    }
}

/// A diffusion series that is kept in memory, so that it is read only once for several stages.
#[derive(Default)]
pub struct KeptSeries {
    keeps: bool,
    kept: Option<Kept>,
}

/// A diffusion series that was read, and the warnings that occurred while it was read.
struct Kept {
    path: PathBuf,
    options: GradientSource,
    series: Rc<Series>,
    warnings: Vec<String>,
}

impl KeptSeries {
    /// Enables keeping: the next series that is passed to [`put`](Self::put) is kept in memory.
    pub fn keep(&mut self) {
        self.keeps = true;
    }

    /// Drops the series that was kept in memory. Series that are passed to [`put`](Self::put) later are not
    /// kept.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Returns the kept series and the warnings that occurred while it was read. Returns `None` if its path
    /// or its options differ from those given.
    pub fn get(&self, path: &Path, options: &GradientSource) -> Option<(Rc<Series>, Vec<String>)> {
        let kept = self.kept.as_ref().filter(|kept| kept.path == path && kept.options == *options)?;
        Some((Rc::clone(&kept.series), kept.warnings.clone()))
    }

    /// Returns the voxel grid of the series that is kept in memory.
    pub fn grid(&self) -> Option<Grid> {
        self.kept.as_ref().map(|kept| *kept.series.dwi.grid())
    }

    /// If keeping is enabled, keeps a series in memory, with the warnings that occurred while it was read.
    pub fn put(&mut self, path: &Path, options: &GradientSource, series: &Rc<Series>, warnings: Vec<String>) {
        if self.keeps {
            let (path, options, series) = (path.to_owned(), options.clone(), Rc::clone(series));
            self.kept = Some(Kept { path, options, series, warnings });
        }
    }
}

/// Returns the files of b-values and gradient directions next to a series. For the series `dwi.nii.gz` these
/// are `dwi.bval` and `dwi.bvec`, or `dwi.bvals` and `dwi.bvecs`, or `bvals` and `bvecs` (the names in FSL's
/// folders).
pub fn gradient_files_next_to(path: &Path) -> Option<[PathBuf; 2]> {
    gradient_pairs_next_to(path).into_iter().find(|pair| pair.iter().all(|file| is_present(file)))
}

/// If only one of the files of b-values and gradient directions exists next to a series, describes which file
/// is missing.
pub fn missing_gradient_file(path: &Path) -> Option<String> {
    let name = |file: &Path| file.file_name().unwrap_or_default().display().to_string();
    gradient_pairs_next_to(path).iter().find_map(|[bval, bvec]| match (is_present(bval), is_present(bvec)) {
        (true, false) => {
            Some(format!("its directions are missing: {} is there, {} is not", name(bval), name(bvec)))
        }
        (false, true) => {
            Some(format!("its b-values are missing: {} is there, {} is not", name(bvec), name(bval)))
        }
        _ => None,
    })
}

/// Returns the possible pairs of files of b-values and gradient directions next to a series.
pub(crate) fn gradient_pairs_next_to(path: &Path) -> [[PathBuf; 2]; 3] {
    let named = |ending: &str| companion_path(path, ending);
    [
        [named("bval"), named("bvec")],
        [named("bvals"), named("bvecs")],
        ["bvals", "bvecs"].map(|name| path.with_file_name(name)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradient_files_with_the_name_of_the_series_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let (series, name) = (folder.path().join("data.nii.gz"), |name: &str| folder.path().join(name));
        assert_eq!(gradient_files_next_to(&series), None);
        for [bvals, bvecs] in [["bvals", "bvecs"], ["data.bvals", "data.bvecs"], ["data.bval", "data.bvec"]] {
            std::fs::write(name(bvals), "").unwrap();
            let earlier = gradient_files_next_to(&series);
            assert_ne!(earlier, Some([name(bvals), name(bvecs)]), "one of two is no table");
            let missing = format!("its directions are missing: {bvals} is there, {bvecs} is not");
            assert_eq!(missing_gradient_file(&series), Some(missing));
            std::fs::write(name(bvecs), "").unwrap();
            std::fs::remove_file(name(bvals)).unwrap();
            let missing = format!("its b-values are missing: {bvecs} is there, {bvals} is not");
            assert_eq!(missing_gradient_file(&series), Some(missing));
            std::fs::write(name(bvals), "").unwrap();
            assert_eq!(gradient_files_next_to(&series), Some([name(bvals), name(bvecs)]));
        }
    }

    #[cfg(unix)]
    #[test]
    fn tables_with_missing_content_are_not_skipped() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let grid = Grid::new([2, 2, 2], Affine::identity()).unwrap();
        let series = path("dwi.nii.gz");
        arcuate_io::write_image(
            &series,
            &Volume::filled(grid, 2, 1f32),
            &arcuate_io::WriteOptions::default(),
        )
        .unwrap();
        symlink(".git/annex/objects/a/b/KEY/KEY", path("dwi.bval")).unwrap();
        symlink(".git/annex/objects/c/d/KEY/KEY", path("dwi.bvec")).unwrap();
        assert_eq!(gradient_files_next_to(&series), Some([path("dwi.bval"), path("dwi.bvec")]));
        for weighting in [Weighting::Needed, Weighting::Optional] {
            let read = Series::read(&series, &GradientSource::default(), weighting);
            let message = read.err().unwrap().to_string();
            assert!(message.starts_with(&path("dwi.bval").display().to_string()), "{message}");
            assert!(
                message.contains("is a link to .git/annex/objects/a/b/KEY/KEY")
                    && message.contains("git annex get"),
                "{message}"
            );
        }
        std::fs::remove_file(path("dwi.bval")).unwrap();
        std::fs::write(path("dwi.bval"), "/annex/objects/MD5E-s3--0.bval\n").unwrap();
        let read = Series::read(&series, &GradientSource::default(), Weighting::Optional);
        let message = read.err().unwrap().to_string();
        assert!(message.contains("holds only a pointer of git-annex"), "{message}");
    }
}
