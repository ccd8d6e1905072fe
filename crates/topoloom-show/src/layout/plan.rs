//! The positions of points, before edges are drawn.

use super::gray_code;
use super::layers::Layers;

/// Where the vertices of a topology are drawn.
pub struct Plan {
    /// Whether it has three dimensions.
    pub turns: bool,
    /// First those that hold nodes.
    pub points: Vec<[f32; 3]>,
    /// The name of each point.
    pub names: Vec<String>,
    /// How many points hold nodes.
    pub holding: usize,
    /// The point of each vertex.
    pub point_of_vertex: Vec<u32>,
    /// The word for several vertices at one point: `block`, `switch`, `group`.
    pub block: &'static str,
    /// The lengths of the box that the points fill, if they fill one: rings go around in it.
    pub lengths: Vec<u32>,
    /// The rows of a picture in rows.
    pub layers: Option<Layers>,
    /// Whether links along a row or a column are arcs if they pass points between their ends.
    pub arcs: bool,
    /// What was combined.
    pub notes: Vec<String>,
}

impl Plan {
    /// A flat plan without points.
    pub fn flat() -> Plan {
        Plan {
            turns: false,
            points: Vec::new(),
            names: Vec::new(),
            holding: 0,
            point_of_vertex: Vec::new(),
            block: "block",
            lengths: Vec::new(),
            layers: None,
            arcs: false,
            notes: Vec::new(),
        }
    }

    /// Adds a point of a flat plan and returns its number.
    pub fn add(&mut self, [x, y]: [f64; 2], name: String) -> u32 {
        self.points.push([x as f32, y as f32, 0.0]);
        self.names.push(name);
        self.points.len() as u32 - 1
    }

    /// How far the middle of an edge is aside: upwards along a row, to the right along a column; 0 if
    /// it is straight.
    pub fn bend(&self, ends: [u32; 2]) -> f32 {
        let [a, b] = ends.map(|point| self.points[point as usize]);
        let apart = [0, 1].map(|axis| (a[axis] - b[axis]).abs());
        if let Some(layers) = &self.layers {
            let [low, high] = ends.map(|point| layers.level_of[point as usize]);
            // A link between two switches of a row would run through those between.
            return if low == high { 0.2 * apart[0] } else { 0.0 };
        }
        if !self.arcs {
            return 0.0;
        }
        match apart {
            [x, y] if y < 1e-3 && x > 1.5 => gray_code::bend(a[0], b[0]),
            [x, y] if x < 1e-3 && y > 1.5 => gray_code::bend(-a[1], -b[1]),
            _ => 0.0,
        }
    }

    /// Whether an edge joins both ends of a line of a box: its ends differ in one coordinate, and
    /// there by the whole length.
    pub fn goes_around(&self, ends: [u32; 2]) -> bool {
        let mut differing = 0;
        let mut whole_length = false;
        let mut rest = ends;
        for &length in &self.lengths {
            let apart = (rest[0] % length).abs_diff(rest[1] % length);
            if apart > 0 {
                differing += 1;
                whole_length = length > 2 && apart == length - 1;
            }
            rest = rest.map(|rest| rest / length);
        }
        differing == 1 && whole_length
    }
}

/// The positions of parts that fill rows of this many columns, one after the other: column and row,
/// both counted from the middle of the first row.
pub fn in_rows(count: usize, columns: usize, at: usize) -> [f64; 2] {
    let columns = columns.max(1);
    let row = at / columns;
    let in_row = columns.min(count - row * columns);
    [(at % columns) as f64 - (in_row as f64 - 1.0) / 2.0, row as f64]
}

/// `node 3`, or `nodes 3 to 7`.
pub fn run_of(what: &str, numbers: std::ops::Range<u32>) -> String {
    match numbers.len() {
        0 | 1 => format!("{what} {}", numbers.start),
        _ => format!("{what}s {} to {}", numbers.start, numbers.end - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_go_around_and_neighbours_do_not() {
        let plan = Plan { lengths: vec![4, 2, 3], ..Plan::flat() };
        // Points are x + 4 * (y + 2 * z).
        assert!(plan.goes_around([0, 3]));
        assert!(plan.goes_around([4, 7]));
        assert!(plan.goes_around([0, 16]));
        assert!(!plan.goes_around([0, 1]));
        // A ring of two has nothing to go around.
        assert!(!plan.goes_around([0, 4]));
        // From a corner to the opposite corner of a face.
        assert!(!plan.goes_around([0, 19]));
        assert!(!Plan::flat().goes_around([0, 3]));
    }

    #[test]
    fn the_last_row_is_centred() {
        let places: Vec<[f64; 2]> = (0..4).map(|at| in_rows(4, 3, at)).collect();
        assert_eq!(places, [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    }
}
