//! Where instances of AWS are: what `aws ec2 describe-instance-topology` prints.

use super::format::DocumentFormat;
use crate::machines::machine_file::MachineFileAnswer;
use crate::machines::paths::Paths;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::tree::Tree;
use crate::text::warnings::Warnings;

pub const ENTRY: DocumentFormat = DocumentFormat { is, read };

/// Instances of these types are in NVLink domains of several hosts, which are their capacity blocks.
const WITH_NVLINK: &str = "p6e";

fn is(documents: &[Tree]) -> bool {
    let is_instance = |instance: &Tree| instance.get("InstanceId").is_some();
    let [all] = documents else { return false };
    all.get("Instances").is_some_and(|all| all.items().first().is_some_and(is_instance))
}

fn read(source: &Source<'_>, documents: &[Tree]) -> MachineFileAnswer {
    let mut paths = Paths::default();
    for instance in documents[0].list_of(source, "Instances")? {
        let name = instance.need_text(source, "InstanceId")?;
        let mut switches = Vec::new();
        for node in instance.list_of(source, "NetworkNodes")? {
            switches.push(node.text().ok_or_else(|| {
                node.error(source, Fault::expected("the name of a network node", node.kind()))
            })?);
        }
        let kind = instance.text_of("InstanceType").unwrap_or_default();
        let domain = instance.text_of("CapacityBlockId").filter(|_| kind.starts_with(WITH_NVLINK));
        paths.add(name, &switches, domain).map_err(|fault| instance.error(source, fault))?;
    }
    let mut warnings = Warnings::new();
    let file = paths.whole(&mut warnings).map_err(|fault| source.error(fault))?;
    Ok((file, warnings))
}
