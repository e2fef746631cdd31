//! Tests of connectomes with all kinds of labels, with several parcellations, and with invalid inputs. Also tests
//! of matrices in FSL's formats and of parcellations of their rows.

use crate::common::Scratch;
use arcuate_core::{
    Affine, BrainElements, BrainModel, BrainModels, Grid, NamedLabel, Point, Structure, SurfaceLabels,
    Tractogram, Volume,
};
use arcuate_io::{
    CiftiAxis, CiftiFile, CiftiMap, CiftiWriter, StoredCoordinates, StoredMesh, SurfaceFile, SurfaceReading,
    TractogramOptions, read_volume, write_surface_file, write_tractogram,
};
use arcuate_test_support::real_data;
use std::collections::BTreeMap;
use std::path::Path;

/// Returns four vertices of a hemisphere on a line along y, 10 mm apart, at this x.
fn vertices(x: f32) -> Vec<Point> {
    (0..4).map(|n| [x, 10.0 * n as f32, 0.0]).collect()
}

fn surface_file(structure: Structure) -> SurfaceFile {
    SurfaceFile {
        format: "GIFTI",
        structure: Some(structure),
        kind: None,
        mesh: None,
        maps: Vec::new(),
        labels: Vec::new(),
        warnings: Vec::new(),
    }
}

fn write_surface(scratch: &Scratch, name: &str, structure: Structure, x: f32, count: usize) {
    let mesh = StoredMesh {
        vertices: vertices(x)[..count].to_vec(),
        triangles: vec![[0, 1, 2]],
        coordinates: StoredCoordinates::Scanner,
        volume: None,
    };
    let file = SurfaceFile { mesh: Some(mesh), ..surface_file(structure) };
    write_surface_file(&scratch.path(name), Path::new("x"), &file, SurfaceReading::default()).unwrap();
}

fn table(names: &[(i32, &str)]) -> BTreeMap<i32, NamedLabel> {
    let label = |&(number, name): &(i32, &str)| {
        (number, NamedLabel { name: name.to_owned(), colour: [number as f32 / 255.0, 0.0, 0.0, 1.0] })
    };
    names.iter().map(label).collect()
}

fn write_labels(scratch: &Scratch, name: &str, structure: Structure, values: [i32; 4]) {
    let table = table(&[(0, "unknown"), (1, "back"), (2, "front")]);
    let labels = vec![SurfaceLabels { name: String::new(), values: values.to_vec(), table }];
    let file = SurfaceFile { labels, ..surface_file(structure) };
    write_surface_file(&scratch.path(name), Path::new("x"), &file, SurfaceReading::default()).unwrap();
}

/// Writes two hemispheres with two regions each, a CIFTI-2 file with both and a nucleus of two voxels, an image of
/// labels, and five streamlines.
fn ground() -> Scratch {
    let scratch = Scratch::new();
    let sides = [("lh", Structure::CORTEX_LEFT, -20.0), ("rh", Structure::CORTEX_RIGHT, 20.0)];
    for (side, structure, x) in sides {
        write_surface(&scratch, &format!("{side}.surf.gii"), structure, x, 4);
        // The first vertex is in no region.
        write_labels(&scratch, &format!("{side}.parts.annot"), structure, [0, 1, 1, 2]);
    }
    let grid = Grid::new([5, 5, 5], Affine::scaling([10.0; 3], [-20.0, -10.0, -20.0])).unwrap();
    let halves = (0..grid.len()).map(|n| if grid.coordinates(n)[0] < 2 { 4u16 } else { 9 });
    let image = Volume::new(grid, 1, halves.collect()).unwrap();
    scratch.write_image("halves.nii", &image);
    let fa = Volume::new(grid, 1, (0..grid.len()).map(|n| grid.coordinates(n)[1] as f32).collect()).unwrap();
    scratch.write_image("fa.nii", &fa);
    let vertices = |structure| {
        let elements = BrainElements::Vertices { surface: 4, numbers: vec![3, 2, 1] };
        BrainModel { structure, elements }
    };
    let nucleus = BrainModel {
        structure: Structure::of_name("THALAMUS_LEFT").unwrap(),
        elements: BrainElements::Voxels(vec![[2, 1, 2], [2, 2, 2]]),
    };
    let models = vec![vertices(Structure::CORTEX_LEFT), vertices(Structure::CORTEX_RIGHT), nucleus];
    let models = CiftiAxis::BrainModels(BrainModels::new(models, Some(grid)).unwrap());
    let names = table(&[(0, "???"), (3, "left"), (5, "right"), (7, "nucleus")]);
    let maps = CiftiAxis::Labels(vec![CiftiMap { name: "parts".into(), table: names }]);
    let mut cifti = CiftiWriter::create(&scratch.path("parts.dlabel.nii"), &models, &maps).unwrap();
    for label in [3.0, 3.0, 0.0, 5.0, 5.0, 5.0, 7.0, 0.0] {
        cifti.write_row(&[label]).unwrap();
    }
    cifti.finish().unwrap();
    let mut tracks = Tractogram::new();
    for line in [
        // From the front left to the back right. The last point is 3 mm from the nearest vertex.
        &[[-20.0, 30.0, 0.0], [0.0, 20.0, 0.0], [20.0, 10.0, 3.0]][..],
        // Within the back left region, from one vertex to another.
        &[[-20.0, 10.0, 0.0], [-10.0, 15.0, 0.0], [-20.0, 20.5, 0.0]],
        // From the back right region to the nucleus.
        &[[20.0, 20.0, 0.0], [0.0, 0.0, 1.0]],
        // One end is at the vertex without a region. In the next streamline, one end is 4.5 mm from the nearest
        // vertex.
        &[[-20.0, 0.0, 0.0], [20.0, 30.0, 0.0]],
        &[[-20.0, 30.0, 0.0], [20.0, 30.0, 4.5]],
    ] {
        tracks.push(line);
    }
    write_tractogram(&scratch.path("t.tck"), &tracks, None, &TractogramOptions::default()).unwrap();
    scratch.write("numbers.txt", "1\n2\n3\n4\n5\n");
    scratch
}

const SURFACES: &str = "--surfaces lh.surf.gii,rh.surf.gii";

#[test]
fn hemisphere_labels_form_one_parcellation() {
    let scratch = ground();
    let result = scratch.succeed(&format!(
        "connectome t.tck --labels lh.parts.annot,rh.parts.annot {SURFACES} --measure x=numbers.txt --out out"
    ));
    assert_eq!(result, "1 of 5 streamlines join two of 4 regions; 1 have both ends in one\n");
    assert_eq!(
        scratch.text("out/connectome_regions.csv"),
        "row,region,name\n0,1001,ctx-lh-back\n1,1002,ctx-lh-front\n2,2001,ctx-rh-back\n3,2002,ctx-rh-front\n"
    );
    assert_eq!(scratch.text("out/connectome_counts.csv"), "1,0,0,0\n0,0,1,0\n0,1,0,0\n0,0,0,0\n");
    assert_eq!(scratch.text("out/connectome_mean_x.csv"), "2,0,0,0\n0,0,1,0\n0,1,0,0\n0,0,0,0\n");
    assert_eq!(scratch.text("out/connectome_assignments.txt"), "1002 2001\n1001 1001\n0 0\n0 0\n0 0\n");
    // Neither lengths nor weights were requested.
    let listing = scratch.listing("out");
    let files: Vec<&String> =
        listing.iter().filter(|name| name.split('.').next_back() == Some("csv")).collect();
    assert_eq!(files, ["connectome_counts.csv", "connectome_mean_x.csv", "connectome_regions.csv"]);
    // With a larger radius, both ends of the last streamline are assigned.
    scratch.succeed(&format!(
        "connectome t.tck --labels lh.parts.annot,rh.parts.annot {SURFACES} --assignment-radius 5 --out far"
    ));
    assert!(scratch.text("far/connectome_assignments.txt").ends_with("0 0\n0 0\n1002 2002\n"));
    // A single hemisphere keeps its region numbers.
    scratch.succeed_with(
        "connectome t.tck --labels lh.parts.annot --surfaces lh.surf.gii --out left",
        "warning: no streamline connects two regions; 1 of 5 streamlines have both ends in one region; \
         check the parcellation and the lengths of the streamlines",
    );
    assert!(
        scratch.text("left/connectome_regions.csv").starts_with("row,region,name\n0,1,back\n1,2,front\n")
    );
}

#[test]
fn cifti_labels_with_vertices_and_voxels_become_parcels() {
    let scratch = ground();
    let result = scratch.succeed(&format!("connectome t.tck --labels parts.dlabel.nii {SURFACES} --out out"));
    assert_eq!(result, "2 of 5 streamlines join two of 3 regions; 0 have both ends in one\n");
    assert_eq!(
        scratch.text("out/connectome_regions.csv"),
        "row,region,name\n0,3,left\n1,5,right\n2,7,nucleus\n"
    );
    assert_eq!(scratch.text("out/connectome_assignments.txt"), "3 5\n0 0\n5 7\n0 0\n0 0\n");
    let parcels = CiftiFile::open(&scratch.path("out/connectome_counts.pconn.nii")).unwrap();
    let CiftiAxis::Parcels { parcels: listed, volume } = parcels.rows() else { panic!() };
    assert!(
        volume.is_some() && listed.iter().map(|parcel| parcel.name.as_str()).eq(["left", "right", "nucleus"])
    );
    assert_eq!((listed[1].parts[0].elements.len(), &listed[2].voxels[..]), (3, &[[2, 1, 2]][..]));
    let mut row = [0.0; 3];
    parcels.read_row(1, &mut row).unwrap();
    assert_eq!(row, [1.0, 0.0, 1.0]);
    assert!(scratch.succeed("info out/connectome_lengths.pconn.nii").contains("3 parcels"));
}

#[test]
fn several_parcellations_in_one_pass_agree_with_separate_passes() {
    let scratch = ground();
    let measure = "--measure count,length,fa=fa.nii,weight,sum:fa=fa.nii";
    let result = scratch.succeed(&format!(
        "connectome t.tck --labels halves.nii,lh.parts.annot,rh.parts.annot --labels parts.dlabel.nii {SURFACES} {measure} \
         --out all"
    ));
    assert_eq!(result.lines().count(), 3);
    for (labels, surfaces, name) in [
        ("halves.nii", "", "halves"),
        ("lh.parts.annot,rh.parts.annot", SURFACES, "parts"),
        ("parts.dlabel.nii", SURFACES, "parts_2"),
    ] {
        scratch.succeed(&format!("connectome t.tck --labels {labels} {surfaces} {measure} --out {name}"));
        for file in [
            "counts.npy",
            "lengths.csv",
            "mean_fa.csv",
            "sum_fa.npy",
            "weights.npy",
            "regions.csv",
            "assignments.txt",
        ] {
            assert!(
                scratch.read(&format!("all/{name}_{file}"))
                    == scratch.read(&format!("{name}/connectome_{file}")),
                "{name} {file}"
            );
        }
        scratch.succeed(&format!("connectome t.tck --labels {labels} {surfaces} {measure} --out {name}.npz"));
    }
    // The same results as sparse matrices.
    scratch
        .succeed(&format!("connectome t.tck --labels halves.nii,parts.dlabel.nii {SURFACES} --out two.npz"));
    assert!(scratch.read("two_halves_counts.npz") == scratch.read("halves_counts.npz"));
    assert!(scratch.read("two_parts_assignments.txt") == scratch.read("parts_2_assignments.txt"));
    // FA changes from 4 to 3 to 2 along segments of 22.36 and 22.56 mm. The means of the segments are weighted by
    // these lengths.
    let lengths = [500_f64.sqrt(), 509_f64.sqrt()];
    let expected = (3.5 * lengths[0] + 2.5 * lengths[1]) / (lengths[0] + lengths[1]);
    let row = scratch.text("parts/connectome_mean_fa.csv");
    let found: f64 = row.lines().nth(1).unwrap().split(',').nth(2).unwrap().parse().unwrap();
    assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    // The sum is the mean times the count.
    let [means, sums, counts] = ["mean_fa", "sum_fa", "counts"].map(|measure| {
        let text = scratch.text(&format!("halves/connectome_{measure}.csv"));
        text.lines()
            .flat_map(|row| row.split(',').map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>())
            .collect::<Vec<f64>>()
    });
    assert!(counts.iter().any(|&count| count > 1.0) && sums.len() == counts.len());
    for n in 0..sums.len() {
        assert!((sums[n] - means[n] * counts[n]).abs() < 1e-6, "{n}: {} {} {}", sums[n], means[n], counts[n]);
    }
}

#[test]
fn assignment_methods_that_need_voxels() {
    let scratch = ground();
    for (way, expected) in [
        ("end-voxel", "4 9\n4 4\n9 9\n4 9\n4 9\n"),
        ("reverse", "4 9\n4 4\n9 9\n4 9\n4 9\n"),
        ("forward", "4 9\n4 4\n9 9\n4 9\n4 9\n"),
        ("all-voxels", "4 9\n0\n0\n4 9\n4 9\n"),
    ] {
        scratch.succeed(&format!("connectome t.tck --labels halves.nii --assignment {way} --out {way}"));
        assert_eq!(scratch.text(&format!("{way}/connectome_assignments.txt")), expected, "{way}");
        scratch.fail(
            &format!("connectome t.tck --labels parts.dlabel.nii {SURFACES} --assignment {way} --out no"),
            2,
            "error: --assignment: vertices of surfaces fill no voxels; leave it out: the ends of streamlines find the \
             nearest labelled vertex",
        );
    }
    for (words, message) in [
        (
            "--assignment all-voxels --assignment-radius 3",
            "error: --assignment-radius: all-voxels searches nothing; leave it out, or choose --assignment radial",
        ),
        (
            "--assignment forward --assignment-radius inf",
            "error: --assignment-radius: `inf` is not a finite number; give a finite number, or leave the option out",
        ),
        (
            "--assignment-radius 1e6",
            "error: --assignment-radius: a radius of 1000000 mm covers millions of voxels; give a search \
             radius of a few millimetres, such as 4",
        ),
        (
            "--assignment reverse --assignment-radius 0",
            "error: --assignment-radius: 0 mm is not a search radius; give a radius above 0 mm, or choose \
             the assignment by end voxels",
        ),
    ] {
        scratch.fail(&format!("connectome t.tck --labels halves.nii {words} --out no"), 2, message);
    }
}

#[test]
fn inconsistent_inputs_are_rejected() {
    let scratch = ground();
    write_surface(&scratch, "small.surf.gii", Structure::CORTEX_LEFT, -20.0, 3);
    // This left surface is on the right side.
    write_surface(&scratch, "crossed.surf.gii", Structure::CORTEX_LEFT, 25.0, 4);
    write_surface(&scratch, "far.surf.gii", Structure::CORTEX_LEFT, -300.0, 4);
    write_labels(&scratch, "negative.label.gii", Structure::CORTEX_LEFT, [1, 2, -3, 0]);
    write_labels(&scratch, "one.label.gii", Structure::CORTEX_LEFT, [1, 1, 0, 0]);
    let fractions =
        Volume::new(Grid::new([2, 1, 1], Affine::identity()).unwrap(), 1, vec![1.0f32, 2.5]).unwrap();
    scratch.write_image("fractions.nii", &fractions);
    let file = CiftiFile::open(&scratch.path("parts.dlabel.nii")).unwrap();
    let mut half =
        CiftiWriter::create(&scratch.path("half.dlabel.nii"), file.rows(), file.columns()).unwrap();
    (0..8).for_each(|n| half.write_row(&[n as f32 / 2.0]).unwrap());
    half.finish().unwrap();
    for (words, code, message) in [
        (
            "--labels lh.parts.annot --surfaces small.surf.gii",
            1,
            "lh.parts.annot: the file has 4 values, but the surface has 3 vertices; give values and a \
             surface that have the same vertices",
        ),
        (
            "--labels parts.dlabel.nii --surfaces small.surf.gii,rh.surf.gii",
            1,
            "small.surf.gii: the surface has 3 vertices, but the brain models refer to a surface with 4 \
             vertices; give the surface of the same mesh and hemisphere",
        ),
        (
            "--labels rh.parts.annot --surfaces lh.surf.gii",
            2,
            "rh.parts.annot: the labels belong to CortexRight, but the surfaces are lh.surf.gii of \
             CortexLeft; give the surface of the same hemisphere and mesh with --surfaces",
        ),
        (
            "--labels lh.parts.annot,rh.parts.annot --surfaces crossed.surf.gii,rh.surf.gii",
            1,
            "crossed.surf.gii: this surface is marked as CortexLeft, but is to the right of CortexRight; the \
             two files may be exchanged; give each hemisphere its own surface",
        ),
        (
            "--labels lh.parts.annot --surfaces lh.surf.gii,crossed.surf.gii",
            2,
            "crossed.surf.gii: this is a surface of the brain structure CortexLeft, and so is lh.surf.gii; \
             give one surface per brain structure",
        ),
        (
            "--labels lh.parts.annot",
            2,
            "lh.parts.annot: its labels are of CortexLeft, whose surface is not there; give the surface of the same \
             hemisphere and mesh with --surfaces",
        ),
        (
            "--labels halves.nii --surfaces lh.surf.gii",
            2,
            "lh.surf.gii: no labels belong to this surface; leave it out",
        ),
        (
            "--labels lh.parts.annot --surfaces far.surf.gii",
            1,
            "lh.parts.annot: no region is near the ends of the streamlines of t.tck (the regions may be in \
             FreeSurfer's surface coordinates, or in the space of another image); give streamlines and \
             regions in the same space",
        ),
        (
            "--labels negative.label.gii --surfaces lh.surf.gii",
            1,
            "negative.label.gii: vertex 2 (counted from 0) has the label -3; give labels from 0 up, 0 meaning no region",
        ),
        (
            "--labels one.label.gii --surfaces lh.surf.gii",
            1,
            "one.label.gii: all labelled voxels or vertices have the region 1; give labels of two or more \
             regions",
        ),
        (
            "--labels fractions.nii",
            1,
            "fractions.nii: the value 2.5 in the image is not a whole number in the range of a 64-bit signed \
             integer; give an image of whole numbers",
        ),
        (
            "--labels half.dlabel.nii --surfaces lh.surf.gii,rh.surf.gii",
            1,
            "half.dlabel.nii: row 1 of the CIFTI-2 file has the label 0.5; give whole numbers from 0 up, 0 \
             meaning no region",
        ),
        (
            "--labels halves.nii --measure count,x=t.tck",
            1,
            "t.tck: it is not UTF-8 text: line 6 has the byte 0xA0; save the file as text in UTF-8, or check \
             that this is the right file",
        ),
        (
            "--labels halves.nii --measure length,length",
            2,
            "--measure: lengths is there twice; give each measure once",
        ),
    ] {
        scratch.fail(&format!("connectome t.tck {words} --out no"), code, &format!("error: {message}"));
    }
    scratch.write("few.txt", "1\n2\n");
    scratch.fail(
        "connectome t.tck --labels halves.nii --measure x=few.txt --out no",
        1,
        "error: few.txt: there are 2 weights, but at least 5 streamlines; give one value per streamline",
    );
    let result = scratch.run("connectome t.tck --labels halves.nii --measure fa --out no");
    assert!(
        result.code == 2 && result.errors.contains("give count, weight, length, or a name and a file"),
        "{}",
        result.errors
    );
}

/// Labels that follow the same rule as those of `oracles/connectome_mrtrix.sh`. The expected values are from
/// `tck2connectome` 3.0.3: the number of streamlines that join regions, and the sum of both halves of the matrix.
#[test]
fn every_assignment_method_agrees_with_mrtrix() {
    let Some(tracks) = real_data("philips_dwi/tracks.tck") else { return };
    let grid = *read_volume(&tracks.with_file_name("fa.nii.gz")).unwrap().grid();
    let scratch = Scratch::new();
    let label = |voxel: usize| {
        let [i, j, k] = grid.coordinates(voxel);
        let block = 1 + i / 16 + 8 * (j / 16) + 64 * (k / 8);
        if (i + 2 * j + 3 * k) % 5 == 0 { block as u16 } else { 0 }
    };
    let blocks = Volume::new(grid, 1, (0..grid.len()).map(label).collect()).unwrap();
    scratch.write_image("blocks.nii", &blocks);
    for (way, joining, sum) in [
        ("radial", 5000, 9291),
        ("end-voxel", 194, 368),
        ("reverse", 4789, 8868),
        ("forward --assignment-radius 8", 3413, 6368),
        ("all-voxels", 4471, 93355),
    ] {
        scratch.succeed(&format!(
            "connectome {} --labels blocks.nii --assignment {way} --measure count --out out --force",
            tracks.display()
        ));
        let assignments = scratch.text("out/connectome_assignments.txt");
        assert_eq!(assignments.lines().filter(|line| !line.starts_with('0')).count(), joining, "{way}");
        let counts = scratch.text("out/connectome_counts.csv");
        let found: u32 = counts.split([',', '\n']).filter_map(|word| word.parse::<u32>().ok()).sum();
        assert_eq!(found, sum, "{way}");
    }
}

const DOT: &str = "1  1  5\n3  1  1\n1  2  1\n3  2  4\n4  2  4\n4  3  4\n4  3  0\n";

#[test]
fn matrices_are_converted_and_described() {
    let scratch = Scratch::new();
    scratch.write("m.dot", DOT);
    scratch.write("coords_for_m", "1  0  0  0  1\n0  1  0  0  2\n1  1  0  0  3\n0  0  1  0  4\n");
    scratch.succeed("convert m.dot m.npz");
    assert!(scratch.text("m_rows.tsv").starts_with("place\telement\tname\n0\t0\t1 0 0 0 1\n"));
    scratch.succeed("convert m.npz again.dot");
    assert_eq!(scratch.text("again.dot"), DOT);
    assert_eq!(scratch.text("coords_for_again").split_whitespace().count(), 20);
    scratch.succeed("convert m.npz three_1.mtx");
    assert_eq!(scratch.text("three_1.mtx"), "4\n3\n");
    scratch.succeed("convert three_2.mtx third.dot");
    assert_eq!(scratch.text("third.dot"), DOT);
    let told = scratch.succeed("info m.dot");
    for line in [
        "rows                   4 elements, with names",
        "columns                3 elements",
        "entries                6",
        "sum of counts          19",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let json: serde_json::Value = serde_json::from_str(&scratch.succeed("info --json m.npz")).unwrap();
    assert_eq!(
        (&json[0]["kind"], &json[0]["size"], &json[0]["sums"]["counts"]),
        (&"matrix".into(), &serde_json::json!([4, 3]), &19.0.into())
    );
    for (words, code, message) in [
        (
            "convert m.dot m.tck",
            2,
            "m.tck: m.dot cannot be converted to the file type of the output; choose an output of the same type",
        ),
        (
            "convert m.dot m.dconn.nii",
            2,
            "m.dconn.nii: the vertices and voxels of its rows are not known; as --reference, give a CIFTI-2 \
             file that has the vertices and voxels of the matrix rows",
        ),
        ("convert m.dot n.npz --reference m.dot", 2, "--reference: only a .dconn.nii needs it; leave it out"),
        ("convert m.dot m.npz", 2, "m.npz: it is there already"),
    ] {
        let result = scratch.run(words);
        assert!(result.errors.starts_with(&format!("error: {message}")), "{words}: {}", result.errors);
        assert_eq!(result.code, code, "{words}");
    }
}

#[test]
fn rows_are_parcellated_by_their_connections() {
    let scratch = Scratch::new();
    scratch.write("m.dot", DOT);
    scratch.write("coords_for_m", "1  0  0  0  1\n0  1  0  0  2\n1  1  0  0  3\n0  0  1  0  4\n");
    let image = Volume::new(Grid::new([2, 2, 2], Affine::identity()).unwrap(), 1, vec![0u8; 8]).unwrap();
    scratch.write_image("like.nii", &image);
    let result = scratch.succeed("parcellate m.dot --like like.nii --out big.nii");
    assert_eq!(result, "3 rows have their largest entry in 2 of 3 columns, 1 have none\n");
    let labels = arcuate_io::read_labels(&scratch.path("big.nii")).unwrap();
    // If two columns are equally large, the first one is used.
    assert_eq!(labels.values(), [0, 1, 0, 2, 2, 0, 0, 0]);
    assert_eq!(
        scratch.succeed("parcellate m.dot --clusters 2 --out c.tsv"),
        "3 rows in 2 clusters, 1 without connections\n"
    );
    assert_eq!(
        scratch.text("c.tsv"),
        "place\telement\tname\tlabel\tlabel_name\n0\t0\t1 0 0 0 1\t1\tcluster 1\n1\t1\t0 1 0 0 2\t0\t\n\
         2\t2\t1 1 0 0 3\t2\tcluster 2\n3\t3\t0 0 1 0 4\t2\tcluster 2\n"
    );
    let record: serde_json::Value = scratch.json("c.tsv.json");
    assert!(record["figures"]["inertia"]["value"].as_f64().unwrap() > 0.0);
    for (words, code, message) in [
        (
            "m.dot --out a.nii",
            2,
            "a.nii: the voxels or vertices of the matrix rows are not known; name the image, surface or \
             CIFTI-2 file of the rows",
        ),
        (
            "m.dot --out a.tsv --like like.nii",
            2,
            "--like: a table of labels does not need voxels or vertices; leave it out",
        ),
        (
            "m.dot --out a.tsv --clusters 4",
            2,
            "--clusters: 4 clusters are more than the 3 rows with \
                                               connections; give fewer",
        ),
        (
            "m.dot --out a.tsv --clusters 1",
            2,
            "--clusters: 1 is not a possible number of clusters; give 2 \
                                               or more",
        ),
        (
            "like.nii --out a.tsv",
            2,
            "like.nii: the ending of this file name is not a format of connectivity matrices; give a file",
        ),
    ] {
        let result = scratch.run(&format!("parcellate {words}"));
        assert!(result.errors.starts_with(&format!("error: {message}")), "{words}: {}", result.errors);
        assert_eq!(result.code, code, "{words}");
        assert!(!scratch.path("a.tsv").exists() && !scratch.path("a.nii").exists(), "{words}");
    }
}
