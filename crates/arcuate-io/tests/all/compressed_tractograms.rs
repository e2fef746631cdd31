//! Tests of `.tck` and `.trk` files that are gzip data, according to their name or their content.

use crate::common::{Folder, Nowhere, grid, message, two};
use arcuate_core::{Column, Scalars, Tractogram};
use arcuate_io::{
    PositionType, TractogramFormat, TractogramOptions, convert_tractogram, describe_tractogram,
    read_per_streamline, read_tractogram, stream_tractogram, write_tractogram,
};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::io::{Read, Write};
use std::path::Path;

fn with_values() -> Tractogram {
    let mut t = two();
    t.per_point.insert("fa".into(), Column::new(1, Scalars::F32(vec![0.5, 0.25, 1.0, 2.0, 4.0])).unwrap());
    t.per_streamline.insert("w".into(), Column::new(1, Scalars::F32(vec![1.0, 2.0])).unwrap());
    t
}

fn write(path: &Path, t: &Tractogram) {
    let options = TractogramOptions { history: "arcuate track".to_owned(), ..TractogramOptions::default() };
    write_tractogram(path, t, Some(&grid()), &options).unwrap();
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_files_contain_the_bytes_of_plain_files() {
    let folder = Folder::new();
    for (name, t) in [("a.tck", two()), ("a.trk", with_values()), ("none.tck", Tractogram::new())] {
        let [plain, compressed] = [folder.path(name), folder.path(&format!("{name}.gz"))];
        write(&plain, &t);
        write(&compressed, &t);
        let stored = std::fs::read(&compressed).unwrap();
        assert!(stored.starts_with(&[0x1f, 0x8b]), "{name}");
        let mut content = Vec::new();
        MultiGzDecoder::new(&stored[..]).read_to_end(&mut content).unwrap();
        assert_eq!(content, std::fs::read(&plain).unwrap(), "{name}");
        assert_eq!(read_tractogram(&compressed).unwrap(), read_tractogram(&plain).unwrap(), "{name}");
        let described = describe_tractogram(&compressed).unwrap();
        assert!(described.gzip && described.format == TractogramFormat::of(&plain).unwrap(), "{name}");
        assert!(!describe_tractogram(&plain).unwrap().gzip);
    }
    let weights = read_per_streamline(&folder.path("a.trk.gz"), "w").unwrap().unwrap();
    assert_eq!(weights.values(), &Scalars::F32(vec![1.0, 2.0]));
    // Positions are converted to double precision, and one compressed file is converted to another.
    let options = TractogramOptions { positions: PositionType::F64, ..TractogramOptions::default() };
    convert_tractogram(&folder.path("a.trk.gz"), &folder.path("b.tck.gz"), None, &options).unwrap();
    assert_eq!(read_tractogram(&folder.path("b.tck.gz")).unwrap().tractogram, two());
}

#[test]
fn content_decides_whether_a_file_is_decompressed() {
    let folder = Folder::new();
    for ending in ["tck", "trk"] {
        let plain = folder.path(&format!("a.{ending}"));
        write(&plain, &two());
        let bytes = std::fs::read(&plain).unwrap();
        let compressed = folder.put(&format!("b.{ending}"), &gzipped(&bytes));
        assert_eq!(read_tractogram(&compressed).unwrap().tractogram, two());
        let not_compressed = folder.put(&format!("c.{ending}.gz"), &bytes);
        assert_eq!(read_tractogram(&not_compressed).unwrap().tractogram, two());
        // The gzip data have several members, and zeros after the last one.
        let (start, end) = bytes.split_at(90);
        let parts = [gzipped(start), gzipped(end), vec![0; 512]].concat();
        assert_eq!(
            read_tractogram(&folder.put(&format!("D.{ending}.GZ"), &parts)).unwrap().tractogram,
            two()
        );
    }
}

#[test]
fn damaged_compressed_files_are_rejected_in_one_line() {
    let folder = Folder::new();
    for name in ["a.tck.gz", "a.trk.gz"] {
        let path = folder.path(name);
        write(&path, &with_values());
        let whole = std::fs::read(&path).unwrap();
        for end in [whole.len() - 1, whole.len() - 9, whole.len() / 2, 20] {
            let message = message(&folder.put(name, &whole[..end]));
            assert!(message.contains("the compressed data end early (after "), "{end}: {message}");
        }
        let mut sum = whole.clone();
        sum[whole.len() - 6] ^= 1;
        let message = message(&folder.put(name, &sum));
        assert!(message.contains("the compressed data are damaged"), "{message}");
    }
    let not = "a.tck.gz: it is not an MRtrix track file";
    assert!(message(&folder.put("a.tck.gz", &gzipped(b"TRACK"))).starts_with(not));
    let header = b"mrtrix tracks\ndatatype: Float32LE\nfile: . 9999999\nEND\n";
    let message = message(&folder.put("a.tck.gz", &gzipped(header)));
    assert!(message.contains("its header puts the data at byte 9999999"), "{message}");
}

#[test]
fn claimed_sizes_of_compressed_headers_allocate_no_memory() {
    let folder = Folder::new();
    write(&folder.path("a.trk"), &two());
    let mut bytes = std::fs::read(folder.path("a.trk")).unwrap();
    bytes[988..992].copy_from_slice(&i32::MAX.to_le_bytes());
    let refused = message(&folder.put("a.trk.gz", &gzipped(&bytes)));
    assert!(refused.contains("its header counts 2147483647 streamlines"), "{refused}");
    bytes[988..992].copy_from_slice(&0i32.to_le_bytes());
    bytes[1000..1004].copy_from_slice(&i32::MAX.to_le_bytes());
    let refused = message(&folder.put("a.trk.gz", &gzipped(&bytes)));
    assert!(refused.contains("it ends early, in streamline 0"), "{refused}");
    let header = "mrtrix tracks\ndatatype: Float32LE\ncount: 99999999999999\nfile: . 80\nEND\n";
    let positions: Vec<u8> =
        [1.0, 2.0, 3.0, f32::NAN, f32::NAN, f32::NAN].into_iter().flat_map(f32::to_le_bytes).collect();
    let content = [format!("{header:<80}").as_bytes(), &positions[..]].concat();
    assert_eq!(read_tractogram(&folder.put("a.tck.gz", &gzipped(&content))).unwrap().tractogram.len(), 1);
}

#[test]
fn decompression_bombs_are_rejected() {
    let folder = Folder::new();
    let header = "mrtrix tracks\ndatatype: Float32LE\nfile: . 80\nEND\n";
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(format!("{header:<80}").as_bytes()).unwrap();
    // The file has only empty streamlines: 300 MB of separators in little more than a megabyte.
    let separators = vec![0xff; 1 << 20];
    (0..300).for_each(|_| encoder.write_all(&separators).unwrap());
    let path = folder.put("a.tck.gz", &encoder.finish().unwrap());
    let error = stream_tractogram(&path, &mut Nowhere).unwrap_err().to_string();
    assert!(error.contains("so almost all bytes have the same value"), "{error}");
}

#[test]
fn compressed_bytes_do_not_depend_on_the_number_of_threads() {
    let folder = Folder::new();
    let mut t = Tractogram::new();
    let points: Vec<[f32; 3]> = (0..1_000_000u32)
        .map(|n| [n.wrapping_mul(2_654_435_761) as f32 / 1e8, n as f32 / 1e4, 1.0])
        .collect();
    points.chunks(1000).for_each(|streamline| t.push(streamline));
    let written = [1, 3].map(|threads| {
        let path = folder.path(&format!("{threads}.tck.gz"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| write(&path, &t));
        std::fs::read(path).unwrap()
    });
    assert!(written[0] == written[1]);
    assert_eq!(read_tractogram(&folder.path("3.tck.gz")).unwrap().tractogram, t);
}
