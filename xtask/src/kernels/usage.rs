//! The GPU resources that kernels use, from the log of the assembler (`--ptxas-options=-v`).

use std::fmt::Write;

/// The resources of one function in bytes, per thread, and static shared memory per block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Usage {
    function: String,
    /// Number of registers per thread. `None` for a function that kernels call, because it uses their
    /// registers.
    registers: Option<u32>,
    shared: u32,
    stack: u32,
    spill_stores: u32,
    spill_loads: u32,
}

impl Usage {
    /// Returns a warning if the function uses local memory, which is far slower than registers.
    fn finding(&self) -> &'static str {
        if self.spill_stores + self.spill_loads > 0 {
            "SPILL"
        } else if self.stack > 0 {
            "SPILL (an array on the stack)"
        } else {
            ""
        }
    }
}

/// Returns the functions in the assembler's `log`, and all lines that are not the assembler's (warnings).
pub(super) fn read(log: &str) -> (Vec<Usage>, Vec<&str>) {
    let mut functions: Vec<Usage> = Vec::new();
    let mut entry = None;
    let mut rest = Vec::new();
    for line in log.lines().filter(|line| !line.trim().is_empty()) {
        let message = line.strip_prefix("ptxas info").map(|message| message.trim_start_matches([' ', ':']));
        if let Some(compiling) =
            message.and_then(|message| message.strip_prefix("Compiling entry function '"))
        {
            entry = compiling.split('\'').next();
        } else if let Some(function) =
            message.and_then(|message| message.strip_prefix("Function properties for "))
        {
            functions.push(Usage { function: function.trim().to_owned(), ..Usage::default() });
        } else if let Some(used) = message.and_then(|message| message.strip_prefix("Used ")) {
            if let Some(function) = functions.iter_mut().rev().find(|f| Some(f.function.as_str()) == entry) {
                function.registers = number_before(used, " registers");
                function.shared = number_before(used, " bytes smem").unwrap_or(0);
            }
        } else if line.contains(" bytes stack frame") {
            if let Some(function) = functions.last_mut() {
                function.stack = number_before(line, " bytes stack frame").unwrap_or(0);
                function.spill_stores = number_before(line, " bytes spill stores").unwrap_or(0);
                function.spill_loads = number_before(line, " bytes spill loads").unwrap_or(0);
            }
        } else if message.is_none() {
            rest.push(line);
        }
    }
    (functions, rest)
}

fn number_before(text: &str, unit: &str) -> Option<u32> {
    let before = &text[..text.find(unit)?];
    before.rsplit([' ', ',']).next()?.parse().ok()
}

/// Returns one line per function, below a line of headings.
pub(super) fn table(functions: &[Usage]) -> String {
    let width = functions.iter().map(|f| f.function.len()).max().unwrap_or(0).max("kernel".len());
    let mut table = format!(
        "  {:width$}  {:>9}  {:>8}  {:>7}  {:>12}  {:>11}\n",
        "kernel", "registers", "shared/B", "stack/B", "spill stores", "spill loads"
    );
    for f in functions {
        let registers = f.registers.map_or_else(|| "(called)".to_owned(), |n| n.to_string());
        let line = format!(
            "  {:width$}  {registers:>9}  {:>8}  {:>7}  {:>12}  {:>11}  {}",
            f.function,
            f.shared,
            f.stack,
            f.spill_stores,
            f.spill_loads,
            f.finding()
        );
        // Writing to a string cannot fail.
        let _ = writeln!(table, "{}", line.trim_end());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
crates/x/src/kernels.cu(3): warning #177-D: variable \"a\" was declared but never referenced

ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'plain' for 'sm_90'
ptxas info    : Function properties for plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 26 registers, used 1 barriers, 768 bytes smem, 588 bytes cmem[0]
ptxas info    : Compiling entry function 'spilling' for 'sm_90'
ptxas info    : Function properties for called
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for spilling
    40 bytes stack frame, 36 bytes spill stores, 44 bytes spill loads
ptxas info    : Used 255 registers, 588 bytes cmem[0]
";

    #[test]
    fn the_assembler_log_is_parsed() {
        let (functions, rest) = read(LOG);
        assert_eq!(rest, [LOG.lines().next().expect("a first line")]);
        let expected = [
            Usage { function: "plain".into(), registers: Some(26), shared: 768, ..Usage::default() },
            Usage { function: "called".into(), stack: 16, ..Usage::default() },
            Usage {
                function: "spilling".into(),
                registers: Some(255),
                shared: 0,
                stack: 40,
                spill_stores: 36,
                spill_loads: 44,
            },
        ];
        assert_eq!(functions, expected);
        let findings: Vec<&str> = functions.iter().map(Usage::finding).collect();
        assert_eq!(findings, ["", "SPILL (an array on the stack)", "SPILL"]);
    }

    #[test]
    fn a_table_has_a_line_for_each_function() {
        let (functions, _) = read(LOG);
        let table = table(&functions);
        let words = |n: usize| table.lines().nth(n).expect("a line").split_whitespace().collect::<Vec<_>>();
        assert_eq!(table.lines().count(), 4);
        assert_eq!(words(1), ["plain", "26", "768", "0", "0", "0"]);
        assert_eq!(words(3), ["spilling", "255", "0", "40", "36", "44", "SPILL"]);
    }
}
