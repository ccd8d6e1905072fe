//! The machine under the default placement and under the chosen one.

use topoloom_core::Vertex;
use topoloom_core::statistics::link_loads;

use super::content::{Placed, Report};
use super::data;
use super::html::{Cell, Section, csv_button, details, figure, note, paragraph, row, table};
use crate::figure::host::{HostOptions, host};
use crate::figure::machine::{MachineOptions, machine};
use crate::layout::{DrawnHost, DrawnMachine};
use crate::numbers::{amount, grouped, plural};

/// The number of links in the table.
const BUSIEST: usize = 20;

/// The most parts of a host that is drawn.
const MOST_PARTS: usize = 2_000;

/// The section.
pub fn section(report: &Report<'_>, drawn: &DrawnMachine) -> Section {
    let wired = report.problem.machine().topology().is_wired();
    let links = match wired {
        true => "",
        false => "The links of this machine are not described. ",
    };
    let cluster = report.problem.machine().topology().cluster();
    let nodes = report.problem.machine().num_nodes();
    let all = cluster.map_or(nodes, |cluster| cluster.description().hosts.len());
    let is_summary = drawn.holding < all;
    let scale = match report.drawn().len() {
        1 => "",
        _ => ", on one scale for both placements",
    };
    let in_rows = drawn.layers.as_ref();
    let mut body = paragraph(&match (!drawn.boundaries, is_summary) {
        (true, false) if in_rows.is_some() => {
            let hosts = if cluster.is_some() { "Hosts" } else { "Nodes" };
            let cells = match in_rows.is_some_and(|layers| layers.in_cells) {
                true => ", as cells with the colour of their own links",
                false => "",
            };
            format!(
                "{hosts} are at the bottom{cells}, below their switches. A line is a link, coloured by what it carries \
                 in its busier direction{scale}: messages queue where links carry most."
            )
        }
        (true, false) => format!(
            "Each line is a link, coloured by what it carries in its busier direction{scale}: \
             messages queue where links carry most. Dots are nodes; a node is larger if its ranks \
             exchange more with others."
        ),
        (true, true) => format!(
            "The machine is too large to draw every link: a dot stands for several nodes, and a line for the busiest of \
             the links between them, coloured by what it carries in its busier direction{scale}."
        ),
        (false, _) => format!(
            "{links}Each line connects a group with the group around it, coloured by what crosses \
             its boundary{scale}."
        ),
    });
    body.push_str(&overview(report, drawn));
    body.push_str("<div id=\"machine-view\"></div>\n");
    body.push_str(&inside_of_a_host(report));
    // What the drawing leaves out is stated beside it.
    for words in &data::notes(report.problem) {
        body.push_str(&note(words));
    }
    let mut numbers = String::new();
    if wired {
        numbers.push_str(&busiest_links(report, report.default(), "default-links"));
        if report.drawn().len() > 1 {
            numbers.push_str(&busiest_links(report, report.chosen(), "chosen-links"));
        }
    }
    numbers.push_str(&csv_button("data-of=\"links\"", "links.csv"));
    numbers.push_str(&csv_button("data-of=\"placement\"", "placement.csv"));
    let title =
        if wired { "The busiest links, and what is drawn as CSV" } else { "What is drawn, as CSV" };
    body.push_str(&details(title, &numbers));
    Section { id: "machine", name: "Machine", heading: "Where it travels".to_string(), body }
}

/// The picture of a machine in rows, which needs no script. Boxes have to be turned to be seen.
fn overview(report: &Report<'_>, drawn: &DrawnMachine) -> String {
    if drawn.layers.is_none() {
        return String::new();
    }
    let names: Vec<&str> = report.drawn().iter().map(|placed| placed.name.as_str()).collect();
    let weight = report.problem.weight();
    let title = report.problem.machine().spec();
    let picture = machine(drawn, MachineOptions { title, placements: &names, weight });
    figure(
        "machine-overview",
        &picture,
        "The network, row by row. Below, it can be zoomed and pointed at.",
    )
}

/// What is inside the host that exchanges most under the chosen placement, if hosts are described.
fn inside_of_a_host(report: &Report<'_>) -> String {
    let problem = report.problem;
    let busiest = DrawnHost::busiest(problem, &report.chosen().mapping);
    let mappings: Vec<_> = report.drawn().iter().map(|placed| &placed.mapping).collect();
    let Some(inside) = busiest.and_then(|number| DrawnHost::under(problem, &mappings, number))
    else {
        return String::new();
    };
    // A host that is one place has no inside.
    if inside.parts.len() < 2 || inside.parts.len() > MOST_PARTS {
        return String::new();
    }
    let names: Vec<&str> = report.drawn().iter().map(|placed| placed.name.as_str()).collect();
    let title = problem.machine().spec();
    let options = HostOptions { title, placements: &names, weight: problem.weight() };
    let caption = format!(
        "Inside host {}, which exchanges most under {}: what crosses the boundary of each part.",
        inside.name,
        report.chosen().name
    );
    figure("host-inside", &host(&inside, options), &caption)
}

fn busiest_links(report: &Report<'_>, placed: &Placed, id: &str) -> String {
    let problem = report.problem;
    let topology = problem.machine().topology();
    let mut links = link_loads(problem, &placed.mapping);
    let used = links.len();
    links.sort_by(|a, b| b.load.total_cmp(&a.load).then(a.id.cmp(&b.id)));
    links.truncate(BUSIEST);
    let rows: Vec<_> = links
        .iter()
        .filter_map(|used| Some((used, topology.link(used.id)?)))
        .map(|(used, link)| {
            let described = topology.cluster().is_some();
            // Switches are numbered after the nodes.
            let name = |vertex: Vertex| match vertex.index().checked_sub(topology.num_nodes()) {
                _ if described => topology.vertex_name(vertex),
                None => format!("node {vertex}"),
                Some(switch) => format!("switch {switch}"),
            };
            row(vec![
                Cell::words(name(link.from)),
                Cell::words(name(link.to)),
                Cell::number(used.load, amount(problem.weight(), used.load)),
                Cell::number(used.flows as f64, grouped(used.flows as f64)),
            ])
        })
        .collect();
    let caption = format!(
        "The busiest of {} that {} uses, of {}",
        plural(used, "directed link"),
        placed.name,
        grouped(topology.num_links() as f64)
    );
    table(id, &caption, &["from", "to", "carries", "pairs of ranks"], &rows)
}
