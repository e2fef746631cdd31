//! The accepted streamlines, as a tractogram.

use crate::output::OutputFolder;
use crate::output_files::{Kind, OutputFile};
use crate::stages::tracking::asked::Tracking;
use crate::stages::tracking::part_folder::{STREAMLINES, SavedPart};
use crate::stages::tracking::part_head::Head;
use crate::stages::tracking::product::{Open, Opening, Product, Report};
use crate::stages::tracking::taker::{Sink, Taken, Taker};
use arcuate_core::{Result, StreamlineBatch, StreamlineLengths, StreamlineSink};
use arcuate_io::{TractogramOptions, TractogramWriter, stream_tractogram};

/// The accepted streamlines as a product of tracking.
pub(super) struct Streamlines<'a> {
    pub(super) tracking: &'a Tracking,
}

impl Product for Streamlines<'_> {
    fn files(&self) -> Vec<OutputFile> {
        vec![OutputFile::shown(STREAMLINES, "Streamlines", Kind::Streamlines { weights: None })]
    }

    fn file_of_part(&self) -> Option<&'static str> {
        Some(STREAMLINES)
    }

    fn open<'a>(&'a self, opening: &'a Opening<'a>) -> Result<Box<dyn Open + 'a>> {
        let path =
            opening.folder.map_or_else(|| self.tracking.out.clone(), |folder| folder.file(STREAMLINES));
        // A part stores points in full precision. The format and precision of the result are chosen when all parts
        // exist.
        let options =
            if opening.is_part { TractogramOptions::default() } else { opening.job.tractogram_options() };
        let writer = TractogramWriter::create(&path, Some(opening.ground.field.grid()), &options)?;
        Ok(Box::new(OpenStreamlines(Some(Writing { writer, lengths: StreamlineLengths::default() }))))
    }
}

struct OpenStreamlines(Option<Writing>);

impl Open for OpenStreamlines {
    fn taker(&mut self) -> Result<Option<Box<dyn Taker + '_>>> {
        Ok(self.0.take().map(|writing| Box::new(writing) as Box<dyn Taker>))
    }

    fn finish(self: Box<Self>, _: Taken, _: &mut Report<'_>) -> Result<()> {
        Ok(())
    }
}

/// Writes streamlines and measures their lengths.
struct Writing {
    writer: TractogramWriter,
    lengths: StreamlineLengths,
}

impl StreamlineSink for Writing {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.writer.take(batch)?;
        self.lengths.take(batch)
    }
}

impl Taker for Writing {
    fn sink(&mut self) -> Sink<'_> {
        Sink::Host(self)
    }

    fn add_part(&mut self, part: &SavedPart) -> Result<()> {
        stream_tractogram(&part.file(STREAMLINES), self).map(|_| ())
    }

    fn keep_part(self: Box<Self>, _: &OutputFolder, _: &mut Head) -> Result<()> {
        self.writer.finish()
    }

    fn finish(self: Box<Self>) -> Result<Taken> {
        self.writer.finish()?;
        Ok(Taken::Lengths(self.lengths))
    }
}
