//! Minimization of a function of one variable.

/// The minimum of a unimodal function between `low` and `high`, to within `tolerance`, by golden-section
/// search.
pub(crate) fn minimum(mut low: f64, mut high: f64, tolerance: f64, value: impl Fn(f64) -> f64) -> f64 {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    while high - low > tolerance {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if value(left) < value(right) {
            high = right;
        } else {
            low = left;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_has_its_minimum() {
        assert!((minimum(-10.0, 10.0, 1e-6, |x| (x - 1.25) * (x - 1.25)) - 1.25).abs() < 1e-5);
        assert!((minimum(2.0, 10.0, 1e-6, |x| x) - 2.0).abs() < 1e-5);
    }
}
