//! What files say of themselves, in lines.

use crate::parameters::text_in_options;
use crate::table_format::TableFormat;
use arcuate_core::{Error, Grid, Result, printable};
use arcuate_io::{
    DataDescription, ImageDescription, StoredGradients, TractogramDescription, describe_image,
    describe_tractogram, is_image_name, read_gradients,
};
use std::path::Path;

/// Characters of a value that are shown.
pub(super) const LONGEST_VALUE: usize = 1000;

pub(super) type Lines = Vec<(String, String)>;

/// What a file says of itself.
pub(super) enum Described {
    Image(ImageDescription),
    Tractogram(TractogramDescription),
    /// The name of its format, and what is in it.
    Gradients(&'static str, StoredGradients),
}

impl Described {
    pub(super) fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Err(Error::read(path, std::io::ErrorKind::NotFound.into()));
        }
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        if is_image_name(path) {
            describe_image(path).map(Self::Image)
        } else if ["tck", "trk", "trx"].contains(&ending.as_str()) {
            describe_tractogram(path).map(Self::Tractogram)
        } else if let Some(format) = TableFormat::of(path) {
            // Only directions along image axes need the image; b-values and counts do not.
            let stored = read_gradients(path, &arcuate_core::Affine::identity(), None)?;
            Ok(Self::Gradients(format.description(), stored))
        } else {
            Err(Error::invalid(
                path.display(),
                "its ending is not that of a file Arcuate knows",
                "give an image (.nii .nii.gz .mif .mif.gz), a tractogram (.tck .trk .trx) or a gradient table",
            ))
        }
    }

    pub(super) fn lines(&self) -> Result<Lines> {
        match self {
            Self::Image(image) => of_image(image),
            Self::Tractogram(tracks) => Ok(of_tractogram(tracks)),
            Self::Gradients(format, stored) => {
                let mut lines = vec![line("format", format)];
                gradients(stored, &mut lines)?;
                Ok(lines)
            }
        }
    }
}

fn line(name: &str, value: impl std::fmt::Display) -> (String, String) {
    // Values come from files: what they hold must not reach the terminal as it is.
    (name.to_owned(), printable(&value.to_string(), LONGEST_VALUE))
}

fn of_image(image: &ImageDescription) -> Result<Lines> {
    let sizes: Vec<String> = image.dimensions.iter().map(usize::to_string).collect();
    let [dx, dy, dz] = image.grid.voxel_sizes();
    let mut lines = vec![
        line("format", &image.format),
        line("size", sizes.join(" × ")),
        line("values", image.data_type),
        line("byte order", if image.big_endian { "big-endian" } else { "little-endian" }),
        line("voxel size", format!("{dx:.4} × {dy:.4} × {dz:.4} mm")),
        if image.grid.is_placed() {
            line("axes point to", image.orientation())
        } else {
            line("orientation", "not recorded")
        },
        line("affine from", image.affine_source),
    ];
    lines.extend(image.standard_space.map(|space| line("standard space", space)));
    for (n, row) in image.grid.affine().rows().iter().enumerate() {
        let [a, b, c, t] = row;
        let name = if n == 0 { "voxel to RAS mm" } else { "" };
        lines.push(line(name, format!("{a:10.4} {b:10.4} {c:10.4} {t:10.4}")));
    }
    if let Some((slope, intercept)) = image.scaling {
        lines.push(line("scaling", format!("{slope} × stored + {intercept}")));
    }
    if let Some(stored) = &image.gradients {
        gradients(stored, &mut lines)?;
    }
    if !image.description.is_empty() {
        lines.push(line("description", &image.description));
    }
    lines.extend(image.warnings.iter().map(|w| line("warning", text_in_options(w))));
    Ok(lines)
}

/// Shown as the format has them; where commands would ask what is meant, a warning says so.
fn gradients(stored: &StoredGradients, lines: &mut Lines) -> Result<()> {
    let (table, warnings) = stored.shown()?;
    lines.push(line("measurements", table.len()));
    lines.push(line("shells", format!("{} (s/mm²)", table.shells_in_words())));
    if table.timings().is_some() {
        lines.push(line("timings", "gradient strength, Δ, δ and TE of each measurement"));
    }
    lines.extend(warnings.iter().map(|w| line("warning", text_in_options(w))));
    Ok(())
}

fn grid(grid: &Grid, lines: &mut Lines) {
    let [nx, ny, nz] = grid.shape();
    let [dx, dy, dz] = grid.voxel_sizes();
    lines.push(line(
        "reference image",
        format!("{nx} × {ny} × {nz} voxels of {dx:.3} × {dy:.3} × {dz:.3} mm"),
    ));
}

fn of_tractogram(tracks: &TractogramDescription) -> Lines {
    let mut lines = vec![
        line("format", tracks.format),
        line("positions", tracks.positions),
        line("streamlines", tracks.streamlines),
        line("points", tracks.points),
    ];
    if let Some([shortest, mean, median, longest]) = tracks.lengths {
        let text = format!("{shortest:.1} to {longest:.1} mm, {mean:.1} mm on average (median {median:.1})");
        lines.push(line("length", text));
    }
    if let Some([[x0, y0, z0], [x1, y1, z1]]) = tracks.bounds {
        let text = format!("{x0:.1} to {x1:.1}, {y0:.1} to {y1:.1}, {z0:.1} to {z1:.1} mm (RAS)");
        lines.push(line("extent", text));
    }
    if let Some(reference) = &tracks.grid {
        grid(reference, &mut lines);
    }
    for (name, list) in [
        ("data per point", &tracks.per_point),
        ("data per streamline", &tracks.per_streamline),
        ("data per group", &tracks.per_group),
    ] {
        for DataDescription { name: data, width, kind, .. } in list {
            lines.push(line(name, format!("{data}: {width} × {kind}")));
        }
    }
    lines.extend(tracks.groups.iter().map(|(name, n)| line("group", format!("{name}: {n} streamlines"))));
    lines
}
