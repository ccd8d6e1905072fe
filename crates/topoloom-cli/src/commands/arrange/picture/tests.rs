use topoloom::arrange::Column;

use super::*;

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{prefix}-{}", number + 1)).collect()
}

fn arrangement(columns: &[(u32, &[(u32, u32)])]) -> Arrangement {
    let rectangle = |&(processor, height): &(u32, u32)| Rectangle { processor, height };
    let column = |&(width, rectangles): &(u32, &[(u32, u32)])| Column {
        width,
        rectangles: rectangles.iter().map(rectangle).collect(),
    };
    Arrangement::new(columns.iter().map(column).collect()).unwrap()
}

fn small() -> String {
    let clusters = ["edel".to_string(), "a<b & c".to_string(), "graphene".to_string()];
    let hosts = names("node", 5);
    let machine = Machine { clusters: &clusters, cluster_of: &[0, 0, 1, 1, 2], hosts: &hosts };
    let before = arrangement(&[(4, &[(0, 3), (2, 7)]), (6, &[(4, 2), (1, 3), (3, 5)])]);
    let after = arrangement(&[(4, &[(2, 7), (0, 3)]), (6, &[(3, 5), (1, 3), (4, 2)])]);
    let panel = |title: &str, arrangement, cost: &str| Panel {
        title: title.to_string(),
        arrangement,
        lines: vec![cost.to_string(), "found by >= 1 search".to_string()],
    };
    let panels = [
        panel("as partitioned", &before, "hops: cost_A 17, cost_B 12"),
        panel("arranged", &after, "hops: cost_A 12, cost_B 10"),
    ];
    svg(&machine, &panels)
}

#[test]
fn a_small_picture_is_what_it_was() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/arrangement.svg");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(golden, small()).unwrap();
    }
    assert_eq!(small(), std::fs::read_to_string(golden).unwrap());
}

#[test]
fn names_of_clusters_and_hosts_cannot_break_it() {
    let picture = small();
    assert!(picture.contains("<title>node-3 (a&lt;b &amp; c): 7 x 4 blocks</title>"));
    assert!(!picture.contains("a<b"));
    assert_eq!(picture.matches("<svg").count(), 1);
    for tag in ["text", "title", "g"] {
        let closed = picture.matches(&format!("</{tag}>")).count();
        let open = picture.matches(&format!("<{tag} ")).count()
            + picture.matches(&format!("<{tag}>")).count();
        assert_eq!(open, closed, "{tag}");
    }
}

#[test]
fn sixty_four_clusters_have_as_many_looks() {
    let mut looks: Vec<String> = (0..64).map(|cluster| Paint::of(cluster).fill()).collect();
    let definitions = paint::definitions(64);
    for look in looks.iter().filter(|look| look.starts_with("url")) {
        let name = look.trim_start_matches("url(#").trim_end_matches(')');
        assert!(definitions.contains(&format!("id=\"{name}\"")), "{name}");
    }
    looks.sort();
    looks.dedup();
    assert_eq!(looks.len(), 64);
    assert_eq!(paint::definitions(8), "");
}

#[test]
fn machines_that_say_too_little_are_drawn_all_the_same() {
    let two = arrangement(&[(1, &[(0, 1), (1, 1)])]);
    let panel = Panel { title: String::new(), arrangement: &two, lines: Vec::new() };
    let machine = Machine { clusters: &[], cluster_of: &[], hosts: &[] };
    assert!(svg(&machine, &[panel]).ends_with("</svg>\n"));
    assert!(svg(&machine, &[]).ends_with("</svg>\n"));
}
