//! Decodes numbers and texts from the bytes of a FreeSurfer file in memory, one after the other. All numbers
//! are big-endian.

use crate::image_errors::too_large;
use crate::memory::reserve;
use crate::xml::damaged;
use arcuate_core::Result;
use std::path::Path;

/// The bytes of a FreeSurfer file that have not been decoded yet.
pub(super) struct Bytes<'a> {
    path: &'a Path,
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(super) fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Self { path, rest: bytes }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Takes the next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| {
            let problem =
                format!("it ends early ({} bytes where {count} are needed at its end)", self.rest.len());
            damaged(self.path, problem)
        })?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        Ok(std::array::from_fn({
            let taken = self.take(N)?;
            move |n| taken[n]
        }))
    }

    pub(super) fn i32(&mut self) -> Result<i32> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn i16(&mut self) -> Result<i16> {
        self.array().map(i16::from_be_bytes)
    }

    /// Reads an integer of three bytes.
    pub(super) fn u24(&mut self) -> Result<u32> {
        let [a, b, c] = self.array()?;
        Ok(u32::from_be_bytes([0, a, b, c]))
    }

    /// Reads a number that states how many items follow in the file, for example vertices. Each item takes
    /// `bytes_each` bytes. `what` names the items in error messages.
    pub(super) fn count(&mut self, what: &str, bytes_each: usize) -> Result<usize> {
        let count = self.i32()?;
        self.there(what, count.into(), bytes_each)
    }

    /// Returns an error if the rest of the file is too short for `count` items of `bytes_each` bytes.
    pub(super) fn there(&self, what: &str, count: i64, bytes_each: usize) -> Result<usize> {
        let fits = usize::try_from(count)
            .ok()
            .filter(|n| n.checked_mul(bytes_each).is_some_and(|bytes| bytes <= self.rest.len()));
        fits.ok_or_else(|| {
            let problem =
                format!("it states {count} {what}, more than its {} bytes can contain", self.rest.len());
            damaged(self.path, problem)
        })
    }

    /// Reads `count` values of 32 bits each. The caller has checked with [`there`](Self::there) that the file
    /// contains them.
    pub(super) fn words<T>(&mut self, count: usize, number: impl Fn([u8; 4]) -> T) -> Result<Vec<T>> {
        let bytes = self.take(count * 4)?;
        let mut values = Vec::new();
        reserve(&mut values, count).map_err(|_| too_large(self.path, count * size_of::<T>()))?;
        values.extend(bytes.chunks_exact(4).map(|b| number([b[0], b[1], b[2], b[3]])));
        Ok(values)
    }

    /// Reads a text whose number of bytes precedes it in the file. The text ends at its first zero byte.
    pub(super) fn text(&mut self) -> Result<String> {
        let length = self.count("characters of a name", 1)?;
        let bytes = self.take(length)?;
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(length);
        Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }
}
