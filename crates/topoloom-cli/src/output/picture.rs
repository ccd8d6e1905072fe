//! Pictures as files.

use std::path::Path;

use anyhow::bail;
use topoloom::io::{STANDARD_OUTPUT, atomic_write};
use topoloom::show::Picture;

/// How a picture is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    Svg,
    Png,
}

impl PictureFormat {
    /// The format that the ending of a name stands for.
    pub fn of(path: &Path) -> anyhow::Result<PictureFormat> {
        // A picture for the next program in a pipe.
        if path == Path::new(STANDARD_OUTPUT) {
            return Ok(PictureFormat::Svg);
        }
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

/// Pixels of a PNG for each pixel of the picture, by default.
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
        PictureFormat::Png => png(picture, scale)?,
    };
    atomic_write(path, |writer| writer.write_all(&content))?;
    Ok(content.len())
}

/// A picture as PNG.
pub fn png(picture: &Picture, scale: Option<f32>) -> anyhow::Result<Vec<u8>> {
    Ok(picture.png(scale.unwrap_or(USUAL_SCALE))?)
}
