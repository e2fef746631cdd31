//! Reports show the scan, an anatomical image below maps, and folders of bedpostx.

use crate::common::{Scratch, small_brain};
use arcuate_core::{Grid, Volume};

/// Returns the part of a page from one heading to the next.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let start = page.find(&format!("<h2>{heading}</h2>")).unwrap_or_else(|| panic!("no {heading}"));
    let rest = &page[start + 4..];
    &rest[..rest.find("<h2>").unwrap_or(rest.len())]
}

#[test]
fn scan_reports_show_outliers() {
    let brain = Scratch::with(small_brain());
    brain.write(
        "dwi.json",
        r#"{"Manufacturer": "Maker", "EchoTime": 0.07, "PatientName": "Nobody^Knows", "ProtocolName": "<b>DTI</b>"}"#,
    );
    let result = brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out clean");
    assert!(result.contains("voxels fitted"), "{result}");
    brain.succeed("report clean");
    let page = brain.text("clean/report.html");
    let scan = section(&page, "The scan");
    for wanted in
        ["Mean b = 0 image", "Mean weighted image", "Directions of the measurements", "70 ms", "Maker"]
    {
        assert!(scan.contains(wanted), "{wanted}");
    }
    assert!(scan.contains("&lt;b&gt;DTI") && !page.contains("Nobody"));
    assert!(scan.contains("12 measurements could be compared"), "{scan}");
    // The warning and the page name a slice that is dark in one measurement.
    let mut dwi = brain.volume("dwi.nii.gz");
    let [nx, ny, nz] = dwi.grid().shape();
    let (slice, measurement) = (nz / 2, dwi.channels() - 3);
    for voxel in slice * nx * ny..(slice + 1) * nx * ny {
        dwi.voxel_mut(voxel)[measurement] *= 0.3;
    }
    brain.write_volume("bad.nii.gz", &dwi);
    for ending in ["bval", "bvec"] {
        std::fs::copy(brain.path(&format!("dwi.{ending}")), brain.path(&format!("bad.{ending}"))).unwrap();
    }
    let result = brain.run("fit tensor bad.nii.gz --mask mask.nii.gz --out bad");
    let warning = format!("slices much darker than their neighbours (volumes {measurement}, counted from 0)");
    assert!(result.code == 0 && result.errors.contains(&warning), "{}", result.errors);
    brain.succeed("report bad");
    let page = brain.text("bad/report.html");
    assert!(section(&page, "The scan").contains(&format!("slice {slice}: down to")));
}

#[test]
fn unreadable_sidecars_are_skipped_with_a_warning() {
    let brain = Scratch::with(small_brain());
    brain.write("dwi.json", "{");
    let result = brain.run("fit tensor dwi.nii.gz --mask mask.nii.gz --out maps");
    assert!(
        result.code == 0
            && result.errors.contains("dwi.json: the description of the scan in this file is not used"),
        "{}",
        result.errors
    );
}

#[test]
fn key_figures_come_first_and_the_others_are_folded() {
    let brain = Scratch::with(small_brain());
    brain.succeed("run dwi.nii.gz --select 200 --out run --labels labels.nii.gz");
    let page = brain.text("run/report.html");
    let (first, rest) = page.split_once("</dl>").expect("key figures");
    assert!((3..=6).contains(&first.matches("<dt>").count()), "{}", first.matches("<dt>").count());
    assert!(first.contains("class=\"done\"") && first.contains("cm³"));
    let (_, folded) = rest.split_once("id=\"figures\"").expect("the others");
    assert!(folded.contains("s&#x2f;mm²") && folded.contains("signal units"));
    // The mask is an outline on the scan without a picture of its own. The scan is shown once.
    assert!(!page.contains("<strong>Brain mask</strong>"));
    assert_eq!(page.matches("<strong>Mean b = 0 image</strong>").count(), 1);
    let connectome = section(&page, "Connectome");
    for wanted in
        ["Streamlines between regions", "Weight of connections", "Length of connections", "as a circle"]
    {
        assert!(connectome.contains(wanted), "{wanted}");
    }
}

#[test]
fn maps_are_drawn_over_the_given_anatomy() {
    let brain = Scratch::with(small_brain());
    brain.succeed("fit tensor dwi.nii.gz --mask mask.nii.gz --out maps");
    brain.succeed("track tensor maps/tensor.nii.gz --select 20 --out t.tck");
    // For a single file, the anatomical image is the FA map next to the tensors if the tensors have not
    // changed since tracking.
    brain.succeed("report t.tck");
    assert!(brain.text("t.tck.html").contains("Fractional anisotropy"));
    std::fs::copy(brain.path("maps/md.nii.gz"), brain.path("maps/tensor.nii.gz")).unwrap();
    brain.succeed("report t.tck --force");
    assert!(!brain.text("t.tck.html").contains("Fractional anisotropy"));
    // A T1-weighted image has its own voxel grid.
    let fa = brain.volume("maps/fa.nii.gz");
    let affine = *fa.grid().affine();
    let grid = Grid::new(fa.grid().shape().map(|n| n + 3), affine).unwrap();
    brain.write_volume("t1.nii.gz", &Volume::filled(grid, 1, 7.0));
    brain.succeed("density t.tck --like maps/fa.nii.gz --out d.nii.gz");
    brain.succeed("report d.nii.gz --out plain.html");
    brain.succeed("report d.nii.gz --out t1.html --anatomy t1.nii.gz");
    assert!(brain.text("plain.html") != brain.text("t1.html"));
    brain.fail(
        "report d.nii.gz --out no.html --anatomy dwi.nii.gz",
        1,
        "error: dwi.nii.gz: the image has 14 volumes, but an anatomical image has one; give a 3-D image, \
         such as a T1-weighted image in the space of the scan",
    );
    brain.fail(
        "run dwi.nii.gz --out no --anatomy dwi.nii.gz",
        1,
        "error: dwi.nii.gz: the image has 14 volumes, but an anatomical image has one; give a 3-D image, \
         such as a T1-weighted image in the space of the scan",
    );
}

#[test]
fn folders_of_bedpostx_have_a_report() {
    let brain = Scratch::with(small_brain());
    for (from, to) in [
        ("dwi.nii.gz", "sub/data.nii.gz"),
        ("white_matter.nii.gz", "sub/nodif_brain_mask.nii.gz"),
        ("dwi.bval", "sub/bvals"),
        ("dwi.bvec", "sub/bvecs"),
    ] {
        brain.write(to, brain.read(from));
    }
    let result = brain.run("bedpostx sub -n 2 -b 20 -j 20 -s 5");
    assert_eq!(result.code, 0, "{}", result.errors);
    brain.succeed("report sub.bedpostX");
    let page = brain.text("sub.bedpostX/report.html");
    let pictures = [
        "Fibres in each voxel",
        "Fibre 1: part of the signal, mean",
        "Fibre 2: principal direction",
        "Fibre 1: dispersion about its principal direction",
    ];
    for wanted in pictures {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(section(&page, "Example voxel").contains("Measured and predicted signals"));
    assert!(section(&page, "The scan").contains("Mean b = 0 image"));
    // A folder of FSL's bedpostx has no record.
    std::fs::remove_dir_all(brain.path("sub.bedpostX/logs")).unwrap();
    brain.succeed("report sub.bedpostX --out fsl.html");
    let page = brain.text("fsl.html");
    assert!(page.contains("Fibres in each voxel") && page.contains("This folder has no record of a command"));
    // A folder with neither a record nor results of bedpostx is an error.
    brain.fail("report sub", 1, "error: sub/arcuate.json: no such file; check the path");
}

#[test]
fn visit_maps_are_shown_with_outlined_seeds_and_regions() {
    let brain = Scratch::with(small_brain());
    brain.succeed("track peaks truth_peaks.nii.gz --seed-mask white_matter.nii.gz --per-seed 1 --waypoints mask.nii.gz --products visits --out v");
    let regions = brain.volume("v/regions.nii.gz");
    assert_eq!(regions.channels(), 2);
    let seeds = brain.volume("white_matter.nii.gz");
    assert_eq!(regions.channel(0).values(), seeds.values());
    brain.succeed("report v");
    let page = brain.text("v/report.html");
    let maps = section(&page, "Maps");
    assert!(maps.contains("seeds") && maps.contains("waypoint mask"));
    // Less important maps are folded, with the same outlines.
    let others = section(&page, "Other maps");
    assert!(others.contains("waypoint mask") && others.contains("Lengths of all peaks"));
}
