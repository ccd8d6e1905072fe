//! How long a rank computes in a trace.

use std::str::FromStr;

use crate::registry::Parameter;
use crate::spec::{Spec, SpecError};

pub(super) const GFLOPS: Parameter = Parameter {
    name: "gflops",
    default: "computing takes no time",
    summary: "10^9 operations per second and rank, for traces; traffic stays the same",
};

/// So slow that no time of any class overflows, and slower than any machine.
const SLOWEST: f64 = 0.001;

/// How fast a rank computes: floating point operations, random numbers (EP) or keys (IS).
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Operations per nanosecond; none if computing takes no time.
    gflops: Option<f64>,
}

impl Pace {
    pub(super) fn read(spec: &Spec) -> Result<Self, SpecError> {
        let gflops: Option<Gflops> = spec.get("gflops", "a number of at least 0.001")?;
        Ok(Pace { gflops: gflops.map(|Gflops(gflops)| gflops) })
    }

    /// The time for this many operations, in whole nanoseconds.
    pub(super) fn nanoseconds(self, operations: f64) -> u64 {
        self.gflops.map_or(0, |gflops| (operations / gflops).round() as u64)
    }
}

struct Gflops(f64);

impl FromStr for Gflops {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let gflops: f64 = text.parse().map_err(|_| ())?;
        if gflops.is_finite() && gflops >= SLOWEST { Ok(Gflops(gflops)) } else { Err(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_trace;

    #[test]
    fn time_is_operations_by_speed() {
        let pace = Pace::read(&Spec::parse("lu:gflops=2.5").unwrap()).unwrap();
        // 1000 operations at 2.5 per nanosecond.
        assert_eq!(pace.nanoseconds(1000.0), 400);
        let none = Pace::read(&Spec::parse("lu").unwrap()).unwrap();
        assert_eq!(none.nanoseconds(1000.0), 0);
    }

    #[test]
    fn speeds_that_are_none_are_refused() {
        for wrong in ["0", "-1", "inf", "NaN", "fast", "1e-300"] {
            let error = parse_trace(&format!("ep:class=S,ranks=2,gflops={wrong}")).unwrap_err();
            let expected = "ep: expected a number of at least 0.001 for \"gflops\", found";
            assert_eq!(error.to_string(), format!("{expected} \"{wrong}\""));
        }
    }
}
