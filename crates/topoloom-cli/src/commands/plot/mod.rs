//! `topoloom plot`: one picture, as SVG or PNG.

pub mod arguments;
mod bars;
mod curve;
mod groups;
mod loads;
mod machine;
mod matrix;
mod placements;

use anyhow::bail;

use crate::output::inform;
use crate::output::numbers::bytes;
use crate::output::picture::{PictureFormat, png, write};
use crate::outputs;
use crate::placing::search::Searches;
use crate::session;
use arguments::{Kind, PlotArguments};

pub fn run(arguments: PlotArguments) -> anyhow::Result<()> {
    let in_memory = session::is_in_memory(&arguments.output);
    let format = match in_memory {
        true => PictureFormat::Png,
        false => PictureFormat::of(&arguments.output)?,
    };
    if format == PictureFormat::Svg && arguments.scale.is_some() {
        bail!("--scale is for PNG: an SVG has no pixels");
    }
    arguments.refuse_host()?;
    let inputs = arguments.traffic.iter().chain(&arguments.machine).chain(&arguments.strategy);
    if !in_memory {
        outputs::check(&arguments.output, inputs.map(String::as_str))?;
    }
    let searches = Searches::new(arguments.search.clone())?;
    let picture = match arguments.kind {
        Kind::Matrix => matrix::picture(&arguments, &searches)?,
        Kind::Machine => machine::picture(&arguments, &searches)?,
        Kind::Bars => bars::picture(&arguments, &searches)?,
        Kind::Loads => loads::picture(&arguments, &searches)?,
        Kind::Curve => curve::picture(&arguments, &searches)?,
        Kind::Groups => groups::picture(&arguments, &searches)?,
    };
    if in_memory {
        let both = (picture.standalone(), png(&picture, arguments.scale)?);
        session::keep(|done| done.picture = Some(both));
        return Ok(());
    }
    let size = write(&picture, format, arguments.scale, &arguments.output)?;
    inform(&format!("{}: {}, {}", arguments.output.display(), picture.title, bytes(size as f64)));
    Ok(())
}
