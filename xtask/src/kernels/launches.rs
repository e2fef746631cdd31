//! Generates the Rust interface of a `kernels.cu`. Each kernel gets a function that launches it. The
//! parameters of the function have the types of the kernel's parameters, so that code with other types does
//! not compile. The text is formatted as rustfmt formats it.

use super::signature::{Declarations, Form, Kernel, Parameter, Structure, Type};

/// The maximum line width, as in rustfmt.toml.
const WIDTH: usize = 110;

/// Kernels that become one Rust function. They have the same parameters, except for the precision. Their
/// names differ in the precision and in the numbers at the end.
struct Family<'a> {
    /// The beginning that the names of all these kernels share.
    stem: &'a str,
    /// True if there are kernels for single and for double precision.
    precisions: bool,
    /// How many numbers the name of each kernel has at its end.
    numbers: usize,
    /// For each kernel, the part of its name after the common beginning.
    endings: Vec<&'a str>,
    parameters: Vec<Parameter>,
}

/// Returns the text of `kernels.rs`.
pub(super) fn rust(declarations: &Declarations) -> Result<String, String> {
    let families = families(&declarations.kernels);
    let by_value: Vec<&str> = declarations.structures.iter().map(|s| s.name.as_str()).collect();
    let mut used = vec!["CudaResult", "Grid", "KernelImages", "Stream"];
    let takes = |form: fn(&Form) -> bool| {
        families.iter().any(|family| family.parameters.iter().any(|parameter| form(&parameter.form)))
    };
    if families.iter().any(|family| !family.parameters.is_empty()) {
        used.push("Argument");
    }
    if takes(|form| matches!(form, Form::Read(_))) {
        used.push("Input");
    }
    if takes(|form| matches!(form, Form::Written(_))) {
        used.push("Output");
    }
    if families.iter().any(|family| family.precisions) {
        used.push("Precision");
    }
    used.sort_unstable();
    let mut text = "\
//! The kernels of `kernels.cu`. Each function launches one kernel on a stream.
//!
//! # Safety
//!
//! The caller must ensure what [`Stream::launch`] requires, except that the types are already correct. Above
//! all, each buffer must be as long as the kernel assumes.
#![allow(unsafe_code, clippy::too_many_arguments)]

"
    .to_owned();
    text += &list("use arcuate_compute::cuda::{", &used, "};", 0);
    text += "use arcuate_compute::kernel_images;\n\n";
    text += "pub(super) static IMAGES: KernelImages = kernel_images!(\"kernels\");\n";
    for structure in &declarations.structures {
        text += &definition(structure);
    }
    for family in &families {
        text += &function(family, &by_value)?;
    }
    Ok(text)
}

/// Groups kernels into families. Each family becomes one Rust function.
fn families(kernels: &[Kernel]) -> Vec<Family<'_>> {
    let mut families: Vec<Family<'_>> = Vec::new();
    for kernel in kernels {
        if families.iter().any(|family| family.has(kernel)) {
            continue;
        }
        let alike: Vec<&Kernel> =
            kernels.iter().filter(|other| kind(&other.name) == kind(&kernel.name)).collect();
        families.push(together(&alike).unwrap_or_else(|| Family {
            stem: &kernel.name,
            precisions: false,
            numbers: 0,
            endings: vec![""],
            parameters: kernel.parameters.clone(),
        }));
    }
    families
}

impl Family<'_> {
    fn has(&self, kernel: &Kernel) -> bool {
        self.endings.iter().any(|ending| kernel.name.strip_prefix(self.stem) == Some(ending))
    }
}

/// If there are several kernels that differ only in precision and numbers, returns them as one family.
fn together<'a>(alike: &[&'a Kernel]) -> Option<Family<'a>> {
    let (stem, precision, numbers) = parts(&alike[0].name);
    let of = |wanted: &str| {
        alike.iter().filter(|kernel| parts(&kernel.name).1 == Some(wanted)).copied().collect::<Vec<_>>()
    };
    let (single, double) = (of("f32"), of("f64"));
    let same = |kernels: &[&Kernel]| kernels.iter().all(|k| k.parameters == kernels[0].parameters);
    let (length, parameters) = match (precision, &single[..], &double[..]) {
        (Some(_), [first, ..], [second, ..]) if same(&single) && same(&double) => {
            (stem.len(), in_both(&first.parameters, &second.parameters)?)
        }
        // If the kernels exist only in one precision, this precision is a part of the name.
        (Some(precision), _, _)
            if alike.len() > 1 && (single.is_empty() || double.is_empty()) && same(alike) =>
        {
            (stem.len() + "_".len() + precision.len(), alike[0].parameters.clone())
        }
        (None, ..) if alike.len() > 1 && same(alike) => (stem.len(), alike[0].parameters.clone()),
        _ => return None,
    };
    Some(Family {
        stem: &alike[0].name[..length],
        precisions: !single.is_empty() && !double.is_empty(),
        numbers: numbers.len(),
        endings: alike.iter().map(|kernel| &kernel.name[length..]).collect(),
        parameters,
    })
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
        let form = match (&one.form, &other.form) {
            (Form::Value(one), Form::Value(other)) => Form::Value(precise(one, other)?),
            (Form::Read(one), Form::Read(other)) => Form::Read(precise(one, other)?),
            (Form::Written(one), Form::Written(other)) => Form::Written(precise(one, other)?),
            _ => return None,
        };
        Some(Parameter { name: one.name.clone(), form })
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

/// Returns the definition of a structure that a kernel takes by value.
fn definition(structure: &Structure) -> String {
    let layout = structure.alignment.map_or_else(|| "C".to_owned(), |bytes| format!("C, align({bytes})"));
    let field = |(name, what): &(String, Type)| {
        format!("    pub(super) {}: {},\n", identifier(name), type_of(what, &[]))
    };
    let fields = structure.fields.iter().map(field).collect::<Vec<_>>().concat();
    format!(
        "\n/// `struct {name}` as the kernels have it.\n#[repr({layout})]\n#[derive(Debug, Clone, Copy, bytemuck::Pod, \
         bytemuck::Zeroable)]\npub(super) struct {name} {{\n{fields}}}\n",
        name = structure.name
    )
}

/// Returns the function that launches a family.
fn function(family: &Family<'_>, by_value: &[&str]) -> Result<String, String> {
    let Family { stem, precisions, numbers, endings, parameters } = family;
    let mut taken = vec!["stream: &Stream".to_owned(), "grid: Grid".to_owned()];
    let mut used = vec!["stream", "grid", "kernel", "arguments"];
    if endings.len() > 1 {
        used.push("name");
    }
    if *numbers > 0 {
        used.push("numbers");
        taken.insert(0, format!("numbers: [u32; {numbers}]"));
    }
    let mut arguments = Vec::new();
    for Parameter { name, form } in parameters {
        if used.contains(&name.as_str()) {
            return Err(format!(
                "kernel {stem}: launches use the name of its parameter {name}; choose another"
            ));
        }
        let name = identifier(name);
        let of = |what| type_of(what, by_value);
        let (what, argument) = match form {
            Form::Value(what) => (of(what), format!("Argument::plain(&{name})")),
            Form::Read(what) => {
                (format!("impl Into<Input<'a, {}>>", of(what)), format!("Argument::from({name}.into())"))
            }
            Form::Written(what) => {
                (format!("impl Into<Output<'a, {}>>", of(what)), format!("Argument::from({name}.into())"))
            }
        };
        taken.push(format!("{name}: {what}"));
        arguments.push(argument);
    }
    let lends = parameters.iter().any(|parameter| !matches!(parameter.form, Form::Value(_)));
    let generic = match (lends, precisions) {
        (true, true) => "<'a, T: Precision>",
        (true, false) => "<'a>",
        (false, true) => "<T: Precision>",
        (false, false) => "",
    };
    let start = format!("pub(super) unsafe fn {}{generic}(", identifier(stem));
    let head = list(&start, &taken, ") -> CudaResult<()> {", 0);
    let mut pattern = (*stem).to_owned();
    let mut values = Vec::new();
    if *precisions {
        pattern += "_{}";
        values.push("T::NAME".to_owned());
    }
    for number in 0..*numbers {
        pattern += "_{}";
        values.push(format!("numbers[{number}]"));
    }
    values.insert(0, format!("\"{pattern}\""));
    let (name, of_kernel) = if endings.len() > 1 {
        (list("let name = format!(", &values, ");", 1), "&name")
    } else {
        (String::new(), values[0].as_str())
    };
    let kernel = list("let kernel = IMAGES.kernel(", &["stream.gpu()", of_kernel], ")?;", 1);
    let (array, given) = if arguments.is_empty() {
        (String::new(), "&[]")
    } else {
        (array("let arguments =", &arguments), "&arguments")
    };
    let documentation = documentation(family);
    Ok(format!(
        "\n{documentation}{head}{name}{kernel}{array}    // SAFETY: the kernel takes these types; the rest is promised by \
         the caller.\n    unsafe {{ stream.launch(&kernel, grid, {given}) }}\n}}\n"
    ))
}

/// Returns the documentation of a function.
fn documentation(family: &Family<'_>) -> String {
    let Family { stem, precisions, numbers, endings, .. } = family;
    let summary = match (precisions, numbers) {
        (false, 0) => format!("Launches `{stem}`."),
        (true, 0) => format!("Launches `{stem}_f32` or `{stem}_f64`."),
        _ => {
            let names: Vec<_> = endings.iter().map(|e| format!("`{}`", e.trim_start_matches('_'))).collect();
            format!("Launches `{stem}` of these: {}.", names.join(", "))
        }
    };
    let mut text = "///".to_owned();
    for word in summary.split(' ') {
        let line = text.len() - text.rfind('\n').map_or(0, |end| end + 1);
        if line + 1 + word.len() > WIDTH {
            text += "\n///";
        }
        text.push(' ');
        text += word;
    }
    text + "\n"
}

/// Returns the Rust type that corresponds to a C++ type. Templates and structures that no kernel takes by
/// value are defined in the parent module.
fn type_of(what: &Type, by_value: &[&str]) -> String {
    match what {
        Type::Single => "f32".to_owned(),
        Type::Double => "f64".to_owned(),
        Type::Precision => "T".to_owned(),
        Type::Integer(name) => (*name).to_owned(),
        Type::Array(of, count) => format!("[{}; {count}]", type_of(of, by_value)),
        Type::Structure(name, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|of| type_of(of, by_value)).collect();
            let parent = if by_value.contains(&name.as_str()) { "" } else { "super::" };
            match arguments.join(", ") {
                none if none.is_empty() => format!("{parent}{name}"),
                arguments => format!("{parent}{name}<{arguments}>"),
            }
        }
    }
}

/// Returns a list of items between the texts `before` and `after`. It is in one line if it fits. If not, each
/// item has its own line.
fn list(before: &str, items: &[impl AsRef<str>], after: &str, depth: usize) -> String {
    let indent = "    ".repeat(depth);
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    let line = format!("{indent}{before}{}{after}\n", items.join(", "));
    if line.len() <= WIDTH + 1 {
        return line;
    }
    let lines = items.join(&format!(",\n{indent}    "));
    format!("{indent}{before}\n{indent}    {lines},\n{indent}{after}\n")
}

/// Returns the statement `before` followed by an array. If this avoids one line per item, the array is on a
/// separate line.
fn array(before: &str, items: &[String]) -> String {
    let joined = items.join(", ");
    let fits = |start: usize| start + "[];".len() + joined.len() <= WIDTH;
    if fits("    ".len() + before.len() + 1) || !fits("        ".len()) {
        list(&format!("{before} ["), items, "];", 1)
    } else {
        format!("    {before}\n        [{joined}];\n")
    }
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

    fn rust_of(text: &str) -> Result<String, String> {
        rust(&signature::read(text)?)
    }

    #[test]
    fn a_module_has_a_function_for_each_kernel() {
        let text = rust_of(
            "struct Plan { double scale; unsigned count; int in; };
            extern \"C\" __global__ void scale(unsigned count, float factor, float* values) {}
            extern \"C\" __global__ void planned(Plan plan, const Plan* more, const Other* others, float4* in) {}
            extern \"C\" __global__ void nothing() {}",
        );
        let expected = r#"//! The kernels of `kernels.cu`. Each function launches one kernel on a stream.
//!
//! # Safety
//!
//! The caller must ensure what [`Stream::launch`] requires, except that the types are already correct. Above
//! all, each buffer must be as long as the kernel assumes.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, Input, KernelImages, Output, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// `struct Plan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Plan {
    pub(super) scale: f64,
    pub(super) count: u32,
    pub(super) r#in: i32,
}

/// Launches `scale`.
pub(super) unsafe fn scale<'a>(
    stream: &Stream,
    grid: Grid,
    count: u32,
    factor: f32,
    values: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "scale")?;
    let arguments = [Argument::plain(&count), Argument::plain(&factor), Argument::from(values.into())];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `planned`.
pub(super) unsafe fn planned<'a>(
    stream: &Stream,
    grid: Grid,
    plan: Plan,
    more: impl Into<Input<'a, Plan>>,
    others: impl Into<Input<'a, super::Other>>,
    r#in: impl Into<Output<'a, [f32; 4]>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "planned")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(more.into()),
        Argument::from(others.into()),
        Argument::from(r#in.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `nothing`.
pub(super) unsafe fn nothing(stream: &Stream, grid: Grid) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "nothing")?;
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &[]) }
}
"#;
        assert_eq!(text.unwrap(), expected);
    }

    /// For kernels with these names and parameters, returns the first lines of their functions, and how the
    /// functions find the kernels.
    fn functions(kernels: &[(&str, &str)]) -> Vec<String> {
        let declared = kernels
            .iter()
            .map(|(name, parameters)| format!("extern \"C\" __global__ void {name}({parameters}) {{}}\n"));
        let text = declared.collect::<Vec<_>>().concat();
        let text = rust_of(&text).unwrap();
        let selected = text.lines().filter(|line| line.contains("unsafe fn") || line.contains("let name"));
        selected.map(|line| line.trim().to_owned()).collect()
    }

    #[test]
    fn precisions_and_numbers_become_arguments() {
        assert_eq!(
            functions(&[
                ("a_f32", "float x, const Step<float>* s"),
                ("a_f64", "double x, const Step<double>* s")
            ]),
            ["pub(super) unsafe fn a<'a, T: Precision>(", "let name = format!(\"a_{}\", T::NAME);",]
        );
        assert_eq!(
            functions(&[("a_f32_8", "float x"), ("a_f64_16", "double x"), ("a_f32_9", "float x")]),
            [
                "pub(super) unsafe fn a<T: Precision>(numbers: [u32; 1], stream: &Stream, grid: Grid, x: T) -> \
                 CudaResult<()> {",
                "let name = format!(\"a_{}_{}\", T::NAME, numbers[0]);",
            ]
        );
        assert_eq!(
            functions(&[("a_1_f32_3_16", "int n"), ("a_1_f32_4_16", "int n")]),
            [
                "pub(super) unsafe fn a_1_f32(numbers: [u32; 2], stream: &Stream, grid: Grid, n: i32) -> \
                 CudaResult<()> {",
                "let name = format!(\"a_1_f32_{}_{}\", numbers[0], numbers[1]);",
            ]
        );
    }

    #[test]
    fn kernels_that_differ_in_more_have_their_own_functions() {
        for (one, other) in [
            (("a_f32", "float x"), ("a_f64", "float* x")),
            (("a_f32", "float x, int n"), ("a_f64", "double x")),
            (("a_f32", "float x, int n"), ("a_f64", "double x, unsigned n")),
            (("a_f32", "const Step<float>* x"), ("a_f64", "const Other<double>* x")),
            (("a_1", "int n"), ("a_2", "unsigned n")),
            (("a_1", "int n"), ("a_02", "int n")),
            (("a_1", "int n"), ("a_1_2", "int n")),
            (("a_1", "int n"), ("a_f32_1", "int n")),
        ] {
            let summary = functions(&[one, other]);
            assert_eq!(summary.len(), 2, "{summary:?}");
            for ((name, _), summary) in [one, other].into_iter().zip(summary) {
                let name = format!("unsafe fn {name}");
                assert!(
                    summary.contains(&format!("{name}(")) || summary.contains(&format!("{name}<'a>(")),
                    "{summary}"
                );
            }
        }
        // If a name consists only of numbers, one of them stays in the stem.
        assert_eq!(parts("f32_8"), ("f32", None, vec!["8"]));
    }

    #[test]
    fn arrays_are_formatted_as_by_rustfmt() {
        let items = |length: usize| vec!["x".repeat(length), "y".to_owned()];
        let lines = |length| array("let a =", &items(length)).lines().count();
        // 4 + "let a = [" + length + ", y" + "];" and 8 + "[" + length + ", y" + "];" columns.
        assert_eq!((lines(92), lines(93), lines(96), lines(97)), (1, 2, 2, 4));
    }

    #[test]
    fn names_used_by_launches_are_rejected() {
        let summary = |name: &str| {
            let kernel = |n: u32| format!("extern \"C\" __global__ void some_{n}(int {name}) {{}}\n");
            rust_of(&[kernel(1), kernel(2)].concat())
        };
        let problem = "kernel some: launches use the name of its parameter grid; choose another";
        assert_eq!(summary("grid").unwrap_err(), problem);
        assert!(summary("numbers").is_err() && summary("name").is_err() && summary("other").is_ok());
        // Without numbers, a parameter may have this name.
        assert!(rust_of("extern \"C\" __global__ void some(int numbers) {}").is_ok());
    }
}
