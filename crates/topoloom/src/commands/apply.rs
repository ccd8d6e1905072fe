//! `topoloom apply`: files that tell a launcher where ranks go, and the command to start the job.

use std::path::Path;

use anyhow::bail;
use topoloom::io::launch::{self, Launch};

use crate::cli::ApplyArguments;
use crate::files;
use crate::output::{inform, print, warn};

pub fn run(arguments: ApplyArguments) -> anyhow::Result<()> {
    let format = launch::find(&arguments.format)?;
    let hosts = arguments.hosts.as_deref().map(files::read_hosts).transpose()?;
    let mapping = files::read_mapping(&arguments.mapping)?;
    let launch = Launch::new(&mapping, hosts.as_deref(), format)?;
    let output = arguments.output.as_deref();
    let inputs = [Some(arguments.mapping.as_path()), arguments.hosts.as_deref().map(Path::new)];
    let same = |a: &Path, b: &Path| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
    let prepared = launch::prepare(format, &launch, output, &arguments.command)?;
    let mut written = prepared.files.iter().filter(|_| output.is_some());
    if let Some(file) =
        written.find(|file| inputs.iter().flatten().any(|input| same(input, &file.path)))
    {
        bail!("{}: is what is read, and would be overwritten", file.path.display());
    }
    if output.is_some() {
        launch::write_files(&prepared)?;
        prepared.warnings.iter().for_each(|warning| warn(warning));
        print(&format!("{}\n", prepared.command));
    } else {
        print(&prepared.files[0].content);
        prepared.warnings.iter().for_each(|warning| warn(warning));
        inform(&prepared.command);
    }
    Ok(())
}
