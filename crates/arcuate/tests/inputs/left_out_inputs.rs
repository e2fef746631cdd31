//! Warnings of inputs, or parts of them, that a command does not use: labels without a name, deviations of gradients.

use crate::common::{Scratch, small_brain};
use arcuate_core::{Affine, Grid, Tractogram, Volume};
use arcuate_io::{TractogramOptions, write_tractogram};

/// Vertices along each edge of the square surface.
const EDGE: usize = 12;

/// The region of a vertex of the surface, of which each has a quarter; 0 is none.
fn region(vertex: usize) -> i32 {
    [1, 2, 3, 0][vertex / EDGE / 3]
}

/// A surface in the plane z = 0, 2 mm between vertices, and two streamlines above it, from region 1 to 2 and from 1 to 3.
fn surface() -> Scratch {
    let scratch = Scratch::new();
    let vertex = |n: usize| format!("{} {} 0 0", 2 * (n / EDGE), 2 * (n % EDGE));
    let halves = |n: usize| {
        let (across, companion_path, next) = (n + EDGE + 1, n + EDGE, n + 1);
        format!("{n} {companion_path} {across} 0\n{n} {across} {next} 0")
    };
    let is_cell = |n: &usize| n / EDGE + 1 < EDGE && n % EDGE + 1 < EDGE;
    let counts = format!("{} {}", EDGE * EDGE, 2 * (EDGE - 1) * (EDGE - 1));
    let mut mesh = vec!["#!ascii a square".to_owned(), counts];
    mesh.extend((0..EDGE * EDGE).map(vertex));
    mesh.extend((0..EDGE * EDGE).filter(is_cell).map(halves));
    scratch.write("a.asc", mesh.join("\n") + "\n");
    scratch.succeed("convert a.asc lh.white.surf.gii --mesh-space caret --structure CORTEX_LEFT");
    let mut two = Tractogram::new();
    for end in [8.0, 14.0] {
        two.push(&[[2.0, 10.0, 0.0], [2.0, 10.0, 30.0], [end, 10.0, 0.0]]);
    }
    let options = TractogramOptions::default();
    write_tractogram(&scratch.path("two.tck"), &two, None, &options).unwrap();
    scratch
}

/// A parcellation of the surface in GIFTI, whose table names these regions.
fn label_gii(named: &[i32]) -> String {
    let label = |key: &i32| {
        format!("<Label Key='{key}' Red='0.{key}' Green='0.2' Blue='0.3' Alpha='1'>part {key}</Label>")
    };
    let labels = named.iter().map(label).collect::<Vec<_>>().concat();
    let values: Vec<String> = (0..EDGE * EDGE).map(|vertex| region(vertex).to_string()).collect();
    format!(
        "<GIFTI Version='1.0' NumberOfDataArrays='1'><MetaData><MD><Name>AnatomicalStructurePrimary</Name>\
         <Value>CortexLeft</Value></MD></MetaData><LabelTable>{labels}</LabelTable><DataArray \
         Intent='NIFTI_INTENT_LABEL' DataType='NIFTI_TYPE_INT32' Dimensionality='1' Dim0='{}' \
         Encoding='ASCII'><Data>{}</Data></DataArray></GIFTI>",
        EDGE * EDGE,
        values.join(" ")
    )
}

/// A parcellation in FreeSurfer's format whose table lacks the colour of region 3. Colour 0 is no region.
fn annot() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |number: i32| bytes.extend(number.to_be_bytes());
    let colour = |region: i32| region * 10 + (region * 20) * 256 + (region * 30) * 65536;
    put((EDGE * EDGE) as i32);
    for vertex in 0..EDGE * EDGE {
        put(vertex as i32);
        put(colour(region(vertex)));
    }
    for number in [1, -2, 3, 1] {
        put(number);
    }
    bytes.push(0);
    let mut put = |number: i32| bytes.extend(number.to_be_bytes());
    put(2);
    for number in [1_i32, 2] {
        bytes.extend(number.to_be_bytes());
        bytes.extend([0, 0, 0, 2, b'a' + number as u8, 0]);
        for part in [10 * number, 20 * number, 30 * number, 0] {
            bytes.extend(part.to_be_bytes());
        }
    }
    bytes
}

#[test]
fn unnamed_labels_are_reported_for_every_file_type() {
    let scratch = surface();
    scratch.write("lh.a.annot", annot());
    scratch.write("lh.a.label.gii", label_gii(&[0, 1, 2]));
    scratch.write("lh.all.label.gii", label_gii(&[0, 1, 2, 3]));
    scratch.write("lh.none.label.gii", label_gii(&[]));
    scratch.write("two.txt", "1 one\n2 two\n");
    scratch.write("three.txt", "1 one\n2 two\n3 three\n");
    let connect = |labels: &str, more: &str| {
        let result = scratch.run(&format!(
            "connectome two.tck --labels {labels} --surfaces lh.white.surf.gii --assignment-radius 1.5 --out out --force {more}"
        ));
        assert_eq!(result.code, 0, "{labels}: {}", result.errors);
        (result.errors, result.output)
    };
    let unnamed = "warning: lh.a.label.gii: 1 region has no name in its own table and is not used: 3\n";
    let (errors, output) = connect("lh.a.label.gii", "");
    assert_eq!(errors, unnamed);
    assert!(output.contains("1 of 2 streamlines"), "{output}");
    let (errors, _) = connect("lh.a.annot", "");
    assert!(
        errors.contains("warning: lh.a.annot: 36 vertices have colours that its table of names lacks")
            && errors.contains(": 30 60 90 (36 vertices)"),
        "{errors}"
    );
    // Without a table each label is a region, and a table of names takes the place of the file's own.
    for (labels, more) in
        [("lh.all.label.gii", ""), ("lh.none.label.gii", ""), ("lh.a.label.gii", "--label-names three.txt")]
    {
        let (errors, output) = connect(labels, more);
        assert_eq!(errors, "", "{labels} {more}");
        assert!(output.contains("2 of 2 streamlines"), "{labels} {more}: {output}");
    }
    let (errors, _) = connect("lh.all.label.gii", "--label-names two.txt");
    assert_eq!(errors, "warning: lh.all.label.gii: 1 region has no name in two.txt and is not used: 3\n");
}

#[test]
fn unused_gradient_deviations_are_reported() {
    let brain = Scratch::with(small_brain());
    let series = brain.volume("dwi.nii.gz");
    for (from, to) in
        [("dwi.nii.gz", "hcp/data.nii.gz"), ("dwi.bval", "hcp/bvals"), ("dwi.bvec", "hcp/bvecs")]
    {
        brain.write(to, brain.read(from));
    }
    brain.write("hcp/nodif_brain_mask.nii.gz", brain.read("mask.nii.gz"));
    let deviations = Volume::filled(*series.grid(), 9, 0.01f32);
    brain.write_image("hcp/grad_dev.nii.gz", &deviations);
    let warning = "warning: hcp/grad_dev.nii.gz: these gradient deviations are not used";
    for command in [
        "fit tensor hcp/data.nii.gz --mask mask.nii.gz --out out",
        "fit ball-1-stick hcp/data.nii.gz --mask mask.nii.gz --out out",
        "response hcp/data.nii.gz --method single-fibre --voxels 20 --order 2 --mask white_matter.nii.gz --out out",
        "track bootstrap hcp/data.nii.gz --per-seed 1 --mask white_matter.nii.gz --out out",
        "evaluate life truth_streamlines.trx --dwi hcp/data.nii.gz --iterations 3 --out out",
        "run hcp/data.nii.gz --out out --mask mask.nii.gz --select 10 --evaluate none --tracking tensor",
        "dtifit -k hcp/data -o fsl -m hcp/nodif_brain_mask -r hcp/bvecs -b hcp/bvals",
    ] {
        let result =
            brain.run(&format!("{command}{}", if command.starts_with("dtifit") { "" } else { " --force" }));
        // The small brain has too few directions for a response; the warning comes before this error.
        let has_few = command.starts_with("response")
            && result.errors.contains("directions of the shell with the largest b");
        assert!(result.code == 0 || has_few, "{command}: {}", result.errors);
        // FSL's programs print warnings on standard output.
        let printed = result.errors + &result.output;
        assert_eq!(printed.matches(warning).count(), 1, "{command}: {printed}");
    }
    for command in [
        "mask hcp/data.nii.gz --out out.nii.gz",
        "fit ball-1-stick hcp/data.nii.gz --mask mask.nii.gz --out out --gradient-deviations hcp/grad_dev.nii.gz",
        "fit tensor dwi.nii.gz --mask mask.nii.gz --out out",
        "info hcp/data.nii.gz",
    ] {
        let result =
            brain.run(&format!("{command}{}", if command.starts_with("info") { "" } else { " --force" }));
        assert_eq!(
            (result.code, result.errors.contains("grad_dev")),
            (0, false),
            "{command}: {}",
            result.errors
        );
    }
    // The command has an option for them.
    let result = brain.run("fit ball-1-stick hcp/data.nii.gz --mask mask.nii.gz --out out --force");
    assert!(result.errors.contains("; give them with --gradient-deviations"), "{}", result.errors);
}

#[test]
fn lengths_that_do_not_suit_the_voxel_size_are_reported() {
    // A mouse: voxels of 0.1 mm.
    let scratch = Scratch::new();
    let grid = Grid::new([60, 60, 20], Affine::scaling([0.1; 3], [0.0; 3])).unwrap();
    let part = |x: usize| {
        if x < 15 {
            1
        } else if x >= 45 {
            2
        } else {
            0u8
        }
    };
    let labels = (0..grid.len()).map(|voxel| part(grid.coordinates(voxel)[0])).collect();
    let labels = Volume::new(grid, 1, labels).unwrap();
    scratch.write_image("labels.nii.gz", &labels);
    let mut tensor = Volume::filled(grid, 6, 0f32);
    tensor
        .values_mut()
        .chunks_exact_mut(6)
        .for_each(|t| t.copy_from_slice(&[1.7e-3, 3e-4, 3e-4, 0.0, 0.0, 0.0]));
    scratch.write_image("tensor.nii.gz", &tensor);
    let track = "track tensor tensor.nii.gz --tensor-order mrtrix --seeds 50 --out t.tck --force";
    let result = scratch.run(track);
    assert!(
        result.errors.contains("warning: --min-length: 20 mm is longer than the diagonal of the image, 8.7"),
        "{}",
        result.errors
    );
    let result = scratch.run(&format!("{track} --min-length 2"));
    assert!(!result.errors.contains("diagonal"), "{}", result.errors);
    let connect = "connectome t.tck --labels labels.nii.gz --out c --force";
    let result = scratch.run(connect);
    assert!(
        result
            .errors
            .contains("warning: --assignment-radius: a search within 4 mm, 40.000 voxels of 0.1000 mm"),
        "{}",
        result.errors
    );
    let result = scratch.run(&format!("{connect} --assignment-radius 0.3"));
    assert!(!result.errors.contains("a search within"), "{}", result.errors);
}
