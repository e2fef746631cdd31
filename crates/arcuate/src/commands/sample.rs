use crate::grammar::Grammar;
use crate::meanings;
use crate::output::require_file;
use crate::space::{warn_of_another_image, warn_of_samples_outside};
use crate::typed_options::AlongStreamlines;
use arcuate_connect::{Interpolation, Sampler, Samples, Statistic};
use arcuate_core::{Column, Error, Grid, Result, Scalars, StreamlineBatch, StreamlineSink, Volume};
use arcuate_io::{
    DataOf, Space, TractogramFormat, TractogramReader, TractogramWriter, ValueRows, companion_path,
    has_ending, read_volume, stream_tractogram_in,
};
use arcuate_pipeline::job::Job;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Sample the values of an image along streamlines
///
/// Writes one value per point of each streamline: as text (.txt, .csv) with one line per streamline, or as
/// data of the points in a tractogram (.trx, .trk). With --statistic, writes one number per streamline.
/// Points outside the image have the value 0.
#[derive(Debug, Args)]
pub(crate) struct Sample {
    #[arg(help = meanings::TRACTOGRAM, value_name = "TRACKS")]
    tractogram: PathBuf,
    /// Image with one volume, whose values are sampled
    image: PathBuf,
    /// Output: text file (.txt, .csv), or tractogram with the values (.trx, .trk)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write this statistic of each streamline, instead of one value per point
    #[arg(long, value_enum)]
    statistic: Option<StatisticArg>,
    #[arg(long, help = meanings::NEAREST)]
    nearest: bool,
    /// Name that the sampled values get in the .trx or .trk file
    ///
    /// [default: the name of the image file]
    #[arg(long)]
    name: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum StatisticArg {
    /// Mean over the points of a streamline, weighted by the length of streamline that each point represents
    Mean,
    Median,
    Min,
    Max,
}

impl From<StatisticArg> for Statistic {
    fn from(argument: StatisticArg) -> Self {
        match argument {
            StatisticArg::Mean => Self::Mean,
            StatisticArg::Median => Self::Median,
            StatisticArg::Min => Self::Min,
            StatisticArg::Max => Self::Max,
        }
    }
}

impl Sample {
    /// Returns how values are computed.
    pub(crate) fn options(&self) -> AlongStreamlines {
        let interpolation = if self.nearest { Interpolation::Nearest } else { Interpolation::Linear };
        AlongStreamlines { statistic: self.statistic.map(Into::into), interpolation }
    }

    pub(crate) fn run(&self, job: &Job, _: &Grammar) -> Result<()> {
        require_file(&self.out, &[self.tractogram.clone(), self.image.clone()], job)?;
        let into_tractogram = self.writes_a_tractogram()?;
        let image = job.step("read the image", || read_volume(&self.image))?;
        warn_of_another_image(&self.tractogram, image.grid(), "the image")?;
        let sampler =
            Sampler::new(&image, self.options().interpolation).map_err(|e| e.about(self.image.display()))?;
        let totals = job.step("sample", || {
            if into_tractogram {
                self.add_to_tractogram(&sampler, &image, job)
            } else {
                self.write_rows(&sampler, image.grid())
            }
        })?;
        warn_of_samples_outside(totals.outside, totals.points as u64, &self.image.display());
        job.show_message(format_args!("{} points of {} streamlines", totals.points, totals.streamlines));
        Ok(())
    }

    /// Returns true if the result is a tractogram. Returns an error for unknown file name endings.
    fn writes_a_tractogram(&self) -> Result<bool> {
        // A .tck file cannot store values.
        if TractogramFormat::of(&self.out).is_ok_and(|format| format != TractogramFormat::Tck) {
            return Ok(true);
        }
        if !has_ending(&self.out, &[".txt", ".csv"]) {
            return Err(Error::usage(
                self.out.display(),
                "the ending of this file name is not a format that can store the values",
                "use .txt, .csv, .trx, .trk or .trk.gz",
            ));
        }
        if self.name.is_some() {
            return Err(Error::usage(
                "--name",
                "values in a text file have no name",
                "remove --name, or write a .trx file",
            ));
        }
        Ok(false)
    }

    fn samples(&self, sampler: &Sampler<'_>, batch: StreamlineBatch<'_>) -> Samples {
        match self.statistic {
            Some(statistic) => sampler.streamlines(batch, statistic.into()),
            None => sampler.points(batch),
        }
    }

    fn write_rows(&self, sampler: &Sampler<'_>, grid: &Grid) -> Result<Totals> {
        let mut rows =
            Rows { command: self, sampler, file: ValueRows::create(&self.out)?, totals: Totals::default() };
        stream_tractogram_in(&self.tractogram, Space::Likely(grid), &mut rows)?;
        rows.file.finish()?;
        Ok(rows.totals)
    }

    fn add_to_tractogram(&self, sampler: &Sampler<'_>, image: &Volume<f32>, job: &Job) -> Result<Totals> {
        let mut reader = TractogramReader::open_in(&self.tractogram, Space::Likely(image.grid()))?;
        let name = self.name.clone().unwrap_or_else(|| name_of(&self.image));
        let of = if self.statistic.is_some() { DataOf::Streamline } else { DataOf::Point };
        let data = reader.data();
        if data.iter().any(|data| data.of == of && data.name == name) {
            let problem = format!("the tractogram already has values with the name `{name}`");
            return Err(Error::usage(self.tractogram.display(), problem, "choose another --name"));
        }
        // A .tck file does not store the image to which it belongs. The sampled image is in the same space,
        // so its grid is used.
        let grid = reader.grid().unwrap_or(*image.grid());
        let groups = reader.read_groups()?;
        let writer = TractogramWriter::create(&self.out, Some(&grid), &job.tractogram_options())?;
        let mut sampled = Sampled { command: self, sampler, name, writer, totals: Totals::default() };
        reader.stream_with(&data, &mut sampled)?;
        sampled.writer.finish_with_groups(&groups)?;
        Ok(sampled.totals)
    }
}

/// Writes streamlines as they arrive, with the sampled values as additional data.
struct Sampled<'a> {
    command: &'a Sample,
    sampler: &'a Sampler<'a>,
    name: String,
    writer: TractogramWriter,
    totals: Totals,
}

impl StreamlineSink for Sampled<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let samples = self.command.samples(self.sampler, batch);
        self.totals.add(&Totals::of(batch, &samples));
        let column = Column::new(1, Scalars::F32(samples.values))?;
        if self.command.statistic.is_some() {
            let mut columns = batch.copied_per_streamline();
            columns.insert(self.name.clone(), column);
            return self.writer.take(batch.with_per_streamline(&columns));
        }
        let mut columns = batch.copied_per_point();
        columns.insert(self.name.clone(), column);
        self.writer.take(batch.with_per_point(&columns))
    }
}

/// Writes rows of values as streamlines arrive.
struct Rows<'a> {
    command: &'a Sample,
    sampler: &'a Sampler<'a>,
    file: ValueRows,
    totals: Totals,
}

impl StreamlineSink for Rows<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let samples = self.command.samples(self.sampler, batch);
        self.totals.add(&Totals::of(batch, &samples));
        let mut values = samples.values.as_slice();
        for streamline in batch.iter() {
            let count = if self.command.statistic.is_some() { 1 } else { streamline.len() };
            let (row, rest) = values.split_at(count);
            self.file.row(row)?;
            values = rest;
        }
        Ok(())
    }
}

/// Totals of the sampled streamlines.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    streamlines: usize,
    points: usize,
    outside: u64,
}

impl Totals {
    fn of(batch: StreamlineBatch<'_>, samples: &Samples) -> Self {
        Self { streamlines: batch.len(), points: batch.points().len(), outside: samples.outside }
    }

    fn add(&mut self, other: &Self) {
        self.streamlines += other.streamlines;
        self.points += other.points;
        self.outside += other.outside;
    }
}

/// Returns the file name of an image without folder and endings.
fn name_of(path: &Path) -> String {
    companion_path(path, "").file_name().unwrap_or_default().to_string_lossy().into_owned()
}
