//! Tests with small crates that contain casts, and with lists of exceptions.

use super::*;

/// Returns the casts of a crate with these files.
fn casts_of(files: &[(&str, &str)]) -> Counts {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("crates/some/src");
    for (name, text) in files {
        let file = source.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    casts(folder.path()).unwrap()
}

fn counts(expected: &[(&str, usize)]) -> Counts {
    expected.iter().map(|(name, count)| (format!("crates/some/src/{name}"), *count)).collect()
}

#[test]
fn unlisted_casts_are_rejected() {
    let casts = casts_of(&[("lib.rs", "pub fn planted(n: usize) -> u32 { n as u32 }")]);
    let found = compared(&listed("").unwrap(), &casts);
    assert!(
        found.starts_with(
            "  crates/some/src/lib.rs::planted: 1 narrowing casts, and xtask/src/narrowing_casts.txt allows 0"
        ),
        "{found}"
    );
    let list = listed("crates/some/src/lib.rs::planted | 1 | it fits").unwrap();
    assert_eq!(compared(&list, &casts), "");
    // One more cast in a function of the list.
    let more = casts_of(&[("lib.rs", "pub fn planted(n: usize) -> u32 { (n as u32) + (n as u32) }")]);
    assert!(compared(&list, &more).contains("planted: 2 narrowing casts"), "{more:?}");
}

#[test]
fn stale_entries_are_rejected() {
    let list = listed(
        "# Functions.\n\ncrates/some/src/lib.rs::gone | 1 | it fits\ncrates/some/src/lib.rs::fewer | 2 | it fits\n",
    )
    .unwrap();
    let found = compared(&list, &casts_of(&[("lib.rs", "pub fn fewer(n: usize) -> u32 { n as u32 }")]));
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines.len(), 2, "{found}");
    assert!(
        lines[0].contains("fewer: 1 narrowing casts, and") && lines[0].contains("still allows 2"),
        "{found}"
    );
    assert!(lines[1].contains("gone: 0 narrowing casts, and"), "{found}");
}

#[test]
fn growing_lists_are_rejected() {
    let list = listed("a.rs::f | 1 | it fits\na.rs::g | 2 | it fits").unwrap();
    assert_eq!(of_all(&list, 3), "");
    assert!(of_all(&list, 2).contains("may only shrink from 2"));
    assert!(of_all(&list, 4).contains("lower MOST"));
}

#[test]
fn entries_need_a_count_and_a_reason() {
    for list in ["a.rs::f | 1", "a.rs::f | 0 | it fits", "a.rs::f | some | it fits", "a.rs::f | 1 |  "] {
        assert!(listed(list).is_err(), "{list}");
    }
    assert!(listed("a.rs::f | 1 | it fits\na.rs::f | 2 | it fits").unwrap_err().contains("twice"));
}

#[test]
fn casts_belong_to_the_innermost_function_constant_or_macro() {
    let text = "
        const SIDE: u32 = (4 * 4usize) as u32;
        static mut OTHER: [u8; 2] = [1 as u8; 2];
        macro_rules! cast { ($n:expr) => { $n as i16 } }
        trait Shape { fn size(&self, of: [u8; 3]) -> u32; fn side(&self) -> u32 { 3usize as u32 } }
        impl Shape for () {
            fn size(&self, _: [u8; 3]) -> u32 {
                const fn inner(n: usize) -> u32 { n as u32 }
                const INNER: i32 = 3u64 as i32;
                let each = |n: usize| n as u16;
                inner(2) + u32::from(each(3)) + (INNER as i64) as u32
            }
        }
        fn pointer(f: fn(usize) -> u32, _: *const u8) -> u32 { f(2usize) }
        fn of_c(n: usize) -> i32 { n as c_int }
        fn generic<const N: usize, const M: usize>() -> u8 { N as u8 }
        fn wide(n: u32) -> (usize, u64, f32) { (n as usize, n as u64, n as f32) }";
    let expected = [
        ("lib.rs::INNER", 1),
        ("lib.rs::OTHER", 1),
        ("lib.rs::SIDE", 1),
        ("lib.rs::cast!", 1),
        ("lib.rs::generic", 1),
        ("lib.rs::inner", 1),
        ("lib.rs::of_c", 1),
        ("lib.rs::side", 1),
        ("lib.rs::size", 2),
    ];
    assert_eq!(casts_of(&[("lib.rs", text)]), counts(&expected));
}

#[test]
fn tests_comments_and_strings_are_ignored() {
    let files = [
        ("lib.rs", "mod part; #[cfg(test)] mod tests; #[cfg(test)] fn f(n: usize) -> u8 { n as u8 }"),
        ("tests.rs", "fn f(n: usize) -> u8 { n as u8 }"),
        ("part.rs", "/// n as u8\npub fn f() -> &'static str { /* 3 as u8 */ \"as u8\" }"),
    ];
    assert_eq!(casts_of(&files), Counts::new());
}
