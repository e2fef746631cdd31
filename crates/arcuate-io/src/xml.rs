//! Parses XML documents to trees of elements, for GIFTI files and the headers of CIFTI-2 files.

use arcuate_core::{Error, Result, printable};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::borrow::Cow;
use std::path::Path;

/// Maximum nesting depth of XML elements. GIFTI and CIFTI-2 documents have only a few levels.
const DEEPEST: usize = 32;

/// An XML element with its attributes, its text and its child elements.
#[derive(Debug, Default)]
pub(crate) struct XmlElement<'a> {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    /// The text of this XML element, without the text of its child elements.
    pub(crate) text: Cow<'a, str>,
    pub(crate) children: Vec<XmlElement<'a>>,
}

impl<'a> XmlElement<'a> {
    /// Returns the value of an attribute of the XML element, without surrounding white space. Returns `None`
    /// if the element does not have the attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim())
    }

    /// Returns the value of an attribute of the XML element. If the element lacks the attribute, returns an
    /// error about the file `path`.
    pub(crate) fn required(&self, path: &Path, name: &str) -> Result<&str> {
        self.attribute(name).ok_or_else(|| damaged(path, format!("an element {} has no {name}", self.name)))
    }

    /// Returns the value of an attribute of the XML element as a number.
    pub(crate) fn number<T: std::str::FromStr>(&self, path: &Path, name: &str) -> Result<T> {
        let word = self.required(path, name)?;
        word.parse().map_err(|_| {
            let shown = printable(word, 40);
            damaged(
                path,
                format!("{name} of an element {} is `{shown}`, which is not a valid number", self.name),
            )
        })
    }

    /// Returns the child elements with the name `name`.
    pub(crate) fn named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s XmlElement<'a>> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Returns the first child element with the name `name`.
    pub(crate) fn child(&self, name: &str) -> Option<&XmlElement<'a>> {
        self.children.iter().find(|child| child.name == name)
    }

    fn push_text(&mut self, text: Cow<'a, str>) {
        if self.text.is_empty() {
            self.text = text;
        } else if !text.trim().is_empty() || !self.text.trim().is_empty() {
            self.text.to_mut().push_str(&text);
        }
    }
}

/// Creates the error of an invalid document.
pub(crate) fn damaged(path: &Path, problem: String) -> Error {
    Error::invalid(path.display(), problem, "copy or download the file again, or create it again")
}

/// Parses an XML document and returns its outermost element.
pub(crate) fn parse<'a>(path: &Path, text: &'a str) -> Result<XmlElement<'a>> {
    let mut reader = Reader::from_str(text);
    // The XML elements that have begun but not ended yet; the innermost element is last.
    let mut open: Vec<XmlElement> = Vec::new();
    let fail = |place: u64, problem: &dyn std::fmt::Display| {
        damaged(path, format!("its XML is damaged near byte {place} ({problem})"))
    };
    loop {
        let event = reader.read_event().map_err(|e| fail(reader.error_position(), &e))?;
        let place = reader.buffer_position();
        let closed = match event {
            Event::Start(start) => {
                if open.len() == DEEPEST {
                    return Err(fail(place, &"too many elements within each other"));
                }
                open.push(element(&start).map_err(|e| fail(place, &e))?);
                None
            }
            Event::Empty(start) => Some(element(&start).map_err(|e| fail(place, &e))?),
            Event::End(_) => open.pop(),
            Event::Text(text) => {
                push(&mut open, text.into_inner());
                None
            }
            Event::CData(text) => {
                push(&mut open, text.into_inner());
                None
            }
            Event::GeneralRef(reference) => {
                let resolved = resolve(&reference).ok_or_else(|| fail(place, &"an entity that is none"))?;
                push(&mut open, Cow::Owned(resolved));
                None
            }
            Event::Eof => return Err(fail(place, &"it ends early")),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => None,
        };
        if let Some(closed) = closed {
            match open.last_mut() {
                Some(parent) => parent.children.push(closed),
                None => return Ok(closed),
            }
        }
    }
}

fn push<'a>(open: &mut [XmlElement<'a>], text: Cow<'a, str>) {
    // Text outside all elements is ignored.
    if let Some(innermost) = open.last_mut() {
        innermost.push_text(text);
    }
}

fn resolve(reference: &quick_xml::events::BytesRef) -> Option<String> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Some(character.to_string());
    }
    quick_xml::escape::resolve_predefined_entity(reference).map(str::to_owned)
}

fn element<'a>(start: &BytesStart) -> quick_xml::Result<XmlElement<'a>> {
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0)?;
        attributes.push((attribute.key.0.to_owned(), value.into_owned()));
    }
    Ok(XmlElement { name: start.name().0.to_owned(), attributes, ..XmlElement::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_parsed_into_trees() {
        let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE A SYSTEM \"a.dtd\">\n<A x=\" 1 &amp; 2 \">\n<B/><C>a&lt;<![CDATA[b&]]> \
                    &#99;</C><!-- --></A>";
        let tree = parse(Path::new("a"), text).unwrap();
        assert_eq!((tree.name.as_str(), tree.attribute("x")), ("A", Some("1 & 2")));
        assert_eq!(tree.children.len(), 2);
        assert_eq!(tree.child("C").unwrap().text, "a<b& c");
        assert_eq!(tree.named("B").count(), 1);
        let error = tree.number::<u32>(Path::new("a"), "x").unwrap_err();
        assert_eq!(error.problem(), "x of an element A is `1 & 2`, which is not a valid number");
        assert_eq!(tree.required(Path::new("a"), "y").unwrap_err().problem(), "an element A has no y");
    }

    #[test]
    fn damaged_documents_are_rejected() {
        let deep = "<A>".repeat(40);
        for text in ["", "<A>", "<A></B>", "<A x=1/>", "<A>&nothing;</A>", "<A x='&#xd800;'/>", &deep] {
            let error = parse(Path::new("a"), text).unwrap_err();
            assert!(error.problem().starts_with("its XML is damaged near byte"), "{text}: {error}");
        }
    }
}
