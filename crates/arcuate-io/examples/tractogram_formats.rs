//! Converts, describes and creates tractograms from the command line. `oracles/tractogram_formats.py` and
//! measurements of memory use this example, which needs only this crate and not the rest of Arcuate.
//!
//! The commands are `convert FROM TO [f16|f32|f64] [stored|deflated|folder]`,
//! `convert-like TRACTOGRAM FROM TO …`, which uses the image that TRACTOGRAM describes, `weights FROM TO`,
//! `copy FROM TO`, which reads the whole tractogram into memory, `describe FILE`, `read FILE` and
//! `stream FILE`. `make FILE STREAMLINES POINTS` creates streamlines with POINTS points each.
//! `make-with-data FILE STREAMLINES POINTS` creates streamlines that wander through an image of 200 mm. They
//! have values of points and streamlines, and every hundredth streamline is in a group.

use arcuate_core::{
    Affine, Column, Columns, Error, Grid, Point, Result, Scalars, StreamlineBatch, StreamlineGroups,
    StreamlineSink,
};
use arcuate_io::{
    PositionType, TractogramOptions, TractogramWriter, TrxLayout, convert_tractogram, describe_tractogram,
    read_tractogram, read_tractogram_grid, read_weights, stream_tractogram, write_tractogram, write_weights,
};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

struct Count(u64);

impl StreamlineSink for Count {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.0 += batch.points().len() as u64;
        Ok(())
    }
}

fn grid() -> Result<Grid> {
    Grid::new([182, 218, 182], Affine::scaling([1.0; 3], [-90.0, -126.0, -72.0]))
}

fn options(words: &[&str]) -> Result<TractogramOptions> {
    let mut options = TractogramOptions::default();
    for word in words {
        match *word {
            "f16" => options.positions = PositionType::F16,
            "f32" => options.positions = PositionType::F32,
            "f64" => options.positions = PositionType::F64,
            "stored" => options.layout = TrxLayout::Stored,
            "deflated" => options.layout = TrxLayout::Deflated,
            "folder" => options.layout = TrxLayout::Folder,
            other => return Err(Error::usage(other, "is no option", "see the source of this example")),
        }
    }
    Ok(options)
}

fn make(path: &Path, streamlines: u64, points: u64) -> Result<()> {
    let mut writer = TractogramWriter::create(path, Some(&grid()?), &TractogramOptions::default())?;
    let offsets = [0, points];
    for n in 0..streamlines {
        let line: Vec<_> =
            (0..points).map(|p| [p as f32 * 0.5, (n % 1000) as f32 * 0.1, n as f32 * 1e-5]).collect();
        writer.take(StreamlineBatch::new(&offsets, &line))?;
    }
    writer.finish()
}

/// Number of streamlines that are created at a time.
const BATCH: u64 = 1000;

fn make_with_data(path: &Path, streamlines: u64, points: u64) -> Result<()> {
    let grid = Grid::new([100; 3], Affine::scaling([2.0; 3], [-99.0; 3]))?;
    let mut writer = TractogramWriter::create(path, Some(&grid), &TractogramOptions::default())?;
    let offsets: Vec<u64> = (0..=BATCH).map(|n| n * points).collect();
    for first in (0..streamlines).step_by(BATCH as usize) {
        let numbers = first..streamlines.min(first + BATCH);
        let positions: Vec<Point> = numbers.clone().flat_map(|n| bent_line(n, points)).collect();
        let at_points = Scalars::F32((0..positions.len()).map(|n| (n % 97) as f32).collect());
        let of_streamlines = Scalars::U32(numbers.clone().map(|n| n as u32).collect());
        let per_point = Columns::from([("value".to_owned(), Column::new(1, at_points)?)]);
        let per_streamline = Columns::from([("number".to_owned(), Column::new(1, of_streamlines)?)]);
        let batch = StreamlineBatch::new(&offsets[..=(numbers.end - first) as usize], &positions);
        writer.take(batch.with_per_point(&per_point).with_per_streamline(&per_streamline))?;
    }
    let mut groups = StreamlineGroups::default();
    let hundredths = (0..streamlines).step_by(100).filter_map(|n| u32::try_from(n).ok());
    groups.members.insert("hundredths".to_owned(), hundredths.collect());
    writer.finish_with_groups(&groups)
}

/// Returns the points of a line from one side of the image to the other. The streamline's number determines
/// how the line is bent.
fn bent_line(number: u64, points: u64) -> impl Iterator<Item = Point> {
    let turn = number as f32 * 0.618;
    (0..points).map(move |n| {
        let along = n as f32 / points.max(2) as f32;
        [190.0 * along - 95.0, 60.0 * (turn + 2.0 * along).sin(), 60.0 * (turn * 0.7 - along).cos()]
    })
}

fn run(arguments: &[&str]) -> Result<()> {
    let number = |text: &str| {
        text.parse::<u64>().map_err(|_| Error::usage(text, "is no number", "give how many there should be"))
    };
    let begun = Instant::now();
    match arguments {
        ["convert", from, to, rest @ ..] => {
            convert_tractogram(Path::new(from), Path::new(to), None, &options(rest)?)?;
        }
        ["convert-like", reference, from, to, rest @ ..] => {
            let grid = read_tractogram_grid(Path::new(reference))?;
            convert_tractogram(Path::new(from), Path::new(to), grid.as_ref(), &options(rest)?)?;
        }
        ["weights", from, to] => {
            write_weights(Path::new(to), &read_weights(Path::new(from))?, &["copied by Arcuate"])?;
        }
        ["read", path] => {
            let file = read_tractogram(Path::new(path))?;
            println!("{} streamlines, {} points", file.tractogram.len(), file.tractogram.positions().len());
        }
        ["copy", from, to] => {
            let file = read_tractogram(Path::new(from))?;
            write_tractogram(
                Path::new(to),
                &file.tractogram,
                file.grid.as_ref(),
                &TractogramOptions::default(),
            )?;
        }
        ["stream", path] => {
            let mut count = Count(0);
            let summary = stream_tractogram(Path::new(path), &mut count)?;
            println!("{} streamlines, {} points", summary.streamlines, count.0);
        }
        ["describe", path] => println!("{:#?}", describe_tractogram(Path::new(path))?),
        ["make", path, streamlines, points] => make(Path::new(path), number(streamlines)?, number(points)?)?,
        ["make-with-data", path, streamlines, points] => {
            make_with_data(Path::new(path), number(streamlines)?, number(points)?)?;
        }
        _ => return Err(Error::usage("arguments", "are not understood", "see the source of this example")),
    }
    println!("{:.2} s", begun.elapsed().as_secs_f64());
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
