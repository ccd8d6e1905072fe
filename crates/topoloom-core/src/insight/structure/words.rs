//! Structures in words.

use std::fmt;

use super::kinds::{Diagonals, Grid, Part, RankOrder, Structure};
use super::recognition::{Finding, Recognition};
use crate::words::counted;

impl fmt::Display for Recognition {
    /// `grid 8x8, open, von Neumann neighbours, last axis fastest (100.0 %)`, several joined by a
    /// plus sign, or `irregular`, or `silent`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.findings.is_empty() {
            return f.write_str(if self.is_silent { "silent" } else { "irregular" });
        }
        for (number, finding) in self.findings.iter().enumerate() {
            let separator = if number > 0 { " + " } else { "" };
            write!(f, "{separator}{finding} ({:.1} %)", 100.0 * finding.share)?;
        }
        Ok(())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.structure)?;
        let size = match &self.structure {
            Structure::AllToAll | Structure::Steps | Structure::Tree { .. } => {
                write!(f, " of {} ranks", self.ranks)?;
                self.order_in_words(f, "")?;
                return self.talkers_in_words(f);
            }
            // Two bits are a ring of four: if ranks are out of order, the two cannot be told apart.
            Structure::Hypercube { bits } if self.order == RankOrder::Other => {
                if bits.len() >= 4 && bits.len() % 2 == 0 {
                    let rings = vec!["4"; bits.len() / 2].join("x");
                    write!(f, ", or periodic grid {rings}")?;
                }
                0
            }
            Structure::Star { .. } => {
                return write!(f, " and {}", counted(self.ranks - 1, "worker"));
            }
            Structure::Grid(grid) => grid.lengths.len(),
            _ => 0,
        };
        let natural = if size > 1 { ", last axis fastest" } else { "" };
        self.order_in_words(f, natural)?;
        self.talkers_in_words(f)
    }
}

impl Finding {
    fn order_in_words(&self, f: &mut fmt::Formatter<'_>, natural: &str) -> fmt::Result {
        f.write_str(match self.order {
            RankOrder::Natural => natural,
            RankOrder::Other => ", ranks in another order",
        })
    }

    fn talkers_in_words(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_said = self.order == RankOrder::Other || !self.structure.is_of_numbers();
        f.write_str(if is_said || !self.talkers_only { "" } else { ", silent ranks not counted" })
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Structure::Grid(grid) => grid.fmt(f),
            Structure::AllToAll => f.write_str("all-to-all"),
            Structure::Star { master } => write!(f, "star: master {master}"),
            Structure::Hypercube { bits } => hypercube(bits, f),
            Structure::Steps => f.write_str("partners 1, 2, 4, ... further on (dissemination)"),
            Structure::Tree { kind, root } => write!(f, "{kind} from rank {root}"),
            Structure::Transpose { rows, columns } => {
                write!(f, "transpose {rows}x{columns}: partner of (i, j) is (j, i)")
            }
            Structure::Lines { rows, columns, in_rows: true, in_columns: true } => {
                write!(f, "blocks: all-to-all in each row and column of {rows}x{columns}")
            }
            Structure::Lines { rows, columns, in_rows: true, .. } => {
                write!(f, "blocks: all-to-all in each of {rows} rows of {columns} ranks in a row")
            }
            Structure::Lines { rows, columns, .. } => {
                write!(f, "blocks: all-to-all in each of {columns} columns of {rows} ranks")
            }
            Structure::Parts(parts) => {
                let texts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                write!(f, "{}", texts.join(" beside "))
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ranks == 2 {
            return write!(f, "{}", counted(self.count, "pair"));
        }
        if self.count > 1 {
            write!(f, "{} parts of {} ranks: ", self.count, self.ranks)?;
        } else {
            write!(f, "a part of {} ranks: ", self.ranks)?;
        }
        match &self.structure {
            // Each part has its own master, and numbers are not those inside a part.
            Some(Structure::Star { .. }) if self.count > 1 => f.write_str("star"),
            Some(Structure::Tree { kind, .. }) if self.count > 1 => kind.fmt(f),
            Some(Structure::Hypercube { bits }) => {
                write!(f, "hypercube of {}", counted(bits.len(), "dimension"))
            }
            Some(structure @ (Structure::Steps | Structure::Transpose { .. })) => {
                write!(f, "{structure}, counted inside the part")
            }
            Some(structure) => structure.fmt(f),
            None => f.write_str("irregular"),
        }
    }
}

fn hypercube(bits: &[u32], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "hypercube of {}", counted(bits.len(), "dimension"))?;
    let lowest = bits.iter().enumerate().all(|(place, &bit)| place as u32 == bit);
    let steps: Vec<String> = bits.iter().take(4).map(|bit| (1u64 << bit).to_string()).collect();
    let more = if bits.len() > 4 { ", ..." } else { "" };
    write!(f, ": partners xor {}{more}", steps.join(", "))?;
    if lowest { Ok(()) } else { f.write_str(" (some bits)") }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one_way = if self.one_way { ", one way" } else { "" };
        if let ([length], [periodic]) = (&self.lengths[..], &self.periodic[..]) {
            let name = if *periodic { "ring" } else { "chain" };
            return write!(f, "{name} of {length}{one_way}");
        }
        let lengths: Vec<String> = self.lengths.iter().map(u32::to_string).collect();
        write!(f, "grid {}", lengths.join("x"))?;
        let rings: Vec<String> = (1..)
            .zip(&self.periodic)
            .filter(|(_, periodic)| **periodic)
            .map(|(axis, _): (usize, _)| axis.to_string())
            .collect();
        if rings.is_empty() {
            f.write_str(", open")?;
        } else if rings.len() == self.lengths.len() {
            f.write_str(", periodic")?;
        } else {
            write!(f, ", periodic along axis {}", rings.join(" and "))?;
        }
        match self.diagonals {
            Diagonals::None => f.write_str(", von Neumann neighbours")?,
            Diagonals::Some(some, all) => {
                write!(f, ", neighbours along axes and {some} of {all} diagonals")?;
            }
            Diagonals::All => f.write_str(", Moore neighbours")?,
        }
        if self.one_way { write!(f, "{one_way} (wavefront)") } else { Ok(()) }
    }
}
