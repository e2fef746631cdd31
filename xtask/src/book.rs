//! The book in `docs/`.

use crate::process::{self, Outcome, cargo};

/// Builds the book and the API documentation.
pub(crate) fn build() -> Outcome {
    process::run(process::in_root("mdbook").args(["build", "docs"]))
        .map_err(|e| format!("{e}; `cargo install --locked mdbook` gets mdbook"))?;
    cargo(&["doc", "--workspace", "--no-deps"], &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Finds the Markdown files in a folder and its subfolders.
    fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder of the book").flatten() {
            let path = entry.path();
            if path.is_dir() {
                pages(&path, found);
            } else if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    }

    /// Returns the targets of the links in a text. Links to the network and code are skipped.
    fn links(text: &str) -> Vec<&str> {
        let mut fenced = false;
        let prose = text.lines().filter(move |line| {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            !fenced && !fence && !line.starts_with("    ")
        });
        let outside_code = prose.flat_map(|line| line.split('`').step_by(2));
        let targets = outside_code.flat_map(|piece| piece.split("](").skip(1));
        let targets = targets.filter_map(|rest| rest.split(')').next());
        targets.filter(|target| !target.contains("://")).collect()
    }

    /// Returns the anchors of a page's headings, as mdbook and code hosts create them.
    fn anchors(text: &str) -> BTreeSet<String> {
        let headings =
            text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_matches(['#', ' ']));
        let name = |heading: &str| {
            let kept = heading.to_lowercase().replace(' ', "-");
            kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
        };
        headings.map(name).collect()
    }

    #[test]
    fn links_of_the_documentation_are_valid() {
        let root = process::root();
        let mut files = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
            .map(|n| root.join(n))
            .to_vec();
        pages(&root.join("docs/src"), &mut files);
        let (mut checked, mut broken) = (0, Vec::new());
        for file in &files {
            let text = fs::read_to_string(file).expect("a page");
            for link in links(&text) {
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                let target = if path.is_empty() { file.clone() } else { file.with_file_name(path) };
                let there = target.exists()
                    && (anchor.is_empty()
                        || anchors(&fs::read_to_string(&target).expect("a page")).contains(anchor));
                if !there {
                    broken.push(format!("{}: {link}", file.display()));
                }
                checked += 1;
            }
        }
        assert!(broken.is_empty(), "these links lead nowhere:\n{}", broken.join("\n"));
        assert!(checked > 50, "{checked} links are too few: they are not found");
    }

    #[test]
    fn every_page_is_in_the_table_of_contents() {
        let source = process::root().join("docs/src");
        let contents = fs::read_to_string(source.join("SUMMARY.md")).expect("the table of contents");
        let named: Vec<PathBuf> = links(&contents).into_iter().map(|link| source.join(link)).collect();
        let mut files = Vec::new();
        pages(&source, &mut files);
        for file in files.iter().filter(|file| !file.ends_with("SUMMARY.md")) {
            assert!(named.contains(file), "{} is not in SUMMARY.md", file.display());
        }
    }
}
