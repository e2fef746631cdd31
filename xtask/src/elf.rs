//! Reads the sections and the imported symbols of a program for 64-bit Linux (format ELF, little-endian).

/// Section type of the symbols that the dynamic linker uses.
const DYNAMIC_SYMBOLS: u32 = 11;
/// Section type of memory that is zero at the start, which takes no space in the file.
const NO_BITS: u32 = 8;
/// Flag of sections that are in the memory of the running program.
const ALLOCATED: u64 = 2;
/// Sizes in bytes of the header of a section and of a symbol.
const SECTION_HEADER: usize = 64;
const SYMBOL: usize = 24;
/// Binding of a symbol that must be found when the program starts.
const GLOBAL: u8 = 1;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Section {
    pub(crate) name: String,
    kind: u32,
    flags: u64,
    offset: usize,
    bytes: usize,
    /// The section with the names of this section's symbols.
    link: usize,
}

impl Section {
    /// Returns the bytes that the section takes in a program without symbols for debuggers.
    pub(crate) fn stripped_bytes(&self) -> usize {
        if self.kind != NO_BITS && self.flags & ALLOCATED != 0 { self.bytes } else { 0 }
    }
}

/// Returns the sections of a program, or `None` if the file is no such program.
pub(crate) fn sections(program: &[u8]) -> Option<Vec<Section>> {
    // A 64-bit, little-endian program.
    if !program.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let headers = usize::try_from(long(program, 0x28)?).ok()?;
    let (count, names) = (short(program, 0x3c)?, usize::from(short(program, 0x3e)?));
    let mut all = Vec::new();
    for n in 0..usize::from(count) {
        let at = headers.checked_add(n * SECTION_HEADER)?;
        let section = Section {
            name: String::new(),
            kind: word(program, at + 4)?,
            flags: long(program, at + 8)?,
            offset: usize::try_from(long(program, at + 24)?).ok()?,
            bytes: usize::try_from(long(program, at + 32)?).ok()?,
            link: usize::try_from(word(program, at + 40)?).ok()?,
        };
        all.push((section, usize::try_from(word(program, at)?).ok()?));
    }
    let names = all.get(names)?.0.offset;
    let named = all
        .into_iter()
        .map(|(section, name)| Some(Section { name: text(program, names.checked_add(name)?)?, ..section }));
    named.collect()
}

/// Returns the symbols that a program needs from libraries when it starts. Symbols that may be missing (weak
/// symbols) are not part of the list.
pub(crate) fn imports(program: &[u8]) -> Option<Vec<String>> {
    let sections = sections(program)?;
    let mut imports = Vec::new();
    for table in sections.iter().filter(|section| section.kind == DYNAMIC_SYMBOLS) {
        let names = sections.get(table.link)?.offset;
        for n in 0..table.bytes / SYMBOL {
            let at = table.offset.checked_add(n * SYMBOL)?;
            let (name, binding) = (word(program, at)?, program.get(at + 4)? >> 4);
            let is_undefined = short(program, at + 6)? == 0;
            if is_undefined && binding == GLOBAL && name != 0 {
                imports.push(text(program, names.checked_add(usize::try_from(name).ok()?)?)?);
            }
        }
    }
    imports.sort();
    Some(imports)
}

/// Returns the newest glibc version (2.`n`) whose functions a program requires, as `n`.
pub(crate) fn newest_glibc(program: &[u8]) -> Option<u32> {
    let minor = |rest: &[u8]| {
        let rest = rest.strip_prefix(b"LIBC_2.")?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).map(|&byte| char::from(byte));
        digits.collect::<String>().parse::<u32>().ok()
    };
    program.split(|&byte| byte == b'G').filter_map(minor).max()
}

fn short(program: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*program.get(at..)?.first_chunk()?))
}

fn word(program: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*program.get(at..)?.first_chunk()?))
}

fn long(program: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*program.get(at..)?.first_chunk()?))
}

/// Returns the text at this position, which a zero ends.
fn text(program: &[u8], at: usize) -> Option<String> {
    let rest = program.get(at..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_glibc_is_found() {
        assert_eq!(newest_glibc(b"..GLIBC_2.17\0GLIBC_2.34\0GLIBC_2.4\0GLIBC_PRIVATE"), Some(34));
        assert_eq!(newest_glibc(b"a script"), None);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn this_program_has_sections_and_imports() {
        let program = std::fs::read(std::env::current_exe().expect("this program")).expect("a file");
        let sections = sections(&program).expect("sections");
        let bytes = |name: &str| sections.iter().find(|s| s.name == name).map(Section::stripped_bytes);
        assert!(bytes(".text") > Some(100_000) && bytes(".bss") == Some(0), "{sections:?}");
        let sum: usize = sections.iter().map(Section::stripped_bytes).sum();
        assert!(sum > 200_000 && sum < program.len(), "{sum}");
        let imports = imports(&program).expect("imports");
        assert!(imports.iter().any(|name| name == "memcpy"), "{imports:?}");
        assert!(!imports.iter().any(|name| name == "__cxa_finalize"), "it is weak: {imports:?}");
        assert_eq!(super::sections(&program[..1000]), None, "a part of a program");
        assert_eq!(super::sections(b"#!/bin/sh"), None);
    }
}
