//! Checks whether response functions are plausible. A contradiction is an error, and a doubt is a warning.

use crate::response::Response;
use crate::shells::agrees_with_shell;
use arcuate_core::{Error, GradientTable, Mask, Result, Volume, statistics};
use std::f64::consts::PI;

/// The kind of tissue whose signal a response describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TissueKind {
    /// White matter in which all fibres have one direction.
    WhiteMatter,
    /// The tissue is grey matter.
    GreyMatter,
    /// The tissue is cerebrospinal fluid (CSF).
    Csf,
}

impl TissueKind {
    /// White matter, grey matter and CSF, in the order in which responses are given.
    pub const ALL: [Self; 3] = [Self::WhiteMatter, Self::GreyMatter, Self::Csf];

    /// Returns the name of the tissue.
    pub fn words(self) -> &'static str {
        match self {
            Self::WhiteMatter => "white matter",
            Self::GreyMatter => "grey matter",
            Self::Csf => "CSF",
        }
    }

    /// Returns the subject of error messages about the tissue's response. The caller adds the name of the
    /// file.
    pub fn subject(self) -> &'static str {
        match self {
            Self::WhiteMatter => "response of white matter",
            Self::GreyMatter => "response of grey matter",
            Self::Csf => "response of CSF",
        }
    }
}

/// A response function, and the tissue for which the user gives it.
pub type LabelledResponse<'a> = (TissueKind, &'a Response);

/// Maximum relative difference between coefficients that count as equal.
const SAME: f64 = 1e-6;
/// Maximum relative deviation between two responses that count as proportional. If the responses of isotropic
/// tissues are proportional, deconvolution cannot distinguish the tissues.
const PROPORTIONAL: f64 = 1e-3;
/// Maximum relative increase of the mean signal from a shell to the shell with the next higher b-value. A
/// larger increase is an error.
const RISES: f64 = 0.1;
/// Relative increase of the mean signal from a shell to the next one, above which a warning is printed. The
/// warning is printed only if the signal is above the noise floor.
const MAY_RISE: f64 = 0.03;
/// Noise floor, as a fraction of the signal of the first shell.
const NOISE_FLOOR: f64 = 0.05;
/// Lowest allowed signal of white matter, as a fraction of its mean signal. If a signal is below the first
/// limit, it is an error. If it is below the second limit, it causes a warning.
const NEGATIVE: [f64; 2] = [-0.5, -0.1];
/// Maximum fraction by which the signal of white matter may be larger along the fibres than across them.
const ALONG: f64 = 0.05;
/// Maximum coefficient of l = 4 or l = 6 with the wrong sign, as a fraction of the coefficient of l = 2. A
/// larger coefficient causes a warning.
const WRONG_SIGN: f64 = 0.2;
/// Minimum number of voxels from which a response should be estimated. Fewer voxels cause a warning.
pub const MIN_VOXELS: usize = 20;
/// Maximum ratio between the signal of a response and the signal of the series, or between the signal of the
/// series and that of the response. A ratio above the first limit causes a warning. A ratio above the second
/// limit is an error.
const SCALE: [f64; 2] = [20.0, 300.0];
/// Quantile of the series' signals inside the mask that is compared with the signals of responses. It is high
/// because a mask may include much background.
const BRIGHT: f64 = 0.9;
/// Number of angles between a direction and the fibres at which a response is evaluated.
const ANGLES: usize = 45;

/// Checks responses without a series. The function checks the order of the tissues, and whether two responses
/// are equal. It also checks whether signals increase with b, and the shape of white matter's response.
/// Returns one sentence for each doubt.
///
/// # Errors
/// Returns an error if a response cannot be that of its tissue.
pub fn check_responses(responses: &[LabelledResponse<'_>]) -> Result<Vec<String>> {
    check_order(responses)?;
    check_differences(responses)?;
    let mut doubts = Vec::new();
    for &(tissue, response) in responses {
        doubts.extend(check_decay(tissue, response)?);
        if tissue == TissueKind::WhiteMatter {
            doubts.extend(check_shape(response)?);
        } else if is_anisotropic(response) {
            doubts.push(format!(
                "the {} depends on direction; check that this is the right file",
                tissue.subject()
            ));
        }
    }
    doubts.extend(slow_csf(responses));
    Ok(doubts)
}

/// Checks responses against the series that will be deconvolved. In addition to the checks of
/// [`check_responses`], the function checks the number of rows, the b-values and the size of the signal.
/// Returns one sentence for each doubt.
///
/// # Errors
/// Returns an error if the responses contradict each other or the series.
pub fn check_responses_of_series(
    responses: &[LabelledResponse<'_>],
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
) -> Result<Vec<String>> {
    let mut doubts = check_responses(responses)?;
    let shells = gradients.measurements_by_shell();
    for &(tissue, response) in responses {
        let Some(row) = compared_row(response, &shells, responses.len() == 1, tissue)? else { continue };
        let (_, measurements) = &shells[shells.len() - response.rows().len() + row];
        let Some(signal) = bright_signal(dwi, mask, measurements) else { continue };
        doubts.extend(check_scale(tissue, mean_signal(&response.rows()[row]) / signal, gradients)?);
    }
    Ok(doubts)
}

/// Returns the mean over all directions of the signal that a row of zonal coefficients describes.
fn mean_signal(row: &[f64]) -> f64 {
    row[0] / (4.0 * PI).sqrt()
}

fn is_anisotropic(response: &Response) -> bool {
    response.rows().iter().any(|row| row[1..].iter().any(|coefficient| *coefficient != 0.0))
}

fn check_order(responses: &[LabelledResponse<'_>]) -> Result<()> {
    let Some(&(white, first)) = responses.first().filter(|(tissue, _)| *tissue == TissueKind::WhiteMatter)
    else {
        return Ok(());
    };
    if is_anisotropic(first) {
        return Ok(());
    }
    let other = responses.iter().find(|(_, response)| is_anisotropic(response));
    let problem = match other {
        Some((other, _)) => {
            format!(
                "this response is isotropic, but the {} is not: the order of the tissues is wrong",
                other.subject()
            )
        }
        None => "it is isotropic, which no response of white matter is".to_owned(),
    };
    Err(Error::invalid(
        white.subject(),
        problem,
        "give the responses of white matter, grey matter and CSF, \
                                                  in this order",
    ))
}

fn check_differences(responses: &[LabelledResponse<'_>]) -> Result<()> {
    for (n, &(tissue, response)) in responses.iter().enumerate() {
        for &(other, known) in &responses[..n] {
            let is_isotropic = !is_anisotropic(response) && !is_anisotropic(known);
            let problem = if are_same(response, known) {
                format!("this response is the same as the {}", other.subject())
            } else if is_isotropic && are_proportional(response, known) {
                format!(
                    "this response is a multiple of the {}, so the two tissues cannot be separated",
                    other.subject()
                )
            } else {
                continue;
            };
            return Err(Error::invalid(tissue.subject(), problem, "give the response of each tissue once"));
        }
    }
    Ok(())
}

fn are_same(a: &Response, b: &Response) -> bool {
    let size = a.rows().len() == b.rows().len();
    let same = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        let close = |n: usize| {
            let [a, b] = [a, b].map(|row| row.get(n).copied().unwrap_or(0.0));
            (a - b).abs() <= SAME * a.abs().max(b.abs())
        };
        (0..a.len().max(b.len())).all(close)
    };
    size && a.rows().iter().zip(b.rows()).all(same)
}

fn are_proportional(a: &Response, b: &Response) -> bool {
    let factors: Vec<f64> = a.rows().iter().zip(b.rows()).map(|(a, b)| a[0] / b[0]).collect();
    let size = a.rows().len() == b.rows().len() && factors.len() > 1;
    size && factors.iter().all(|factor| (factor / factors[0] - 1.0).abs() < PROPORTIONAL)
}

/// Checks whether the mean signal of a response increases with b. Returns a doubt or an error if it does.
fn check_decay(tissue: TissueKind, response: &Response) -> Result<Option<String>> {
    let means: Vec<f64> = response.rows().iter().map(|row| row[0]).collect();
    let floor = NOISE_FLOOR * means[0];
    let mut doubt = None;
    for (n, pair) in means.windows(2).enumerate() {
        let rise = pair[1] / pair[0] - 1.0;
        let rises = format!(
            "the mean signal of the response rises by {:.0} % from row {} to row {}",
            100.0 * rise,
            n + 1,
            n + 2
        );
        if pair[1] > floor && rise > RISES {
            let advice = "give the rows from the lowest to the highest b-value; if it was estimated, check the gradient table";
            return Err(Error::invalid(tissue.subject(), rises, advice));
        }
        if pair[1] > floor && rise > MAY_RISE {
            doubt =
                Some(format!("the {} may be wrong: {rises}, though signal falls with b", tissue.subject()));
        }
    }
    Ok(doubt)
}

/// Checks whether the response of white matter can be the signal of fibres. The signal must not be negative,
/// and it must be larger across the fibres than along them.
fn check_shape(response: &Response) -> Result<Option<String>> {
    let mut doubt = None;
    let subject = TissueKind::WhiteMatter.subject();
    let advice = "estimate it from the white matter of a whole brain";
    for (shell, row) in response.rows().iter().enumerate() {
        let wrong =
            |problem: String| Err(Error::invalid(subject, format!("row {} {problem}", shell + 1), advice));
        let angles = (0..=ANGLES).map(|n| (PI / 2.0 * n as f64 / ANGLES as f64).cos());
        let signals: Vec<f64> = angles.map(|cosine| response.amplitude(shell, cosine)).collect();
        let mean = mean_signal(row);
        let lowest = signals.iter().copied().fold(f64::INFINITY, f64::min) / mean;
        if lowest < NEGATIVE[0] {
            return wrong(format!("has a signal of {lowest:.1} times its mean, and signal is not negative"));
        }
        let (along, across) = (signals[0], signals[ANGLES]);
        if along > across + ALONG * mean {
            return wrong("has more signal along the fibres than across them".to_owned());
        }
        let coefficient = |n: usize| row.get(n).copied().unwrap_or(0.0);
        let limit = WRONG_SIGN * coefficient(1).abs();
        let row = shell + 1;
        if lowest < NEGATIVE[1] {
            doubt =
                Some(format!("the {subject} may be wrong: row {row} has a negative signal along the fibres"));
        } else if coefficient(2) < -limit || coefficient(3) > limit {
            doubt = Some(format!(
                "the {subject} may be wrong: the signs of row {row} do not alternate from l = 2 to l = 6, as those of fibres do"
            ));
        }
    }
    Ok(doubt)
}

/// Returns a doubt if the signal of CSF decays with b more slowly than that of another tissue.
fn slow_csf(responses: &[LabelledResponse<'_>]) -> Option<String> {
    let left = |response: &Response| {
        let rows = response.rows();
        (rows.len() > 1).then(|| rows[rows.len() - 1][0] / rows[0][0])
    };
    let (_, csf) = responses.iter().find(|(tissue, _)| *tissue == TissueKind::Csf)?;
    let csf = left(csf)?;
    let faster = |&&(tissue, response): &&LabelledResponse<'_>| {
        tissue != TissueKind::Csf && left(response).is_some_and(|left| left < csf)
    };
    let (tissue, _) = responses.iter().find(faster)?;
    Some(format!(
        "the signal of the response of CSF falls more slowly with b than that of the {}; check that the two are not exchanged",
        tissue.subject()
    ))
}

/// Returns the row of a response whose signal is compared with the series. Returns `None` if the response
/// cannot be compared.
fn compared_row(
    response: &Response,
    shells: &[(f64, Vec<usize>)],
    is_alone: bool,
    tissue: TissueKind,
) -> Result<Option<usize>> {
    let rows = response.rows().len();
    let weighted = shells.iter().filter(|(b, _)| *b > 0.0).count();
    // If there are several responses, the deconvolution checks their number of rows. If there is only one
    // response, only the row of its shell is needed.
    if rows != shells.len() {
        if !is_alone {
            return Ok(None);
        }
        if rows != 1 && rows != weighted {
            let problem =
                format!("the response has {rows} rows, but the series has {} b-values", shells.len());
            return Err(Error::invalid(
                tissue.subject(),
                problem,
                "give one row per b-value, or only the row of the largest b-value",
            ));
        }
    }
    let Some((largest, _)) = shells.last() else { return Ok(None) };
    let stated = response.b_values().and_then(<[f64]>::last);
    if let Some(given) = stated.filter(|b| is_alone && !agrees_with_shell(**b, *largest)) {
        let problem = format!(
            "the last row of the response is for b = {given} s/mm², but the largest b-value of the series is \
             {largest:.0}"
        );
        return Err(Error::invalid(
            tissue.subject(),
            problem,
            "give the response that was estimated from this series",
        ));
    }
    Ok(Some(if is_alone { rows - 1 } else { 0 }))
}

/// Returns the mean signal of these measurements in the bright voxels of the mask. Returns `None` if there is
/// no signal.
fn bright_signal(dwi: &Volume<f32>, mask: &Mask, measurements: &[usize]) -> Option<f64> {
    let mean = |voxel: usize| {
        let signals = dwi.voxel(voxel);
        let finite = measurements.iter().map(|&m| f64::from(signals[m])).filter(|signal| signal.is_finite());
        let (sum, count) = finite.fold((0.0, 0usize), |(sum, count), signal| (sum + signal, count + 1));
        sum / count.max(1) as f64
    };
    let mut means: Vec<f64> = mask.indices().into_iter().map(mean).filter(|mean| *mean > 0.0).collect();
    statistics::quantile(&mut means, BRIGHT)
}

/// Checks whether the signals of a response and of the series have the same unit. `ratio` is the signal of
/// the response divided by the signal of the series.
fn check_scale(tissue: TissueKind, ratio: f64, gradients: &GradientTable) -> Result<Option<String>> {
    let (factor, word) = if ratio >= 1.0 { (ratio, "larger") } else { (1.0 / ratio, "smaller") };
    let times = if factor < 1e6 { format!("{factor:.0}") } else { format!("{factor:.0e}") };
    let differs = format!(
        "the signal of the response is {times} times {word} than the signal of the series ({})",
        gradients.describe_shells()
    );
    if factor > SCALE[1] {
        let advice = "give the response that was estimated from this series, or bring both to the same unit";
        return Err(Error::invalid(tissue.subject(), differs, advice));
    }
    Ok((factor > SCALE[0]).then(|| {
        format!(
            "the {} may be of another unit: {differs}; amplitudes of the distributions change by this factor",
            tissue.subject()
        )
    }))
}

/// Returns doubts about the voxels from which responses were estimated. There may be too few voxels, or all
/// voxels may be in one corner of the mask.
pub fn check_voxels(responses: &[(TissueKind, &Mask)], mask: &Mask) -> Vec<String> {
    let (few, enough): (Vec<_>, Vec<_>) =
        responses.iter().copied().partition(|(_, voxels)| voxels.count() < MIN_VOXELS);
    let mut doubts: Vec<String> = few_voxels(&few).into_iter().collect();
    for (tissue, _) in enough.into_iter().filter(|(_, voxels)| are_in_one_corner(voxels, mask)) {
        doubts.push(format!(
            "the voxels of the {} are all in one corner of the mask, as with a bias field; look at them, \
             and correct the bias field first",
            tissue.subject()
        ));
    }
    doubts
}

/// Returns one sentence about all responses that were estimated from few voxels. Returns `None` if there are
/// none.
fn few_voxels(few: &[(TissueKind, &Mask)]) -> Option<String> {
    let each = few.iter().enumerate().map(|(n, (tissue, voxels))| {
        let (count, tissue) = (voxels.count(), tissue.words());
        let voxels = if count == 1 { "voxel" } else { "voxels" };
        if n == 0 {
            format!("the response of {tissue} rests on {count} {voxels}")
        } else {
            format!("the response of {tissue} on {count} {voxels}")
        }
    });
    let each = each.collect::<Vec<_>>().join(", ");
    (!few.is_empty()).then(|| {
        format!(
            "{each}, fewer than {MIN_VOXELS}, and may be wrong; give a mask of the whole brain, or responses of other scans with \
             the same protocol"
        )
    })
}

/// Maximum extent of a set of voxels that counts as concentrated in one corner, as a fraction of the mask's
/// extent. For white matter in simulated brains, the fraction is 0.49 to 0.8. If these brains have a strong
/// bias field, it is 0.2 to 0.34.
const CORNER_SIZE: f64 = 0.4;
/// Minimum distance between the centre of such a set of voxels and the centre of the mask, as a fraction of
/// the mask's extent. In simulated brains, the fraction is at most 0.79. If these brains have a strong bias
/// field, it is 0.9 to 1.05.
const CORNER_DISTANCE: f64 = 0.8;

fn are_in_one_corner(voxels: &Mask, mask: &Mask) -> bool {
    let ((centre, size), (own, spread)) = (extent(mask), extent(voxels));
    let distance = (0..3).map(|k| (own[k] - centre[k]).powi(2)).sum::<f64>().sqrt();
    spread < CORNER_SIZE * size && distance > CORNER_DISTANCE * size
}

/// Returns the centre of a mask in mm, and the root mean square distance between its voxels and this centre.
fn extent(mask: &Mask) -> ([f64; 3], f64) {
    let grid = mask.grid();
    let point = |voxel: &usize| grid.affine().apply(grid.coordinates(*voxel).map(|c| c as f64));
    let points: Vec<[f64; 3]> = mask.indices().iter().map(point).collect();
    let count = points.len().max(1) as f64;
    let centre: [f64; 3] = std::array::from_fn(|k| points.iter().map(|point| point[k]).sum::<f64>() / count);
    let square = |point: &[f64; 3]| (0..3).map(|k| (point[k] - centre[k]).powi(2)).sum::<f64>();
    (centre, (points.iter().map(square).sum::<f64>() / count).sqrt())
}
