//! The projection from space to paper: one fixed view, for all figures that show machines.

use std::fmt::Write;

/// How far the view is turned to the right and upwards, in degrees. A step to the front goes to the
/// left by 0.38 of a step to the right, which is not close to a simple fraction. So few points of a
/// box lie behind each other.
const TURNED: f64 = 21.0;
const RAISED: f64 = 22.0;

/// A point on paper, and how near it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// To the right.
    pub x: f64,
    /// Downwards, as in pictures.
    pub y: f64,
    /// Larger is nearer.
    pub depth: f64,
}

impl Seen {
    /// The point at a fraction of the way to another.
    pub fn towards(self, other: Seen, part: f64) -> Seen {
        let mix = |a: f64, b: f64| a + part * (b - a);
        Seen {
            x: mix(self.x, other.x),
            y: mix(self.y, other.y),
            depth: mix(self.depth, other.depth),
        }
    }

    /// The distance to another point on paper.
    pub fn apart(self, other: Seen) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

/// The view of some points that fills a frame.
#[derive(Debug, Clone)]
pub struct View {
    turns: bool,
    /// The length of a unit of space on paper.
    pub unit: f64,
    /// The smallest x, y and depth before anything is moved.
    least: Seen,
    /// The size of the view.
    pub width: f64,
    /// The height of the view.
    pub height: f64,
    depth: f64,
}

impl View {
    /// The view that shows all points, with `margin` units of space around them, in a frame of this
    /// width and height; a unit of space becomes at most `largest_unit`.
    pub fn new(
        points: &[[f32; 3]],
        turns: bool,
        margin: f64,
        frame: [f64; 2],
        largest_unit: f64,
    ) -> View {
        let mut least = Seen { x: f64::INFINITY, y: f64::INFINITY, depth: f64::INFINITY };
        let mut most = Seen { x: -f64::INFINITY, y: -f64::INFINITY, depth: -f64::INFINITY };
        for &point in points {
            let seen = project(point, turns);
            for (least, most, value) in [
                (&mut least.x, &mut most.x, seen.x),
                (&mut least.y, &mut most.y, seen.y),
                (&mut least.depth, &mut most.depth, seen.depth),
            ] {
                *least = least.min(value);
                *most = most.max(value);
            }
        }
        if points.is_empty() {
            (least, most) =
                (Seen { x: 0.0, y: 0.0, depth: 0.0 }, Seen { x: 0.0, y: 0.0, depth: 0.0 });
        }
        let [width, height] = [most.x - least.x, most.y - least.y].map(|size| size + 2.0 * margin);
        let unit = (frame[0] / width).min(frame[1] / height).min(largest_unit);
        let least = Seen { x: least.x - margin, y: least.y - margin, ..least };
        let depth = (most.depth - least.depth).max(1e-9);
        View { turns, unit, least, width: width * unit, height: height * unit, depth }
    }

    /// Where a point is on paper; depths are between 0 (far) and 1 (near).
    pub fn see(&self, point: [f32; 3]) -> Seen {
        let seen = project(point, self.turns);
        Seen {
            x: (seen.x - self.least.x) * self.unit,
            y: (seen.y - self.least.y) * self.unit,
            depth: (seen.depth - self.least.depth) / self.depth,
        }
    }

    /// The line between two points. One along an axis of a box that is longer than a step would run
    /// through the points between and along their lines, so it is bent.
    pub fn line(&self, from: [f32; 3], to: [f32; 3]) -> Vec<Seen> {
        let (a, b) = (self.see(from), self.see(to));
        let differing = (0..3).filter(|&axis| (from[axis] - to[axis]).abs() > 1e-3).count();
        let length = (0..3).map(|axis| (from[axis] - to[axis]).abs()).fold(0.0, f32::max);
        if !self.turns || differing != 1 || length < 1.5 {
            return vec![a, b];
        }
        let apart = a.apart(b).max(1e-9);
        let bend = (0.07 * apart).min(0.3 * self.unit);
        let aside = [-(b.y - a.y) / apart * bend, (b.x - a.x) / apart * bend];
        // Upwards, or to the right, whichever end comes first.
        let sign =
            if aside[1] > 1e-9 || (aside[1].abs() <= 1e-9 && aside[0] < 0.0) { -1.0 } else { 1.0 };
        let piece = |at: u32| {
            let part = f64::from(at) / 8.0;
            let high = 4.0 * part * (1.0 - part) * sign;
            let straight = a.towards(b, part);
            Seen { x: straight.x + high * aside[0], y: straight.y + high * aside[1], ..straight }
        };
        (0..=8).map(piece).collect()
    }

    /// The visible area.
    pub fn area(&self) -> f64 {
        self.width * self.height
    }

    /// A short line from a point, away from another.
    pub fn stub(&self, from: [f32; 3], away_from: [f32; 3], length: f32) -> Vec<Seen> {
        let gap = |axis: usize| from[axis] - away_from[axis];
        let apart = (0..3).map(|axis| gap(axis) * gap(axis)).sum::<f32>().sqrt().max(1e-6);
        let end = [0, 1, 2].map(|axis| from[axis] + gap(axis) / apart * length);
        vec![self.see(from), self.see(end)]
    }
}

/// Adds a strip of paper around a line to a path, so the line stands out from what is behind it.
/// The strip keeps away from the ends of the line, and the elements there stay complete.
pub fn add_casing(path: &mut String, line: &[Seen], thick: f64, clear: f64) {
    let pieces = line.len().saturating_sub(1);
    for (piece, ends) in line.windows(2).enumerate() {
        let apart = ends[0].apart(ends[1]).max(1e-9);
        let cut = |is_end: bool| if is_end { clear / apart } else { 0.0 };
        let (before, after) = (cut(piece == 0), cut(piece + 1 == pieces));
        if before + after >= 0.9 {
            continue;
        }
        let (a, b) = (ends[0].towards(ends[1], before), ends[1].towards(ends[0], after));
        let [x, y] = [a.y - b.y, b.x - a.x].map(|aside| aside / a.apart(b).max(1e-9) * thick / 2.0);
        let _ = write!(
            path,
            "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}z",
            a.x + x,
            a.y + y,
            b.x + x,
            b.y + y,
            b.x - x,
            b.y - y,
            a.x - x,
            a.y - y
        );
    }
}

/// Adds a line to a path.
pub fn add_line(path: &mut String, line: &[Seen]) {
    for (at, seen) in line.iter().enumerate() {
        let _ = write!(path, "{}{:.1} {:.1}", if at == 0 { 'M' } else { 'L' }, seen.x, seen.y);
    }
}

fn project([x, y, z]: [f32; 3], turns: bool) -> Seen {
    let [x, y, z] = [x, y, z].map(f64::from);
    if !turns {
        return Seen { x, y: -y, depth: 0.0 };
    }
    let ((turn, ahead), (rise, level)) =
        (TURNED.to_radians().sin_cos(), RAISED.to_radians().sin_cos());
    let near = x * turn + z * ahead;
    Seen { x: x * ahead - z * turn, y: near * rise - y * level, depth: near * level + y * rise }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_points_stay_where_they_are() {
        let view = View::new(&[[0.0; 3], [2.0, 1.0, 0.0]], false, 0.0, [200.0, 200.0], 1000.0);
        // Two units fill 200.
        assert_eq!((view.unit, view.height), (100.0, 100.0));
        let upper = view.see([2.0, 1.0, 0.0]);
        assert_eq!((upper.x, upper.y), (200.0, 0.0));
        assert_eq!(view.line([0.0; 3], [2.0, 0.0, 0.0]).len(), 2);
    }

    #[test]
    fn the_front_is_nearer_and_lower_and_the_top_higher() {
        let corners: Vec<[f32; 3]> =
            (0..8).map(|at| [(at & 1) as f32, (at >> 1 & 1) as f32, (at >> 2) as f32]).collect();
        let view = View::new(&corners, true, 0.2, [300.0, 300.0], 1000.0);
        let (back, front, top) = (view.see(corners[0]), view.see(corners[4]), view.see(corners[2]));
        assert!(front.depth > back.depth && front.y > back.y && top.y < back.y);
        assert!(
            corners.iter().map(|&corner| view.see(corner)).all(|seen| {
                seen.x >= 0.0 && seen.x <= 300.0 && seen.y >= 0.0 && seen.y <= 300.0
            })
        );
    }

    #[test]
    fn lines_bend_around_what_lies_between() {
        let row = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 1.0]];
        let view = View::new(&row, true, 0.0, [100.0, 100.0], 1000.0);
        assert_eq!(view.line(row[0], row[1]).len(), 2);
        let bent = view.line(row[0], row[2]);
        assert!(bent[4].apart(view.see(row[1])) > 1.0);
        // The same from both ends.
        assert!(view.line(row[2], row[0])[4].apart(bent[4]) < 1e-9);
    }
}
