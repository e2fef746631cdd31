//! Tests that tractograms are read from every format as they were written.

use arcuate_core::{
    Affine, Column, Grid, Point, Result, Scalars, StreamlineBatch, StreamlineSink, Tractogram,
};
use arcuate_io::{
    PositionType, TractogramFormat, TractogramOptions, TractogramReader, TractogramWriter, TrxLayout,
    convert_tractogram, describe_tractogram, read_per_streamline, read_tractogram, read_tractogram_grid,
    stream_tractogram, write_tractogram,
};
use half::f16;
use proptest::prelude::*;
use std::ops::Range;
use std::path::Path;

fn grid() -> Grid {
    let rows = [[-1.9, 0.3, 0.2, 90.0], [0.25, 1.8, -0.5, -120.0], [0.15, 0.45, 2.4, -60.0]];
    Grid::new([96, 110, 60], Affine::from_rows(rows).unwrap()).unwrap()
}

/// Creates a tractogram with streamlines of 3, 0, 1 and 2 points.
fn small() -> Tractogram {
    let mut t = Tractogram::new();
    t.push(&[[1.0, -2.5, 3.25], [1.5, -2.0, 3.0], [2.0, -1.5, 2.75]]);
    t.push(&[]);
    t.push(&[[-40.0, 12.5, 0.0]]);
    t.push(&[[7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]);
    t
}

/// Creates a tractogram with all kinds of data in all number types.
fn with_data() -> Tractogram {
    let mut t = small();
    let column = |width, scalars| Column::new(width, scalars).unwrap();
    let halves = [0.5f32, 1.0, 1.5, 2.0, -2.5, 65504.0].map(f16::from_f32).to_vec();
    t.per_point.insert("fa".into(), column(1, Scalars::F16(halves)));
    t.per_point.insert("colour".into(), column(3, Scalars::U8((0..18).collect())));
    t.per_point.insert("exact".into(), column(1, Scalars::F64((0..6).map(|n| f64::from(n) / 3.0).collect())));
    t.per_streamline.insert("weight".into(), column(1, Scalars::F32(vec![0.25, 0.0, 1.0 / 3.0, 4.0])));
    t.per_streamline.insert("ends".into(), column(2, Scalars::I16(vec![1, -2, 3, -4, 5, -6, 7, -8])));
    t.per_streamline.insert("seed".into(), column(1, Scalars::U64(vec![u64::MAX, 1, 2, 3])));
    t.per_streamline.insert("long".into(), column(1, Scalars::I64(vec![i64::MIN, 1, 2, 3])));
    t.per_streamline.insert("byte".into(), column(1, Scalars::I8(vec![-128, 1, 2, 127])));
    t.per_streamline.insert("short".into(), column(1, Scalars::U16(vec![65535, 1, 2, 3])));
    t.per_streamline.insert("int".into(), column(1, Scalars::I32(vec![i32::MIN, 1, 2, 3])));
    t.per_streamline.insert("uint".into(), column(1, Scalars::U32(vec![u32::MAX, 1, 2, 3])));
    t.groups.members.insert("left".into(), vec![0, 2]);
    t.groups.members.insert("nobody".into(), vec![]);
    let values =
        [("mean_fa", column(1, Scalars::F32(vec![0.5]))), ("rgb", column(3, Scalars::U8(vec![9, 8, 7])))];
    t.groups.values.insert("left".into(), values.map(|(name, c)| (name.to_owned(), c)).into());
    t
}

fn options(positions: PositionType, layout: TrxLayout) -> TractogramOptions {
    TractogramOptions { positions, layout, ..TractogramOptions::default() }
}

fn round_trip(t: &Tractogram, name: &str, grid: &Grid, options: &TractogramOptions) -> Tractogram {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write_tractogram(&path, t, Some(grid), options).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "something temporary remained");
    let mut streamed = Tractogram::new();
    let summary = stream_tractogram(&path, &mut streamed).unwrap();
    let file = read_tractogram(&path).unwrap();
    assert_eq!(file.tractogram.positions(), streamed.positions());
    assert_eq!(file.tractogram.offsets(), streamed.offsets());
    assert_eq!((summary.streamlines, summary.points), (t.len() as u64, t.positions().len() as u64));
    assert_eq!(file.grid, summary.grid);
    assert_eq!(file.grid, read_tractogram_grid(&path).unwrap());
    match summary.format {
        TractogramFormat::Tck => assert_eq!(file.grid, None),
        _ => assert!(file.grid.unwrap().matches(grid)),
    }
    file.tractogram
}

const EXACT: [(&str, PositionType, TrxLayout); 8] = [
    ("a.tck", PositionType::F32, TrxLayout::Stored),
    ("a.TCK", PositionType::F64, TrxLayout::Stored),
    ("a.trx", PositionType::F32, TrxLayout::Stored),
    ("a.trx", PositionType::F32, TrxLayout::Deflated),
    ("a.trx", PositionType::F32, TrxLayout::Folder),
    ("a.trx", PositionType::F64, TrxLayout::Stored),
    ("a.trx", PositionType::F64, TrxLayout::Deflated),
    ("a.trx", PositionType::F64, TrxLayout::Folder),
];

#[test]
fn trx_keeps_all_data_in_every_layout() {
    let t = with_data();
    for (name, positions, layout) in &EXACT[2..] {
        assert_eq!(round_trip(&t, name, &grid(), &options(*positions, *layout)), t, "{positions} {layout:?}");
    }
}

/// DIPY 1.12 writes `offsets.int64`, although the specification requires unsigned offsets.
#[test]
fn trx_with_offsets_of_other_types_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trx");
    write_tractogram(&path, &small(), Some(&grid()), &options(PositionType::F32, TrxLayout::Folder)).unwrap();
    let stored = path.join("offsets.uint32");
    let bytes = std::fs::read(&stored).unwrap();
    let offsets: Vec<u32> =
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    std::fs::remove_file(&stored).unwrap();
    let wide: Vec<u8> = offsets.iter().flat_map(|&n| u64::from(n).to_le_bytes()).collect();
    for (name, bytes) in [("int32", &bytes), ("int64", &wide), ("uint64", &wide)] {
        let other = path.join(format!("offsets.{name}"));
        std::fs::write(&other, bytes).unwrap();
        assert_eq!(read_tractogram(&path).unwrap().tractogram, small(), "{name}");
        std::fs::remove_file(&other).unwrap();
    }
    let below: Vec<u8> = [0i64, -1, 6].iter().flat_map(|n| n.to_le_bytes()).collect();
    std::fs::write(path.join("offsets.int64"), below).unwrap();
    let error = read_tractogram(&path).unwrap_err().to_string();
    assert!(
        error.contains("has the points 0 to 18446744073709551615 of 6") || error.contains("offsets are"),
        "{error}"
    );
}

#[test]
fn trk_keeps_values_in_single_precision() {
    let mut t = with_data();
    t.per_point.insert("a name longer than twenty bytes".into(), t.per_point["fa"].clone());
    let back = round_trip(&t, "a.trk", &grid(), &TractogramOptions::default());
    assert_eq!(back.offsets(), t.offsets());
    assert_eq!(back.per_point.keys().collect::<Vec<_>>(), ["colour", "exact", "fa"]);
    assert_eq!(back.per_streamline.len(), t.per_streamline.len());
    for (name, column) in back.per_point.iter().chain(&back.per_streamline) {
        let before = t.per_point.get(name).or_else(|| t.per_streamline.get(name)).unwrap();
        assert_eq!(column.width(), before.width());
        let single: Vec<f64> = before.values().to_f64().iter().map(|&v| f64::from(v as f32)).collect();
        assert_eq!(column.values().to_f64(), single, "{name}");
    }
    assert!(back.groups.is_empty());
}

#[test]
fn tck_keeps_only_positions() {
    let back = round_trip(&with_data(), "a.tck", &grid(), &TractogramOptions::default());
    assert_eq!(back, small());
}

#[test]
fn empty_tractograms_survive_a_round_trip() {
    for (name, positions, layout) in EXACT {
        assert_eq!(
            round_trip(&Tractogram::new(), name, &grid(), &options(positions, layout)),
            Tractogram::new()
        );
    }
    assert!(round_trip(&Tractogram::new(), "a.trk", &grid(), &TractogramOptions::default()).is_empty());
}

#[test]
fn many_streamlines_are_read_in_several_batches() {
    // The streamlines fill slightly more than three batches. Some are empty, and one is very long.
    let mut t = Tractogram::new();
    let mut point = 0;
    for n in 0..4000 {
        let count = if n == 1234 { 100_000 } else { n % 60 };
        let line: Vec<Point> = (point..point + count).map(|p| [p as f32 / 512.0, -(n as f32), 3.0]).collect();
        point += count;
        t.push(&line);
    }
    for (name, positions, layout) in EXACT {
        assert_eq!(
            round_trip(&t, name, &grid(), &options(positions, layout)),
            t,
            "{name} {positions} {layout:?}"
        );
    }
}

#[test]
fn conversion_keeps_supported_data() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c, d] = ["a.trx", "b.trk", "c.tck", "d.trx"].map(|name| folder.path().join(name));
    write_tractogram(&a, &with_data(), Some(&grid()), &TractogramOptions::default()).unwrap();
    convert_tractogram(&a, &b, None, &TractogramOptions::default()).unwrap();
    let trk = read_tractogram(&b).unwrap();
    assert!(trk.grid.unwrap().matches(&grid()));
    assert_eq!(trk.tractogram.per_point.len(), 3);
    convert_tractogram(&a, &c, None, &TractogramOptions::default()).unwrap();
    assert_eq!(read_tractogram(&c).unwrap().tractogram, small());
    convert_tractogram(&c, &d, Some(&grid()), &TractogramOptions::default()).unwrap();
    assert_eq!(read_tractogram(&d).unwrap().tractogram, small());
    // The file is converted to itself. The new file is complete before it replaces the input.
    convert_tractogram(&a, &a, None, &options(PositionType::F64, TrxLayout::Deflated)).unwrap();
    assert_eq!(read_tractogram(&a).unwrap().tractogram, with_data());
}

#[test]
fn streamlines_and_data_are_streamed_in_batches_of_any_size() {
    let folder = tempfile::tempdir().unwrap();
    let mut t = small();
    t.per_streamline.insert("weight".into(), Column::new(1, Scalars::F32(vec![0.0, 1.0, 2.0, 3.0])).unwrap());
    let points = t.positions().len() as u16;
    let numbers = Column::new(1, Scalars::F32((0..points).map(f32::from).collect())).unwrap();
    t.per_point.insert("number".into(), numbers);
    for name in ["a.trk", "a.trx"] {
        let path = folder.path().join(name);
        let mut writer =
            TractogramWriter::create(&path, Some(&grid()), &TractogramOptions::default()).unwrap();
        for range in [0..0, 0..1, 1..1, 1..3, 3..4] {
            writer.take(t.as_batch().part(range)).unwrap();
        }
        assert_eq!(writer.streamlines(), 4);
        assert!(!path.exists());
        writer.finish().unwrap();
        let back = read_tractogram(&path).unwrap().tractogram;
        assert_eq!((&back.per_streamline, &back.per_point), (&t.per_streamline, &t.per_point), "{name}");
        assert_eq!(back.offsets(), t.offsets());
        assert_eq!(read_per_streamline(&path, "weight").unwrap().as_ref(), Some(&t.per_streamline["weight"]));
        assert_eq!(read_per_streamline(&path, "number").unwrap(), None);

        // Data that the caller does not want are not read.
        let reader = TractogramReader::open(&path).unwrap();
        let mut wanted = reader.data();
        wanted.retain(|data| data.name == "number");
        let mut read = Tractogram::new();
        reader.stream_with(&wanted, &mut read).unwrap();
        assert!(read.per_streamline.is_empty());
        assert_eq!(read.per_point, t.per_point);
    }
}

#[test]
fn data_names_are_kept_without_streamlines() {
    let folder = tempfile::tempdir().unwrap();
    let none = with_data().select(&[]);
    assert!(!none.per_point.is_empty() && !none.per_streamline.is_empty());
    let (path, copy) = (folder.path().join("a.trx"), folder.path().join("b.trx"));
    write_tractogram(&path, &none, Some(&grid()), &TractogramOptions::default()).unwrap();
    convert_tractogram(&path, &copy, None, &TractogramOptions::default()).unwrap();
    let back = read_tractogram(&copy).unwrap().tractogram;
    assert_eq!(back.per_point.keys().collect::<Vec<_>>(), none.per_point.keys().collect::<Vec<_>>());
    assert_eq!(back, none);
}

#[test]
fn unfinished_files_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    for (name, positions, layout) in EXACT {
        let path = folder.path().join(name);
        let mut writer = TractogramWriter::create(&path, Some(&grid()), &options(positions, layout)).unwrap();
        writer.take(small().as_batch()).unwrap();
        drop(writer);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn descriptions_list_the_contents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trx");
    let half = options(PositionType::F16, TrxLayout::Stored);
    write_tractogram(&path, &with_data(), Some(&grid()), &half).unwrap();
    let d = describe_tractogram(&path).unwrap();
    assert_eq!((d.format, d.positions), (TractogramFormat::Trx, PositionType::F16));
    assert_eq!((d.streamlines, d.points), (4, 6));
    let [shortest, mean, median, longest] = d.lengths.unwrap();
    let (first, last) = (small().length(0), small().length(3));
    assert_eq!((shortest, longest), (0.0, last));
    // Lengths are stored in single precision.
    assert!(
        (mean - (first + last) / 4.0).abs() < 1e-5 && (median - first / 2.0).abs() < 1e-5,
        "{mean}, {median}"
    );
    assert_eq!(d.bounds.unwrap(), [[-40.0, -2.5, 0.0], [10.0, 12.5, 12.0]]);
    assert!(d.grid.unwrap().matches(&grid()));
    let shown = |list: &[arcuate_io::DataDescription]| -> Vec<String> {
        list.iter().map(|d| format!("{} {} {}", d.name, d.width, d.kind)).collect()
    };
    let mut per_point = shown(&d.per_point);
    per_point.sort();
    assert_eq!(per_point, ["colour 3 uint8", "exact 1 float64", "fa 1 float16"]);
    assert_eq!(d.per_streamline.len(), 8);
    let mut groups = d.groups.clone();
    groups.sort();
    assert_eq!(groups, [("left".to_owned(), 2), ("nobody".to_owned(), 0)]);
    let mut per_group = shown(&d.per_group);
    per_group.sort();
    assert_eq!(per_group, ["left/mean_fa 1 float32", "left/rgb 3 uint8"]);
}

#[test]
fn real_tracks_survive_a_round_trip_exactly() {
    let Some(path) = arcuate_test_support::real_data("philips_dwi/tracks.tck") else { return };
    let t = read_tractogram(&path).unwrap().tractogram;
    assert_eq!(t.len(), 5000);
    // MRtrix's `tckstats` reports a mean of 74.2788, a minimum of 20 and a maximum of 203 mm. It counts
    // nominal steps of 1 mm, but tckgen rounds the steps at the ends.
    let lengths: Vec<f64> = (0..t.len()).map(|n| t.length(n)).collect();
    assert!((lengths.iter().sum::<f64>() / 5000.0 - 74.2788).abs() < 0.1);
    assert!(lengths.iter().all(|length| (19.9..203.1).contains(length)));
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.tck");
    convert_tractogram(&path, &copy, None, &TractogramOptions::default()).unwrap();
    let data = |path: &Path| {
        let bytes = std::fs::read(path).unwrap();
        let coordinates = t.positions().len() * 12 + t.len() * 12 + 12;
        bytes[bytes.len() - coordinates..].to_vec()
    };
    // MRtrix writes NaN with other bits, so the numbers are compared instead of the bytes.
    let numbers = |bytes: Vec<u8>| -> Vec<f32> {
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    };
    let (before, after) = (numbers(data(&path)), numbers(data(&copy)));
    assert!(before.iter().zip(&after).all(|(a, b)| a == b || (a.is_nan() && b.is_nan())));
}

/// The crate `trk-io` reads our files and places a point at the same RAS mm as Arcuate.
#[test]
fn trk_io_reads_our_trk_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trk");
    let mut t = small().select(&[0, 2, 3]); // trk-io counts wrongly after an empty streamline
    t.per_point
        .insert("two".into(), Column::new(2, Scalars::F32((0..12).map(|n| n as f32).collect())).unwrap());
    write_tractogram(&path, &t, Some(&grid()), &TractogramOptions::default()).unwrap();
    let mut reader = trk_io::Reader::new(&path).unwrap();
    assert_eq!(reader.header.nb_streamlines, 3);
    assert_eq!(reader.header.scalars_name, ["two", "two"]);
    let theirs = reader.tractogram();
    for n in 0..3 {
        let (points, _, _) = theirs.item(n);
        assert_eq!(points.len(), t.streamline(n).len());
        for (point, expected) in points.iter().zip(t.streamline(n)) {
            for axis in 0..3 {
                // trk-io computes in single precision. The tolerance is a few units in the last place of 120
                // mm.
                assert!((point[axis] - expected[axis]).abs() < 1e-4);
            }
        }
    }
    assert_eq!(theirs.scalars.data, (0..12).map(|n| n as f32).collect::<Vec<_>>());
}

fn streamlines() -> impl Strategy<Value = Tractogram> {
    let point = prop::array::uniform3(-300.0f32..300.0);
    let lines = prop::collection::vec(prop::collection::vec(point, 0..30), 0..20);
    lines.prop_map(|lines| {
        let mut t = Tractogram::new();
        for line in &lines {
            t.push(line);
        }
        t
    })
}

/// Draws a grid with any rotation and reversal, voxels of 0.5 to 4 mm, a little shear, and any origin.
fn grids() -> impl Strategy<Value = Grid> {
    let angles = prop::array::uniform3(-std::f64::consts::PI..std::f64::consts::PI);
    let sizes = prop::array::uniform3(0.5..4.0f64);
    let origin = prop::array::uniform3(-200.0..200.0f64);
    let shape = prop::array::uniform3(1usize..300);
    (angles, sizes, origin, shape, any::<bool>(), -0.05..0.05f64).prop_map(
        |([a, b, c], sizes, origin, shape, flip, shear)| {
            let turn = |angle: f64, axis: usize| {
                let (sin, cos) = angle.sin_cos();
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut rows = [[0.0; 4]; 3];
                rows[axis][axis] = 1.0;
                (rows[u][u], rows[u][v], rows[v][u], rows[v][v]) = (cos, -sin, sin, cos);
                Affine::from_rows(rows).unwrap()
            };
            let mut scaled = Affine::scaling(sizes, [0.0; 3]).rows();
            scaled[0][1] = shear * sizes[1];
            scaled[0][0] *= if flip { -1.0 } else { 1.0 };
            let affine =
                turn(a, 0).after(&turn(b, 1)).after(&turn(c, 2)).after(&Affine::from_rows(scaled).unwrap());
            let mut rows = affine.rows();
            for axis in 0..3 {
                rows[axis][3] = origin[axis];
            }
            Grid::new(shape, Affine::from_rows(rows).unwrap()).unwrap()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn exact_formats_preserve_any_tractogram(t in streamlines(), which in 0..EXACT.len()) {
        let (name, positions, layout) = EXACT[which];
        prop_assert_eq!(round_trip(&t, name, &grid(), &options(positions, layout)), t);
    }

    #[test]
    fn half_precision_rounds_to_nearest(t in streamlines()) {
        let back = round_trip(&t, "a.trx", &grid(), &options(PositionType::F16, TrxLayout::Stored));
        prop_assert_eq!(back.offsets(), t.offsets());
        for (a, b) in t.positions().iter().flatten().zip(back.positions().iter().flatten()) {
            prop_assert!((a - b).abs() <= a.abs() * 2f32.powi(-11) + 3e-8); // 11 significant bits of f16
        }
    }

    #[test]
    fn trk_preserves_positions_in_any_image(t in streamlines(), grid in grids()) {
        let back = round_trip(&t, "a.trk", &grid, &TractogramOptions::default());
        prop_assert_eq!(back.offsets(), t.offsets());
        for (a, b) in t.positions().iter().zip(back.positions()) {
            for axis in 0..3 {
                // Positions are stored in single precision as mm from the corner of the image, which is at
                // most about 1,000 mm away.
                prop_assert!((a[axis] - b[axis]).abs() < 3e-4, "{:?} {:?}", a, b);
            }
        }
    }
}

#[test]
fn sub_batches_are_written_like_whole_batches() {
    let folder = tempfile::tempdir().unwrap();
    let whole = small();
    for name in ["a.tck", "a.trk", "a.trx"] {
        let [together, apart] = ["together", "apart"].map(|way| folder.path().join(format!("{way}-{name}")));
        let write = |path: &Path, parts: &[Range<usize>]| {
            let options = TractogramOptions::default();
            let mut writer = TractogramWriter::create(path, Some(&grid()), &options).unwrap();
            for part in parts {
                writer.take(whole.as_batch().part(part.clone())).unwrap();
            }
            writer.finish().unwrap();
            std::fs::read(path).unwrap()
        };
        let all = 0..whole.len();
        assert!(write(&together, &[all]) == write(&apart, &[0..1, 1..3, 3..3, 3..4]), "{name}");
        assert_eq!(read_tractogram(&apart).unwrap().tractogram.offsets(), whole.offsets(), "{name}");
    }
}

/// Counts points without keeping them, as a density map would.
struct Count(u64);
impl StreamlineSink for Count {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.0 += batch.len() as u64;
        if self.0 > 2 { Err(arcuate_core::Error::usage("sink", "full", "stop")) } else { Ok(()) }
    }
}

#[test]
fn sink_errors_stop_reading() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tck");
    write_tractogram(&path, &small(), None, &TractogramOptions::default()).unwrap();
    let error = stream_tractogram(&path, &mut Count(0)).unwrap_err();
    assert_eq!(error.to_string(), "sink: full; stop");
}
