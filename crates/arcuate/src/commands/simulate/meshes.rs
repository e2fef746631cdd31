//! The cortical surfaces of a simulated brain, and a CIFTI-2 file of its grey matter.

use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::Record;
use arcuate_core::{
    BrainElements, BrainModel, BrainModels, Labels, Result, Structure, Surface, SurfaceLabels, SurfaceMap,
    Volume, narrow,
};
use arcuate_io::{
    CiftiAxis, CiftiWriter, StoredCoordinates, StoredMesh, SurfaceFile, SurfaceKind, SurfaceReading,
    write_image, write_label_names, write_surface_file,
};
use arcuate_phantom::{Hemisphere, Nucleus, Phantom, PhantomOptions, hemispheres, nuclei, nuclei_in_voxels};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::row_labels::label_table;
use std::path::Path;

/// Folder of the surfaces in the folder of the brain.
const FOLDER: &str = "surfaces";
const SIDES: [&str; 2] = ["left", "right"];
/// File names of the nuclei, in the order of [`nuclei`].
const NUCLEI: [&str; 4] = ["thalamus_left", "putamen_left", "thalamus_right", "putamen_right"];

fn name(of: &str, ending: &str) -> String {
    format!("{FOLDER}/{of}.{ending}")
}

/// Returns the files of the surfaces.
pub(super) fn output_files() -> Vec<OutputFile> {
    let of_sides = [
        (
            "white.surf.gii",
            "White-matter surface",
            "Outer boundary of white matter; closed, cut 0.2 mm from the midline plane",
        ),
        ("pial.surf.gii", "Pial surface", "Boundary between cortex and CSF, with the same triangles"),
        (
            "regions.label.gii",
            "Regions at the vertices",
            "Region of each vertex, with the numbers and names of labels.txt",
        ),
        (
            "cortex.shape.gii",
            "1 at the vertices of the cortex, 0 on the medial wall",
            "1 at vertices of the cortex, 0 on the medial wall",
        ),
    ];
    let file = |name: String, title: String| OutputFile::file(name, title);
    let mut files: Vec<OutputFile> = SIDES
        .iter()
        .flat_map(|side| {
            of_sides.map(|(ending, title, content)| {
                file(name(side, ending), format!("{title}, {side}")).with_content(content)
            })
        })
        .collect();
    files.extend(NUCLEI.iter().map(|nucleus| {
        file(name(nucleus, "surf.gii"), format!("Surface of the nucleus {}", nucleus.replace('_', ", ")))
            .with_content("Surface of the nucleus")
    }));
    files.push(file(name("subcortical", "nii.gz"), "Numbers of the nuclei, those of FreeSurfer".to_owned()).with_content(
        "Voxels of the nuclei with FreeSurfer's numbers: 10 and 49 for the thalami, 12 and 51 for the putamina",
    ));
    files.push(file(name("subcortical", "txt"), "Names of the nuclei".to_owned()));
    files.push(file(
        name("grayordinates", "dscalar.nii"),
        "Regions at the vertices of the cortex and in the voxels of the nuclei".to_owned(),
    )
    .with_content(
        "CIFTI-2: cortex without medial walls, left and right, then the voxels of the nuclei. The values are regions, 0 \
         in nuclei",
    ));
    files
}

/// The meshes of a brain.
pub(super) struct Meshes {
    hemispheres: [Hemisphere; 2],
    nuclei: Vec<Nucleus>,
    /// Labels of the nuclei on the voxels of the brain's image.
    voxels: Labels,
}

impl Meshes {
    /// Creates the meshes of a phantom.
    pub(super) fn of(phantom: &Phantom) -> Result<Self> {
        let voxels = nuclei_in_voxels(phantom.dwi.grid(), PhantomOptions::default().samples_per_edge)?;
        Ok(Self { hemispheres: hemispheres()?, nuclei: nuclei()?, voxels })
    }

    /// Writes the files of [`output_files`].
    pub(super) fn write(&self, folder: &OutputFolder, phantom: &Phantom, job: &Job) -> Result<()> {
        folder.create_below(Path::new(FOLDER))?;
        let table = label_table(phantom.labels.names());
        for (hemisphere, side) in self.hemispheres.iter().zip(SIDES) {
            let structure = hemisphere.white.structure();
            let at = |ending: &str| folder.file(&name(side, ending));
            write_mesh(&at("white.surf.gii"), &hemisphere.white, SurfaceKind::White)?;
            write_mesh(&at("pial.surf.gii"), &hemisphere.pial, SurfaceKind::Pial)?;
            let regions = SurfaceLabels {
                name: "regions".to_owned(),
                values: hemisphere.regions.iter().map(|&region| narrow::<i32>(region)).collect(),
                table: table.clone(),
            };
            write(&at("regions.label.gii"), &SurfaceFile { labels: vec![regions], ..nothing_of(structure) })?;
            let cortex = SurfaceMap {
                name: "cortex".to_owned(),
                values: hemisphere.is_cortex.iter().map(|&is| f32::from(u8::from(is))).collect(),
            };
            write(&at("cortex.shape.gii"), &SurfaceFile { maps: vec![cortex], ..nothing_of(structure) })?;
        }
        for (nucleus, of) in self.nuclei.iter().zip(NUCLEI) {
            write_mesh(&folder.file(&name(of, "surf.gii")), &nucleus.surface, SurfaceKind::Anatomical)?;
        }
        let volume = Volume::new(*self.voxels.grid(), 1, self.voxels.values().to_vec())?;
        write_image(&folder.file(&name("subcortical", "nii.gz")), &volume, &job.image_options())?;
        write_label_names(&folder.file(&name("subcortical", "txt")), self.voxels.names())?;
        self.write_grayordinates(&folder.file(&name("grayordinates", "dscalar.nii")))
    }

    /// Writes the region of each grayordinate: the vertices of the left and right cortex without the medial
    /// wall, then the voxels of each nucleus. The region of a nucleus is 0, because no bundle ends there.
    fn write_grayordinates(&self, path: &Path) -> Result<()> {
        let mut models = Vec::new();
        let mut values = Vec::new();
        for hemisphere in &self.hemispheres {
            let numbers: Vec<u32> =
                (0..).zip(&hemisphere.is_cortex).filter(|(_, is)| **is).map(|(n, _)| n).collect();
            values.extend(numbers.iter().map(|&vertex| hemisphere.regions[vertex as usize] as f32));
            let elements = BrainElements::Vertices { surface: hemisphere.is_cortex.len(), numbers };
            models.extend(hemisphere.white.structure().map(|structure| BrainModel { structure, elements }));
        }
        let grid = self.voxels.grid();
        for nucleus in &self.nuclei {
            let labels = self.voxels.values().iter().enumerate();
            let voxels: Vec<[u32; 3]> = labels
                .filter(|(_, label)| **label == nucleus.label)
                .map(|(voxel, _)| grid.coordinates(voxel).map(narrow::<u32>))
                .collect();
            // If voxels are large, no voxel may be filled by the nucleus to at least one half. The nucleus
            // then has no voxels.
            if !voxels.is_empty() {
                values.extend(std::iter::repeat_n(0.0, voxels.len()));
                let elements = BrainElements::Voxels(voxels);
                models.push(BrainModel { structure: nucleus.structure, elements });
            }
        }
        let rows = CiftiAxis::BrainModels(BrainModels::new(models, Some(*grid))?);
        let mut writer = CiftiWriter::create(path, &rows, &CiftiAxis::Scalars(vec!["region".to_owned()]))?;
        values.iter().try_for_each(|&value| writer.write_row(&[value]))?;
        writer.finish()
    }

    /// Records the sizes of the meshes.
    pub(super) fn note(&self, record: &mut Record) {
        for (hemisphere, side) in self.hemispheres.iter().zip(SIDES) {
            let cortex = hemisphere.is_cortex.iter().filter(|is| **is).count();
            record.figure(&format!("vertices, {side}"), hemisphere.is_cortex.len());
            record.figure(&format!("vertices of the cortex, {side}"), cortex);
            record.figure(&format!("triangles, {side}"), hemisphere.white.triangles().len());
        }
        let voxels = self.voxels.values().iter().filter(|label| **label != 0).count();
        record.figure("voxels of nuclei", voxels);
    }
}

fn write_mesh(path: &Path, surface: &Surface, kind: SurfaceKind) -> Result<()> {
    let mesh = StoredMesh {
        vertices: surface.vertices().to_vec(),
        triangles: surface.triangles().to_vec(),
        coordinates: StoredCoordinates::Scanner,
        volume: None,
    };
    let nothing = nothing_of(surface.structure());
    write(path, &SurfaceFile { kind: Some(kind), mesh: Some(mesh), ..nothing })
}

/// Returns an empty surface file of a structure.
fn nothing_of(structure: Option<Structure>) -> SurfaceFile {
    SurfaceFile {
        format: "GIFTI",
        structure,
        kind: None,
        mesh: None,
        maps: Vec::new(),
        labels: Vec::new(),
        warnings: Vec::new(),
    }
}

fn write(path: &Path, file: &SurfaceFile) -> Result<()> {
    write_surface_file(path, path, file, SurfaceReading::default())
}
