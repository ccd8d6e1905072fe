//! What is wrong with real networks, and that nothing is wrong with those that were made whole.

use topoloom_core::fabric_survey::{FabricSurvey, fabric_survey};
use topoloom_core::topology::Cluster;

use super::networks::described;

/// What is wrong with a network, beside its machine.
fn survey(network: &str, tables: Option<&str>) -> (FabricSurvey, Cluster) {
    let cluster = Cluster::new(described(network, tables, &[])).unwrap();
    let hosts: Vec<&str> =
        cluster.description().hosts.iter().map(|host| host.name.as_str()).collect();
    let wired = cluster.wired().unwrap();
    let survey = fabric_survey(wired.wiring(), wired.network(), &hosts);
    (survey, cluster)
}

#[test]
fn networks_that_were_made_whole_are_clean() {
    for (name, tables) in [
        ("ft8", Some("ft8.ftree.lfts.dump.gz")),
        ("ft8", Some("ft8.minhop.lfts.dump.gz")),
        ("ft16-parallel", Some("ft16-parallel.ftree.lfts.dump.gz")),
        ("ft16-lmc2", Some("ft16-lmc2.minhop.lfts.dump.gz")),
        ("ft64", Some("ft64.ftree.dump_fts-n.out.gz")),
        ("torus444", Some("torus444.dor.lfts.dump.gz")),
        ("dragonfly72", Some("dragonfly72.minhop.dump_fts-n.out.gz")),
    ] {
        let (survey, _) = survey(&format!("{name}.ibnetdiscover.out.gz"), tables);
        assert!(survey.is_clean(), "{name}: {survey:?}");
    }
}

#[test]
fn a_real_cluster_lacks_cables_and_has_crossed_rails() {
    let (survey, cluster) = survey("ib/topograph-ibnetdiscover-example.out", None);
    let wiring = cluster.wired().unwrap().wiring();
    let switch = |number: u32| wiring.switches[number as usize].name.as_str();
    // 31 leaves and 9 spines, two cables per pair: 532 cables = 2 x 269 - 6.
    assert_eq!((survey.uncabled.pairs.len(), survey.uncabled.of), (10, 279));
    for [leaf, spine] in &survey.uncabled.pairs {
        assert!(switch(*leaf).contains("IBLEAF") && switch(*spine).contains("IBSPINE"));
    }
    assert_eq!(survey.thin.len(), 6);
    assert!(survey.thin.iter().all(|thin| (thin.cables, thin.usual) == (1, 2)));
    // HCA-5 of its peers is on leaf 03-08.
    assert_eq!(survey.crossed.len(), 1);
    let crossed = &survey.crossed[0];
    assert_eq!(cluster.description().hosts[crossed.host as usize].name, "b08-p1-dgx-08-c01");
    let adapters: Vec<(&str, &str, &str)> = crossed
        .adapters
        .iter()
        .map(|crossed| {
            let name = &wiring.adapters[crossed.adapter as usize].name;
            (name.as_str(), switch(crossed.switch), switch(crossed.usual))
        })
        .collect();
    let (third, fourth) = ("B09-P1-IBLEAF-03-08", "B09-P1-IBLEAF-04-08");
    assert_eq!(adapters, [("HCA-5", fourth, third), ("HCA-6", third, fourth)]);
    // 10 hosts lack HCA-5: there is no leaf 03-01. Two others have two adapters.
    assert_eq!(survey.few_adapters.usual, Some(4));
    let count = |adapters: usize| {
        survey.few_adapters.hosts.iter().filter(|(_, number)| *number == adapters).count()
    };
    assert_eq!([1, 2, 3].map(count), [0, 2, 10]);
    assert!(survey.slow.is_empty() && survey.holes.is_empty());
}

#[test]
fn a_real_cluster_has_cables_of_two_speeds() {
    let (survey, cluster) = survey("psmn-x5.ibnetdiscover.out.gz", None);
    // 46 ends of DDR are 23 cables, all of them to hosts.
    assert_eq!(survey.slow.len(), 23);
    assert!(survey.slow.iter().all(|slow| (slow.bytes_per_second, slow.usual) == (2e9, 4e9)));
    // Six leaves and four spines. One leaf has six cables to each of two spines instead of three to
    // each of four, and one has a single cable to each. Above two spines is one more switch.
    assert_eq!((survey.uncabled.pairs.len(), survey.uncabled.of), (2, 6 * 4 + 2));
    let leaf = survey.uncabled.pairs[0][0];
    assert_eq!(
        cluster.wired().unwrap().wiring().switches[leaf as usize].guid,
        Some(0x8_f105_0020_0b50)
    );
    assert!(survey.thin.iter().all(|thin| (thin.cables, thin.usual) == (1, 3)));
    assert_eq!(survey.thin.len(), 4);
}

#[test]
fn an_address_without_a_route_is_named() {
    // dump_fts leaves out address 0x80.
    let tables = "torus444.dor.dump_fts-n.out.gz";
    let (survey, _) = survey("torus444.ibnetdiscover.out.gz", Some(tables));
    let [hole] = survey.holes.unrouted[..] else { panic!("{:?}", survey.holes) };
    assert_eq!((hole.address, hole.from), (0x80, 63));
}
