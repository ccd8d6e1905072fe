//! One MPI call, as text.

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;

const ENTERING: &str = " entering at walltime ";
const RETURNING: &str = " returning at walltime ";

/// Whether a file that starts with these bytes has a call among its first lines: it may have a header.
pub fn looks_like(start: &[u8]) -> bool {
    const HEADER: usize = 12;
    let mut lines = start.split(|&byte| byte == b'\n').take(HEADER);
    lines.any(|line| {
        line.starts_with(b"MPI_")
            && line.windows(ENTERING.len()).any(|part| part == ENTERING.as_bytes())
    })
}

/// A call with its arguments.
pub struct Call<'a> {
    /// With `MPI_` before it.
    pub name: &'a str,
    /// The line where it begins.
    pub line: usize,
    /// When it begins and ends.
    pub entering: u64,
    pub returning: u64,
    arguments: Vec<(&'a str, &'a str)>,
}

/// What happened to a message, as far as a status says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    pub cancelled: bool,
    pub source: i64,
    pub tag: i64,
}

impl<'a> Call<'a> {
    fn text(&self, name: &str) -> Result<&'a str, Fault> {
        let found = self.arguments.iter().find(|(argument, _)| *argument == name);
        let missing = || Fault::expected(format!("an argument {name} of {}", self.name), "none");
        found.map(|&(_, value)| value).ok_or_else(missing)
    }

    /// The number of an argument; its name follows in brackets.
    pub fn number(&self, name: &str) -> Result<i64, Fault> {
        let text = self.text(name)?;
        let number = text.split_ascii_whitespace().next().unwrap_or_default();
        number.parse().map_err(|_| {
            let found = shown(text.as_bytes());
            Fault::expected(format!("a whole number as {name} of {}", self.name), found)
        })
    }

    /// The name of an argument's number.
    pub fn label(&self, name: &str) -> Result<&'a str, Fault> {
        let text = self.text(name)?;
        let label = text.split_once('(').map_or("", |(_, label)| label);
        Ok(label.trim_end_matches(')'))
    }

    /// The numbers of a list; none if it was not recorded.
    pub fn list(&self, name: &str) -> Result<Option<Vec<i64>>, Fault> {
        let text = self.text(name)?;
        if text == "<IGNORED>" {
            return Ok(None);
        }
        let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let wrong = || {
            let found = shown(text.as_bytes());
            Fault::expected(format!("a list of numbers as {name} of {}", self.name), found)
        };
        let inside = inside.ok_or_else(wrong)?;
        if inside.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let numbers = inside.split(',').map(|number| number.trim().parse().map_err(|_| wrong()));
        numbers.collect::<Result<Vec<i64>, Fault>>().map(Some)
    }

    /// The statuses of a call; none if they were not recorded.
    pub fn statuses(&self, name: &str) -> Result<Option<Vec<Status>>, Fault> {
        let text = self.text(name)?;
        if text == "<IGNORED>" {
            return Ok(None);
        }
        let wrong = || {
            let found = shown(text.as_bytes());
            Fault::expected(format!("statuses as {name} of {}", self.name), found)
        };
        let mut statuses = Vec::new();
        for part in text.split('{').skip(1) {
            let part = part.split('}').next().unwrap_or_default();
            let field = |field: &str| -> Result<i64, Fault> {
                let mut fields = part.split(',').filter_map(|pair| pair.trim().split_once('='));
                let value = fields.find(|(name, _)| *name == field).map(|(_, value)| value);
                value.and_then(|value| value.parse().ok()).ok_or_else(wrong)
            };
            let cancelled = field("cancelled")? != 0;
            statuses.push(Status { cancelled, source: field("source")?, tag: field("tag")? });
        }
        Ok(Some(statuses))
    }
}

/// Calls `visit` with every call of a file, and `size` with every size of a datatype that the file
/// lists.
pub fn for_each<'a>(
    source: &Source<'a>,
    mut size: impl FnMut(i64, u64),
    mut visit: impl FnMut(Call<'a>) -> Result<(), Fault>,
) -> Result<(), ReadError> {
    let mut open: Option<Call<'a>> = None;
    let mut calls = 0;
    for (number, line) in source.lines() {
        let wrong = |fault: Fault| source.error_in_line(number, fault);
        let line = str::from_utf8(line)
            .map_err(|_| wrong(Fault::expected("text", "bytes that are not text")))?;
        let times = [(ENTERING, true), (RETURNING, false)];
        let time = times.iter().find_map(|&(word, enters)| {
            let (name, rest) = line.split_once(word).filter(|(name, _)| name.starts_with("MPI"))?;
            Some((name, rest.split(',').next().unwrap_or_default(), enters))
        });
        match (time, &mut open) {
            (Some((name, time, true)), None) => {
                let time = nanoseconds(time).map_err(wrong)?;
                let (entering, returning) = (time, time);
                let arguments = Vec::new();
                open = Some(Call { name, line: number, entering, returning, arguments });
                calls += 1;
            }
            (Some((name, _, true)), Some(call)) => {
                return Err(wrong(Fault::Malformed(format!(
                    "{name} begins before {} ends",
                    call.name
                ))));
            }
            (Some((name, time, false)), Some(call)) if call.name == name => {
                call.returning = nanoseconds(time).map_err(wrong)?;
                if let Some(call) = open.take() {
                    let line = call.line;
                    visit(call).map_err(|fault| source.error_in_line(line, fault))?;
                }
            }
            (Some((name, _, false)), _) => {
                return Err(wrong(Fault::Malformed(format!("{name} ends without having begun"))));
            }
            (None, Some(call)) => call.arguments.extend(argument(line)),
            (None, None) => {
                if let Some((number, bytes)) = size_of_datatype(line) {
                    size(number, bytes);
                }
            }
        }
    }
    match open {
        Some(call) => {
            let fault = Fault::CutShort(format!("the file ends before {} does", call.name));
            Err(source.error_in_line(call.line, fault))
        }
        None if calls == 0 => Err(source.error(Fault::expected("calls of MPI", "none"))),
        None => Ok(()),
    }
}

/// Name and value of `TYPE NAME=VALUE` or `TYPE NAME[NUMBER]=VALUE`; other lines belong to data
/// that is not used.
fn argument(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.rsplit(' ').next()?;
    let name = name.split('[').next()?;
    Some((name, value.trim_end()))
}

/// The number and the bytes of `Datatype NUMBER (NAME) has size BYTES`.
fn size_of_datatype(line: &str) -> Option<(i64, u64)> {
    let (number, rest) = line.strip_prefix("Datatype ")?.split_once(' ')?;
    let (_, bytes) = rest.rsplit_once(" has size ")?;
    Some((number.parse().ok()?, bytes.trim_end().parse().ok()?))
}

/// Seconds with a point, in nanoseconds.
fn nanoseconds(time: &str) -> Result<u64, Fault> {
    let wrong = || Fault::expected("a time in seconds", shown(time.as_bytes()));
    let (seconds, fraction) = time.trim().split_once('.').unwrap_or((time.trim(), "0"));
    if fraction.is_empty() || fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    let seconds: u64 = seconds.parse().map_err(|_| wrong())?;
    let digits: u64 = fraction.parse().map_err(|_| wrong())?;
    let fraction = digits * 10u64.pow(9 - fraction.len() as u32);
    Ok(seconds.saturating_mul(1_000_000_000).saturating_add(fraction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_with_any_number_of_digits() {
        assert_eq!(nanoseconds("8153.0493"), Ok(8_153_049_300_000));
        assert_eq!(nanoseconds("1.000000002"), Ok(1_000_000_002));
        assert_eq!(nanoseconds("3"), Ok(3_000_000_000));
        let error = nanoseconds("-1.5").unwrap_err().to_string();
        assert_eq!(error, "expected a time in seconds, found \"-1.5\"");
    }

    #[test]
    fn arguments_have_a_name_behind_their_type_and_may_have_a_length() {
        assert_eq!(
            argument("MPI_Datatype datatype=2 (MPI_CHAR)"),
            Some(("datatype", "2 (MPI_CHAR)"))
        );
        assert_eq!(argument("MPI_Request requests[2]=[4, 5]"), Some(("requests", "[4, 5]")));
        assert_eq!(argument("int ranges[1][3]=[[0, 3, 1]"), Some(("ranges", "[[0, 3, 1]")));
        assert_eq!(argument("]"), None);
        assert_eq!(
            size_of_datatype("Datatype 28 (user-defined-datatype) has size 24"),
            Some((28, 24))
        );
    }
}
