//! Deconvolves a series in raw files, to compare the results with other programs. The script
//! `oracles/csd_mrtrix.py` runs this example. Its command lines are:
//!
//!     deconvolve FOLDER THREADS single RESPONSE
//!     deconvolve FOLDER THREADS multi RESPONSE…
//!
//! FOLDER contains `gradients.txt` (x y z b per line), `directions.txt` (x y z per line), and `signals.f32`:
//! the measurements of one voxel after the other, little-endian. The example writes `tissue-N.f32` (the
//! coefficients of one voxel after the other) and `peaks.f32` (the three largest peaks of the first tissue).
//! It prints the seconds that the fit and the peaks took.

use arcuate_compute::Device;
use arcuate_core::{Affine, Control, GradientTable, Grid, Mask, Volume};
use arcuate_fod::{MultiTissue, PeakFinder, Response, SingleShell, SingleShellOptions, Tissue};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

fn numbers(path: &Path) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| Ok(line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)).collect()
}

fn write(path: &Path, volume: &Volume<f32>) -> std::io::Result<()> {
    let bytes: Vec<u8> = volume.values().iter().flat_map(|value| value.to_le_bytes()).collect();
    std::fs::write(path, bytes)
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, threads, kind, responses @ ..] = words.as_slice() else {
        return Err("deconvolve FOLDER THREADS single|multi RESPONSE…".into());
    };
    let folder = Path::new(folder);
    let table = numbers(&folder.join("gradients.txt"))?;
    let axes: Vec<[f64; 3]> = table.iter().map(|row| [row[0], row[1], row[2]]).collect();
    let gradients = GradientTable::new(&axes, table.iter().map(|row| row[3]).collect(), 50.0)?;
    let directions: Vec<[f64; 3]> =
        numbers(&folder.join("directions.txt"))?.iter().map(|row| [row[0], row[1], row[2]]).collect();
    let bytes = std::fs::read(folder.join("signals.f32"))?;
    let signals: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    let grid = Grid::new([signals.len() / gradients.len(), 1, 1], Affine::identity())?;
    let dwi = Volume::new(grid, gradients.len(), signals)?;
    rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build_global()?;
    let (mask, control) = (Mask::full(grid), Control::default());
    let responses = responses
        .iter()
        .map(|path| Ok(Response::from_text(&std::fs::read_to_string(path)?)?))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let begin = Instant::now();
    let fit = match kind.as_str() {
        "single" => {
            let options = SingleShellOptions::default();
            SingleShell::new(&gradients, &responses[0], &directions, &options)?.fit_volume(
                &dwi,
                &mask,
                &Device::Cpu,
                &control,
            )?
        }
        "multi" => {
            let tissues: Vec<Tissue> = responses.into_iter().map(Tissue::new).collect();
            MultiTissue::new(&gradients, &tissues, &directions)?.fit_volume(
                &dwi,
                &mask,
                &Device::Cpu,
                &control,
            )?
        }
        _ => return Err("the second word is single or multi".into()),
    };
    println!(
        "{} s, {} unconverged, {} not computed",
        begin.elapsed().as_secs_f64(),
        fit.unconverged,
        fit.counts.not_computed()
    );
    let begin = Instant::now();
    let finder = PeakFinder::new(fit.coefficients[0].channels())?;
    let peaks = finder.peaks_of(&fit.coefficients[0], &mask, 3, &control)?;
    println!("{} s for peaks", begin.elapsed().as_secs_f64());
    write(&folder.join("peaks.f32"), &peaks)?;
    for (number, volume) in fit.coefficients.iter().enumerate() {
        write(&folder.join(format!("tissue-{number}.f32")), volume)?;
    }
    Ok(())
}
