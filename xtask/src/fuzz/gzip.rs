//! Creates gzip files without compression. Their checksums are correct, so that damaged data reach the reader
//! of a compressed file.

/// Returns the data as one gzip member of stored blocks, with a correct checksum.
pub(super) fn stored(content: &[u8]) -> Vec<u8> {
    // The header states no file name, no time, and an unknown operating system.
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let mut blocks = content.chunks(0xffff).peekable();
    if blocks.peek().is_none() {
        file.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        file.push(u8::from(blocks.peek().is_none()));
        file.extend(length.to_le_bytes());
        file.extend((!length).to_le_bytes());
        file.extend(block);
    }
    file.extend(checksum(content).to_le_bytes());
    file.extend((content.len() as u32).to_le_bytes());
    file
}

/// Computes CRC-32 as in RFC 1952.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let mut checksum = u32::MAX;
    for &byte in bytes {
        checksum ^= u32::from(byte);
        for _ in 0..8 {
            checksum = if checksum & 1 == 1 { (checksum >> 1) ^ 0xedb8_8320 } else { checksum >> 1 };
        }
    }
    !checksum
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_checksum_agrees_with_the_standard() {
        assert_eq!(super::checksum(b"123456789"), 0xcbf4_3926);
    }
}
