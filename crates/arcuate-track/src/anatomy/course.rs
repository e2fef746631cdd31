//! What a half of a streamline has met of tissues.

use super::placed::{Matter, PlacedAnatomy};
use crate::summary::Termination;

/// One half, from its seed on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Course {
    /// The point at which it came into the sub-cortical grey matter that it is in.
    entered: Option<u32>,
    /// Whether it may leave that in which it began.
    may_leave: bool,
    /// Whether it has.
    pub(crate) has_left: bool,
    /// Whether it has been in white matter.
    pub(crate) in_white: bool,
}

impl Course {
    /// Begins a half; whether it may leave sub-cortical grey matter in which it begins.
    pub(crate) fn begin(&mut self, may_leave: bool) {
        *self = Self { may_leave, ..Self::default() };
    }

    /// Whether it may leave sub-cortical grey matter in which it began.
    pub(crate) fn may_leave(&self) -> bool {
        self.may_leave
    }

    /// Comes to a point, which of the seed on is number 0: why the half ends there, and whether the point still belongs to it.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        anatomy: &PlacedAnatomy,
        place: [f32; 3],
        number: u32,
    ) -> Option<(Termination, bool)> {
        let matter = anatomy.at(place);
        match matter {
            Matter::Cortical if number > 0 => return Some((Termination::CorticalGrey, true)),
            Matter::Fluid => return Some((Termination::Fluid, false)),
            Matter::Nothing => return Some((Termination::LeftBrain, false)),
            Matter::SubCortical => {
                self.entered.get_or_insert(number);
            }
            Matter::White | Matter::Pathological | Matter::Cortical => {
                if let Some(entered) = self.entered {
                    if entered > 0 || !self.may_leave {
                        return Some((Termination::SubCorticalGrey, false));
                    }
                    (self.entered, self.has_left) = (None, true);
                }
                self.in_white |= matter == Matter::White;
            }
        }
        None
    }

    /// Of a half that has come to its end: how many of its points are left.
    ///
    /// `support` says how much speaks for the streamline at one of its points, where that is known.
    pub(crate) fn points_left(
        &self,
        anatomy: &PlacedAnatomy,
        why: Termination,
        points: &[[f32; 3]],
        support: impl Fn(usize) -> Option<f32>,
    ) -> usize {
        let (Termination::SubCorticalGrey, Some(entered)) = (why, self.entered) else { return points.len() };
        let (mut best, mut least) = (points.len(), f32::INFINITY);
        for n in entered as usize..points.len() {
            let value = support(n).unwrap_or_else(|| -anatomy.depth(points[n]));
            if value < least {
                (best, least) = (n + 1, value);
            }
        }
        best
    }
}

/// Whether a half may end so, where `last` is its last point.
pub(crate) fn ends_well(anatomy: &PlacedAnatomy, why: Termination, last: Option<[f32; 3]>) -> bool {
    use Termination::{
        Avoid, CorticalGrey, Exit, Fluid, LeftBrain, LeftImage, Stop, SubCorticalGrey, Target,
    };
    match why {
        // Regions have the last word; what they avoid is left out for that.
        CorticalGrey | SubCorticalGrey | LeftBrain | LeftImage | Stop | Exit | Avoid | Target => true,
        Fluid => false,
        _ => last.is_none_or(|place| anatomy.may_end(place)),
    }
}
