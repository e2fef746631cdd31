//! `5tt` and `simulate --tissues`: results, and errors for invalid inputs.

use crate::common::{Scratch, kept};
use arcuate_core::{Affine, FiveTissues, Grid, Volume};
use arcuate_io::{read_numbers, read_volume};

/// A simulated brain with large voxels and its five tissues, and maps of these tissues.
fn brain() -> Scratch {
    Scratch::with(&kept("real-tissues", |scratch| {
        scratch.succeed(
            "simulate --out kept --voxel-size 6 --snr 0 --streamlines-per-bundle 2 --shells 0:1,700:6,2800:8 --tissues",
        );
        let tissues = scratch.volume("kept/truth_5tt.nii.gz");
        let map = |name: &str, of: &dyn Fn(&[f32]) -> f32| {
            let values = tissues.values().chunks_exact(5).map(of).collect();
            let map = Volume::new(*tissues.grid(), 1, values).unwrap();
            scratch.write_image(&format!("kept/{name}.nii"), &map);
        };
        map("grey", &|t| t[0] + t[1]);
        map("nuclei", &|t| t[1]);
        map("white", &|t| t[2]);
        map("fluid", &|t| t[3]);
        map("percent", &|_| 100.0);
    }))
}

#[test]
fn simulated_tissues_are_written_with_their_truth() {
    let scratch = brain();
    let image = |name: &str| scratch.volume(name);
    assert_eq!(image("dwi.nii.gz").channels(), 15);
    assert_eq!(scratch.text("dwi.bval").split_whitespace().filter(|b| *b == "2800").count(), 8);
    assert!(FiveTissues::new(image("truth_5tt.nii.gz")).unwrap().has_sub_cortical());
    assert_eq!(image("truth_bias.nii.gz").channels(), 1);
    assert_eq!(image("truth_fod.nii.gz").channels(), 45);
    for (tissue, columns) in [("wm", 5), ("gm", 1), ("csf", 1)] {
        let name = format!("truth_response_{tissue}.txt");
        assert_eq!(scratch.text(&name).lines().next(), Some("# Shells: 0,700,2800"));
        assert_eq!(read_numbers(&scratch.path(&name)).unwrap().len(), 3 * columns);
    }
    // The response is the S₀ of CSF times √(4π).
    let csf = read_numbers(&scratch.path("truth_response_csf.txt")).unwrap()[0];
    assert!((csf - 3500.0 * (4.0 * std::f64::consts::PI).sqrt()).abs() < 1e-9);
}

#[test]
fn tissue_maps_become_a_five_tissue_image() {
    let scratch = brain();
    let maps = "--grey-matter grey.nii --white-matter white.nii --csf fluid.nii";
    let result = scratch
        .succeed(&format!("5tt {maps} --subcortical nuclei.nii --out 5tt.nii --interface between.nii"));
    assert!(result.contains("cortical grey matter") && result.contains("cm³"), "{result}");
    let (made, truth) = (scratch.path("5tt.nii"), scratch.path("truth_5tt.nii.gz"));
    let (made, truth) = (read_volume(&made).unwrap(), read_volume(&truth).unwrap());
    for (made, truth) in made.values().iter().zip(truth.values()) {
        // The command computes sums and a quotient in single precision.
        assert!((made - truth).abs() < 1e-6, "{made} {truth}");
    }
    let between = scratch.volume("between.nii");
    let strong = between.values().iter().filter(|value| **value > 0.5).count();
    assert!(between.values().iter().all(|value| (0.0..=1.0).contains(value)) && strong > 500, "{strong}");
    assert!(scratch.text("5tt.nii.json").contains("between.nii"));
    scratch.succeed("report 5tt.nii --out page.html");
    assert!(scratch.text("page.html").contains("Fractions of five tissues"));
    // Without a map of sub-cortical grey matter, the command prints a warning.
    let result = scratch.run(&format!("5tt {maps} --out without.nii"));
    assert_eq!(result.code, 0, "{}", result.errors);
    assert!(
        result.errors.contains("no map of sub-cortical grey matter")
            && result.errors.contains("--subcortical")
    );
}

#[test]
fn labels_without_a_tissue_are_reported() {
    let scratch = Scratch::new();
    let grid = Grid::new([4, 1, 1], Affine::identity()).unwrap();
    let labels = Volume::new(grid, 1, vec![2i32, 1035, 29, 5000]).unwrap();
    scratch.write_image("aseg.nii", &labels);
    let result = scratch.run("5tt aseg.nii --lut freesurfer --out 5tt.nii");
    assert_eq!(result.code, 0, "{}", result.errors);
    assert!(
        result.errors.contains("voxels could not be computed (2 with a label that has no tissue): "),
        "{}",
        result.errors
    );
    assert!(result.errors.contains("29, 5000"), "{}", result.errors);
    let made = scratch.volume("5tt.nii");
    let expected = [[0.0, 0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0], [0.0; 5], [0.0; 5]];
    assert_eq!(made.values(), expected.as_flattened());
}

#[test]
fn invalid_tissue_inputs_are_rejected() {
    let scratch = brain();
    let maps = "--grey-matter grey.nii --white-matter white.nii --csf fluid.nii";
    scratch.fail(
        &format!("5tt {maps} --pathological percent.nii --out x.nii"),
        1,
        "error: percent.nii: the map has the value 100, which is not a fraction from 0 to 1; give a map with \
         fractions from 0 to 1",
    );
    let small = Volume::filled(Grid::new([2, 2, 2], Affine::identity()).unwrap(), 1, 0.5f32);
    scratch.write_image("small.nii", &small);
    let result = scratch.run(&format!("5tt {maps} --subcortical small.nii --out x.nii"));
    assert_eq!(result.code, 1, "{}", result.errors);
    assert!(
        result.errors.starts_with("error: small.nii: ") && result.errors.contains("grey.nii"),
        "{}",
        result.errors
    );
    scratch.fail(
        "5tt --grey-matter grey.nii --white-matter truth_5tt.nii.gz --csf fluid.nii --out x.nii",
        1,
        "error: truth_5tt.nii.gz: it has 5 volumes, not one; give a 3-D map",
    );
    for words in [
        "5tt --out x.nii",
        "5tt labels.nii.gz --out x.nii",
        "5tt --lut FreeSurfer --out x.nii",
        "5tt --grey-matter grey.nii --out x.nii",
        "5tt labels.nii.gz --lut FreeSurfer --csf fluid.nii --out x.nii",
        "5tt labels.nii.gz --lut other --out x.nii",
        "simulate --out y --shells 0:6,700:16 --directions 6",
        "simulate --out y --shells 0:6,700:16 --b-value 700",
        "simulate --out y --shells 0:6,700:16 --gradients dwi.b",
        "simulate --out y --shells 700:16",
        "simulate kspace --out y --tissues",
    ] {
        let result = scratch.run(words);
        assert_eq!(result.code, 2, "{words}: {}", result.errors);
    }
}
