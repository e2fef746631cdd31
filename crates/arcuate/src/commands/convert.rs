use crate::grammar::Grammar;
use crate::meanings;
use crate::numbers::not_negative;
use crate::output::require_file;
use crate::space::image_grid;
use crate::surface_conversion::{self, MeshSpaceArg, SurfaceConversion, SurfaceOptions};
use crate::table_reading::TableReading;
use arcuate_core::{Error, GradientTable, Grid, Measure, Result, printable};
use arcuate_io::{
    DataType, Element, FileKind, GradientFormat, ImageDescription, NIFTI_ENDINGS, PositionType,
    TractogramFormat, TractogramOptions, TrxLayout, WriteOptions, companion_path, convert_tractogram,
    describe_image, file_kind, fsl_gradients, has_ending, is_cifti_name, is_image_name, lost_in,
    matrix_files, open_file, read_gradients, read_matrix, read_stored, stores_gradients, write_gradients,
    write_image, write_matrix, written_endings,
};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::series::{gradient_files_next_to, missing_gradient_file};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Convert images, tractograms, gradient tables, surfaces and matrices
#[derive(Debug, Args)]
#[command(long_about = description())]
pub(crate) struct Convert {
    /// Input file to convert
    input: PathBuf,
    /// Output file; the ending of its name chooses the format
    output: PathBuf,
    #[arg(
        long,
        help = meanings::REFERENCE,
        long_help = meanings::with(
            meanings::REFERENCE,
            "The image is used for a tractogram (.trk, .trx), a gradient table in image axes, or a surface. \
             If a matrix is converted to .dconn.nii, give a CIFTI-2 file with the vertices and voxels of \
             the rows and columns instead."
        ),
        value_name = "IMAGE"
    )]
    reference: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::GRADIENTS,
        long_help = meanings::with(
            meanings::GRADIENTS,
            "[default: the table in the image header, or .bval and .bvec next to the series]"
        ),
        value_name = "FILE"
    )]
    gradients: Option<PathBuf>,
    /// Floating-point type of the point coordinates in the tractogram
    ///
    /// f16, f32 and f64 have 16, 32 and 64 bits. f16 is possible only in a .trx file. [default: f32]
    #[arg(long, value_enum)]
    positions: Option<PositionArg>,
    /// Write the .trx tractogram as a folder instead of an archive file
    #[arg(long)]
    folder: bool,
    /// Write the image in the NIfTI-2 format instead of NIfTI-1
    #[arg(long)]
    nifti_2: bool,
    /// Volumes of the image to keep, counted from 0, such as 0,4,10-15
    #[arg(long, value_name = "N,A-B,…", conflicts_with = "shells")]
    volumes: Option<String>,
    #[arg(
        long,
        help = meanings::SHELLS,
        long_help = meanings::with(
            meanings::SHELLS,
            "The measurements of other shells are discarded. The value 0 selects the measurements with b = 0."
        ),
        value_name = "B,B,…",
        value_delimiter = ',',
        value_parser = not_negative,
        allow_negative_numbers = true
    )]
    shells: Option<Vec<f64>>,
    #[arg(long, help = meanings::MESH_SPACE, value_enum, value_name = "SPACE")]
    mesh_space: Option<MeshSpaceArg>,
    /// Brain structure of a surface, or structure to extract from a CIFTI-2 file
    ///
    /// For example, give CORTEX_LEFT for the left cortex.
    #[arg(long, value_name = "NAME")]
    structure: Option<String>,
    #[command(flatten)]
    reading: TableReading,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PositionArg {
    F16,
    F32,
    F64,
}

/// Returns the help, whose lists of endings come from the table of formats.
fn description() -> String {
    let [images, tracks, surfaces] = [FileKind::Image, FileKind::Tractogram, FileKind::Surface]
        .map(|kind| written_endings(kind).join(" "));
    format!(
        "Convert images, tractograms, gradient tables, surfaces and matrices\n\nThe endings of the file names \
         choose the formats. Images can be {images}, and tractograms {tracks}. Gradient tables can be .bvec and \
         .bval (always both), .b (MRtrix), .scheme (Camino) or .prtcl. Surfaces and their data can be {surfaces}, \
         and FreeSurfer's lh.white, rh.thickness and similar. CIFTI-2 files can be .dscalar.nii .dlabel.nii \
         .dconn.nii .pconn.nii. Connectivity matrices can be .npz (SciPy), .dot and _1.mtx (FSL), and .dconn.nii. \
         A diffusion series keeps its gradient table: in the header of a .mif file, or as .bval and .bvec next to \
         a NIfTI file. Header fields that the output format cannot store are reported."
    )
}

/// The conversion selected by the two file name endings.
#[derive(Clone, Copy)]
enum Conversion {
    Image,
    Tractogram,
    Surface(SurfaceConversion),
    Matrix,
    /// The first format is `None` if the table comes from an image.
    Table(Option<GradientFormat>, GradientFormat),
}

impl Convert {
    pub(crate) fn run(&self, job: &Job, _: &Grammar) -> Result<()> {
        require_file(&self.output, &self.inputs(), job)?;
        // Holds back all output files of one conversion until the end of the command, and then renames them
        // together. A conversion can write an image with its gradient table, or a matrix with its tables.
        job.results().list().hold();
        let conversion = self.conversion()?;
        self.refuse_idle_options(conversion)?;
        match conversion {
            Conversion::Image => self.image(job),
            Conversion::Tractogram => job.step("convert", || self.tractogram(job)),
            Conversion::Surface(conversion) => job.step("convert", || self.surface(conversion)),
            Conversion::Matrix => job.step("convert", || self.matrix(job)),
            Conversion::Table(from, to) => self.table(from, to, job),
        }
    }

    fn conversion(&self) -> Result<Conversion> {
        if let Some(conversion) = SurfaceConversion::of(&self.input, &self.output) {
            return Ok(Conversion::Surface(conversion));
        }
        let (from, to) = (file_kind(&self.input), file_kind(&self.output));
        // The conversion of one CIFTI file to another was selected above.
        let is_matrix = |kind| matches!(kind, Some(FileKind::Matrix | FileKind::Cifti));
        if is_matrix(from) && is_matrix(to) {
            return Ok(Conversion::Matrix);
        }
        // The name of a CIFTI-2 file is also that of an image.
        if is_image_name(&self.input) && is_image_name(&self.output) {
            return Ok(Conversion::Image);
        }
        if from == Some(FileKind::Tractogram) && to == Some(FileKind::Tractogram) {
            return Ok(Conversion::Tractogram);
        }
        let from_table = GradientFormat::of(&self.input);
        if let Some(format) = GradientFormat::of(&self.output)
            && (from_table.is_some() || is_image_name(&self.input))
        {
            return Ok(Conversion::Table(from_table, format));
        }
        for (path, kind) in [(&self.input, from), (&self.output, to)] {
            if kind.is_none() {
                let [images, tracks, tables, surfaces, matrices] = [
                    FileKind::Image,
                    FileKind::Tractogram,
                    FileKind::Gradients,
                    FileKind::Surface,
                    FileKind::Matrix,
                ]
                .map(|kind| written_endings(kind).join(" "));
                return Err(Error::usage(
                    path.display(),
                    "the ending of this file name is not one that Arcuate knows",
                    format!(
                        "use the file name ending of an image ({images}), a tractogram ({tracks}), a gradient \
                         table ({tables}), a surface ({surfaces}) or a matrix ({matrices})"
                    ),
                ));
            }
        }
        Err(Error::usage(
            self.output.display(),
            format!("{} cannot be converted to the file type of the output", self.input.display()),
            "choose an output of the same type: image, tractogram, gradient table, surface or matrix",
        ))
    }

    /// Returns an error if an option was given that does not apply to this conversion.
    fn refuse_idle_options(&self, conversion: Conversion) -> Result<()> {
        let to_nifti = has_ending(&self.output, &NIFTI_ENDINGS);
        let to_trx = TractogramFormat::of(&self.output).is_ok_and(|format| format == TractogramFormat::Trx);
        let (image, tracks, table) = match conversion {
            Conversion::Image => (true, false, false),
            Conversion::Tractogram => (false, true, false),
            Conversion::Surface(_) | Conversion::Matrix => (false, false, false),
            Conversion::Table(..) => (false, false, true),
        };
        let surface = matches!(conversion, Conversion::Surface(SurfaceConversion::Surface));
        let cifti = matches!(conversion, Conversion::Surface(SurfaceConversion::Cifti));
        let of_cifti = matches!(conversion, Conversion::Surface(SurfaceConversion::CiftiToSurface));
        let idle_matrix = matches!(conversion, Conversion::Matrix) && !is_cifti_name(&self.output);
        let for_images = "it is for images";
        for (option, given, has_effect, problem) in [
            ("--reference", self.reference.is_some(), !image, "an image already states its position"),
            ("--reference", self.reference.is_some(), !cifti && !of_cifti, "it is not for CIFTI-2 files"),
            ("--reference", self.reference.is_some(), !idle_matrix, "only a .dconn.nii needs it"),
            ("--mesh-space", self.mesh_space.is_some(), surface, "it is for surfaces"),
            ("--structure", self.structure.is_some(), surface || of_cifti, "it is for surfaces"),
            ("--gradients", self.gradients.is_some(), image, for_images),
            ("--positions", self.positions.is_some(), tracks, "it is for tractograms"),
            ("--folder", self.folder, tracks && to_trx, "only a .trx can be a folder"),
            ("--nifti-2", self.nifti_2, image && to_nifti, "the file to write is no NIfTI"),
            ("--volumes", self.volumes.is_some(), image, for_images),
            ("--shells", self.shells.is_some(), image || table, "it is for series"),
            ("--b-unit", self.reading.b_unit.is_some(), image || table, "it is for gradient tables"),
            (
                "--bvec-lengths",
                self.reading.bvec_lengths.is_some(),
                image || table,
                "it is for gradient tables",
            ),
        ] {
            if given && !has_effect {
                return Err(Error::usage(option, problem, "leave it out"));
            }
        }
        Ok(())
    }

    /// Returns all input files.
    fn inputs(&self) -> Vec<PathBuf> {
        let optional = [&self.reference, &self.gradients].into_iter().flatten();
        // A gradient table of FSL has two files. Both are inputs, even if the user names only one of them.
        let pair = fsl_gradients::pair(&self.input).into_iter().flatten();
        let image = is_image_name(&self.input) && self.gradients.is_none();
        let companion_path =
            image.then(|| gradient_files_next_to(&self.input)).flatten().into_iter().flatten();
        std::iter::once(&self.input).chain(optional).cloned().chain(pair).chain(companion_path).collect()
    }

    fn reference(&self) -> Result<Option<Grid>> {
        self.reference.as_deref().map(image_grid).transpose()
    }

    fn surface(&self, conversion: SurfaceConversion) -> Result<()> {
        let reference = self.reference()?;
        let options = SurfaceOptions {
            reference: reference.as_ref(),
            mesh_space: self.mesh_space,
            structure: self.structure.as_deref(),
        };
        surface_conversion::convert(conversion, &self.input, &self.output, &options)
    }

    /// Converts one measure of a matrix, with the descriptions of rows and columns.
    fn matrix(&self, job: &Job) -> Result<()> {
        let matrix = read_matrix(&self.input)?;
        for path in matrix_files(&self.output, &matrix)?.iter().filter(|path| **path != self.output) {
            require_file(path, &self.inputs(), job)?;
        }
        let measure = matrix.measures().next().cloned().unwrap_or(Measure::Count);
        write_matrix(&self.output, &matrix, &measure, self.reference.as_deref())
    }

    fn tractogram(&self, job: &Job) -> Result<()> {
        let options = TractogramOptions {
            positions: match self.positions {
                Some(PositionArg::F16) => PositionType::F16,
                Some(PositionArg::F32) | None => PositionType::F32,
                Some(PositionArg::F64) => PositionType::F64,
            },
            layout: if self.folder { TrxLayout::Folder } else { TrxLayout::default() },
            ..job.tractogram_options()
        };
        convert_tractogram(&self.input, &self.output, self.reference()?.as_ref(), &options)
    }

    /// Returns the gradient table of an image: from --gradients, the header, or files next to it with one row
    /// per volume.
    fn gradients_of(&self, image: &ImageDescription) -> Result<Option<GradientTable>> {
        let (affine, count) = (image.grid.affine(), Some(image.channels()));
        let reading = self.reading.with_threshold(None);
        if let Some(path) = &self.gradients {
            return read_gradients(path, affine, count)?.table(&reading).map(Some);
        }
        if image.gradients.is_some() || image.channels() == 1 {
            return image.gradients.as_ref().map(|stored| stored.table(&reading)).transpose();
        }
        let Some([bvals, bvecs]) = gradient_files_next_to(&self.input) else {
            if let Some(half) = missing_gradient_file(&self.input) {
                tracing::warn!("{}: {half}, so the gradient table is not converted", self.input.display());
            }
            return Ok(None);
        };
        // A gradient table that exists but cannot be opened is an error. With only a warning, the copy of the
        // image would lose its table.
        [&bvals, &bvecs].into_iter().try_for_each(|file| open_file(file).map(drop))?;
        match fsl_gradients::read(&bvals, &bvecs, affine, count) {
            // If the numbers of the table are ambiguous, the user must specify their meaning. This is an
            // error and not a warning, because a table with another meaning would be useless.
            Ok(stored) => stored.table(&reading).map(Some),
            Err(error) if self.shells.is_some() => Err(error),
            Err(error) => {
                tracing::warn!("the gradient table next to the image is not converted ({error})");
                Ok(None)
            }
        }
    }

    /// Returns the indices of the volumes to keep, or `None` to keep all.
    fn chosen(&self, count: usize, gradients: Option<&GradientTable>) -> Result<Option<Vec<usize>>> {
        if let Some(text) = &self.volumes {
            return volumes_of(text, count).map(Some);
        }
        let Some(shells) = &self.shells else { return Ok(None) };
        let Some(table) = gradients else {
            let advice = "give its table with --gradients";
            return Err(Error::invalid(self.input.display(), "its diffusion weighting is unknown", advice));
        };
        table.measurements_of_shells(shells).map(Some)
    }

    /// Converts an image and keeps its number type and scale. Warns of header fields that the output format
    /// cannot store.
    fn image(&self, job: &Job) -> Result<()> {
        let image = describe_image(&self.input)?;
        let gradients = self.gradients_of(&image)?;
        if let (None, Some(option)) = (&gradients, self.reading.given()) {
            let problem = format!("{} has no gradient table", self.input.display());
            return Err(Error::usage(format_args!("--{option}"), problem, "leave it out"));
        }
        let chosen = self.chosen(image.channels(), gradients.as_ref())?;
        let gradients = match (&gradients, &chosen) {
            (Some(table), Some(volumes)) => Some(table.of_measurements(volumes)),
            _ => gradients,
        };
        let embeds = stores_gradients(&self.output);
        let companion_path = ["bval", "bvec"].map(|ending| companion_path(&self.output, ending));
        // If the output has the same folder and base name as the input, the gradient table next to the input
        // also belongs to the output. It is not written again.
        let is_there =
            chosen.is_none() && gradient_files_next_to(&self.input).as_ref() == Some(&companion_path);
        let exported = gradients.as_ref().filter(|_| !embeds && !is_there);
        if exported.is_some() {
            for path in &companion_path {
                require_file(path, &self.inputs(), job)?;
            }
        }
        let options = WriteOptions {
            gradients: if embeds { gradients.clone() } else { None },
            nifti_2: self.nifti_2,
            ..WriteOptions::default()
        };
        job.step("convert", || self.image_in_its_type(&image, chosen.as_deref(), &options))?;
        if let Some(table) = exported {
            let [bval, bvec] = &companion_path;
            fsl_gradients::write(bval, bvec, table, image.grid.affine())?;
            job.show_message(format_args!("gradient table: {} and {}", bval.display(), bvec.display()));
        }
        Ok(())
    }

    fn image_in_its_type(
        &self,
        image: &ImageDescription,
        chosen: Option<&[usize]>,
        options: &WriteOptions,
    ) -> Result<()> {
        match image.data_type.component() {
            DataType::UInt8 | DataType::Bit => self.image_as::<u8>(chosen, options),
            DataType::Int8 => self.image_as::<i8>(chosen, options),
            DataType::UInt16 => self.image_as::<u16>(chosen, options),
            DataType::Int16 => self.image_as::<i16>(chosen, options),
            DataType::UInt32 => self.image_as::<u32>(chosen, options),
            DataType::Int32 => self.image_as::<i32>(chosen, options),
            DataType::UInt64 => self.image_as::<u64>(chosen, options),
            DataType::Int64 => self.image_as::<i64>(chosen, options),
            DataType::Float64 => self.image_as::<f64>(chosen, options),
            _ => self.image_as::<f32>(chosen, options),
        }
    }

    fn image_as<T: Element>(&self, chosen: Option<&[usize]>, options: &WriteOptions) -> Result<()> {
        let (mut volume, mut notes) = read_stored::<T>(&self.input)?;
        if let Some(chosen) = chosen {
            volume = volume.channels_at(chosen);
            // The volumes of the whole image were the elements of a matrix or vector. This intent in the
            // header no longer applies to a selection of volumes.
            notes.left_out.extend(notes.intent.take().map(|intent| intent.to_string()));
            notes.dimensions.truncate(3);
            if chosen.len() > 1 && !notes.dimensions.is_empty() {
                notes.dimensions.push(chosen.len());
            }
        }
        for lost in lost_in(&self.output, &notes)? {
            tracing::warn!("{}: lost: {}", self.output.display(), printable(&lost, 200));
        }
        write_image(&self.output, &volume, &WriteOptions { notes, ..options.clone() })
    }

    /// Converts a gradient table. `from` is `None` if the table comes from an image.
    fn table(&self, from: Option<GradientFormat>, to: GradientFormat, job: &Job) -> Result<()> {
        let pair = fsl_gradients::pair(&self.output);
        for path in pair.iter().flatten().filter(|path| **path != self.output) {
            require_file(path, &self.inputs(), job)?;
        }
        let reference = self.reference()?;
        let affine = match &reference {
            Some(grid) => *grid.affine(),
            None if is_image_name(&self.input) => *describe_image(&self.input)?.grid.affine(),
            None if !to.is_in_image_axes() && !from.is_some_and(GradientFormat::is_in_image_axes) => {
                arcuate_core::Affine::identity()
            }
            None => {
                return Err(Error::usage(
                    self.input.display(),
                    "the gradient directions are in image axes, so the image to which they belong is needed",
                    "give this image with --reference",
                ));
            }
        };
        let mut table =
            read_gradients(&self.input, &affine, None)?.table(&self.reading.with_threshold(None))?;
        if let Some(rows) = self.chosen(table.len(), Some(&table))? {
            table = table.of_measurements(&rows);
        }
        write_gradients(&self.output, &table, &affine)
    }
}

/// Parses a list of volumes such as `0,4,10-15`. Each number must be below `count`.
fn volumes_of(text: &str, count: usize) -> Result<Vec<usize>> {
    let fail = |problem: String| Error::usage("--volumes", problem, "give numbers from 0, such as 0,4,10-15");
    let number = |word: &str| {
        let number: usize = word.trim().parse().map_err(|_| fail(format!("`{word}` is not a number")))?;
        if number < count { Ok(number) } else { Err(fail(format!("there is no volume {number} of {count}"))) }
    };
    let mut volumes = Vec::new();
    for part in text.split(',') {
        match part.split_once('-') {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if last < first {
                    return Err(fail(format!("{first}-{last} goes backwards")));
                }
                volumes.extend(first..=last);
            }
            None => volumes.push(number(part)?),
        }
    }
    Ok(volumes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volume_lists_contain_numbers_and_ranges() {
        assert_eq!(volumes_of("0,4,2-3", 5).unwrap(), [0, 4, 2, 3]);
        for (text, problem) in [
            ("5", "there is no volume 5 of 5"),
            ("1-9", "there is no volume 9 of 5"),
            ("3-1", "3-1 goes backwards"),
            ("", "`` is not a number"),
            ("a", "`a` is not a number"),
        ] {
            let error = volumes_of(text, 5).unwrap_err().to_string();
            assert!(error.starts_with(&format!("--volumes: {problem}; ")), "{error}");
        }
    }
}
