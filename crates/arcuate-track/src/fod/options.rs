//! Options of tracking fibre orientation distributions (FODs), with their defaults and checks.

use crate::options::{AtMaxLength, positive, refused, voxel_of};
use crate::walk::WalkOptions;
use arcuate_core::{Error, Grid, Result, saturating};

/// Tracking method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FodMethod {
    /// Second order, probabilistic: arcs of constant curvature, drawn by the FOD amplitudes along them (as
    /// iFOD2; Tournier et al. 2010, Improved probabilistic streamlines tractography by 2nd order integration
    /// over fibre orientation distributions, Proc. ISMRM 18:1670).
    #[default]
    Arcs,
    /// First order, probabilistic: straight steps in directions that are drawn by their FOD amplitudes (as
    /// iFOD1; Tournier et al. 2012, doi:10.1002/ima.22005).
    Steps,
    /// Deterministic: straight steps along the FOD peak that is uphill from the current direction (Tournier
    /// et al. 2012). Only the first direction is random.
    Peaks,
}

/// Options of tracking fibre orientation distributions (FODs).
#[derive(Debug, Clone, PartialEq)]
pub struct FodOptions {
    /// Tracking method.
    pub method: FodMethod,
    /// Step length in mm. `None`: 0.5 voxel for arcs, 0.1 voxel for steps and peaks.
    pub step_mm: Option<f64>,
    /// Maximum angle between the directions at the two ends of a step, in degrees, at most 90. `None`: 45 for
    /// arcs, 15 for steps, 60 for peaks.
    pub max_angle_degrees: Option<f64>,
    /// Minimum FOD amplitude along a streamline.
    pub min_amplitude: f64,
    /// Minimum FOD amplitude at a seed. `None`: the value of `min_amplitude`.
    pub seed_amplitude: Option<f64>,
    /// Minimum length of a streamline in mm, measured along its points. Shorter streamlines are rejected.
    pub min_length_mm: f64,
    /// Maximum length of a streamline in mm, measured along its points.
    pub max_length_mm: f64,
    /// Action for a streamline that reaches the maximum length.
    pub at_max_length: AtMaxLength,
    /// Number of accepted streamlines at which tracking stops. `None`: use all seeds.
    pub select: Option<u64>,
    /// Random seed.
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
    /// Returns an error if the options are invalid for an image on `grid`. [`track_fod`](crate::track_fod)
    /// returns the same error. The error names the option.
    pub fn check_on(&self, grid: &Grid) -> Result<()> {
        self.walk(grid)?.check_on(grid)
    }

    /// Returns the maximum angle between the directions at the two ends of a step, in degrees.
    pub fn max_angle(&self) -> f64 {
        self.max_angle_degrees.unwrap_or(match self.method {
            FodMethod::Arcs => 45.0,
            FodMethod::Steps => 15.0,
            FodMethod::Peaks => 60.0,
        })
    }

    /// Returns the step length in mm on `grid`.
    pub fn step_on(&self, grid: &Grid) -> f64 {
        let voxel = voxel_of(grid);
        self.step_mm.unwrap_or(match self.method {
            FodMethod::Arcs => 0.5 * voxel,
            FodMethod::Steps | FodMethod::Peaks => 0.1 * voxel,
        })
    }

    /// Converts the options to those of tracking through any direction field. The distributions themselves
    /// limit the angle.
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
        self.seed_amplitude.map_or(Ok(()), |minimum| amplitude("‘seed_amplitude’", minimum))?;
        let step_mm = positive("‘step_mm’", self.step_on(grid), "mm")?;
        let longest = positive("‘max_length_mm’", self.max_length_mm, "mm")?;
        if step_mm > longest {
            let problem = format!(
                "the step of {step_mm} mm is longer than the maximum length of {longest} \
                                   mm"
            );
            return Err(Error::usage("‘step_mm’", problem, "take a shorter step"));
        }
        crate::options::check_points("streamline", longest, step_mm)?;
        // One half of a streamline can be as long as the whole streamline.
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
