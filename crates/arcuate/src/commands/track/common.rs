//! What commands that follow streamlines have in common.

use crate::context::Context;
use crate::record::{Record, Table};
use crate::space;
use arcuate_core::{Error, Grid, Mask, Result, StreamlineLengths, Volume, disturbs_terminal};
use arcuate_io::read_triples;
use arcuate_track::{Jitter, Mapping, Seeds};
use std::path::Path;
use std::sync::Arc;

/// Name of a key figure that `run` repeats.
pub(crate) const MEAN_LENGTH: &str = "mean length";

/// The lattice of a tensor image that may not be there yet: the tensors of a step before are on that of the series.
pub(super) fn grid_of(tensor: &Path, context: &Context) -> Result<Grid> {
    match context.kept_grid() {
        Some(grid) => Ok(grid),
        None => space::image_grid(tensor),
    }
}

/// A mask on the lattice of the tensors, with voxels in it.
pub(super) fn region_on(path: &Path, grid: &Grid) -> Result<Mask> {
    space::region_on(path, grid, "the tensor image")
}

/// The mask outside which streamlines end, where there is one.
pub(super) fn mask_on(path: Option<&Path>, grid: &Grid) -> Result<Option<Mask>> {
    path.map(|path| region_on(path, grid)).transpose()
}

/// The points of a file as seeds.
///
/// `mapping` leads from their space to that of what is followed, where these are two.
pub(super) fn seed_points(path: &Path, mapping: Option<Arc<Mapping>>) -> Result<Seeds> {
    Ok(Seeds::Points { points: read_points(path)?, mapping, each: 1, jitter: Jitter::None })
}

/// The points of a file, one or more, x y z in RAS mm.
pub(super) fn read_points(path: &Path) -> Result<Vec<[f64; 3]>> {
    let points = read_triples(path, "a point, x y z in RAS mm")?;
    if points.is_empty() {
        let advice = "give x y z in RAS mm, a point a line";
        return Err(Error::invalid(path.display(), "it holds no point", advice));
    }
    Ok(points)
}

/// Where streamlines begin unless said otherwise: FA is high enough, and no eigenvalue negative for noise, which is
/// common at the edge of the brain.
pub(super) fn white_matter(fa: &Volume<f32>, mask: Option<&Mask>, least: f64) -> Result<Mask> {
    let allowed = |voxel| mask.is_none_or(|mask| mask.contains(voxel));
    let white =
        |(voxel, &fa): (usize, &f32)| allowed(voxel) && f64::from(fa) >= least && fa > 0.0 && fa <= 1.0;
    Mask::new(*fa.grid(), fa.values().iter().enumerate().map(white).collect())
}

/// Notes how long streamlines are.
pub(super) fn note_lengths(lengths: &StreamlineLengths, record: &mut Record) {
    record.measure(MEAN_LENGTH, lengths.mean(), "mm").key();
    record.measure("median length", lengths.median(), "mm").key();
}

/// A length or an angle to a thousandth, which is more than anybody measures.
pub(super) fn in_words(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

/// The most that streamlines bend, as an angle between steps and as the radius of the circle on which all turn by it.
pub(super) fn bend_of_steps(degrees: f64, step_mm: f64, radius_mm: f64) -> String {
    let [degrees, step] = [degrees, step_mm].map(in_words);
    format!("{degrees}° between steps of {step} mm, a radius of {radius_mm:.2} mm")
}

/// How many of what: a table of two columns.
pub(super) fn table_of_counts(title: &str, text: &str, counts: &[(&str, u64)]) -> Table {
    Table {
        title: title.into(),
        section: String::new(),
        text: text.into(),
        columns: ["what", "number"].map(String::from).to_vec(),
        rows: counts.iter().map(|&(what, number)| vec![what.into(), number.into()]).collect(),
    }
}

/// The name of a file without folder and endings: `b` of `regions/b.nii.gz`. It becomes part of a file's name,
/// that of a group, in which a `.trx` has no dots, and a cell of a table.
pub(crate) fn region_name(path: &Path) -> String {
    let name = crate::record::name_of(path);
    let is_image = |ending: &str| ["nii", "mif", "mgh", "mgz", "mih", "img", "hdr"].contains(&ending);
    let mut name = name.strip_suffix(".gz").unwrap_or(&name);
    if let Some((stem, ending)) = name.rsplit_once('.')
        && is_image(&ending.to_ascii_lowercase())
        && !stem.is_empty()
    {
        name = stem;
    }
    name.replace(|c: char| disturbs_terminal(c) || ['.', ':', '\\'].contains(&c), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_have_the_names_of_their_files() {
        for (path, name) in [
            ("a/b.nii.gz", "b"),
            ("left.v1.mif", "left_v1"),
            ("B.NII", "B"),
            ("c.d", "c_d"),
            (".nii", "_nii"),
            ("a\u{202e}b\u{1b}.nii.gz", "a_b_"),
        ] {
            assert_eq!(region_name(Path::new(path)), name);
        }
    }
}
