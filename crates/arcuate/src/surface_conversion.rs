//! The parts of `arcuate convert` for surfaces, for values at their vertices, for surface parcellations, and
//! for CIFTI-2 files.

use arcuate_core::{BrainElements, Error, Grid, MeshSpace, Result, Structure};
use arcuate_io::{
    CiftiAxis, CiftiFile, SurfaceFile, SurfaceReading, convert_cifti, is_cifti_name, is_surface_name,
    read_surface_file, surface_needs_reference, write_surface_file,
};
use clap::ValueEnum;
use std::path::Path;

/// [`MeshSpace`] as a word of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeshSpaceArg {
    /// Millimetres in scanner space, as Caret and Workbench write them
    Caret,
    /// FreeSurfer's surface coordinates (tkRAS) of the reference image
    Tkras,
    /// FreeSurfer's coordinates as FSL reads them, if the reference image is a conformed image of FreeSurfer
    Freesurfer,
    /// FSL's millimetre coordinates, as FIRST writes them
    First,
    /// Voxel coordinates of the reference image, with x counted from the right side
    Vox,
}

impl MeshSpaceArg {
    pub(crate) fn space(self) -> MeshSpace {
        match self {
            Self::Caret => MeshSpace::Caret,
            Self::Tkras => MeshSpace::Tkras,
            Self::Freesurfer => MeshSpace::FreeSurfer,
            Self::First => MeshSpace::First,
            Self::Vox => MeshSpace::Voxels,
        }
    }
}

/// A conversion between surface or CIFTI files. The two file names determine which conversion it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SurfaceConversion {
    Surface,
    Cifti,
    /// Extracts the data at the vertices of one surface from a CIFTI file.
    CiftiToSurface,
}

impl SurfaceConversion {
    pub(crate) fn of(input: &Path, output: &Path) -> Option<Self> {
        match (is_cifti_name(input), is_surface_name(input)) {
            (true, _) if is_cifti_name(output) => Some(Self::Cifti),
            (true, _) if is_surface_name(output) => Some(Self::CiftiToSurface),
            (false, true) if is_surface_name(output) => Some(Self::Surface),
            _ => None,
        }
    }
}

/// Options of a surface conversion.
pub(crate) struct SurfaceOptions<'a> {
    pub(crate) reference: Option<&'a Grid>,
    pub(crate) mesh_space: Option<MeshSpaceArg>,
    pub(crate) structure: Option<&'a str>,
}

/// Converts a file.
pub(crate) fn convert(
    conversion: SurfaceConversion,
    input: &Path,
    output: &Path,
    options: &SurfaceOptions,
) -> Result<()> {
    let structure = options.structure.map(structure).transpose()?;
    match conversion {
        SurfaceConversion::Cifti => convert_cifti(input, output),
        SurfaceConversion::CiftiToSurface => of_cifti(input, output, structure),
        SurfaceConversion::Surface => {
            let mut file = read_surface_file(input)?;
            for warning in &file.warnings {
                tracing::warn!("{}: {warning}", input.display());
            }
            refuse_idle(output, &file, options)?;
            file.structure = structure.or(file.structure);
            let mesh_space = options.mesh_space.map(MeshSpaceArg::space);
            write_surface_file(
                output,
                input,
                &file,
                SurfaceReading { reference: options.reference, mesh_space },
            )
        }
    }
}

/// Returns an error if the user gave an option that has no effect in this conversion.
fn refuse_idle(output: &Path, file: &SurfaceFile, options: &SurfaceOptions) -> Result<()> {
    let idle = |option: &str, problem: &str| Err(Error::usage(option, problem, "leave it out"));
    if options.mesh_space.is_some() && file.mesh.is_none() {
        return idle("--mesh-space", "the file has no mesh");
    }
    let is_of_use = match options.mesh_space {
        Some(space) => space != MeshSpaceArg::Caret || surface_needs_reference(output, file),
        None => surface_needs_reference(output, file),
    };
    if options.reference.is_some() && !is_of_use {
        return idle("--reference", "the surface file already states its coordinate space");
    }
    Ok(())
}

fn structure(name: &str) -> Result<Structure> {
    Structure::of_name(name).ok_or_else(|| {
        let problem = format!("`{name}` is not a brain structure of CIFTI-2");
        Error::usage(
            "--structure",
            problem,
            "give a structure such as CORTEX_LEFT or CortexRight (`arcuate info` lists those of a file)",
        )
    })
}

fn of_cifti(input: &Path, output: &Path, requested: Option<Structure>) -> Result<()> {
    let cifti = CiftiFile::open(input)?;
    let structure = match (requested, cifti.rows()) {
        (Some(structure), _) => structure,
        (None, CiftiAxis::BrainModels(models)) => {
            let mut surfaces = models
                .models()
                .iter()
                .filter(|model| matches!(model.elements, BrainElements::Vertices { .. }));
            match (surfaces.next(), surfaces.next()) {
                (Some(only), None) => only.structure,
                (None, _) => {
                    let problem = "the CIFTI-2 file has no vertices of any surface";
                    return Err(Error::invalid(input.display(), problem, "give a file that has"));
                }
                _ => {
                    let problem = "it has vertices of several surfaces";
                    return Err(Error::usage(input.display(), problem, "choose one with --structure"));
                }
            }
        }
        (None, _) => {
            let problem = "its rows are not vertices";
            return Err(Error::invalid(
                input.display(),
                problem,
                "give a CIFTI-2 file with maps (.dscalar.nii) or labels (.dlabel.nii) of a surface",
            ));
        }
    };
    let (maps, labels) = cifti.on_surface(structure)?;
    let file = SurfaceFile {
        format: "CIFTI-2",
        structure: Some(structure),
        kind: None,
        mesh: None,
        maps,
        labels,
        warnings: Vec::new(),
    };
    write_surface_file(output, input, &file, SurfaceReading::default())
}
