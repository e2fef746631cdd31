//! Reads and writes the header of a `.trk` file, which is its first 1000 bytes.

use super::space;
use crate::batches::damaged;
use crate::header_checks::{contradiction_of_sizes, require_sizes};
use crate::streamline_input::StreamlineInput;
use crate::tractogram_types::Space;
use arcuate_core::{Affine, Error, Grid, Result, narrow};
use std::path::Path;

/// Number of bytes of the header.
const HEADER_BYTES: usize = 1000;
/// Byte position in the header of the number of streamlines.
pub(super) const COUNT_AT: usize = 988;
/// Maximum number of names of scalars (values of points) in a header, and also of properties (values of
/// streamlines).
const NAMES: usize = 10;
/// Number of bytes that a name of scalars or properties takes in the header.
const NAME_BYTES: usize = 20;

/// Values with a name in a `.trk` file. Scalars have values at each point, and properties have values for
/// each streamline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedValues {
    pub(crate) name: String,
    pub(crate) width: usize,
}

/// The content of a `.trk` header that has passed all checks.
#[derive(Debug, Clone)]
pub(super) struct Header {
    pub(super) big_endian: bool,
    /// Number of streamlines that the header states. `None` if the program that wrote the file did not count
    /// them.
    pub(super) claimed: Option<u64>,
    pub(super) scalars: Vec<NamedValues>,
    pub(super) properties: Vec<NamedValues>,
    /// Affine from the coordinates in the file to RAS mm.
    pub(super) to_ras_mm: Affine,
    /// The voxel grid of the image to which the streamlines belong, if the header describes it or the caller
    /// knows it.
    pub(super) grid: Option<Grid>,
    /// True if the header specifies the position of its image in scanner space.
    pub(super) is_placed: bool,
    /// Warnings about the position of the streamlines in scanner space. Callers that read the streamlines
    /// print them.
    pub(super) doubts: Vec<String>,
}

impl Header {
    /// Reads and checks the header. Afterwards, the next byte to read from `input` is that of the first
    /// streamline.
    pub(super) fn read(input: &mut StreamlineInput, space: Space<'_>) -> Result<Self> {
        let mut bytes = [0; HEADER_BYTES];
        let count = input.read_up_to(&mut bytes)?;
        let path = input.path();
        if !bytes.starts_with(b"TRACK") {
            let problem = "it is not a TrackVis file (it does not begin with `TRACK`)";
            return Err(Error::invalid(path.display(), problem, "give a .trk file"));
        }
        if count < HEADER_BYTES {
            let problem = format!("the file ends early: the header has {count} of 1000 bytes");
            return Err(damaged(path, problem));
        }
        let big_endian = byte_order(path, &bytes)?;
        let header = StoredHeader::read(&bytes, big_endian);
        let version = header.version;
        if !(1..=3).contains(&version) {
            let problem = format!("the version {version} of the file format is not known");
            return Err(Error::invalid(
                path.display(),
                problem,
                "rewrite the file as version 2, with nibabel",
            ));
        }
        let voxel_sizes = header.voxel_size.map(f64::from);
        require_sizes(path, voxel_sizes)?;
        let mut shape = header.dim.map(|n| usize::try_from(n).unwrap_or(0));
        let mut doubts = Vec::new();
        // Some programs do not write the dimensions of the image into the header, so zeros are accepted.
        if header.dim != [0; 3] && header.dim.iter().any(|&n| n < 1) {
            let [x, y, z] = header.dim;
            doubts.push(format!("its header describes an impossible image of {x} × {y} × {z} voxels"));
        }
        let recorded = voxel_to_ras(path, version, &header)?;
        let affine = match recorded {
            Some(affine) => {
                doubts.extend(contradiction_of_sizes(voxel_sizes, &affine, "", BOTH_SIZES));
                Some(affine)
            }
            None => image_of(path, shape, voxel_sizes, space, &mut doubts)?.map(|grid| {
                shape = grid.shape();
                *grid.affine()
            }),
        };
        let voxel_to_ras = affine.unwrap_or_else(Affine::identity);
        let order = voxel_order(path, &header, &voxel_to_ras, &mut doubts)?;
        let to_ras_mm = space::to_ras_mm(&voxel_to_ras, voxel_sizes, shape, &order)
            .map_err(|e| e.about(path.display()))?;
        let claimed = u64::try_from(header.n_count)
            .map_err(|_| damaged(path, format!("its header counts {} streamlines", header.n_count)))?;
        Ok(Self {
            big_endian,
            claimed: (claimed > 0).then_some(claimed),
            scalars: names(path, "scalars", header.n_scalars, &header.scalar_name)?,
            properties: names(path, "properties", header.n_properties, &header.property_name)?,
            to_ras_mm,
            grid: affine.and_then(|affine| Grid::new(shape, affine).ok()),
            is_placed: recorded.is_some(),
            doubts,
        })
    }

    /// Returns the number of values that each point has in addition to its position.
    pub(super) fn scalar_count(&self) -> usize {
        self.scalars.iter().map(|named| named.width).sum()
    }

    /// Number of values of each streamline.
    pub(super) fn property_count(&self) -> usize {
        self.properties.iter().map(|named| named.width).sum()
    }
}

/// The fields of the header that are read or written, as the file stores them. Numbers are little-endian in new files.
struct StoredHeader {
    dim: [i16; 3],
    voxel_size: [f32; 3],
    n_scalars: i16,
    scalar_name: [u8; NAMES * NAME_BYTES],
    n_properties: i16,
    property_name: [u8; NAMES * NAME_BYTES],
    /// Rows of the affine from voxel coordinates to RAS mm.
    vox_to_ras: [f32; 16],
    voxel_order: [u8; 4],
    n_count: i32,
    version: i32,
}

/// Byte positions of the fields in the header (trackvis.org/docs/?subsect=fileformat). The fields that are not listed are
/// zero in new files.
const DIM_AT: usize = 6;
const VOXEL_SIZE_AT: usize = 12;
const N_SCALARS_AT: usize = 36;
const SCALAR_NAME_AT: usize = 38;
const N_PROPERTIES_AT: usize = 238;
const PROPERTY_NAME_AT: usize = 240;
const VOX_TO_RAS_AT: usize = 440;
const VOXEL_ORDER_AT: usize = 948;
const VERSION_AT: usize = 992;
const HEADER_SIZE_AT: usize = 996;

impl StoredHeader {
    /// Reads the fields from the 1000 bytes of a header.
    fn read(bytes: &[u8; HEADER_BYTES], big_endian: bool) -> Self {
        fn array<const N: usize>(bytes: &[u8; HEADER_BYTES], at: usize) -> [u8; N] {
            std::array::from_fn(|n| bytes[at + n])
        }
        let ordered = |mut four: [u8; 4]| {
            if big_endian {
                four.reverse();
            }
            four
        };
        let short = |at: usize| {
            let two = array(bytes, at);
            if big_endian { i16::from_be_bytes(two) } else { i16::from_le_bytes(two) }
        };
        let integer = |at: usize| i32::from_le_bytes(ordered(array(bytes, at)));
        let single = |at: usize| f32::from_le_bytes(ordered(array(bytes, at)));
        Self {
            dim: std::array::from_fn(|n| short(DIM_AT + 2 * n)),
            voxel_size: std::array::from_fn(|n| single(VOXEL_SIZE_AT + 4 * n)),
            n_scalars: short(N_SCALARS_AT),
            scalar_name: array(bytes, SCALAR_NAME_AT),
            n_properties: short(N_PROPERTIES_AT),
            property_name: array(bytes, PROPERTY_NAME_AT),
            vox_to_ras: std::array::from_fn(|n| single(VOX_TO_RAS_AT + 4 * n)),
            voxel_order: array(bytes, VOXEL_ORDER_AT),
            n_count: integer(COUNT_AT),
            version: integer(VERSION_AT),
        }
    }

    /// Returns the 1000 bytes of the header.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; HEADER_BYTES];
        let mut write = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        write(0, b"TRACK");
        for (n, length) in self.dim.iter().enumerate() {
            write(DIM_AT + 2 * n, &length.to_le_bytes());
        }
        for (n, size) in self.voxel_size.iter().enumerate() {
            write(VOXEL_SIZE_AT + 4 * n, &size.to_le_bytes());
        }
        write(N_SCALARS_AT, &self.n_scalars.to_le_bytes());
        write(SCALAR_NAME_AT, &self.scalar_name);
        write(N_PROPERTIES_AT, &self.n_properties.to_le_bytes());
        write(PROPERTY_NAME_AT, &self.property_name);
        for (n, element) in self.vox_to_ras.iter().enumerate() {
            write(VOX_TO_RAS_AT + 4 * n, &element.to_le_bytes());
        }
        write(VOXEL_ORDER_AT, &self.voxel_order);
        write(COUNT_AT, &self.n_count.to_le_bytes());
        write(VERSION_AT, &self.version.to_le_bytes());
        write(HEADER_SIZE_AT, &narrow::<i32>(HEADER_BYTES).to_le_bytes());
        bytes
    }
}

fn byte_order(path: &Path, bytes: &[u8]) -> Result<bool> {
    let size = [bytes[996], bytes[997], bytes[998], bytes[999]];
    if i32::from_le_bytes(size) == narrow::<i32>(HEADER_BYTES) {
        Ok(false)
    } else if i32::from_be_bytes(size) == narrow::<i32>(HEADER_BYTES) {
        Ok(true)
    } else {
        let problem = format!("its header gives its own size as {}, not 1000", i32::from_le_bytes(size));
        Err(damaged(path, problem))
    }
}

/// Returns the affine of the image; `None` if the header has none.
fn voxel_to_ras(path: &Path, version: i32, header: &StoredHeader) -> Result<Option<Affine>> {
    if version == 1 || header.vox_to_ras[15] == 0.0 {
        return Ok(None);
    }
    let rows = std::array::from_fn(|r| std::array::from_fn(|c| f64::from(header.vox_to_ras[4 * r + c])));
    let affine = Affine::from_rows(rows).map_err(|e| e.about(path.display()))?;
    affine.inverse().map_err(|e| e.about(path.display()))?;
    Ok(Some(affine))
}

/// The text about what happens if the header states different voxel edge lengths in its affine and in the
/// field `voxel_size`. Both scale the positions.
const BOTH_SIZES: &str = "positions are divided by the first and multiplied by the second, as in nibabel; \
                          check the positions of the streamlines";

/// Returns the voxel grid of the image for a file whose header has no affine.
fn image_of<'a>(
    path: &Path,
    shape: [usize; 3],
    voxel_sizes: [f64; 3],
    space: Space<'a>,
    doubts: &mut Vec<String>,
) -> Result<Option<&'a Grid>> {
    const NO_PLACE: &str = "its header does not state the position of the voxels";
    let is_described = |grid: &Grid| {
        let sizes = grid.voxel_sizes();
        // Some programs do not write the dimensions of the image into the header. The file then has zeros
        // there, which agree with any grid.
        (shape == [0; 3] || shape == grid.shape())
            && (0..3).all(|axis| (voxel_sizes[axis] / sizes[axis] - 1.0).abs() < 0.01)
    };
    let shown = |[x, y, z]: [usize; 3], [dx, dy, dz]: [f64; 3]| {
        format!("{x} × {y} × {z} voxels of {dx:.3} × {dy:.3} × {dz:.3} mm")
    };
    match space {
        Space::Stated(grid) if is_described(grid) => Ok(Some(grid)),
        Space::Stated(grid) => {
            let (own, given) = (shown(shape, voxel_sizes), shown(grid.shape(), grid.voxel_sizes()));
            let problem = format!(
                "{NO_PLACE}; the header describes an image of {own}, but the reference image has {given}"
            );
            Err(Error::invalid(
                path.display(),
                problem,
                "give an image in the space of the streamlines as ‘reference’",
            ))
        }
        Space::Likely(grid) if shape != [0; 3] && is_described(grid) => {
            doubts.push(format!(
                "{NO_PLACE}; they are taken for those of the image given with it, which has as many"
            ));
            Ok(Some(grid))
        }
        Space::Likely(_) | Space::Unknown => {
            doubts.push(format!(
                "{NO_PLACE}; taking voxel coordinates for RAS mm, as nibabel does (`arcuate convert` with ‘reference’ places \
                 them in an image)"
            ));
            Ok(None)
        }
    }
}

fn voxel_order(
    path: &Path,
    header: &StoredHeader,
    voxel_to_ras: &Affine,
    doubts: &mut Vec<String>,
) -> Result<space::Orientation> {
    let letters = header.voxel_order.as_slice();
    let letters = &letters[..letters.iter().position(|&byte| byte == 0 || byte == b' ').unwrap_or(4)];
    if letters.is_empty() {
        doubts.push("its header names no voxel order; taking LPS, TrackVis's own".to_owned());
    }
    let order = if letters.is_empty() { b"LPS" } else { letters };
    let order = space::parse_letters(order).ok_or_else(|| {
        let problem = format!("its voxel order `{}` does not name three axes", letters.escape_ascii());
        damaged(path, problem)
    })?;
    let actual = space::closest_orientation(voxel_to_ras);
    if (0..3).any(|axis| order[axis].0 != actual[axis].0) {
        doubts.push(format!(
            "its voxel order {} swaps the axes of its affine, {}; reading it as nibabel does: check where the streamlines lie",
            letters.escape_ascii(),
            space::letters(&actual).escape_ascii()
        ));
    }
    Ok(order)
}

/// Reads the names of scalars or properties from header fields of 20 bytes. Each field has a name. If the
/// name has several values, a zero byte and the number of values follow the name.
fn names(path: &Path, what: &str, count: i16, table: &[u8; NAMES * NAME_BYTES]) -> Result<Vec<NamedValues>> {
    let count =
        usize::try_from(count).map_err(|_| damaged(path, format!("its header counts {count} {what}")))?;
    let mut found: Vec<NamedValues> = Vec::new();
    let mut named = 0;
    for bytes in table.chunks_exact(NAME_BYTES) {
        let mut parts = bytes.split(|&byte| byte == 0).map(latin1);
        let name = parts.next().unwrap_or_default();
        let width = match parts.next().as_deref() {
            None | Some("") => 1,
            Some(digits) => digits.parse().ok().filter(|&width| width > 0).ok_or_else(|| {
                damaged(path, format!("its header gives {what} `{name}` the impossible width `{digits}`"))
            })?,
        };
        if name.is_empty() || named >= count {
            continue;
        }
        named += width;
        if named > count {
            let problem = format!("its header names {named} {what} but counts {count}");
            return Err(damaged(path, problem));
        }
        found.push(NamedValues { name: unused(&name, &found), width });
    }
    if named < count {
        // Some programs do not write names of scalars and properties. The values without a name then get the
        // name that nibabel uses.
        found.push(NamedValues { name: unused(what, &found), width: count - named });
    }
    Ok(found)
}

/// Returns `name`. If other values have this name already, a number is added.
fn unused(name: &str, taken: &[NamedValues]) -> String {
    let is_taken = |candidate: &str| taken.iter().any(|other| other.name == candidate);
    let mut candidate = name.to_owned();
    let mut number = 2;
    while is_taken(&candidate) {
        candidate = format!("{name}_{number}");
        number += 1;
    }
    candidate
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// Creates the header of a new file, without the number of streamlines. Also returns the affine from RAS mm
/// to the coordinates of the file.
pub(super) fn encode(
    path: &Path,
    grid: &Grid,
    scalars: &[NamedValues],
    properties: &[NamedValues],
) -> Result<(Vec<u8>, Affine)> {
    let mut dim = [0; 3];
    for (stored, &n) in dim.iter_mut().zip(&grid.shape()) {
        *stored = i16::try_from(n).map_err(|_| {
            let problem = format!("an image of {n} voxels along one axis does not fit the .trk header");
            Error::usage(path.display(), problem, "write .tck or .trx")
        })?;
    }
    let rows = grid.affine().rows();
    let mut vox_to_ras = [0.0; 16];
    vox_to_ras[15] = 1.0;
    for (r, row) in rows.iter().enumerate() {
        for (c, value) in row.iter().enumerate() {
            vox_to_ras[4 * r + c] = *value as f32;
        }
    }
    let voxel_size = grid.voxel_sizes().map(|size| size as f32);
    let unfit = |_| {
        let problem = "the affine of its image does not fit the .trk header";
        Error::usage(path.display(), problem, "write .tck or .trx")
    };
    // The numbers of the affine are rounded to single precision, so that they are those that a reader gets.
    let affine =
        Affine::from_rows(std::array::from_fn(|r| std::array::from_fn(|c| f64::from(vox_to_ras[4 * r + c]))))
            .map_err(unfit)?;
    let order = space::closest_orientation(&affine);
    let [x, y, z] = space::letters(&order);
    let (n_scalars, scalar_name) = encode_names(scalars);
    let (n_properties, property_name) = encode_names(properties);
    let to_file = space::to_ras_mm(&affine, voxel_size.map(f64::from), grid.shape(), &order)
        .and_then(|to_ras_mm| to_ras_mm.inverse())
        .map_err(unfit)?;
    let header = StoredHeader {
        dim,
        voxel_size,
        n_scalars,
        scalar_name,
        n_properties,
        property_name,
        vox_to_ras,
        voxel_order: [x, y, z, 0],
        n_count: 0,
        version: 2,
    };
    Ok((header.bytes(), to_file))
}

/// Returns true if the header has space for the values `named` and their name, in addition to the values
/// `others`.
pub(super) fn fits(named: &NamedValues, others: &[NamedValues]) -> bool {
    let total = others.iter().map(|other| other.width).sum::<usize>() + named.width;
    let bytes = encode_name(named).len();
    !named.name.is_empty()
        && !named.name.contains('\0')
        && named.name.chars().all(|c| u32::from(c) < 256)
        && bytes <= NAME_BYTES
        && others.len() < NAMES
        && i16::try_from(total).is_ok()
}

fn encode_name(named: &NamedValues) -> Vec<u8> {
    let mut bytes: Vec<u8> = named.name.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
    if named.width > 1 {
        bytes.push(0);
        bytes.extend(named.width.to_string().bytes());
    }
    bytes
}

fn encode_names(all: &[NamedValues]) -> (i16, [u8; NAMES * NAME_BYTES]) {
    let mut table = [0; NAMES * NAME_BYTES];
    for (place, named) in table.chunks_exact_mut(NAME_BYTES).zip(all) {
        let name = encode_name(named);
        place[..name.len()].copy_from_slice(&name);
    }
    (narrow::<i16>(all.iter().map(|named| named.width).sum::<usize>()), table)
}
