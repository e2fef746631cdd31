//! Tests of the passages that are found in each file format.

use super::*;

/// Checks that a file has exactly these sentences, with these kinds and line numbers.
#[track_caller]
fn reads(name: &str, text: &str, expected: &[(Kind, usize, &str)]) {
    let found = sentences(name, text);
    let found: Vec<_> = found.iter().map(|(kind, line, text)| (*kind, *line, text.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn markdown_has_paragraphs_items_and_cells_but_no_code() {
    let text = "# The title of the page\n\nThe first sentence is here. The second\nsentence ends here.\n\n\
                - The first item is here\n- The second item\n  goes further here\n\n    The item has a paragraph.\n\n\
                ```\nThis is only some code.\n```\n\n| short | The cell has six words here |\n|---|---|\n\n\
                <!-- This is a comment of the page -->\n\nText without code follows:\n\n    This is indented code here\n";
    reads(
        "docs/src/a.md",
        text,
        &[
            (Kind::Docs, 1, "The title of the page"),
            (Kind::Docs, 3, "The first sentence is here."),
            (Kind::Docs, 3, "The second sentence ends here."),
            (Kind::Docs, 6, "The first item is here"),
            (Kind::Docs, 7, "The second item goes further here"),
            (Kind::Docs, 10, "The item has a paragraph."),
            (Kind::Docs, 16, "The cell has six words here"),
            (Kind::Docs, 21, "Text without code follows:"),
        ],
    );
}

#[test]
fn sentences_end_before_capitals_brackets_and_numbers() {
    let text = "The first sentence is here. Δ is in the second. [The third](a.md) has a link. 30 words are in the \
                fourth. The paper of Kaden et al. 2016 is in the fifth. See the table on p. 12 for the sixth.\n";
    let sentences = sentences("docs/src/a.md", text);
    let sentences: Vec<&str> = sentences.iter().map(|(_, _, text)| text.as_str()).collect();
    assert_eq!(
        sentences,
        [
            "The first sentence is here.",
            "Δ is in the second.",
            "The third has a link.",
            "30 words are in the fourth.",
            "The paper of Kaden et al. 2016 is in the fifth.",
            "See the table on p. 12 for the sixth."
        ]
    );
}

#[test]
fn an_equation_counts_as_one_word() {
    let text =
        "The signal is a sum of these terms: \\\\[ S = a + b + c + d . \\\\] Here a is the first term.\n";
    reads(
        "docs/src/a.md",
        text,
        &[
            (Kind::Docs, 1, "The signal is a sum of these terms:"),
            (Kind::Docs, 1, "Here a is the first term."),
        ],
    );
}

#[test]
fn a_block_below_a_heading_is_code_even_after_a_list() {
    let text = "- The item is in a list.\n\n## The heading is here\n\n    The block is only code.\n";
    let expected = [(Kind::Docs, 1, "The item is in a list."), (Kind::Docs, 3, "The heading is here")];
    reads("docs/src/a.md", text, &expected);
}

#[test]
fn a_tag_begins_a_passage() {
    let text = "/**\n * @property {string} name the name of the image\n * @property {string} unit the unit of all values\n */\n";
    let expected = [
        (Kind::Comments, 2, "@property {string} name the name of the image"),
        (Kind::Comments, 3, "@property {string} unit the unit of all values"),
    ];
    reads("viewer/src/a.js", text, &expected);
}

#[test]
fn formulas_and_tables_of_scripts_are_not_text() {
    let formula = "signal = \"\"\"\nlet a = exp(-b * d) and so on\n# The comment describes the formula.\ns0 * a\n\"\"\"\n";
    reads("crates/some/src/a.toml", formula, &[(Kind::Comments, 3, "The comment describes the formula.")]);
    let script = "\"\"\"Compares the program with others.\n\n    script.py [--option NUMBER] has no text\n\nThe results are here:\n\n    \
                  one row of a table\n\"\"\"\ndef f():\n    \"\"\"Returns the mean of voxels.\n\n    The mask may be empty here.\n    \"\"\"\n";
    reads(
        "oracles/a.py",
        script,
        &[
            (Kind::Comments, 1, "Compares the program with others."),
            (Kind::Comments, 5, "The results are here:"),
            (Kind::Comments, 10, "Returns the mean of voxels."),
            (Kind::Comments, 12, "The mask may be empty here."),
        ],
    );
    let comment = "// Each lane has these elements:\n//\n//     a is the first element of all\nint a;\n";
    reads("crates/some/src/a.cuh", comment, &[(Kind::Comments, 1, "Each lane has these elements:")]);
}

#[test]
fn rust_has_comments_documentation_and_messages() {
    let text = "//! The module has one subject.\n\n/// Returns the mean of voxels.\n///\n/// ```\n/// let a = \"this is no message here\";\n\
                /// ```\nfn f<'a>(c: &'a str) {\n    let quote = '\"'; // The quote is a character.\n    // The first line\n\
                \x20   // has a second line.\n    bail!(\"{path}: the mask \\\n        is empty; give another one\");\n    \
                r#\"a \"raw\" message is read too\"#;\n}\n#[cfg(test)]\nmod tests {\n    const A: &str = \"tests are { not read } here\";\n}\n\
                const B: &str = \"the code after tests is read\";\n";
    reads(
        "crates/some/src/a.rs",
        text,
        &[
            (Kind::Comments, 1, "The module has one subject."),
            (Kind::Comments, 3, "Returns the mean of voxels."),
            (Kind::Comments, 9, "The quote is a character."),
            (Kind::Comments, 10, "The first line has a second line."),
            (Kind::Strings, 12, "CODE: the mask is empty; give another one"),
            (Kind::Strings, 14, "a \"raw\" message is read too"),
            (Kind::Strings, 20, "the code after tests is read"),
        ],
    );
}

#[test]
fn help_is_the_documentation_of_options_and_the_strings_next_to_it() {
    let text = "/// Path of the brain mask\nmask: PathBuf,\n// The option has no default.\nabout = \"Fit a tensor to a scan\"";
    let expected = [
        (Kind::Help, 1, "Path of the brain mask"),
        (Kind::Comments, 3, "The option has no default."),
        (Kind::Help, 4, "Fit a tensor to a scan"),
    ];
    reads("crates/arcuate/src/commands/fit.rs", text, &expected);
    reads("crates/some/src/options.rs", text, &expected);
}

#[test]
fn messages_are_words_and_not_code_or_data() {
    let text = r#"
        "mov.u32 %r1, %r2; add.f32 %f1, %f2, %f3;"
        "1 2 3 4 5 6 7 8"
        "let a = b.iter().map(f).sum();"
        "mask: label"
        "the first paragraph is here\n\nthe second paragraph is here"
        "  --force   replace the results that exist\n  --quiet   print errors and nothing else"
    "#;
    reads(
        "crates/some/src/a.rs",
        text,
        &[
            (Kind::Strings, 6, "the first paragraph is here"),
            (Kind::Strings, 6, "the second paragraph is here"),
            (Kind::Strings, 7, "replace the results that exist"),
            (Kind::Strings, 7, "print errors and nothing else"),
        ],
    );
}

#[test]
fn python_has_docstrings_comments_and_messages() {
    let text = "#!/usr/bin/env python3\n\"\"\"Reads one image from a file.\n\nParameters\n----------\nmask : image\n    \
                The voxels that are read.\n\n>>> print(\"this is a session here\")\nthis is a session here\n\"\"\"\n\
                # The comment has two lines\n# and one sentence only.\nraise ValueError(f\"the mask {name} is empty; \"\n    \
                'give another mask')\n";
    let expected = |documentation| {
        [
            (documentation, 2, "Reads one image from a file."),
            (documentation, 7, "The voxels that are read."),
            (Kind::Comments, 12, "The comment has two lines and one sentence only."),
            (Kind::Strings, 14, "the mask CODE is empty; give another mask"),
        ]
    };
    reads("oracles/a.py", text, &expected(Kind::Comments));
    // Users read the docstrings of the package.
    reads("crates/arcuate-python/python/arcuate/a.py", text, &expected(Kind::Help));
}

#[test]
fn kernels_and_scripts_have_comments_and_messages() {
    let text = "/* The kernel sums all rows. */\n// Each thread has one row.\nprintf(\"the launch has no threads left\");\n";
    let expected = [
        (Kind::Comments, 1, "The kernel sums all rows."),
        (Kind::Comments, 2, "Each thread has one row."),
        (Kind::Strings, 3, "the launch has no threads left"),
    ];
    reads("crates/some/src/kernels.cu", text, &expected);
    reads("viewer/src/a.mjs", text, &expected);
    reads("viewer/src/a.css", text, &expected[..1]);
    let pattern = "s.replace(/\"/g, `the ${name} has a quote`); // The pattern has no end.\n";
    let found = [(Kind::Strings, 1, "the CODE has a quote"), (Kind::Comments, 1, "The pattern has no end.")];
    let mut sorted = sentences("viewer/src/a.js", pattern);
    sorted.sort_by_key(|(kind, ..)| std::cmp::Reverse(*kind));
    assert_eq!(sorted, found.map(|(kind, line, text)| (kind, line, text.to_owned())));
    reads(
        "a.sh",
        "#!/bin/sh\n# The script makes one image.\necho a b c d\n",
        &[(Kind::Comments, 2, "The script makes one image.")],
    );
}

#[test]
fn notebooks_schemas_and_templates_are_read() {
    let notebook = "{\n \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"source\": [\n    \"The cell has *one*\\n\",\n    \
                    \"sentence of two lines.\"\n   ]\n  },\n  {\n   \"cell_type\": \"code\",\n   \"source\": [\n    \
                    \"this is only some code\"\n   ]\n  }\n ]\n}\n";
    reads(
        "docs/notebooks/a.ipynb",
        notebook,
        &[(Kind::Docs, 6, "The cell has *one* sentence of two lines.")],
    );
    let schema = "{\n  \"a\": { \"type\": \"string\", \"description\": \"The name of the file.\" }\n}\n";
    reads("docs/src/reference/a.schema.json", schema, &[(Kind::Docs, 2, "The name of the file.")]);
    let template = "<style>\nthese are only some rules\n</style>\n<p>The <b>mask</b> has {{ count }} voxels.</p>\n{% if a %}\n\
                    <p>The mask has no voxels.</p>\n{% endif %}\n";
    reads(
        "a.html",
        template,
        &[(Kind::Strings, 4, "The mask has CODE voxels."), (Kind::Strings, 6, "The mask has no voxels.")],
    );
}

#[test]
fn generated_files_are_read_in_their_source() {
    use super::super::files::{is_generated, is_read};
    assert!(is_generated(
        "# Python\n\n<!-- Generated from the docstrings of the package. Do not edit. -->\n"
    ));
    assert!(!is_generated("//! Generated files\n"));
    assert!(!is_generated(
        "//! Writes a page.\n\n\n\n\nconst HEAD: &str = \"Generated from it. Do not edit.\";\n"
    ));
    for generated in [
        "crates/arcuate-fod/src/kernels.rs",
        "crates/arcuate-python/python/arcuate/commands.py",
        "crates/arcuate-report/template/figures.js",
        "crates/arcuate/tests/interface/snapshots/interface__help__usage-nothing.snap",
        "LICENSE-MIT",
    ] {
        assert!(!is_read(generated), "{generated}");
    }
    for source in [
        "README.md",
        "CHANGELOG.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "docs/src/gpu.md",
        "crates/arcuate-fod/src/kernels.cu",
        "crates/arcuate-python/python/arcuate/_arcuate.pyi",
        "crates/arcuate-report/template/report.html",
        ".ci/run",
    ] {
        assert!(is_read(source), "{source}");
    }
}
