//! Content of the interactive viewer of a report: streamlines, maps, regions, and surfaces with values at
//! their vertices.

use super::anatomy::Anatomy;
use super::tissue_ends;
use crate::job::Job;
use crate::output_files::{Kind, Map, OutputFile, Picture};
use crate::record::{self, Record};
use arcuate_core::{Error, FiveTissues, Mask, Result, Surface, SurfaceMap, Volume, is_present};
use arcuate_io::{
    CiftiFile, Space, SurfaceReading, TractogramReader, TractogramSource, is_cifti_name, is_surface_name,
    read_per_streamline, read_surface_file, read_volume, read_weights,
};
use arcuate_report::{StreamlineQuantity, VertexValues, ViewerScene};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Maximum number of surfaces in a report. This is enough for the white and pial surfaces of two hemispheres
/// and for some nuclei.
const MAX_SURFACES: usize = 12;
/// Maximum number of maps at the vertices of surfaces in a report. A longer list of maps would be hard to
/// use.
const MAX_VALUES: usize = 32;

/// Paths of the inputs of the command that the viewer shows. A record may list any file, so only files that have the
/// checksum in the record are used.
pub(super) struct SceneInputs<'a> {
    /// The five-tissue-type image that constrained the streamlines.
    tissues: Option<&'a Path>,
    surfaces: Vec<&'a String>,
}

impl<'a> SceneInputs<'a> {
    /// Collects the inputs that were neither removed nor changed.
    pub(super) fn of(record: &'a Record, job: &Job) -> Self {
        let is_of_tissues = |input: &&OutputFile| {
            let picture = input.picture.as_ref();
            picture.is_some_and(|picture| matches!(picture.kind, Kind::Tissues))
                && record.knows(&input.name, job)
        };
        let tissues = record.shown_inputs.iter().find(is_of_tissues);
        let is_known = |input: &&crate::checksums::Input| {
            is_surface_name(Path::new(&input.path)) && record.knows(&input.path, job)
        };
        let mut paths = BTreeSet::new();
        let surfaces = record.inputs.iter().filter(|input| paths.insert(&input.path)).filter(is_known);
        Self {
            tissues: tissues.map(|input| Path::new(input.name.as_ref())),
            surfaces: surfaces.map(|input| &input.path).collect(),
        }
    }

    fn read_tissues(&self) -> Result<Option<FiveTissues>> {
        self.tissues.map(|path| FiveTissues::new(read_volume(path)?)).transpose()
    }

    /// Returns the path (as the record lists it) and the surface of each surface file. Files without a surface in
    /// scanner mm are ignored.
    fn read_surfaces(&self) -> Vec<(String, Surface)> {
        let read = |path: &Path| read_surface_file(path)?.surface(path, SurfaceReading::default());
        let surface = |path: &&String| Some(((*path).clone(), read(Path::new(path)).ok()?));
        self.surfaces.iter().filter_map(surface).take(MAX_SURFACES).collect()
    }
}

/// Creates the content of the interactive viewer from a record. Returns `None` if the record lists neither
/// streamlines nor maps for the viewer.
///
/// `given` are the names and masks of the regions among the inputs of the command.
pub(super) fn of(
    folder: &Path,
    record: &Record,
    anatomy: &Anatomy,
    given: &[(String, Mask)],
    inputs: &SceneInputs<'_>,
) -> Result<Option<ViewerScene>> {
    let tracks = tracks(folder, record)?;
    let maps = maps(folder, record)?;
    if tracks.is_none() && maps.is_empty() {
        return Ok(None);
    }
    let mut scene = anatomy.behind(ViewerScene::new())?;
    for (title, map, volume) in maps {
        scene = scene.with_map(title, &volume, map.window, map.unit.to_string())?;
    }
    let mut regions = regions(folder, record)?;
    regions.extend(given.iter().cloned());
    // The viewer shows all regions in one image, so regions on other voxel grids than the first region are
    // omitted.
    if let Some(grid) = regions.first().map(|(_, mask)| *mask.grid()) {
        regions.retain(|(_, mask)| mask.grid().matches(&grid));
    }
    scene = scene.with_regions(&regions)?;
    let surfaces = inputs.read_surfaces();
    let values = vertex_values(folder, record, &surfaces)?;
    for (path, surface) in surfaces {
        scene = scene.with_surface(record::name_of(Path::new(&path)), surface);
    }
    for values in values {
        scene = scene.with_vertex_values(values)?;
    }
    match tracks {
        Some((path, kind)) => {
            with_tracks(scene, folder, &path, kind, inputs.read_tissues()?.as_ref()).map(Some)
        }
        None => Ok(Some(scene)),
    }
}

/// Returns the last tractogram that the record shows.
fn tracks<'a>(folder: &Path, record: &'a Record) -> Result<Option<(PathBuf, &'a Kind)>> {
    let mut tracks = None;
    for file in &record.files {
        let Some(Picture { kind, .. }) = &file.picture else { continue };
        if matches!(kind, Kind::Streamlines { .. } | Kind::Values { .. }) {
            let path = record::inside(folder, &file.name)?;
            if is_present(&path) {
                tracks = Some((path, kind));
            }
        }
    }
    Ok(tracks)
}

fn with_tracks(
    scene: ViewerScene,
    folder: &Path,
    path: &Path,
    kind: &Kind,
    tissues: Option<&FiveTissues>,
) -> Result<ViewerScene> {
    let quantity = match kind {
        Kind::Streamlines { weights: Some(name) } => {
            Some(StreamlineQuantity::weights(read_weights(&record::inside(folder, name)?)?))
        }
        Kind::Values { data, name, .. } => Some(StreamlineQuantity {
            name: name.to_string(),
            values: values_of(path, data)?,
            logarithmic: false,
            at_start: true,
        }),
        _ => None,
    };
    let source = TractogramSource { path, space: Space::Unknown };
    let mut groups = TractogramReader::open(path)?.read_groups()?;
    let has_own = !groups.members.is_empty();
    if let Some(tissues) = tissues.filter(|_| !has_own) {
        groups = tissue_ends::groups(&source, tissues)?;
    }
    let scene = scene.with_streamlines_of(&source, &groups, quantity.as_ref())?;
    Ok(if has_own { scene } else { scene.with_groups_to_choose() })
}

/// Reads the values called `data` from a tractogram, with one value per streamline.
pub(super) fn values_of(path: &Path, data: &str) -> Result<Vec<f64>> {
    let column = read_per_streamline(path, data)?.filter(|column| column.width() == 1);
    column.map(|column| column.values().to_f64()).ok_or_else(|| {
        let problem = format!("the tractogram has no data `{data}` per streamline");
        Error::invalid(path.display(), problem, "run the command again")
    })
}

/// Reads the overlay maps with their titles.
fn maps<'a>(folder: &Path, record: &'a Record) -> Result<Vec<(String, &'a Map, Volume<f32>)>> {
    let mut maps = Vec::new();
    for (file, map) in overlays(record) {
        let path = record::inside(folder, &file.name)?;
        if !is_present(&path) {
            continue;
        }
        let volume = read_volume(&path)?;
        // A map that is 0 in all voxels is not shown. This occurs, for example, if all values were below a
        // threshold.
        if volume.values().iter().any(|value| *value > 0.0) {
            maps.push((file.title.to_string(), map, volume));
        }
    }
    Ok(maps)
}

fn overlays(record: &Record) -> impl Iterator<Item = (&OutputFile, &Map)> {
    record.files.iter().filter_map(|file| match &file.picture {
        Some(Picture { kind: Kind::Map(map), .. }) if map.overlay => Some((file, map)),
        _ => None,
    })
}

/// Reads the regions whose outlines are drawn on the maps in the viewer. Each region is in the list once.
fn regions(folder: &Path, record: &Record) -> Result<Vec<(String, Mask)>> {
    let (mut known, mut regions) = (BTreeSet::new(), Vec::new());
    for outline in overlays(record).flat_map(|(_, map)| &map.outlines) {
        if !known.insert((&outline.file, outline.volume)) {
            continue;
        }
        let path = record::inside(folder, &outline.file)?;
        if !is_present(&path) {
            continue;
        }
        let volume = read_volume(&path)?;
        if outline.volume < volume.channels() {
            let channels = volume.channels();
            let inside = volume.values().iter().skip(outline.volume).step_by(channels);
            let inside = inside.map(|value| *value > 0.5).collect();
            regions.push((outline.name.to_string(), Mask::new(*volume.grid(), inside)?));
        }
    }
    Ok(regions)
}

/// Reads the maps of values at vertices of surfaces among the results. Maps that have the same name on
/// several surfaces become one map in the viewer.
fn vertex_values(
    folder: &Path,
    record: &Record,
    surfaces: &[(String, Surface)],
) -> Result<Vec<VertexValues>> {
    let mut all: Vec<VertexValues> = Vec::new();
    for file in &record.files {
        let Some(Picture { kind: Kind::Vertices { surfaces: on, quantity, places }, .. }) = &file.picture
        else {
            continue;
        };
        let path = record::inside(folder, &file.name)?;
        if !is_present(&path) {
            continue;
        }
        for (number, (_, surface)) in
            surfaces.iter().enumerate().filter(|(_, (of, _))| on.iter().any(|on| on == of))
        {
            for (n, map) in maps_on(&path, surface)?.into_iter().enumerate() {
                let place = places.get(n).copied();
                add(&mut all, (number, map), quantity, place);
            }
        }
    }
    all.truncate(MAX_VALUES);
    Ok(all)
}

/// Returns the maps of values in a file that belong to the vertices of `surface`.
fn maps_on(path: &Path, surface: &Surface) -> Result<Vec<SurfaceMap>> {
    let maps = if is_cifti_name(path) {
        match surface.structure() {
            Some(structure) => CiftiFile::open(path)?.on_surface(structure)?.0,
            None => Vec::new(),
        }
    } else {
        read_surface_file(path)?.maps
    };
    let vertices = surface.vertices().len();
    maps.iter().try_for_each(|map| map.require_vertices(vertices, path.display()))?;
    Ok(maps)
}

/// Adds a map of values at the vertices of surface number `number` to the list.
fn add(
    all: &mut Vec<VertexValues>,
    (number, map): (usize, SurfaceMap),
    quantity: &str,
    place: Option<[f64; 3]>,
) {
    let SurfaceMap { name, values } = map;
    let Some(known) = all.iter_mut().find(|known| known.name == name && known.place == place) else {
        let quantity = quantity.to_owned();
        all.push(VertexValues { name, quantity, place, on: vec![(number, values)] });
        return;
    };
    match known.on.iter_mut().find(|(on, _)| *on == number) {
        // If several parts of a surface are used, each part has its own file. The values of these files are
        // added.
        Some((_, sum)) => sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value),
        None => known.on.push((number, values)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_with_the_same_name_are_combined_across_surfaces() {
        let map = |name: &str, values: [f32; 2]| SurfaceMap { name: name.into(), values: values.to_vec() };
        let mut all = Vec::new();
        add(&mut all, (0, map("to a", [1.0, 0.0])), "streamlines", None);
        add(&mut all, (1, map("to a", [2.0, 0.0])), "streamlines", None);
        add(&mut all, (0, map("to a", [0.0, 3.0])), "streamlines", None);
        add(&mut all, (0, map("to b", [5.0, 5.0])), "streamlines", None);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].on, [(0, vec![1.0, 3.0]), (1, vec![2.0, 0.0])]);
    }
}
