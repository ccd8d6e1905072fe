//! Other objects of Kubernetes, which are refused by name.

use super::format::DocumentFormat;
use crate::machines::machine_file::MachineFileAnswer;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::tree::Tree;

pub const ENTRY: DocumentFormat = DocumentFormat { is, read };

fn is(documents: &[Tree]) -> bool {
    let is_object = |tree: &Tree| tree.get("apiVersion").is_some() && tree.get("kind").is_some();
    documents.first().is_some_and(is_object)
}

fn read(source: &Source<'_>, documents: &[Tree]) -> MachineFileAnswer {
    let first = &documents[0];
    let kind = shown(first.text_of("kind").unwrap_or_default().as_bytes());
    let fault = Fault::WrongInput(format!(
        "an object of Kubernetes of the kind {kind}: it does not say how nodes are joined; expected \
         nodes (kubectl get nodes -o json) or HyperNodes of Volcano"
    ));
    Err(first.error(source, fault))
}
