//! Stores the Toeplitz kernel of a k-space trajectory in a file. The kernel is the spectrum of FᴴF, where F
//! is the non-uniform Fourier transform of the trajectory. Further scans with the same trajectory can read
//! the kernel instead of computing it. The file has Arcuate's own format. All numbers are little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 16 | `ARCUATE Q 2` and zeros |
//! | 32 | SHA-256 of the rest |
//! | 8 | bytes per number of the spectrum, 4 or 8 |
//! | 24 | voxels of the image along x, y and z |
//! | 8 | number of numbers in the spectrum |
//! | 32 | fingerprint of the input |
//! | … | the spectrum |

use crate::image_errors::{ends_early, too_large};
use crate::plain_file::PlainFile;
use crate::{AtomicFile, Element};
use arcuate_core::{Error, Result};
use sha2::{Digest, Sha256};
use std::io::Write as _;
use std::path::Path;

const MAGIC: [u8; 16] = *b"ARCUATE Q 2\0\0\0\0\0";
const DIGEST: usize = 32;
const HEADER: usize = MAGIC.len() + DIGEST + 72;
/// Number of elements of the spectrum that are written or hashed at a time.
const BLOCK: usize = 1 << 16;

/// A Toeplitz kernel with the data that its file stores.
#[derive(Debug, Clone, PartialEq)]
pub struct ToeplitzKernelFile<T> {
    /// Number of voxels of the image along x, y and z.
    pub shape: [usize; 3],
    /// A hash of the input from which the kernel was computed. It shows whether a file belongs to a
    /// trajectory.
    pub fingerprint: [u8; 32],
    /// The numbers of the spectrum.
    pub spectrum: Vec<T>,
}

/// Writes a Toeplitz kernel. The file appears when it is complete.
pub fn write_toeplitz_kernel<T: Element>(
    path: &Path,
    shape: [usize; 3],
    fingerprint: &[u8; 32],
    spectrum: &[T],
) -> Result<()> {
    let mut head = Vec::new();
    let numbers = [size_of::<T>()].into_iter().chain(shape).chain([spectrum.len()]);
    numbers.for_each(|number| head.extend((number as u64).to_le_bytes()));
    head.extend(fingerprint);
    let mut file = AtomicFile::create(path)?;
    let mut write = |bytes: &[u8]| file.write_all(bytes).map_err(|e| Error::write(path, e));
    write(&MAGIC)?;
    write(&digest(&head, spectrum))?;
    write(&head)?;
    for chunk in spectrum.chunks(BLOCK) {
        let block: Vec<T> = chunk.iter().map(|value| value.to_little_endian()).collect();
        write(bytemuck::cast_slice(&block))?;
    }
    file.finish()
}

/// Computes the checksum of a kernel file from its bytes before the spectrum (without the checksum) and from
/// the spectrum.
fn digest<T: Element>(head: &[u8], spectrum: &[T]) -> [u8; DIGEST] {
    let mut hash = Sha256::new_with_prefix(head);
    for chunk in spectrum.chunks(BLOCK) {
        let block: Vec<T> = chunk.iter().map(|value| value.to_little_endian()).collect();
        hash.update(bytemuck::cast_slice::<T, u8>(&block));
    }
    hash.finalize().into()
}

/// Reads a Toeplitz kernel whose numbers have the type `T`.
///
/// Returns an error if the file does not contain a Toeplitz kernel, if its numbers have another precision, or
/// if the file was changed or truncated.
pub fn read_toeplitz_kernel<T: Element>(path: &Path) -> Result<ToeplitzKernelFile<T>> {
    let invalid = |problem: String| {
        Error::invalid(
            path.display(),
            problem,
            "give a file that ‘save_q’ wrote, or write the file again with ‘save_q’",
        )
    };
    let file = PlainFile::open(path)?;
    let header = file.start((HEADER as u64).min(file.size()))?;
    let rest = header
        .strip_prefix(&MAGIC)
        .ok_or_else(|| invalid("it is not a file that ‘save_q’ wrote".to_owned()))?;
    let Ok(rest) = <[u8; HEADER - 16]>::try_from(rest) else {
        return Err(ends_early(path, file.size(), HEADER as u64));
    };
    let (found, head) = rest.split_at(DIGEST);
    let (numbers, fingerprint) = head.split_at(40);
    let [bytes, x, y, z, count] =
        std::array::from_fn(|n| u64::from_le_bytes(std::array::from_fn(|byte| numbers[8 * n + byte])));
    let fingerprint = std::array::from_fn(|n| fingerprint[n]);
    if bytes != size_of::<T>() as u64 {
        let name = |bytes| if bytes == 8 { "double" } else { "single" };
        let (own, expected) = (name(bytes), name(size_of::<T>() as u64));
        return Err(invalid(format!("it has {own} precision, but {expected} precision is requested")));
    }
    let size = count.checked_mul(bytes).and_then(|size| size.checked_add(HEADER as u64));
    let size = size.ok_or_else(|| invalid(format!("no memory holds its {count} numbers")))?;
    if file.size() < size {
        return Err(ends_early(path, file.size(), size));
    }
    if file.size() > size {
        return Err(invalid(format!("the file has {} bytes, but its header states {size}", file.size())));
    }
    let mut spectrum = bytemuck::allocation::try_zeroed_vec::<T>(count as usize)
        .map_err(|()| too_large(path, size as usize))?;
    file.read(HEADER as u64, bytemuck::cast_slice_mut(&mut spectrum))?;
    if cfg!(target_endian = "big") {
        for value in &mut spectrum {
            *value = value.to_little_endian();
        }
    }
    if digest(head, &spectrum) != found {
        return Err(invalid("its content does not match its checksum, so it was changed".to_owned()));
    }
    Ok(ToeplitzKernelFile { shape: [x, y, z].map(|n| n as usize), fingerprint, spectrum })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_survive_a_round_trip_and_invalid_files_give_one_line_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.arcuate");
        let spectrum: Vec<f32> = (0..24).map(|n| n as f32 - 3.5).collect();
        let fingerprint = std::array::from_fn(|n| n as u8);
        write_toeplitz_kernel(&path, [2, 3, 1], &fingerprint, &spectrum).unwrap();
        let back = read_toeplitz_kernel::<f32>(&path).unwrap();
        assert_eq!(back, ToeplitzKernelFile { shape: [2, 3, 1], fingerprint, spectrum });
        let good = std::fs::read(&path).unwrap();
        assert_eq!(good.len(), HEADER + 96);
        let message = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let message = read_toeplitz_kernel::<f32>(&path).unwrap_err().to_string();
            message.replace(&format!("{}/", folder.path().display()), "")
        };
        let advice = "give a file that ‘save_q’ wrote, or write the file again with ‘save_q’";
        assert_eq!(message(b"ARCUATE"), format!("q.arcuate: it is not a file that ‘save_q’ wrote; {advice}"));
        for short in [16, 40, HEADER - 1, good.len() - 1] {
            let message = message(&good[..short]);
            assert!(message.contains("end early"), "{message}");
        }
        assert!(
            message(&[&good[..], &[0]].concat())
                .contains("the file has 217 bytes, but its header states 216")
        );
        let mut double = good.clone();
        double[48] = 8;
        assert!(message(&double).contains("it has double precision, but single precision is requested"));
        // Memory is allocated only for data that have been read, not for the size that a damaged header
        // claims.
        let mut claims = good.clone();
        claims[80..88].copy_from_slice(&(1u64 << 40).to_le_bytes());
        assert!(message(&claims).contains("end early"));
        claims[80..88].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(message(&claims).contains("no memory holds"));
        for bit in 0..8 * good.len() {
            let mut changed = good.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            message(&changed);
        }
    }
}
