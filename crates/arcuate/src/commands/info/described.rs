//! Describes the content of a file as lines of text, each with a name and a value.

use crate::parameters::text_in_options;
use arcuate_core::{Axis, BrainElements, ConnectivityMatrix, Error, Grid, Result, Surface, printable};
use arcuate_io::{
    CiftiAxis, CiftiFile, DataDescription, FileKind, GradientFormat, ImageDescription, StoredCoordinates,
    StoredGradients, SurfaceFile, TractogramDescription, describe_image, describe_tractogram, file_kind,
    read_endings, read_gradients, read_matrix, read_surface_file,
};
use std::path::Path;

/// Maximum number of characters of a value in the output.
pub(super) const LONGEST_VALUE: usize = 1000;

pub(super) type Lines = Vec<(String, String)>;

/// Contents of a file.
pub(super) enum Described {
    Image(ImageDescription),
    Tractogram(TractogramDescription),
    /// The name of the table format, and the table.
    Gradients(&'static str, StoredGradients),
    Surface(SurfaceFile),
    Cifti(Box<CiftiFile>),
    Matrix(Box<ConnectivityMatrix>),
}

impl Described {
    pub(super) fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Err(Error::missing(path));
        }
        match file_kind(path) {
            Some(FileKind::Cifti) => CiftiFile::open(path).map(|file| Self::Cifti(Box::new(file))),
            Some(FileKind::Matrix) => read_matrix(path).map(|matrix| Self::Matrix(Box::new(matrix))),
            Some(FileKind::Surface) => read_surface_file(path).map(Self::Surface),
            Some(FileKind::Image) => describe_image(path).map(Self::Image),
            Some(FileKind::Tractogram) => describe_tractogram(path).map(Self::Tractogram),
            Some(FileKind::Gradients) => {
                // Reading directions along image axes needs the image. It is not needed here, because only
                // b-values and numbers of measurements are shown.
                let stored = read_gradients(path, &arcuate_core::Affine::identity(), None)?;
                Ok(Self::Gradients(GradientFormat::of(path).map_or("", GradientFormat::name), stored))
            }
            Some(FileKind::Array | FileKind::Transform | FileKind::Text) | None => {
                let [images, tracks, surfaces, matrices] =
                    [FileKind::Image, FileKind::Tractogram, FileKind::Surface, FileKind::Matrix]
                        .map(|kind| read_endings(kind).join(" "));
                Err(Error::invalid(
                    path.display(),
                    "the ending of this file name is not one that Arcuate knows",
                    format!(
                        "give an image ({images}), a tractogram ({tracks}), a gradient table, a surface \
                         ({surfaces}) or a connectivity matrix ({matrices})"
                    ),
                ))
            }
        }
    }

    pub(super) fn lines(&self) -> Result<Lines> {
        match self {
            Self::Image(image) => of_image(image),
            Self::Tractogram(tracks) => Ok(of_tractogram(tracks)),
            Self::Surface(surface) => Ok(of_surface(surface)),
            Self::Cifti(file) => Ok(of_cifti(file)),
            Self::Matrix(matrix) => Ok(of_matrix(matrix)),
            Self::Gradients(format, stored) => {
                let mut lines = vec![line("format", format)];
                gradients(stored, &mut lines)?;
                Ok(lines)
            }
        }
    }
}

fn line(name: &str, value: impl std::fmt::Display) -> (String, String) {
    // The value comes from a file. Control characters in it must not reach the terminal.
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

/// Describes a gradient table as stored. Ambiguous numbers give a warning.
fn gradients(stored: &StoredGradients, lines: &mut Lines) -> Result<()> {
    let (table, warnings) = stored.shown()?;
    lines.push(line("measurements", table.len()));
    lines.push(line("shells", format!("{} (s/mm²)", table.describe_shells())));
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
        line("format", tracks.format_name()),
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

/// Returns the coordinate space of a surface.
pub(super) fn coordinates(file: &SurfaceFile) -> Option<&'static str> {
    let mesh = file.mesh.as_ref()?;
    Some(match (mesh.coordinates, mesh.volume.is_some()) {
        (StoredCoordinates::Scanner, _) => "scanner mm",
        (StoredCoordinates::Transformed(_), _) => "mm with a transform to scanner mm",
        (StoredCoordinates::Tkras, true) => "FreeSurfer's surface coordinates of a volume that is known",
        (StoredCoordinates::Tkras, false) => "FreeSurfer's surface coordinates of a volume that is not known",
        (StoredCoordinates::Unknown, _) => "not recorded",
    })
}

/// Returns the mesh as stored, or the error that makes it invalid.
pub(super) fn mesh_as_stored(file: &SurfaceFile) -> Option<Result<Surface>> {
    let mesh = file.mesh.as_ref()?;
    Some(Surface::new(mesh.vertices.clone(), mesh.triangles.clone(), file.structure))
}

/// Returns the text with the name of its subject, if there is a name.
fn named(name: &str, text: String) -> String {
    if name.is_empty() { text } else { format!("{name}: {text}") }
}

fn of_surface(file: &SurfaceFile) -> Lines {
    let mut lines = vec![line("format", file.format)];
    lines.extend(file.structure.map(|structure| line("structure", structure)));
    if let Some(mesh) = &file.mesh {
        lines.push(line("vertices", mesh.vertices.len()));
        lines.push(line("triangles", mesh.triangles.len()));
    }
    lines.extend(coordinates(file).map(|coordinates| line("coordinates", coordinates)));
    let mut warnings = file.warnings.clone();
    match mesh_as_stored(file) {
        Some(Ok(surface)) => {
            if let Some([[x0, y0, z0], [x1, y1, z1]]) = surface.bounds() {
                let text =
                    format!("{x0:.1} to {x1:.1}, {y0:.1} to {y1:.1}, {z0:.1} to {z1:.1} mm (as stored)");
                lines.push(line("extent", text));
            }
            let found = surface.closedness();
            lines.push(line("closed", if found.is_closed() { "yes" } else { "no" }));
            if !found.is_closed() {
                lines.push(line("open edges", found.open_edges));
                lines.push(line("edges of 3 or more", found.crowded_edges));
                lines.push(line("edges turned round", found.twisted_edges));
            }
            let degenerate = surface.degenerate_triangles().len();
            if degenerate > 0 {
                warnings.push(format!("{degenerate} of its triangles have no area"));
            }
        }
        Some(Err(error)) => warnings.push(error.problem().to_owned()),
        None => {}
    }
    for map in &file.maps {
        let finite = map.values.iter().copied().filter(|value| value.is_finite());
        let (minimum, largest) =
            finite.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        let text = format!("{} values from {minimum} to {largest}", map.values.len());
        lines.push(line("map", named(&map.name, text)));
    }
    for labels in &file.labels {
        let (values, names) = (labels.values.len(), labels.table.len());
        lines.push(line("parcellation", named(&labels.name, format!("{values} vertices, {names} regions"))));
    }
    lines.extend(warnings.iter().map(|warning| line("warning", warning)));
    lines
}

fn of_matrix(matrix: &ConnectivityMatrix) -> Lines {
    let elements = |axis: &Axis| {
        let names = if (0..axis.len()).any(|place| axis.name(place).is_some()) { ", with names" } else { "" };
        format!("{} {}{names}", axis.len(), axis.kind().plural())
    };
    let entries = matrix.pattern().map_or(0, |pattern| pattern.columns.len());
    let mut lines = vec![
        line("format", "connectivity matrix"),
        line("rows", elements(matrix.rows())),
        line("columns", elements(matrix.columns())),
        line("symmetric", if matrix.is_symmetric() { "yes, one half is stored" } else { "no" }),
        line("entries", entries),
    ];
    for measure in matrix.measures() {
        let [diagonal, companion_path] = matrix.sums(measure).unwrap_or_default();
        lines.push(line(&format!("sum of {}", measure.word()), diagonal + companion_path));
    }
    lines
}

fn of_cifti(file: &CiftiFile) -> Lines {
    let mut lines = vec![
        line("format", "CIFTI-2"),
        line("size", format!("{} rows × {} columns", file.rows().len(), file.columns().len())),
        line("values", file.value_type()),
        line("byte order", if file.is_big_endian() { "big-endian" } else { "little-endian" }),
    ];
    for (name, axis) in [("rows", file.rows()), ("columns", file.columns())] {
        lines.push(line(name, axis.describe()));
        match axis {
            // If the rows and the columns have the same description, it is shown only once.
            _ if name == "columns" && axis == file.rows() => {}
            CiftiAxis::BrainModels(models) => {
                for model in models.models() {
                    let what = match &model.elements {
                        BrainElements::Vertices { surface, numbers } => {
                            format!("{} of {surface} vertices", numbers.len())
                        }
                        BrainElements::Voxels(voxels) => format!("{} voxels", voxels.len()),
                    };
                    lines.push(line("", format!("{}: {what}", model.structure)));
                }
                if let Some(volume) = models.volume() {
                    grid(volume, &mut lines);
                }
            }
            CiftiAxis::Scalars(names) => lines.extend(names.iter().map(|name| line("map", name))),
            CiftiAxis::Labels(maps) => lines.extend(
                maps.iter()
                    .map(|map| line("parcellation", format!("{}: {} regions", map.name, map.table.len()))),
            ),
            CiftiAxis::Parcels { .. } | CiftiAxis::Series(_) => {}
        }
    }
    lines
}
