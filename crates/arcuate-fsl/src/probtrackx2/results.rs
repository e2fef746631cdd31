//! Writes the results in FSL's files.

use super::elements::{Elements, Tables, Voxels};
use super::lines::{AllDirections, Density};
use super::options::{LengthMeasures, Mode, Request};
use super::outputs::{ALTERNATIVE_SURFACE, Names, SEED_SURFACE};
use super::rois::{self, Reference, Roi, RoiFile, RoiShape, coordinates_of_voxels};
use super::seeds::{SeedList, SeedPoint};
use super::tables::{DotFile, Table};
use super::target_paths::TargetPaths;
use super::text;
use crate::environment::ImageFormat;
use arcuate_core::{Grid, MeshSpace, Result, SurfaceMap, Volume, narrow};
use arcuate_io::{
    LARGEST_TEXT, SurfaceFile, SurfaceReading, WriteOptions, read_small_file, write_file, write_image,
    write_surface_file,
};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::output::OutputFolder;
use arcuate_pipeline::shell::shell_line;
use arcuate_track::SampleTracks;

/// Text file with the command line of each run that wrote to the folder.
const LOG: &str = "probtrackx.log";

/// Folder of results.
pub(super) struct Results<'a> {
    request: &'a Request,
    reference: &'a Reference,
    pub(super) folder: OutputFolder,
    names: Names<'a>,
    options: WriteOptions,
}

impl<'a> Results<'a> {
    pub(super) fn new(
        request: &'a Request,
        reference: &'a Reference,
        folder: OutputFolder,
        format: ImageFormat,
        job: &Job,
    ) -> Self {
        let options = WriteOptions { nifti_2: format.nifti_2, ..job.image_options() };
        Self { request, reference, folder, names: Names::new(request, format), options }
    }

    fn measures(&self) -> LengthMeasures {
        self.request.requested.measures
    }

    /// Appends the command line of this run to the log file, after those of earlier runs.
    pub(super) fn log(&self, job: &Job) -> Result<()> {
        let path = self.folder.file(LOG);
        // An error is ignored, because the log file does not exist before the first run.
        let mut log = read_small_file(&path, LARGEST_TEXT).unwrap_or_default();
        let line = shell_line(job.words());
        log.extend(format!("{line}\n{}\n\n", "-".repeat(40)).bytes());
        write_file(&path, log)
    }

    pub(super) fn text(&self, name: &str, text: String) -> Result<()> {
        write_file(&self.folder.file(name), text)
    }

    fn image(&self, name: &str, volume: &Volume<f32>) -> Result<()> {
        write_image(&self.folder.file(&self.names.image(name)), volume, &self.options)
    }

    /// Creates a sparse matrix file. Its rows are written later, during tracking.
    pub(super) fn dot(&self, name: &str, shape: [usize; 2], is_symmetric: bool) -> Result<DotFile> {
        let name = format!("{name}.dot");
        let (path, lengths) = (self.folder.file(&name), self.folder.file(&Names::lengths(&name)));
        DotFile::create(&path, &lengths, self.measures(), shape, is_symmetric)
    }

    /// Writes the visit map and the maps of mean path length and of principal direction, as requested. They
    /// are those of a seed point, or of all streamlines if `of` is `None`.
    pub(super) fn write_density(
        &self,
        of: Option<&SeedPoint>,
        tracks: &SampleTracks,
        directions: Option<&AllDirections>,
    ) -> Result<()> {
        let name = self.names.density(of);
        if let Some(map) = &tracks.map {
            let corrected = map.distance_corrected()?.filter(|_| self.measures().corrected);
            let volume = corrected.map_or_else(|| map.to_volume(), Ok)?;
            self.image(&name, &volume)?;
            if let Some(means) = map.lengths()?.filter(|_| self.measures().means) {
                self.image(&Names::lengths(&name), &means)?;
            }
        }
        if let Some(directions) = directions {
            let volume = directions.directions.volume(&self.reference.grid)?;
            self.image(&format!("{name}_localdir"), &volume)?;
        }
        Ok(())
    }

    pub(super) fn write_target_paths(&self, targets: &[Roi], paths: &TargetPaths<'_>) -> Result<()> {
        let grid = &self.reference.grid;
        let step_mm = self.request.options.step_mm;
        for (target, Density { counts, steps, directions }) in targets.iter().zip(&paths.of_targets) {
            let name = target.name();
            let values = if self.measures().corrected {
                steps.iter().map(|&steps| (steps as f64 * step_mm) as f32).collect()
            } else {
                counts.iter().map(|&count| count as f32).collect()
            };
            self.image(&format!("target_paths_{name}"), &Volume::new(*grid, 1, values)?)?;
            if let Some(directions) = directions {
                self.image(&format!("target_localdir_{name}"), &directions.volume(grid)?)?;
            }
        }
        Ok(())
    }

    /// Writes the tables that were counted in memory, and the files with the coordinates of the matrix rows
    /// and columns.
    pub(super) fn write_tables(&self, seeds: &SeedList, elements: &Elements, tables: &Tables) -> Result<()> {
        if let Some(table) = &tables.network {
            self.table("fdt_network_matrix", table)?;
        }
        if let Some(table) = &tables.alternative {
            self.write_alternative(&elements.alternative, table)?;
        }
        if let (Some(table), Some(targets)) = (&tables.targets, &self.request.requested.targets) {
            if targets.as_text || self.request.mode == Mode::Simple {
                self.table("matrix_seeds_to_all_targets", table)?;
            }
            if targets.as_images {
                self.write_to_targets(seeds, &elements.targets, table)?;
            }
        }
        let requested = &self.request.requested;
        let coordinates = |n: usize, text: String| self.text(&format!("coords_for_fdt_matrix{n}"), text);
        let grid = &self.reference.grid;
        if requested.matrix1.is_some() {
            coordinates(1, seeds.coordinates(self.reference))?;
        }
        if let Some(voxels) = &elements.target2 {
            coordinates(2, seeds.coordinates(self.reference))?;
            self.write_tract_space(2, voxels)?;
        }
        if requested.matrix3.is_some() {
            coordinates(3, rois::coordinates(&elements.rows3, grid))?;
            if !elements.columns3.is_empty() {
                let text = rois::coordinates(&elements.columns3, grid);
                self.text("tract_space_coords_for_fdt_matrix3", text)?;
            }
        }
        if let Some(voxels) = &elements.target4 {
            let columns = match elements.columns4.as_slice() {
                [] => seeds.coordinates(self.reference),
                columns => rois::coordinates(columns, grid),
            };
            coordinates(4, columns)?;
            self.write_tract_space(4, voxels)?;
        }
        Ok(())
    }

    /// Writes a table as a text file. Also writes the table of mean path lengths, if these were requested.
    fn table(&self, name: &str, table: &Table) -> Result<()> {
        let text = |row: &[f64]| text::row(row.iter().copied());
        self.text(name, table.rows().map(text).collect())?;
        match table.mean_rows() {
            Some(rows) => self.text(&Names::lengths(name), rows.map(text).collect()),
            None => Ok(()),
        }
    }

    fn write_tract_space(&self, n: usize, voxels: &Voxels) -> Result<()> {
        let Voxels { stored, numbers, .. } = voxels;
        let text = coordinates_of_voxels(stored, numbers);
        self.text(&format!("tract_space_coords_for_fdt_matrix{n}"), text)?;
        let mut lookup = Volume::filled(*stored, 1, 0i32);
        for (place, &voxel) in numbers.iter().enumerate() {
            lookup.values_mut()[voxel] = narrow::<i32>(place) + 1;
        }
        let name = self.names.image(&format!("lookup_tractspace_fdt_matrix{n}"));
        write_image(&self.folder.file(&name), &lookup, &self.options)
    }

    fn write_to_targets(&self, seeds: &SeedList, targets: &[Roi], table: &Table) -> Result<()> {
        let files: Vec<RoiFile> = seeds.regions().iter().map(Roi::file).collect();
        for (n, (roi, rows)) in seeds.regions().iter().zip(seeds.of_regions()).enumerate() {
            for (column, target) in targets.iter().enumerate() {
                let name = Names::to_target(&files, n, &target.name());
                self.on(roi, &name, SEED_SURFACE, &table.column(column, rows.clone()))?;
                if let Some(means) = table.mean_column(column, rows.clone()) {
                    self.on(roi, &Names::lengths(&name), SEED_SURFACE, &means)?;
                }
            }
        }
        Ok(())
    }

    fn write_alternative(&self, rois: &[Roi], table: &Table) -> Result<()> {
        let files: Vec<RoiFile> = rois.iter().map(Roi::file).collect();
        let values = table.rows().next().unwrap_or_default();
        let means = table.mean_rows().and_then(|mut rows| rows.next());
        let mut begin = 0;
        for (n, roi) in rois.iter().enumerate() {
            let (name, own) = (self.names.alternative(&files, n), begin..begin + roi.len());
            self.on(roi, &name, ALTERNATIVE_SURFACE, &values[own.clone()])?;
            if let Some(means) = means {
                self.on(roi, &Names::lengths(&name), ALTERNATIVE_SURFACE, &means[own])?;
            }
            begin += roi.len();
        }
        Ok(())
    }

    /// Writes one value for each voxel or vertex of a region. The result is an image or a surface, like the
    /// region.
    fn on(&self, roi: &Roi, name: &str, ending: &str, values: &[f64]) -> Result<()> {
        let path = self.folder.file(&self.names.on(&roi.file(), name, ending));
        match &roi.shape {
            RoiShape::Voxels { numbers, .. } => {
                write_image(&path, &spread(&self.reference.grid, numbers, values), &self.options)
            }
            RoiShape::Vertices(vertices) => {
                let mut map = vec![0.0; vertices.stored.vertices.len()];
                for (&vertex, &value) in vertices.numbers.iter().zip(values) {
                    map[vertex as usize] = value as f32;
                }
                let map = SurfaceMap { name: name.to_owned(), values: map };
                let file = SurfaceFile {
                    format: "surface",
                    structure: vertices.surface.structure(),
                    kind: None,
                    mesh: Some(vertices.stored.clone()),
                    maps: vec![map],
                    labels: Vec::new(),
                    warnings: Vec::new(),
                };
                // The vertex coordinates of the surface are written as they were read, whatever their
                // coordinate system.
                let reading = SurfaceReading { reference: None, mesh_space: Some(MeshSpace::Caret) };
                write_surface_file(&path, &roi.path, &file, reading)
            }
        }
    }
}

fn spread(grid: &Grid, voxels: &[usize], values: &[f64]) -> Volume<f32> {
    let mut volume = Volume::filled(*grid, 1, 0.0);
    for (&voxel, &value) in voxels.iter().zip(values) {
        volume.values_mut()[voxel] = value as f32;
    }
    volume
}
