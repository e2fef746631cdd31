use crate::grammar::Grammar;
use crate::map_format::MapOptions;
use crate::meanings;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::Record;
use crate::references;
use crate::space::mask_on;
use crate::tensor_order::{TensorOrderArg, check_tensors, read_tensor};
use arcuate_core::{Result, Volume};
use arcuate_model::{tensor_maps, tensor_shape};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::output_images::write_images;
use arcuate_pipeline::stages::tensor::{maps, warn_of_diffusivity};
use clap::Args;
use std::path::PathBuf;

/// Compute maps of a tensor image
///
/// Writes the maps fa (fractional anisotropy), md, ad and rd (mean, axial and radial diffusivity, mm²/s).
/// Writes eigenvalues (mm²/s), eigenvectors (three unit vectors, scanner axes) and principal_direction (the
/// first eigenvector). Writes colour_fa, in which red is left–right, green front–back and blue up–down.
/// Writes linearity, planarity and sphericity (Westin's measures, which sum to 1), and mode (from −1 for a
/// disc to 1 for a stick).
#[derive(Debug, Args)]
pub(crate) struct Maps {
    /// Tensor image with six volumes, one per tensor element, in mm²/s
    tensor: PathBuf,
    /// Output: folder for the maps
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[arg(
        long,
        help = meanings::MASK,
        long_help = meanings::with(meanings::MASK, "[default: all]"),
        value_name = "FILE"
    )]
    mask: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::TENSOR_ORDER,
        long_help = meanings::with(
            meanings::TENSOR_ORDER,
            "[default: the order that the image header states; if it states none, arcuate]"
        ),
        value_enum
    )]
    tensor_order: Option<TensorOrderArg>,
    #[command(flatten)]
    written: MapOptions,
}

impl Maps {
    pub(crate) fn run(&self, job: &Job, _: &Grammar) -> Result<()> {
        let mut output_files = maps::output_files();
        output_files.extend([
            OutputFile::file("linearity.nii.gz", "Linearity (λ₁ − λ₂) / λ₁"),
            OutputFile::file("planarity.nii.gz", "Planarity (λ₂ − λ₃) / λ₁"),
            OutputFile::file("sphericity.nii.gz", "Sphericity λ₃ / λ₁"),
            OutputFile::file("mode.nii.gz", "Mode, −1 for a disc to 1 for a stick"),
        ]);
        let output_files = self.written.format().of(output_files);
        let inputs: Vec<PathBuf> = std::iter::once(&self.tensor).chain(&self.mask).cloned().collect();
        let folder =
            OutputFolder::create(&self.out, &output_files, &inputs, job)?.with_maps_as(self.written.format());
        let tensor = job.step("read the tensors", || self.tensors())?;
        let (maps, shape) = job.step("maps", || Ok((tensor_maps(&tensor)?, tensor_shape(&tensor)?)))?;
        maps.counts.warn("tensor maps", &job.control());
        job.write("write the maps", || {
            let of_shape = [
                ("linearity", &shape.linearity),
                ("planarity", &shape.planarity),
                ("sphericity", &shape.sphericity),
                ("mode", &shape.mode),
            ];
            write_images(&folder, &of_shape, job)?;
            maps::write(&folder, &maps, job)
        })?;
        warn_of_diffusivity(&maps);
        let tensors = maps.counts.computed();
        let mut record = Record::new("Maps of diffusion tensors", output_files, job);
        record.add_inputs(&inputs, job)?;
        record.voxel_counts("", &maps.counts);
        record.figure("voxels computed", tensors).key();
        record.done("From a diffusion tensor in each voxel maps of the size, shape and direction of diffusion were made.");
        record.cite(references::MAPS);
        record.write(folder.path(), job)?;
        job.show_message(format_args!("maps of {tensors} voxels in {}", folder.path().display()));
        Ok(())
    }

    /// Reads the tensors and sets those outside the mask to 0.
    fn tensors(&self) -> Result<Volume<f32>> {
        let mut tensor = read_tensor(&self.tensor, self.tensor_order.map(Into::into))?;
        if let Some(path) = &self.mask {
            let mask = mask_on(path, tensor.grid(), "the tensor image")?;
            tensor.clear_outside(&mask);
        }
        check_tensors(&self.tensor.display(), &tensor, None, None)?;
        Ok(tensor)
    }
}
