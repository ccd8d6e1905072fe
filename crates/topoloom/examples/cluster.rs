//! Places a job on a cluster that Slurm and hwloc describe, and prints how to start it:
//! `cargo run -p topoloom --example cluster examples/topology.conf examples/node.xml`.

use topoloom::core::cluster::Parts;
use topoloom::core::topology::Cluster;
use topoloom::core::{Machine, Problem, Run, Weight, parse_strategy};
use topoloom::io::launch::{self, Launch};
use topoloom::io::machines::{MachineFile, read_machine_file};
use topoloom::io::{Loader, MappingFile};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut parts = Parts::default();
    for file in std::env::args().skip(1) {
        match read_machine_file(&file)?.0 {
            // Every host is of this kind.
            MachineFile::Hardware(hardware) => parts.hardware.push((hardware, Vec::new())),
            MachineFile::Network(network) => parts.network = Some(network),
            MachineFile::Domains(domains) => parts.domains.extend(domains),
            MachineFile::Whole(whole) => parts = *whole,
            MachineFile::Hosts(hosts) => {
                parts.hosts = hosts.into_iter().map(|host| (host.name, host.slots)).collect();
            }
            MachineFile::Tables(tables) => parts.tables = Some(tables),
            MachineFile::Names(_) => return Err("names of devices are not used here".into()),
            MachineFile::Target(target) => return Err(target.without_hosts().into()),
        }
    }
    let (description, assumed) = parts.join()?;
    assumed.iter().for_each(|assumed| eprintln!("warning: {assumed}"));
    let cluster = std::sync::Arc::new(Cluster::new(description)?);
    let machine = Machine::with_topology("cluster:joined", cluster)?;
    println!("{} places for ranks", machine.num_nodes());

    let (traffic, _) = Loader::new().traffic("stencil:8x2", Weight::Bytes)?;
    let problem = Problem::new(traffic, machine, Weight::Bytes)?;
    let mapping = parse_strategy("auto")?.map(&problem, None, &mut Run::new(1))?;
    let file = MappingFile::of(&problem, &mapping);
    let format = launch::find("openmpi5-rankfile")?;
    let prepared = launch::prepare(format, &Launch::new(&file, None, format)?, None, "./app")?;
    print!("{}", prepared.files[0].content);
    println!("{}", prepared.command);
    Ok(())
}
