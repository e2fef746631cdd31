//! Writes `kernels.rs`: the table of the kernels of a `kernels.cu`. The macro `arcuate_compute::kernels`
//! expands each line to a function that launches the kernel. The parameters of the function have the types of
//! the kernel's parameters, so that code with other types does not compile.

use super::signature::{Declarations, Form, Kernel, Parameter, Structure, Type};

/// The maximum line width, as in rustfmt.toml.
const WIDTH: usize = 110;

/// Kernels with one line in the table. They have the same parameters, except for the precision. Their names
/// differ in the precision and in the numbers at the end.
struct Family<'a> {
    /// The beginning that the names of all these kernels share.
    stem: &'a str,
    /// True if there are kernels for single and for double precision.
    precisions: bool,
    /// The number of integers at the end of the name of each kernel.
    numbers: usize,
    parameters: Vec<Parameter>,
}

/// Returns the text of `kernels.rs`.
pub(super) fn rust(declarations: &Declarations) -> String {
    let structures = &declarations.structures;
    let generated: Vec<&str> = structures.iter().map(|structure| structure.name.as_str()).collect();
    let mut groups: Vec<String> = structures.iter().map(definition).collect();
    groups.push(families(&declarations.kernels).iter().map(|family| line(family, &generated)).collect());
    format!(
        "//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its \
         syntax.\n\narcuate_compute::kernels! {{\n{}}}\n",
        groups.join("\n")
    )
}

/// Groups kernels into families.
fn families(kernels: &[Kernel]) -> Vec<Family<'_>> {
    let mut groups: Vec<Vec<&Kernel>> = Vec::new();
    for kernel in kernels {
        match groups.iter_mut().find(|group| kind(&group[0].name) == kind(&kernel.name)) {
            Some(group) => group.push(kernel),
            None => groups.push(vec![kernel]),
        }
    }
    let families = groups.iter().flat_map(|group| {
        together(group).map_or_else(|| group.iter().map(|kernel| alone(kernel)).collect(), |one| vec![one])
    });
    families.collect()
}

fn alone(kernel: &Kernel) -> Family<'_> {
    Family { stem: &kernel.name, precisions: false, numbers: 0, parameters: kernel.parameters.clone() }
}

/// If there are several kernels that differ only in precision and numbers, returns them as one family.
fn together<'a>(group: &[&'a Kernel]) -> Option<Family<'a>> {
    let name = &group[0].name;
    let (stem, precision, numbers) = parts(name);
    let same = |kernels: &[&Kernel]| kernels.iter().all(|k| k.parameters == kernels[0].parameters);
    let (single, double): (Vec<&Kernel>, Vec<&Kernel>) =
        group.iter().partition(|kernel| parts(&kernel.name).1 == Some("f32"));
    let precisions = precision.is_some() && !single.is_empty() && !double.is_empty();
    let (stem, parameters) = if precisions {
        let both = in_both(&single[0].parameters, &double[0].parameters)?;
        (stem, (same(&single) && same(&double)).then_some(both)?)
    } else {
        // If the kernels exist only in one precision, this precision is a part of the name.
        let end = name.len() - numbers.iter().map(|number| number.len() + 1).sum::<usize>();
        (&name[..end], (group.len() > 1 && same(group)).then(|| group[0].parameters.clone())?)
    };
    Some(Family { stem, precisions, numbers: numbers.len(), parameters })
}

/// Splits a name into stem, precision and trailing numbers: `rows_f32_96` becomes `rows`, `f32`, 96.
fn parts(name: &str) -> (&str, Option<&str>, Vec<&str>) {
    let mut words: Vec<&str> = name.split('_').collect();
    let is_number = |word: &&str| word.parse::<u32>().is_ok_and(|number| number.to_string() == *word);
    let behind = words.iter().rposition(|word| !is_number(word)).map_or(0, |last| last + 1);
    let numbers = words.split_off(behind.max(1));
    let precision = if words.len() > 1 { words.pop_if(|word| ["f32", "f64"].contains(word)) } else { None };
    let stem = words.iter().map(|word| word.len() + 1).sum::<usize>().saturating_sub(1);
    (&name[..stem], precision, numbers)
}

/// Returns the properties that the names of kernels in one family must share: the stem, whether the name has
/// a precision, and how many numbers it has.
fn kind(name: &str) -> (&str, bool, usize) {
    let (stem, precision, numbers) = parts(name);
    (stem, precision.is_some(), numbers.len())
}

/// If the parameters of the kernels for both precisions differ only in precision, returns them as generic
/// parameters.
fn in_both(single: &[Parameter], double: &[Parameter]) -> Option<Vec<Parameter>> {
    let both = single.iter().zip(double).map(|(one, other)| {
        let what = (one.form == other.form).then(|| precise(&one.what, &other.what))??;
        Some(Parameter { what, ..one.clone() })
    });
    if single.len() == double.len() { both.collect() } else { None }
}

fn precise(single: &Type, double: &Type) -> Option<Type> {
    match (single, double) {
        (Type::Single, Type::Double) => Some(Type::Precision),
        (Type::Array(one, count), Type::Array(other, same)) if count == same => {
            Some(Type::Array(Box::new(precise(one, other)?), *count))
        }
        (Type::Structure(name, one), Type::Structure(same, other))
            if name == same && one.len() == other.len() =>
        {
            let of = one.iter().zip(other).map(|(one, other)| precise(one, other)).collect::<Option<_>>()?;
            Some(Type::Structure(name.clone(), of))
        }
        _ => (single == double).then(|| single.clone()),
    }
}

/// Returns the definition of a structure.
fn definition(structure: &Structure) -> String {
    let Structure { name, is_generic, alignment, fields } = structure;
    let layout = alignment.map_or_else(|| "C".to_owned(), |bytes| format!("C, align({bytes})"));
    let generic = if *is_generic { "<T>" } else { "" };
    let fields: Vec<String> =
        fields.iter().map(|(name, what)| format!("{}: {}", identifier(name), type_of(what, &[]))).collect();
    format!("    #[repr({layout})]\n{}", list(&format!("struct {name}{generic} {{ "), &fields, " }"))
}

/// Returns the line of a family.
fn line(family: &Family<'_>, generated: &[&str]) -> String {
    let Family { stem, precisions, numbers, parameters } = family;
    let precision = if *precisions { "<T>" } else { "" };
    let numbers = if *numbers > 0 { format!("[{numbers}]") } else { String::new() };
    let parameter = |Parameter { name, form, what }: &Parameter| {
        let form = match form {
            Form::Value => "value",
            Form::Read => "in",
            Form::Written => "out",
        };
        format!("{}: {form} {}", identifier(name), type_of(what, generated))
    };
    let parameters: Vec<String> = parameters.iter().map(parameter).collect();
    list(&format!("fn {stem}{precision}{numbers}("), &parameters, ");")
}

/// Returns the Rust type that corresponds to a C++ type. Structures that the table does not define are
/// defined in the parent module.
fn type_of(what: &Type, generated: &[&str]) -> String {
    match what {
        Type::Single => "f32".to_owned(),
        Type::Double => "f64".to_owned(),
        Type::Precision => "T".to_owned(),
        Type::Integer(name) => (*name).to_owned(),
        Type::Array(of, count) => format!("[{}; {count}]", type_of(of, generated)),
        Type::Structure(name, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|of| type_of(of, generated)).collect();
            let parent = if generated.contains(&name.as_str()) { "" } else { "super::" };
            match arguments.join(", ") {
                none if none.is_empty() => format!("{parent}{name}"),
                arguments => format!("{parent}{name}<{arguments}>"),
            }
        }
    }
}

/// Returns a list of items between the texts `before` and `after`, with an indent. If it does not fit into one
/// line, it is broken between items.
fn list(before: &str, items: &[String], after: &str) -> String {
    let joined = format!("{before}{}{after}", items.join(",\0"));
    let mut text = "   ".to_owned();
    let mut column = text.len();
    for item in joined.split('\0') {
        if column + 1 + item.len() > WIDTH {
            text += "\n       ";
            column = "       ".len();
        }
        text.push(' ');
        text += item;
        column += 1 + item.len();
    }
    text + "\n"
}

/// Returns the name, escaped if it is a Rust keyword.
fn identifier(name: &str) -> String {
    const WORDS: [&str; 22] = [
        "as", "async", "await", "box", "dyn", "fn", "gen", "impl", "in", "let", "loop", "match", "mod",
        "move", "mut", "pub", "ref", "trait", "type", "unsafe", "use", "where",
    ];
    if WORDS.contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::signature;
    use super::*;

    fn rust_of(text: &str) -> String {
        rust(&signature::read(text).unwrap())
    }

    #[test]
    fn a_table_has_the_structures_and_a_line_for_each_kernel() {
        let text = rust_of(
            "struct Plan { double scale; unsigned count; int in; };
            template <class T> struct __align__(16) Step { T length, turns[2][3], rest; };
            extern \"C\" __global__ void scale(unsigned count, float factor, float* values) {}
            extern \"C\" __global__ void planned(Plan plan, const Plan* more, const Other* others, float4* in) {}
            extern \"C\" __global__ void step_f32(const Step<float>* steps, unsigned count_of_steps, float* lengths) {}
            extern \"C\" __global__ void step_f64(const Step<double>* steps, unsigned count_of_steps, double* lengths) {}
            extern \"C\" __global__ void nothing() {}",
        );
        let expected = "\
//! The table of the kernels of `kernels.cu`. The documentation of the macro describes its syntax.

arcuate_compute::kernels! {
    #[repr(C)]
    struct Plan { scale: f64, count: u32, r#in: i32 }

    #[repr(C, align(16))]
    struct Step<T> { length: T, turns: [[T; 3]; 2], rest: T }

    fn scale(count: value u32, factor: value f32, values: out f32);
    fn planned(plan: value Plan, more: in Plan, others: in super::Other, r#in: out [f32; 4]);
    fn step<T>(steps: in Step<T>, count_of_steps: value u32, lengths: out T);
    fn nothing();
}
";
        assert_eq!(text, expected);
    }

    /// For kernels with these names and parameters, returns the lines of the table.
    fn lines(kernels: &[(&str, &str)]) -> Vec<String> {
        let declared = kernels
            .iter()
            .map(|(name, parameters)| format!("extern \"C\" __global__ void {name}({parameters}) {{}}\n"));
        let text = rust_of(&declared.collect::<String>());
        text.lines().filter_map(|line| line.trim().strip_prefix("fn ")).map(str::to_owned).collect()
    }

    #[test]
    fn precisions_and_numbers_become_arguments() {
        assert_eq!(
            lines(&[("a_f32", "float x, const float* s"), ("a_f64", "double x, const double* s")]),
            ["a<T>(x: value T, s: in T);"]
        );
        assert_eq!(
            lines(&[("a_f32_8", "float x"), ("a_f64_16", "double x"), ("a_f32_9", "float x")]),
            ["a<T>[1](x: value T);"]
        );
        assert_eq!(
            lines(&[("a_1_f32_3_16", "int n"), ("a_1_f32_4_16", "int n")]),
            ["a_1_f32[2](n: value i32);"]
        );
    }

    #[test]
    fn kernels_that_differ_in_more_have_their_own_lines() {
        for (one, other) in [
            (("a_f32", "float x"), ("a_f64", "float* x")),
            (("a_f32", "float x, int n"), ("a_f64", "double x")),
            (("a_f32", "float x, int n"), ("a_f64", "double x, unsigned n")),
            (("a_f32", "const Step* x"), ("a_f64", "const Other* x")),
            (("a_1", "int n"), ("a_2", "unsigned n")),
            (("a_1", "int n"), ("a_02", "int n")),
            (("a_1", "int n"), ("a_1_2", "int n")),
            (("a_1", "int n"), ("a_f32_1", "int n")),
        ] {
            let lines = lines(&[one, other]);
            let names: Vec<&str> = lines.iter().filter_map(|line| Some(line.split_once('(')?.0)).collect();
            assert_eq!(names, [one.0, other.0]);
        }
        // If a name consists only of numbers, one of them stays in the stem.
        assert_eq!(parts("f32_8"), ("f32", None, vec!["8"]));
    }

    #[test]
    fn long_lines_are_broken_between_items() {
        let items: Vec<String> = (0..20).map(|n| format!("parameter_{n}: [f32; 4]")).collect();
        let text = list("fn some(", &items, ");");
        assert!(text.lines().all(|line| line.len() <= WIDTH) && text.lines().count() == 5, "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("        parameter_")), "{text}");
        let joined: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(joined.join(" "), format!("fn some({});", items.join(", ")));
    }
}
