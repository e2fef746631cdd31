//! Extracts one kernel from a PTX module, so that the driver compiles only the kernels that are launched.

/// Extracts the PTX of one kernel: the kernel itself, and all parts of the module outside kernels
/// (directives, constants, device functions). Returns `None` if the module has no kernel of this name.
///
/// NVRTC starts every kernel's declaration at the beginning of a line, and ends its body with a brace alone
/// on a line, without indentation.
pub(super) fn of_one_kernel(module: &str, name: &str) -> Option<String> {
    let mut alone = String::new();
    let mut found = false;
    let mut rest = module;
    while let Some(at) = next_kernel(rest) {
        alone.push_str(&rest[..at]);
        let body = rest[at..].find("\n}").map_or(rest.len(), |end| at + end + 2);
        if name_of(&rest[at..]) == name {
            found = true;
            alone.push_str(&rest[at..body]);
        }
        rest = &rest[body..];
    }
    alone.push_str(rest);
    found.then_some(alone)
}

/// The words with which a kernel's declaration begins.
const BEGINNINGS: [&str; 2] = [".visible .entry ", ".entry "];

/// Position in the text of the next line that declares a kernel.
fn next_kernel(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        if BEGINNINGS.iter().any(|beginning| text[at..].starts_with(beginning)) {
            return Some(at);
        }
        at += text[at..].find('\n')? + 1;
    }
}

/// The name of the kernel in a declaration.
fn name_of(declaration: &str) -> &str {
    let after = declaration.split_once(".entry ").map_or("", |(_, after)| after);
    after.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))).next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "\
.version 8.4
.target sm_75
.const .align 4 .b8 primes[4];

.visible .entry one(
\t.param .u64 one_param_0
)
{
\t{
\tret;
\t}
}
\t// .globl two
.visible .entry two()
{
\tret;

}
.visible .entry one_more(
)
.maxntid 32, 1, 1
{
\tret;
}
";

    #[test]
    fn the_ptx_of_one_kernel_has_shared_code_and_no_other_kernel() {
        let two = of_one_kernel(MODULE, "two").expect("it is there");
        assert!(two.starts_with(".version 8.4\n.target sm_75\n.const .align 4 .b8 primes[4];\n"));
        assert!(two.contains(".visible .entry two()\n{\n\tret;\n\n}\n"));
        assert!(!two.contains("one"), "{two}");

        let one = of_one_kernel(MODULE, "one").expect("it is there");
        assert!(one.contains("\t{\n\tret;\n\t}\n}\n"));
        assert_eq!(one.matches(".entry").count(), 1, "{one}");
        let more = of_one_kernel(MODULE, "one_more").expect("it is there");
        assert!(more.ends_with(".visible .entry one_more(\n)\n.maxntid 32, 1, 1\n{\n\tret;\n}\n"));
        assert_eq!(of_one_kernel(MODULE, "three"), None);
        assert_eq!(of_one_kernel(MODULE, "tw"), None);
    }
}
