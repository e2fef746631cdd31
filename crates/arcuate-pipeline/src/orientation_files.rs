//! Fibre orientations in files: posterior samples, and peaks.

use arcuate_core::{Error, Grid, Mask, PeakFrame, Result, Volume};
use arcuate_io::{describe_image, read_volume};
use arcuate_track::{Fibre, OrientationSource};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Files of the directions of a fibre.
#[derive(Debug, Clone)]
pub enum Directions {
    /// Images of the angles θ and φ of the fibre direction in FSL's voxel axes, with one volume per sample.
    Angles([PathBuf; 2]),
    /// Image of the components x, y and z of the fibre direction in scanner axes, with three volumes per
    /// sample.
    Vectors(PathBuf),
}

/// Files of one fibre.
#[derive(Debug, Clone)]
pub struct FibreFiles {
    /// Directions of the fibre.
    pub directions: Directions,
    /// Image of the volume fraction of the fibre, with one volume per sample.
    pub fraction: PathBuf,
}

/// Posterior samples of fibre orientations, in files. The samples of one fibre are read at a time.
pub struct SampleFiles {
    mask: Mask,
    samples: usize,
    fibres: Vec<FibreFiles>,
}

impl FibreFiles {
    /// Returns all files of the fibre.
    pub fn all(&self) -> Vec<PathBuf> {
        let mut files = match &self.directions {
            Directions::Angles(both) => both.to_vec(),
            Directions::Vectors(file) => vec![file.clone()],
        };
        files.push(self.fraction.clone());
        files
    }

    /// Returns the voxel grid and the number of samples, as the image headers state them. Returns an error if
    /// the images of the fibre differ in one of these.
    fn describe(&self) -> Result<(Grid, usize)> {
        let fraction = describe_image(&self.fraction)?;
        let grid = fraction.grid;
        let samples = fraction.channels();
        let (files, each) = match &self.directions {
            Directions::Angles(both) => (both.as_slice(), 1),
            Directions::Vectors(file) => (std::slice::from_ref(file), 3),
        };
        for file in files {
            let described = describe_image(file)?;
            let other = described.grid;
            grid.require_match(&other, file.display(), &self.fraction.display().to_string())?;
            if described.channels() != each * samples {
                let problem = format!(
                    "the file of fibre samples has {} volumes, but {} are expected",
                    described.channels(),
                    each * samples
                );
                let advice = format!(
                    "give files of the same run of sampling; {} has {samples} samples",
                    self.fraction.display()
                );
                return Err(Error::invalid(file.display(), problem, advice));
            }
        }
        Ok((grid, samples))
    }
}

impl SampleFiles {
    /// Opens the files of posterior samples. If no `mask` is given, the samples are used in all voxels in
    /// which the first fibre has a volume fraction above 0.
    pub fn new(fibres: Vec<FibreFiles>, mask: Option<&Path>) -> Result<Self> {
        let mut described = None;
        for fibre in &fibres {
            let (grid, samples) = fibre.describe()?;
            let (first, of_first) = *described.get_or_insert((grid, samples));
            first.require_match(&grid, fibre.fraction.display(), "the first fibre")?;
            if samples != of_first {
                let problem = format!("this fibre has {samples} samples, but the first fibre has {of_first}");
                return Err(Error::invalid(
                    fibre.fraction.display(),
                    problem,
                    "give files of the same run of sampling",
                ));
            }
        }
        let Some((grid, samples)) = described else {
            return Err(Error::invalid(
                "orientations",
                "there is no fibre",
                "give samples of at least one \
                fibre",
            ));
        };
        let mask = match mask {
            Some(path) => crate::space::mask_on(path, &grid, "the samples")?,
            None => with_fibres(&fibres[0], &grid)?,
        };
        Ok(Self { mask, samples, fibres })
    }
}

/// Returns the voxels in which the first sample of the fibre has a volume fraction above 0.
fn with_fibres(fibre: &FibreFiles, grid: &Grid) -> Result<Mask> {
    let fraction = read_volume(&fibre.fraction)?;
    let channels = fraction.channels();
    Mask::new(*grid, fraction.values().chunks_exact(channels).map(|samples| samples[0] > 0.0).collect())
}

/// Reads an image of samples. Returns an error if a value is not a finite number.
fn read_numbers_of(path: &Path) -> Result<Volume<f32>> {
    let samples = read_volume(path)?;
    if samples.values().par_iter().any(|value| !value.is_finite()) {
        let problem = "the image has values that are not numbers";
        return Err(Error::invalid(path.display(), problem, "sample again, or repair it"));
    }
    Ok(samples)
}

impl OrientationSource for SampleFiles {
    fn mask(&self) -> &Mask {
        &self.mask
    }

    fn fibres(&self) -> usize {
        self.fibres.len()
    }

    fn samples(&self) -> usize {
        self.samples
    }

    fn fibre(&self, number: usize) -> Result<Vec<Fibre>> {
        let FibreFiles { directions, fraction } = &self.fibres[number];
        let fractions = || read_numbers_of(fraction);
        let voxels = self.mask.indices();
        let of_voxel = |voxel: usize| voxel * self.samples..(voxel + 1) * self.samples;
        match directions {
            Directions::Angles([theta, phi]) => {
                // The files of the volume fraction and of the two angles are decoded in parallel, each by one
                // thread.
                let ((fractions, theta), phi) = rayon::join(
                    || rayon::join(fractions, || read_numbers_of(theta)),
                    || read_numbers_of(phi),
                );
                let (fractions, theta, phi) = (fractions?, theta?, phi?);
                let axes = PeakFrame::Fsl.axes(self.mask.grid().affine());
                let fibre = |at: usize| {
                    let (theta, phi) = (theta.values()[at], phi.values()[at]);
                    // If one of the two angles of a sample is 0, the sample has no direction.
                    if theta == 0.0 || phi == 0.0 {
                        return Fibre::default();
                    }
                    let (sin, cos) = f64::from(theta).sin_cos();
                    let (sin_phi, cos_phi) = f64::from(phi).sin_cos();
                    let along = [sin * cos_phi, sin * sin_phi, cos];
                    Fibre::new(turned(along, &axes), f64::from(fractions.values()[at]))
                };
                Ok(voxels.par_iter().flat_map_iter(|&voxel| of_voxel(voxel).map(&fibre)).collect())
            }
            Directions::Vectors(file) => {
                let (fractions, directions) = rayon::join(fractions, || read_numbers_of(file));
                let (fractions, directions) = (fractions?, directions?);
                let fibre = |at: usize| {
                    let direction = [0, 1, 2].map(|c| f64::from(directions.values()[3 * at + c]));
                    Fibre::new(direction, f64::from(fractions.values()[at]))
                };
                Ok(voxels.par_iter().flat_map_iter(|&voxel| of_voxel(voxel).map(&fibre)).collect())
            }
        }
    }
}

/// Returns the direction that has the given components along the three directions in `axes`.
fn turned(components: [f64; 3], axes: &[[f64; 3]; 3]) -> [f64; 3] {
    std::array::from_fn(|row| (0..3).map(|n| components[n] * axes[n][row]).sum())
}

/// Peaks of each voxel, used like a single posterior sample of fibre orientations.
pub struct Peaks {
    mask: Mask,
    image: Volume<f32>,
    /// Directions, in scanner axes, of the three axes of the peak components. `None` if these are the scanner
    /// axes.
    axes: Option<[[f64; 3]; 3]>,
    /// Minimum length. Shorter peaks are ignored.
    minimum: f64,
}

impl Peaks {
    /// Creates a source of orientations from an image of peaks, with three volumes per peak. The components
    /// of the peaks are along the axes of `frame`. A voxel of `mask` is used if at least one of its peaks has
    /// at least the length `minimum`.
    ///
    /// Returns an error if no voxel of `mask` has such a peak.
    pub fn new(peaks: Volume<f32>, frame: PeakFrame, mask: Option<&Mask>, minimum: f64) -> Result<Self> {
        let axes = (frame != PeakFrame::Scanner).then(|| frame.axes(peaks.grid().affine()));
        let allowed = |voxel| mask.is_none_or(|mask| mask.contains(voxel));
        let long = |voxel| {
            let peaks = peaks.voxel(voxel).chunks_exact(3);
            peaks.map(length).any(|length| length > 0.0 && length >= minimum)
        };
        let inside: Vec<bool> = (0..peaks.grid().len()).map(|voxel| allowed(voxel) && long(voxel)).collect();
        if !inside.contains(&true) {
            let problem = "no voxel has a peak that is long enough";
            return Err(Error::invalid("peaks", problem, "check the image of peaks, ‘min_peak’ and ‘mask’"));
        }
        Ok(Self { mask: Mask::new(*peaks.grid(), inside)?, image: peaks, axes, minimum })
    }
}

fn length(peak: &[f32]) -> f64 {
    let length = peak.iter().map(|&c| f64::from(c) * f64::from(c)).sum::<f64>().sqrt();
    if length.is_finite() { length } else { 0.0 }
}

impl OrientationSource for Peaks {
    fn mask(&self) -> &Mask {
        &self.mask
    }

    fn fibres(&self) -> usize {
        self.image.channels() / 3
    }

    fn samples(&self) -> usize {
        1
    }

    fn fibre(&self, number: usize) -> Result<Vec<Fibre>> {
        let fibre = |voxel: usize| {
            let peaks = self.image.voxel(voxel);
            let longest = peaks.chunks_exact(3).map(length).fold(0.0, f64::max);
            let peak = &peaks[3 * number..3 * number + 3];
            let own = length(peak);
            if own == 0.0 || own < self.minimum {
                return Fibre::default();
            }
            let along = [0, 1, 2].map(|c| f64::from(peak[c]));
            Fibre::new(self.axes.as_ref().map_or(along, |axes| turned(along, axes)), own / longest)
        };
        Ok(self.mask.indices().into_iter().map(fibre).collect())
    }
}
