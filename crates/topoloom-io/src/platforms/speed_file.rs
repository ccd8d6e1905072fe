//! Speed files: how fast a processor is at each size, one benchmark point per line.
//!
//! `size speed [seconds [repetitions [error]]]`, separated by blanks or commas; a `#` starts a
//! comment. Sizes are in blocks, speeds in blocks per second.

use std::fmt::Write as _;
use std::path::Path;

use topoloom_arrange::{Interpolation, SpeedFunction};

use crate::text::atomic_write::atomic_write;
use crate::text::error::{ReadError, WriteError};
use crate::text::fault::Fault;
use crate::text::input::{Opener, open};
use crate::text::number::{self, Decimal, Kind};
use crate::text::source::Source;
use topoloom_core::words::counted;

/// One point of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedPoint {
    /// In blocks.
    pub size: f64,
    /// In blocks per second.
    pub speed: f64,
    /// How long one update of a rectangle of this size took on average.
    pub seconds: Option<f64>,
    /// How often it was timed.
    pub repetitions: Option<u64>,
    /// Half of the confidence interval of the mean, as a share of the mean.
    pub relative_error: Option<f64>,
}

impl SpeedPoint {
    /// Size and speed, as a speed function expects them.
    pub fn pair(&self) -> (f64, f64) {
        (self.size, self.speed)
    }
}

/// Reads the points of the file at `path`.
pub fn read_speed_points(path: impl AsRef<Path>) -> Result<Vec<SpeedPoint>, ReadError> {
    let path = path.as_ref();
    read_points(path, &open)
}

fn read_points(path: &Path, open: &Opener<'_>) -> Result<Vec<SpeedPoint>, ReadError> {
    let input = open(path)?;
    parse_speed_points(input.name(), &input.bytes()?)
}

/// Reads the speed function of the file at `path`.
pub fn read_speed_function(
    path: impl AsRef<Path>,
    interpolation: Interpolation,
) -> Result<SpeedFunction, ReadError> {
    let path = path.as_ref();
    read_speed_function_with(path, interpolation, &open)
}

/// Like [`read_speed_function`], by way of `open`.
pub(crate) fn read_speed_function_with(
    path: &Path,
    interpolation: Interpolation,
    open: &Opener<'_>,
) -> Result<SpeedFunction, ReadError> {
    let points = read_points(path, open)?;
    let function = SpeedFunction::new(points.iter().map(SpeedPoint::pair).collect(), interpolation);
    let name = path.display().to_string();
    function.map_err(|error| Source::new(&name, &[]).error(Fault::refused(error)))
}

/// Reads the content `bytes` of a speed file called `name`: at least one point, with sizes and
/// speeds that a [`SpeedFunction`] accepts.
pub fn parse_speed_points(name: &str, bytes: &[u8]) -> Result<Vec<SpeedPoint>, ReadError> {
    let source = Source::new(name, bytes);
    let mut points = Vec::new();
    for (line_number, line) in source.lines() {
        let fields = fields(line);
        if !fields.is_empty() {
            let point = point(&fields);
            points.push(point.map_err(|fault| source.error_in_line(line_number, fault))?);
        }
    }
    match points.is_empty() {
        true => Err(source.error(Fault::expected("lines of a size and a speed", "none"))),
        false => Ok(points),
    }
}

/// Columns separated by blanks, tabs or commas, without the comment.
fn fields(line: &[u8]) -> Vec<&[u8]> {
    let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
    let separates = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
    line[..end].split(separates).filter(|field| !field.is_empty()).collect()
}

fn point(fields: &[&[u8]]) -> Result<SpeedPoint, Fault> {
    let real = |token: &[u8]| number::weight(token, Kind::Real);
    let [size, speed, rest @ ..] = fields else {
        return Err(Fault::expected("a size and a speed", "1 column"));
    };
    if rest.len() > 3 {
        let found = fields.len();
        return Err(Fault::expected(
            "size, speed, seconds, repetitions and error at most",
            counted(found, "column"),
        ));
    }
    let point = SpeedPoint {
        size: real(size)?,
        speed: real(speed)?,
        seconds: rest.first().map(|token| real(token)).transpose()?,
        repetitions: rest.get(1).map(|token| number::count(token)).transpose()?,
        relative_error: rest.get(2).map(|token| real(token)).transpose()?,
    };
    // A point that is invalid alone is also invalid among others.
    match SpeedFunction::new(vec![point.pair()], Interpolation::Linear) {
        Ok(_) => Ok(point),
        Err(error) => Err(Fault::refused(error)),
    }
}

/// Points as the text of a speed file, with `comments` before them, one per line. Numbers read back
/// unchanged.
pub fn speed_points_text(comments: &[String], points: &[SpeedPoint]) -> String {
    let mut text = String::new();
    let columns = ["# size speed seconds repetitions error".to_string()];
    let comments = comments.iter().flat_map(|comment| comment.lines());
    for comment in comments.map(|line| format!("# {line}")).chain(columns) {
        text.push_str(&comment);
        text.push('\n');
    }
    for point in points {
        let _ = write!(text, "{} {}", Decimal(point.size), Decimal(point.speed));
        // A column needs the columns before it.
        if let Some(seconds) = point.seconds {
            let _ = write!(text, " {}", Decimal(seconds));
            if let Some(repetitions) = point.repetitions {
                let _ = write!(text, " {repetitions}");
                if let Some(error) = point.relative_error {
                    let _ = write!(text, " {}", Decimal(error));
                }
            }
        }
        text.push('\n');
    }
    text
}

/// Writes points to the file at `path`, whole or not at all.
pub fn write_speed_points(
    path: impl AsRef<Path>,
    comments: &[String],
    points: &[SpeedPoint],
) -> Result<(), WriteError> {
    let path = path.as_ref();
    atomic_write(path, |out| out.write_all(speed_points_text(comments, points).as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let plain = |size: f64, speed: f64| SpeedPoint {
            size,
            speed,
            seconds: None,
            repetitions: None,
            relative_error: None,
        };
        let points = [
            plain(1.0 / 3.0, 1e30),
            SpeedPoint { seconds: Some(0.125), ..plain(64.0, 512.0) },
            SpeedPoint {
                seconds: Some(1e-7),
                repetitions: Some(12),
                relative_error: Some(0.025),
                ..plain(64.0, 6.4e8)
            },
        ];
        let text = speed_points_text(&["a machine".to_string()], &points);
        assert!(text.starts_with("# a machine\n# size speed "), "{text}");
        assert_eq!(parse_speed_points("a", text.as_bytes()).unwrap(), points);
    }

    #[test]
    fn what_is_no_point_is_named_with_its_line() {
        let said =
            |text: &str| parse_speed_points("s.speed", text.as_bytes()).unwrap_err().to_string();
        assert_eq!(said("# none\n\n"), "s.speed: expected lines of a size and a speed, found none");
        assert_eq!(said("4 5\n7\n"), "s.speed:2: expected a size and a speed, found 1 column");
        assert_eq!(said("4 fast"), "s.speed:1: expected a number, found \"fast\"");
        assert_eq!(said("4 5 6 7.5"), "s.speed:1: expected a whole number, found \"7.5\"");
        assert_eq!(
            said("4 5 6 7 8 9"),
            "s.speed:1: expected size, speed, seconds, repetitions and error at most, found 6 columns"
        );
        assert_eq!(
            said("\n0 5"),
            "s.speed:2: expected a size between 1e-100 and 1e100 blocks, found 0"
        );
        assert_eq!(
            said("5, 0"),
            "s.speed:1: expected a speed between 1e-100 and 1e100 blocks per second, found 0"
        );
    }
}
