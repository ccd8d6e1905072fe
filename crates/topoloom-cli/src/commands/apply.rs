//! `topoloom apply`: files that tell a launcher where ranks go, and the command to start the job.

use topoloom::io::launch::{self, Launch};

use crate::cli::ApplyArguments;
use crate::files;
use crate::output::{inform, print, warn};
use crate::outputs;

pub fn run(arguments: ApplyArguments) -> anyhow::Result<()> {
    let format = launch::find(&arguments.format)?;
    if let Some(output) = &arguments.output {
        outputs::check(output, [])?;
    }
    let hosts = arguments.hosts.as_deref().map(files::read_hosts).transpose()?;
    let mapping = files::read_mapping(&arguments.mapping)?;
    let launch = Launch::new(&mapping, hosts.as_deref(), format)?;
    let output = arguments.output.as_deref();
    let prepared = launch::prepare(format, &launch, output, &arguments.command)?;
    let mapping = arguments.mapping.to_string_lossy();
    let inputs = [Some(&*mapping), arguments.hosts.as_deref()];
    for file in prepared.files.iter().filter(|_| output.is_some()) {
        outputs::check(&file.path, inputs.into_iter().flatten())?;
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
