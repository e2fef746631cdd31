//! Tensor images of other programs: determines the order of the tensor elements, and checks that an image
//! contains tensors.

use arcuate_core::{DiffusionTensor, Error, Mask, Result, Volume};
use arcuate_io::{Intent, describe_image, read_volume};
use arcuate_model::{TensorOrder, indefinite_share, tensors_in_order};
use std::fmt::Display;
use std::path::Path;

/// If more than this fraction of the tensors have a negative eigenvalue, the order of the tensor elements is
/// probably wrong. In a real scan in which air was fitted, too, noise causes negative eigenvalues in 14 % of
/// the tensors. A wrong order causes them in at least 91 %.
const INDEFINITE_BY_NOISE: f64 = 0.5;

/// Reads a tensor image, and converts it to Arcuate's order of tensor elements and to scanner axes. If no
/// `order` is given, the order in the image header is used. If the header states none, Arcuate's order is
/// used. Warns if the order is probably wrong.
///
/// # Errors
/// Returns an error if the image header states a different order than `order`.
pub fn read_tensor(path: &Path, order: Option<TensorOrder>) -> Result<Volume<f32>> {
    let order = order_of(path, describe_image(path)?.intent, order)?;
    let tensor = tensors_in_order(read_volume(path)?, order).map_err(|e| e.about(path.display()))?;
    let share = indefinite_share(&tensor);
    if share > INDEFINITE_BY_NOISE {
        tracing::warn!(
            "{}: {:.0} % of the tensors in this image have a negative eigenvalue; check ‘tensor_order’",
            path.display(),
            100.0 * share
        );
    }
    Ok(tensor)
}

/// Returns the order of the tensor elements in an image whose header has the NIfTI intent code `intent`.
///
/// # Errors
/// Returns an error if the image header states a different order than `given`.
pub fn order_of(path: &Path, intent: i64, given: Option<TensorOrder>) -> Result<TensorOrder> {
    let stated = TensorOrder::LowerTriangle.volumes();
    match (intent, given) {
        (Intent::SYMMETRIC_MATRIX, Some(order)) if !order.is_lower_triangle() => {
            let problem = format!(
                "the header states the tensor order {stated} (symmetric matrices, intent 1005), but \
                 ‘tensor_order’ states {}",
                order.volumes()
            );
            let advice = "leave ‘tensor_order’ out, or give lower-triangle, ants or dipy; if the header is wrong, correct it";
            Err(Error::usage(path.display(), problem, advice))
        }
        (Intent::SYMMETRIC_MATRIX, None) => {
            tracing::warn!(
                "{}: the header states symmetric matrices (intent 1005), so the volumes have the order \
                 {stated}; the header does not state the axes, so scanner axes are used. Check ‘tensor_order’ \
                 (ants: voxel axes; dipy: axes of the bvec file; lower-triangle: scanner axes)",
                path.display()
            );
            Ok(TensorOrder::LowerTriangle)
        }
        (intent, given) => {
            if let Some(meaning) = other_than_tensors(intent) {
                tracing::warn!(
                    "{}: the header states {meaning} (intent {intent}), not tensors; check that this is the \
                     right file",
                    path.display()
                );
            }
            Ok(given.unwrap_or_default())
        }
    }
}

/// Returns the meaning of a NIfTI intent code, if it states that the image contains something other than
/// tensors.
fn other_than_tensors(intent: i64) -> Option<&'static str> {
    match intent {
        2..=24 => Some("a statistic"),
        1002 => Some("labels"),
        1003 => Some("anatomical names"),
        1006 => Some("displacements"),
        1008 => Some("points"),
        1009 => Some("triangles"),
        1010 => Some("quaternions"),
        2006..=2009 => Some("coefficients of a warp"),
        _ => None,
    }
}

/// Checks that the header of an image does not state that the image contains tensors. `what` is the expected
/// content of the image. FOD images of degree 2 and images of two peaks also have six volumes, so the number
/// of volumes does not show this.
///
/// # Errors
/// Returns an error if the header states that the image contains tensors, or if the header cannot be read.
pub fn require_no_tensors(path: &Path, what: &str) -> Result<()> {
    if describe_image(path)?.intent != Intent::SYMMETRIC_MATRIX {
        return Ok(());
    }
    let problem =
        format!("the header states symmetric matrices (intent 1005), which are tensors, not {what}");
    Err(Error::invalid(
        path.display(),
        problem,
        "give the right image; `arcuate track tensor` follows tensors",
    ))
}

/// Plausible range, in mm²/s, of the mean diffusivity of tissue (living or fixed) and of cerebrospinal fluid
/// (CSF). The diffusivity of free water at 37 °C is 3e-3 mm²/s.
const POSSIBLE_DIFFUSIVITY: [f64; 2] = [1e-5, 2e-2];

/// Checks the tensors of an image within a mask. `name` is the name of the image in messages. Warns if the
/// diffusivities seem to be in another unit than mm²/s. If `not_numbers` is given, also warns of values that
/// are not numbers. It is a text about their consequence.
///
/// # Errors
/// Returns an error if there is no tensor, because all values are 0 or not numbers.
pub fn check_tensors(
    name: &dyn Display,
    tensor: &Volume<f32>,
    mask: Option<&Mask>,
    not_numbers: Option<&str>,
) -> Result<()> {
    let (mut count, mut sum, mut missing) = (0u64, 0.0, 0u64);
    for (voxel, elements) in tensor.values().chunks_exact(6).enumerate() {
        if elements.iter().all(|&d| d == 0.0) || mask.is_some_and(|mask| !mask.contains(voxel)) {
            continue;
        }
        if elements.iter().any(|d| !d.is_finite()) {
            missing += 1;
            continue;
        }
        count += 1;
        let elements = std::array::from_fn(|n| f64::from(elements[n]));
        sum += DiffusionTensor(elements).mean_diffusivity().max(0.0);
    }
    let what = if mask.is_some() { "voxel of the mask" } else { "voxel" };
    if count == 0 {
        let problem = format!("no {what} has a tensor: all values are 0 or not numbers");
        return Err(Error::invalid(name, problem, "check the image and the mask"));
    }
    if let (Some(consequence), true) = (not_numbers, missing > 0) {
        let tensors = missing + count;
        tracing::warn!(
            "{name}: {missing} of {tensors} tensors have values that are not numbers; {consequence}"
        );
    }
    let mean = sum / count as f64;
    let possible = |mean: f64| (POSSIBLE_DIFFUSIVITY[0]..=POSSIBLE_DIFFUSIVITY[1]).contains(&mean);
    if mean > 0.0 && !possible(mean) {
        let units = [("µm²/ms", 1e-3), ("m²/s", 1e6), ("µm²/s", 1e-6)];
        let likely = units.iter().find(|(_, factor)| possible(mean * factor));
        let likely = likely.map_or_else(String::new, |(unit, _)| format!(", as if they were in {unit}"));
        tracing::warn!(
            "{name}: the mean diffusivity of the tensors is {mean:.2e}{likely}; Arcuate reads tensors in \
             mm²/s, in which free water has 3e-3"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};
    use arcuate_io::{HeaderNotes, WriteOptions, write_image};
    use std::path::PathBuf;

    const TENSOR: [f32; 6] = [1.1e-3, 0.6e-3, 0.4e-3, 0.3e-3, -0.1e-3, 0.15e-3];

    /// Writes an image of one tensor, whose elements have the order of a lower triangle. The image header has
    /// the given dimensions and NIfTI intent code.
    fn lower_triangle(folder: &Path, dimensions: &[usize], code: i64) -> PathBuf {
        let [xx, yy, zz, xy, xz, yz] = TENSOR;
        let grid = Grid::new([1, 1, 1], Affine::scaling([-2.0, 2.0, 3.0], [0.0; 3])).unwrap();
        let volume = Volume::new(grid, 6, vec![xx, xy, yy, xz, yz, zz]).unwrap();
        let intent = Some(Intent { code, parameters: [3.0, 0.0, 0.0], name: String::new() });
        let notes = HeaderNotes { dimensions: dimensions.to_vec(), intent, ..HeaderNotes::default() };
        let path = folder.join("tensor.nii.gz");
        write_image(&path, &volume, &WriteOptions { notes, ..WriteOptions::default() }).unwrap();
        path
    }

    #[test]
    fn tensors_are_read_in_the_order_that_their_header_states() {
        let folder = tempfile::tempdir().unwrap();
        for dimensions in [&[1, 1, 1, 1, 6][..], &[1, 1, 1, 6]] {
            let path = lower_triangle(folder.path(), dimensions, Intent::SYMMETRIC_MATRIX);
            assert_eq!(read_tensor(&path, None).unwrap().values(), TENSOR, "{dimensions:?}");
            let turned = read_tensor(&path, Some(TensorOrder::Dipy)).unwrap();
            // The x axis of the image points to the left, so DIPY's x direction is reversed in scanner axes.
            let [xx, yy, zz, xy, xz, yz] = TENSOR;
            assert_eq!(turned.values(), [xx, yy, zz, -xy, -xz, yz], "{dimensions:?}");
            for order in [TensorOrder::Arcuate, TensorOrder::Fsl] {
                let message = read_tensor(&path, Some(order)).unwrap_err().to_string();
                let start =
                    format!("{}: the header states the tensor order Dxx Dxy Dyy Dxz Dyz Dzz", path.display());
                assert!(message.starts_with(&start), "{message}");
                let asked = format!("‘tensor_order’ states {}; leave ‘tensor_order’ out", order.volumes());
                assert!(message.contains(&asked), "{message}");
            }
            assert!(require_no_tensors(&path, "peaks").is_err());
        }
        // Some programs set intent code 1007 (vectors) for images with several volumes. With this code,
        // Arcuate's order is used.
        let path = lower_triangle(folder.path(), &[1, 1, 1, 1, 6], 1007);
        assert_eq!(read_tensor(&path, None).unwrap().values()[1], TENSOR[3]);
        assert!(require_no_tensors(&path, "peaks").is_ok());
    }
}
