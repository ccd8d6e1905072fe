//! Graphs as Topograph writes them: instances with their switches, the closest first.

use super::format::DocumentFormat;
use super::labels;
use crate::machines::machine_file::MachineFileAnswer;
use crate::machines::paths::Paths;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::tree::Tree;
use crate::text::warnings::Warnings;

pub const ENTRY: DocumentFormat = DocumentFormat { is, read };

fn is(documents: &[Tree]) -> bool {
    let is_instance = |instance: &Tree| instance.get("network_layers").is_some();
    let [graph] = documents else { return false };
    graph.get("instances").is_some_and(|all| all.items().first().is_some_and(is_instance))
}

fn read(source: &Source<'_>, documents: &[Tree]) -> MachineFileAnswer {
    let mut paths = Paths::default();
    for instance in documents[0].list_of(source, "instances")? {
        let name = instance.need_text(source, "id")?;
        let mut switches = Vec::new();
        for layer in instance.list_of(source, "network_layers")? {
            switches.push(layer.text().ok_or_else(|| {
                layer.error(source, Fault::expected("the name of a switch", layer.kind()))
            })?);
        }
        switches.retain(|switch| !switch.is_empty());
        switches.reverse();
        let domain = instance.get("labels").and_then(labels::domain);
        paths.add(name, &switches, domain).map_err(|fault| instance.error(source, fault))?;
    }
    let mut warnings = Warnings::new();
    let file = paths.whole(&mut warnings).map_err(|fault| source.error(fault))?;
    Ok((file, warnings))
}
