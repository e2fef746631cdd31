//! Finds the numbers that `kernels.cu` or a header of its crate defines. They are written to a Rust file, so
//! that numbers which Rust and the kernels share are defined only once. The file has no dependencies, so that
//! the types of kernel parameters can use these numbers.

use super::signature::tokens;
use std::collections::BTreeMap;
use std::path::Path;

/// A macro that is a number: `#define NAME number`, or an expression of integers and of such names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Constant {
    pub(super) name: String,
    pub(super) value: Value,
}

/// A number with the type of its literal. A C++ `int` is non-negative and becomes `u32`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    Whole(u32),
    Long(u64),
    Single(f32),
    Double(f64),
}

/// Returns the constants in `text`. It is the output of the preprocessor with definitions and line origins
/// (`-E -dD`). Only definitions in files under `own` but not under `shared` are returned. Only kernels use
/// the other definitions.
pub(super) fn read(text: &str, own: &Path, shared: &Path) -> Vec<Constant> {
    let mut constants: Vec<Constant> = Vec::new();
    let mut known = BTreeMap::new();
    let mut is_own = false;
    for line in text.lines() {
        if let Some(origin) = line.strip_prefix("# ") {
            let file = origin.split('"').nth(1).unwrap_or_default();
            is_own = Path::new(file).starts_with(own) && !Path::new(file).starts_with(shared);
        } else if let Some(definition) = line.strip_prefix("#define ") {
            let (name, definition_text) = definition.split_once(' ').unwrap_or((definition, ""));
            // A macro with arguments is not a number.
            let value = if name.contains('(') { None } else { value_of(definition_text.trim(), &known) };
            let Some(value) = value else { continue };
            known.insert(name.to_owned(), value);
            if is_own && constants.iter().all(|constant| constant.name != name) {
                constants.push(Constant { name: name.to_owned(), value });
            }
        }
    }
    constants
}

fn value_of(definition_text: &str, known: &BTreeMap<String, Value>) -> Option<Value> {
    let is_decimal = |c: char| c.is_ascii_digit() || ".e+-".contains(c);
    if definition_text.contains(['.', 'e']) && !definition_text.starts_with("0x") {
        let (digits, is_single) =
            definition_text.strip_suffix('f').map_or((definition_text, false), |digits| (digits, true));
        if !digits.chars().all(is_decimal) {
            return None;
        }
        return if is_single {
            digits.parse().ok().map(Value::Single)
        } else {
            digits.parse().ok().map(Value::Double)
        };
    }
    let tokens = tokens(definition_text);
    let mut rest = &tokens[..];
    let value = sum(&mut rest, known)?;
    rest.is_empty().then_some(value)
}

/// Parses a sum of products at the beginning of `rest`, and removes it from `rest`.
fn sum(rest: &mut &[&str], known: &BTreeMap<String, Value>) -> Option<Value> {
    let mut value = product(rest, known)?;
    while let [sign @ ("+" | "-"), after @ ..] = *rest {
        *rest = after;
        let other = product(rest, known)?;
        value = if *sign == "+" {
            of_both(value, other, u64::checked_add)?
        } else {
            of_both(value, other, u64::checked_sub)?
        };
    }
    Some(value)
}

fn product(rest: &mut &[&str], known: &BTreeMap<String, Value>) -> Option<Value> {
    let mut value = atom(rest, known)?;
    while let [sign @ ("*" | "/"), after @ ..] = *rest {
        *rest = after;
        let other = atom(rest, known)?;
        value = if *sign == "*" {
            of_both(value, other, u64::checked_mul)?
        } else {
            of_both(value, other, u64::checked_div)?
        };
    }
    Some(value)
}

fn atom(rest: &mut &[&str], known: &BTreeMap<String, Value>) -> Option<Value> {
    let (&first, after) = rest.split_first()?;
    *rest = after;
    if first == "(" {
        let value = sum(rest, known)?;
        let (&close, after) = rest.split_first()?;
        *rest = after;
        return (close == ")").then_some(value);
    }
    if !first.starts_with(|c: char| c.is_ascii_digit()) {
        return known.get(first).copied();
    }
    let digits = first.trim_end_matches(['u', 'U', 'l', 'L']);
    let is_long = first[digits.len()..].contains(['l', 'L']);
    let digits = digits.replace('\'', "");
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    let value = value.ok()?;
    if is_long { Some(Value::Long(value)) } else { u32::try_from(value).ok().map(Value::Whole) }
}

/// Combines two integers in the wider type of the two. Returns `None` on overflow.
fn of_both(one: Value, other: Value, of: impl Fn(u64, u64) -> Option<u64>) -> Option<Value> {
    match (one, other) {
        (Value::Whole(one), Value::Whole(other)) => {
            u32::try_from(of(one.into(), other.into())?).ok().map(Value::Whole)
        }
        (Value::Long(one), Value::Long(other)) => of(one, other).map(Value::Long),
        (Value::Long(one), Value::Whole(other)) => of(one, other.into()).map(Value::Long),
        (Value::Whole(one), Value::Long(other)) => of(one.into(), other).map(Value::Long),
        _ => None,
    }
}

/// Returns the text of `constants.rs`.
pub(super) fn rust(constants: &[Constant]) -> String {
    let line = |Constant { name, value }: &Constant| {
        let (kind, value) = match value {
            Value::Whole(value) => ("u32", value.to_string()),
            Value::Long(value) => ("u64", value.to_string()),
            Value::Single(value) => ("f32", format!("{value:?}")),
            Value::Double(value) => ("f64", format!("{value:?}")),
        };
        format!("pub(super) const {name}: {kind} = {value};\n")
    };
    let lines = constants.iter().map(line).collect::<Vec<_>>().concat();
    format!(
        "//! Constants that `kernels.cu` and its headers define, with the same values for Rust code. Rust code may\n//! leave some of them unused.\n#![allow(dead_code)]\n\n{lines}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constants(definitions: &str) -> Vec<(String, Value)> {
        let text = format!("# 1 \"/crates/some/src/kernels.cu\"\n{definitions}");
        read(&text, Path::new("/crates/some"), Path::new("/crates/some/shared"))
            .into_iter()
            .map(|c| (c.name, c.value))
            .collect()
    }

    fn one(definition_text: &str) -> Option<Value> {
        constants(&format!("#define SOME {definition_text}\n")).pop().map(|(_, value)| value)
    }

    #[test]
    fn numbers_have_the_types_of_their_literals() {
        assert_eq!(one("256"), Some(Value::Whole(256)));
        assert_eq!(one("0xffffffffu"), Some(Value::Whole(u32::MAX)));
        assert_eq!(one("0x8000000000000000ull"), Some(Value::Long(1 << 63)));
        assert_eq!(one("1'000"), Some(Value::Whole(1000)));
        assert_eq!(one("256.f"), Some(Value::Single(256.0)));
        assert_eq!(one("1e-30"), Some(Value::Double(1e-30)));
        assert_eq!(one("-0.25"), Some(Value::Double(-0.25)));
        for definition_text in [
            "",
            "-1",
            "0x1ffffffffu",
            "3 - 4",
            "(2",
            "2 2",
            "other",
            "__launch_bounds__(8)",
            "1 / 0",
            "e",
            "1.5 * 2",
        ] {
            assert_eq!(one(definition_text), None, "{definition_text}");
        }
    }

    #[test]
    fn expressions_can_use_earlier_definitions() {
        let definition_text = constants(
            "#define THREADS 256\n#define WARPS (THREADS / 32 - 2 * 3)\n#define BITS (WARPS + 1ull)\n",
        );
        let expected = [("THREADS", Value::Whole(256)), ("WARPS", Value::Whole(2)), ("BITS", Value::Long(3))];
        assert_eq!(definition_text, expected.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn definitions_of_the_compiler_and_shared_headers_are_ignored() {
        let definition_text = constants(
            "#define ONE 1\n#define F(x) 2\n# 1 \"/usr/include/some.h\"\n#define TWO 2\n# 5 \"/crates/some/shared/some.cuh\" 1\n\
             #define THREE 3\n# 9 \"/crates/some/src/kernels.cu\" 2\n#define FOUR THREE + ONE\n",
        );
        assert_eq!(
            definition_text,
            [("ONE".to_owned(), Value::Whole(1)), ("FOUR".to_owned(), Value::Whole(4))]
        );
    }

    #[test]
    fn generated_rust_has_a_line_for_each_constant() {
        let constant = |name: &str, value| Constant { name: name.to_owned(), value };
        let text = rust(&[constant("LANES", Value::Whole(8)), constant("LARGEST", Value::Double(1e6))]);
        assert!(text.contains("\npub(super) const LANES: u32 = 8;\n"), "{text}");
        assert!(text.contains("const LARGEST: f64 = 1000000.0;\n"), "{text}");
    }
}
