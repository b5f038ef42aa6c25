//! The contribution of each input to the value of a position.

use std::fmt::Write;

use super::evaluator::NetEvaluator;
use crate::eval::{Evaluator, Score};
use crate::game::{Color, Knowledge, each_input, plane_and_bit};

/// The value of a position by a net, with the contribution of each input.
#[derive(Clone, Debug, PartialEq)]
pub struct NetBreakdown {
    /// The value for the side to move, in units of the evaluation.
    pub value: f64,
    /// The inputs.
    pub inputs: Vec<InputValue>,
}

/// An input with its contribution.
#[derive(Clone, Debug, PartialEq)]
pub struct InputValue {
    /// The input in words, such as `P e4`.
    pub name: String,
    /// The value of the position for White less that without the input, in units of the evaluation.
    pub contribution: f64,
}

impl<G: Knowledge> NetEvaluator<G> {
    /// The value of a position, input by input.
    pub fn breakdown(&self, position: &G) -> NetBreakdown {
        let mut state = <Self as Evaluator<G>>::State::default();
        self.reset(position, &mut state);
        let value = self.value(position, &state);
        let sign = if position.side_to_move() == Color::White { 1.0 } else { -1.0 };
        let mut inputs = Vec::new();
        each_input(position.input_planes(), |input| {
            let contribution = sign * (value - self.value_without(position, &state, input));
            let (plane, bit) = plane_and_bit(input);
            inputs.push(InputValue { name: position.input_name(plane, bit), contribution });
        });
        NetBreakdown { value, inputs }
    }
}

impl NetBreakdown {
    /// The inputs in several columns, then the value and the score.
    pub fn to_text(&self) -> String {
        const COLUMNS: usize = 4;
        let width = self.inputs.iter().map(|input| input.name.chars().count()).max().unwrap_or(0);
        let mut text = "net: value of each input for White\n".to_owned();
        for row in self.inputs.chunks(COLUMNS) {
            let cells: Vec<_> = row
                .iter()
                .map(|InputValue { name, contribution }| format!("{name:width$} {contribution:>8.4}"))
                .collect();
            // Writing to a string cannot fail.
            _ = writeln!(text, "{}", cells.join("  "));
        }
        let score = Score::from_value(self.value).to_uci();
        text + &format!("net: value {:.4}, score {score} for the side to move", self.value)
    }
}
