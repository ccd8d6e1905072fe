//! A report on the sub-problems of a hierarchy.

use crate::words::counted;
use std::fmt;

/// How the placement of a cube was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// A linear program was solved completely: no placement is better.
    Program,
    /// Branch and bound was completed: no placement is better by more than 0.01 %.
    Branching,
    /// The budget was not enough: the best known placement was used.
    Left,
}

/// What clusters are placed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Onto {
    /// The corners of a cube, or the cells of another small box; loads are those of the best split.
    Cube,
    /// Parts of a fat tree or a dragonfly; loads are those of the machine's routing, with traffic
    /// divided over the nodes of each part.
    Parts,
}

/// The result for one cube.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CubeReport {
    /// What clusters are placed on.
    pub onto: Onto,
    /// How many clusters it has.
    pub clusters: usize,
    /// Whether the placement is proven to be the best, and how.
    pub proof: Proof,
    /// The load of the most loaded link, and a lower bound for every placement; `None` if only the
    /// search examined it.
    pub load_and_bound: Option<(f64, f64)>,
    /// Whether the search's placement was used, because it is better when every shortest route
    /// carries the same amount.
    pub search_went_on: bool,
}

impl CubeReport {
    /// The maximum share of its load by which the placement could be improved; `None` if it is not
    /// known.
    pub fn gap(&self) -> Option<f64> {
        let (load, bound) = self.load_and_bound?;
        Some(if load > 0.0 { ((load - bound) / load).max(0.0) } else { 0.0 })
    }
}

impl fmt::Display for CubeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", counted(self.clusters, "cluster"))?;
        let Some((load, bound)) = self.load_and_bound else {
            return write!(f, "left to the search, without a bound");
        };
        match self.onto {
            Onto::Cube => write!(f, "load {load:.4e} under the best split, ")?,
            Onto::Parts => write!(f, "load {load:.4e} if all nodes of a part send the same, ")?,
        }
        match self.proof {
            Proof::Program => write!(f, "proven by a linear program")?,
            Proof::Branching => write!(f, "proven by branch and bound")?,
            Proof::Left => write!(f, "not proven: at least {bound:.4e}")?,
        }
        if self.search_went_on {
            write!(f, "; the search's placement is better under equal shares and was used")?;
        }
        Ok(())
    }
}

/// A report on all cubes of a hierarchy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CubesReport {
    /// Every cube that differs from all previous ones.
    pub cubes: Vec<CubeReport>,
    /// Cubes whose placement was taken from one with the same traffic.
    pub repeated: usize,
}

impl CubesReport {
    /// How many were solved, or left, in this way.
    pub fn count(&self, proof: Proof) -> usize {
        self.cubes.iter().filter(|cube| cube.proof == proof).count()
    }

    /// The largest gap of the unsolved cubes; `None` if there are none, or if one has no bound.
    pub fn largest_gap(&self) -> Option<f64> {
        let left = self.cubes.iter().filter(|cube| cube.proof == Proof::Left);
        let gaps: Option<Vec<f64>> = left.map(CubeReport::gap).collect();
        gaps?.into_iter().reduce(f64::max)
    }

    /// How many cubes have no bound.
    pub fn without_bound(&self) -> usize {
        self.cubes.iter().filter(|cube| cube.load_and_bound.is_none()).count()
    }

    /// How many cubes used the search's placement although another has a better split.
    pub fn search_went_on(&self) -> usize {
        self.cubes.iter().filter(|cube| cube.search_went_on).count()
    }
}

impl fmt::Display for CubesReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_parts = self.cubes.iter().any(|cube| cube.onto == Onto::Parts);
        let one = if of_parts { "block" } else { "cube" };
        write!(f, "{}: ", counted(self.cubes.len(), one))?;
        write!(f, "{} proven by linear programs, ", self.count(Proof::Program))?;
        write!(f, "{} by branch and bound, ", self.count(Proof::Branching))?;
        write!(f, "{} left to the search", self.count(Proof::Left))?;
        if let Some(gap) = self.largest_gap() {
            write!(f, " (gap at most {:.1} %)", 100.0 * gap)?;
        } else if self.without_bound() > 0 {
            write!(f, " ({} without a bound)", self.without_bound())?;
        }
        if self.search_went_on() > 0 {
            let count = counted(self.search_went_on(), "cube");
            write!(f, "; {count} kept the search's placement, better under equal shares")?;
        }
        if self.repeated > 0 {
            write!(f, "; {} more with the same traffic", self.repeated)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(proof: Proof, load_and_bound: Option<(f64, f64)>) -> CubeReport {
        CubeReport { onto: Onto::Cube, clusters: 16, proof, load_and_bound, search_went_on: false }
    }

    #[test]
    fn the_gap_is_the_largest_of_those_left() {
        let mut report = CubesReport::default();
        report.cubes.push(cube(Proof::Branching, Some((10.0, 9.999))));
        assert_eq!(report.largest_gap(), None);
        report.cubes.push(cube(Proof::Left, Some((10.0, 9.0))));
        report.cubes.push(cube(Proof::Left, Some((10.0, 7.5))));
        assert_eq!(report.largest_gap(), Some(0.25));
        let said = "3 cubes: 0 proven by linear programs, 1 by branch and bound, 2 left to the \
                    search (gap at most 25.0 %)";
        assert_eq!(report.to_string(), said);
    }

    #[test]
    fn parts_of_a_dragonfly_are_not_called_cubes_and_have_no_best_split() {
        let part = CubeReport { onto: Onto::Parts, ..cube(Proof::Branching, Some((10.0, 10.0))) };
        let report = CubesReport { cubes: vec![part], repeated: 2 };
        let said = report.to_string();
        assert!(said.starts_with("1 block: ") && !said.contains("cube"), "{said}");
        assert!(!part.to_string().contains("split"), "{part}");
    }

    #[test]
    fn a_cube_without_a_bound_has_no_gap_and_is_counted() {
        let mut report = CubesReport::default();
        report.cubes.push(cube(Proof::Left, Some((10.0, 9.0))));
        report.cubes.push(cube(Proof::Left, None));
        assert_eq!(report.largest_gap(), None);
        assert!(report.to_string().ends_with("2 left to the search (1 without a bound)"));
    }
}
