//! Finds the functions of a file that contain narrowing integer casts.

use crate::source::tokens;

/// Types to which an integer is narrowed, including C names.
const NARROW: [&str; 13] = [
    "u8", "u16", "u32", "i8", "i16", "i32", "c_char", "c_schar", "c_uchar", "c_short", "c_ushort", "c_int",
    "c_uint",
];

/// An item that contains casts.
struct Item {
    name: String,
    /// The number of open brackets at its declaration.
    depth: usize,
    /// True if the opening brace of the item's body has been read.
    has_body: bool,
}

/// Returns the function of each narrowing cast in a file, in order: the innermost one, or the constant, static or
/// macro. `as` in a `use` or in a type is not a cast.
pub(super) fn that_cast(text: &str) -> Vec<String> {
    let tokens = tokens::read(text);
    let word = |n: usize| tokens.get(n).map_or("", String::as_str);
    let mut items: Vec<Item> = Vec::new();
    let (mut casts, mut depth) = (Vec::new(), 0usize);
    for n in 0..tokens.len() {
        // Excludes `*const T` and `<const N: usize>`, which are not items.
        let is_item = n == 0 || matches!(word(n - 1), ";" | "{" | "}" | "pub" | ")");
        let declared = match (word(n), word(n + 1)) {
            ("const", "fn" | "unsafe" | "extern" | "async") => None,
            ("static", "mut") if is_item => Some(word(n + 2).to_owned()),
            ("const" | "static", name) if is_item && tokens::is_name(name) => Some(name.to_owned()),
            ("fn", name) if tokens::is_name(name) => Some(name.to_owned()),
            ("macro_rules", _) => Some(format!("{}!", word(n + 2))),
            _ => None,
        };
        if let Some(name) = declared {
            items.push(Item { name, depth, has_body: false });
        }
        match word(n) {
            "{" | "(" | "[" => {
                if let Some(item) = items.last_mut()
                    && word(n) == "{"
                    && item.depth == depth
                {
                    item.has_body = true;
                }
                depth += 1;
            }
            "}" | ")" | "]" => {
                depth = depth.saturating_sub(1);
                // Ends the items whose body ends here, and the items without a body whose scope ends here.
                while items.last().is_some_and(|item| {
                    depth < item.depth || (word(n) == "}" && item.has_body && depth == item.depth)
                }) {
                    items.pop();
                }
            }
            ";" if items.last().is_some_and(|item| !item.has_body && item.depth == depth) => {
                items.pop();
            }
            "as" if NARROW.contains(&word(n + 1)) => {
                casts.push(items.last().map_or_else(|| "file".to_owned(), |item| item.name.clone()));
            }
            _ => {}
        }
    }
    casts
}
