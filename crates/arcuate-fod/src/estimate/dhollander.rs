//! Estimates response functions of three tissues, from the signal's decay with b and from the fractional
//! anisotropy.

use super::selection::{best_threshold, mask_of, quantile};
use super::tournier::{TournierOptions, tournier_response};
use super::zonal::{mean_of, response_of_bundles, response_of_isotropic};
use crate::response::Response;
use crate::response_checks::MIN_VOXELS;
use crate::voxels::check;
use arcuate_core::{Control, Error, GradientTable, Mask, Result, Volume};

/// Options of [`dhollander_responses`]. The default values of the fractions are those of `dwi2response
/// dhollander`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DhollanderOptions {
    /// Minimum fractional anisotropy of a voxel that the first classification assigns to white matter.
    pub anisotropy: f64,
    /// Fraction of the white matter voxels from which the single-fibre response is estimated.
    pub white_share: f64,
    /// Fraction of the grey matter voxels from which the response of grey matter is estimated.
    pub grey_share: f64,
    /// Fraction of the CSF voxels from which the response of CSF is estimated.
    pub csf_fraction: f64,
    /// Minimum number of voxels per tissue. If it is more than four times the number of voxels that the
    /// tissue's fraction gives, it is ignored. If it is 0, only the fractions apply, as in `dwi2response
    /// dhollander`.
    pub fewest: usize,
    /// The highest spherical harmonic degree l of the single-fibre response.
    pub order: usize,
}

/// Limit for the minimum number of voxels per tissue, as a multiple of the number that the tissue's fraction
/// gives. A larger number of voxels would include other tissues.
const MAX_FRACTION_MULTIPLE: f64 = 4.0;

impl Default for DhollanderOptions {
    fn default() -> Self {
        Self {
            anisotropy: 0.2,
            white_share: 0.005,
            grey_share: 0.02,
            csf_fraction: 0.1,
            fewest: MIN_VOXELS,
            order: 10,
        }
    }
}

/// The response function of a tissue, and the voxels from which it was estimated.
#[derive(Debug, Clone, PartialEq)]
pub struct TissueResponse {
    /// The response function, with one row of coefficients per shell.
    pub response: Response,
    /// The voxels from which the response function was estimated.
    pub voxels: Mask,
}

/// The response functions of three tissues.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DhollanderResponses {
    /// The single-fibre response of white matter.
    pub white: TissueResponse,
    /// The response of grey matter.
    pub grey: TissueResponse,
    /// The response of cerebrospinal fluid (CSF).
    pub csf: TissueResponse,
}

/// Estimates responses of white matter, grey matter and cerebrospinal fluid from the series itself. The
/// source is Dhollander, Raffelt and Connelly 2016. Its title is "Unsupervised 3-tissue response function
/// estimation from single-shell or multi-shell diffusion MR data without a co-registered T1 image". It
/// appeared at the ISMRM Workshop on Breaking the Barriers of Diffusion MRI.
///
/// Tissues differ in how fast the signal decays with b. The decay of a voxel is the mean of ln(S₀/S_b)/b over
/// the weighted shells, where S₀ and S_b are mean signals of shells. The steps are:
///
/// - Voxels with a fractional anisotropy above the threshold are white matter. Outliers among these voxels
///   are removed. The decay of an outlier is below the lower quartile or above the upper quartile by more
///   than the interquartile range.
/// - An optimal threshold of the decay separates the other voxels into grey matter and CSF. The grey matter
///   voxels are divided at their median decay, and each half gets an optimal threshold. Voxels below the
///   lower or above the upper of these two thresholds are removed from grey matter. CSF voxels below an
///   optimal threshold of their own are removed.
/// - The response of CSF is estimated from the CSF voxels with the highest decay. The response of grey matter
///   is estimated from the grey matter voxels whose decay is nearest to the median. [`tournier_response`]
///   selects the white matter voxels, as in the method of 2016. The method of 2019 selects them differently.
///
/// `anisotropy` is the fractional anisotropy of a tensor fit. The mask should be eroded, so that it excludes
/// the skull. `directions` are the directions of the non-negativity constraint.
///
/// # Errors
/// Returns an error if the series, the gradient table, the mask and the anisotropy do not match. Also returns
/// an error if the series has no measurements at b = 0 or no weighted shell, or if an option is invalid. The
/// same applies if a tissue has no voxels, or if `control` cancels the run.
pub fn dhollander_responses(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    anisotropy: &Volume<f32>,
    directions: &[[f64; 3]],
    options: &DhollanderOptions,
    control: &Control,
) -> Result<DhollanderResponses> {
    check(gradients.len(), dwi, mask)?;
    anisotropy.grid().require_match(mask.grid(), "fractional anisotropy", "the mask")?;
    check_options(options)?;
    let decay = Decay::of(dwi, gradients, mask)?;
    let (crude_white, rest): (Vec<usize>, Vec<usize>) =
        decay.voxels.iter().partition(|&&voxel| f64::from(anisotropy.voxel(voxel)[0]) > options.anisotropy);
    let Some(cut) = best_threshold(&decay.at(&rest)) else { return Err(missing("grey matter and CSF")) };
    let (grey, csf): (Vec<usize>, Vec<usize>) = rest.iter().partition(|&&voxel| decay.values[voxel] < cut);
    let (white, grey, csf) = (decay.white(&crude_white), decay.grey(&grey), decay.csf(&csf));
    if white.is_empty() || grey.is_empty() || csf.is_empty() {
        return Err(missing("one of the tissues"));
    }
    let share = |voxels: &[usize], share: f64| {
        let (of_share, fewest) = (share * voxels.len() as f64, options.fewest as f64);
        let count = if MAX_FRACTION_MULTIPLE * of_share < fewest { of_share } else { of_share.max(fewest) };
        (count.round() as usize).max(1)
    };
    let isotropic = |mut voxels: Vec<usize>, count: usize, key: &dyn Fn(usize) -> f64| {
        voxels.sort_by(|&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        voxels.truncate(count);
        let response = response_of_isotropic(dwi, gradients, &voxels)?;
        Ok::<_, Error>(TissueResponse { response, voxels: mask_of(dwi.grid(), &voxels)? })
    };
    let csf_count = share(&csf, options.csf_fraction);
    let csf = isotropic(csf, csf_count, &|voxel| -decay.values[voxel])?;
    let (grey_count, median) = (share(&grey, options.grey_share), quantile(&decay.at(&grey), 0.5));
    let grey = isotropic(grey, grey_count, &|voxel| (decay.values[voxel] - median).abs())?;
    let count = share(&white, options.white_share);
    let search = TournierOptions {
        voxels: count,
        search: 10 * count,
        order: options.order,
        ..TournierOptions::default()
    };
    let found =
        tournier_response(dwi, gradients, &mask_of(dwi.grid(), &white)?, directions, &search, control)?;
    let response =
        response_of_bundles(dwi, gradients, &found.voxels.indices(), &found.directions, options.order)?;
    Ok(DhollanderResponses { white: TissueResponse { response, voxels: found.voxels }, grey, csf })
}

/// The signal's decay with b in mm²/s, and the voxels in which it is defined.
struct Decay {
    voxels: Vec<usize>,
    /// The decay in each voxel of the grid. In voxels without a defined decay, the value is 0.
    values: Vec<f64>,
}

impl Decay {
    fn of(dwi: &Volume<f32>, gradients: &GradientTable, mask: &Mask) -> Result<Self> {
        let shells = gradients.measurements_by_shell();
        let Some(((_, zeros), weighted)) =
            shells.split_first().filter(|((b, _), rest)| *b == 0.0 && !rest.is_empty())
        else {
            let problem = format!("the gradient table has {}", gradients.describe_shells());
            return Err(Error::invalid(
                "gradient table",
                problem,
                "give a series with b = 0 measurements and with at least one shell of b above 0",
            ));
        };
        let (mut voxels, mut values) = (Vec::new(), vec![0.0; dwi.grid().len()]);
        for voxel in mask.indices() {
            let signals = dwi.voxel(voxel);
            let unweighted = mean_of(signals, zeros);
            let falls = weighted.iter().map(|(b, shell)| (unweighted / mean_of(signals, shell)).ln() / b);
            let decay = falls.sum::<f64>() / weighted.len() as f64;
            // The decay is not defined if the mean signal of a shell is 0 or negative, or if the signal
            // increases with b.
            if decay.is_finite() && decay > 0.0 && signals.iter().all(|signal| signal.is_finite()) {
                voxels.push(voxel);
                values[voxel] = decay;
            }
        }
        Ok(Self { voxels, values })
    }

    fn at(&self, voxels: &[usize]) -> Vec<f64> {
        voxels.iter().map(|&voxel| self.values[voxel]).collect()
    }

    fn between(&self, voxels: &[usize], low: f64, high: f64) -> Vec<usize> {
        voxels.iter().copied().filter(|&voxel| (low..=high).contains(&self.values[voxel])).collect()
    }

    fn white(&self, voxels: &[usize]) -> Vec<usize> {
        let values = self.at(voxels);
        let (first, third) = (quantile(&values, 0.25), quantile(&values, 0.75));
        self.between(voxels, first - (third - first), third + (third - first))
    }

    fn grey(&self, voxels: &[usize]) -> Vec<usize> {
        let values = self.at(voxels);
        let median = quantile(&values, 0.5);
        let (below, above): (Vec<f64>, Vec<f64>) = values.iter().partition(|&&value| value < median);
        let low = best_threshold(&below).unwrap_or(0.0);
        let high = best_threshold(&above).unwrap_or(f64::INFINITY);
        self.between(voxels, low, high)
    }

    fn csf(&self, voxels: &[usize]) -> Vec<usize> {
        self.between(voxels, best_threshold(&self.at(voxels)).unwrap_or(0.0), f64::INFINITY)
    }
}

/// Returns an error if a fraction or the anisotropy threshold is out of range.
fn check_options(options: &DhollanderOptions) -> Result<()> {
    let shares = [
        ("white_share", options.white_share),
        ("grey_share", options.grey_share),
        ("fluid_share", options.csf_fraction),
        ("anisotropy", options.anisotropy),
    ];
    for (name, value) in shares {
        if !(value > 0.0 && value <= 1.0) {
            let problem = format!("the threshold is {value}, but must be above 0 and at most 1");
            return Err(Error::usage(format!("‘{name}’"), problem, "give a fraction above 0 and at most 1"));
        }
    }
    Ok(())
}

fn missing(what: &str) -> Error {
    let advice = "give a mask of the whole brain, or responses of another scan";
    Error::invalid("diffusion series", format!("no voxels of {what} were found"), advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid, Orientations};

    /// Creates a series in which voxels of white matter, grey matter and CSF alternate. Some voxels are
    /// mixtures of tissues. Every fourth voxel of white matter contains crossing fibres.
    fn series() -> (Volume<f32>, GradientTable, Volume<f32>) {
        let axes = Orientations::half_sphere(45).directions().to_vec();
        let gradients = GradientTable::new(
            &[vec![[0.0; 3]; 3], axes.clone(), axes].concat(),
            [vec![0.0; 3], vec![1000.0; 45], vec![2500.0; 45]].concat(),
            50.0,
        )
        .unwrap();
        let directions = Orientations::half_sphere(500).directions().to_vec();
        let (mut values, mut anisotropy) = (Vec::new(), Vec::new());
        for n in 0..3000 {
            let d = directions[n / 6];
            let other = crate::smooth::tangents(d)[0];
            // In grey matter and CSF, a tenth of the voxels is a mixture of the two tissues.
            let mixed = if n % 60 >= 54 { 0.4 } else { 0.0 };
            let [white, grey, csf] =
                [[1.0, 0.0, 0.0], [0.0, 1.0 - mixed, mixed], [0.0, mixed, 1.0 - mixed]][n % 3];
            anisotropy.push(if white == 1.0 { if n % 4 == 0 { 0.4 } else { 0.7 } } else { 0.05 });
            for (m, g) in gradients.directions().iter().enumerate() {
                let b = gradients.b_values()[m];
                let bundle = |d: &[f64; 3]| {
                    let cosine: f64 = (0..3).map(|k| g[k] * d[k]).sum();
                    1000.0 * (-b * (0.2e-3 + 1.5e-3 * cosine * cosine)).exp()
                };
                let fibres = if n % 4 == 0 { f64::midpoint(bundle(&d), bundle(&other)) } else { bundle(&d) };
                let noise = 1.0 + 0.01 * (((n * 93 + m) as f64 * 0.618_034).fract() - 0.5);
                let isotropic = grey * 900.0 * (-b * 0.8e-3).exp() + csf * 2500.0 * (-b * 2.0e-3).exp();
                values.push(((white * fibres + isotropic) * noise) as f32);
            }
        }
        let grid = Grid::new([100, 30, 1], Affine::identity()).unwrap();
        (Volume::new(grid, 93, values).unwrap(), gradients, Volume::new(grid, 1, anisotropy).unwrap())
    }

    #[test]
    fn three_tissues_are_found() {
        let (dwi, gradients, anisotropy) = series();
        let mask = Mask::full(*dwi.grid());
        let constraint = Orientations::half_sphere(300).directions().to_vec();
        let run = |options: &DhollanderOptions| {
            dhollander_responses(
                &dwi,
                &gradients,
                &mask,
                &anisotropy,
                &constraint,
                options,
                &Control::default(),
            )
        };
        let options = DhollanderOptions { white_share: 0.05, ..DhollanderOptions::default() };
        let found = run(&options).unwrap();
        assert!(found.white.voxels.indices().iter().all(|voxel| voxel % 3 == 0 && voxel % 4 != 0));
        for (tissue, place) in [(&found.grey, 1), (&found.csf, 2)] {
            assert!(tissue.voxels.indices().iter().all(|voxel| voxel % 3 == place && voxel % 60 < 54));
        }
        assert!(
            found.white.voxels.count() > 40 && found.grey.voxels.count() > 5 && found.csf.voxels.count() > 50
        );
        // The selected CSF voxels have the fastest decay of the signal. The selected grey matter voxels have
        // a decay near the median.
        let decay = Decay::of(&dwi, &gradients, &mask).unwrap();
        let pure = |place: usize| (0..3000).filter(|n| n % 3 == place && n % 60 < 54).collect::<Vec<_>>();
        let minimum = quantile(&decay.at(&pure(2)), 0.8);
        assert!(decay.at(&found.csf.voxels.indices()).iter().all(|value| *value > minimum));
        let middle = [0.3, 0.7].map(|share| quantile(&decay.at(&pure(1)), share));
        assert!(decay.at(&found.grey.voxels.indices()).iter().all(|d| (middle[0]..middle[1]).contains(d)));
        // The tolerance allows for mean signals with 1 % noise.
        let root = (4.0 * std::f64::consts::PI).sqrt();
        for (shell, b) in [0.0f64, 1000.0, 2500.0].into_iter().enumerate() {
            let close = |value: f64, expected: f64| (value / root / expected - 1.0).abs() < 0.01;
            assert!(close(found.grey.response.rows()[shell][0], 900.0 * (-b * 0.8e-3).exp()));
            assert!(close(found.csf.response.rows()[shell][0], 2500.0 * (-b * 2.0e-3).exp()));
            let across = found.white.response.amplitude(shell, 0.0);
            assert!((across / (1000.0 * (-b * 0.2e-3).exp()) - 1.0).abs() < 0.02, "{shell}: {across}");
        }
        // In a small brain, the fractions of voxels select only few voxels.
        let small = DhollanderOptions { white_share: 0.02, grey_share: 0.004, ..options };
        let count = |options: &DhollanderOptions| {
            let found = run(options).unwrap();
            [found.white.voxels.count(), found.grey.voxels.count()]
        };
        let [white, grey] = count(&DhollanderOptions { fewest: 0, ..small });
        assert!((6..20).contains(&white) && (2..5).contains(&grey), "{white} {grey}");
        assert_eq!(count(&small), [20, grey], "four times the share of grey matter are fewer than 20");
        let message = run(&DhollanderOptions { grey_share: 0.0, ..options }).unwrap_err().to_string();
        assert!(message.contains("‘grey_share’: the threshold is 0, but must be above 0"), "{message}");
        let message = run(&DhollanderOptions { anisotropy: 0.9, ..options }).unwrap_err().to_string();
        assert!(message.contains("were found"), "{message}");
        let weighted = gradients.of_measurements(&(3..93).collect::<Vec<_>>());
        let part = dwi.channels_at(&(3..93).collect::<Vec<_>>());
        let refused = dhollander_responses(
            &part,
            &weighted,
            &mask,
            &anisotropy,
            &constraint,
            &options,
            &Control::default(),
        );
        assert!(refused.unwrap_err().to_string().contains("give a series with b = 0"));
    }
}
