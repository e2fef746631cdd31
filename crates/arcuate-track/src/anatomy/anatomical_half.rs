//! Tissues along a half of a streamline.

use super::placed::{Matter, PlacedAnatomy};
use crate::summary::Termination;

/// State of one half with respect to the tissues, from its seed on.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnatomicalHalf {
    /// Number of the point at which the half entered the sub-cortical grey matter that it is in.
    entered: Option<u32>,
    /// True if the half may leave the sub-cortical grey matter that contains its seed.
    may_leave: bool,
    /// True if the half has left the sub-cortical grey matter that contains its seed.
    pub(crate) has_left: bool,
    /// True if the half has been in white matter.
    pub(crate) in_white: bool,
}

impl AnatomicalHalf {
    /// Begins a half. `may_leave` is true if it may leave sub-cortical grey matter that contains its seed.
    pub(crate) fn begin(&mut self, may_leave: bool) {
        *self = Self { may_leave, ..Self::default() };
    }

    /// Returns true if the half may leave sub-cortical grey matter that contains its seed.
    pub(crate) fn may_leave(&self) -> bool {
        self.may_leave
    }

    /// Processes a point; the seed has number 0. If the half stops here, returns the reason and whether the
    /// point still belongs to the half.
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
            Matter::Csf => return Some((Termination::Csf, false)),
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

    /// Returns how many points of a finished half remain after truncation inside sub-cortical grey matter.
    ///
    /// `support` returns the support of the field at a point, such as the amplitude of a fibre orientation
    /// distribution, if it is known.
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

/// Checks whether a half may stop for this reason. `last` is its last point.
pub(crate) fn ends_well(anatomy: &PlacedAnatomy, why: Termination, last: Option<[f32; 3]>) -> bool {
    use Termination::{Avoid, CorticalGrey, Csf, Exit, LeftBrain, LeftImage, Stop, SubCorticalGrey, Target};
    match why {
        // Regions override tissues. A half in a region to avoid is rejected by the constraints.
        CorticalGrey | SubCorticalGrey | LeftBrain | LeftImage | Stop | Exit | Avoid | Target => true,
        Csf => false,
        _ => last.is_none_or(|place| anatomy.may_end(place)),
    }
}
