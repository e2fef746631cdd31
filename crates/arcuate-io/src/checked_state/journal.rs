//! A journal is a file to which records (byte strings) are appended during a run. The file has this format:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `ARCJOURN` |
//! | 16 | name of the kind of state, padded with zeros |
//! | 4 | version of the kind, little-endian |
//! | 16 | checksum of the above |
//! | … | records: the length (4 bytes, little-endian), the content, a checksum of 16 bytes |
//! | 20 | at the end of a complete journal: the length 2³² − 1 and a checksum |
//!
//! The checksum of a record is the first half of a SHA-256. This covers the previous checksum, the length of
//! the record and the content of the record. Each checksum therefore depends on all earlier records: no
//! record can be changed, removed, moved or taken from another file without a wrong checksum. With 128 bits,
//! a wrong record that matches by accident is impossible in practice. A [`JournalPosition`] is a length of
//! the file and the checksum at that length. A program that saves a position can continue the journal from
//! there, whatever was written after it before the run was killed.

use super::kind::{NAME, SavedState, StateKind};
use arcuate_core::{Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{Read, Write};

const MAGIC: &[u8; 8] = b"ARCJOURN";
const LINK: usize = 16;
const HEAD: usize = MAGIC.len() + NAME + 4;
/// The value of the length field that marks the end of a complete journal instead of a record.
const END: u32 = u32::MAX;

type Link = [u8; LINK];

/// A position in a journal file between two records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalPosition {
    /// Number of bytes of the journal file before this position.
    pub bytes: u64,
    /// The checksum at this position.
    link: Link,
}

fn head(kind: StateKind) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..MAGIC.len()].copy_from_slice(MAGIC);
    head[MAGIC.len()..][..NAME].copy_from_slice(&kind.name_bytes());
    head[MAGIC.len() + NAME..].copy_from_slice(&kind.version.to_le_bytes());
    head
}

fn link(before: &[u8], length: u32, record: &[u8]) -> Link {
    let hash = Sha256::new().chain_update(before).chain_update(length.to_le_bytes()).chain_update(record);
    let digest: [u8; 32] = hash.finalize().into();
    std::array::from_fn(|n| digest[n])
}

/// Appends records to a journal.
#[derive(Debug)]
pub struct JournalWriter<W> {
    writer: W,
    at: JournalPosition,
}

impl<W: Write> JournalWriter<W> {
    /// Starts a journal in an empty file.
    ///
    /// # Errors
    /// Returns an error if the writer fails.
    pub fn begin(mut writer: W, kind: StateKind) -> std::io::Result<Self> {
        let head = head(kind);
        let link = link(&head, 0, &[]);
        writer.write_all(&head)?;
        writer.write_all(&link)?;
        Ok(Self { writer, at: JournalPosition { bytes: (HEAD + LINK) as u64, link } })
    }

    /// Continues a journal from the saved position `at`. The caller has set the writer to this position of
    /// the file.
    pub fn resume(writer: W, at: JournalPosition) -> Self {
        Self { writer, at }
    }

    /// Appends a record.
    ///
    /// # Errors
    /// Returns an error if the writer fails, or if the record has 4 GiB or more.
    pub fn append(&mut self, record: &[u8]) -> std::io::Result<()> {
        let length = u32::try_from(record.len()).ok().filter(|length| *length != END);
        let length = length.ok_or_else(|| {
            std::io::Error::other("one record for the file of saved results has 4 GiB or more")
        })?;
        self.put(length, record)
    }

    fn put(&mut self, length: u32, record: &[u8]) -> std::io::Result<()> {
        let link = link(&self.at.link, length, record);
        self.writer.write_all(&length.to_le_bytes())?;
        self.writer.write_all(record)?;
        self.writer.write_all(&link)?;
        self.at = JournalPosition { bytes: self.at.bytes + (4 + record.len() + LINK) as u64, link };
        Ok(())
    }

    /// Marks the journal as complete.
    ///
    /// # Errors
    /// Returns an error if the writer returns one.
    pub fn finish(&mut self) -> std::io::Result<()> {
        self.put(END, &[])?;
        self.writer.flush()
    }

    /// The position in the journal file after the last record that was written.
    pub fn position(&self) -> JournalPosition {
        self.at
    }

    /// The writer to which the journal appends records.
    pub fn writer(&mut self) -> &mut W {
        &mut self.writer
    }
}

/// Reads the records of a journal.
#[derive(Debug)]
pub struct JournalReader<'a, R> {
    file: SavedState<'a>,
    reader: R,
    at: JournalPosition,
    /// The saved position at which reading stops. `None` for a complete journal, which is read up to its end
    /// mark.
    until: Option<JournalPosition>,
    /// Number of bytes to read: those before the saved position, or all bytes of the file.
    size: u64,
}

impl<'a, R: Read> JournalReader<'a, R> {
    /// Starts to read a journal file of `size` bytes. If `until` has a saved position, records are read up to
    /// this position. If not, the whole journal is read.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is too short, or is a journal of another kind or another
    /// version.
    pub fn begin(
        file: SavedState<'a>,
        mut reader: R,
        size: u64,
        until: Option<JournalPosition>,
    ) -> Result<Self> {
        let size = match until {
            Some(until) if until.bytes > size => {
                let problem = format!("it has {size} bytes, and {} were saved", until.bytes);
                return Err(file.damaged(problem));
            }
            Some(until) => until.bytes,
            None => size,
        };
        let mut begin = [0; HEAD + LINK];
        if size < begin.len() as u64 {
            return Err(file.damaged("it is too short to hold a saved state"));
        }
        reader.read_exact(&mut begin).map_err(|e| Error::read(file.path, e))?;
        let (head, found) = begin.split_at(HEAD);
        if !head.starts_with(MAGIC) {
            return Err(file.damaged("it is not a saved state of Arcuate"));
        }
        let link = link(head, 0, &[]);
        if link != found {
            return Err(file.changed());
        }
        let (name, version) = head[MAGIC.len()..].split_at(NAME);
        let version = version.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        file.require_kind(String::from_utf8_lossy(name).trim_end_matches('\0'), version)?;
        Ok(Self { file, reader, at: JournalPosition { bytes: begin.len() as u64, link }, until, size })
    }

    /// Reads the next record of the journal into `record`. Returns false if there is no further record.
    ///
    /// # Errors
    /// Returns an error if the record was changed or truncated, or if bytes follow the end mark.
    pub fn next_into(&mut self, record: &mut Vec<u8>) -> Result<bool> {
        if let Some(until) = self.until
            && self.at.bytes == until.bytes
        {
            return if self.at == until { Ok(false) } else { Err(self.file.changed()) };
        }
        let mut length = [0; 4];
        self.read(&mut length, 4)?;
        let length = u32::from_le_bytes(length);
        let is_end = length == END && self.until.is_none();
        record.clear();
        if !is_end {
            // The length of the record is compared with the size of the file before memory for the record is
            // allocated.
            self.require(4 + u64::from(length))?;
            record.resize(length as usize, 0);
            self.read(record, 4 + u64::from(length))?;
        }
        let bytes = self.at.bytes + 4 + record.len() as u64 + LINK as u64;
        let mut found = [0; LINK];
        self.read(&mut found, bytes - self.at.bytes)?;
        let link = link(&self.at.link, length, record);
        if found != link || is_end && bytes != self.size {
            return Err(self.file.changed());
        }
        self.at = JournalPosition { bytes, link };
        Ok(!is_end)
    }

    /// Returns an error if fewer than `bytes` bytes of the file follow the last record that was read.
    fn require(&self, bytes: u64) -> Result<()> {
        if self.at.bytes + bytes > self.size { Err(self.file.changed()) } else { Ok(()) }
    }

    fn read(&mut self, bytes: &mut [u8], end: u64) -> Result<()> {
        self.require(end)?;
        self.reader.read_exact(bytes).map_err(|e| Error::read(self.file.path, e))
    }
}

#[cfg(test)]
mod tests {
    use super::super::damage::damaged_copies;
    use super::*;
    use std::path::Path;

    const KIND: StateKind = StateKind { name: "test rows", version: 1 };
    const RECORDS: [&[u8]; 4] = [b"one", b"", b"two and two", b"three"];

    fn records(bytes: &[u8], until: Option<JournalPosition>) -> Result<Vec<Vec<u8>>> {
        let file = SavedState { path: Path::new("rows.part"), kind: KIND, remedy: "delete it" };
        let mut reader = JournalReader::begin(file, bytes, bytes.len() as u64, until)?;
        let (mut all, mut record) = (Vec::new(), Vec::new());
        while reader.next_into(&mut record)? {
            all.push(record.clone());
        }
        Ok(all)
    }

    fn written() -> (Vec<u8>, JournalPosition) {
        let mut journal = JournalWriter::begin(Vec::new(), KIND).unwrap();
        RECORDS[..2].iter().for_each(|record| journal.append(record).unwrap());
        let saved = journal.position();
        RECORDS[2..].iter().for_each(|record| journal.append(record).unwrap());
        journal.finish().unwrap();
        (std::mem::take(journal.writer()), saved)
    }

    #[test]
    fn bit_changes_and_truncations_of_a_journal_are_detected() {
        let (whole, _) = written();
        assert_eq!(records(&whole, None).unwrap(), RECORDS);
        let refused = |bytes: &[u8], what: &str| {
            let error = records(bytes, None).unwrap_err().to_string();
            assert!(error.starts_with("rows.part: ") && error.ends_with("; delete it"), "{what}: {error}");
        };
        damaged_copies(&whole).for_each(|(bytes, what)| refused(&bytes, &what));
        refused(&[whole.as_slice(), &[0]].concat(), "one byte more");
        refused(&vec![0; whole.len()], "zeros");
        refused(&vec![255; whole.len()], "ones");
    }

    #[test]
    fn records_after_the_saved_position_are_dropped() {
        let (whole, saved) = written();
        let end = saved.bytes as usize;
        assert_eq!(records(&whole, Some(saved)).unwrap(), RECORDS[..2]);
        for torn in [&whole[..end], &whole[..end + 3], &[&whole[..end], &[255; 9]].concat()] {
            assert_eq!(records(torn, Some(saved)).unwrap(), RECORDS[..2]);
        }
        for bit in 0..8 * end {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(records(&bytes, Some(saved)).is_err(), "bit {bit}");
        }
        for length in 0..end {
            assert!(records(&whole[..length], Some(saved)).is_err(), "{length} bytes");
        }
        // The records of the second journal have the same lengths as those of the first, but other contents.
        let mut other = JournalWriter::begin(Vec::new(), KIND).unwrap();
        for record in [b"One".as_slice(), b""] {
            other.append(record).unwrap();
        }
        assert_eq!(other.position().bytes, saved.bytes);
        assert!(records(other.writer(), Some(saved)).is_err());
    }

    #[test]
    fn journals_continue_from_a_saved_position() {
        let (whole, saved) = written();
        let begin = whole[..saved.bytes as usize].to_vec();
        let mut journal = JournalWriter::resume(begin, saved);
        RECORDS[2..].iter().for_each(|record| journal.append(record).unwrap());
        journal.finish().unwrap();
        assert_eq!(*journal.writer(), whole);
    }
}
