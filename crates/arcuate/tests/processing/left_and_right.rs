//! Images without a stored position. Every command assumes that x runs from right to left. Results that can
//! omit the position also have none.

use crate::common::Scratch;
use arcuate_core::{Affine, Grid, Volume};
use arcuate_io::{WriteOptions, describe_image, write_image};

const SHAPE: [usize; 3] = [9, 8, 7];
const SIZES: [f64; 3] = [2.0, 2.5, 3.0];

/// The direction of the fibre in all voxels, along the axes of `bvecs`. These are the voxel axes, because x
/// runs from right to left.
const FIBRE: [f64; 3] = [0.6, 0.64, 0.48];

/// A grid without a stored position.
fn silent() -> Grid {
    Grid::unplaced(SHAPE, SIZES).unwrap()
}

/// A grid that stores the position assumed for [`silent`].
fn stated() -> Grid {
    Grid::new(SHAPE, *silent().affine()).unwrap()
}

/// Writes a subject in FSL's layout with one fibre in all voxels. `seed.nii.gz` is the middle voxel.
fn subject(scratch: &Scratch, folder: &str, grid: &Grid) {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let mut gradients = vec![[0.0; 3]; 2];
    gradients.extend((0..30).map(|n| {
        let z = 1.0 - (f64::from(n) + 0.5) / 30.0;
        let (radius, turn) = ((1.0 - z * z).sqrt(), golden * f64::from(n));
        [radius * turn.cos(), radius * turn.sin(), z]
    }));
    let mut dwi = Volume::filled(*grid, gradients.len(), 0.0f32);
    for voxel in 0..grid.len() {
        for (n, gradient) in gradients.iter().enumerate() {
            let along: f64 = gradient.iter().zip(FIBRE).map(|(a, b)| a * b).sum();
            let (b, d) = (if n < 2 { 0.0 } else { 1000.0 }, 1.5e-3);
            let signal = 0.4 * f64::exp(-b * d) + 0.6 * f64::exp(-b * d * along * along);
            let noise = ((voxel * 7919 + n * 104_729) as f64 * 0.618_034).fract() - 0.5;
            dwi.voxel_mut(voxel)[n] = (1000.0 * signal + 10.0 * noise) as f32;
        }
    }
    std::fs::create_dir_all(scratch.path(folder)).unwrap();
    let write = |name: &str, image: &Volume<f32>| {
        write_image(&scratch.path(&format!("{folder}/{name}")), image, &WriteOptions::default()).unwrap();
    };
    write("data.nii.gz", &dwi);
    write("nodif_brain_mask.nii.gz", &Volume::filled(*grid, 1, 1.0));
    let mut seed = Volume::filled(*grid, 1, 0.0);
    seed.voxel_mut(grid.index([4, 4, 3]))[0] = 1.0;
    write("seed.nii.gz", &seed);
    let line = |values: Vec<String>| values.join(" ") + "\n";
    let b_values = (0..gradients.len()).map(|n| if n < 2 { "0".into() } else { "1000".into() }).collect();
    scratch.write(&format!("{folder}/bvals"), line(b_values));
    let axis = |axis: usize| line(gradients.iter().map(|g| g[axis].to_string()).collect());
    scratch.write(&format!("{folder}/bvecs"), [axis(0), axis(1), axis(2)].concat());
}

/// Runs a command with `@` replaced by the folder. Checks the exit code and the warning about the position.
fn run(scratch: &Scratch, folder: &str, arguments: &str) {
    let result = scratch.run(&arguments.replace('@', folder));
    assert_eq!(result.code, 0, "{arguments}: {}", result.errors);
    // FSL's programs print nothing on standard error, because their callers treat any text there as a
    // failure.
    let is_fsls = arguments.starts_with("bedpostx");
    let told = is_fsls && folder == "silent"
        || result.errors.contains("As in FSL and nibabel, x is assumed to run from right to left");
    assert_eq!(told, folder == "silent", "{arguments}: {}", result.errors);
}

/// |cos| of the angle between the fibre and a direction in scanner axes.
fn along(direction: &[f32]) -> f64 {
    let scanner = [-FIBRE[0], FIBRE[1], FIBRE[2]];
    let length = direction.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt();
    (direction.iter().zip(scanner).map(|(a, b)| f64::from(*a) * b).sum::<f64>() / length).abs()
}

#[test]
fn orientation_is_consistent_across_commands_and_fsl_files() {
    let scratch = Scratch::new();
    // The matrix maps masks to images: 2 mm along FSL's x, which is the voxel axis.
    scratch.write("shift.mat", "1 0 0 2\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    for (folder, grid) in [("silent", silent()), ("stated", stated())] {
        subject(&scratch, folder, &grid);
        for command in [
            "fit tensor @/data.nii.gz --mask @/nodif_brain_mask.nii.gz --out @/tensor",
            "fit ball-1-stick @/data.nii.gz --mask @/seed.nii.gz --out @/fit",
            "fit ball-1-stick @/data.nii.gz --mask @/nodif_brain_mask.nii.gz --method mcmc --burn-in 100 --jumps 100 \
             --interval 5 --out @/chain",
            "bedpostx @ -n 1 -b 100 -j 100 -s 5",
            "track tensor @/tensor/tensor.nii.gz --seed-mask @/seed.nii.gz --select 5 --min-length 0 --out @/tensor.tck",
            "track samples @.bedpostX --preset probtrackx --seed-mask @/seed.nii.gz --per-seed 20 --products visits,streamlines --out @/fsl",
            "track samples @.bedpostX --preset probtrackx --seed-mask @/seed.nii.gz --masks-to-dwi shift.mat --per-seed 20 --out @/moved",
            "track samples @/chain --preset probtrackx --seed-mask @/seed.nii.gz --per-seed 20 --products visits,streamlines --out @/own",
            "convert @/data.nii.gz @/data.mif",
        ] {
            run(&scratch, folder, command);
        }
    }

    // Directions from the tensor, the fit and the chains are those of the fibre in scanner axes.
    let read = |name: &str| scratch.volume(name);
    let middle = silent().index([4, 4, 3]);
    for name in ["silent/fit/n.nii.gz", "silent/chain/n.nii.gz", "silent/tensor/principal_direction.nii.gz"] {
        assert!(along(read(name).voxel(middle)) > 0.99, "{name}");
    }
    // Directions in FSL's files are along the voxel axes.
    let dyad = read("silent.bedpostX/dyads1.nii.gz");
    let cosine: f64 = dyad.voxel(middle).iter().zip(FIBRE).map(|(a, b)| f64::from(*a) * b).sum();
    assert!(cosine.abs() > 0.99, "{:?}", dyad.voxel(middle));
    // Streamlines from each of these files run along the fibre in scanner axes, too.
    for name in ["silent/tensor.tck", "silent/fsl/streamlines.trx", "silent/own/streamlines.trx"] {
        let tractogram = scratch.tractogram(name);
        for streamline in tractogram.as_batch().iter() {
            let [first, last] = [streamline[0], streamline[streamline.len() - 1]];
            let chord: Vec<f32> = (0..3).map(|n| last[n] - first[n]).collect();
            assert!(along(&chord) > 0.95, "{name}: {chord:?}");
        }
    }
    // FSL's x is along the voxel axis, so the matrix moves the seeds by one voxel.
    let visits = |folder: &str| read(&format!("silent/{folder}/visits.nii.gz"));
    let at = |folder: &str, voxel: [usize; 3]| visits(folder).values()[silent().index(voxel)];
    assert_eq!(at("fsl", [4, 4, 3]), 20.0);
    assert_eq!(at("moved", [4, 4, 3]), 20.0, "maps are in the space of the masks");

    // All values are bit-identical to those of the image that stores this position.
    for name in [
        "tensor/tensor.nii.gz",
        "fit/n.nii.gz",
        "chain/n.nii.gz",
        "fsl/visits.nii.gz",
        "moved/visits.nii.gz",
        "own/visits.nii.gz",
    ] {
        let [silent, stated] = ["silent", "stated"].map(|folder| read(&format!("{folder}/{name}")));
        assert!(silent.values() == stated.values(), "{name}");
        let [silent, stated] =
            ["silent", "stated"].map(|f| describe_image(&scratch.path(&format!("{f}/{name}"))).unwrap());
        assert_eq!((silent.affine_source, stated.affine_source), ("voxel sizes only", "sform"), "{name}");
        assert_eq!(silent.grid.affine(), stated.grid.affine(), "{name}");
    }
    for name in ["dyads1", "mean_th1samples", "merged_ph1samples", "nodif_brain_mask"] {
        let [silent, stated] = ["silent", "stated"].map(|f| read(&format!("{f}.bedpostX/{name}.nii.gz")));
        assert!(silent.values() == stated.values(), "{name}");
    }
    assert!(scratch.read("silent/tensor.tck").len() == scratch.read("stated/tensor.tck").len());
    // MRtrix's format always has a transform. The file contains the assumed transform, and the gradient table
    // is in scanner axes.
    let [silent, stated] = ["silent", "stated"].map(|f| scratch.read(&format!("{f}/data.mif")));
    assert!(silent == stated);
    assert_eq!(describe_image(&scratch.path("silent/data.mif")).unwrap().orientation(), "LAS");
}

#[test]
fn masks_in_a_shifted_space_seed_as_in_fsl() {
    // This test repeats `masks_are_mapped_by_a_matrix` of `probabilistic.rs` with images without a stored
    // position. The fibre is along x, the seed is at x = 4, and the stop mask is at x = 2.
    let scratch = Scratch::new();
    let grid = Grid::unplaced([20, 3, 3], [2.0; 3]).unwrap();
    std::fs::create_dir(scratch.path("x.bedpostX")).unwrap();
    let write = |name: &str, image: &Volume<f32>| {
        write_image(&scratch.path(name), image, &WriteOptions::default()).unwrap();
    };
    for (name, value) in [("th", std::f32::consts::FRAC_PI_2), ("ph", std::f32::consts::PI), ("f", 0.6)] {
        write(&format!("x.bedpostX/merged_{name}1samples.nii.gz"), &Volume::filled(grid, 4, value));
    }
    write("x.bedpostX/nodif_brain_mask.nii.gz", &Volume::filled(grid, 1, 1.0));
    let plane = |x: usize| {
        let inside = (0..grid.len()).map(|v| f32::from(u8::from(grid.coordinates(v)[0] == x)));
        Volume::new(grid, 1, inside.collect()).unwrap()
    };
    write("x4.nii.gz", &plane(4));
    write("x2.nii.gz", &plane(2));
    scratch.write("shift.mat", "1 0 0 4\n0 1 0 0\n0 0 1 0\n0 0 0 1\n");
    let result = scratch.run(
        "track samples x.bedpostX --seed-mask x4.nii.gz --per-seed 3 --masks-to-dwi shift.mat --stop x2.nii.gz \
         --step 0.5 --max-steps 400 --out moved.tck",
    );
    assert_eq!(result.code, 0, "{}", result.errors);
    // The matrix shifts masks by 4 mm (two voxels) along x. The stop mask at 2 is then at voxel 4 of the
    // images, and stops streamlines from the seed at voxel 6.
    let tractogram = scratch.tractogram("moved.tck");
    let furthest = tractogram.positions().iter().map(|p| p[0]).fold(f32::MIN, f32::max);
    let stop = Affine::centred([-2.0, 2.0, 2.0], [20, 3, 3]).unwrap().apply([4.0, 0.0, 0.0])[0] as f32;
    assert!((furthest - stop + 1.0).abs() < 0.6, "{furthest} {stop}");
}
