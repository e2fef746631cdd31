//! Surface files that are used as regions or as seeds. The whole surface, its inside, or some of its vertices
//! can be selected.

use arcuate_core::{Error, Result, Structure, Surface, SurfaceLabels, SurfaceMap, narrow};
use arcuate_io::{SurfaceFile, SurfaceReading, is_surface_name, read_surface_file};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A surface file, and the selected part of the surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfacePart {
    path: PathBuf,
    which: Which,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Which {
    All,
    Inside,
    /// The volume between two surfaces: inside this surface and outside the other one.
    Around(PathBuf),
    /// The vertices with a nonzero value in a file of values at vertices.
    Map(PathBuf),
    /// The vertices with a label. The second value is the name or the number of the label.
    Label(PathBuf, String),
}

/// Advice to the user if it is not known whether the coordinates of a surface are in scanner mm.
const CONVERT: &str = "convert it first: arcuate convert IT out.surf.gii, with --reference or --mesh-space";

impl SurfacePart {
    /// Parses the name of a surface file, and the part of the surface that is selected. Returns `None` if the
    /// text does not begin with the name of a surface file. The forms are:
    ///
    /// - `lh.pial.surf.gii`: the whole surface (all of its triangles);
    /// - `lh.pial.surf.gii:inside`: the inside of a closed surface;
    /// - `lh.pial.surf.gii:around:lh.white.surf.gii`: the volume inside the first surface and outside the
    ///   second, here the cortical ribbon;
    /// - `lh.white.surf.gii:lh.aparc.annot:precentral`: the vertices with a label in a label file, given by
    ///   its name or number;
    /// - `lh.white.surf.gii:cortex.shape.gii`: the vertices with a nonzero value in a file of values.
    ///
    /// Returns an error if the text after the name of the surface file has another form.
    pub fn of(written: &Path) -> Result<Option<Self>> {
        let Some(text) = written.to_str() else { return Ok(None) };
        let mut parts = text.split(':');
        let path = PathBuf::from(parts.next().unwrap_or_default());
        if !is_surface_name(&path) {
            return Ok(None);
        }
        let which = match (parts.next(), parts.next(), parts.next()) {
            (None, ..) => Which::All,
            (Some("inside"), None, _) => Which::Inside,
            (Some("around"), Some(other), None) if is_surface_name(Path::new(other)) => {
                Which::Around(other.into())
            }
            (Some(map), None, _) if is_surface_name(Path::new(map)) => Which::Map(map.into()),
            (Some(labels), Some(label), None) if is_surface_name(Path::new(labels)) && !label.is_empty() => {
                Which::Label(labels.into(), label.to_owned())
            }
            _ => {
                let problem = "the text after the name of the surface is not known";
                let advice = "give :inside, :around:SURFACE, :MAP, :LABELS:NAME, or nothing";
                return Err(Error::usage(written.display(), problem, advice));
            }
        };
        Ok(Some(Self { path, which }))
    }

    /// Returns the path of the surface file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the surface file, and the file that selects a part of the surface.
    #[doc(hidden)]
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let other = match &self.which {
            Which::All | Which::Inside => None,
            Which::Around(other) | Which::Map(other) | Which::Label(other, _) => Some(other.as_path()),
        };
        std::iter::once(self.path.as_path()).chain(other)
    }

    /// Checks whether the inside of the surface is selected. The inside is a volume and has no vertices.
    #[doc(hidden)]
    pub fn is_inside(&self) -> bool {
        matches!(self.which, Which::Inside | Which::Around(_))
    }

    /// Returns a name for the selected part of the surface: the label, `inside`, `ribbon`, or the name of the
    /// file of values. Returns `None` if the whole surface is selected.
    #[doc(hidden)]
    pub fn suffix(&self) -> Option<String> {
        match &self.which {
            Which::All => None,
            Which::Inside => Some("inside".to_owned()),
            Which::Around(_) => Some("ribbon".to_owned()),
            Which::Map(map) => map.file_name().map(|name| name.to_string_lossy().into_owned()),
            Which::Label(_, label) => Some(label.clone()),
        }
    }

    /// Reads the selected part of the surface as a region. `mapping` maps from the space of the streamlines
    /// to the space of the surface.
    ///
    /// Returns an error if it is not known whether the coordinates are in scanner mm. Also returns an error
    /// if the inside of a surface that is not closed is selected, or if no vertex is selected.
    #[doc(hidden)]
    pub fn region(&self, mapping: Option<&Arc<arcuate_track::Mapping>>) -> Result<arcuate_track::Region> {
        let name = self.name();
        let surface = read_surface(&self.path)?;
        match &self.which {
            Which::All => Ok(arcuate_track::Region::of_surface(&name, Arc::new(surface), mapping)),
            Which::Inside => arcuate_track::Region::inside_of(&name, Arc::new(surface), None, mapping),
            Which::Around(other) => {
                let other = Arc::new(read_surface(other)?);
                arcuate_track::Region::inside_of(&name, Arc::new(surface), Some(other), mapping)
            }
            Which::Map(_) | Which::Label(..) => {
                let vertices = self.chosen(&surface)?;
                arcuate_track::Region::of_vertices(&name, Arc::new(surface), &vertices, mapping)
            }
        }
    }

    /// Reads the surface. Returns the surface and the numbers of its selected vertices, in ascending order.
    ///
    /// Returns the errors of [`region`](Self::region), and an error if the inside of the surface is selected.
    #[doc(hidden)]
    pub fn vertices(&self) -> Result<(Surface, Vec<u32>)> {
        if self.is_inside() {
            let problem = "the inside of a surface has no vertices";
            return Err(Error::usage(
                self.name(),
                problem,
                "give the surface, or some of its vertices as SURFACE:LABELS:NAME",
            ));
        }
        let surface = read_surface(&self.path)?;
        let vertices = self.chosen(&surface)?;
        Ok((surface, vertices))
    }

    /// Returns the text from which the surface file and its selected part were parsed.
    pub fn name(&self) -> String {
        let path = self.path.display();
        match &self.which {
            Which::All => path.to_string(),
            Which::Inside => format!("{path}:inside"),
            Which::Around(other) => format!("{path}:around:{}", other.display()),
            Which::Map(map) => format!("{path}:{}", map.display()),
            Which::Label(labels, label) => format!("{path}:{}:{label}", labels.display()),
        }
    }

    fn chosen(&self, surface: &Surface) -> Result<Vec<u32>> {
        let count = surface.vertices().len();
        let vertices: Vec<u32> = match &self.which {
            Which::All | Which::Inside | Which::Around(_) => return Ok((0..narrow::<u32>(count)).collect()),
            Which::Map(path) => {
                let file = read_surface_file(path)?;
                let (values, labels) = (file.maps.first(), file.labels.first());
                let is_chosen: Vec<bool> = match (values, labels) {
                    (Some(map), _) => {
                        map.require_vertices(count, path.display())?;
                        map.values.iter().map(|value| *value != 0.0).collect()
                    }
                    (None, Some(labels)) => {
                        labels.require_vertices(count, path.display())?;
                        labels.values.iter().map(|value| *value > 0).collect()
                    }
                    (None, None) => {
                        let problem = "it has no values at vertices";
                        return Err(Error::invalid(
                            path.display(),
                            problem,
                            "give a file with values or labels at the vertices of the surface",
                        ));
                    }
                };
                (0..narrow::<u32>(count)).filter(|&vertex| is_chosen[vertex as usize]).collect()
            }
            Which::Label(path, label) => {
                let file = read_surface_file(path)?;
                let labels = file.labels.first().ok_or_else(|| {
                    Error::invalid(
                        path.display(),
                        "the file has no labels",
                        "give a label file of the surface (.annot or .label.gii)",
                    )
                })?;
                labels.require_vertices(count, path.display())?;
                require_same_side(surface.structure(), &self.path, &file, path)?;
                labels.vertices_of(number_of(labels, label, path)?)
            }
        };
        if vertices.is_empty() {
            return Err(Error::invalid(self.name(), "no vertex is chosen", "choose others"));
        }
        Ok(vertices)
    }
}

/// Returns the number of a label. `label` is the name or the number of the label, as text.
fn number_of(labels: &SurfaceLabels, label: &str, path: &Path) -> Result<i32> {
    let by_name = labels.table.iter().find(|(_, known)| known.name == label).map(|(&number, _)| number);
    if let Some(number) = by_name.or_else(|| label.parse().ok().filter(|n| labels.values.contains(n))) {
        return Ok(number);
    }
    let names: Vec<&str> = labels.table.values().map(|label| label.name.as_str()).take(8).collect();
    let problem =
        format!("the file has no label `{label}`; its labels are for example: {}", names.join(", "));
    Err(Error::invalid(path.display(), problem, "give the name or the number of an existing label"))
}

/// Returns an error if the labels and the surface belong to different hemispheres.
fn require_same_side(of: Option<Structure>, surface: &Path, labels: &SurfaceFile, path: &Path) -> Result<()> {
    match (of, labels.structure) {
        (Some(one), Some(other)) if one != other => {
            let (one, other) = (one.cifti_name(), other.cifti_name());
            let problem =
                format!("the label file belongs to {other}, but {} belongs to {one}", surface.display());
            Err(Error::invalid(path.display(), problem, "give labels and surface of one hemisphere"))
        }
        _ => Ok(()),
    }
}

/// Creates a surface file that contains only values at vertices, and no mesh.
pub(crate) fn file_of_maps(structure: Option<Structure>, maps: Vec<SurfaceMap>) -> SurfaceFile {
    SurfaceFile {
        format: "GIFTI",
        structure,
        kind: None,
        mesh: None,
        maps,
        labels: Vec::new(),
        warnings: Vec::new(),
    }
}

/// Writes the surface of a tetrahedron with a corner at (`x`, 0, 0), in scanner mm.
#[cfg(test)]
pub(crate) fn write_tetrahedron(path: &Path, structure: Structure, x: f32) {
    use arcuate_io::{StoredCoordinates, StoredMesh, write_surface_file};
    let mesh = StoredMesh {
        vertices: vec![[x, 0.0, 0.0], [x + 3.0, 0.0, 0.0], [x, 3.0, 0.0], [x, 0.0, 3.0]],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        coordinates: StoredCoordinates::Scanner,
        volume: None,
    };
    let file = SurfaceFile { mesh: Some(mesh), ..file_of_maps(Some(structure), Vec::new()) };
    write_surface_file(path, path, &file, SurfaceReading::default()).unwrap();
}

/// Reads a surface with coordinates in scanner mm.
pub(crate) fn read_surface(path: &Path) -> Result<Surface> {
    let file = read_surface_file(path)?;
    for warning in &file.warnings {
        tracing::warn!("{}: {warning}", path.display());
    }
    file.surface(path, SurfaceReading::default()).map_err(|error| {
        let is_unknown = error.problem().contains("coordinate");
        if is_unknown { Error::invalid(path.display(), error.problem().to_owned(), CONVERT) } else { error }
    })
}

/// Returns an error if the surfaces of two hemispheres seem to be swapped. They seem to be swapped if a
/// surface of the left hemisphere is to the right of a surface of the right hemisphere. The mean x
/// coordinates of their vertices are compared.
pub fn require_hemispheres<'a>(surfaces: impl Iterator<Item = (&'a str, &'a Surface)>) -> Result<()> {
    let mean = |surface: &Surface| {
        let sum: f64 = surface.vertices().iter().map(|vertex| f64::from(vertex[0])).sum();
        sum / surface.vertices().len().max(1) as f64
    };
    // The surface of the right hemisphere with the smallest mean x coordinate is compared with the surface of
    // the left hemisphere with the largest mean x coordinate.
    let mut sides: BTreeMap<&str, (f64, &str)> = BTreeMap::new();
    for (name, surface) in surfaces {
        let at = mean(surface);
        match surface.structure() {
            Some(Structure::CORTEX_LEFT) => {
                let known = sides.entry("left").or_insert((at, name));
                if at > known.0 {
                    *known = (at, name);
                }
            }
            Some(Structure::CORTEX_RIGHT) => {
                let known = sides.entry("right").or_insert((at, name));
                if at < known.0 {
                    *known = (at, name);
                }
            }
            _ => {}
        }
    }
    match (sides.get("left"), sides.get("right")) {
        (Some((left, name)), Some((right, other))) if left > right => {
            let problem = format!(
                "this surface is a left hemisphere, but is to the right of {other}, a right hemisphere"
            );
            Err(Error::invalid(
                name,
                problem,
                "check the names of the two surfaces, and that both are in scanner mm",
            ))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix_elements::ElementList;
    use arcuate_core::NamedLabel;
    use arcuate_io::write_surface_file;
    use arcuate_track::RegionShape;

    fn part(written: &str) -> Result<Option<SurfacePart>> {
        SurfacePart::of(Path::new(written))
    }

    #[test]
    fn the_part_of_a_surface_follows_its_name() {
        for (written, suffix) in [
            ("a/lh.pial.surf.gii", None),
            ("lh.pial.surf.gii:inside", Some("inside")),
            ("lh.pial:around:lh.white", Some("ribbon")),
            ("lh.white.surf.gii:lh.aparc.annot:precentral", Some("precentral")),
            ("lh.white.surf.gii:cortex.shape.gii", Some("cortex.shape.gii")),
        ] {
            let part = part(written).unwrap().unwrap();
            assert_eq!((part.name().as_str(), part.suffix().as_deref()), (written, suffix));
        }
        for written in ["mask.nii.gz", "atlas.nii.gz:3", "white/lh"] {
            assert_eq!(part(written).unwrap(), None, "{written}");
        }
        for written in [
            "lh.white:outside",
            "lh.white:around",
            "lh.white:around:a.nii",
            "lh.white:a.annot:",
            "lh.white:a.annot:b:c",
        ] {
            assert!(part(written).unwrap_err().to_string().starts_with(written), "{written}");
        }
    }

    /// Creates the closed surface of a tetrahedron with a corner at `x`.
    fn tetrahedron(x: f32, structure: Structure) -> Surface {
        let vertices = vec![[x, 0.0, 0.0], [x + 4.0, 0.0, 0.0], [x, 4.0, 0.0], [x, 0.0, 4.0]];
        Surface::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], Some(structure)).unwrap()
    }

    fn write(path: &Path, content: &SurfaceFile) {
        write_surface_file(path, path, content, SurfaceReading::default()).unwrap();
    }

    #[test]
    fn parts_of_surfaces_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let surface = tetrahedron(-10.0, Structure::CORTEX_LEFT);
        let mesh = arcuate_io::StoredMesh {
            vertices: surface.vertices().to_vec(),
            triangles: surface.triangles().to_vec(),
            coordinates: arcuate_io::StoredCoordinates::Scanner,
            volume: None,
        };
        let empty = file_of_maps(Some(Structure::CORTEX_LEFT), Vec::new());
        write(Path::new(&at("lh.white.surf.gii")), &SurfaceFile { mesh: Some(mesh), ..empty.clone() });
        let map = SurfaceMap { name: "m".into(), values: vec![0.0, 2.0, 0.0, -1.0] };
        write(Path::new(&at("lh.m.shape.gii")), &SurfaceFile { maps: vec![map], ..empty.clone() });
        let label = |name: &str| NamedLabel { name: name.into(), colour: [1.0; 4] };
        let table = BTreeMap::from([(3, label("front")), (5, label("back"))]);
        let labels = SurfaceLabels { name: "l".into(), values: vec![3, 5, 3, 0], table };
        write(
            Path::new(&at("lh.l.label.gii")),
            &SurfaceFile { labels: vec![labels.clone()], ..empty.clone() },
        );
        let right = SurfaceFile { structure: Some(Structure::CORTEX_RIGHT), labels: vec![labels], ..empty };
        write(Path::new(&at("rh.l.label.gii")), &right);

        let white = at("lh.white.surf.gii");
        let of = |rest: &str| part(&format!("{white}{rest}")).unwrap().unwrap();
        assert_eq!(of("").vertices().unwrap().1, [0, 1, 2, 3]);
        assert_eq!(of(&format!(":{}", at("lh.m.shape.gii"))).vertices().unwrap().1, [1, 3]);
        assert_eq!(of(&format!(":{}:front", at("lh.l.label.gii"))).vertices().unwrap().1, [0, 2]);
        assert_eq!(of(&format!(":{}:5", at("lh.l.label.gii"))).vertices().unwrap().1, [1]);
        let region = of(&format!(":{}:back", at("lh.l.label.gii"))).region(None).unwrap();
        assert!(matches!(&region.shape, RegionShape::Triangles { triangles, .. } if triangles == &[0, 1, 2]));
        assert!(
            matches!(of(":inside").region(None).unwrap().shape, RegionShape::Inside(meshes) if meshes.len() == 1)
        );
        let message_of = |part: SurfacePart| part.region(None).unwrap_err().to_string();
        let unknown = message_of(of(&format!(":{}:middle", at("lh.l.label.gii"))));
        assert!(unknown.contains("no label `middle`; its labels are for example: front, back"), "{unknown}");
        let other = message_of(of(&format!(":{}:front", at("rh.l.label.gii"))));
        assert!(other.contains("the label file belongs to CIFTI_STRUCTURE_CORTEX_RIGHT"), "{other}");
        assert!(of(":inside").vertices().unwrap_err().to_string().contains("no vertices"));
        // The first seed is the corner of the tetrahedron at (-10, 0, 0). A depth of 3 mm moves this seed
        // into the tetrahedron, by the same distance along each of the three axes.
        let list = ElementList::of_seeds("", None, &[of("")]).unwrap();
        let seeds = list.places(0.0);
        assert_eq!((seeds.len(), seeds[0]), (4, [-10.0, 0.0, 0.0]));
        let deep = list.places(3.0);
        let by: [f64; 3] = std::array::from_fn(|axis| deep[0][axis] - seeds[0][axis]);
        assert!(by.iter().all(|c| (c - 3f64.sqrt()).abs() < 1e-6), "{by:?}");
    }

    #[test]
    fn exchanged_hemispheres_are_detected() {
        let [left, right] = [(-30.0, Structure::CORTEX_LEFT), (30.0, Structure::CORTEX_RIGHT)]
            .map(|(x, structure)| tetrahedron(x, structure));
        require_hemispheres([("lh", &left), ("rh", &right)].into_iter()).unwrap();
        let [left, right] = [(30.0, Structure::CORTEX_LEFT), (-30.0, Structure::CORTEX_RIGHT)]
            .map(|(x, structure)| tetrahedron(x, structure));
        let error = require_hemispheres([("lh", &left), ("rh", &right)].into_iter()).unwrap_err().to_string();
        assert!(
            error.starts_with("lh: this surface is a left hemisphere, but is to the right of rh"),
            "{error}"
        );
    }
}
