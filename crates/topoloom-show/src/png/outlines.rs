//! The shapes of letters in a TrueType file, as its tables `loca` and `glyf` describe them.
//!
//! Functions return `None` for what our two fonts do not contain, and beyond the end of a table.

use super::bytes::Bytes;

/// A point, with y upwards. In a file it is in units of the font.
pub(super) type Point = (f64, f64);

/// A part of an outline. Every outline is closed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    /// Where an outline begins.
    Start(Point),
    Line(Point),
    /// The control point of a quadratic curve, and its end.
    Curve(Point, Point),
}

impl Step {
    /// With every point moved.
    pub fn map(self, place: impl Fn(Point) -> Point) -> Step {
        match self {
            Step::Start(to) => Step::Start(place(to)),
            Step::Line(to) => Step::Line(place(to)),
            Step::Curve(control, to) => Step::Curve(place(control), place(to)),
        }
    }

    #[cfg(test)]
    pub fn end(self) -> Point {
        match self {
            Step::Start(to) | Step::Line(to) | Step::Curve(_, to) => to,
        }
    }
}

/// Composite letters contain others at most this deep: a file could contain a letter in itself.
const DEEPEST: usize = 4;

/// The tables with shapes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shapes<'a> {
    pub glyf: Bytes<'a>,
    pub loca: Bytes<'a>,
    /// Whether `loca` has numbers of four bytes.
    pub is_long: bool,
}

/// A point of a file: those that are not on the outline control a curve.
#[derive(Debug, Clone, Copy)]
struct Mark {
    at: Point,
    is_on: bool,
}

impl Shapes<'_> {
    /// The outlines of a glyph: none for a blank.
    pub fn of(&self, glyph: usize) -> Option<Vec<Step>> {
        Some(self.contours(glyph, 0)?.iter().flat_map(|contour| steps(contour)).collect())
    }

    fn contours(&self, glyph: usize, depth: usize) -> Option<Vec<Vec<Mark>>> {
        if depth > DEEPEST {
            return None;
        }
        let place = |index: usize| match self.is_long {
            true => Some(self.loca.u32(4 * index)? as usize),
            false => Some(2 * usize::from(self.loca.u16(2 * index)?)),
        };
        let (start, end) = (place(glyph)?, place(glyph + 1)?);
        if start == end {
            return Some(Vec::new());
        }
        let shape = self.glyf.part(start, end.checked_sub(start)?)?;
        match usize::try_from(shape.i16(0)?) {
            Ok(count) => simple(shape, count),
            Err(_) => self.composite(shape, depth),
        }
    }

    /// A letter of other letters: each may be moved and scaled.
    fn composite(&self, shape: Bytes<'_>, depth: usize) -> Option<Vec<Vec<Mark>>> {
        const WORDS: u16 = 0x1;
        const MOVED: u16 = 0x2;
        const SCALE: u16 = 0x8;
        const MORE: u16 = 0x20;
        const TWO_SCALES: u16 = 0x40;
        const MATRIX: u16 = 0x80;
        let mut contours = Vec::new();
        let mut at = 10;
        loop {
            let (flags, glyph) = (shape.u16(at)?, shape.u16(at + 2)?);
            at += 4;
            if flags & MOVED == 0 {
                return None;
            }
            let moved = match flags & WORDS != 0 {
                true => (f64::from(shape.i16(at)?), f64::from(shape.i16(at + 2)?)),
                false => (f64::from(shape.i8(at)?), f64::from(shape.i8(at + 1)?)),
            };
            at += if flags & WORDS != 0 { 4 } else { 2 };
            // Fractions have 14 bits after the point.
            let fraction = |index: usize| Some(f64::from(shape.i16(at + 2 * index)?) / 16384.0);
            let ((xx, yx), (xy, yy), numbers) = match flags & (SCALE | TWO_SCALES | MATRIX) {
                0 => ((1.0, 0.0), (0.0, 1.0), 0),
                SCALE => ((fraction(0)?, 0.0), (0.0, fraction(0)?), 1),
                TWO_SCALES => ((fraction(0)?, 0.0), (0.0, fraction(1)?), 2),
                MATRIX => ((fraction(0)?, fraction(1)?), (fraction(2)?, fraction(3)?), 4),
                _ => return None,
            };
            at += 2 * numbers;
            let placed = |mark: Mark| {
                let (x, y) = mark.at;
                Mark { at: (x * xx + y * xy + moved.0, x * yx + y * yy + moved.1), ..mark }
            };
            let part = self.contours(usize::from(glyph), depth + 1)?;
            contours
                .extend(part.into_iter().map(|contour| contour.into_iter().map(placed).collect()));
            if flags & MORE == 0 {
                return Some(contours);
            }
        }
    }
}

/// A letter with its own points.
fn simple(shape: Bytes<'_>, contours: usize) -> Option<Vec<Vec<Mark>>> {
    const ON: u8 = 0x1;
    const REPEATED: u8 = 0x8;
    let ends: Option<Vec<usize>> =
        (0..contours).map(|index| Some(usize::from(shape.u16(10 + 2 * index)?))).collect();
    let ends = ends?;
    let points = ends.last().map_or(0, |last| last + 1);
    let mut at = 10 + 2 * contours;
    at += 2 + usize::from(shape.u16(at)?);
    let mut flags = Vec::new();
    while flags.len() < points {
        let flag = shape.u8(at)?;
        at += 1;
        flags.push(flag);
        if flag & REPEATED != 0 {
            flags.extend(std::iter::repeat_n(flag, usize::from(shape.u8(at)?)));
            at += 1;
        }
    }
    flags.truncate(points);
    // The bits that say that a difference has one byte, and that it is positive or absent.
    let (across, at) = coordinates(shape, at, &flags, 0x2, 0x10)?;
    let (upward, _) = coordinates(shape, at, &flags, 0x4, 0x20)?;
    let marks: Vec<Mark> = flags
        .iter()
        .zip(across.into_iter().zip(upward))
        .map(|(flag, at)| Mark { at, is_on: flag & ON != 0 })
        .collect();
    let mut start = 0;
    let contour = |end: usize| {
        let contour = marks.get(start..=end)?.to_vec();
        start = end + 1;
        Some(contour)
    };
    ends.into_iter().map(contour).collect()
}

/// One coordinate of each point, and where the bytes after them begin.
fn coordinates(
    shape: Bytes<'_>,
    mut at: usize,
    flags: &[u8],
    short: u8,
    same: u8,
) -> Option<(Vec<f64>, usize)> {
    let mut value = 0.0;
    let mut values = Vec::with_capacity(flags.len());
    for flag in flags {
        match (flag & short != 0, flag & same != 0) {
            (true, is_positive) => {
                let difference = f64::from(shape.u8(at)?);
                value += if is_positive { difference } else { -difference };
                at += 1;
            }
            (false, true) => {}
            (false, false) => {
                value += f64::from(shape.i16(at)?);
                at += 2;
            }
        }
        values.push(value);
    }
    Some((values, at))
}

/// Points as lines and curves. Between two control points is a point on the outline that the file
/// leaves out.
fn steps(contour: &[Mark]) -> Vec<Step> {
    let (Some(first), Some(last)) = (contour.first(), contour.last()) else { return Vec::new() };
    let (start, rest) = match (first.is_on, last.is_on) {
        (true, _) => (first.at, &contour[1..]),
        (false, true) => (last.at, &contour[..contour.len() - 1]),
        (false, false) => (middle(first.at, last.at), contour),
    };
    let mut steps = vec![Step::Start(start)];
    let mut control = None;
    for mark in rest {
        match (control, mark.is_on) {
            (None, true) => steps.push(Step::Line(mark.at)),
            (Some(control), true) => steps.push(Step::Curve(control, mark.at)),
            (None, false) => {}
            (Some(control), false) => steps.push(Step::Curve(control, middle(control, mark.at))),
        }
        control = (!mark.is_on).then_some(mark.at);
    }
    if let Some(control) = control {
        steps.push(Step::Curve(control, start));
    }
    steps
}

fn middle(a: Point, b: Point) -> Point {
    ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_control_points_is_a_point_in_their_middle() {
        let mark = |x: f64, y: f64, is_on: bool| Mark { at: (x, y), is_on };
        let square = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)];
        let off: Vec<Mark> = square.iter().map(|&(x, y)| mark(x, y, false)).collect();
        // Begins in the middle of the last and the first.
        let round = [
            Step::Start((0.0, 2.0)),
            Step::Curve((0.0, 0.0), (2.0, 0.0)),
            Step::Curve((4.0, 0.0), (4.0, 2.0)),
            Step::Curve((4.0, 4.0), (2.0, 4.0)),
            Step::Curve((0.0, 4.0), (0.0, 2.0)),
        ];
        assert_eq!(steps(&off), round);
        // Begins at the last, which is on the outline.
        let last = [mark(0.0, 0.0, false), mark(4.0, 0.0, true), mark(4.0, 4.0, true)];
        let expected = [Step::Start((4.0, 4.0)), Step::Curve((0.0, 0.0), (4.0, 0.0))];
        assert_eq!(steps(&last), expected);
        assert_eq!(steps(&[]), []);
    }
}
