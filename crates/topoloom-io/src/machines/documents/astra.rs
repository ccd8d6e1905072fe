//! Files of ASTRA-sim, which are refused by name.

use super::format::DocumentFormat;
use crate::machines::machine_file::MachineFileAnswer;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::tree::Tree;

pub const NETWORK: DocumentFormat = DocumentFormat { is: is_network, read: read_network };

pub const SYSTEM: DocumentFormat = DocumentFormat { is: is_system, read: read_system };

fn is_network(documents: &[Tree]) -> bool {
    matches!(documents, [one] if one.get("topology").is_some() && one.get("npus_count").is_some())
}

fn read_network(source: &Source<'_>, documents: &[Tree]) -> MachineFileAnswer {
    let fault = Fault::WrongInput(
        "a network of ASTRA-sim: it has no hosts; name the network instead, such as torus:16 for a \
         ring of 16 or tree:8 for a switch with 8 ports"
            .into(),
    );
    Err(documents[0].error(source, fault))
}

fn is_system(documents: &[Tree]) -> bool {
    matches!(documents, [one] if one.get("scheduling-policy").is_some()
        && one.get("all-reduce-implementation").is_some())
}

fn read_system(source: &Source<'_>, documents: &[Tree]) -> MachineFileAnswer {
    let fault = Fault::WrongInput(
        "settings of ASTRA-sim for collective operations: they say nothing about a machine".into(),
    );
    Err(documents[0].error(source, fault))
}
