//! Maps that probtrackx2 wrote on the seeds, one map per target. They are images, or surfaces with one value
//! per vertex.

use super::environment::{ImageFormat, stem};
use super::subject::require_image;
use arcuate_core::{Error, Grid, MeshSpace, Result, SurfaceMap, Volume};
use arcuate_io::{
    FileKind, GIFTI_ENDINGS, SurfaceFile, SurfaceReading, all_endings, has_ending, is_surface_name,
    read_surface_file, read_volume, without_ending, write_image, write_surface_file,
};
use arcuate_pipeline::space::image_grid;
use std::path::{Path, PathBuf};

/// Maps of values at the same seeds.
pub(super) struct SeedMaps {
    pub(super) paths: Vec<PathBuf>,
    place: SeedGeometry,
}

/// Positions of the seeds.
enum SeedGeometry {
    Voxels(Box<Grid>),
    /// The seeds are vertices of a surface. Contains the first map file.
    Vertices(Box<SurfaceFile>),
}

impl SeedMaps {
    /// Finds the map files with these names. Returns an error if there is none, or if images and surfaces are
    /// mixed.
    pub(super) fn find(names: &[String]) -> Result<Self> {
        let is_surface = |name: &String| is_surface_name(Path::new(name));
        let (surfaces, images): (Vec<&String>, Vec<&String>) =
            names.iter().partition(|name| is_surface(name));
        if let ([surface, ..], [image, ..]) = (surfaces.as_slice(), images.as_slice()) {
            let problem = format!("this file is a surface, but {image} is an image");
            return Err(Error::invalid(surface, problem, "give maps that have the same seeds"));
        }
        if let [first, ..] = surfaces.as_slice() {
            let first = Box::new(read_surface_file(Path::new(first))?);
            return Ok(Self {
                paths: names.iter().map(PathBuf::from).collect(),
                place: SeedGeometry::Vertices(first),
            });
        }
        let paths: Vec<PathBuf> =
            names.iter().map(|name| require_image(Path::new(name))).collect::<Result<_>>()?;
        let grid = image_grid(&paths[0])?;
        Ok(Self { paths, place: SeedGeometry::Voxels(Box::new(grid)) })
    }

    /// Returns the number of seeds, and what they are: "voxels" or "vertices".
    fn count(&self) -> (usize, &'static str) {
        match &self.place {
            SeedGeometry::Voxels(grid) => (grid.len(), "voxels"),
            SeedGeometry::Vertices(file) => (vertices(file), "vertices"),
        }
    }

    /// Returns the values of a map that probtrackx2 wrote, one value per seed.
    pub(super) fn values(&self, path: &Path) -> Result<Vec<f32>> {
        let values = match &self.place {
            SeedGeometry::Voxels(grid) => self.values_of_image(path, grid)?,
            SeedGeometry::Vertices(_) => {
                let mut file = read_surface_file(path)?;
                if file.maps.is_empty() {
                    vec![0.0; vertices(&file)]
                } else {
                    file.maps.swap_remove(0).values
                }
            }
        };
        let (count, what) = self.count();
        if values.len() != count || count == 0 {
            let problem =
                format!("this map has {} values, but {} has {count} {what}", values.len(), self.first());
            return Err(Error::invalid(path.display(), problem, "give maps that have the same seeds"));
        }
        let wrong = values.iter().filter(|value| !value.is_finite()).count();
        if wrong > 0 {
            let problem = format!("{wrong} of the {count} values of the map are not finite numbers");
            return Err(Error::invalid(
                path.display(),
                problem,
                "replace the values that are not finite, or run without this map",
            ));
        }
        Ok(values)
    }

    fn values_of_image(&self, path: &Path, grid: &Grid) -> Result<Vec<f32>> {
        let volume = read_volume(path)?;
        let refuse = |problem: String| {
            Err(Error::invalid(
                path.display(),
                problem,
                "give one 3-D map per target, all for the same seeds",
            ))
        };
        if volume.channels() != 1 {
            return refuse(format!("it has {} volumes, and a map of seeds has one", volume.channels()));
        }
        if !volume.grid().matches(grid) {
            return refuse(format!(
                "the size or place of the map differs from the size or place of {}",
                self.first()
            ));
        }
        Ok(volume.into_values())
    }

    fn first(&self) -> impl std::fmt::Display + '_ {
        self.paths[0].display()
    }

    /// Returns the file ending of the results.
    fn ending(&self, format: ImageFormat) -> &'static str {
        match &self.place {
            SeedGeometry::Voxels(_) => format.ending,
            SeedGeometry::Vertices(_) if is_gifti(&self.paths[0]) => ".gii",
            SeedGeometry::Vertices(_) => ".asc",
        }
    }

    /// Returns the path of a result file. If `name` has no file name ending for this type of result, the
    /// ending is appended.
    pub(super) fn result(&self, name: &str, format: ImageFormat) -> PathBuf {
        match &self.place {
            SeedGeometry::Voxels(_) => format.file(name),
            SeedGeometry::Vertices(_) if is_surface_name(Path::new(name)) => name.into(),
            SeedGeometry::Vertices(_) => format!("{name}{}", self.ending(format)).into(),
        }
    }

    /// Returns the path of a result file that belongs to a map. Its name is the name of the map with a
    /// suffix.
    pub(super) fn companion_path(&self, path: &Path, suffix: &str, format: ImageFormat) -> PathBuf {
        let name = path.to_string_lossy();
        let stem = match &self.place {
            SeedGeometry::Voxels(_) => stem(&name),
            SeedGeometry::Vertices(_) => without_ending(&name, &all_endings(FileKind::Surface)),
        };
        format!("{stem}{suffix}{}", self.ending(format)).into()
    }

    /// Writes floating-point values at the seeds.
    pub(super) fn write(&self, path: &Path, values: Vec<f32>, format: ImageFormat, by: &str) -> Result<()> {
        match &self.place {
            SeedGeometry::Voxels(grid) => {
                write_image(path, &Volume::new(**grid, 1, values)?, &format.options(by))
            }
            SeedGeometry::Vertices(file) => self.write_surface(path, file, values),
        }
    }

    /// Writes whole numbers at the seeds.
    pub(super) fn write_whole(
        &self,
        path: &Path,
        values: Vec<i32>,
        format: ImageFormat,
        by: &str,
    ) -> Result<()> {
        match &self.place {
            SeedGeometry::Voxels(grid) => {
                write_image(path, &Volume::new(**grid, 1, values)?, &format.options(by))
            }
            SeedGeometry::Vertices(file) => {
                self.write_surface(path, file, values.into_iter().map(|value| value as f32).collect())
            }
        }
    }

    fn write_surface(&self, path: &Path, file: &SurfaceFile, values: Vec<f32>) -> Result<()> {
        let maps = vec![SurfaceMap { name: String::new(), values }];
        let file = SurfaceFile { maps, labels: Vec::new(), ..file.clone() };
        // The vertex coordinates of the surface are written as they were read, whatever their coordinate
        // system.
        let reading = SurfaceReading { reference: None, mesh_space: Some(MeshSpace::Caret) };
        write_surface_file(path, &self.paths[0], &file, reading)
    }
}

fn is_gifti(path: &Path) -> bool {
    has_ending(path, &GIFTI_ENDINGS)
}

fn vertices(file: &SurfaceFile) -> usize {
    let of_mesh = file.mesh.as_ref().map(|mesh| mesh.vertices.len());
    of_mesh.unwrap_or_else(|| file.maps.first().map_or(0, |map| map.values.len()))
}
