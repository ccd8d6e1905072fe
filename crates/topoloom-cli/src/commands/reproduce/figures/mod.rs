//! The figures of the papers, as drawn by `reproduce --figures DIR`.
//!
//! One file per paper. Each is a function from the numbers of the tables to pictures. Filled bars
//! are ours. Outlined bars are numbers that a paper prints, in its text or its tables; nothing is
//! read off its plots.

pub mod haec;
pub mod heterogeneous;
pub mod multicore;
pub mod rahtm;
pub mod td;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::Context;
use topoloom::io::{FilesTogether, WriteError, check_writable};
use topoloom::show::{Picture, png_of};

use crate::interrupt::Interrupt;
use crate::output::{inform, warn};
use crate::outputs;

/// Pixels of a PNG for each pixel of the picture.
const SCALE: f32 = 2.0;

/// Pictures that are written together, as SVG and as PNG, when everything is computed.
pub struct Figures {
    /// `None` if nobody asked for figures.
    folder: Option<PathBuf>,
    drawn: Vec<Drawn>,
}

/// A picture that is not written yet.
struct Drawn {
    /// The name of its files without the ending.
    name: String,
    title: String,
    svg: String,
}

impl Figures {
    /// Refuses, before any work, a folder that could not be written to at the end.
    pub fn new(folder: Option<PathBuf>) -> anyhow::Result<Figures> {
        if let Some(folder) = &folder {
            match folder.is_dir() {
                true => check_writable(folder.join("figure.svg"))?,
                // The folder is created when it is needed, so its parent must be writable.
                false if folder.exists() => {
                    anyhow::bail!("{}: is a file, expected a folder", folder.display())
                }
                false => check_writable(folder)?,
            }
        }
        Ok(Figures { folder, drawn: Vec::new() })
    }

    /// Whether anybody asked for figures.
    pub fn are_wanted(&self) -> bool {
        self.folder.is_some()
    }

    pub fn add(&mut self, name: &str, picture: &Picture) {
        self.add_svg(name, &picture.title, picture.standalone());
    }

    /// A picture that is already a complete SVG file.
    pub fn add_svg(&mut self, name: &str, title: &str, svg: String) {
        self.drawn.push(Drawn { name: name.to_string(), title: title.to_string(), svg });
    }

    /// Writes all files or none, and prints their names.
    pub fn write(self) -> anyhow::Result<()> {
        let Some(folder) = self.folder else { return Ok(()) };
        if Interrupt::catch()?.flag().load(Ordering::Relaxed) {
            // A bar does not show that its search was cut short.
            warn("no figure is written, because the run was cut short");
            return Ok(());
        }
        let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
        for drawn in &self.drawn {
            let png = png_of(&drawn.svg, SCALE).with_context(|| drawn.name.clone())?;
            files
                .push((folder.join(format!("{}.svg", drawn.name)), drawn.svg.clone().into_bytes()));
            files.push((folder.join(format!("{}.png", drawn.name)), png));
        }
        let is_new = !folder.is_dir() && !topoloom::io::writes_nothing();
        if is_new {
            std::fs::create_dir(&folder)
                .with_context(|| format!("{}: cannot create", folder.display()))?;
        }
        let written =
            outputs::write_or_rescue("every figure", |to| write_all(&files, |path| to.of(path)));
        if written.is_err() && is_new {
            // It is empty. The first error is the one that matters.
            let _ = std::fs::remove_dir(&folder);
        }
        written?;
        for drawn in &self.drawn {
            let path = folder.join(&drawn.name);
            inform(&format!("{}.svg and .png: {}", path.display(), drawn.title));
        }
        Ok(())
    }
}

fn write_all(
    files: &[(PathBuf, Vec<u8>)],
    place: impl Fn(&Path) -> PathBuf,
) -> Result<(), WriteError> {
    let mut together = FilesTogether::new();
    for (path, content) in files {
        together.add(&place(path), |writer| writer.write_all(content))?;
    }
    together.commit()
}
