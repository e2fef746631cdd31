//! The program `fdt_matrix_merge`: adds the connectivity matrices of several runs of probtrackx2.

use super::call::{Call, Outcome};
use super::grammar::Found;
use arcuate_core::{ConnectivityMatrix, Error, Measure, Result, SparsePattern, narrow};
use arcuate_io::{LARGEST_TEXT, dot_files, has_ending, read_dot, read_text_file, with_ending, write_dot};
use arcuate_pipeline::find_files::only_one;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::output::require_file;
use std::path::{Path, PathBuf};

/// `fdt_matrix_merge LIST OUT`: adds the matrices in `.dot` files. `LIST` is a text file with their names,
/// separated by whitespace.
pub(super) fn run(call: &Call, arguments: &[String]) -> Outcome<Job> {
    call.help_if_asked(arguments)?;
    if let Some(word) = arguments.iter().find(|word| word.trim_start_matches('-') == "omatrix4") {
        let problem = "matrices of the fourth kind (.mtx) are not summed here";
        return Err(Error::usage(
            word,
            problem,
            "give matrices as .dot files, or use FSL's own fdt_matrix_merge",
        )
        .into());
    }
    let [list, out] = arguments else {
        return Err(call.wrong_count(arguments.len(), "LIST OUT"));
    };
    let job = call.begin(&Found::default())?;
    let (list, out) = (Path::new(list), with_dot(out));
    let inputs = listed(list)?;
    let sum = job.step("sum the matrices", || {
        let (first, rest) = inputs.split_first().ok_or_else(|| {
            Error::invalid(
                list.display(),
                "the text file names no file",
                "list existing .dot files in the text file",
            )
        })?;
        let mut sum = read_dot(first, Measure::Count)?;
        for path in rest {
            let next = read_dot(path, Measure::Count)?;
            if next.shape() != sum.shape() {
                let ([rows, columns], [n, m]) = (next.shape(), sum.shape());
                let problem = format!(
                    "the matrix size {rows} × {columns} differs from the size of {}, {n} × {m}",
                    first.display()
                );
                return Err(Error::invalid(
                    path.display(),
                    problem,
                    "give matrices that have the same seeds as rows",
                ));
            }
            sum = added(&sum, &next)?;
        }
        Ok(sum)
    })?;
    let all: Vec<PathBuf> = inputs.iter().cloned().chain([list.to_owned()]).collect();
    for file in dot_files(&out, &sum) {
        require_file(&file, &all, &job)?;
    }
    write_dot(&out, &sum, &Measure::Count)?;
    job.print(format_args!("{}: {} matrices are summed in {}\n", call.name, inputs.len(), out.display()));
    Ok(job)
}

fn with_dot(name: &str) -> PathBuf {
    if has_ending(Path::new(name), &[".dot"]) { name.into() } else { format!("{name}.dot").into() }
}

/// Returns the files in a list. Names may lack the ending.
fn listed(list: &Path) -> Outcome<Vec<PathBuf>> {
    let text = read_text_file(list, LARGEST_TEXT)?;
    let file = |word: &str| {
        let named = Path::new(word);
        let found = only_one([named.to_owned(), with_ending(named, ".dot")].into_iter())?;
        found.ok_or_else(|| {
            let problem = format!("the list contains the file {word}, which does not exist");
            Error::invalid(list.display(), problem, "list existing .dot files in the text file")
        })
    };
    Ok(text.split_whitespace().map(file).collect::<Result<_>>()?)
}

/// Returns the sum of two connectivity matrices of the same size.
fn added(a: &ConnectivityMatrix, b: &ConnectivityMatrix) -> Result<ConnectivityMatrix> {
    let values = |matrix: &ConnectivityMatrix| matrix.values(&Measure::Count).unwrap_or_default().to_vec();
    let (of_a, of_b) = (values(a), values(b));
    let rows = [a, b].map(ConnectivityMatrix::whole_rows);
    let mut pattern = SparsePattern { offsets: vec![0], columns: Vec::new() };
    let mut sums = Vec::new();
    for row in 0..a.shape()[0] {
        let mut left = rows[0].row(row).peekable();
        let mut right = rows[1].row(row).peekable();
        loop {
            let column = match (left.peek(), right.peek()) {
                (Some((l, _)), Some((r, _))) => *l.min(r),
                (Some((column, _)), None) | (None, Some((column, _))) => *column,
                (None, None) => break,
            };
            let l = left.next_if(|(place, _)| *place == column).map_or(0.0, |(_, entry)| of_a[entry]);
            let r = right.next_if(|(place, _)| *place == column).map_or(0.0, |(_, entry)| of_b[entry]);
            pattern.columns.push(narrow::<u32>(column));
            sums.push(l + r);
        }
        pattern.offsets.push(sums.len());
    }
    let columns = Some(a.columns().clone());
    ConnectivityMatrix::sparse(a.rows().clone(), columns, pattern, vec![(Measure::Count, sums)])
}
