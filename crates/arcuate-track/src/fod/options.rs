//! How streamlines go on through distributions, and which are kept.

use crate::options::{AtMaxLength, positive, refused, voxel_of};
use crate::walk::WalkOptions;
use arcuate_core::{Error, Grid, Result, saturating};

/// How a streamline chooses where to go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FodMethod {
    /// Arcs of constant curvature, each drawn by the amplitudes along it: of second order (Tournier et al. 2010, Improved probabilistic
    /// streamlines tractography by 2nd order integration over fibre orientation distributions, Proc. ISMRM 18:1670).
    #[default]
    Arcs,
    /// Straight steps along directions drawn by their amplitudes: of first order (Tournier et al. 2012, doi:10.1002/ima.22005).
    Steps,
    /// Straight steps along the peak that lies uphill from the direction of before, without chance but for the beginning (Tournier et
    /// al. 2012).
    Peaks,
}

/// How streamlines go on through distributions and which are kept; everything but the image, seeds and regions.
#[derive(Debug, Clone, PartialEq)]
pub struct FodOptions {
    /// How a streamline chooses where to go.
    pub method: FodMethod,
    /// Length of a step in mm. `None`: half a voxel of arcs, a tenth of a voxel else.
    pub step_mm: Option<f64>,
    /// Largest turn from one end of a step to the other, in degrees, up to 90. `None`: 45 of arcs, 15 of steps, 60 of peaks.
    pub max_angle_degrees: Option<f64>,
    /// The least amplitude that a streamline goes on with.
    pub min_amplitude: f64,
    /// The least amplitude that one begins with. `None`: that of `min_amplitude`.
    pub seed_amplitude: Option<f64>,
    /// Shorter streamlines are rejected, in mm along their points.
    pub min_length_mm: f64,
    /// The length of the longest streamline, in mm along its points.
    pub max_length_mm: f64,
    /// What happens to a streamline that reaches it.
    pub at_max_length: AtMaxLength,
    /// Stop at this many accepted streamlines. `None`: try every seed.
    pub select: Option<u64>,
    /// Number that all random choices derive from.
    pub seed: u64,
}

impl Default for FodOptions {
    fn default() -> Self {
        Self {
            method: FodMethod::Arcs,
            step_mm: None,
            max_angle_degrees: None,
            min_amplitude: 0.1,
            seed_amplitude: None,
            min_length_mm: 20.0,
            max_length_mm: 250.0,
            at_max_length: AtMaxLength::default(),
            select: None,
            seed: 0,
        }
    }
}

impl FodOptions {
    /// Fails where [`track_fod`](crate::track_fod) would refuse these options for an image on `grid`; each refusal names its option.
    pub fn check_on(&self, grid: &Grid) -> Result<()> {
        self.walk(grid)?.check_on(grid)
    }

    /// The largest turn, in degrees.
    pub fn max_angle(&self) -> f64 {
        self.max_angle_degrees.unwrap_or(match self.method {
            FodMethod::Arcs => 45.0,
            FodMethod::Steps => 15.0,
            FodMethod::Peaks => 60.0,
        })
    }

    /// Length of a step in mm on `grid`.
    pub fn step_on(&self, grid: &Grid) -> f64 {
        let voxel = voxel_of(grid);
        self.step_mm.unwrap_or(match self.method {
            FodMethod::Arcs => 0.5 * voxel,
            FodMethod::Steps | FodMethod::Peaks => 0.1 * voxel,
        })
    }

    /// The same for a walk through any field, in which turns are seen to by the distributions.
    pub(super) fn walk(&self, grid: &Grid) -> Result<WalkOptions> {
        let angle = self.max_angle();
        if !(angle > 0.0 && angle <= 90.0) {
            return Err(refused("‘max_angle_degrees’", angle, "an angle above 0 and up to 90 degrees"));
        }
        let amplitude = |option: &str, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(refused(option, value, "an amplitude above 0"))
            }
        };
        amplitude("‘min_amplitude’", self.min_amplitude)?;
        self.seed_amplitude.map_or(Ok(()), |least| amplitude("‘seed_amplitude’", least))?;
        let step_mm = positive("‘step_mm’", self.step_on(grid), "mm")?;
        let longest = positive("‘max_length_mm’", self.max_length_mm, "mm")?;
        if step_mm > longest {
            let problem = format!("{step_mm} mm is longer than the maximum length of {longest} mm");
            return Err(Error::usage("‘step_mm’", problem, "take a shorter step"));
        }
        crate::options::check_points("streamline", longest, step_mm)?;
        // A half may be as long as the whole.
        let points = saturating::<u32>((longest / step_mm).ceil()) + 2;
        Ok(WalkOptions {
            step_mm,
            min_cosine: 0.0,
            max_steps: 2 * points,
            min_length_mm: self.min_length_mm,
            max_length_mm: Some(longest),
            at_max_length: self.at_max_length,
            select: self.select,
            seed: self.seed,
            ..WalkOptions::default()
        })
    }
}
