//! `topoloom apply`: files that tell a launcher where ranks go, and the command to start the job.

use topoloom::io::launch::{self, Launch};
use topoloom::io::read_mapping;

use crate::cli::ApplyArguments;
use crate::output::{inform, print, warn};

pub fn run(arguments: ApplyArguments) -> anyhow::Result<()> {
    let format = launch::find(&arguments.format)?;
    let hosts = arguments.hosts.as_deref().map(launch::read_hosts).transpose()?;
    let mapping = read_mapping(&arguments.mapping)?;
    let launch = Launch::new(&mapping, hosts.as_deref(), format)?;
    let output = arguments.output.as_deref();
    let prepared = launch::prepare(format, &launch, output, &arguments.command)?;
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
