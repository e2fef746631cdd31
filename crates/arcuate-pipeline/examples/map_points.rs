//! Maps points by transforms, for comparison with other programs. `oracles/transforms_itk.py` and
//! `oracles/transforms_fnirt.py` run this example.
//!
//!     map_points MASK DWI POINTS MASKS_TO_DWI [DWI_TO_MASKS]
//!
//! Each line of the text file POINTS is a point, `x y z` in RAS mm. Prints six numbers for each point. The first three
//! are the point mapped from the space of the diffusion images to the space of the masks. The others are the point
//! mapped in the other direction. Commas separate several transforms of one mapping, as on the command line.

use arcuate_core::{Error, Result};
use arcuate_io::{describe_image, read_numbers};
use arcuate_pipeline::mask_space::{MaskSpace, MaskSpaceInputs};
use arcuate_pipeline::transforms::TransformFile;
use std::fmt::Write;
use std::path::Path;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (mask, dwi, points, there, back) = match words[..] {
        [mask, dwi, points, there] => (mask, dwi, points, there, None),
        [mask, dwi, points, there, back] => (mask, dwi, points, there, Some(back)),
        _ => {
            let advice = "say MASK DWI POINTS MASKS_TO_DWI [DWI_TO_MASKS]";
            return Err(Error::usage("map_points", "the command is missing", advice));
        }
    };
    let files = |list: &str| list.split(',').map(|file| TransformFile::of(Path::new(file))).collect();
    let space = MaskSpace {
        masks_to_dwi: files(there)?,
        dwi_to_masks: back.map(files).transpose()?.unwrap_or_default(),
    };
    let elsewhere = MaskSpaceInputs { images: vec![Path::new(mask)], ..MaskSpaceInputs::default() };
    let (points, dwi) = (Path::new(points), Path::new(dwi));
    let grid = describe_image(dwi)?.grid;
    let Some(transforms) = space.transforms_of(&elsewhere, &grid, Some(dwi))? else { return Ok(()) };
    let mut text = String::new();
    for point in read_numbers(points)?.as_chunks::<3>().0 {
        let [a, b, c] = transforms.from_field.apply(*point);
        let [x, y, z] = transforms.to_field.apply(*point);
        // Writing into memory cannot fail.
        let _ = writeln!(text, "{a} {b} {c} {x} {y} {z}");
    }
    print!("{text}");
    Ok(())
}
