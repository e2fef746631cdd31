//! Parcellations in scanner space: images of region numbers, FreeSurfer or GIFTI labels at the vertices of
//! surfaces, and CIFTI-2 labels.

use crate::named_labels::{NamedLabels, warn_of_unnamed, without_name};
use crate::parcellation::read_parcellation;
use arcuate_connect::{ConnectomeOptions, LabelledVertices, Parcellation};
use arcuate_core::{
    Affine, BrainElements, BrainModel, BrainModels, Error, Grid, Labels, NamedLabel, Result, Structure,
    Surface, SurfaceLabels, printable, saturating,
};
use arcuate_io::{
    CiftiAxis, CiftiFile, CiftiParcel, SurfaceFile, SurfaceReading, content_name, is_cifti_name,
    is_surface_name, memory::can_allocate, read_surface_file,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Name, vertices and voxels of each parcel (region) of a CIFTI-2 file. The key is the region number.
type Parcels = BTreeMap<u32, CiftiParcel>;

/// A parcellation, with a name that is used in the names of its output files.
#[derive(Debug)]
pub struct NamedParcellation {
    /// Name of the parcellation in the names of output files. It is the name of the label file without
    /// folder, ending and hemisphere.
    pub name: String,
    /// First file of the parcellation.
    pub path: PathBuf,
    /// Regions as labelled voxels and vertices.
    pub parcellation: Parcellation,
    /// Region numbers in the table of names, if the user gave such a table.
    named: Option<Vec<u32>>,
    /// If the parcellation is from a CIFTI-2 file: its parcels (regions), and the voxel grid if they contain
    /// voxels.
    parcels: Option<(Parcels, Option<Grid>)>,
}

impl NamedParcellation {
    /// Returns the options for the connectome of this parcellation. If the user gave a table of region names,
    /// the matrix has one row for each region of the table.
    pub fn options(&self, options: &ConnectomeOptions) -> ConnectomeOptions {
        ConnectomeOptions { regions: self.named.clone(), ..options.clone() }
    }

    /// Checks whether this parcellation is from a CIFTI-2 file. Its connectomes can then be written in
    /// CIFTI-2 format.
    pub fn is_cifti(&self) -> bool {
        self.parcels.is_some()
    }

    /// Returns the CIFTI-2 matrix axis with these regions. Returns `None` if the parcellation is not from a
    /// CIFTI-2 file.
    pub fn cifti_axis(&self, regions: &[u64]) -> Option<CiftiAxis> {
        let (parcels, volume) = self.parcels.as_ref()?;
        let parcel = |region: &u64| {
            let of = u32::try_from(*region).ok().and_then(|region| parcels.get(&region)).cloned();
            of.unwrap_or_else(|| CiftiParcel { name: region.to_string(), parts: vec![], voxels: vec![] })
        };
        let parcels: Vec<CiftiParcel> = regions.iter().map(parcel).collect();
        let has_voxels = parcels.iter().any(|parcel| !parcel.voxels.is_empty());
        Some(CiftiAxis::Parcels { parcels, volume: volume.filter(|_| has_voxels) })
    }
}

/// Surfaces in scanner space.
#[derive(Debug, Default)]
pub struct Surfaces {
    all: Vec<(PathBuf, Surface)>,
}

impl Surfaces {
    /// Reads surfaces.
    ///
    /// Returns an error if two surfaces belong to the same brain structure. Also returns an error if the
    /// surface of the left hemisphere is to the right of that of the right hemisphere.
    pub fn read(paths: &[PathBuf], reading: SurfaceReading) -> Result<Self> {
        let mut all: Vec<(PathBuf, Surface)> = Vec::new();
        for path in paths {
            let surface = read_surface_file(path)?.surface(path, reading)?;
            let twice = |(_, other): &&(PathBuf, Surface)| {
                surface.structure().is_some() && other.structure() == surface.structure()
            };
            if let (Some((other, _)), Some(structure)) = (all.iter().find(twice), surface.structure()) {
                let problem = format!(
                    "this is a surface of the brain structure {structure}, and so is {}",
                    other.display()
                );
                return Err(Error::usage(path.display(), problem, "give one surface per brain structure"));
            }
            all.push((path.clone(), surface));
        }
        let surfaces = Self { all };
        surfaces.refuse_exchanged()?;
        Ok(surfaces)
    }

    fn refuse_exchanged(&self) -> Result<()> {
        let of = |structure| self.all.iter().find(|(_, surface)| surface.structure() == Some(structure));
        let (Some((left_path, left)), Some((_, right))) =
            (of(Structure::CORTEX_LEFT), of(Structure::CORTEX_RIGHT))
        else {
            return Ok(());
        };
        let middle = |surface: &Surface| surface.bounds().map(|[low, high]| f32::midpoint(low[0], high[0]));
        match (middle(left), middle(right)) {
            (Some(x), Some(other)) if x > other => {
                let problem = format!(
                    "this surface is marked as {}, but is to the right of {}; the two files may be exchanged",
                    Structure::CORTEX_LEFT,
                    Structure::CORTEX_RIGHT
                );
                Err(Error::invalid(left_path.display(), problem, "give each hemisphere its own surface"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the index of the surface that belongs to labels of this brain structure. If the structure of
    /// the labels is unknown, exactly one surface must be given. `labels` is the label file, for the error
    /// message.
    fn of(&self, structure: Option<Structure>, labels: &Path) -> Result<usize> {
        let place = match structure {
            Some(_) => self.all.iter().position(|(_, surface)| surface.structure() == structure),
            None if self.all.len() == 1 => Some(0),
            None => None,
        };
        if let Some(place) = place {
            return Ok(place);
        }
        let problem = match (structure, &self.all[..]) {
            (Some(_), [(_, only)]) if only.structure().is_none() => return Ok(0),
            (Some(structure), []) => format!("its labels are of {structure}, whose surface is not there"),
            (Some(structure), all) => {
                let structure_name =
                    |surface: &Surface| surface.structure().map_or("?".to_owned(), |s| s.to_string());
                let there: Vec<String> = all
                    .iter()
                    .map(|(path, surface)| format!("{} of {}", path.display(), structure_name(surface)))
                    .collect();
                format!("the labels belong to {structure}, but the surfaces are {}", there.join(", "))
            }
            (None, []) => "it has labels at vertices, whose surface is not there".to_owned(),
            (None, _) => "it does not state the surface that its labels belong to".to_owned(),
        };
        let advice = "give the surface of the same hemisphere and mesh with ‘surfaces’";
        Err(Error::usage(labels.display(), problem, advice))
    }
}

/// Reads parcellations from files. Each file contains one parcellation, with two exceptions:
/// - Consecutive files of labels at the vertices of different surfaces form one parcellation, for example
///   `lh.aparc.annot` and `rh.aparc.annot`.
/// - Each map of a file with several maps is one parcellation.
///
/// If the label files of both hemispheres use the same label numbers, the region numbers are those of
/// FreeSurfer's `aparc+aseg`. This is the label number plus 1000 in the left hemisphere, and plus 2000 in the
/// right hemisphere.
///
/// A vertex belongs to the region of its label. A vertex with label 0 belongs to no region. If there is only
/// one parcellation, a table of region names can be given. This table selects and names the regions, and
/// replaces the table in the label file. Labels that are not in the table are ignored with a warning.
///
/// Returns an error if the numbers of labels and vertices differ, if a surface has no labels, or if a label
/// is negative. Also returns an error if a parcellation has only one region.
pub fn read_parcellations(
    paths: &[PathBuf],
    surfaces: &Surfaces,
    names: Option<&Path>,
) -> Result<Vec<NamedParcellation>> {
    let mut found: Vec<NamedParcellation> = Vec::new();
    let mut used = vec![false; surfaces.all.len()];
    let mut waiting: Vec<Piece> = Vec::new();
    let own_tables = names.is_none();
    for path in paths {
        if is_cifti_name(path) {
            found.extend(of_pieces(&std::mem::take(&mut waiting), surfaces, own_tables)?);
            found.extend(of_cifti(path, surfaces, &mut used, own_tables)?);
        } else if is_surface_name(path) {
            let piece = Piece::read(path, surfaces)?;
            used[piece.surface] = true;
            if waiting.iter().any(|other| other.surface == piece.surface) {
                found.extend(of_pieces(&std::mem::take(&mut waiting), surfaces, own_tables)?);
            }
            waiting.push(piece);
        } else {
            found.extend(of_pieces(&std::mem::take(&mut waiting), surfaces, own_tables)?);
            let labels = read_parcellation(path, names)?;
            found.push(named(path, None, labels.into(), None));
        }
    }
    found.extend(of_pieces(&waiting, surfaces, own_tables)?);
    if let Some(unused) = used.iter().position(|used| !used) {
        let path = surfaces.all[unused].0.display();
        return Err(Error::usage(path, "no labels belong to this surface", "leave it out"));
    }
    // Images of regions have already been checked.
    for one in found.iter().filter(|one| !one.parcellation.vertices().is_empty() || one.is_cifti()) {
        let regions = one.parcellation.regions();
        if let [] | [_] = regions[..] {
            let problem = match regions[..] {
                [only] => format!("all labelled voxels or vertices have the region {only}"),
                _ => "no voxel or vertex has a region".to_owned(),
            };
            return Err(Error::invalid(one.path.display(), problem, "give labels of two or more regions"));
        }
    }
    if let Some(names) = names {
        take_names(&mut found, names)?;
    }
    different_names(&mut found);
    Ok(found)
}

/// Reads a table of region names from the file `names`, and applies it to a parcellation. The connectome will
/// have a matrix row for each region of the table.
fn take_names(found: &mut [NamedParcellation], names: &Path) -> Result<()> {
    let [one] = found else {
        let problem = format!("region names apply to one parcellation, but there are {}", found.len());
        return Err(Error::usage(
            names.display(),
            problem,
            "use each of the parcellations in a separate command",
        ));
    };
    let table = arcuate_io::read_label_names(names)?;
    // Images of region numbers were compared with the table of region names when they were read.
    if !one.parcellation.vertices().is_empty() || one.is_cifti() {
        let unnamed = without_name(&one.parcellation.regions(), &table);
        warn_of_unnamed(&one.path, names.display(), &unnamed);
    }
    one.named = Some(table.keys().copied().filter(|&region| region != 0).collect());
    let voxels = one.parcellation.voxels().cloned();
    one.parcellation = Parcellation::new(one.parcellation.vertices().clone(), voxels, table);
    Ok(())
}

/// Makes the names of the parcellations unique.
fn different_names(found: &mut [NamedParcellation]) {
    for n in 1..found.len() {
        let (before, here) = found.split_at_mut(n);
        let expected_name = here[0].name.clone();
        let mut number = 2;
        while before.iter().any(|other| other.name == here[0].name) {
            here[0].name = format!("{expected_name}_{number}");
            number += 1;
        }
    }
}

/// Creates a parcellation with the name of its label file. If the file has several maps of labels, the name
/// of the map is appended.
fn named(
    path: &Path,
    map: Option<&str>,
    parcellation: Parcellation,
    parcels: Option<(Parcels, Option<Grid>)>,
) -> NamedParcellation {
    let mut name = content_name(path);
    for hemisphere in ["lh.", "rh."] {
        if let Some(stem) = name.strip_prefix(hemisphere).filter(|stem| !stem.is_empty()) {
            name = stem.to_owned();
        }
    }
    if let Some(map) = map {
        name = format!("{name}_{map}");
    }
    let plain = |c: char| if c.is_alphanumeric() || "_-.+".contains(c) { c } else { '_' };
    let name = name.chars().map(plain).collect();
    NamedParcellation { name, path: path.to_owned(), parcellation, named: None, parcels }
}

/// Labels at the vertices of one surface.
struct Piece {
    path: PathBuf,
    /// Index of the surface.
    surface: usize,
    structure: Option<Structure>,
    maps: Vec<SurfaceLabels>,
}

impl Piece {
    fn read(path: &Path, surfaces: &Surfaces) -> Result<Self> {
        let SurfaceFile { structure, labels: mut maps, warnings, format, .. } = read_surface_file(path)?;
        for warning in &warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
        if maps.is_empty() {
            let problem = "it holds no labels";
            return Err(Error::invalid(
                path.display(),
                problem,
                "give a label file of a surface (.annot or .label.gii)",
            ));
        }
        let surface = surfaces.of(structure, path)?;
        let of_surface = &surfaces.all[surface].1;
        for map in &mut maps {
            map.require_vertices(of_surface.vertices().len(), path.display())?;
            if format.contains("annotation") {
                // A vertex whose label is not in the label table of the file has no region.
                map.values
                    .iter_mut()
                    .filter(|value| **value == SurfaceLabels::NONE)
                    .for_each(|value| *value = 0);
            }
            check_numbers(path, &map.values)?;
        }
        Ok(Self { path: path.to_owned(), surface, structure: structure.or(of_surface.structure()), maps })
    }
}

fn check_numbers(path: &Path, values: &[i32]) -> Result<()> {
    match values.iter().position(|value| *value < 0) {
        Some(vertex) => {
            let problem = format!("vertex {vertex} (counted from 0) has the label {}", values[vertex]);
            let advice = "give labels from 0 up, 0 meaning no region";
            Err(Error::invalid(path.display(), problem, advice))
        }
        None => Ok(()),
    }
}

/// Returns the names of all positive labels in a label table, by label.
fn names_of(table: &BTreeMap<i32, NamedLabel>) -> BTreeMap<u32, String> {
    let positive = table.iter().filter_map(|(number, label)| Some((u32::try_from(*number).ok()?, label)));
    positive.filter(|(number, _)| *number != 0).map(|(number, label)| (number, label.name.clone())).collect()
}

/// Creates parcellations from label files of several surfaces, such as those of the two hemispheres. The
/// first label maps of all files form the first parcellation, the second maps form the second, and so on.
fn of_pieces(pieces: &[Piece], surfaces: &Surfaces, own_tables: bool) -> Result<Vec<NamedParcellation>> {
    let Some(first) = pieces.first() else { return Ok(Vec::new()) };
    if let Some(other) = pieces.iter().find(|piece| piece.maps.len() != first.maps.len()) {
        let problem = format!(
            "this file has {} parcellations, but {} has {}",
            other.maps.len(),
            first.path.display(),
            first.maps.len()
        );
        return Err(Error::invalid(
            other.path.display(),
            problem,
            "give the same parcellations of both \
            hemispheres",
        ));
    }
    let mut found = Vec::new();
    for map in 0..first.maps.len() {
        let regions: Vec<Vec<u32>> = pieces
            .iter()
            .map(|piece| {
                let labels = &piece.maps[map];
                let mut named = NamedLabels::new(&labels.table, own_tables);
                let regions = labels.values.iter().map(|&value| named.region(value)).collect();
                named.warn(&piece.path, (piece.maps.len() > 1).then_some(labels.name.as_str()));
                regions
            })
            .collect();
        let first_of = shifts(pieces, &regions)?;
        let (mut vertices, mut names) = (LabelledVertices::default(), BTreeMap::new());
        for ((piece, mut regions), (shift, word)) in pieces.iter().zip(regions).zip(first_of) {
            regions.iter_mut().filter(|region| **region != 0).for_each(|region| *region += shift);
            vertices
                .add(&surfaces.all[piece.surface].1, &regions)
                .map_err(|e| e.about(piece.path.display()))?;
            let table = names_of(&piece.maps[map].table);
            names.extend(table.into_iter().map(|(number, name)| (number + shift, format!("{word}{name}"))));
        }
        let map_name = (first.maps.len() > 1).then(|| match first.maps[map].name.as_str() {
            "" => (map + 1).to_string(),
            name => name.to_owned(),
        });
        let parcellation = Parcellation::new(vertices, None, names);
        found.push(named(&first.path, map_name.as_deref(), parcellation, None));
    }
    Ok(found)
}

/// Returns, for each surface label file, a number to add to its labels and a prefix for its region names. If
/// two files have a label number in common, these are 1000 and `ctx-lh-` for the left hemisphere, and 2000
/// and `ctx-rh-` for the right one. If not, the number is 0 and the prefix is empty.
fn shifts(pieces: &[Piece], regions: &[Vec<u32>]) -> Result<Vec<(u32, &'static str)>> {
    let present = |regions: &Vec<u32>| -> std::collections::BTreeSet<u32> {
        regions.iter().copied().filter(|&region| region != 0).collect()
    };
    let mut all = std::collections::BTreeSet::new();
    let meet = regions.iter().map(present).any(|here| {
        let meet = !all.is_disjoint(&here);
        all.extend(here);
        meet
    });
    if !meet {
        return Ok(vec![(0, ""); pieces.len()]);
    }
    pieces
        .iter()
        .map(|piece| {
            let shift = match piece.structure {
                Some(Structure::CORTEX_LEFT) => Some((1000, "ctx-lh-")),
                Some(Structure::CORTEX_RIGHT) => Some((2000, "ctx-rh-")),
                _ => None,
            };
            shift.filter(|_| all.last().is_none_or(|&largest| largest < 1000)).ok_or_else(|| {
                let problem = "its labels have the numbers of those of another structure";
                let advice = "give labels with numbers of their own, or each in a call of its own";
                Error::invalid(piece.path.display(), problem, advice)
            })
        })
        .collect()
}

/// Creates the parcellations of a CIFTI-2 label file.
fn of_cifti(
    path: &Path,
    surfaces: &Surfaces,
    used: &mut [bool],
    own_tables: bool,
) -> Result<Vec<NamedParcellation>> {
    let file = CiftiFile::open(path)?;
    let (CiftiAxis::BrainModels(models), CiftiAxis::Labels(maps)) = (file.rows(), file.columns()) else {
        let problem = "it is not a parcellation of vertices and voxels";
        return Err(Error::invalid(path.display(), problem, "give a .dlabel.nii"));
    };
    let mut place_of = BTreeMap::new();
    for model in models.models() {
        if let BrainElements::Vertices { .. } = model.elements {
            let place = surfaces.of(Some(model.structure), path)?;
            let (of, surface) = &surfaces.all[place];
            models.require_surface(model.structure, surface.vertices().len(), of.display())?;
            used[place] = true;
            place_of.insert(model.structure, place);
        }
    }
    // Labels of each map of the file. A map has one label for each vertex and voxel, in the order of the
    // matrix rows of the file.
    let mut values: Vec<Vec<u32>> = vec![Vec::new(); maps.len()];
    let mut named_labels: Vec<NamedLabels<'_>> =
        maps.iter().map(|map| NamedLabels::new(&map.table, own_tables)).collect();
    let mut row = vec![0.0; maps.len()];
    for n in 0..models.len() {
        file.read_row(n, &mut row)?;
        for ((values, labels), value) in values.iter_mut().zip(&mut named_labels).zip(&row) {
            let whole = value.fract() == 0.0 && (0.0..=f64::from(i32::MAX)).contains(value);
            if !whole {
                let advice = "give whole numbers from 0 up, 0 meaning no region";
                return Err(Error::invalid(
                    path.display(),
                    format!("row {n} of the CIFTI-2 file has the label {value}"),
                    advice,
                ));
            }
            values.push(labels.region(saturating::<i32>(*value)));
        }
    }
    for (labels, map) in named_labels.iter().zip(maps) {
        labels.warn(path, (maps.len() > 1).then_some(map.name.as_str()));
    }
    let mut found = Vec::new();
    for (map, values) in maps.iter().zip(values) {
        let names = names_of(&map.table);
        let mut vertices = LabelledVertices::default();
        let mut parcels = Parcels::new();
        for (model, offset) in models.models().iter().zip(models.offsets()) {
            let of_model = &values[offset..offset + model.elements.len()];
            if let BrainElements::Vertices { surface, numbers } = &model.elements {
                let mut regions = vec![0; *surface];
                numbers.iter().zip(of_model).for_each(|(&vertex, &region)| regions[vertex as usize] = region);
                let surface = &surfaces.all[place_of[&model.structure]].1;
                vertices.add(surface, &regions).map_err(|e| e.about(path.display()))?;
            }
            add_parcels(&mut parcels, model, of_model, &names);
        }
        let voxels = voxels_of(path, models, &values)?;
        let several = maps.len() > 1;
        let parcellation = Parcellation::new(vertices, voxels, names);
        let shown = printable(&map.name, 60);
        let parcels = Some((parcels, models.volume().copied()));
        found.push(named(path, several.then_some(shown.as_str()), parcellation, parcels));
    }
    Ok(found)
}

fn add_parcels(parcels: &mut Parcels, model: &BrainModel, values: &[u32], names: &BTreeMap<u32, String>) {
    let mut of_region: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (n, &region) in values.iter().enumerate().filter(|(_, region)| **region != 0) {
        of_region.entry(region).or_default().push(n);
    }
    for (region, places) in of_region {
        let name = names.get(&region).cloned().unwrap_or_else(|| region.to_string());
        let new = || CiftiParcel { name, parts: Vec::new(), voxels: Vec::new() };
        let parcel = parcels.entry(region).or_insert_with(new);
        match &model.elements {
            BrainElements::Vertices { surface, numbers } => parcel.parts.push(BrainModel {
                structure: model.structure,
                elements: BrainElements::Vertices {
                    surface: *surface,
                    numbers: places.iter().map(|&n| numbers[n]).collect(),
                },
            }),
            BrainElements::Voxels(voxels) => parcel.voxels.extend(places.iter().map(|&n| voxels[n])),
        }
    }
}

/// Returns the labelled voxels of a CIFTI-2 file as an image. The image is the smallest box of the voxel grid
/// of the file that contains all labelled voxels.
fn voxels_of(path: &Path, models: &BrainModels, values: &[u32]) -> Result<Option<Labels>> {
    let Some(grid) = models.volume() else { return Ok(None) };
    let mut listed: Vec<([usize; 3], u32)> = Vec::new();
    for (model, offset) in models.models().iter().zip(models.offsets()) {
        if let BrainElements::Voxels(voxels) = &model.elements {
            let of = voxels.iter().zip(&values[offset..]).filter(|(_, region)| **region != 0);
            listed.extend(of.map(|(voxel, region)| (voxel.map(|n| n as usize), *region)));
        }
    }
    let Some(&(first, _)) = listed.first() else { return Ok(None) };
    let (mut low, mut high) = (first, first);
    for (voxel, _) in &listed {
        for axis in 0..3 {
            low[axis] = low[axis].min(voxel[axis]);
            high[axis] = high[axis].max(voxel[axis]);
        }
    }
    // If two labelled voxels are far apart, this box can be of any size, so its memory is checked.
    let shape: [usize; 3] = std::array::from_fn(|axis| high[axis] - low[axis] + 1);
    let count = shape.iter().try_fold(1usize, |count, &n| count.checked_mul(n));
    let Some(count) = count.filter(|&count| can_allocate((count as u64).saturating_mul(4))) else {
        let problem = format!(
            "the voxels of the CIFTI-2 file need an image of {} × {} × {} voxels, more than the memory can \
             hold",
            shape[0], shape[1], shape[2]
        );
        return Err(Error::invalid(path.display(), problem, "check that this is the right file"));
    };
    let shift = Affine::scaling([1.0; 3], low.map(|n| n as f64));
    let part = Grid::new(shape, grid.affine().after(&shift)).map_err(|e| e.about(path.display()))?;
    let mut regions = vec![0; count];
    for (voxel, region) in listed {
        regions[part.index(std::array::from_fn(|axis| voxel[axis] - low[axis]))] = region;
    }
    Labels::new(part, regions, BTreeMap::new()).map(Some)
}
