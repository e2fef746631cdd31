//! Regions as the user gives them to FSL's programs: an image, a surface, or a text file that lists several
//! regions.

use super::text;
use crate::environment::stem;
use crate::subject::read_on_grid;
use arcuate_connect::PassedElements;
use arcuate_core::{Affine, Error, Grid, Mask, MeshSpace, Result, Surface, is_file_or_link, narrow};
use arcuate_io::{
    LARGEST_TEXT, StoredMesh, SurfaceFile, SurfaceReading, is_surface_file, is_surface_name,
    read_surface_file, read_text_file,
};
use arcuate_pipeline::find_files::find_image;
use arcuate_track::{Mapping, Region, RegionShape};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// File of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RoiFile {
    pub(super) path: PathBuf,
    pub(super) is_image: bool,
}

/// Returns the image or surface file that a word of the command line names. Returns `None` if there is no
/// such file.
fn region_of(word: &Path) -> Result<Option<RoiFile>> {
    if let Some(path) = find_image(word)? {
        return Ok(Some(RoiFile { path, is_image: true }));
    }
    if is_surface_name(word) && is_file_or_link(word) && !word.is_file() {
        return Err(Error::missing(word));
    }
    let is_surface = word.is_file() && is_surface_file(word);
    Ok(is_surface.then(|| RoiFile { path: word.to_owned(), is_image: false }))
}

/// Returns the region files that an option names. The word `word` is either the name of a region, or that of
/// a text file with names of regions separated by whitespace. The returned boolean is true for a text file.
pub(super) fn listed(option: &str, word: &Path) -> Result<(Vec<RoiFile>, bool)> {
    if let Some(file) = region_of(word)? {
        return Ok((vec![file], false));
    }
    if !word.exists() {
        let advice = format!(
            "as --{option}, give an image (with or without .nii.gz), a surface, or a text file that lists \
             such files"
        );
        return Err(Error::no_file(word, advice));
    }
    let text = read_text_file(word, LARGEST_TEXT)?;
    let mut files = Vec::new();
    for name in text.split_whitespace() {
        let file = region_of(Path::new(name))?.ok_or_else(|| {
            let problem = format!("the text file lists {name}, but there is no such image or surface");
            Error::invalid(
                word.display(),
                problem,
                "list files of regions (with or without .nii.gz) whose names have no spaces",
            )
        })?;
        files.push(file);
    }
    if files.is_empty() {
        return Err(Error::invalid(
            word.display(),
            "the text file names no region",
            "list the files of the regions in this text file",
        ));
    }
    Ok((files, true))
}

/// The reference image. It defines the coordinate space of the seeds and of all regions.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    pub(super) path: PathBuf,
    pub(super) grid: Grid,
    pub(super) mesh_space: MeshSpace,
}

/// True if FSL reverses the x axis when it reads an image on this grid. FSL counts voxels along x from the
/// right.
pub(super) fn is_x_reversed(grid: &Grid) -> bool {
    grid.affine().determinant() > 0.0
}

/// Sorts voxels into FSL's order: x varies fastest and is counted from the right, and z varies slowest.
pub(super) fn in_order(grid: &Grid, mut voxels: Vec<usize>) -> Vec<usize> {
    if is_x_reversed(grid) {
        voxels.sort_by_key(|&voxel| {
            let [x, y, z] = grid.coordinates(voxel);
            (z, y, std::cmp::Reverse(x))
        });
    }
    voxels
}

/// Returns the voxels whose value has an integer part other than 0, in FSL's order.
pub(super) fn whole_voxels(grid: &Grid, values: &[f32]) -> Vec<usize> {
    let voxels = values.iter().enumerate().filter(|(_, value)| value.trunc() != 0.0 && !value.is_nan());
    in_order(grid, voxels.map(|(voxel, _)| voxel).collect())
}

/// A region of interest (ROI).
#[derive(Debug, Clone)]
pub(super) struct Roi {
    pub(super) path: PathBuf,
    pub(super) shape: RoiShape,
}

#[derive(Debug, Clone)]
pub(super) enum RoiShape {
    /// Voxels of the grid of the reference image, in FSL's order.
    Voxels { mask: Arc<Mask>, numbers: Vec<usize> },
    /// Vertices of a surface.
    Vertices(Box<Vertices>),
}

/// Vertices of a surface, in ascending order.
#[derive(Debug, Clone)]
pub(super) struct Vertices {
    /// Surface in scanner mm of the reference.
    pub(super) surface: Arc<Surface>,
    /// Mesh as stored in the file.
    pub(super) stored: StoredMesh,
    pub(super) numbers: Vec<u32>,
}

impl Roi {
    /// Reads a region. If the file is an image, the region is all nonzero voxels. If it is a surface, the
    /// region is the vertices with nonzero values; if no vertex or every vertex has a nonzero value, it is
    /// all vertices.
    pub(super) fn read(file: &RoiFile, reference: &Reference) -> Result<Self> {
        let path = file.path.clone();
        let shape = if file.is_image { voxels(&path, reference)? } else { vertices(&path, reference)? };
        Ok(Self { path, shape })
    }

    /// Returns the file of the region.
    pub(super) fn file(&self) -> RoiFile {
        let is_image = matches!(self.shape, RoiShape::Voxels { .. });
        RoiFile { path: self.path.clone(), is_image }
    }

    /// Returns the name of the region in names of result files. It is the file name of the region without the
    /// ending of an image.
    pub(super) fn name(&self) -> String {
        name_of(&self.path)
    }

    /// Returns the number of voxels or vertices.
    pub(super) fn len(&self) -> usize {
        match &self.shape {
            RoiShape::Voxels { numbers, .. } => numbers.len(),
            RoiShape::Vertices(vertices) => vertices.numbers.len(),
        }
    }

    /// Returns the positions of the voxel centres or of the vertices, in mm of the reference image.
    pub(super) fn places(&self, grid: &Grid) -> Vec<[f64; 3]> {
        match &self.shape {
            RoiShape::Voxels { numbers, .. } => numbers.iter().map(|&voxel| grid.centre(voxel)).collect(),
            RoiShape::Vertices(vertices) => {
                let at = |&number: &u32| vertices.surface.vertices()[number as usize].map(f64::from);
                vertices.numbers.iter().map(at).collect()
            }
        }
    }

    /// Converts this region to a region for tracking constraints. `mapping` maps from the space of the
    /// streamlines to the space of the reference image.
    pub(super) fn region(&self, mapping: Option<&Arc<Mapping>>) -> Result<Region> {
        let name = self.path.display().to_string();
        match &self.shape {
            RoiShape::Voxels { mask, .. } => {
                Ok(Region { name, shape: RegionShape::Voxels(Arc::clone(mask)), mapping: mapping.cloned() })
            }
            RoiShape::Vertices(vertices) => {
                Region::of_vertices(&name, Arc::clone(&vertices.surface), &vertices.numbers, mapping)
            }
        }
    }

    /// Adds the whole region as one element to `met`, the elements for which passing streamlines are counted.
    pub(super) fn add_as_one(&self, met: &mut PassedElements) -> Result<()> {
        let added = match &self.shape {
            RoiShape::Voxels { mask, .. } => met.add_region(mask),
            RoiShape::Vertices(vertices) => {
                let triangles = vertices.surface.triangles_of(&vertices.numbers, true);
                let triangles: Vec<u32> = triangles.into_iter().map(narrow::<u32>).collect();
                met.add_triangles(&vertices.surface, &triangles)
            }
        };
        added.map_err(|error| error.about(self.path.display()))
    }

    /// Adds each voxel or vertex of the region as an element to `met`, the elements for which passing
    /// streamlines are counted.
    fn add_each(&self, met: &mut PassedElements) -> Result<()> {
        let added = match &self.shape {
            RoiShape::Voxels { mask, numbers } => met.add_voxels_in_order(mask.grid(), numbers),
            RoiShape::Vertices(vertices) => met.add_vertices(&vertices.surface, &vertices.numbers),
        };
        added.map_err(|error| error.about(self.path.display()))
    }
}

/// Returns the name of a file without the file name ending of an image.
pub(super) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    stem(&name).to_owned()
}

fn voxels(path: &Path, reference: &Reference) -> Result<RoiShape> {
    let of = reference.path.display().to_string();
    let volume = read_on_grid(path, &reference.grid, 1, "region", &of)?;
    let inside: Vec<bool> = volume.values().iter().map(|&value| value != 0.0 && !value.is_nan()).collect();
    let mask = Mask::new(reference.grid, inside)?;
    let numbers = in_order(&reference.grid, mask.indices());
    Ok(RoiShape::Voxels { mask: Arc::new(mask), numbers })
}

fn vertices(path: &Path, reference: &Reference) -> Result<RoiShape> {
    let file = read_surface_file(path)?;
    let reading = SurfaceReading { reference: Some(&reference.grid), mesh_space: Some(reference.mesh_space) };
    let surface = Arc::new(file.surface(path, reading)?);
    let count = surface.vertices().len();
    let values = values_of(path, &file, count)?;
    let with = values.iter().filter(|has| **has).count();
    let is_whole = with == 0 || with == count;
    let numbers = (0..narrow::<u32>(count)).filter(|&n| is_whole || values[n as usize]).collect();
    let Some(stored) = file.mesh else {
        let problem = "it holds no mesh, only values at vertices";
        return Err(Error::invalid(
            path.display(),
            problem,
            "give a file of the surface that also contains a value for each vertex",
        ));
    };
    Ok(RoiShape::Vertices(Box::new(Vertices { surface, stored, numbers })))
}

/// For each vertex, returns true if its value in the first map of the file is not 0. If the file has no map,
/// its first parcellation is used.
fn values_of(path: &Path, file: &SurfaceFile, count: usize) -> Result<Vec<bool>> {
    if let Some(map) = file.maps.first() {
        map.require_vertices(count, path.display())?;
        return Ok(map.values.iter().map(|value| *value != 0.0).collect());
    }
    let Some(labels) = file.labels.first() else { return Ok(vec![false; count]) };
    labels.require_vertices(count, path.display())?;
    Ok(labels.values.iter().map(|value| *value != 0).collect())
}

/// Returns all voxels and vertices of the regions, each as an element for which passing streamlines are
/// counted. `mapping` maps from the space of the streamlines to the space of the reference image.
pub(super) fn elements(rois: &[Roi], mapping: Option<&Arc<Mapping>>) -> Result<PassedElements> {
    let mut met = PassedElements::new(mapping.cloned());
    rois.iter().try_for_each(|roi| roi.add_each(&mut met))?;
    Ok(met)
}

/// Returns each of the regions as one element for which passing streamlines are counted. `mapping` maps from
/// the space of the streamlines to the space of the reference image.
pub(super) fn regions(rois: &[Roi], mapping: Option<&Arc<Mapping>>) -> Result<PassedElements> {
    let mut met = PassedElements::new(mapping.cloned());
    rois.iter().try_for_each(|roi| roi.add_as_one(&mut met))?;
    Ok(met)
}

/// Returns the total number of voxels and vertices of the regions.
pub(super) fn count(rois: &[Roi]) -> usize {
    rois.iter().map(Roi::len).sum()
}

/// Creates FSL's table of coordinates of matrix rows. Each line has x y z, the index of the region (from 0),
/// and the number of the element. For a voxel, x y z are its indices in the file. Distinct voxels are
/// numbered from 1, in the order in which they first occur. For a vertex, x y z are its coordinates in the
/// file, rounded to mm, and its number is its index (from 0).
pub(super) fn coordinates(rois: &[Roi], grid: &Grid) -> String {
    let mut known: HashMap<usize, usize> = HashMap::new();
    let mut table = String::new();
    for (n, roi) in rois.iter().enumerate() {
        let mut add = |place: [f64; 3], number: usize| {
            let [x, y, z] = place;
            table.push_str(&text::row([x, y, z, n as f64, number as f64]));
        };
        match &roi.shape {
            RoiShape::Voxels { numbers, .. } => {
                for &voxel in numbers {
                    let next = known.len() + 1;
                    let number = *known.entry(voxel).or_insert(next);
                    add(grid.coordinates(voxel).map(|c| c as f64), number);
                }
            }
            RoiShape::Vertices(vertices) => {
                for &vertex in &vertices.numbers {
                    // The conversion to an integer turns −0 into 0, so that the table has no "-0".
                    let place = vertices.stored.vertices[vertex as usize].map(|c| c.round() as i64 as f64);
                    add(place, vertex as usize);
                }
            }
        }
    }
    table
}

/// Creates a table of coordinates of voxels, with x y z only.
pub(super) fn coordinates_of_voxels(grid: &Grid, voxels: &[usize]) -> String {
    voxels.iter().map(|&voxel| text::row(grid.coordinates(voxel).map(|c| c as f64))).collect()
}

/// Returns the mapping from the voxel indices of the image file to FSL's voxel indices, which count x from
/// the right. It is its own inverse.
pub(super) fn from_the_right(grid: &Grid) -> Affine {
    let last = grid.shape()[0] as f64 - 1.0;
    if is_x_reversed(grid) { Affine::scaling([-1.0, 1.0, 1.0], [last, 0.0, 0.0]) } else { Affine::identity() }
}
