//! Estimates responses, or normalises tissues, in raw files, to compare the results with other programs. The
//! script `oracles/tissues_mrtrix.py` runs this example. Its command lines are:
//!
//!     tissues FOLDER tournier VOXELS
//!     tissues FOLDER dhollander WHITE_SHARE
//!     tissues FOLDER normalise NUMBER
//!
//! FOLDER contains `shape.txt` (three numbers) and `mask.f32`. To estimate responses, it also contains
//! `gradients.txt` (x y z b per line), `directions.txt` (x y z per line), `signals.f32` and `anisotropy.f32`.
//! To normalise tissues, it contains `tissue-N.f32` for NUMBER tissues. Images have the values of one voxel
//! after the other, x fastest, little-endian. Responses are printed. Normalising prints the balance factors
//! and writes the field to `field.f32`.

use arcuate_core::{Affine, Control, GradientTable, Grid, Mask, Volume};
use arcuate_fod::estimate::{DhollanderOptions, TournierOptions, dhollander_responses, tournier_response};
use arcuate_fod::{NormaliseOptions, normalise_tissues};
use std::error::Error;
use std::path::Path;

fn numbers(path: &Path) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| Ok(line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)).collect()
}

fn image(path: &Path, grid: &Grid) -> Result<Volume<f32>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let values: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    Ok(Volume::new(*grid, values.len() / grid.len(), values)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, kind, number] = words.as_slice() else {
        return Err("tissues FOLDER tournier|dhollander|normalise NUMBER".into());
    };
    let (folder, control) = (Path::new(folder), Control::default());
    let shape = numbers(&folder.join("shape.txt"))?.concat();
    let grid = Grid::new([shape[0] as usize, shape[1] as usize, shape[2] as usize], Affine::identity())?;
    let mask = Mask::from_volume(&image(&folder.join("mask.f32"), &grid)?);
    if kind == "normalise" {
        let tissues = (0..number.parse::<usize>()?)
            .map(|n| image(&folder.join(format!("tissue-{n}.f32")), &grid))
            .collect::<Result<Vec<_>, _>>()?;
        let found = normalise_tissues(&tissues, &mask, &NormaliseOptions::default(), &control)?;
        println!("{:?}", found.factors);
        let bytes: Vec<u8> = found.field.values().iter().flat_map(|value| value.to_le_bytes()).collect();
        return Ok(std::fs::write(folder.join("field.f32"), bytes)?);
    }
    let table = numbers(&folder.join("gradients.txt"))?;
    let axes: Vec<[f64; 3]> = table.iter().map(|row| [row[0], row[1], row[2]]).collect();
    let gradients = GradientTable::new(&axes, table.iter().map(|row| row[3]).collect(), 50.0)?;
    let rows = numbers(&folder.join("directions.txt"))?;
    let directions: Vec<[f64; 3]> = rows.iter().map(|row| [row[0], row[1], row[2]]).collect();
    let dwi = image(&folder.join("signals.f32"), &grid)?;
    if kind == "tournier" {
        let options = TournierOptions { voxels: number.parse()?, ..TournierOptions::default() };
        let found = tournier_response(&dwi, &gradients, &mask, &directions, &options, &control)?;
        print!("{}", found.response.to_text());
        return Ok(());
    }
    let anisotropy = image(&folder.join("anisotropy.f32"), &grid)?;
    let options =
        DhollanderOptions { white_share: number.parse()?, fewest: 0, ..DhollanderOptions::default() };
    let found = dhollander_responses(&dwi, &gradients, &mask, &anisotropy, &directions, &options, &control)?;
    for (name, tissue) in [("white", found.white), ("grey", found.grey), ("fluid", found.csf)] {
        println!("# {name} {}", tissue.voxels.count());
        print!("{}", tissue.response.to_text());
    }
    Ok(())
}
