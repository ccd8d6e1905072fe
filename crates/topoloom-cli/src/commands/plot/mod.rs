//! `topoloom plot`: one picture, as SVG or PNG.

pub mod arguments;
mod bars;
mod curve;
mod loads;
mod machine;
mod matrix;
mod placements;

use std::path::Path;

use anyhow::bail;
use topoloom::io::atomic_write;
use topoloom::show::Picture;

use super::search::Searches;
use crate::output::inform;
use crate::output::numbers::bytes;
use crate::outputs;
use arguments::{Kind, PlotArguments};

pub fn run(arguments: PlotArguments) -> anyhow::Result<()> {
    let format = PictureFormat::of(&arguments.output)?;
    if format == PictureFormat::Svg && arguments.scale.is_some() {
        bail!("--scale is for PNG: an SVG has no pixels");
    }
    let inputs = arguments.traffic.iter().chain(&arguments.machine).chain(&arguments.strategy);
    outputs::check(&arguments.output, inputs.map(String::as_str))?;
    let searches = Searches::new(arguments.search.clone())?;
    let picture = match arguments.kind {
        Kind::Matrix => matrix::picture(&arguments, &searches)?,
        Kind::Machine => machine::picture(&arguments, &searches)?,
        Kind::Bars => bars::picture(&arguments, &searches)?,
        Kind::Loads => loads::picture(&arguments, &searches)?,
        Kind::Curve => curve::picture(&arguments, &searches)?,
    };
    let size = write(&picture, format, arguments.scale, &arguments.output)?;
    inform(&format!("{}: {}, {}", arguments.output.display(), picture.title, bytes(size as f64)));
    Ok(())
}

/// How a picture is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    Svg,
    Png,
}

impl PictureFormat {
    /// By the ending of a name.
    pub fn of(path: &Path) -> anyhow::Result<PictureFormat> {
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        match ending.as_deref().and_then(|ending| ending.to_str()) {
            Some("svg") => Ok(PictureFormat::Svg),
            Some("png") => Ok(PictureFormat::Png),
            _ => bail!(
                "{}: pictures are SVG or PNG; expected a name that ends in .svg or .png",
                path.display()
            ),
        }
    }
}

/// Pixels of a PNG for each of the picture, where nothing is said.
const USUAL_SCALE: f32 = 2.0;

/// Writes a picture, and says how many bytes it takes.
pub fn write(
    picture: &Picture,
    format: PictureFormat,
    scale: Option<f32>,
    path: &Path,
) -> anyhow::Result<usize> {
    let content = match format {
        PictureFormat::Svg => picture.standalone().into_bytes(),
        PictureFormat::Png => picture.png(scale.unwrap_or(USUAL_SCALE))?,
    };
    atomic_write(path, |writer| writer.write_all(&content))?;
    Ok(content.len())
}
