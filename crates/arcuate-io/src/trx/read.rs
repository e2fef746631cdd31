//! Reads TRX files (`.trx`).

use super::container::{Container, Entry, EntryReader, HEADER, is_left_behind, shown, unreadable};
use super::header::Header;
use super::names::{DataName, ScalarType, read_numbers};
use crate::batches::{BatchColumns, BatchData, Batches, Collector, Counts, damaged, three};
use crate::tractogram_types::{DataDescription, DataOf, OpenTractogram, PositionType, Space};
use arcuate_core::{
    Column, Columns, Error, Grid, Result, Scalars, StreamlineGroups, StreamlineSink, Tractogram,
};
use half::f16;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

/// The columns of values that have been found so far: for each, the kind of its entry and its name.
type TakenNames = BTreeSet<[String; 2]>;

/// Number of streamline offsets, and number of point positions, that are read at a time.
const PART: u64 = 1 << 14;
/// Maximum number of columns of values that are read in parallel. The file is opened once more for each
/// column.
const MAX_COLUMNS: usize = 256;

/// A column of values in the file: the properties that the name of its entry states, and the entry itself.
#[derive(Debug, Clone)]
struct StoredColumn {
    name: String,
    width: usize,
    kind: ScalarType,
    rows: u64,
    entry: Entry,
}

impl StoredColumn {
    fn describe(&self, of: DataOf, name: &str) -> DataDescription {
        DataDescription { of, name: name.to_owned(), width: self.width, kind: self.kind.name() }
    }
}

/// An open `.trx` file or folder. The sizes of its entries agree with the numbers of streamlines and points
/// in its header.
#[derive(Debug)]
struct TrxFile {
    container: Container,
    header: Header,
    /// Number type and entry of the positions; `None` if there are no points.
    positions: Option<(ScalarType, Entry)>,
    /// Number type and entry of the offsets; `None` if there are no streamlines.
    offsets: Option<(ScalarType, Entry)>,
    per_point: Vec<StoredColumn>,
    per_streamline: Vec<StoredColumn>,
    groups: Vec<StoredColumn>,
    /// The values of groups: for each value, the name of its group of streamlines, and the column of the
    /// value.
    per_group: Vec<(String, StoredColumn)>,
}

/// Opens a `.trx` file or folder. Its positions are always in RAS mm.
pub(crate) fn open(path: &Path, _: Space<'_>) -> Result<Box<dyn OpenTractogram>> {
    Ok(Box::new(TrxFile::open(path)?))
}

impl TrxFile {
    fn open(path: &Path) -> Result<Self> {
        let (mut container, entries) = Container::open(path)?;
        let header = entries
            .iter()
            .find(|entry| entry.name == HEADER)
            .ok_or_else(|| damaged(path, "it has no header.json"))?;
        if header.size > 1 << 24 {
            return Err(damaged(path, format!("its header.json has {} bytes", header.size)));
        }
        let header = Header::parse(path, &container.bytes(header)?)?;
        let mut file = Self {
            container,
            header,
            positions: None,
            offsets: None,
            per_point: Vec::new(),
            per_streamline: Vec::new(),
            groups: Vec::new(),
            per_group: Vec::new(),
        };
        let mut taken = TakenNames::new();
        for entry in entries {
            file.place(path, entry, &mut taken)?;
        }
        file.check(path)?;
        Ok(file)
    }

    /// Registers an entry as the point positions, the streamline offsets or a column of values, as its name
    /// states.
    fn place(&mut self, path: &Path, entry: Entry, taken: &mut TakenNames) -> Result<()> {
        let parts: Vec<String> = entry.name.split('/').map(str::to_owned).collect();
        let last = parts.last().map_or("", String::as_str);
        // JSON files with notes about values (`dps/algo.json`), and files of file managers, are ignored.
        let is_json = Path::new(last).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        if is_json || is_left_behind(&entry.name) {
            return Ok(());
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let (points, streamlines) = (self.header.points, self.header.streamlines);
        match parts[..] {
            [name] if name.starts_with("positions.") => {
                let data = parse_name(path, &entry, name)?;
                let known = matches!(data.kind, ScalarType::F16 | ScalarType::F32 | ScalarType::F64);
                if data.name != "positions" || data.width != Some(3) || !known {
                    let problem =
                        format!("its positions are `{}`, not positions.3.float16, 32 or 64", shown(name));
                    return Err(damaged(path, problem));
                }
                check_size(path, &entry, points, 3, data.kind)?;
                set_once(path, &mut self.positions, (data.kind, entry), "positions")
            }
            [name] if name.starts_with("offsets.") => {
                let data = parse_name(path, &entry, name)?;
                // DIPY writes the offsets of streamlines as signed numbers. A negative offset is rejected
                // like an offset beyond the number of points.
                let known = matches!(
                    data.kind,
                    ScalarType::U32 | ScalarType::U64 | ScalarType::I32 | ScalarType::I64
                );
                if !known || data.width.unwrap_or(1) != 1 {
                    let problem = format!(
                        "its offsets are `{}`, not offsets.uint32, uint64, int32 or int64",
                        shown(name)
                    );
                    return Err(damaged(path, problem));
                }
                set_once(path, &mut self.offsets, (data.kind, entry), "offsets")
            }
            ["dpv", name] => {
                let column = stored_column(path, entry.clone(), name, Some(points))?;
                push_new(path, &mut self.per_point, column, "per-point data", taken)
            }
            ["dps", name] => {
                let column = stored_column(path, entry.clone(), name, Some(streamlines))?;
                push_new(path, &mut self.per_streamline, column, "per-streamline data", taken)
            }
            ["groups", name] => {
                let data = parse_name(path, &entry, name)?;
                let whole =
                    matches!(data.kind.name().trim_start_matches('u'), "int8" | "int16" | "int32" | "int64");
                if data.width.unwrap_or(1) != 1 || !whole {
                    let problem = format!("its group `{}` is not a list of streamline numbers", shown(name));
                    return Err(damaged(path, problem));
                }
                let column = stored_column(path, entry.clone(), name, None)?;
                push_new(path, &mut self.groups, column, "groups", taken)
            }
            ["dpg", group, name] => {
                let column = stored_group_value(path, entry.clone(), name)?;
                if !taken.insert([format!("dpg/{group}"), column.name.clone()]) {
                    let (name, group) = (shown(&column.name), shown(group));
                    let problem = format!("the file has the data `{name}` of group `{group}` twice");
                    return Err(damaged(path, problem));
                }
                self.per_group.push((group.to_owned(), column));
                Ok(())
            }
            _ => {
                tracing::warn!(
                    "{}: the entry {entry} is not part of the TRX format and is ignored",
                    path.display()
                );
                Ok(())
            }
        }
    }

    fn check(&self, path: &Path) -> Result<()> {
        let Header { streamlines, points, .. } = self.header;
        if points > 0 && self.positions.is_none() {
            return Err(damaged(path, format!("its header counts {points} points, but it has no positions")));
        }
        if points > 0 && streamlines == 0 {
            return Err(damaged(path, format!("its header counts {points} points in no streamline")));
        }
        match &self.offsets {
            // The specification of TRX requires the total number of points as an additional last offset.
            // Older files do not have it.
            Some((kind, entry)) => {
                let count = entry.size / kind.bytes();
                let fits = entry.size.is_multiple_of(kind.bytes())
                    && (count == streamlines || Some(count) == streamlines.checked_add(1));
                if !fits {
                    let problem =
                        format!("its header counts {streamlines} streamlines, its offsets are {count}");
                    return Err(damaged(path, problem));
                }
            }
            // If a tractogram has no streamlines, trx-python writes neither positions nor offsets.
            None if streamlines > 0 => {
                let problem = format!("its header counts {streamlines} streamlines, but it has no offsets");
                return Err(damaged(path, problem));
            }
            None => {}
        }
        Ok(())
    }

    /// Passes all streamlines of the file to `sink`, with the values in `requested`.
    fn pass_on(&self, requested: &[DataDescription], sink: &mut dyn StreamlineSink) -> Result<Counts> {
        let path = self.container.path();
        let chosen = |of: DataOf, columns: &'_ [StoredColumn]| -> Vec<StoredColumn> {
            let is_wanted =
                |c: &&StoredColumn| requested.iter().any(|data| data.of == of && data.name == c.name);
            columns.iter().filter(is_wanted).cloned().collect()
        };
        let of_points = chosen(DataOf::Point, &self.per_point);
        let of_streamlines = chosen(DataOf::Streamline, &self.per_streamline);
        let count = of_points.len() + of_streamlines.len();
        if count > MAX_COLUMNS {
            let problem =
                format!("the file has {count} columns of data, more than the maximum of {MAX_COLUMNS}");
            return Err(Error::invalid(path.display(), problem, "remove some columns from the file"));
        }
        // All columns of values are read in parallel with the positions, so that memory holds only the
        // current part of each column.
        let reopen = |columns: &[StoredColumn]| -> Result<Vec<Container>> {
            columns.iter().map(|_| Container::reopen(path)).collect()
        };
        let (mut point_files, mut streamline_files) = (reopen(&of_points)?, reopen(&of_streamlines)?);
        self.decode(
            sink,
            Data {
                path,
                per_point: OpenColumn::all(&mut point_files, &of_points)?,
                per_streamline: OpenColumn::all(&mut streamline_files, &of_streamlines)?,
            },
        )
    }

    /// Passes all streamlines with their values to `sink`. All entries are read in parallel, so that memory
    /// holds only the current part of each entry.
    fn decode(&self, sink: &mut dyn StreamlineSink, data: Data<'_>) -> Result<Counts> {
        let path = self.container.path();
        let Header { streamlines, points, .. } = self.header;
        let mut batches = Batches::new(path, sink, data);
        let Some((offset_type, offset_entry)) = &self.offsets else {
            return Ok(batches.finish()?.0); // the tractogram is empty
        };
        let mut offset_container = Container::reopen(path)?;
        let mut offset_reader = offset_container.read(offset_entry)?;
        let mut next_offsets = |count: u64| -> Result<Vec<u64>> {
            let count = count as usize;
            match offset_type {
                ScalarType::U32 => {
                    read_numbers(&mut offset_reader, count, |b| u64::from(u32::from_le_bytes(b)))
                }
                ScalarType::I32 => {
                    read_numbers(&mut offset_reader, count, |b| i64::from(i32::from_le_bytes(b)) as u64)
                }
                _ => read_numbers(&mut offset_reader, count, u64::from_le_bytes),
            }
            .map_err(|e| unreadable(path, offset_entry, &e))
        };
        let mut position_container = Container::reopen(path)?;
        let mut positions = match &self.positions {
            Some((kind, entry)) => Some(Positions {
                path,
                entry,
                kind: *kind,
                reader: position_container.read(entry)?,
                left: points,
                bytes: Vec::new(),
                used: 0,
            }),
            None => None,
        };

        let stored = offset_entry.size / offset_type.bytes();
        let mut current = None;
        let mut left = stored;
        while left > 0 {
            let mut part = next_offsets(left.min(PART))?;
            left -= part.len() as u64;
            if left == 0 && stored == streamlines {
                part.push(points); // older files do not have the total number of points
            }
            for offset in part {
                let Some(begin) = current.replace(offset) else {
                    if offset != 0 {
                        let problem = format!("its first streamline begins at point {offset}, not 0");
                        return Err(damaged(path, problem));
                    }
                    continue;
                };
                if offset < begin || offset > points {
                    let number = batches.streamlines();
                    let problem =
                        format!("streamline {number} has the points {begin} to {offset} of {points}");
                    return Err(damaged(path, problem));
                }
                if let Some(positions) = &mut positions {
                    positions.pass_on(offset - begin, &mut batches)?;
                }
                batches.end_streamline()?;
            }
        }
        let (counts, data) = batches.finish()?;
        if counts.points != points {
            let problem = format!("its streamlines end at point {} of {points}", counts.points);
            return Err(damaged(path, problem));
        }
        data.finish()?;
        offset_reader.finish(path, offset_entry)?;
        if let Some(positions) = positions {
            positions.reader.finish(path, positions.entry)?;
        }
        Ok(counts)
    }
}

impl OpenTractogram for TrxFile {
    fn grid(&self) -> Option<Grid> {
        self.header.grid
    }

    fn positions(&self) -> PositionType {
        match self.positions {
            Some((ScalarType::F16, _)) => PositionType::F16,
            Some((ScalarType::F64, _)) => PositionType::F64,
            _ => PositionType::F32,
        }
    }

    fn data(&self) -> Vec<DataDescription> {
        let of_points = self.per_point.iter().map(|column| column.describe(DataOf::Point, &column.name));
        let of_streamlines =
            self.per_streamline.iter().map(|column| column.describe(DataOf::Streamline, &column.name));
        of_points.chain(of_streamlines).collect()
    }

    fn groups(&self) -> Vec<(String, u64)> {
        self.groups.iter().map(|group| (group.name.clone(), group.rows)).collect()
    }

    fn group_data(&self) -> Vec<DataDescription> {
        let described = |(group, column): &(String, StoredColumn)| {
            column.describe(DataOf::Group, &format!("{group}/{}", column.name))
        };
        self.per_group.iter().map(described).collect()
    }

    fn read_groups(&mut self) -> Result<StreamlineGroups> {
        let mut groups = StreamlineGroups::default();
        for stored in &self.groups {
            let members = read_group(&mut self.container, stored, self.header.streamlines)?;
            groups.members.insert(stored.name.clone(), members);
        }
        for (group, stored) in &self.per_group {
            let column = read_column(&mut self.container, stored)?;
            groups.values.entry(group.clone()).or_default().insert(stored.name.clone(), column);
        }
        Ok(groups)
    }

    fn stream(
        self: Box<Self>,
        requested: &[DataDescription],
        sink: &mut dyn StreamlineSink,
    ) -> Result<Counts> {
        self.pass_on(requested, sink)
    }

    fn read(mut self: Box<Self>) -> Result<Tractogram> {
        let path = self.container.path().to_owned();
        let capacity = Counts { streamlines: self.header.streamlines, points: self.header.points };
        let mut collector = Collector::new(&path, capacity)?;
        self.pass_on(&[], &mut collector)?;
        let mut tractogram = collector.into_tractogram()?;
        for stored in &self.per_point {
            let column = read_column(&mut self.container, stored)?;
            tractogram.per_point.insert(stored.name.clone(), column);
        }
        for stored in &self.per_streamline {
            let column = read_column(&mut self.container, stored)?;
            tractogram.per_streamline.insert(stored.name.clone(), column);
        }
        tractogram.groups = self.read_groups()?;
        Ok(tractogram)
    }

    // Only in a `.trx` file, all values of a name are stored together and can be read alone.
    fn read_per_streamline(mut self: Box<Self>, name: &str) -> Result<Option<Column>> {
        let stored = self.per_streamline.iter().find(|stored| stored.name == name);
        stored.map(|stored| read_column(&mut self.container, stored)).transpose()
    }
}

/// The columns of values, which are read in parallel with the positions of the points.
struct Data<'a> {
    path: &'a Path,
    per_point: Vec<OpenColumn<'a>>,
    per_streamline: Vec<OpenColumn<'a>>,
}

impl Data<'_> {
    /// Checks that the entry of each column of values ends after the value of the last point or streamline.
    fn finish(self) -> Result<()> {
        let mut columns = self.per_point.into_iter().chain(self.per_streamline);
        columns.try_for_each(|column| column.reader.finish(self.path, &column.stored.entry))
    }
}

impl BatchData for Data<'_> {
    fn next(&mut self, rows: Counts) -> Result<BatchColumns> {
        let path = self.path;
        let columns = |columns: &mut [OpenColumn<'_>], rows: u64| -> Result<Columns> {
            columns
                .iter_mut()
                .map(|column| Ok((column.stored.name.clone(), column.next(path, rows)?)))
                .collect()
        };
        Ok(BatchColumns {
            per_point: columns(&mut self.per_point, rows.points)?,
            per_streamline: columns(&mut self.per_streamline, rows.streamlines)?,
        })
    }
}

/// A column of values whose entry is being read.
struct OpenColumn<'a> {
    stored: &'a StoredColumn,
    reader: EntryReader<'a>,
}

impl<'a> OpenColumn<'a> {
    fn all(files: &'a mut [Container], columns: &'a [StoredColumn]) -> Result<Vec<Self>> {
        let open = |(file, stored): (&'a mut Container, &'a StoredColumn)| {
            Ok(Self { stored, reader: file.read(&stored.entry)? })
        };
        files.iter_mut().zip(columns).map(open).collect()
    }

    /// Reads the next rows of the column.
    fn next(&mut self, path: &Path, rows: u64) -> Result<Column> {
        let StoredColumn { width, kind, entry, .. } = self.stored;
        let numbers = kind.read(&mut self.reader, rows as usize * width);
        Column::new(*width, numbers.map_err(|e| unreadable(path, entry, &e))?)
            .map_err(|e| e.about(path.display()))
    }
}

/// The entry with the positions of all points, which is read in large pieces. The points of all streamlines
/// follow one another.
struct Positions<'a> {
    path: &'a Path,
    entry: &'a Entry,
    kind: ScalarType,
    reader: EntryReader<'a>,
    /// Number of points of the entry that have not been read yet.
    left: u64,
    bytes: Vec<u8>,
    used: usize,
}

impl Positions<'_> {
    /// Passes the next points of the streamline that is being decoded to the batches.
    fn pass_on(&mut self, mut points: u64, batches: &mut Batches<'_, Data<'_>>) -> Result<()> {
        let size = self.kind.bytes() as usize * 3;
        while points > 0 {
            if self.used == self.bytes.len() {
                let count = self.left.min(PART);
                self.left -= count;
                self.bytes.resize(count as usize * size, 0);
                self.used = 0;
                self.reader.read_exact(&mut self.bytes).map_err(|e| unreadable(self.path, self.entry, &e))?;
            }
            let held = (self.bytes.len() - self.used) / size;
            let count = points.min(held as u64);
            points -= count;
            let part = &self.bytes[self.used..self.used + count as usize * size];
            self.used += part.len();
            for bytes in part.chunks_exact(size) {
                batches.point(match self.kind {
                    ScalarType::F16 => three(bytes, |b| f16::from_le_bytes(b).to_f32()),
                    ScalarType::F64 => three(bytes, |b| f64::from_le_bytes(b) as f32),
                    _ => three(bytes, f32::from_le_bytes),
                })?;
            }
        }
        Ok(())
    }
}

fn parse_name(path: &Path, entry: &Entry, name: &str) -> Result<DataName> {
    DataName::parse(name).map_err(|problem| damaged(path, format!("its entry {entry}: {problem}")))
}

fn check_size(path: &Path, entry: &Entry, rows: u64, width: u64, kind: ScalarType) -> Result<()> {
    let expected = rows.checked_mul(width).and_then(|numbers| numbers.checked_mul(kind.bytes()));
    if expected == Some(entry.size) {
        return Ok(());
    }
    let problem = format!(
        "its entry {entry} has {} bytes; {rows} rows of {width} {kind} would be {}",
        entry.size,
        expected.map_or_else(|| "more than any file".to_owned(), |bytes| bytes.to_string())
    );
    Err(damaged(path, problem))
}

/// Creates the description of a column of values with the given number of rows. If the number is `None`, it
/// follows from the size of the entry.
fn stored_column(path: &Path, entry: Entry, name: &str, rows: Option<u64>) -> Result<StoredColumn> {
    let data = parse_name(path, &entry, name)?;
    let width = data.width.unwrap_or(1);
    let rows = rows.unwrap_or(entry.size / data.kind.bytes());
    check_size(path, &entry, rows, width as u64, data.kind)?;
    Ok(StoredColumn { name: data.name, width, kind: data.kind, rows, entry })
}

/// Creates the description of a value of a group of streamlines, which is a single row of numbers. If the
/// name of the entry does not state how many numbers a row has, the row has all numbers of the entry.
fn stored_group_value(path: &Path, entry: Entry, name: &str) -> Result<StoredColumn> {
    let data = parse_name(path, &entry, name)?;
    let width = data.width.unwrap_or((entry.size / data.kind.bytes()).max(1) as usize);
    check_size(path, &entry, 1, width as u64, data.kind)?;
    Ok(StoredColumn { name: data.name, width, kind: data.kind, rows: 1, entry })
}

fn set_once<T>(path: &Path, place: &mut Option<T>, value: T, what: &str) -> Result<()> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(damaged(path, format!("it has {what} of two types"))),
    }
}

fn push_new(
    path: &Path,
    columns: &mut Vec<StoredColumn>,
    column: StoredColumn,
    what: &str,
    taken: &mut TakenNames,
) -> Result<()> {
    if !taken.insert([what.to_owned(), column.name.clone()]) {
        return Err(damaged(path, format!("it has two {what} called `{}`", shown(&column.name))));
    }
    columns.push(column);
    Ok(())
}

fn read_scalars(container: &mut Container, stored: &StoredColumn) -> Result<Scalars> {
    let path = container.path().to_owned();
    let mut reader = container.read(&stored.entry)?;
    let count = stored.rows as usize * stored.width;
    let scalars = stored.kind.read(&mut reader, count).map_err(|e| unreadable(&path, &stored.entry, &e))?;
    reader.finish(&path, &stored.entry)?;
    Ok(scalars)
}

fn read_column(container: &mut Container, stored: &StoredColumn) -> Result<Column> {
    let scalars = read_scalars(container, stored)?;
    Column::new(stored.width, scalars).map_err(|e| e.about(container.path().display()))
}

fn read_group(container: &mut Container, stored: &StoredColumn, streamlines: u64) -> Result<Vec<u32>> {
    let scalars = read_scalars(container, stored)?;
    let path = container.path();
    macro_rules! members {
        ($numbers:expr) => {
            $numbers
                .into_iter()
                .map(|number| {
                    u32::try_from(number).ok().filter(|&n| u64::from(n) < streamlines).ok_or_else(|| {
                        let name = shown(&stored.name);
                        let problem =
                            format!("its group `{name}` has streamline {number} (counted from 0), but there are {streamlines} streamlines");
                        damaged(path, problem)
                    })
                })
                .collect()
        };
    }
    match scalars {
        Scalars::I8(v) => members!(v),
        Scalars::U8(v) => members!(v),
        Scalars::I16(v) => members!(v),
        Scalars::U16(v) => members!(v),
        Scalars::I32(v) => members!(v),
        Scalars::U32(v) => members!(v),
        Scalars::I64(v) => members!(v),
        Scalars::U64(v) => members!(v),
        // Entries of this number type were rejected when they were registered.
        Scalars::F16(_) | Scalars::F32(_) | Scalars::F64(_) => Err(damaged(
            path,
            format!("its group `{}` is not a list of streamline numbers", shown(&stored.name)),
        )),
    }
}
