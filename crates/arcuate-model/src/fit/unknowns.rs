//! The unknowns of a fit: scalar parameters, and rotations of orientations.

use crate::language::{Id, Input, Model, ModelProgram, Node, Program, Role};
use arcuate_core::narrow;

/// An unknown of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// The fitted value with this index.
    Number(u16),
    /// A rotation of an orientation towards one of two vectors perpendicular to it. `first` is the index of
    /// the orientation's first component among the fitted values.
    Turn { orientation: u16, first: u16, vector: u8 },
}

impl Unknown {
    /// Returns the index of the fitted value that the unknown changes. For a rotation, this is the index of
    /// the orientation's first component.
    pub(crate) fn place(self) -> u16 {
        match self {
            Self::Number(place) | Self::Turn { first: place, .. } => place,
        }
    }
}

impl ModelProgram {
    /// Returns the unknowns of a fit of the given parameters, in the order of the parameters.
    pub(crate) fn unknowns(&self, model: &Model, parameters: &[usize]) -> Vec<Unknown> {
        let mut unknowns = Vec::new();
        let mut orientation = 0;
        for (n, parameter) in model.parameters().iter().enumerate() {
            let (role, first) = self.places[n];
            if role != Role::Free {
                continue;
            }
            let (first, is_wanted) = (narrow::<u16>(first), parameters.contains(&n));
            if parameter.numbers() == 1 {
                unknowns.extend(is_wanted.then_some(Unknown::Number(first)));
            } else {
                if is_wanted {
                    unknowns.extend([0, 1].map(|vector| Unknown::Turn { orientation, first, vector }));
                }
                orientation += 1;
            }
        }
        unknowns
    }

    /// Returns a program (graph of operations) that computes the signal and its derivatives with respect to
    /// the unknowns. Also returns the node of the signal and the nodes of the derivatives.
    pub(super) fn with_derivatives(&self, unknowns: &[Unknown]) -> (Program, Vec<Id>) {
        let mut program = self.program.clone();
        let mut roots = vec![self.signal];
        roots.extend(self.derivatives(&mut program, self.signal, unknowns));
        (program, roots)
    }

    /// Adds the derivatives of a value with respect to the unknowns to the program, as nodes.
    pub(super) fn derivatives(&self, program: &mut Program, value: Id, unknowns: &[Unknown]) -> Vec<Id> {
        if unknowns.is_empty() {
            return Vec::new();
        }
        let inputs: Vec<Input> = (0..narrow::<u16>(self.free_numbers)).map(Input::Parameter).collect();
        let gradient = program.gradient(value, &inputs);
        let of_unknown = |unknown: &Unknown| match *unknown {
            Unknown::Number(n) => gradient[usize::from(n)],
            Unknown::Turn { orientation, first, vector } => {
                let mut sum = program.constant(0.0);
                for axis in 0..3u8 {
                    let across = program.make(Node::Input(Input::Across { orientation, vector, axis }));
                    let share = program.multiply(gradient[usize::from(first) + usize::from(axis)], across);
                    sum = program.add(sum, share);
                }
                sum
            }
        };
        unknowns.iter().map(of_unknown).collect()
    }
}
