//! The program `make_dyadic_vectors`: computes the principal direction of samples of the angles θ and φ, the
//! dispersion of the samples, and their cone of uncertainty.

use super::call::{Call, Outcome, command_line_error};
use super::environment;
use super::grammar::Found;
use super::samples::principal;
use super::subject::{mask_on_data, require_image};
use arcuate_core::{Error, Mask, Result, Volume, statistics};
use arcuate_io::{read_volume, write_image};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::numbers::invalid_number;
use arcuate_pipeline::output::require_file;
use rayon::prelude::*;
use std::path::Path;

/// Number of output values per voxel: the three components of the principal direction, the dispersion, and
/// the angle of the cone of uncertainty.
const NUMBERS: usize = 5;

/// `make_dyadic_vectors THETA PHI [MASK] OUT [PERCENT]`.
pub(super) fn run(call: &Call, arguments: &[String]) -> Outcome<Job> {
    call.help_if_asked(arguments)?;
    let (theta, phi, mask, out, percent) = match arguments {
        [theta, phi, out] => (theta, phi, None, out, None),
        [theta, phi, mask, out] => (theta, phi, Some(mask), out, None),
        [theta, phi, mask, out, percent] => (theta, phi, Some(mask), out, Some(percent)),
        _ => return Err(call.wrong_count(arguments.len(), "THETA PHI [MASK] OUT [PERCENT]")),
    };
    let percent = percent.map(|word| parse_percent(word)).transpose().map_err(command_line_error)?;
    let format = environment::image_format()?;
    let job = call.begin(&Found::default())?;
    let (theta, phi) = (require_image(Path::new(theta))?, require_image(Path::new(phi))?);
    let mask = mask.map(|mask| require_image(Path::new(mask))).transpose()?;
    let out = environment::stem(out);
    let name = |suffix: &str| format.file(&format!("{out}{suffix}"));
    let of_cone = percent.map(|percent| name(&format!("_cones{percent}")));
    let (of_dyads, of_dispersion) = (name(""), name("_dispersion"));
    let inputs: Vec<_> = [theta.clone(), phi.clone()].into_iter().chain(mask.clone()).collect();
    for path in [&of_dyads, &of_dispersion].into_iter().chain(&of_cone) {
        require_file(path, &inputs, &job)?;
    }
    let angles = job.step("read the samples", || Angles::read(&theta, &phi, mask.as_deref()))?;
    let found = job.step("find the directions", || Ok(angles.directions(percent.unwrap_or(0.0))))?;
    job.write("write the images", || {
        let options = format.options(call.name);
        write_image(&of_dyads, &found.channels_at(&[0, 1, 2]), &options)?;
        write_image(&of_dispersion, &found.channel(3), &options)?;
        of_cone.iter().try_for_each(|path| write_image(path, &found.channel(4), &options))
    })?;
    job.print(format_args!("{}: directions are in {}\n", call.name, of_dyads.display()));
    Ok(job)
}

fn parse_percent(word: &str) -> Result<f64> {
    let within = |percent: &f64| (0.0..=100.0).contains(percent) && invalid_number(*percent).is_none();
    word.parse().ok().filter(within).ok_or_else(|| {
        let problem = format!("`{word}` is not a percentage of the samples");
        Error::usage("PERCENT", problem, "give a number from 0 to 100")
    })
}

/// Samples of the angles θ and φ in all voxels of an image.
struct Angles {
    theta: Volume<f32>,
    phi: Volume<f32>,
    mask: Mask,
}

impl Angles {
    fn read(theta_path: &Path, phi_path: &Path, mask: Option<&Path>) -> Result<Self> {
        let (theta, phi) = (read_volume(theta_path)?, read_volume(phi_path)?);
        let size = |volume: &Volume<f32>| {
            let [x, y, z] = volume.grid().shape();
            format!("{x} × {y} × {z} voxels with {} samples", volume.channels())
        };
        if size(&theta) != size(&phi) {
            let problem = format!("the size {} of φ differs from the size {} of θ", size(&phi), size(&theta));
            let advice = "give the samples of both angles of one fibre";
            return Err(Error::invalid(phi_path.display(), problem, advice));
        }
        let mask = match mask {
            Some(mask) => mask_on_data(mask, theta_path)?,
            None => Mask::full(*theta.grid()),
        };
        Ok(Self { theta, phi, mask })
    }

    /// Computes the [`NUMBERS`] output values of each voxel. In a voxel outside the mask, and in a voxel
    /// whose angles are all 0, all of them are 0.
    fn directions(&self, percent: f64) -> Volume<f32> {
        let mut found = Volume::filled(*self.theta.grid(), NUMBERS, 0.0f32);
        found.values_mut().par_chunks_exact_mut(NUMBERS).enumerate().for_each(|(voxel, out)| {
            let (theta, phi) = (self.theta.voxel(voxel), self.phi.voxel(voxel));
            let is_empty = theta.iter().chain(phi).all(|angle| *angle == 0.0);
            if is_empty || !self.mask.contains(voxel) {
                return;
            }
            let unit = |(theta, phi): (&f32, &f32)| {
                let ((st, ct), (sp, cp)) = (f64::from(*theta).sin_cos(), f64::from(*phi).sin_cos());
                [st * cp, st * sp, ct]
            };
            let samples: Vec<[f64; 3]> = theta.iter().zip(phi).map(unit).collect();
            let (dyad, dispersion) = principal(&samples);
            let numbers = [dyad[0], dyad[1], dyad[2], dispersion, cone(&samples, dyad, percent)];
            out.iter_mut().zip(numbers).for_each(|(out, number)| *out = number as f32);
        });
        found
    }
}

/// Returns the angle of the cone around `axis` that contains the given percentage of the sampled directions,
/// in degrees.
fn cone(samples: &[[f64; 3]], axis: [f64; 3], percent: f64) -> f64 {
    let mut angles: Vec<f64> = samples
        .iter()
        .map(|sample| {
            let cosine: f64 = sample.iter().zip(axis).map(|(a, b)| a * b).sum();
            cosine.abs().min(1.0).acos().to_degrees()
        })
        .collect();
    statistics::nearest_rank(&mut angles, percent / 100.0).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uncertainty_cones_contain_the_requested_fraction_of_samples() {
        let at = |degrees: f64| [degrees.to_radians().sin(), 0.0, degrees.to_radians().cos()];
        let samples: Vec<[f64; 3]> = [40.0, 10.0, 170.0, 20.0].into_iter().map(at).collect();
        for (percent, angle) in
            [(0.0, 10.0), (25.0, 10.0), (50.0, 10.0), (51.0, 20.0), (75.0, 20.0), (100.0, 40.0)]
        {
            let found = cone(&samples, [0.0, 0.0, 1.0], percent);
            assert!((found - angle).abs() < 1e-9, "{percent} %: {found}");
        }
        assert!(parse_percent("101").is_err() && parse_percent("nan").is_err());
        assert!(parse_percent("1e-308").is_err() && parse_percent("0").is_ok());
    }
}
