//! Finds the hemisphere of each brain region from its name, and orders regions by hemisphere.

/// The hemisphere of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Left,
    Right,
}

/// Returns the side of the brain (left or right) that a region's name states. The side is one of its words
/// (`ctx-lh-bankssts`, `Left-Thalamus`, `precentral_right`, `L_V1`), or at its end (`CortexLeft`).
pub(crate) fn side_of(name: &str) -> Option<Side> {
    let of_word = |word: &str| match word.to_lowercase().as_str() {
        "left" | "lh" | "l" => Some(Side::Left),
        "right" | "rh" | "r" => Some(Side::Right),
        _ => None,
    };
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    let at_end = || match name {
        _ if name.ends_with("Left") => Some(Side::Left),
        _ if name.ends_with("Right") => Some(Side::Right),
        _ => None,
    };
    words.find_map(of_word).or_else(at_end)
}

/// Returns the indices of the names in a new order: first left regions, then right regions, then all others.
/// Within each of these three parts, the original order is kept. Returns `None` if there are fewer than two
/// left or fewer than two right regions.
pub(crate) fn order(names: &[String]) -> Option<Vec<usize>> {
    let sides: Vec<Option<Side>> = names.iter().map(|name| side_of(name)).collect();
    let count = |side| sides.iter().filter(|of| **of == Some(side)).count();
    if count(Side::Left) < 2 || count(Side::Right) < 2 {
        return None;
    }
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&place| (sides[place].is_none(), sides[place]));
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hemispheres_are_detected_from_names() {
        for name in [
            "ctx-lh-bankssts",
            "Left-Thalamus",
            "precentral_left",
            "L_V1_ROI",
            "CortexLeft",
            "7Networks_LH_Vis_1",
        ] {
            assert_eq!(side_of(name), Some(Side::Left), "{name}");
        }
        for name in ["ctx-rh-bankssts", "Right-Thalamus", "R.V1", "ThalamusRight", "7Networks_RH_Vis_1"] {
            assert_eq!(side_of(name), Some(Side::Right), "{name}");
        }
        for name in ["Brain-Stem", "cleft", "lateral", "upright", "BRAIN_STEM", "7"] {
            assert_eq!(side_of(name), None, "{name}");
        }
    }

    #[test]
    fn left_regions_come_first_and_regions_without_a_side_last() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let some = names(&["a_right", "stem", "a_left", "b_right", "b_left"]);
        assert_eq!(order(&some), Some(vec![2, 4, 0, 3, 1]));
        assert_eq!(order(&names(&["a_left", "b", "c", "a_right", "b_right"])), None);
    }
}
