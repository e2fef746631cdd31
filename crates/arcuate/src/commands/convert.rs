use crate::context::Context;
use crate::output::require_file;
use crate::space::image_grid;
use crate::table_format::{TableFormat, fsl_pair};
use arcuate_core::{Error, Grid, Result, printable};
use arcuate_io::{
    DataType, Element, PositionType, TractogramFormat, TractogramOptions, TrxLayout, WriteOptions,
    camino_gradients, convert_tractogram, describe_image, fsl_gradients, is_image_name, lost_in,
    mrtrix_gradients, read_gradients, read_stored, write_image,
};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Convert images, tractograms and gradient tables between formats
///
/// The endings decide: images .nii .nii.gz .mif .mif.gz; tractograms .tck .trk .trx; gradient tables .bvec and .bval
/// (always both, whichever is named), .b (MRtrix), .scheme (Camino), .prtcl. A .mif image takes the table of
/// --gradients along.
#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// File to read
    input: PathBuf,
    /// File to write
    output: PathBuf,
    /// Image whose space a tractogram (.trk, .trx) or a gradient table in image axes refers to
    #[arg(long, value_name = "IMAGE")]
    reference: Option<PathBuf>,
    /// Gradient table to put into a .mif
    #[arg(long, value_name = "FILE")]
    gradients: Option<PathBuf>,
    /// How the positions of a tractogram are stored; f16 in .trx only
    #[arg(long, value_enum, default_value_t = PositionArg::F32)]
    positions: PositionArg,
    /// Write a .trx as a folder instead of an archive
    #[arg(long)]
    folder: bool,
    /// Write NIfTI-2
    #[arg(long)]
    nifti_2: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PositionArg {
    F16,
    F32,
    F64,
}

impl Convert {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        require_file(&self.output, &self.inputs(), context.force)?;
        let (from_image, to_image) = (is_image_name(&self.input), is_image_name(&self.output));
        if from_image && to_image {
            return context.step("convert", |_| self.image());
        }
        if TractogramFormat::of(&self.input).is_ok() && TractogramFormat::of(&self.output).is_ok() {
            return context.step("convert", |_| self.tractogram());
        }
        let from_table = TableFormat::of(&self.input);
        if let Some(format) = TableFormat::of(&self.output)
            && (from_table.is_some() || from_image)
        {
            return self.table(from_table, format, context);
        }
        let known = |path: &Path| {
            is_image_name(path) || TractogramFormat::of(path).is_ok() || TableFormat::of(path).is_some()
        };
        for path in [&self.input, &self.output] {
            if !known(path) {
                return Err(Error::usage(
                    path.display(),
                    "its ending is not that of a file Arcuate knows",
                    "images end in .nii .nii.gz .mif .mif.gz, tractograms in .tck .trk .trx, gradient tables in .bvec .b \
                     .scheme .prtcl",
                ));
            }
        }
        Err(Error::usage(
            self.output.display(),
            format!("{} cannot become a file of this kind", self.input.display()),
            "convert images to images, tractograms to tractograms, gradient tables to gradient tables",
        ))
    }

    /// The files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        let optional = [&self.reference, &self.gradients].into_iter().flatten();
        // Of a FSL table both files are read, whichever is named.
        let pair = fsl_pair(&self.input).into_iter().flatten();
        std::iter::once(&self.input).chain(optional).cloned().chain(pair).collect()
    }

    fn reference(&self) -> Result<Option<Grid>> {
        self.reference.as_deref().map(image_grid).transpose()
    }

    fn tractogram(&self) -> Result<()> {
        let options = TractogramOptions {
            positions: match self.positions {
                PositionArg::F16 => PositionType::F16,
                PositionArg::F32 => PositionType::F32,
                PositionArg::F64 => PositionType::F64,
            },
            layout: if self.folder { TrxLayout::Folder } else { TrxLayout::default() },
        };
        convert_tractogram(&self.input, &self.output, self.reference()?.as_ref(), &options)
    }

    /// Keeps the number type and the scale, and says what else of the header the other format cannot hold.
    fn image(&self) -> Result<()> {
        let image = describe_image(&self.input)?;
        let gradients = match &self.gradients {
            Some(path) => Some(read_gradients(path, &image.affine, Some(image.channels()), None)?),
            None => image.gradients.clone(),
        };
        // A NIfTI has no place for the table: that is said, but no reason not to convert the image.
        let nifti = self.output.to_string_lossy().to_ascii_lowercase().contains(".nii");
        if nifti && gradients.is_some() {
            if self.gradients.is_some() {
                return Err(Error::usage(
                    "--gradients",
                    "NIfTI has no place for a gradient table",
                    "convert the table by itself: arcuate convert IMAGE OUT.bvec",
                ));
            }
            tracing::warn!(
                "{}: the gradient table stays behind; `arcuate convert {} OUT.bvec` writes it",
                self.output.display(),
                self.input.display()
            );
        }
        let gradients = if nifti { None } else { gradients };
        let options = WriteOptions { gradients, nifti_2: self.nifti_2, ..WriteOptions::default() };
        match image.data_type.component() {
            DataType::UInt8 | DataType::Bit => self.image_as::<u8>(&options),
            DataType::Int8 => self.image_as::<i8>(&options),
            DataType::UInt16 => self.image_as::<u16>(&options),
            DataType::Int16 => self.image_as::<i16>(&options),
            DataType::UInt32 => self.image_as::<u32>(&options),
            DataType::Int32 => self.image_as::<i32>(&options),
            DataType::UInt64 => self.image_as::<u64>(&options),
            DataType::Int64 => self.image_as::<i64>(&options),
            DataType::Float64 => self.image_as::<f64>(&options),
            _ => self.image_as::<f32>(&options),
        }
    }

    fn image_as<T: Element>(&self, options: &WriteOptions) -> Result<()> {
        let (volume, notes) = read_stored::<T>(&self.input)?;
        for lost in lost_in(&self.output, &notes)? {
            tracing::warn!("{}: lost: {}", self.output.display(), printable(&lost, 200));
        }
        write_image(&self.output, &volume, &WriteOptions { notes, ..options.clone() })
    }

    /// `from` is nothing where the table comes out of an image.
    fn table(&self, from: Option<TableFormat>, to: TableFormat, context: &Context) -> Result<()> {
        let pair = fsl_pair(&self.output);
        for path in pair.iter().flatten() {
            require_file(path, &self.inputs(), context.force)?;
        }
        let reference = self.reference()?;
        let affine = match &reference {
            Some(grid) => *grid.affine(),
            None if is_image_name(&self.input) => describe_image(&self.input)?.affine,
            None if !to.is_in_image_axes() && !from.is_some_and(TableFormat::is_in_image_axes) => {
                arcuate_core::Affine::identity()
            }
            None => {
                return Err(Error::usage(
                    self.input.display(),
                    "directions along image axes need their image",
                    "give it with --reference",
                ));
            }
        };
        let table = read_gradients(&self.input, &affine, None, None)?;
        if let Some([bvals, bvecs]) = pair {
            return fsl_gradients::write(&bvals, &bvecs, &table, &affine);
        }
        match to {
            TableFormat::Scheme => camino_gradients::write_scheme(&self.output, &table, &affine),
            TableFormat::Protocol => camino_gradients::write_protocol(&self.output, &table, &affine),
            TableFormat::Mrtrix | TableFormat::Fsl => mrtrix_gradients::write(&self.output, &table),
        }
    }
}
