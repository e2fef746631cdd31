//! The accepted streamlines, as a tractogram.

use crate::output::OutputFolder;
use crate::output_files::{Kind, OutputFile};
use crate::record::name_of;
use crate::stages::tracking::connections::groups_of;
use crate::stages::tracking::field::StreamlineData;
use crate::stages::tracking::options::Tracking;
use crate::stages::tracking::part_folder::{STREAMLINES, SavedPart};
use crate::stages::tracking::part_head::Head;
use crate::stages::tracking::product::{Open, Opening, Product, Report};
use crate::stages::tracking::receiver::{Receiver, ReceiverResult, Sink};
use arcuate_core::{Result, StreamlineBatch, StreamlineLengths, StreamlineSink};
use arcuate_io::{TractogramOptions, TractogramReader, TractogramWriter};
use arcuate_track::SampleTracks;

/// The accepted streamlines, as a kind of result that tracking writes.
pub(super) struct Streamlines<'a> {
    pub(super) tracking: &'a Tracking,
}

impl Product for Streamlines<'_> {
    fn files(&self) -> Vec<OutputFile> {
        let file = OutputFile::shown(STREAMLINES, "Streamlines", Kind::Streamlines { weights: None });
        vec![file.with_content("Accepted streamlines")]
    }

    fn file_of_part(&self) -> Option<&'static str> {
        Some(STREAMLINES)
    }

    fn open<'a>(&'a self, opening: &'a Opening<'a>) -> Result<Box<dyn Open + 'a>> {
        let path =
            opening.folder.map_or_else(|| self.tracking.out.clone(), |folder| folder.file(STREAMLINES));
        // A part of a divided run stores points in full precision. The format and the precision of the result
        // are those of the command that merges the parts.
        let options =
            if opening.is_part { TractogramOptions::default() } else { opening.job.tractogram_options() };
        let mut writer = TractogramWriter::create(&path, Some(opening.run_inputs.field.grid()), &options)?;
        let data = opening.run_inputs.field.streamline_data();
        if let Some(data) = &data {
            // An empty batch of streamlines is written first. It defines the names of the data even if no
            // streamline is accepted.
            let none = StreamlineBatch::default();
            writer.take(none.with_per_point(&data.per_point).with_per_streamline(&data.per_streamline))?;
        }
        let mean = data.as_ref().map(|data| Mean { of: data.mean.0, ..Mean::default() });
        let writing = Some(Writing { writer, lengths: StreamlineLengths::default(), mean });
        Ok(Box::new(OpenStreamlines { writing, data }))
    }
}

struct OpenStreamlines {
    writing: Option<Writing>,
    data: Option<StreamlineData>,
}

impl Open for OpenStreamlines {
    fn receiver(&mut self) -> Result<Option<Box<dyn Receiver + '_>>> {
        Ok(self.writing.take().map(|writing| Box::new(writing) as Box<dyn Receiver>))
    }

    fn finish(self: Box<Self>, received: ReceiverResult, report: &mut Report<'_>) -> Result<()> {
        let Some(data) = self.data else { return Ok(()) };
        let Opening { tracking, folder, .. } = *report.opening;
        let name = if folder.is_some() { STREAMLINES.to_owned() } else { name_of(&tracking.out) };
        report.record.show(&name, Some(data.picture));
        if let ReceiverResult::Lengths(_, Some(mean)) = received {
            report.record.figure(data.mean.1, mean).key();
        }
        Ok(())
    }
}

/// Writes streamlines and measures their lengths.
struct Writing {
    writer: TractogramWriter,
    lengths: StreamlineLengths,
    mean: Option<Mean>,
}

/// Mean over the streamlines of data with one value per streamline.
#[derive(Default)]
struct Mean {
    of: &'static str,
    sum: f64,
    count: u64,
}

impl Mean {
    fn take(&mut self, batch: StreamlineBatch<'_>) {
        let Some((_, column)) = batch.per_streamline().find(|(name, _)| *name == self.of) else { return };
        let values = column.column.values().to_f64();
        self.sum += values[column.rows.clone()].iter().sum::<f64>();
        self.count += batch.len() as u64;
    }
}

impl StreamlineSink for Writing {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.writer.take(batch)?;
        if let Some(mean) = &mut self.mean {
            mean.take(batch);
        }
        self.lengths.take(batch)
    }
}

impl Receiver for Writing {
    fn sink(&mut self) -> Sink<'_> {
        Sink::Host(self)
    }

    fn add_part(&mut self, part: &SavedPart) -> Result<()> {
        let file = TractogramReader::open(&part.file(STREAMLINES))?;
        let data = file.data();
        file.stream_with(&data, self).map(|_| ())
    }

    fn keep_part(self: Box<Self>, _: &OutputFolder, _: &mut Head) -> Result<()> {
        self.writer.finish()
    }

    fn finish(self: Box<Self>, tracks: &SampleTracks) -> Result<ReceiverResult> {
        self.writer.finish_with_groups(&groups_of(tracks.rays.as_ref()))?;
        let mean = self.mean.map(|mean| mean.sum / mean.count.max(1) as f64);
        Ok(ReceiverResult::Lengths(self.lengths, mean))
    }
}
