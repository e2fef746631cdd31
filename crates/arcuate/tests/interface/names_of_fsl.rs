//! `fit tensor --names fsl`: maps with the names and axes of FSL's dtifit.

use crate::common::{Scratch, small_brain};
use arcuate_core::{Affine, Grid, Volume};

/// An affine with voxels of 2 mm, rotated by 30° about z. `x` is the sign of the first axis.
fn turned(x: f64) -> Affine {
    let (sin, cos) = 30f64.to_radians().sin_cos();
    Affine::from_rows([
        [x * 2.0 * cos, -2.0 * sin, 0.0, 5.0],
        [x * 2.0 * sin, 2.0 * cos, 0.0, 1.0],
        [0.0, 0.0, 2.0, -3.0],
    ])
    .unwrap()
}

#[test]
fn maps_agree_with_dtifit_for_any_voxel_order() {
    for x in [-1.0, 1.0] {
        let scratch = Scratch::with(small_brain());
        // The voxels stay the same, but the affine is another. Bvec files refer to the voxel axes.
        for name in ["dwi.nii.gz", "mask.nii.gz"] {
            let image = scratch.volume(name);
            let grid = Grid::new(image.grid().shape(), turned(x)).unwrap();
            let moved = Volume::new(grid, image.channels(), image.values().to_vec()).unwrap();
            scratch.write_image(name, &moved);
        }
        for names in ["--out ours", "--names fsl --out theirs"] {
            let result = scratch.run(&format!("fit tensor dwi.nii.gz --mask mask.nii.gz {names}"));
            assert_eq!(result.code, 0, "{}", result.errors);
            // If the first axis is reversed, the gradient table no longer fits the fibres, and a warning
            // reports this.
            assert_eq!(result.errors.contains("--gradient-axes -x,y,z"), x < 0.0, "{}", result.errors);
        }
        // The option for dtifit's tensors reads these tensors correctly, as the comparison below shows.
        scratch.succeed("maps theirs/dti_tensor.nii.gz --tensor-order fsl --out again");
        let read = |name: &str| scratch.volume(&format!("{name}.nii.gz"));
        for (theirs, ours) in
            [("dti_FA", "fa"), ("dti_MD", "md"), ("dti_L1", "ad"), ("dti_S0", "s0"), ("residual", "residual")]
        {
            assert!(
                read(&format!("theirs/{theirs}")).values() == read(&format!("ours/{ours}")).values(),
                "{theirs}"
            );
        }
        let [values, directions, tensor] =
            ["ours/eigenvalues", "ours/eigenvectors", "theirs/dti_tensor"].map(read);
        let [l2, l3] = ["theirs/dti_L2", "theirs/dti_L3"].map(read);
        let vectors = ["theirs/dti_V1", "theirs/dti_V2", "theirs/dti_V3"].map(read);
        let (again, mode) = (read("again/principal_direction"), read("theirs/dti_MO"));
        let mut seen = 0;
        for voxel in 0..values.grid().len() {
            let found = values.voxel(voxel);
            assert_eq!([found[1], found[2]], [l2.voxel(voxel)[0], l3.voxel(voxel)[0]]);
            // If two eigenvalues are similar, rounding errors rotate their vectors.
            if found[0] - found[1] < 0.1 * found[0] || found[1] - found[2] < 0.1 * found[0] || found[2] <= 0.0
            {
                continue;
            }
            seen += 1;
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
            // The tolerance is for single precision.
            assert!(dot(again.voxel(voxel), &directions.voxel(voxel)[..3]).abs() > 1.0 - 1e-4, "{voxel}");
            let [xx, xy, xz, yy, yz, zz] = std::array::from_fn(|n| tensor.voxel(voxel)[n]);
            for (vector, value) in vectors.iter().zip(found) {
                let v = vector.voxel(voxel);
                let product = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]].map(|row| dot(&row, v));
                for (product, v) in product.iter().zip(v) {
                    assert!((product - f64::from(value * v)).abs() < 1e-5 * f64::from(found[0]), "{voxel}");
                }
            }
            assert!((-1.0..=1.0).contains(&mode.voxel(voxel)[0]));
        }
        assert!(seen > 100, "{seen}");
        // FSL's vectors are along the voxel axes. Their x is negated if the determinant of the affine is
        // positive.
        let affine = turned(x);
        let (scanner, fsl) = (&directions, &vectors[0]);
        let voxel = (0..values.grid().len()).find(|&voxel| values.voxel(voxel)[0] > 0.0).unwrap();
        let v = fsl.voxel(voxel).to_vec();
        let turned_x = if affine.determinant() > 0.0 { -v[0] } else { v[0] };
        let [i, j, k] = affine.axes();
        let back: Vec<f64> = (0..3)
            .map(|n| f64::from(turned_x) * i[n] + f64::from(v[1]) * j[n] + f64::from(v[2]) * k[n])
            .collect();
        let cosine: f64 = back.iter().zip(&scanner.voxel(voxel)[..3]).map(|(a, b)| a * f64::from(*b)).sum();
        let length = back.iter().map(|c| c * c).sum::<f64>().sqrt();
        assert!((cosine / length).abs() > 1.0 - 1e-5, "{cosine} {length}");
    }
}
