//! Tests the reports in a real browser. A report must make no network requests, and its viewer must draw.

use crate::process::{self, Outcome};
use crate::{demo, viewer};
use std::path::{Path, PathBuf};

/// Creates reports of small simulated brains and opens them in headless Chromium. Uses the program that
/// `--program` names. Without this option, builds the program with the profile of the demonstration.
pub(crate) fn run(options: &[String]) -> Outcome {
    let program = match options {
        [] => None,
        [option, program] if option == "--program" => Some(program),
        _ => return Err("`browser-test` takes nothing, or --program FILE".to_owned()),
    };
    viewer::install()?;
    let folder = process::root().join("target/browser-test");
    let out = folder.to_string_lossy().into_owned();
    let options = ["--out".to_owned(), out, "--select".to_owned(), "2000".to_owned()];
    let program = if let Some(program) = program {
        let program = std::fs::canonicalize(program).map_err(|e| format!("{program}: {e}"))?;
        process::run(process::in_root(&program).args(["demo", "--force"]).args(&options))?;
        program
    } else {
        demo::run(&options)?;
        process::root().join("target/demo/arcuate")
    };
    let with_surfaces = report_with_surfaces(&program, &folder)?;
    let with_distributions = report_with_distributions(&program, &folder)?;
    process::run(
        process::in_root("npm")
            .args(["--prefix", "viewer", "test"])
            .env("ARCUATE_REPORT", folder.join("results/report.html"))
            .env("ARCUATE_SURFACE_REPORT", with_surfaces)
            .env("ARCUATE_FOD_REPORT", with_distributions)
            .env("ARCUATE_FOD_PEAKS", folder.join("tissues/truth_peaks.nii.gz"))
            .env("ARCUATE_SCREENSHOT", folder.join("report.png")),
    )
}

/// Creates a report of maps, regions and surfaces, without streamlines. In each hemisphere, a bundle connects
/// two regions. Its streamlines are counted at each vertex.
fn report_with_surfaces(program: &Path, folder: &Path) -> Result<PathBuf, String> {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let surface = |side: &str, kind: &str| at(&format!("brain/surfaces/{side}.{kind}"));
    let region = |side: &str, number: u32| {
        format!("{}:{}:{number}", surface(side, "white.surf.gii"), surface(side, "regions.label.gii"))
    };
    let cortex =
        |side: &str| format!("{}:{}", surface(side, "pial.surf.gii"), surface(side, "cortex.shape.gii"));
    let seeds = [region("left", 7), region("left", 8), region("right", 9), region("right", 10)].join(",");
    let stop = ["left", "right"].map(cortex).join(",");
    let (brain, peaks, labels) = (at("brain"), at("brain/truth_peaks.nii.gz"), at("brain/labels.nii.gz:8"));
    let (tracked, page) = (at("tracked"), at("tracked/report.html"));
    let run = |words: &[&str]| process::run(process::in_root(program).args(words).arg("--force"));
    let small = ["--voxel-size", "4", "--directions", "6", "--b0s", "1", "--streamlines-per-bundle", "5"];
    run(&[&["simulate", "--meshes", "--random-seed", "1", "--out", &brain], small.as_slice()].concat())?;
    let seeds = ["--seed-surfaces", &seeds, "--seed-depth", "2", "--per-seed", "20", "--stop", &stop];
    let products = "visits,target-counts";
    let counted = ["--targets", &labels, "--matrix", "seeds", "--products", products, "--out", &tracked];
    run(&[&["track", "peaks", &peaks], seeds.as_slice(), &counted].concat())?;
    run(&["report", &tracked, "--out", &page])?;
    Ok(page.into())
}

/// Creates a report of fibre orientation distributions, with their ground truth in `tissues`.
fn report_with_distributions(program: &Path, folder: &Path) -> Result<PathBuf, String> {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let run = |words: &[&str]| process::run(process::in_root(program).args(words).arg("--force"));
    let (brain, dwi, mask) = (at("tissues"), at("tissues/dwi.nii.gz"), at("tissues/mask.nii.gz"));
    let small = ["--voxel-size", "4", "--shells", "0:2,1000:12,2500:45", "--streamlines-per-bundle", "4"];
    let simulate = ["simulate", "--tissues", "--snr", "40", "--random-seed", "1", "--out", &brain];
    run(&[simulate.as_slice(), small.as_slice()].concat())?;
    let responses =
        ["wm", "gm", "csf"].map(|tissue| at(&format!("tissues/truth_response_{tissue}.txt"))).join(",");
    let (fitted, page) = (at("csd"), at("csd/report.html"));
    run(&["fit", "csd", &dwi, "--responses", &responses, "--mask", &mask, "--normalise", "--out", &fitted])?;
    run(&["report", &fitted, "--out", &page])?;
    Ok(page.into())
}
