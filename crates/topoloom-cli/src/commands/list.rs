//! `topoloom list`: the available names, from the registries.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use topoloom::arrange::{ARRANGERS, MEASURES};
use topoloom::core::training::{LAYOUTS, MODELS};
use topoloom::core::{
    COLLECTIVE_MODES, OBJECTIVES, PATTERNS, REFINERS, ROUTINGS, Registry, STRATEGIES, TOPOLOGIES,
};
use topoloom::io::launch::LAUNCH_FORMATS;
use topoloom::io::machines::export::EXPORT_FORMATS;
use topoloom::io::{FORMATS, TRACE_FORMATS};
use topoloom::schedule::{PARTITIONS, QUEUES, WORKLOADS};

use crate::output::table::text_table;
use crate::output::{print, print_json};

#[derive(Debug, Args)]
pub struct ListArguments {
    /// What to list [default: everything]
    pub kind: Option<ListKind>,
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print Markdown, as in docs/reference.md
    #[arg(long)]
    pub markdown: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListKind {
    Topologies,
    Traffic,
    Collectives,
    Strategies,
    Refiners,
    Objectives,
    Routings,
    Simulators,
    Models,
    Layouts,
    Formats,
    Traces,
    Launch,
    Exports,
    Arrangers,
    Measures,
    Queues,
    Partitions,
    Workloads,
}

const KINDS: [(ListKind, &str); 19] = [
    (ListKind::Topologies, "topologies"),
    (ListKind::Traffic, "traffic"),
    (ListKind::Collectives, "collectives"),
    (ListKind::Strategies, "strategies"),
    (ListKind::Refiners, "refiners"),
    (ListKind::Objectives, "objectives"),
    (ListKind::Routings, "routings"),
    (ListKind::Simulators, "simulators"),
    (ListKind::Models, "models"),
    (ListKind::Layouts, "layouts"),
    (ListKind::Formats, "formats"),
    (ListKind::Traces, "traces"),
    (ListKind::Launch, "launch"),
    (ListKind::Exports, "exports"),
    (ListKind::Arrangers, "arrangers"),
    (ListKind::Measures, "measures"),
    (ListKind::Queues, "queues"),
    (ListKind::Partitions, "partitions"),
    (ListKind::Workloads, "workloads"),
];

pub fn run(arguments: ListArguments) -> anyhow::Result<()> {
    let kinds =
        KINDS.iter().filter(|(kind, _)| arguments.kind.is_none_or(|wanted| wanted == *kind));
    if arguments.json {
        let lists: serde_json::Map<String, Value> =
            kinds.map(|&(kind, name)| (name.to_string(), as_json(kind))).collect();
        match (arguments.kind, lists.into_iter().collect::<Vec<_>>()) {
            (Some(_), mut one) if one.len() == 1 => print_json(&one.remove(0).1),
            (_, all) => print_json(&all.into_iter().collect::<serde_json::Map<_, _>>()),
        }
        return Ok(());
    }
    if arguments.markdown {
        let sections: Vec<String> =
            kinds.map(|&(kind, name)| format!("## {name}\n\n{}", as_markdown(kind))).collect();
        print(&sections.join("\n"));
        return Ok(());
    }
    let with_options = arguments.kind.is_some();
    let sections: Vec<String> =
        kinds.map(|&(kind, name)| format!("{name}\n{}", as_text(kind, with_options))).collect();
    print(&sections.join("\n"));
    Ok(())
}

/// Calls `$body` with the registry of a kind; registries of different kinds differ in type.
macro_rules! with_registry {
    ($kind:expr, $registry:ident => $body:expr) => {
        match $kind {
            ListKind::Topologies => {
                let $registry = &TOPOLOGIES;
                $body
            }
            ListKind::Traffic => {
                let $registry = &PATTERNS;
                $body
            }
            ListKind::Collectives => {
                let $registry = &COLLECTIVE_MODES;
                $body
            }
            ListKind::Strategies => {
                let $registry = &STRATEGIES;
                $body
            }
            ListKind::Refiners => {
                let $registry = &REFINERS;
                $body
            }
            ListKind::Objectives => {
                let $registry = &OBJECTIVES;
                $body
            }
            ListKind::Routings => {
                let $registry = &ROUTINGS;
                $body
            }
            ListKind::Simulators => {
                let $registry = &topoloom::sim::MODELS;
                $body
            }
            ListKind::Models => {
                let $registry = &MODELS;
                $body
            }
            ListKind::Layouts => {
                let $registry = &LAYOUTS;
                $body
            }
            ListKind::Traces => {
                let $registry = &TRACE_FORMATS;
                $body
            }
            ListKind::Launch => {
                let $registry = &LAUNCH_FORMATS;
                $body
            }
            ListKind::Exports => {
                let $registry = &EXPORT_FORMATS;
                $body
            }
            ListKind::Arrangers => {
                let $registry = &ARRANGERS;
                $body
            }
            ListKind::Measures => {
                let $registry = &MEASURES;
                $body
            }
            ListKind::Queues => {
                let $registry = &QUEUES;
                $body
            }
            ListKind::Partitions => {
                let $registry = &PARTITIONS;
                $body
            }
            ListKind::Workloads => {
                let $registry = &WORKLOADS;
                $body
            }
            ListKind::Formats => {
                let $registry = &FORMATS;
                $body
            }
        }
    };
}

fn as_json(kind: ListKind) -> Value {
    with_registry!(kind, registry => registry_as_json(registry))
}

fn as_text(kind: ListKind, with_options: bool) -> String {
    with_registry!(kind, registry => registry_as_text(registry, with_options))
}

fn as_markdown(kind: ListKind) -> String {
    with_registry!(kind, registry => registry_as_markdown(registry))
}

fn registry_as_markdown<B>(registry: &Registry<B>) -> String {
    let mut text = String::new();
    for entry in registry.entries {
        text.push_str(&format!(
            "### {}\n\n{}. Example: `{}`\n\n",
            entry.name, entry.summary, entry.example
        ));
        let options: Vec<_> = entry.parameters.iter().chain(registry.common).collect();
        if !options.is_empty() {
            text.push_str("| option | default | meaning |\n| --- | --- | --- |\n");
            for option in options {
                text.push_str(&format!(
                    "| `{}` | {} | {} |\n",
                    option.name, option.default, option.summary
                ));
            }
            text.push('\n');
        }
    }
    text
}

fn registry_as_json<B>(registry: &Registry<B>) -> Value {
    let entries = registry.entries.iter().map(|entry| {
        let parameters: Vec<Value> = entry
            .parameters
            .iter()
            .chain(registry.common)
            .map(|parameter| {
                json!({"name": parameter.name, "default": parameter.default, "summary": parameter.summary})
            })
            .collect();
        json!({"name": entry.name, "summary": entry.summary, "example": entry.example, "parameters": parameters})
    });
    entries.collect()
}

fn registry_as_text<B>(registry: &Registry<B>, with_options: bool) -> String {
    let mut rows = Vec::new();
    for entry in registry.entries {
        let row = |first: &str, second: &str, third: String| {
            vec![first.to_string(), second.to_string(), third]
        };
        rows.push(row(entry.name, entry.example, entry.summary.to_string()));
        let options = entry.parameters.iter().chain(registry.common);
        for option in options.filter(|_| with_options) {
            let text = format!("{} [{}]", option.summary, option.default);
            rows.push(row("", &format!("  {}", option.name), text));
        }
    }
    text_table(&["name", "example", "what it is"], &rows)
}
