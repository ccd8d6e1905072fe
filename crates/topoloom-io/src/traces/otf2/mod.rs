//! Archives of the Open Trace Format 2, as Score-P writes them.
//!
//! An archive `X` consists of an anchor file `X.otf2`, global definitions in `X.def`, and for every
//! location N its own definitions in `X/N.def` and its events in `X/N.evt`. `docs/formats.md` says
//! which parts are read.

mod anchor;
mod bytes;
mod calls;
mod clock;
mod definitions;
mod events;
mod local_numbers;
mod operation;
mod records;

use std::fs::File;
use std::io;
use std::path::Path;

use topoloom_core::{Event, Trace};

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::input_limit;
use crate::text::tags::Tags;
use crate::traces::format::{TraceEntry, TraceFormat};
use bytes::Bytes;
use calls::Calls;
use events::Shared;
use local_numbers::LocalNumbers;

pub(crate) static ENTRY: TraceEntry = TraceEntry {
    name: "otf2",
    summary: "archive of the Open Trace Format 2: give its anchor file or the folder with it",
    example: "traces.otf2",
    parameters: &[],
    build: TraceFormat {
        endings: &["otf2"],
        looks_like: anchor::looks_like,
        has_events: |_| true,
        read: |input, bytes, _| {
            let folder = input.path_among_others("an OTF2 archive")?.parent();
            let folder = folder.unwrap_or(Path::new(""));
            parse_otf2(input.name(), bytes, &|file| read_file(&folder.join(file)))
        },
        write: None,
    },
};

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    input_limit::read_whole(&File::open(path)?)
}

/// Reads the archive whose anchor file `name` has the content `bytes`; `file` has the content of
/// its other files, whose names are relative to the folder of the anchor.
pub fn parse_otf2(
    name: &str,
    bytes: &[u8],
    file: &dyn Fn(&str) -> io::Result<Vec<u8>>,
) -> Result<Trace, ReadError> {
    let anchor = anchor::read(Bytes::new(name, bytes))?;
    let files = Files { anchor: name, file };
    let (shown, content) = files.read("def")?;
    let content = content.map_err(|error| ReadError::cannot_read(Path::new(&shown), &error))?;
    let definitions = definitions::read(Bytes::new(&shown, &content), anchor.definition_chunk)?;
    let mut shared =
        Shared { definitions: &definitions, tags: Tags::default(), calls: Calls::default() };
    let mut programs = Vec::new();
    for (rank, location) in definitions.location_of_rank.iter().enumerate() {
        let (shown, content) = files.read_of_location(location, "def")?;
        let local = match content {
            Ok(content) => {
                local_numbers::read(Bytes::new(&shown, &content), anchor.definition_chunk)?
            }
            // A location that uses the global numbers needs no local definitions.
            Err(error) if error.kind() == io::ErrorKind::NotFound => LocalNumbers::default(),
            Err(error) => return Err(ReadError::cannot_read(Path::new(&shown), &error)),
        };
        let (shown, content) = files.read_of_location(location, "evt")?;
        let silent = definitions.num_events.get(location) == Some(&0);
        programs.push(match content {
            Err(error) if silent && error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(ReadError::cannot_read(Path::new(&shown), &error)),
            Ok(content) => {
                let bytes = Bytes::new(&shown, &content);
                events::read(&mut shared, rank as u32, &local, bytes, anchor.event_chunk)?
            }
        });
    }
    let whole = |fault: Fault| ReadError::new(name.to_string(), fault);
    let (collectives, numbers) = shared.calls.collectives(&definitions).map_err(whole)?;
    for event in programs.iter_mut().flatten() {
        if let Event::Collective { number } = event {
            *number = numbers[*number as usize];
        }
    }
    Trace::new(programs, collectives).map_err(|error| whole(Fault::refused(error)))
}

/// The files beside an anchor.
struct Files<'a> {
    anchor: &'a str,
    file: &'a dyn Fn(&str) -> io::Result<Vec<u8>>,
}

/// A file as errors show it, and its content.
type Content = (String, io::Result<Vec<u8>>);

impl Files<'_> {
    fn read(&self, ending: &str) -> Result<Content, ReadError> {
        let stem = self.stem()?;
        Ok(self.content(format!("{stem}.{ending}")))
    }

    fn read_of_location(&self, location: &u64, ending: &str) -> Result<Content, ReadError> {
        let stem = self.stem()?;
        Ok(self.content(format!("{stem}/{location}.{ending}")))
    }

    fn stem(&self) -> Result<&str, ReadError> {
        let stem = Path::new(self.anchor).file_stem().and_then(|stem| stem.to_str());
        stem.ok_or_else(|| ReadError::new(self.anchor, Fault::wanted("a name that ends in .otf2")))
    }

    fn content(&self, file: String) -> Content {
        let shown = Path::new(self.anchor).with_file_name(&file).display().to_string();
        (shown, (self.file)(&file))
    }
}
