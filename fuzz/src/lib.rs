//! Inputs of fuzz targets, and an allocator that ends the program if a reader allocates too much memory.
//!
//! An input begins with a line that names its files: `scan.nii`, or `scan.hdr 348 scan.img` if the first 348 bytes after
//! the line are one file and the remaining bytes another file. The content of the files follows.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Memory that a reader may always allocate, in bytes. It exceeds the buffers of all readers.
const ALWAYS: usize = 48 << 20;
/// Memory per byte of a file, in bytes. Compression makes data up to 1032 times smaller. The values of an image have at most
/// eight bytes for each byte in the file.
const PER_BYTE: usize = 8 * 1032;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

struct Limited;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

// SAFETY: all functions call the allocator of the system. They only count bytes.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        allocates(layout.size());
        // SAFETY: the caller passes a valid layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        allocates(layout.size());
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        allocates(size);
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller passes a pointer of this allocator with its layout.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as in `realloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn allocates(size: usize) {
    if ALLOCATED.fetch_add(size, Ordering::Relaxed).saturating_add(size) > LIMIT.load(Ordering::Relaxed) {
        too_much(size);
    }
}

#[cold]
fn too_much(size: usize) {
    LIMIT.store(usize::MAX, Ordering::Relaxed);
    panic!("a reader allocates {size} bytes, which is too much for a file of this size");
}

/// The folder of this process for the files of inputs.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("arcuate-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    folder
});

/// Writes the files of an input and calls `read` with the path of the first file. Returns false, and does nothing, if
/// `known` does not have the names of the files.
pub fn with_files(input: &[u8], known: &[&[&'static str]], read: impl FnOnce(&Path)) -> bool {
    let Some(files) = files_of(input, known) else { return false };
    let mut path = None;
    for (name, content) in &files {
        let file = FOLDER.join(name);
        // An existing file is overwritten, which is faster than to create it.
        let written = std::fs::File::create(&file).and_then(|mut file| file.write_all(content));
        written.expect("the folder for temporary files can be written");
        path = path.or(Some(file));
    }
    let Some(path) = path else { return false };
    LIMIT.store(ALLOCATED.load(Ordering::Relaxed) + ALWAYS + PER_BYTE * input.len(), Ordering::Relaxed);
    read(&path);
    LIMIT.store(usize::MAX, Ordering::Relaxed);
    true
}

fn files_of<'i>(input: &'i [u8], known: &[&[&'static str]]) -> Option<Vec<(&'static str, &'i [u8])>> {
    let end = input.iter().take(100).position(|byte| *byte == b'\n')?;
    let mut content = &input[end + 1..];
    let mut words = std::str::from_utf8(&input[..end]).ok()?.split(' ');
    let names = known.iter().find(|names| words.clone().step_by(2).eq(names.iter().copied()))?;
    let mut files = Vec::new();
    for name in *names {
        words.next();
        let size = words.next().map_or(Some(content.len()), |size| size.parse().ok())?;
        let (file, rest) = content.split_at_checked(size)?;
        files.push((*name, file));
        content = rest;
    }
    Some(files)
}

/// Defines a fuzz target: the names of the files that it reads, and the function that reads them.
#[macro_export]
macro_rules! target {
    ($names:expr, $read:expr) => {
        libfuzzer_sys::fuzz_target!(|input: &[u8]| -> libfuzzer_sys::Corpus {
            if $crate::with_files(input, $names, $read) {
                libfuzzer_sys::Corpus::Keep
            } else {
                libfuzzer_sys::Corpus::Reject
            }
        });
    };
}
