use crate::{Error, Result};

/// The kind of elements that the rows or the columns of a connectivity matrix represent (the elements of an
/// [`Axis`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementKind {
    /// Regions of a parcellation, numbered by label.
    Region,
    /// Voxels of an image, numbered from 0, with x fastest.
    Voxel,
    /// Vertices of a surface, numbered from 0 in the order of the surface file.
    Vertex,
    /// Files, numbered from 0 in the order of a list, such as mask images. The names of the elements are the
    /// file names.
    File,
    /// Elements of unknown kind, numbered from 0.
    Element,
}

impl ElementKind {
    /// All kinds of elements that a matrix axis can have.
    pub const ALL: [Self; 5] = [Self::Region, Self::Voxel, Self::Vertex, Self::File, Self::Element];

    /// The word for one element of this kind: `region`, `voxel`, `vertex`, `file`, `element`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Region => "region",
            Self::Voxel => "voxel",
            Self::Vertex => "vertex",
            Self::File => "file",
            Self::Element => "element",
        }
    }

    /// The word for several elements of this kind: `regions`, `voxels`, `vertices`, `files`, `elements`.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Region => "regions",
            Self::Voxel => "voxels",
            Self::Vertex => "vertices",
            Self::File => "files",
            Self::Element => "elements",
        }
    }

    /// Finds the kind of elements by its word in the singular, such as `region` (see [`word`](Self::word)).
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// The elements that the rows or the columns of a connectivity matrix represent, such as regions or voxels.
/// Each element has a number and may have a name. The numbers ascend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    kind: ElementKind,
    numbers: Vec<u64>,
    /// One name for each element of the axis; empty if no element has a name.
    names: Vec<String>,
}

impl Axis {
    /// Maximum number of elements of an axis. Positions along an axis are 32-bit numbers.
    pub const MOST: usize = u32::MAX as usize;

    /// Creates an axis from the numbers of its elements, which must ascend, and their names. `names` is empty
    /// or has one text for each element; the text of an element without name is empty.
    pub fn new(kind: ElementKind, numbers: Vec<u64>, names: Vec<String>) -> Result<Self> {
        let subject = || format!("{} of a matrix", kind.plural());
        if !numbers.is_sorted_by(|a, b| a < b) {
            let problem = "their numbers do not ascend";
            return Err(Error::invalid(
                subject(),
                problem,
                "give each region number of the matrix axis once, in increasing order",
            ));
        }
        if numbers.len() > Self::MOST {
            let problem = format!("{} are more than {}", numbers.len(), Self::MOST);
            return Err(Error::invalid(subject(), problem, "give fewer"));
        }
        if !names.is_empty() && names.len() != numbers.len() {
            let problem = format!("{} names for {}", names.len(), numbers.len());
            return Err(Error::invalid(
                subject(),
                problem,
                "give one name for each region of the matrix axis, or no names",
            ));
        }
        // If all names are empty, the axis has no names.
        let names = if names.iter().all(String::is_empty) { Vec::new() } else { names };
        Ok(Self { kind, numbers, names })
    }

    /// Creates an axis of `count` elements of unknown kind, numbered from 0.
    pub fn unknown(count: usize) -> Result<Self> {
        if count > Self::MOST {
            let problem = format!("{count} are more than {}", Self::MOST);
            return Err(Error::invalid("elements of a matrix", problem, "give fewer"));
        }
        Self::new(ElementKind::Element, (0..count as u64).collect(), Vec::new())
    }

    /// The kind of the elements of the axis.
    pub fn kind(&self) -> ElementKind {
        self.kind
    }

    /// Number of elements of the axis.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns whether the axis has no elements.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The number of each element, in ascending order.
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// The name of the element at position `place` of the axis; `None` if the element has no name.
    ///
    /// # Panics
    /// Panics if `place` is out of range.
    pub fn name(&self, place: usize) -> Option<&str> {
        assert!(place < self.len(), "place {place} of an axis of {}", self.len());
        self.names.get(place).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// The position on the axis, counted from 0, of the element whose number is `number`; `None` if there is
    /// no such element.
    pub fn place(&self, number: u64) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_by_number_and_have_names() {
        let names = ["left", "", "right"].map(str::to_owned).to_vec();
        let axis = Axis::new(ElementKind::Region, vec![2, 5, 40], names).unwrap();
        assert_eq!((axis.len(), axis.place(5), axis.place(6)), (3, Some(1), None));
        assert_eq!([0, 1, 2].map(|place| axis.name(place)), [Some("left"), None, Some("right")]);
        let unnamed = Axis::new(ElementKind::Vertex, vec![0, 1], vec![String::new(); 2]).unwrap();
        assert_eq!(unnamed, Axis::new(ElementKind::Vertex, vec![0, 1], Vec::new()).unwrap());
        assert!(Axis::new(ElementKind::File, Vec::new(), Vec::new()).unwrap().is_empty());
        for kind in ElementKind::ALL {
            assert_eq!(ElementKind::of_word(kind.word()), Some(kind));
        }
        assert_eq!(ElementKind::of_word("regions"), None);
    }

    #[test]
    fn invalid_axes_are_rejected() {
        for (numbers, names, problem) in [
            (vec![2, 1], vec![], "their numbers do not ascend"),
            (vec![2, 2], vec![], "their numbers do not ascend"),
            (vec![1, 2], vec!["a"], "1 names for 2"),
        ] {
            let names = names.into_iter().map(str::to_owned).collect();
            assert_eq!(Axis::new(ElementKind::Voxel, numbers, names).unwrap_err().problem(), problem);
        }
    }
}
