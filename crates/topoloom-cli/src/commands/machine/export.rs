//! `topoloom machine export`: machines for other programs.

use topoloom::io::atomic_write;
use topoloom::io::machines::export::{self, Export};

use super::arguments::ExportArguments;
use crate::inputs::load_machine;
use crate::output::{inform, print, warn};
use crate::outputs;

pub fn run(arguments: &ExportArguments) -> anyhow::Result<()> {
    let format = export::find(&arguments.format)?;
    if let Some(output) = &arguments.output {
        outputs::check(output, [&arguments.machine[..]])?;
    }
    let machine = load_machine(&arguments.machine, arguments.routing.as_deref())?;
    let prepared = (format.build)(&machine)?;
    match &arguments.output {
        Some(path) => {
            atomic_write(path, |out| prepared.write(out))?;
            warn_of(prepared.as_ref());
            inform(&format!("written to {}: {}", path.display(), prepared.summary()));
        }
        None => {
            let mut text = Vec::new();
            prepared.write(&mut text)?;
            print(&String::from_utf8_lossy(&text));
            warn_of(prepared.as_ref());
        }
    }
    Ok(())
}

fn warn_of(prepared: &dyn Export) {
    prepared.warnings().iter().for_each(|warning| warn(warning));
}
