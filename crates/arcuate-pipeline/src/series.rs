//! Diffusion series, with the gradient tables that belong to them found.

use crate::space;
use arcuate_core::{Affine, Error, GradientTable, Grid, Mask, Result, SignedAxes, Volume, is_present};
use arcuate_io::{
    GradientReading, StoredGradients, describe_image, fsl_gradients, read_gradients, read_image,
};
use arcuate_model::{MaskOptions, brain_mask};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where the diffusion weighting of a series comes from, and how it is read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GradientSource {
    /// FSL's b-values (s/mm²) and directions (image axes, x negated where the affine's determinant is positive); by default those
    /// beside the series ([`found_beside`]), or in its header.
    pub fsl: Option<[PathBuf; 2]>,
    /// Instead: an MRtrix table (x y z b, scanner axes), a Camino `.scheme`, or a `.prtcl`.
    pub table: Option<PathBuf>,
    /// What its numbers mean. Without a threshold, b up to [`GradientTable::DEFAULT_B0_THRESHOLD`] counts as b = 0.
    pub reading: GradientReading,
    /// Which of the axes of its directions those of the image are, where they are not what they seem.
    pub axes: SignedAxes,
}

impl GradientSource {
    /// The files that a series at `path` is read from, as far as they are there.
    pub fn files(&self, path: &Path) -> Vec<PathBuf> {
        let given = self.table.iter().chain(self.fsl.iter().flatten()).cloned();
        let beside = found_beside(path).into_iter().flatten();
        std::iter::once(path.to_owned()).chain(given).chain(beside).collect()
    }

    /// What the numbers of its table mean, with a threshold.
    fn reading(&self) -> Result<GradientReading> {
        let b0_threshold = self.reading.b0_threshold.unwrap_or(GradientTable::DEFAULT_B0_THRESHOLD);
        GradientTable::check_b0_threshold(b0_threshold)?;
        Ok(GradientReading { b0_threshold: Some(b0_threshold), ..self.reading })
    }

    /// The table of a series of `count` images with this affine, which may be in its header; what it is read from is added to
    /// `files`. Nothing where there is none.
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
            None => found_beside(path),
        };
        let Some([bval, bvec]) = of_fsl else { return Ok(None) };
        let stored = fsl_gradients::read(&bval, &bvec, affine, Some(count))?;
        files.extend([bval, bvec]);
        Ok(Some(stored))
    }
}

/// Fails on a 3-D image.
fn require_series(path: &Path, measurements: usize) -> Result<()> {
    if measurements == 1 {
        let problem = "it is a 3-D image, not a diffusion series";
        return Err(Error::invalid(path.display(), problem, "give the 4-D series of all measurements"));
    }
    Ok(())
}

/// A series needs a table, and there is none.
fn unknown_weighting(path: &Path, weighting: Weighting<'_>) -> Error {
    let mut problem = half_beside(path).unwrap_or_else(|| "its diffusion weighting is not known".into());
    if let Weighting::NeededFor(reason) = weighting {
        problem = format!("{problem}, and {reason}");
    }
    Error::invalid(path.display(), problem, "give ‘bval’ and ‘bvec’, or ‘gradients’")
}

/// Whether a series must have a gradient table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting<'a> {
    /// It must.
    Needed,
    /// It must, for this reason.
    NeededFor(&'a str),
    /// Where there is none, [`GradientTable::unknown`] stands for it.
    Optional,
}

/// A diffusion series with its weighting and the files it came from.
pub struct Series {
    /// The signals, a channel for each measurement.
    pub dwi: Volume<f32>,
    /// How they are weighted.
    pub gradients: GradientTable,
    /// The image, and the files that say how it is weighted.
    pub files: Vec<PathBuf>,
}

impl Series {
    /// Reads a 4-D image and the gradient table that belongs to it.
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

    /// The weighting of a series alone, whose measurements stay in their file.
    pub fn gradients_of(path: &Path, options: &GradientSource) -> Result<GradientTable> {
        let image = describe_image(path)?;
        let (affine, count) = (*image.grid.affine(), image.dimensions.iter().skip(3).product::<usize>());
        require_series(path, count)?;
        let stored = options.find(path, image.gradients, &affine, count, &mut Vec::new())?;
        let table =
            stored.ok_or_else(|| unknown_weighting(path, Weighting::Needed))?.table(&options.reading()?)?;
        table.with_axes(&options.axes, &affine)
    }

    /// Whether the series at `path` has a gradient table; true where it cannot be said, so that reading it says why.
    pub fn has_table(path: &Path, options: &GradientSource) -> bool {
        let is_given = options.table.is_some() || options.fsl.is_some();
        let in_header = || describe_image(path).map_or(true, |image| image.gradients.is_some());
        is_given || found_beside(path).is_some() || in_header()
    }

    /// The files that say how measurements are weighted.
    pub fn table_name(&self) -> String {
        let beside = if self.files.len() > 1 { &self.files[1..] } else { &self.files[..] };
        beside.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
    }

    /// An error of a library, said of the files that the series came from.
    pub fn about(&self, error: Error) -> Error {
        error.said_of(|data| match data {
            "gradient table" => Some(self.table_name()),
            "diffusion series" => Some(self.files[0].display().to_string()),
            _ => None,
        })
    }

    /// Fails where a mask that is there already cannot be that of the series.
    pub fn check_mask(&self, given: Option<&Path>) -> Result<()> {
        match given.filter(|path| is_present(path)) {
            Some(path) => self.mask(Some(path)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The mask the user gave, or one found in the series.
    pub fn mask(&self, given: Option<&Path>) -> Result<Mask> {
        let Some(path) = given else {
            return brain_mask(&self.dwi, &self.gradients, &MaskOptions::default())
                .map_err(|e| self.about(e));
        };
        space::region_on(path, self.dwi.grid(), "the diffusion series")
    }
}

/// A series that is read once for several commands, where one of them asked for that.
#[derive(Default)]
pub struct KeptSeries {
    keeps: bool,
    kept: Option<Kept>,
}

/// A series that was read, and the warnings that its reading gave.
struct Kept {
    path: PathBuf,
    options: GradientSource,
    series: Rc<Series>,
    warnings: Vec<String>,
}

impl KeptSeries {
    /// From now on.
    pub fn keep(&mut self) {
        self.keeps = true;
    }

    /// No more, and the one that is kept goes.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The series, where it is the one that is kept, and the warnings that its reading gave.
    pub fn get(&self, path: &Path, options: &GradientSource) -> Option<(Rc<Series>, Vec<String>)> {
        let kept = self.kept.as_ref().filter(|kept| kept.path == path && kept.options == *options)?;
        Some((Rc::clone(&kept.series), kept.warnings.clone()))
    }

    /// The lattice of the series that is kept.
    pub fn grid(&self) -> Option<Grid> {
        self.kept.as_ref().map(|kept| *kept.series.dwi.grid())
    }

    /// Keeps a series, where that was asked for, with the warnings that its reading gave.
    pub fn put(&mut self, path: &Path, options: &GradientSource, series: &Rc<Series>, warnings: Vec<String>) {
        if self.keeps {
            let (path, options, series) = (path.to_owned(), options.clone(), Rc::clone(series));
            self.kept = Some(Kept { path, options, series, warnings });
        }
    }
}

/// The b-values and directions that lie beside a series: of its own name (`dwi.bval`, `dwi.bvals`), or as FSL's folders
/// have them (`bvals`).
pub fn found_beside(path: &Path) -> Option<[PathBuf; 2]> {
    pairs_beside(path).into_iter().find(|pair| pair.iter().all(|file| is_present(file)))
}

/// In words, which of both files is missing beside a series where the other is there.
pub fn half_beside(path: &Path) -> Option<String> {
    let name = |file: &Path| file.file_name().unwrap_or_default().display().to_string();
    pairs_beside(path).iter().find_map(|[bval, bvec]| match (is_present(bval), is_present(bvec)) {
        (true, false) => {
            Some(format!("its directions are missing: {} is there, {} is not", name(bval), name(bvec)))
        }
        (false, true) => {
            Some(format!("its b-values are missing: {} is there, {} is not", name(bvec), name(bval)))
        }
        _ => None,
    })
}

/// The names that b-values and directions beside a series may have.
pub(crate) fn pairs_beside(path: &Path) -> [[PathBuf; 2]; 3] {
    let named = |ending: &str| beside(path, ending);
    [
        [named("bval"), named("bvec")],
        [named("bvals"), named("bvecs")],
        ["bvals", "bvecs"].map(|name| path.with_file_name(name)),
    ]
}

/// The file of the same name with another ending: `dwi.nii.gz` and `bval` make `dwi.bval`.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let compressed = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
    let inner = if compressed { path.with_extension("") } else { path.to_owned() };
    inner.with_extension(ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradient_files_lie_beside_their_series() {
        assert_eq!(beside(Path::new("sub/dwi.nii.gz"), "bval"), Path::new("sub/dwi.bval"));
        assert_eq!(beside(Path::new("a.b.mif"), "bvec"), Path::new("a.b.bvec"));
        assert_eq!(beside(Path::new("a.b.MIF.GZ"), "bvec"), Path::new("a.b.bvec"));
    }

    #[test]
    fn those_of_the_name_of_the_series_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let (series, name) = (folder.path().join("data.nii.gz"), |name: &str| folder.path().join(name));
        assert_eq!(found_beside(&series), None);
        for [bvals, bvecs] in [["bvals", "bvecs"], ["data.bvals", "data.bvecs"], ["data.bval", "data.bvec"]] {
            std::fs::write(name(bvals), "").unwrap();
            let earlier = found_beside(&series);
            assert_ne!(earlier, Some([name(bvals), name(bvecs)]), "one of two is no table");
            let missing = format!("its directions are missing: {bvals} is there, {bvecs} is not");
            assert_eq!(half_beside(&series), Some(missing));
            std::fs::write(name(bvecs), "").unwrap();
            std::fs::remove_file(name(bvals)).unwrap();
            let missing = format!("its b-values are missing: {bvecs} is there, {bvals} is not");
            assert_eq!(half_beside(&series), Some(missing));
            std::fs::write(name(bvals), "").unwrap();
            assert_eq!(found_beside(&series), Some([name(bvals), name(bvecs)]));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_table_whose_content_is_missing_is_not_left_out() {
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
        assert_eq!(found_beside(&series), Some([path("dwi.bval"), path("dwi.bvec")]));
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
