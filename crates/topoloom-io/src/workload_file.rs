//! Workloads in the Standard Workload Format: one job per line, 18 columns, comments after
//! semicolons.
//!
//! S. J. Chapin and others, "Benchmarks and standards for the evaluation of parallel job
//! schedulers" (1999), version 2.2 of the format at the Parallel Workloads Archive. Of the columns,
//! the number of a job, its submit time, run time, allocated and requested processors and requested
//! time are used; -1 means unknown.

use std::fmt::Write as _;
use std::path::Path;

use topoloom_core::budget;
use topoloom_core::words::counted;
use topoloom_schedule::{Job, Schedule, ScheduledJob, TICKS_PER_SECOND, Ticks};

use crate::text::atomic_write::atomic_write;
use crate::text::error::{ReadError, WriteError};
use crate::text::fault::Fault;
use crate::text::number::{Decimal, shown};
use crate::text::source::Source;

/// Columns of a job.
const COLUMNS: usize = 18;
/// The longest time that is accepted, in seconds: about 30,000 years.
const LONGEST: f64 = 1e12;
/// The largest number of processors of a job.
const MOST_PROCESSORS: f64 = (1u32 << 28) as f64;
/// The memory of a job while a stream is simulated.
const BYTES_OF_JOB: u64 = 256;

/// A stream of jobs as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkloadFile {
    /// The jobs whose size and run time are known, in the order of the file.
    pub jobs: Vec<Job>,
    /// How many jobs were left out, because their size or run time is not known.
    pub unknown: usize,
}

/// Reads the content `bytes` of a workload file called `name`.
pub fn parse_workload(name: &str, bytes: &[u8]) -> Result<WorkloadFile, ReadError> {
    let source = Source::new(name, bytes);
    let lines = source.bytes().iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    // A line of a job has at least 36 bytes.
    let most = lines.min(source.bytes().len() as u64 / (2 * COLUMNS as u64) + 1);
    budget::memory()
        .check_items(
            &format!("{name}: up to {most}", most = counted(most, "job")),
            most,
            BYTES_OF_JOB,
        )
        .map_err(|error| source.error(error))?;
    let mut file = WorkloadFile { jobs: Vec::new(), unknown: 0 };
    let mut fields: Vec<&[u8]> = Vec::with_capacity(COLUMNS);
    for (line_number, line) in source.lines() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b";") {
            continue;
        }
        fields.clear();
        // One more than there should be is enough to see that there are too many.
        let words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        fields.extend(words.take(COLUMNS + 1));
        let job = job(&fields).map_err(|fault| source.error_in_line(line_number, fault))?;
        match job {
            Some(job) => file.jobs.push(job),
            None => file.unknown += 1,
        }
    }
    match file.jobs.is_empty() && file.unknown == 0 {
        true => Err(source.error(Fault::expected("lines of 18 numbers, one job per line", "none"))),
        false => Ok(file),
    }
}

/// A job; `None` if its size or run time is not known.
fn job(fields: &[&[u8]]) -> Result<Option<Job>, Fault> {
    if fields.len() != COLUMNS {
        let found = match fields.len() {
            more if more > COLUMNS => "more".to_string(),
            found => found.to_string(),
        };
        return Err(Fault::expected(format!("{COLUMNS} columns"), found));
    }
    let mut values = [0.0; COLUMNS];
    for (value, (token, column)) in values.iter_mut().zip(fields.iter().zip(1..)) {
        *value = number(token).ok_or_else(|| {
            Fault::expected("a number, or -1 if it is not known", shown(token))
                .within(format!("column {column}"))
        })?;
    }
    let in_range = |column: usize, what: &str, most: f64| match values[column - 1] {
        value if value > most => Err(Fault::expected(format!("{what} of at most {most}"), value)
            .within(format!("column {column}"))),
        value => Ok((value >= 0.0).then_some(value)),
    };
    let number = in_range(1, "a job number", 9e15)?;
    let submit = in_range(2, "a time in seconds", LONGEST)?;
    let run_time = in_range(4, "a time in seconds", LONGEST)?;
    let allocated = in_range(5, "a number of processors", MOST_PROCESSORS)?;
    let requested = in_range(8, "a number of processors", MOST_PROCESSORS)?;
    let requested_time = in_range(9, "a time in seconds", LONGEST)?;
    let positive = |value: Option<f64>| value.filter(|&value| value >= 1.0);
    let processors = positive(requested).or(positive(allocated));
    let (Some(submit), Some(run_time), Some(processors)) = (submit, run_time, processors) else {
        return Ok(None);
    };
    let (run_time, asked) = (ticks(run_time), ticks(requested_time.unwrap_or(0.0)));
    Ok(Some(Job {
        number: number.unwrap_or(0.0) as u64,
        submit: ticks(submit),
        ranks: processors as u32,
        run_time,
        // Some jobs ran longer than requested before they were ended.
        estimate: asked.max(run_time),
    }))
}

/// A finite number; a number below 0 means unknown.
fn number(token: &[u8]) -> Option<f64> {
    let value: f64 = str::from_utf8(token).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

fn ticks(seconds: f64) -> Ticks {
    (seconds * TICKS_PER_SECOND).round() as Ticks
}

fn seconds(ticks: Ticks) -> Decimal {
    Decimal(ticks as f64 / TICKS_PER_SECOND)
}

/// Jobs in the Standard Workload Format, with `comments` before them, one per line. Wait times and
/// allocated processors are those of a schedule, if there is one.
fn text(
    comments: &[String],
    rows: impl Iterator<Item = (Job, Option<(Ticks, Ticks, usize)>)>,
) -> String {
    let mut text = String::from("; Version: 2.2\n");
    for comment in comments.iter().flat_map(|comment| comment.lines()) {
        let _ = writeln!(text, "; {comment}");
    }
    for (job, placed) in rows {
        let Job { number, submit, ranks, run_time, estimate } = job;
        let (wait, took, allocated) = match placed {
            Some((start, end, processors)) => {
                (seconds(start - submit).to_string(), end - start, processors.to_string())
            }
            None => ("-1".to_string(), run_time, ranks.to_string()),
        };
        let (submit, took, estimate) = (seconds(submit), seconds(took), seconds(estimate));
        let _ = writeln!(
            text,
            "{number} {submit} {wait} {took} {allocated} -1 -1 {ranks} {estimate} -1 1 -1 -1 -1 -1 -1 -1 -1"
        );
    }
    text
}

/// Jobs in the Standard Workload Format, with `comments` before them, one per line.
pub fn workload_text(comments: &[String], jobs: &[Job]) -> String {
    text(comments, jobs.iter().map(|job| (*job, None)))
}

/// A schedule as CSV: one line per job, with the nodes of its partition separated by blanks. Times
/// in seconds.
pub fn schedule_csv(schedule: &Schedule) -> String {
    let mut text = String::from("job,submit,start,end,ranks,nodes_held,factor,box,nodes\n");
    for ScheduledJob { job, start, end, partition, factor } in &schedule.jobs {
        let words = |numbers: &[u32], separator: &str| {
            numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(separator)
        };
        let (submit, start, end) = (seconds(job.submit), seconds(*start), seconds(*end));
        let lengths = partition.lengths.as_deref().map_or(String::new(), |sides| words(sides, "x"));
        let _ = writeln!(
            text,
            "{},{submit},{start},{end},{},{},{factor},{lengths},{}",
            job.number,
            job.ranks,
            partition.nodes.len(),
            words(&partition.nodes, " "),
        );
    }
    text
}

/// Writes a schedule, whole or not at all: in the Standard Workload Format if the name ends in `.swf`, else as
/// CSV.
pub fn write_schedule(
    path: impl AsRef<Path>,
    comments: &[String],
    schedule: &Schedule,
    slots_per_node: u32,
) -> Result<(), WriteError> {
    let path = path.as_ref();
    let is_workload = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("swf"));
    let content = match is_workload {
        true => text(
            comments,
            schedule.jobs.iter().map(|done| {
                let processors = done.partition.nodes.len() * slots_per_node as usize;
                (done.job, Some((done.start, done.end, processors)))
            }),
        ),
        false => schedule_csv(schedule),
    };
    atomic_write(path, |out| out.write_all(content.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "1 0 5 10 4 -1 -1 8 60 -1 1 2 3 4 5 6 -1 -1";

    fn said(text: &str) -> String {
        parse_workload("a.swf", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn requested_processors_and_times_come_before_those_that_were_used() {
        let file = parse_workload("a.swf", format!("; UnixStartTime: 0\n\n {LINE}\r\n").as_bytes());
        let job = Job { number: 1, submit: 0, ranks: 8, run_time: 10_000, estimate: 60_000 };
        assert_eq!(file, Ok(WorkloadFile { jobs: vec![job], unknown: 0 }));
        let plain = "7 3.5 -1 0.25 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1";
        let job = Job { number: 7, submit: 3500, ranks: 4, run_time: 250, estimate: 250 };
        assert_eq!(parse_workload("a.swf", plain.as_bytes()).unwrap().jobs, [job]);
        // A job that was ended late takes as long as it ran.
        let late = LINE.replace(" 60 ", " 6 ");
        assert_eq!(parse_workload("a.swf", late.as_bytes()).unwrap().jobs[0].estimate, 10_000);
    }

    #[test]
    fn jobs_without_size_or_run_time_are_counted_and_left_out() {
        let no_time = LINE.replace(" 10 4 ", " -1 4 ");
        let no_size = LINE.replace(" 10 4 ", " 10 0 ").replace(" 8 60 ", " -1 60 ");
        let file =
            parse_workload("a.swf", format!("{no_time}\n{LINE}\n{no_size}\n").as_bytes()).unwrap();
        assert_eq!((file.jobs.len(), file.unknown), (1, 2));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_and_column() {
        assert_eq!(
            said("; nothing\n"),
            "a.swf: expected lines of 18 numbers, one job per line, found none"
        );
        assert_eq!(said("; x\n1 2 3\n"), "a.swf:2: expected 18 columns, found 3");
        assert_eq!(said(&format!("{LINE} 7")), "a.swf:1: expected 18 columns, found more");
        assert_eq!(
            said(&LINE.replace(" 10 ", " ten ")),
            "a.swf:1: column 4: expected a number, or -1 if it is not known, found \"ten\""
        );
        assert_eq!(
            said(&LINE.replace(" 10 ", " 1e13 ")),
            "a.swf:1: column 4: expected a time in seconds of at most 1000000000000, found 10000000000000"
        );
        assert_eq!(
            said(&LINE.replace(" 8 ", " 1e9 ")),
            "a.swf:1: column 8: expected a number of processors of at most 268435456, found 1000000000"
        );
        assert!(said(&LINE.replace(" 10 ", " nan ")).contains("found \"nan\""));
    }

    #[test]
    fn what_is_written_reads_back() {
        let job =
            |number, submit, ranks| Job { number, submit, ranks, run_time: 1_234, estimate: 5_000 };
        let jobs = [job(1, 0, 4), job(2, 1_500, 1), job(3, 7_000, 128)];
        let text = workload_text(&["two\nlines".to_string()], &jobs);
        assert!(text.starts_with("; Version: 2.2\n; two\n; lines\n1 0 -1 1.234 4 "), "{text}");
        assert_eq!(parse_workload("a", text.as_bytes()).unwrap().jobs, jobs);
    }
}
