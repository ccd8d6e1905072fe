use super::*;
use crate::cluster::{Costs, Hardware, Host, Network, Object, SwitchGroup};

/// Two packages of two L3 caches of `cores` cores each.
fn node(cores: u32) -> Object {
    let mut cpu = 0;
    let mut core = || {
        let thread = Object::new(ObjectKind::Thread, Some(cpu), Vec::new());
        cpu += 1;
        Object::new(ObjectKind::Core, None, vec![thread])
    };
    let mut l3 = || Object::new(ObjectKind::L3, None, (0..cores).map(|_| core()).collect());
    let mut package = || Object::new(ObjectKind::Package, None, vec![l3(), l3()]);
    Object::new(ObjectKind::Node, None, vec![package(), package()])
}

/// Hosts of 4 times `cores` cores, two below each switch.
fn machine(hosts: u32, cores: u32) -> Description {
    let group = |name: u32, parent, level| SwitchGroup { name: name.to_string(), parent, level };
    let mut groups = vec![group(0, None, 2)];
    groups.extend((1..=hosts.div_ceil(2)).map(|name| group(name, Some(0), 1)));
    let host = |number: u32| Host {
        name: format!("n{number}"),
        kind: 0,
        slots: None,
        group: Some(1 + number / 2),
    };
    Description {
        kinds: vec![Hardware::new(None, node(cores))],
        network: Network {
            groups,
            hosts: Vec::new(),
            switches: 0,
            links: 0,
            wiring: None,
            named: None,
        },
        hosts: (0..hosts).map(host).collect(),
        costs: Costs::default(),
        place: ObjectKind::Core,
        seats: Vec::new(),
    }
}

fn rules(text: &str) -> SeatRules {
    let mut rules = SeatRules::default();
    for word in text.split_whitespace() {
        match word.split_once('=').unwrap() {
            ("cpus", number) => rules.cpus_per_rank = number.parse().ok(),
            ("ranks", range) => {
                let (low, high) = range.split_once('-').unwrap_or((range, range));
                rules.ranks_per_node = Some(low.parse().unwrap()..=high.parse().unwrap());
            }
            ("spread", level) => rules.spread.push(level.parse().unwrap()),
            (_, level) => rules.pack.push(level.parse().unwrap()),
        }
    }
    rules
}

/// The seats in words: `n0:0,1 n1:0`, with the CPUs of a seat joined by a plus sign.
fn chosen(machine: &Description, ranks: usize, text: &str) -> Result<String, String> {
    let seats = rules(text).choose(machine, ranks).map_err(|error| error.to_string())?;
    let mut hosts: Vec<(u32, Vec<String>)> = Vec::new();
    for seat in seats {
        let cpus = seat.cpus.iter().map(u32::to_string).collect::<Vec<_>>().join("+");
        match hosts.iter_mut().find(|(host, _)| *host == seat.host) {
            Some((_, seats)) => seats.push(cpus),
            None => hosts.push((seat.host, vec![cpus])),
        }
    }
    let shown = hosts.iter().map(|(host, seats)| format!("n{host}:{}", seats.join(",")));
    Ok(shown.collect::<Vec<_>>().join(" "))
}

#[test]
fn as_few_hosts_as_will_do_are_taken_and_ranks_spread_inside() {
    let machine = machine(4, 2);
    // 8 cores each: CPUs 0,1 2,3 of the first package and 4,5 6,7 of the second.
    assert_eq!(chosen(&machine, 8, "").unwrap(), "n0:0,1,2,3,4,5,6,7");
    assert_eq!(chosen(&machine, 2, "").unwrap(), "n0:0,4");
    assert_eq!(chosen(&machine, 2, "pack=package").unwrap(), "n0:0,2");
    assert_eq!(chosen(&machine, 2, "pack=package pack=L3").unwrap(), "n0:0,1");
    // 9 ranks are too many for one host; two hosts below one switch are closest.
    assert_eq!(chosen(&machine, 9, "").unwrap(), "n0:0,1,2,3,4,5,6,7 n1:0");
}

#[test]
fn hosts_get_as_many_ranks_as_is_asked() {
    let machine = machine(4, 2);
    assert_eq!(chosen(&machine, 4, "ranks=2").unwrap(), "n0:0,4 n1:0,4");
    assert_eq!(chosen(&machine, 5, "ranks=2-3").unwrap(), "n0:0,2,4 n1:0,4");
    assert_eq!(chosen(&machine, 4, "spread=node").unwrap(), "n0:0 n1:0 n2:0 n3:0");
    assert_eq!(chosen(&machine, 6, "spread=node ranks=3-8").unwrap(), "n0:0,2,4 n1:0,2,4");
    assert_eq!(
        chosen(&machine, 5, "ranks=2").unwrap_err(),
        "5 ranks cannot be divided so that every host has 2; 3 hosts would have 1 to 2: give a range such as 1-2"
    );
    assert_eq!(
        chosen(&machine, 9, "ranks=2").unwrap_err(),
        "not enough seats for 9 ranks: under these rules the machine has only 8 seats"
    );
}

#[test]
fn ranks_may_be_spread_over_switches() {
    let machine = machine(4, 2);
    // n0 and n2 are below different switches.
    assert_eq!(chosen(&machine, 4, "ranks=2 spread=switch1").unwrap(), "n0:0,4 n2:0,4");
    assert_eq!(
        chosen(&machine, 4, "spread=node pack=node").unwrap_err(),
        "ranks cannot both be spread out and packed by node"
    );
}

#[test]
fn several_cpus_of_a_rank_lie_close_to_each_other() {
    let narrow = machine(1, 3);
    // Caches of 3 cores: two ranks of 2 cores in each package, one of them with the cores that its
    // caches leave over.
    let all = rules("cpus=2").all_seats(&narrow).unwrap();
    let cpus: Vec<Vec<u32>> = all.into_iter().map(|seat| seat.cpus).collect();
    assert_eq!(cpus, [[0, 1], [3, 4], [2, 5], [6, 7], [9, 10], [8, 11]].map(Vec::from));
    assert_eq!(chosen(&narrow, 2, "cpus=3").unwrap(), "n0:0+1+2,6+7+8");
    assert_eq!(
        chosen(&narrow, 2, "cpus=7").unwrap_err(),
        "not enough seats for 2 ranks: under these rules the machine has only 1 seat"
    );
}

#[test]
fn slots_of_a_host_are_places_that_may_be_used() {
    let mut machine = machine(2, 2);
    machine.hosts[0].slots = Some(3);
    assert_eq!(chosen(&machine, 10, "").unwrap(), "n0:0,1,2 n1:0,1,2,3,4,5,6");
}

#[test]
fn evenly_means_that_nobody_has_two_more_than_another_with_room() {
    for rooms in [vec![5, 5, 5], vec![1, 9, 4], vec![0, 2, 7, 7]] {
        let order: Vec<usize> = (0..rooms.len()).collect();
        for count in 0..=rooms.iter().sum() {
            let counts = filled_evenly(&order, &rooms, count);
            assert_eq!(counts.iter().sum::<usize>(), count);
            for (a, (&more, _)) in counts.iter().zip(&rooms).enumerate() {
                for (b, (&fewer, &room)) in counts.iter().zip(&rooms).enumerate() {
                    assert!(more <= fewer + 1 || fewer == room, "{a} {b} of {counts:?}");
                }
            }
        }
    }
}
