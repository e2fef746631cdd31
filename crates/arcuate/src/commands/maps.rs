use crate::context::Context;
use crate::output::OutputFolder;
use crate::record::{self, Record};
use crate::references;
use crate::space::mask_on;
use crate::tensor_order::{TensorOrderArg, read_tensor};
use arcuate_core::{Result, Volume};
use arcuate_io::{WriteOptions, read_mask, write_image};
use arcuate_model::{tensor_maps, tensor_shape};
use clap::Args;
use rayon::prelude::*;
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

/// What is written, in the order of the maps in [`Maps::run`].
const FILES: &[&str] = &[
    "fa.nii.gz",
    "md.nii.gz",
    "ad.nii.gz",
    "rd.nii.gz",
    "eigenvalues.nii.gz",
    "eigenvectors.nii.gz",
    "colour_fa.nii.gz",
    "principal_direction.nii.gz",
    "linearity.nii.gz",
    "planarity.nii.gz",
    "sphericity.nii.gz",
    "mode.nii.gz",
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
    /// Folder for the maps
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Maps are 0 outside this mask
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Order and axes of the six volumes
    #[arg(long, value_enum, default_value_t = TensorOrderArg::Arcuate)]
    tensor_order: TensorOrderArg,
}

impl Maps {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let names: Vec<&str> = FILES.iter().copied().chain([record::FILE_NAME]).collect();
        let inputs: Vec<PathBuf> = std::iter::once(&self.tensor).chain(&self.mask).cloned().collect();
        let folder = OutputFolder::create(&self.out, &names, &inputs, context.force)?;
        let tensor = context.step("read the tensors", |_| self.tensors())?;
        let (maps, shape) = context.step("maps", |_| Ok((tensor_maps(&tensor)?, tensor_shape(&tensor)?)))?;
        let principal_direction = maps.eigenvectors.channels_from(0, 3);
        let images = [
            &maps.fa,
            &maps.md,
            &maps.ad,
            &maps.rd,
            &maps.eigenvalues,
            &maps.eigenvectors,
            &maps.colour_fa,
            &principal_direction,
            &shape.linearity,
            &shape.planarity,
            &shape.sphericity,
            &shape.mode,
        ];
        context.step("write the maps", |_| {
            let write = |(name, image)| write_image(&folder.file(name), image, &WriteOptions::default());
            FILES.par_iter().copied().zip(images).map(write).collect::<Result<()>>()
        })?;
        let tensors = maps.eigenvalues.values().chunks_exact(3).filter(|values| *values != [0.0; 3]).count();
        let mut record = Record::new("Maps of diffusion tensors", context);
        record.wrote(&names);
        record.add_inputs(&inputs)?;
        record.option("tensor order", format!("{:?}", self.tensor_order));
        record.figure("voxels with a tensor", tensors);
        record.cite(REFERENCES);
        record.write(folder.path(), context)?;
        context.say(format_args!("maps of {tensors} voxels in {}", folder.path().display()));
        Ok(())
    }

    /// The tensors within the mask.
    fn tensors(&self) -> Result<Volume<f32>> {
        let mut tensor = read_tensor(&self.tensor, self.tensor_order)?;
        if let Some(path) = &self.mask {
            let mask = mask_on(read_mask(path)?, tensor.grid(), path, "the tensor image")?;
            tensor.clear_outside(&mask);
        }
        Ok(tensor)
    }
}
