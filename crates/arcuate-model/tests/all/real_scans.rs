//! Compares tensor fits and brain masks of real scans with those of MRtrix 3.0.3, whose results are stored
//! next to the scans.

use arcuate_compute::Device;
use arcuate_core::{DiffusionTensor, GradientTable, Mask, Volume};
use arcuate_io::{GradientReading, fsl_gradients, read_image, read_mask, read_volume};
use arcuate_model::{MaskOptions, TensorOptions, brain_mask, fit_tensor, tensor_maps};
use arcuate_test_support::real_data;
use std::path::Path;

fn series(dwi: &Path, bval: &Path, bvec: &Path) -> (Volume<f32>, GradientTable) {
    let dwi = read_volume(dwi).unwrap();
    let stored = fsl_gradients::read(bval, bvec, dwi.grid().affine(), Some(dwi.channels())).unwrap();
    let gradients = stored.table(&GradientReading::with_threshold(50.0)).unwrap();
    (dwi, gradients)
}

fn philips() -> Option<(Volume<f32>, GradientTable, Mask)> {
    let folder = real_data("philips_dwi")?;
    let file = |name: &str| folder.join(name);
    let (dwi, gradients) = series(&file("dwi.nii.gz"), &file("dwi.bval"), &file("dwi.bvec"));
    Some((dwi, gradients, read_mask(&file("mask.nii.gz")).unwrap()))
}

/// Returns the fraction of `errors` that is at most `bound`, and the largest error.
fn within(errors: &[f64], bound: f64) -> (f64, f64) {
    let count = errors.iter().filter(|&&error| error <= bound).count();
    (count as f64 / errors.len() as f64, errors.iter().copied().fold(0.0, f64::max))
}

#[test]
fn tensors_of_a_human_brain_agree_with_mrtrix() {
    let Some((dwi, gradients, mask)) = philips() else { return };
    let folder = real_data("philips_dwi").unwrap();
    let fit = fit_tensor(&dwi, &gradients, &mask, &Device::Cpu, &TensorOptions::default()).unwrap();
    let maps = tensor_maps(&fit.tensor).unwrap();
    let [dt, fa, md] = ["dt", "fa", "md"].map(|n| read_volume(&folder.join(format!("{n}.nii.gz"))).unwrap());
    let frobenius = |d: [f64; 6]| {
        DiffusionTensor(d)
            .0
            .iter()
            .enumerate()
            .fold(0.0, |sum, (n, d)| sum + if n < 3 { d * d } else { 2.0 * d * d })
    };
    let (mut tensor_errors, mut fa_errors, mut md_errors) = (Vec::new(), Vec::new(), Vec::new());
    for voxel in mask.indices().into_iter().filter(|&voxel| fa.values()[voxel] <= 1.0) {
        let (ours, theirs) = (fit.tensor.voxel(voxel), dt.voxel(voxel));
        let difference = std::array::from_fn(|n| f64::from(ours[n]) - f64::from(theirs[n]));
        let size = std::array::from_fn(|n| f64::from(theirs[n]));
        tensor_errors.push((frobenius(difference) / frobenius(size)).sqrt());
        let relative = |a: &Volume<f32>, b: &Volume<f32>| {
            let (a, b) = (f64::from(a.values()[voxel]), f64::from(b.values()[voxel]));
            ((a - b) / b).abs()
        };
        fa_errors.push(relative(&maps.fa, &fa));
        md_errors.push(relative(&maps.md, &md));
    }
    // The mask has 134,843 voxels. The comparison omits the 111 voxels that have FA > 1 in MRtrix's fit.
    assert_eq!(tensor_errors.len(), 134_843 - 111);
    for (name, errors) in [("‖ΔD‖/‖D‖", tensor_errors), ("|ΔFA|/FA", fa_errors), ("|ΔMD|/MD", md_errors)]
    {
        let (part, largest) = within(&errors, 1e-4);
        println!("{name}: {:.4} % of voxels within 1e-4, largest {largest:.1e}", 100.0 * part);
        assert!(part >= 0.999, "{name}: only {part} of the voxels are within 1e-4");
        // The largest measured difference is 6e-7, the rounding of f32. A change of the algorithm would cause
        // larger differences in single voxels.
        assert!(largest <= 1e-5, "{name}: {largest}");
    }
    // The scan has 46 measurements of 0 in the mask.
    assert_eq!((fit.repairs.raised, fit.repairs.counts.sentence()), (46, None));
}

#[test]
fn the_brain_is_found_in_a_human_slab() {
    let Some((dwi, gradients, truth)) = philips() else { return };
    let mask = brain_mask(&dwi, &gradients, &MaskOptions::default()).unwrap();
    let dice = mask.dice(&truth);
    println!("philips_dwi: Dice {dice:.4}");
    // The measured Dice coefficient is 0.997.
    assert!(dice >= 0.99, "{dice}");
    // Without b = 0, the mask does not contain CSF. The measured Dice coefficient is 0.947.
    let (weighted, gradients) = select(&dwi, &gradients, &gradients.weighted_indices());
    let dice = brain_mask(&weighted, &gradients, &MaskOptions::default()).unwrap().dice(&truth);
    println!("philips_dwi without b = 0: Dice {dice:.4}");
    assert!(dice >= 0.93, "{dice}");
}

#[test]
fn the_brain_is_found_in_two_slices() {
    let Some(folder) = real_data("mdt") else { return };
    let file = |name: &str| folder.join(name);
    let (dwi, gradients) =
        series(&file("b1k_b2k_example_slices_24_38.nii.gz"), &file("b1k_b2k.bval"), &file("b1k_b2k.bvec"));
    let truth = read_mask(&file("b1k_b2k_example_slices_24_38_mask.nii.gz")).unwrap();
    let dice = brain_mask(&dwi, &gradients, &MaskOptions::default()).unwrap().dice(&truth);
    println!("mdt: Dice {dice:.4}");
    // The measured Dice coefficient is 0.96.
    assert!(dice >= 0.95, "{dice}");
}

#[test]
fn crops_that_are_mostly_brain_are_mostly_in_the_mask() {
    let Some(folder) = real_data("mrtrix") else { return };
    let image = read_image(&folder.join("dwi_multishell.mif")).unwrap();
    let truth = read_mask(&folder.join("mask_multishell.mif")).unwrap();
    let gradients = image.gradients.unwrap().table(&GradientReading::default()).unwrap();
    let dice = brain_mask(&image.volume, &gradients, &MaskOptions::default()).unwrap().dice(&truth);
    println!("dwi_multishell crop: Dice {dice:.4}");
    // The measured Dice coefficient is 0.97. A mask of the full image would have 0.945.
    assert!(dice >= 0.95, "{dice}");
}

fn select(dwi: &Volume<f32>, gradients: &GradientTable, keep: &[usize]) -> (Volume<f32>, GradientTable) {
    let voxels = 0..dwi.grid().len();
    let values = voxels.flat_map(|voxel| keep.iter().map(move |&m| dwi.voxel(voxel)[m])).collect();
    let directions: Vec<_> = keep.iter().map(|&m| gradients.directions()[m]).collect();
    let b_values = keep.iter().map(|&m| gradients.b_values()[m]).collect();
    (
        Volume::new(*dwi.grid(), keep.len(), values).unwrap(),
        GradientTable::new(&directions, b_values, gradients.b0_threshold()).unwrap(),
    )
}
