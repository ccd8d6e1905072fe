//! Networks with their forwarding tables: routes, loads, rails and speeds that are known from OpenSM
//! and from the files themselves.

use std::any::Any;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use topoloom_core::cluster::{Description, Parts};
use topoloom_core::route_survey::{all_pairs, survey};
use topoloom_core::routing::routing_for;
use topoloom_core::topology::{Cluster, Graph};
use topoloom_core::{LinkId, Topology, Vertex};
use topoloom_io::machines::{MachineFile, parse_machine_file};
use topoloom_io::{machine_content, parse_machine_description};

pub fn packed(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/independent/networks");
    let file = std::fs::File::open(folder.join(name)).unwrap();
    let mut bytes = Vec::new();
    match name.ends_with(".gz") {
        true => flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).unwrap(),
        false => { file }.read_to_end(&mut bytes).unwrap(),
    };
    bytes
}

/// The machine of cables and tables, with its hosts in this order; all of them if there are none.
pub fn described(network: &str, tables: Option<&str>, hosts: &[String]) -> Description {
    let mut parts = Parts::default();
    for name in [Some(network), tables].into_iter().flatten() {
        let bytes = match name.ends_with(".out") && !name.ends_with(".gz") {
            true => super::sample(name),
            false => packed(name),
        };
        match parse_machine_file(name, &bytes).unwrap().0 {
            MachineFile::Network(network) => parts.network = Some(network),
            MachineFile::Tables(tables) => parts.tables = Some(tables),
            other => panic!("{name}: {other:?}"),
        }
    }
    parts.hosts = hosts.iter().map(|host| (host.clone(), None)).collect();
    parts.join().unwrap().0
}

fn network(description: Description) -> Arc<dyn Topology> {
    let cluster = Cluster::new(description).unwrap();
    cluster.wired().unwrap().shared_network().unwrap()
}

fn route(network: &dyn Topology, routing: &str, from: u32, to: u32) -> Vec<LinkId> {
    let mut links = Vec::new();
    let routing = routing_for(routing, network).unwrap();
    routing.route(network, Vertex(from), Vertex(to), &mut |link, _| links.push(link));
    links
}

/// Hosts in the order for which OpenSM's `ftree` makes shifts free of conflicts.
fn ca_order(name: &str) -> Vec<String> {
    let text = String::from_utf8(packed(name)).unwrap();
    let host = |line: &str| line.split_whitespace().nth(1).unwrap().to_string();
    text.lines().map(host).collect()
}

#[test]
fn d_mod_k_is_what_opensm_calls_ftree_to_the_port() {
    let in_order: Vec<String> = (1..=16).map(|host| format!("n{host:03}")).collect();
    for (name, tables, hosts) in [
        ("ft8", "ft8.ftree.lfts.dump.gz", ca_order("ft8.ftree.ca-order.dump")),
        ("ft16-parallel", "ft16-parallel.ftree.lfts.dump.gz", in_order),
        ("ft64", "ft64.ftree.dump_fts-n.out.gz", ca_order("ft64.ftree.ca-order.dump")),
    ] {
        let cables = format!("{name}.ibnetdiscover.out.gz");
        let network = network(described(&cables, Some(tables), &hosts));
        let adapters = network.num_nodes() as u32;
        assert_eq!(adapters as usize, hosts.len(), "{name}");
        let [by_table, by_rule] =
            ["table", "d-mod-k"].map(|routing| routing_for(routing, network.as_ref()).unwrap());
        for (from, to) in (0..adapters).flat_map(|a| (0..adapters).map(move |b| (a, b))) {
            let mut links: [Vec<LinkId>; 2] = Default::default();
            for (routing, links) in [&by_table, &by_rule].into_iter().zip(&mut links) {
                routing.route(network.as_ref(), Vertex(from), Vertex(to), &mut |link, _| {
                    links.push(link)
                });
            }
            assert_eq!(links[0], links[1], "{name}: {from} to {to}");
        }
    }
}

#[test]
fn routes_are_those_of_ibtracert() {
    let tables = "ft8.ftree.lfts.dump.gz";
    let description = described("ft8.ibnetdiscover.out.gz", Some(tables), &[]);
    let numbers: HashMap<String, u32> =
        (0..).zip(&description.hosts).map(|(number, host)| (host.name.clone(), number)).collect();
    let cluster = Cluster::new(description).unwrap();
    let wired = cluster.wired().unwrap();
    let network = wired.network().unwrap();
    let known: serde_json::Value =
        serde_json::from_slice(&packed("ft8.ftree.routes.json")).unwrap();
    let known = known["routes"].as_object().unwrap();
    assert_eq!(known.len(), 56);
    for (pair, hops) in known {
        let (from, to) = pair.split_once("->").unwrap();
        // Every hop as the name and the port that it leaves by: `L1-001[2]`.
        let leaves = |id: LinkId| {
            let name = cluster.link_name(wired.network_link(id)).unwrap();
            let (from, _) = name.split_once(" -> ").unwrap();
            let (device, port) = from.split_once(" port ").unwrap();
            format!("{}[{port}]", device.split(' ').next().unwrap())
        };
        let links = route(network, "table", numbers[from], numbers[to]);
        let found: Vec<String> = links.into_iter().map(leaves).collect();
        let hops: Vec<&str> =
            hops.as_array().unwrap().iter().map(|h| h.as_str().unwrap()).collect();
        assert_eq!(found, hops, "{pair}");
    }
}

#[test]
fn an_adapter_with_four_addresses_has_four_routes() {
    let tables = "ft16-lmc2.minhop.lfts.dump.gz";
    let description = described("ft16-lmc2.ibnetdiscover.out.gz", Some(tables), &[]);
    let number =
        |name: &str| description.hosts.iter().position(|host| host.name == name).unwrap() as u32;
    let (from, to) = (number("n001"), number("n016"));
    let cluster = Cluster::new(description).unwrap();
    let wired = cluster.wired().unwrap();
    let links = route(wired.network().unwrap(), "table:paths=4", from, to);
    let name = |id: &LinkId| cluster.link_name(wired.network_link(*id)).unwrap();
    let text = String::from_utf8(packed("ft16-lmc2.minhop.ibtracert.out")).unwrap();
    // The port that each hop leaves by: `[8] -> switch port ...`.
    let ports = text.lines().filter_map(|line| line.strip_prefix('[')?.split_once(']'));
    let ports: Vec<&str> = ports.map(|(port, _)| port).collect();
    assert_eq!(ports.len(), 16);
    let found: Vec<String> = links
        .iter()
        .map(|id| name(id).split(" port ").nth(1).unwrap().split(' ').next().unwrap().to_string())
        .collect();
    assert_eq!(found, ports);
    assert_eq!(route(wired.network().unwrap(), "table", from, to).len(), 4);
}

#[test]
fn all_forms_of_tables_are_the_same_tables() {
    let cables = "ft8.ibnetdiscover.out.gz";
    let forms = ["lfts.dump", "dump_fts.out", "dump_fts-n.out", "fdbs"];
    let of = |form: &str| {
        let tables = format!("ft8.ftree.{form}.gz");
        let network = network(described(cables, Some(&tables), &[]));
        let pairs = (0..8).flat_map(|a| (0..8).map(move |b| (a, b))).filter(|(a, b)| a != b);
        pairs.map(|(a, b)| route(network.as_ref(), "table", a, b)).collect::<Vec<_>>()
    };
    let first = of(forms[0]);
    for form in &forms[1..] {
        assert_eq!(of(form), first, "{form}");
    }
}

#[test]
fn loads_and_lengths_of_all_routes_are_known() {
    let known: serde_json::Value = serde_json::from_slice(&packed("known-answers.json")).unwrap();
    let mut checked = 0;
    for (name, engines) in known.as_object().unwrap() {
        let name = name.split("-582").next().unwrap();
        let cables = match name {
            "dgx" => "ib/topograph-ibnetdiscover-example.out".to_string(),
            name => format!("{name}.ibnetdiscover.out.gz"),
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/independent/networks");
        for (engine, answers) in engines.as_object().unwrap() {
            let forms = ["lfts.dump", "dump_fts-n.out"];
            let tables = forms.map(|form| format!("{name}.{engine}.{form}.gz"));
            let tables = tables.into_iter().find(|file| folder.join(file).exists());
            let is_even = engine == "all-minimal-ports-equal";
            if !is_even && tables.is_none() {
                continue;
            }
            let description = described(&cables, tables.as_deref(), &[]);
            let network = network(description);
            let flows = all_pairs(network.num_nodes() as u32);
            let routing = if is_even { "ecmp" } else { "table" };
            let found = survey(
                network.as_ref(),
                routing_for(routing, network.as_ref()).unwrap().as_ref(),
                &flows,
            );
            let number = |key: &str| answers[key].as_f64().unwrap();
            let close = |a: f64, b: f64| (a - b).abs() <= 0.01;
            assert!(close(found.load, number("all_pairs_max")), "{name} {engine} {found:?}");
            assert!(close(found.total, number("all_pairs_sum")), "{name} {engine} {found:?}");
            checked += 1;
            if is_even {
                assert_eq!(found.used as f64, number("used"), "{name} {engine}");
                continue;
            }
            assert_eq!(found.used as f64, number("used_directed_links"), "{name} {engine}");
            let lengths = answers["switches_on_route"].as_object().unwrap();
            let lengths = lengths
                .iter()
                .map(|(length, count)| (length.parse::<u32>().unwrap(), count.as_u64().unwrap()));
            assert!(found.switches_on_routes.into_iter().eq(lengths), "{name} {engine}");
        }
    }
    assert!(checked >= 22, "{checked}");
}

#[test]
fn an_address_that_a_table_lacks_is_found() {
    let cables = "torus444.ibnetdiscover.out.gz";
    let broken = |tables: &str| {
        let network = network(described(cables, Some(tables), &[]));
        network.forwarding().unwrap().broken()
    };
    assert_eq!(broken("torus444.dor.lfts.dump.gz"), [None, None]);
    let [loops, stuck] = broken("torus444.dor.dump_fts-n.out.gz");
    assert_eq!((loops, stuck.unwrap().pairs), (None, 63));
}

#[test]
fn cables_have_the_speeds_of_their_lanes() {
    let description = described("psmn-x5.ibnetdiscover.out.gz", None, &[]);
    let cables = &description.network.wiring.as_ref().unwrap().cables;
    let mut speeds: Vec<f64> = cables.iter().map(|cable| cable.link.bytes_per_second).collect();
    speeds.sort_by(f64::total_cmp);
    speeds.dedup();
    assert_eq!(speeds, [2e9, 4e9]);
    // Many adapters and several switches have the same description.
    assert_eq!(description.hosts.len(), 89);
    assert_eq!(description.network.wiring.as_ref().unwrap().switches.len(), 11);
}

#[test]
fn rails_stay_apart_and_helpers_of_switches_are_left_out() {
    let description = described("ib/topograph-ibnetdiscover-example.out", None, &[]);
    let wiring = description.network.wiring.as_ref().unwrap();
    assert_eq!((wiring.adapters.len(), wiring.switches.len()), (542, 40));
    let mut rails: HashMap<u32, usize> = HashMap::new();
    wiring.adapters.iter().for_each(|adapter| *rails.entry(adapter.host).or_default() += 1);
    let four = rails.values().filter(|&&adapters| adapters == 4).count();
    assert!(2 * four > rails.len(), "most hosts have four adapters");
}

#[test]
fn a_machine_file_keeps_cables_and_tables() {
    let tables = "ft16-lmc2.minhop.lfts.dump.gz";
    let description = described("ft16-lmc2.ibnetdiscover.out.gz", Some(tables), &[]);
    let mut bytes = Vec::new();
    machine_content(&description)(&mut bytes).unwrap();
    assert_eq!(parse_machine_description("machine.json", &bytes).unwrap(), description);
}

#[test]
fn a_table_that_loops_is_refused() {
    let tables = "Unicast lids [0-2] of switch Lid 9 guid 0xa ('a'):\n0x0001 002\n0x0002 001\n\
                  Unicast lids [0-2] of switch Lid 8 guid 0xb ('b'):\n0x0001 002\n0x0002 001\n";
    let cables = "Switch 4 \"S-a\" # \"a\"\n[1] \"H-1\"[1] # \"n1 m0\" lid 1 4xHDR\n\
                  [2] \"S-b\"[2] # \"b\" lid 8 4xHDR\n[3] \"H-3\"[1] # \"n3 m0\" lid 3 4xHDR\n\
                  Switch 4 \"S-b\" # \"b\"\n[1] \"H-2\"[1] # \"n2 m0\" lid 2 4xHDR\n\
                  [2] \"S-a\"[2] # \"a\" lid 9 4xHDR\n";
    // Switch b sends what is for address 1 back to a, and a sends it to b.
    let mut parts = Parts::default();
    for text in [cables, tables] {
        match parse_machine_file("x", text.as_bytes()).unwrap().0 {
            MachineFile::Network(network) => parts.network = Some(network),
            MachineFile::Tables(tables) => parts.tables = Some(tables),
            other => panic!("{other:?}"),
        }
    }
    let error = Cluster::new(parts.join().unwrap().0).unwrap_err().to_string();
    assert!(
        error.starts_with("the forwarding tables have a loop: what n3 m0 sends to n1 m0"),
        "{error}"
    );
}

/// Hosts whose rails are separate networks: `hosts` has the rails of each.
fn of_separate_rails(hosts: &[&[u32]]) -> Cluster {
    let rail = |rail: u32| {
        let port = |(host, rails): (usize, &&[u32])| {
            let port =
                format!("[{}] \"H-{host}{rail}\"[1] # \"n{host} m{rail}\" lid 1 4xHDR\n", host + 1);
            rails.contains(&rail).then_some(port)
        };
        let ports: String = hosts.iter().enumerate().filter_map(port).collect();
        format!("Switch 8 \"S-{rail}\" # \"rail{rail}\"\n{ports}")
    };
    let text = rail(0) + &rail(1);
    let (file, _) = parse_machine_file("rails", text.as_bytes()).unwrap();
    let MachineFile::Network(network) = file else { panic!("{text}") };
    let parts = Parts { network: Some(network), ..Parts::default() };
    Cluster::new(parts.join().unwrap().0).unwrap()
}

#[test]
fn rails_may_be_networks_of_their_own_as_long_as_every_two_hosts_share_one() {
    let cluster = of_separate_rails(&[&[0, 1], &[0, 1], &[0]]);
    let network = cluster.wired().unwrap().network().unwrap();
    // Adapters of different rails do not reach each other, and no routing waits for that.
    let network = (network as &dyn Any).downcast_ref::<Graph>().unwrap();
    assert!(!network.reaches(Vertex(0), Vertex(1)));
    for routing in ["ecmp", "minimal-adaptive"] {
        assert_eq!(route(network, routing, 0, 1), []);
        assert_eq!(route(network, routing, 0, 2).len(), 2);
    }
    // The second and the third host share no rail.
    assert!(of_separate_rails(&[&[0, 1], &[0], &[1]]).wired().is_none());
}

#[test]
fn tables_need_the_cables_that_they_are_about() {
    let file = |name: &str| parse_machine_file(name, &packed(name)).unwrap().0;
    let MachineFile::Tables(tables) = file("ft64.ftree.dump_fts-n.out.gz") else { panic!() };
    let MachineFile::Network(network) = file("ft8.ibnetdiscover.out.gz") else { panic!() };
    let parts = Parts { tables: Some(tables), ..Parts::default() };
    let alone = parts.clone().join().unwrap_err().to_string();
    assert!(alone.starts_with("forwarding tables need the cables"), "{alone}");
    let others = Parts { network: Some(network), ..parts }.join().unwrap_err().to_string();
    assert!(others.ends_with("of switches that are not in the network"), "{others}");
}
