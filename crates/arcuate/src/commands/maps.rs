use crate::context::Context;
use crate::map_format::MapOptions;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::Record;
use crate::references;
use crate::space::mask_on;
use crate::tensor_order::{TensorOrderArg, check_tensors, read_tensor};
use arcuate_core::{Result, Volume};
use arcuate_model::{tensor_maps, tensor_shape};
use arcuate_pipeline::caller::Caller;
use arcuate_pipeline::output_images::write_images;
use arcuate_pipeline::stages::tensor::{maps, warn_of_diffusivity};
use clap::Args;
use std::path::PathBuf;

const REFERENCES: &[&str] = &[
    "Basser PJ, Pierpaoli C (1996) Microstructural and physiological features of tissues elucidated by \
     quantitative-diffusion-tensor MRI. doi:10.1006/jmrb.1996.0086",
    "Westin CF et al. (1997) Geometrical diffusion measures for MRI from tensor basis analysis. Proc. ISMRM 5:1742",
    "Ennis DB, Kindlmann G (2006) Orthogonal tensor invariants and the analysis of diffusion tensor magnetic \
     resonance images. doi:10.1002/mrm.20741",
    "Pajevic S, Pierpaoli C (1999) Color schemes to represent the orientation of anisotropic tissues from diffusion \
     tensor data. doi:10.1002/(SICI)1522-2594(199909)42:3<526::AID-MRM15>3.0.CO;2-J",
];

/// Write the maps of diffusion tensors
///
/// Writes fa, md, ad, rd (mm²/s), eigenvalues, eigenvectors (three unit vectors, scanner axes), principal_direction (the
/// first of them), colour_fa (red left–right, green front–back, blue up–down), linearity, planarity, sphericity (Westin's
/// measures, which sum to 1) and mode (−1 for a disc to 1 for a stick).
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct Maps {
    /// Tensor image of six volumes, mm²/s
    tensor: PathBuf,
    /// Where the result goes; a folder for the maps
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Mask of the voxels that count; maps are 0 outside
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Order and axes of the tensor image's six volumes; by default the header's, or arcuate
    #[arg(long, value_enum)]
    tensor_order: Option<TensorOrderArg>,
    #[command(flatten)]
    written: MapOptions,
}

impl Maps {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let mut output_files = maps::output_files();
        output_files.extend([
            OutputFile::file("linearity.nii.gz", "Linearity (λ₁ − λ₂) / λ₁"),
            OutputFile::file("planarity.nii.gz", "Planarity (λ₂ − λ₃) / λ₁"),
            OutputFile::file("sphericity.nii.gz", "Sphericity λ₃ / λ₁"),
            OutputFile::file("mode.nii.gz", "Mode, −1 for a disc to 1 for a stick"),
        ]);
        let output_files = self.written.format().of(output_files);
        let inputs: Vec<PathBuf> = std::iter::once(&self.tensor).chain(&self.mask).cloned().collect();
        let folder = OutputFolder::create(&self.out, &output_files, &inputs, context)?
            .with_maps_as(self.written.format());
        let tensor = context.step("read the tensors", |_| self.tensors())?;
        let (maps, shape) = context.step("maps", |_| Ok((tensor_maps(&tensor)?, tensor_shape(&tensor)?)))?;
        maps.counts.warn("tensor maps", &context.control());
        context.write("write the maps", || {
            let of_shape = [
                ("linearity", &shape.linearity),
                ("planarity", &shape.planarity),
                ("sphericity", &shape.sphericity),
                ("mode", &shape.mode),
            ];
            write_images(&folder, &of_shape, context)?;
            maps::write(&folder, &maps, context)
        })?;
        warn_of_diffusivity(&maps);
        let tensors = maps.counts.computed();
        let mut record = Record::new("Maps of diffusion tensors", output_files, context);
        record.add_inputs(&inputs, context)?;
        record.voxel_counts("", &maps.counts);
        record.figure("voxels computed", tensors).key();
        record.done("From a diffusion tensor in each voxel maps of the size, shape and direction of diffusion were made.");
        record.cite(REFERENCES);
        record.write(folder.path(), context)?;
        context.say(format_args!("maps of {tensors} voxels in {}", folder.path().display()));
        Ok(())
    }

    /// The tensors within the mask.
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
