//! Unusual files from other programs and users. Arcuate reads them as intended or reports the problem. It
//! never misinterprets them silently.

use crate::common::{Scratch, small_brain, with_memory_limit};
use arcuate_core::{Affine, Grid, Tractogram, Volume};
use arcuate_io::{
    HeaderNotes, Intent, TractogramOptions, WriteOptions, describe_image, read_tractogram, write_image,
    write_tractogram,
};

fn oblique() -> Grid {
    let rows = [[-1.9, 0.3, 0.2, 20.0], [0.25, 1.8, -0.5, -12.0], [0.15, 0.45, 2.4, -8.0]];
    Grid::new([12, 13, 14], Affine::from_rows(rows).unwrap()).unwrap()
}

fn two() -> Tractogram {
    let grid = oblique();
    let at = |voxel: [f64; 3]| grid.affine().apply(voxel).map(|c| c as f32);
    let mut two = Tractogram::new();
    two.push(&[at([1.0, 2.0, 3.0]), at([4.0, 5.0, 6.0])]);
    two.push(&[at([7.0, 2.0, 9.0]), at([7.5, 8.0, 3.0]), at([2.0, 2.0, 2.0])]);
    two
}

/// `placed.trk` has the grid of `ref.nii.gz`. `zeros.trk` is the same file without an affine, and `one.trk`
/// is the same file with version 1.
fn trk() -> Scratch {
    let scratch = Scratch::new();
    scratch.write_volume("ref.nii.gz", &Volume::filled(oblique(), 1, 1.0));
    let path = scratch.path("placed.trk");
    write_tractogram(&path, &two(), Some(&oblique()), &TractogramOptions::default()).unwrap();
    let mut bytes = scratch.read("placed.trk");
    bytes[440..504].fill(0);
    scratch.write("zeros.trk", &bytes);
    let mut bytes = scratch.read("placed.trk");
    bytes[992..996].copy_from_slice(&1i32.to_le_bytes());
    scratch.write("one.trk", &bytes);
    scratch
}

fn assert_two(scratch: &Scratch, name: &str) {
    let read = read_tractogram(&scratch.path(name)).unwrap();
    for (point, expected) in read.tractogram.positions().iter().zip(two().positions()) {
        assert!(
            (0..3).all(|axis| (point[axis] - expected[axis]).abs() < 1e-4),
            "{name}: {point:?} {expected:?}"
        );
    }
    assert_eq!(read.tractogram.offsets(), two().offsets(), "{name}");
    assert!(name.ends_with("tck") || read.grid.is_some_and(|grid| grid.matches(&oblique())), "{name}");
}

#[test]
fn trk_files_without_affine_use_the_reference() {
    let scratch = trk();
    for name in ["zeros.trk", "one.trk"] {
        for out in ["out.tck", "out.trk", "out.trx"] {
            scratch.succeed(&format!("convert {name} {out} --reference ref.nii.gz --force"));
            assert_two(&scratch, out);
            scratch
                .succeed(&format!("edit {name} --min-length 1 --reference ref.nii.gz --out {out} --force"));
            assert_two(&scratch, out);
        }
    }
    // Without a reference, the position is unknown.
    let unknown = |name: &str| {
        format!(
            "warning: {name}: its header does not state the position of the voxels; taking voxel \
             coordinates for RAS mm, as \
             nibabel does (`arcuate convert` with --reference places them in an image)"
        )
    };
    scratch.succeed_with("convert zeros.trk unknown.tck", &unknown("zeros.trk"));
    scratch.fail(
        "convert one.trk unknown.trk",
        2,
        "error: unknown.trk: this tractogram format stores the image space of the streamlines, which is not \
         known; give an image in the space of the streamlines with --reference, or write .tck",
    );
    // The reference has a different size.
    scratch.write_volume(
        "other.nii.gz",
        &Volume::filled(Grid::new([12, 13, 15], *oblique().affine()).unwrap(), 1, 1.0),
    );
    let result = scratch.run("convert zeros.trk other.tck --reference other.nii.gz");
    assert_eq!(result.code, 1);
    assert!(result.errors.contains(
        "zeros.trk: its header does not state the position of the voxels; the header describes an image of \
         12 × 13 × 14"
    ));
    assert!(!scratch.path("other.tck").exists());
    // A .tck result stores no reference, so a reference for an input with an affine is an error.
    let result = scratch.run("edit placed.trk --min-length 1 --reference ref.nii.gz --out e.tck");
    assert_eq!(result.code, 2, "{}", result.errors);
}

#[test]
fn trk_files_without_affine_use_the_command_image() {
    let scratch = trk();
    let placed = |name: &str| {
        format!(
            "warning: {name}: its header does not state the position of the voxels; they are taken for \
             those of the image given \
             with it, which has as many"
        )
    };
    scratch.succeed("density placed.trk --like ref.nii.gz --out right.nii.gz");
    scratch.succeed("sample placed.trk ref.nii.gz --out right.txt");
    for name in ["zeros.trk", "one.trk"] {
        scratch.succeed_with(
            &format!("density {name} --like ref.nii.gz --out map.nii.gz --force"),
            &placed(name),
        );
        let map = |name: &str| scratch.volume(name);
        assert_eq!(map("map.nii.gz").values(), map("right.nii.gz").values());
        scratch.succeed_with(&format!("sample {name} ref.nii.gz --out values.txt --force"), &placed(name));
        assert_eq!(scratch.text("values.txt"), scratch.text("right.txt"));
        scratch
            .succeed_with(&format!("edit {name} --waypoints ref.nii.gz --out in.tck --force"), &placed(name));
        assert_two(&scratch, "in.tck");
    }
    let mut labels = Volume::filled(oblique(), 1, 1.0);
    labels.values_mut()[..12 * 13 * 5].fill(2.0);
    scratch.write_volume("labels.nii.gz", &labels);
    scratch.succeed("connectome placed.trk --labels labels.nii.gz --out right");
    scratch.succeed_with("connectome one.trk --labels labels.nii.gz --out c", &placed("one.trk"));
    assert_eq!(
        scratch.text("c/connectome_assignments.txt"),
        scratch.text("right/connectome_assignments.txt")
    );
}

#[test]
fn voxel_sizes_that_contradict_the_affine_are_reported() {
    let scratch = trk();
    let mut bytes = scratch.read("placed.trk");
    for axis in 0..3 {
        bytes[12 + 4 * axis..16 + 4 * axis].copy_from_slice(&1f32.to_le_bytes());
    }
    scratch.write("edges.trk", &bytes);
    let result = scratch.run("convert edges.trk edges.tck");
    assert_eq!(result.code, 0);
    let expected = "warning: edges.trk: its voxel sizes 1.000 × 1.000 × 1.000 mm contradict its affine, whose voxels are";
    assert!(result.errors.starts_with(expected), "{}", result.errors);
    assert_eq!(result.errors.lines().count(), 1, "{}", result.errors);
}

/// A compressed file of about 1 MB with an image of 1000 × 1000 × 1000 zero bytes.
fn bomb() -> Vec<u8> {
    use std::io::Write;
    let scratch = Scratch::new();
    let unit = Grid::new([2, 2, 2], Affine::identity()).unwrap();
    write_image(&scratch.path("small.nii"), &Volume::filled(unit, 1, 0u8), &WriteOptions::default()).unwrap();
    let mut header = scratch.read("small.nii")[..352].to_vec();
    for axis in 0..3 {
        header[42 + 2 * axis..44 + 2 * axis].copy_from_slice(&1000i16.to_le_bytes());
    }
    let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    file.write_all(&header).unwrap();
    let zeros = vec![0; 1 << 20];
    let mut left = 1_000_000_000;
    while left > 0 {
        let count = zeros.len().min(left);
        file.write_all(&zeros[..count]).unwrap();
        left -= count;
    }
    file.finish().unwrap()
}

#[test]
#[cfg(unix)]
fn sizes_are_compared_before_decompression() {
    let scratch = Scratch::with(small_brain());
    scratch.write("bomb.nii.gz", bomb());
    scratch.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out t -q");
    scratch.succeed("maps t/tensor.nii.gz --mask mask.nii.gz --out m");
    let tracks = scratch.path("two.tck");
    write_tractogram(&tracks, &two(), None, &TractogramOptions::default()).unwrap();
    let on_grid = "bomb.nii.gz: the image size 1000 × 1000 × 1000 differs from ";
    let constant = "bomb.nii.gz: the 97";
    for (command, expected) in [
        ("fit tensor dwi.nii.gz --mask bomb.nii.gz --out o", on_grid),
        ("fit ball-1-stick dwi.nii.gz --mask bomb.nii.gz --out o", on_grid),
        ("fit ball-1-stick dwi.nii.gz --mask mask.nii.gz --start d=bomb.nii.gz --out o", on_grid),
        (
            "fit ball-1-stick dwi.nii.gz --mask mask.nii.gz --gradient-deviations bomb.nii.gz --out o",
            "bomb.nii.gz: it has 1 volumes, and deviations of gradients nine",
        ),
        ("maps t/tensor.nii.gz --mask bomb.nii.gz --out o", on_grid),
        ("track tensor t/tensor.nii.gz --mask bomb.nii.gz --out o.tck", on_grid),
        ("track peaks t/principal_direction.nii.gz --mask bomb.nii.gz --out o.tck --seeds 10", on_grid),
        ("track geodesic t/tensor.nii.gz --mask bomb.nii.gz --seeds 10 --out o --all", on_grid),
        ("evaluate life two.tck --dwi dwi.nii.gz --mask bomb.nii.gz --out o", on_grid),
        ("evaluate commit two.tck --dwi dwi.nii.gz --mask bomb.nii.gz --out o", on_grid),
        // These images can have any grid.
        ("track tensor t/tensor.nii.gz --seed-mask bomb.nii.gz --out o.tck", constant),
        ("sample two.tck bomb.nii.gz --out o.txt", constant),
        ("edit two.tck --waypoints bomb.nii.gz --out o.tck", constant),
        ("connectome two.tck --labels bomb.nii.gz --out o", constant),
    ] {
        // The limit is less than the size of the image.
        let result = with_memory_limit(&scratch, 900_000, &format!("{command} --threads 2 --device cpu"));
        assert_eq!(result.code, 1, "{command}: {}", result.errors);
        assert!(result.errors.contains(expected), "{command}: {}", result.errors);
    }
}

#[test]
fn masks_are_rejected_as_parcellations() {
    let scratch = trk();
    scratch.fail(
        "connectome placed.trk --labels ref.nii.gz --out c",
        1,
        "error: ref.nii.gz: all labelled voxels have the region 1, as in a mask; give a parcellation, an \
         image with a number for each of two or more regions",
    );
    scratch.write_volume("half.nii.gz", &Volume::filled(oblique(), 1, 0.5));
    let result = scratch.run("connectome placed.trk --labels half.nii.gz --out c");
    assert_eq!(result.code, 1);
    assert!(
        result.errors.contains("half.nii.gz: the value 0.5 in the image is not a whole number"),
        "{}",
        result.errors
    );
}

#[test]
fn negative_weights_are_rejected_everywhere() {
    let scratch = trk();
    let mut labels = Volume::filled(oblique(), 1, 1.0);
    labels.values_mut()[..12 * 13 * 5].fill(2.0);
    scratch.write_volume("labels.nii.gz", &labels);
    for (weight, expected) in [
        ("-1", "line 2 holds the weight -1, which is not between 0 and 1e25"),
        ("1e308", "line 2 holds the weight 1e308, which is not between 0 and 1e25"),
        ("nan", "line 2 holds `nan`, not a number"),
    ] {
        scratch.write("w.txt", format!("1\n{weight}\n"));
        let message =
            format!("error: w.txt: {expected}; give a text file with one weight for each streamline");
        scratch.fail("density placed.trk --like ref.nii.gz --weights w.txt --out d.nii", 1, &message);
        scratch.fail("edit placed.trk --weights w.txt --min-weight 0.5 --out e.tck", 1, &message);
        let result = scratch.run("connectome placed.trk --labels labels.nii.gz --weights w.txt --out c");
        assert_eq!((result.code, result.errors.trim_end()), (1, message.as_str()));
    }
}

#[test]
fn names_are_not_spreadsheet_formulas() {
    let scratch = trk();
    let mut labels = Volume::filled(oblique(), 1, 1.0);
    labels.values_mut()[..12 * 13 * 5].fill(2.0);
    scratch.write_volume("labels.nii.gz", &labels);
    scratch.write("names.txt", "1,=HYPERLINK(\"x\")\n2,\"-2+3\"\n3,\"a\u{202e}\u{1b}[31mb\"\n");
    scratch.succeed(
        "connectome placed.trk --labels labels.nii.gz --label-names names.txt --assignment end-voxel --out c",
    );
    let regions = scratch.text("c/connectome_regions.csv");
    let expected = "row,region,name\n0,1,\"'=HYPERLINK(\"\"x\"\")\"\n1,2,'-2+3\n2,3,a\\u{202e}\\u{1b}[31mb\n";
    assert_eq!(regions, expected);
    scratch.succeed("report c --out c.html");
    assert!(
        scratch.text("c.html").contains(">=HYPERLINK(&quot;x&quot;)<"),
        "the report shows the name itself"
    );
}

#[test]
fn names_and_titles_are_escaped_in_the_terminal() {
    let scratch = Scratch::with(small_brain());
    let model = scratch.succeed("fit --list ball-1-stick");
    let title = model.lines().find(|line| line.starts_with("title")).expect("a title");
    scratch.write("evil.toml", model.replace(title, "title = \"\\u001b[31mX\\u202e\\nY\""));
    let says = scratch.succeed("fit --list ./evil.toml");
    assert!(says.contains("\\u{1b}[31mX\\u{202e}\\nY"), "{says}");
    let disturbs = |text: &str| text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}');
    for command in [
        "fit ./evil.toml dwi.nii.gz --mask mask.nii.gz --out f",
        "fit ./evil.toml dwi.nii.gz --mask mask.nii.gz --compare bic --out g",
        "fit tensor dwi.nii.gz --mask mask.nii.gz --out t\u{202e}x",
        "maps t\u{202e}x/tensor.nii.gz --out m\u{1b}[31m",
        "report m\u{1b}[31m --out r\u{202e}.html",
        "density missing\u{202e}.tck --like mask.nii.gz --out d.nii",
    ] {
        let result = scratch.run(command);
        for text in [&result.output, &result.errors, &result.steps.join("\n")] {
            assert!(!disturbs(text), "{command}: {text:?}");
        }
    }
}

#[test]
fn invalid_tensors_are_reported_consistently() {
    let scratch = Scratch::with(small_brain());
    scratch.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out t -q");
    let tensor = scratch.volume("t/tensor.nii.gz");
    let grid = *tensor.grid();
    let mut none = tensor.clone();
    none.values_mut().fill(0.0);
    scratch.write_volume("none.nii", &none);
    let scaled = tensor.values().iter().map(|d| d * 1000.0).collect();
    scratch.write_volume("scaled.nii", &Volume::new(grid, 6, scaled).unwrap());
    let mut some = tensor.clone();
    let inside: Vec<usize> = (0..grid.len()).filter(|&voxel| tensor.voxel(voxel)[0] > 0.0).take(9).collect();
    for &voxel in &inside {
        some.voxel_mut(voxel).fill(f32::NAN);
    }
    scratch.write_volume("nan.nii", &some);
    for command in [
        "maps IMAGE --out m",
        "track tensor IMAGE --seeds 50 --out o.tck",
        "track geodesic IMAGE --seeds 5 --all --out g",
    ] {
        let result = scratch.run(&format!("{} --force", command.replace("IMAGE", "none.nii")));
        assert_eq!(result.code, 1, "{command}: {}", result.errors);
        assert!(
            result.errors.contains("none.nii: no voxel has a tensor: all values are 0 or not numbers"),
            "{}",
            result.errors
        );
        let result = scratch.run(&format!("{} --force", command.replace("IMAGE", "scaled.nii")));
        assert!(result.errors.contains("as if they were in µm²/ms"), "{command}: {}", result.errors);
        let result = scratch.run(&format!("{} --force", command.replace("IMAGE", "nan.nii")));
        assert_eq!(result.code, 0, "{command}: {}", result.errors);
        let told = result.errors.lines().filter(|line| {
            line.contains("nan.nii: 9 of ") && line.contains("not numbers")
                || line.contains(" could not be computed (9 with a value that is not finite)")
        });
        assert_eq!(told.count(), 1, "{command}: {}", result.errors);
    }
}

#[test]
fn implausible_streamline_positions_are_rejected() {
    let scratch = Scratch::new();
    scratch.write_volume("ref.nii.gz", &Volume::filled(oblique(), 1, 1.0));
    let mut header = b"mrtrix tracks\ndatatype: Float32LE\nfile: . 100\ncount: 1\nEND\n".to_vec();
    header.resize(100, 0);
    let end = [f32::NAN; 3].into_iter().chain([f32::INFINITY; 3]);
    for coordinate in [3e38f32, -3e38, 1e10] {
        let points = [0.0, 0.0, 0.0, coordinate, 0.0, 0.0].into_iter().chain(end.clone());
        let body = points.flat_map(f32::to_le_bytes);
        scratch.write("far.tck", header.iter().copied().chain(body).collect::<Vec<u8>>());
        for command in [
            "density far.tck --like ref.nii.gz --kind lengths --out d.nii",
            "sample far.tck ref.nii.gz --statistic mean --out s.txt",
        ] {
            let result = scratch.run(command);
            assert_eq!(result.code, 1, "{command}: {}", result.errors);
            let expected = format!("far.tck: streamline 0 reaches {coordinate:e} mm, where no scanner does");
            assert!(result.errors.contains(&expected), "{command}: {}", result.errors);
        }
    }
}

#[test]
fn nan_measurements_are_counted_by_every_fit() {
    let scratch = Scratch::with(small_brain());
    let mut dwi = scratch.volume("dwi.nii.gz");
    let mask = scratch.volume("mask.nii.gz");
    let inside = mask.values().iter().position(|&value| value > 0.5).unwrap();
    dwi.voxel_mut(inside)[3] = f32::NAN;
    dwi.voxel_mut(inside)[5] = f32::INFINITY;
    scratch.write_volume("dwi.nii.gz", &dwi);
    for (command, what) in [
        ("fit tensor dwi.nii.gz --mask mask.nii.gz --out t", "tensor"),
        ("fit ball-1-stick dwi.nii.gz --mask mask.nii.gz --out b", "ball-1-stick"),
        (
            "fit ball-1-stick dwi.nii.gz --mask mask.nii.gz --method mcmc --burn-in 5 --jumps 10 --interval 5 --out c",
            "ball-1-stick",
        ),
    ] {
        let result = scratch.run(command);
        assert_eq!(result.code, 0, "{}", result.errors);
        let expected = format!("warning: {what}: 2 measurements were not used (2 not finite)");
        assert!(
            result.errors.lines().any(|line| line.starts_with(&expected)),
            "{command}: {}",
            result.errors
        );
    }
}

/// Commands that read a file called `IT`, each as a different kind of input.
#[cfg(unix)]
const READERS: &[&str] = &[
    "fit tensor IT.nii.gz --mask mask.nii.gz --out out",
    "fit tensor dwi.nii.gz --mask IT.nii.gz --out out",
    "fit tensor dwi.nii.gz --bval IT.bval --bvec dwi.bvec --out out",
    "fit tensor dwi.nii.gz --bval dwi.bval --bvec IT.bvec --out out",
    "fit tensor dwi.nii.gz --gradients IT.b --out out",
    "fit csd dwi.nii.gz --responses IT.txt --out out",
    "fit ./IT.toml dwi.nii.gz --out out",
    "convert IT.mif out.nii.gz",
    "convert IT.mgz out.nii.gz",
    "convert IT.trk out.tck",
    "convert IT.trx out.tck",
    "info IT.tck",
    "info IT.dconn.nii",
    "info IT.npz",
    "info IT.surf.gii",
    "connectome IT.tck --labels labels.nii.gz --out out",
    "connectome truth_streamlines.trx --labels IT.nii.gz --out out",
    "connectome truth_streamlines.trx --labels labels.nii.gz --label-names IT.txt --out out",
    "density IT.tck --like mask.nii.gz --out out.nii.gz",
    "edit truth_streamlines.trx --waypoints IT.nii.gz --out out.tck",
    "edit truth_streamlines.trx --waypoints IT.surf.gii --out out.tck",
    "edit truth_streamlines.trx --weights IT.txt --min-weight 0.1 --out out.tck",
    "sample truth_streamlines.trx IT.nii.gz --out out.txt",
    "evaluate life truth_streamlines.trx --dwi dwi.nii.gz --lesion IT.txt --out out",
    "evaluate commit truth_streamlines.trx --dwi dwi.nii.gz --peaks IT.nii.gz --out out",
    "maps IT.nii.gz --out out",
    "track fod IT.nii.gz --out out.tck",
    "track peaks IT.nii.gz --out out.tck",
    "track peaks truth_peaks.nii.gz --seed-points IT.txt --out out.tck",
    "track samples IT --out out",
    "recon IT.npy --trajectory IT.npy --size 8,8 --out out.nii.gz",
    "simulate --gradients IT.b --out out",
    "run dwi.nii.gz --recipe IT.toml --out out",
    "bids IT out participant",
];

#[cfg(unix)]
#[test]
fn missing_content_is_reported_for_every_input() {
    let scratch = Scratch::with(small_brain());
    let name_of = |command: &str| {
        let word = command.split_whitespace().find(|word| word.contains("IT")).expect("a file");
        word.trim_start_matches("./").to_owned()
    };
    for command in READERS {
        let name = name_of(command);
        let path = scratch.path(&name);
        let target = ".git/annex/objects/a1/b2/KEY/KEY";
        std::os::unix::fs::symlink(target, &path).unwrap();
        let ran = scratch.run(command);
        let text = ran.errors;
        assert!(ran.code != 0 && text.contains("IT"), "{command}: {text}");
        let link = format!(
            "is a link to {target}, which is not here; fetch its content (git annex get, datalad get)"
        );
        assert!(text.contains(&link), "{command}: {text}");
        std::fs::remove_file(&path).unwrap();
        if !name.contains('.') {
            continue;
        }
        let pointers = [
            ("/annex/objects/MD5E-s2280000--0123456789abcdef\n", "holds only a pointer of git-annex"),
            (
                "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
                "holds only a pointer of Git LFS, not the content; fetch the content of the file (git lfs \
                 pull)",
            ),
        ];
        for (content, problem) in pointers {
            scratch.write(&name, content);
            let ran = scratch.run(command);
            assert!(ran.code != 0 && ran.errors.contains(problem), "{command}: {}", ran.errors);
        }
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn compressed_tractograms_work_in_every_command() {
    let scratch = Scratch::with(small_brain());
    // TCK and TRK files have no groups, so `done` permits the warning about this.
    let done = |command: &str| {
        let ran = scratch.run(command);
        assert_eq!(ran.code, 0, "{command}: {}", ran.errors);
    };
    done("convert truth_streamlines.trx a.tck");
    done("convert truth_streamlines.trx a.tck.gz");
    done("convert a.tck.gz a.trk.gz --reference mask.nii.gz");
    assert!(scratch.read("a.trk.gz").starts_with(&[0x1f, 0x8b]));
    let read = |name: &str| scratch.tractogram(name);
    assert_eq!(read("a.tck.gz"), read("a.tck"));
    assert!(scratch.succeed("info a.tck.gz").contains("MRtrix tracks (.tck), gzip"));
    assert!(scratch.succeed("info --json a.trk.gz").contains("TrackVis (.trk), gzip"));
    for (name, out) in [("a.tck", "plain"), ("a.tck.gz", "compressed")] {
        done(&format!("density {name} --like mask.nii.gz --out {out}.nii.gz"));
        done(&format!("connectome {name} --labels labels.nii.gz --out {out}"));
        done(&format!("edit {name} --min-length 1 --out {out}.tck"));
        done(&format!("sample {name} mask.nii.gz --out {out}.txt"));
    }
    done("sample a.trk.gz mask.nii.gz --name inside --out b.trk.gz");
    assert_eq!(read("b.trk.gz").per_point.keys().collect::<Vec<_>>(), ["inside"]);
    assert_eq!(read("compressed.tck"), read("plain.tck"));
    for name in [".nii.gz", ".txt", "/connectome_counts.csv"] {
        assert!(
            scratch.read(&format!("plain{name}")) == scratch.read(&format!("compressed{name}")),
            "{name}"
        );
    }
    // Compression is detected from the content, not from the file name.
    std::fs::copy(scratch.path("a.tck.gz"), scratch.path("c.tck")).unwrap();
    done("convert c.tck d.tck");
    assert_eq!(read("d.tck"), read("a.tck"));
    scratch.fail(
        "convert a.trx.gz b.tck",
        2,
        "error: a.trx.gz: the ending of this file name is not one that Arcuate knows; use the file name \
         ending of an image (.nii .nii.gz .mif .mif.gz), a tractogram (.tck .trk .trx .tck.gz .trk.gz), a \
         gradient table (.bvec .b .scheme .prtcl), a surface (.gii .annot .asc .srf) or a matrix (.npz .dot \
         _1.mtx)",
    );
}

#[test]
fn tensors_are_in_the_order_that_their_header_states() {
    let scratch = Scratch::with(small_brain());
    scratch.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out fit");
    scratch.succeed("maps fit/tensor.nii.gz --mask mask.nii.gz --out own");
    // Arcuate writes tensors without an intent code, so that no program assumes another order.
    assert_eq!(describe_image(&scratch.path("fit/tensor.nii.gz")).unwrap().intent, 0);
    let tensor = scratch.volume("fit/tensor.nii.gz");
    let lower = tensor.values().chunks_exact(6).flat_map(|d| [0, 3, 1, 4, 5, 2].map(|n| d[n])).collect();
    let lower = Volume::new(*tensor.grid(), 6, lower).unwrap();
    let [x, y, z] = tensor.grid().shape();
    for dimensions in [vec![x, y, z, 1, 6], vec![x, y, z, 6]] {
        let intent = Some(Intent { code: 1005, parameters: [3.0, 0.0, 0.0], name: String::new() });
        let notes = HeaderNotes { dimensions, intent, ..HeaderNotes::default() };
        let options = WriteOptions { notes, ..WriteOptions::default() };
        write_image(&scratch.path("ants.nii"), &lower, &options).unwrap();
        // A converted copy keeps the intent code.
        scratch.succeed("convert ants.nii ants.nii.gz --force");
        for options in ["", "--tensor-order lower-triangle"] {
            let ran =
                scratch.run(&format!("maps ants.nii.gz --mask mask.nii.gz {options} --out theirs --force"));
            assert_eq!(ran.code, 0, "{}", ran.errors);
            let is_told = ran.errors.contains("the header states symmetric matrices (intent 1005)")
                && ran.errors.contains("Check --tensor-order");
            assert_eq!(is_told, options.is_empty(), "{}", ran.errors);
            for name in ["fa.nii.gz", "principal_direction.nii.gz"] {
                let [own, theirs] = ["own", "theirs"].map(|folder| scratch.read(&format!("{folder}/{name}")));
                assert!(own == theirs, "{name} {options}");
            }
        }
        for order in ["arcuate", "mrtrix", "fsl"] {
            for command in
                ["maps ants.nii.gz", "track tensor ants.nii.gz", "track geodesic ants.nii.gz --all"]
            {
                let ran = scratch.run(&format!("{command} --tensor-order {order} --out no"));
                let problem = "ants.nii.gz: the header states the tensor order Dxx Dxy Dyy Dxz Dyz Dzz \
                               (symmetric matrices, intent 1005), but --tensor-order states D";
                assert!(ran.code == 2 && ran.errors.contains(problem), "{command} {order}: {}", ran.errors);
            }
        }
        for command in ["track fod ants.nii.gz --out no.tck", "track peaks ants.nii.gz --out no.tck"] {
            let ran = scratch.run(command);
            assert!(
                ran.code == 1 && ran.errors.contains("which are tensors, not"),
                "{command}: {}",
                ran.errors
            );
        }
    }
}
