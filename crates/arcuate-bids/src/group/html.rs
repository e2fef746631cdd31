//! Creates the HTML elements of the cohort page: escaped text, links to reports, and tables.

use super::member::Entry;
use crate::addresses::from_page;
use std::path::Path;

/// The maximum length in bytes of the address of a link. Links with longer addresses are omitted.
const LONGEST_ADDRESS: usize = 1000;

/// Escapes the special characters of a text for HTML elements and quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter if letter.is_control() => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

/// The names of the cohort members, and the relative addresses of their reports.
pub(super) struct Links(Vec<(String, Option<String>)>);

impl Links {
    /// Creates the links to the members' reports for an HTML page in `folder`. A member without a report has
    /// no link.
    pub(super) fn new(entries: &[Entry], folder: &Path) -> Self {
        let address = |entry: &Entry| {
            let report = entry.member.report.as_ref().filter(|report| report.is_file())?;
            address(folder, report)
        };
        Self(entries.iter().map(|entry| (entry.member.shown(), address(entry))).collect())
    }

    /// Returns the name of a member.
    pub(super) fn name(&self, entry: usize) -> &str {
        self.0.get(entry).map_or("", |(name, _)| name.as_str())
    }

    /// Encloses the HTML text `html` in a link to the report of a member. If the member has no report,
    /// returns `html` unchanged.
    pub(super) fn around(&self, entry: usize, html: &str) -> String {
        match self.0.get(entry) {
            Some((_, Some(address))) => format!(r#"<a href="{address}">{html}</a>"#),
            _ => html.to_owned(),
        }
    }

    /// Returns the name of a member as an HTML link to the member's report.
    pub(super) fn link(&self, entry: usize) -> String {
        self.around(entry, &escape(self.name(entry)))
    }

    /// Lists the names of at most `maximum` of these members, and states how many more members there are.
    pub(super) fn some(&self, entries: &[usize], maximum: usize) -> String {
        let named: Vec<String> = entries.iter().take(maximum).map(|&entry| self.link(entry)).collect();
        let more = entries.len().saturating_sub(maximum);
        named.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
    }
}

/// Returns the address of a file relative to a folder, for a link. Returns `None` if the file has no relative
/// address or its address is too long.
fn address(folder: &Path, file: &Path) -> Option<String> {
    from_page(file, folder).filter(|address| address.len() <= LONGEST_ADDRESS)
}

/// Returns an HTML table with a title. `columns` has the heading of each column, and true if the cells of the
/// column are numbers. The cells in `rows` are HTML.
pub(super) fn table(title: &str, caption: &str, columns: &[(&str, bool)], rows: &[Vec<String>]) -> String {
    let class = |is_number: bool| if is_number { r#" class="number""# } else { "" };
    let heading = |(name, is_number): &(&str, bool)| {
        format!(r#"<th scope="col"{}>{}</th>"#, class(*is_number), escape(name))
    };
    let head = columns.iter().map(heading).collect::<Vec<_>>().concat();
    let row = |row: &Vec<String>| {
        let cells = row.iter().zip(columns);
        let cells = cells.map(|(cell, (_, is_number))| format!("<td{}>{cell}</td>", class(*is_number)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let body: String = rows.iter().map(row).collect();
    figure(
        "table wide",
        title,
        caption,
        &format!(
            "<div class=\"scroll\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
        ),
    )
}

/// Returns an HTML `figure` element with a title, a caption and the content `html`.
pub(super) fn figure(class: &str, title: &str, caption: &str, html: &str) -> String {
    let (title, caption) = (escape(title), escape(caption));
    format!(
        "<figure class=\"{class}\">\n<figcaption><strong>{title}</strong> <span>{caption}</span></figcaption>\n{html}</figure>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_links_are_relative_and_escaped() {
        let relative = |folder: &str, file: &str| address(Path::new(folder), Path::new(file)).unwrap();
        assert_eq!(relative("/out", "/out/sub-01/report.html"), "./sub-01/report.html");
        assert_eq!(relative("/out/derived", "/out/a b/\"<ü>.html"), "./../a%20b/%22%3C%C3%BC%3E.html");
        assert_eq!(relative("/out", "/out/javascript:alert(1)"), "./javascript%3Aalert%281%29");
        assert_eq!(address(Path::new("/out"), Path::new(&format!("/out/{}", "a/".repeat(600)))), None);
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("<b a='\"'>&\u{1b}"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;\u{fffd}");
    }
}
