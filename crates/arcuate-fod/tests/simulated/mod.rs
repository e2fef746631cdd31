//! Simulated signals of voxels with fibre bundles of one kind and two isotropic tissues.

use arcuate_core::{Affine, GradientTable, Grid, Mask, Orientations, Volume};
use arcuate_fod::{Response, Tissue};

/// Responses at b = 0, 1000 and 2500. WHITE is that of a bundle with the signal exp(−b (0.3 + 1.4 cos²) 10⁻³)
/// · 1000. GREY and CSF are those of two isotropic tissues.
pub(crate) const WHITE: &str =
    "3544.9077 0 0 0 0\n1781.554 -633.4772 107.661 -12.3508 1.0693\n786.7569 -526.8693 198.7089 -53.4 11.096";
pub(crate) const GREY: &str = "3190.4169\n1433.5467\n431.776";
pub(crate) const CSF: &str = "8862.2693\n441.2264\n4.9016";

/// Creates a gradient table with 6 measurements at b = 0, 60 at b = 1000, and 60 at b = 2500.
pub(crate) fn gradients() -> GradientTable {
    let weighted = Orientations::half_sphere(60).directions().to_vec();
    let directions = [vec![[0.0, 0.0, 1.0]; 6], weighted.clone(), weighted].concat();
    GradientTable::new(&directions, [vec![0.0; 6], vec![1000.0; 60], vec![2500.0; 60]].concat(), 50.0)
        .unwrap()
}

/// Returns the signals of a voxel that contains bundles (direction, fraction) and these fractions of grey
/// matter and CSF. `deviation` is added to each signal.
pub(crate) fn signals(
    bundles: &[([f64; 3], f64)],
    grey: f64,
    csf: f64,
    deviation: impl Fn(usize) -> f64,
) -> Vec<f32> {
    let (table, root) = (gradients(), (4.0 * std::f64::consts::PI).sqrt());
    let [grey_rows, fluid_rows] = [GREY, CSF].map(|text| Response::from_text(text).unwrap());
    let measurement = |m: usize| {
        let (d, b) = (table.directions()[m], table.b_values()[m]);
        let shell = [0.0, 1000.0, 2500.0].iter().position(|shell| *shell == b).unwrap();
        let mut sum = (grey * grey_rows.rows()[shell][0] + csf * fluid_rows.rows()[shell][0]) / root;
        for (direction, fraction) in bundles {
            let cosine: f64 = (0..3).map(|k| d[k] * direction[k]).sum();
            sum += fraction * 1000.0 * (-b * (0.3e-3 + 1.4e-3 * cosine * cosine)).exp();
        }
        (sum + deviation(m)) as f32
    };
    (0..table.len()).map(measurement).collect()
}

/// Returns this number of directions for the non-negativity constraint.
pub(crate) fn directions(count: usize) -> Vec<[f64; 3]> {
    Orientations::half_sphere(count).directions().to_vec()
}

/// Returns white matter, grey matter and CSF with their responses.
pub(crate) fn tissues() -> Vec<Tissue> {
    [WHITE, GREY, CSF].map(|text| Tissue::new(Response::from_text(text).unwrap())).to_vec()
}

/// Returns a number between 0 and 1, without a regular pattern in n.
fn number(n: usize) -> f64 {
    (n as f64 * 0.618_034).fract()
}

/// Creates voxels with none, one, two and three bundles. The noise makes many amplitudes negative. One
/// measurement of voxel 5 and one of voxel 70 are not finite, and voxel 6 has no signal.
pub(crate) fn series(voxels: usize) -> Volume<f32> {
    let of_voxel = |voxel: usize| {
        let bundles: Vec<_> = (0..voxel % 4)
            .map(|n| {
                let (z, angle) = (number(7 * voxel + n), std::f64::consts::TAU * number(13 * voxel + 3 * n));
                let across = (1.0 - z * z).sqrt();
                ([across * angle.cos(), across * angle.sin(), z], 0.3 + 0.1 * n as f64)
            })
            .collect();
        let noise = |m: usize| 120.0 * (number(126 * voxel + m) - 0.5);
        signals(&bundles, 0.3 * number(voxel), 0.2 * number(3 * voxel), noise)
    };
    let mut values: Vec<f32> = (0..voxels).flat_map(of_voxel).collect();
    values[5 * 126 + 100] = f32::NAN;
    values[6 * 126..7 * 126].fill(0.0);
    if voxels > 70 {
        values[70 * 126] = f32::INFINITY;
    }
    Volume::new(Grid::new([voxels, 1, 1], Affine::identity()).unwrap(), 126, values).unwrap()
}

/// Returns a mask of all voxels except some in the middle, the first two, and the last.
pub(crate) fn with_holes(dwi: &Volume<f32>) -> Mask {
    let last = dwi.grid().len() - 1;
    let inside = (0..=last).map(|voxel| voxel > 1 && voxel % 9 != 4 && voxel != last).collect();
    Mask::new(*dwi.grid(), inside).unwrap()
}
