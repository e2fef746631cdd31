use crate::gzip::GzipReader;
use crate::header_checks::{contradiction_of_sizes, doubts_of_sizes, file_next_to, usable_sizes};
use crate::image_types::HeaderNotes;
use crate::plain_file::PlainFile;
use crate::rearrange::Layout;
use crate::{DataType, StoredGradients, mrtrix_gradients};
use arcuate_core::{Affine, Error, Grid, Result};
use std::path::{Path, PathBuf};

/// The content of an MRtrix image header (`.mif`), in the units that Arcuate uses.
pub(super) struct Header {
    /// Sizes of all dimensions of the image; at least three numbers.
    pub(super) dimensions: Vec<usize>,
    /// For each dimension of the image, the distance in the file between values that are neighbours along
    /// this dimension. The distance is a number of values. It is negative if the file stores this dimension
    /// in reverse.
    pub(super) strides: Vec<isize>,
    pub(super) data_type: DataType,
    pub(super) big_endian: bool,
    /// Slope and intercept, if values are scaled.
    pub(super) scaling: Option<(f64, f64)>,
    pub(super) grid: Grid,
    pub(super) affine_source: &'static str,
    pub(super) gradients: Option<StoredGradients>,
    /// Other content of the header that copies of the image should keep. It does not include the dimensions.
    pub(super) notes: HeaderNotes,
    /// The path of the file with the image data.
    pub(super) data_path: PathBuf,
    pub(super) data_offset: u64,
    pub(super) warnings: Vec<String>,
}

impl Header {
    pub(super) fn channels(&self) -> usize {
        self.dimensions[3..].iter().product::<usize>() * self.data_type.components()
    }

    /// Size of the image data in bytes.
    pub(super) fn data_bytes(&self) -> u64 {
        let values: usize = self.dimensions.iter().product();
        (values * self.data_type.bits()).div_ceil(8) as u64
    }

    /// Size of one volume in bytes.
    pub(super) fn volume_bytes(&self) -> u64 {
        (self.grid.len() * self.data_type.bits()).div_ceil(8) as u64
    }

    pub(super) fn layout(&self) -> Layout {
        let components = self.data_type.components();
        let place = |axis: usize, at: usize| {
            let stride = self.strides[axis] * components as isize;
            let from =
                if stride < 0 { at as isize - (self.dimensions[axis] as isize - 1) } else { at as isize };
            from * stride
        };
        let origin: isize = (0..3).map(|axis| place(axis, 0)).sum();
        let channels = (0..self.channels()).map(|channel| {
            let mut rest = channel / components;
            let mut at = origin + (channel % components) as isize;
            for axis in 3..self.dimensions.len() {
                at += place(axis, rest % self.dimensions[axis]);
                rest /= self.dimensions[axis];
            }
            at
        });
        let strides = std::array::from_fn(|axis| self.strides[axis] * components as isize);
        Layout { shape: self.grid.shape(), strides, channels: channels.collect() }
    }
}

/// Maximum size of an image header in bytes. The gradient table and the command history in a header can take
/// megabytes, but not more than this.
const LARGEST_HEADER: u64 = 64 << 20;

/// Reads the text of the header at the beginning of a file, up to the line `END`. Also returns the number of
/// bytes of the header including the line `END`, or `None` if this line is missing. If the image data are in
/// another file, the header needs no `END`, and MRtrix writes none.
fn header_text(file: &PlainFile) -> Result<(String, Option<u64>)> {
    let path = file.path();
    let mut start = Vec::new();
    let mut looked = 0;
    if file.is_gzip() {
        let mut reader = GzipReader::new(file);
        let mut block = Vec::new();
        loop {
            reader.read_up_to(1 << 12, &mut block)?;
            start.extend_from_slice(&block);
            // The line `END` may begin in one block of bytes and end in the next block.
            if block.is_empty()
                || end_of_header(&start[looked..]).is_some()
                || start.len() as u64 > LARGEST_HEADER
            {
                break;
            }
            looked = start.len().saturating_sub(8);
        }
    } else {
        let mut count = 1 << 16;
        loop {
            start = file.start(count)?;
            if count >= file.size().min(LARGEST_HEADER) || end_of_header(&start[looked..]).is_some() {
                break;
            }
            looked = start.len().saturating_sub(8);
            count *= 4;
        }
    }
    if !start.starts_with(b"mrtrix image") {
        return Err(Error::invalid(
            path.display(),
            "the file is not an MRtrix image (it does not begin with `mrtrix image`)",
            "check the file, or first convert the image",
        ));
    }
    let end = end_of_header(&start[looked..]).map(|end| looked + end);
    let text = &start[..end.unwrap_or(start.len())];
    let bytes = end.map(|end| (end + "END\n".len()) as u64);
    Ok((String::from_utf8_lossy(text).into_owned(), bytes))
}

/// Finds the position of the line `END`.
fn end_of_header(bytes: &[u8]) -> Option<usize> {
    let ends = |at: &usize| {
        let after = bytes[at + 4..].iter().find(|&&b| b != b'\r');
        after.is_none_or(|&b| b == b'\n' || b == 0)
    };
    (0..bytes.len().saturating_sub(3))
        .filter(|&at| &bytes[at..at + 4] == b"\nEND")
        .find(ends)
        .map(|at| at + 1)
}

/// Reads and parses the image header at the beginning of a file.
pub(super) fn read_header(file: &PlainFile) -> Result<Header> {
    let (text, bytes) = header_text(file)?;
    let ends_early = || {
        let advice = "copy or download the file again";
        Error::invalid(file.path().display(), "the image header has no END: the file ends early", advice)
    };
    // MRtrix writes the line that begins with `file` last. A header without `END` is therefore complete if a
    // line end follows the line `file`.
    let is_elsewhere = |line: &str| {
        line.strip_prefix("file:")
            .is_some_and(|value| !matches!(value.split_whitespace().next(), Some(".") | None))
    };
    let is_whole = bytes.is_some() || text.ends_with('\n') && text.lines().any(is_elsewhere);
    if is_whole { parse(file.path(), &text, bytes) } else { Err(ends_early()) }
}

/// Keys of the header that Arcuate interprets when it reads an image and writes itself.
pub(super) const KNOWN_KEYS: [&str; 9] =
    ["dim", "vox", "layout", "datatype", "transform", "scaling", "dw_scheme", "comments", "file"];

/// The lines `key: value` of an image header.
struct Lines<'a> {
    path: &'a Path,
    lines: Vec<(&'a str, &'a str)>,
}

impl<'a> Lines<'a> {
    fn new(path: &'a Path, text: &'a str) -> Self {
        let lines = text.lines().skip(1).filter_map(|line| line.split_once(':'));
        Self { path, lines: lines.map(|(key, value)| (key.trim(), value.trim())).collect() }
    }

    /// Returns the values of all lines with this key.
    fn all(&self, key: &'static str) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter(move |(k, _)| k.eq_ignore_ascii_case(key)).map(|(_, v)| *v)
    }

    /// Returns the value of the first line with this key. It is an error if there is none.
    fn required(&self, key: &'static str) -> Result<&'a str> {
        self.all(key).next().ok_or_else(|| self.invalid(format!("its header has no `{key}` line")))
    }

    /// Returns the numbers of each line with this key.
    fn numbers(&self, key: &'static str) -> Result<Vec<Vec<f64>>> {
        self.all(key).map(|value| self.numbers_of(key, value)).collect()
    }

    fn numbers_of(&self, key: &str, value: &str) -> Result<Vec<f64>> {
        let words = value.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
        let number = |word: &str| {
            word.parse().map_err(|_| self.invalid(format!("`{word}` in its `{key}` line is not a number")))
        };
        words.map(number).collect()
    }

    fn invalid(&self, problem: String) -> Error {
        Error::invalid(self.path.display(), problem, "repair the image header")
    }

    fn dimensions(&self) -> Result<Vec<usize>> {
        let line = self.required("dim")?;
        dimensions(line).ok_or_else(|| self.invalid(format!("{line} is not a possible image size")))
    }

    fn strides(&self, dimensions: &[usize]) -> Result<Vec<isize>> {
        let line = self.required("layout")?;
        strides(line, dimensions).ok_or_else(|| {
            self.invalid(format!(
                "the layout `{line}` in the header does not give an order of the image dimensions"
            ))
        })
    }

    /// Returns the type of the stored values, and whether their most significant byte is first.
    fn data_type(&self) -> Result<(DataType, bool)> {
        let line = self.required("datatype")?;
        data_type(line).ok_or_else(|| {
            let problem = format!("Arcuate does not read images of the data type `{line}`");
            Error::invalid(self.path.display(), problem, "convert the image to Float32LE")
        })
    }

    /// Returns the slope and the intercept if values are scaled.
    fn scaling(&self) -> Result<Option<(f64, f64)>> {
        let Some(value) = self.all("scaling").next() else { return Ok(None) };
        let values = self.numbers_of("scaling", value)?;
        if values.len() != 2 || !values.iter().all(|v| v.is_finite()) {
            let problem = "its `scaling` line does not give an offset and a multiplier";
            return Err(self.invalid(problem.to_owned()));
        }
        Ok((values != [0.0, 1.0]).then_some((values[1], values[0])))
    }

    /// Returns the voxel grid, and the name of the header lines that determine its affine matrix.
    fn grid(
        &self,
        shape: [usize; 3],
        sizes: [f64; 3],
        warnings: &mut Vec<String>,
    ) -> Result<(Grid, &'static str)> {
        warnings.extend(doubts_of_sizes(sizes, shape, "vox"));
        let sizes = usable_sizes(sizes);
        let rows = self.numbers("transform")?.concat();
        if rows.is_empty() {
            warnings.push(
                "its header has no transform; x is taken to run from left to right, as MRtrix takes it"
                    .to_owned(),
            );
            let centred = Affine::centred(sizes, shape).and_then(|affine| Grid::new(shape, affine));
            let grid = centred.map_err(|e| e.about(format_args!("{} (vox)", self.path.display())))?;
            return Ok((grid.presumed(), "voxel sizes only"));
        }
        if rows.len() < 12 {
            return Err(self.invalid(format!("its transform has {} numbers, not 12", rows.len())));
        }
        let scaled = std::array::from_fn(|r| {
            std::array::from_fn(|c| rows[4 * r + c] * if c < 3 { sizes[c] } else { 1.0 })
        });
        let grid = Affine::from_rows(scaled)
            .and_then(|affine| Grid::new(shape, affine))
            .map_err(|e| e.about(format_args!("{} (transform)", self.path.display())))?;
        warnings.extend(contradiction_of_sizes(sizes, grid.affine(), " (vox)", "the affine is used"));
        Ok((grid, "transform"))
    }

    /// Returns the gradient table. A table whose number of rows is not the number of volumes is ignored.
    /// Masks and maps often have such a table, which they inherit from the diffusion series.
    fn gradients(&self, volumes: usize, warnings: &mut Vec<String>) -> Result<Option<StoredGradients>> {
        let rows = self.numbers("dw_scheme")?;
        if rows.is_empty() || volumes == 1 && rows.len() > 1 {
            return Ok(None);
        }
        if rows.len() != volumes {
            warnings
                .push(format!("its dw_scheme has {} rows for {volumes} volumes; it is ignored", rows.len()));
            return Ok(None);
        }
        let stored = mrtrix_gradients::from_rows(self.path.display(), &rows);
        stored.map(Some).map_err(|e| e.about(format_args!("{} (dw_scheme)", self.path.display())))
    }

    /// Returns the path of the file with the image data, and the position of the data in this file. `bytes`
    /// is the size of the header.
    fn data_file(&self, bytes: Option<u64>) -> Result<(PathBuf, u64)> {
        let file = self.required("file")?;
        if self.all("file").nth(1).is_some() {
            return Err(Error::invalid(
                self.path.display(),
                "the image data are in several files",
                "convert the image to one .mif file",
            ));
        }
        let (name, offset) = match file.rsplit_once(char::is_whitespace) {
            Some((name, offset)) => (name.trim(), offset.parse::<u64>().ok()),
            None => (file, Some(0)),
        };
        let offset =
            offset.ok_or_else(|| self.invalid(format!("its `file` line `{file}` has no offset in bytes")))?;
        if name != "." {
            return Ok((file_next_to(self.path, name)?, offset));
        }
        match bytes {
            Some(bytes) if offset < bytes => Err(self
                .invalid(format!("its header puts the data at byte {offset}, but has {bytes} bytes itself"))),
            _ => Ok((self.path.to_owned(), offset)),
        }
    }
}

/// Parses the text of an image header. `bytes` is the number of bytes of the header in the file.
fn parse(path: &Path, text: &str, bytes: Option<u64>) -> Result<Header> {
    let lines = Lines::new(path, text);
    let mut warnings = Vec::new();
    let dimensions = lines.dimensions()?;
    let strides = lines.strides(&dimensions)?;
    let (data_type, big_endian) = lines.data_type()?;
    let scaling = lines.scaling()?;
    let sizes = lines.numbers_of("vox", lines.required("vox")?)?;
    let repetition_time = sizes.get(3).copied().filter(|_| dimensions.get(3).is_some_and(|&n| n > 1));
    let sizes = std::array::from_fn(|axis| sizes.get(axis).copied().unwrap_or(f64::NAN));
    let shape = [dimensions[0], dimensions[1], dimensions[2]];
    let (grid, affine_source) = lines.grid(shape, sizes, &mut warnings)?;
    let gradients = lines.gradients(dimensions[3..].iter().product(), &mut warnings)?;
    let (data_path, data_offset) = lines.data_file(bytes)?;
    let notes = HeaderNotes {
        dimensions: Vec::new(),
        // MRtrix stores the repetition time as the voxel size along the fourth dimension.
        repetition_time: repetition_time.filter(|time| time.is_finite() && *time > 0.0),
        comments: lines.all("comments").map(str::to_owned).collect(),
        keys: lines
            .lines
            .iter()
            .filter(|(key, _)| !KNOWN_KEYS.iter().any(|known| known.eq_ignore_ascii_case(key)))
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
        scaling,
        intent: None,
        left_out: Vec::new(),
    };
    Ok(Header {
        dimensions,
        strides,
        data_type,
        big_endian,
        scaling,
        grid,
        affine_source,
        gradients,
        notes,
        data_path,
        data_offset,
        warnings,
    })
}

fn dimensions(line: &str) -> Option<Vec<usize>> {
    let mut dimensions: Vec<usize> =
        line.split(',').map(|word| word.trim().parse().ok()).collect::<Option<_>>()?;
    dimensions.resize(dimensions.len().max(3), 1);
    // The size in bits is computed with sixteen bytes per value, the largest size in a file, to detect an
    // overflow.
    let bits = dimensions.iter().try_fold(128usize, |product, &n| product.checked_mul(n));
    (bits.is_some_and(|bits| bits > 0) && dimensions.len() <= 16).then_some(dimensions)
}

fn strides(line: &str, dimensions: &[usize]) -> Option<Vec<isize>> {
    let mut ranks = Vec::new();
    for word in line.split(',').map(str::trim) {
        let backwards = word.starts_with('-');
        let rank: usize = word.trim_start_matches(['+', '-']).parse().ok()?;
        ranks.push((rank, backwards));
    }
    // An image with fewer than three dimensions gets further dimensions of size 1. They vary slowest in the
    // file.
    for added in ranks.len()..3 {
        ranks.push((usize::MAX - added, false));
    }
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by_key(|&axis| ranks[axis].0);
    let distinct = order.windows(2).all(|pair| ranks[pair[0]].0 != ranks[pair[1]].0);
    if ranks.len() != dimensions.len() || !distinct {
        return None;
    }
    let mut strides = vec![0; dimensions.len()];
    let mut next = 1;
    for axis in order {
        strides[axis] = if ranks[axis].1 { -next } else { next };
        next *= dimensions[axis] as isize;
    }
    Some(strides)
}

fn data_type(name: &str) -> Option<(DataType, bool)> {
    let lower = name.to_ascii_lowercase();
    // A data type without a suffix for the byte order means the byte order of the computer that wrote the
    // file. Computers in use today are little-endian.
    let (scalar, big_endian) = match (lower.strip_suffix("le"), lower.strip_suffix("be")) {
        (Some(scalar), _) => (scalar, false),
        (_, Some(scalar)) => (scalar, true),
        _ => (lower.as_str(), false),
    };
    let data_type = match scalar {
        "bit" => DataType::Bit,
        "uint8" => DataType::UInt8,
        "int8" => DataType::Int8,
        "uint16" => DataType::UInt16,
        "int16" => DataType::Int16,
        "uint32" => DataType::UInt32,
        "int32" => DataType::Int32,
        "uint64" => DataType::UInt64,
        "int64" => DataType::Int64,
        "float16" => DataType::Float16,
        "float32" => DataType::Float32,
        "float64" => DataType::Float64,
        "cfloat32" => DataType::Complex64,
        "cfloat64" => DataType::Complex128,
        _ => return None,
    };
    Some((data_type, big_endian))
}
