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

// TEMPORARY
#[test]
#[ignore]
fn temporary_pictures() {
    for (processors, clusters, columns) in [(16usize, 4usize, 4usize), (90, 8, 9), (1000, 64, 32)] {
        let mut state = 12345u64;
        let mut random = move |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        let side = (processors as f64).sqrt() as u32 * 20;
        let mut order: Vec<u32> = (0..processors as u32).collect();
        let make = |order: &[u32], random: &mut dyn FnMut(u64) -> u64| {
            let mut columns_out = Vec::new();
            let (mut at, mut left) = (0, side);
            for c in 0..columns {
                let count = (processors - at) / (columns - c);
                let width = if c + 1 == columns {
                    left
                } else {
                    (left / (columns - c) as u32 * (80 + random(40) as u32) / 100).max(1)
                };
                left -= width;
                let mut rest = side;
                let rectangles: Vec<Rectangle> = (0..count)
                    .map(|i| {
                        let h = if i + 1 == count {
                            rest
                        } else {
                            (rest / (count - i) as u32 * (70 + random(60) as u32) / 100).max(1)
                        };
                        rest -= h;
                        Rectangle { processor: order[at + i], height: h }
                    })
                    .collect();
                at += count;
                columns_out.push(Column { width, rectangles });
            }
            Arrangement::new(columns_out).unwrap()
        };
        let after = make(&order, &mut random);
        for i in (1..processors).rev() {
            order.swap(i, random(i as u64 + 1) as usize);
        }
        let before = make(&order, &mut random);
        let names: Vec<String> = (0..clusters)
            .map(|c| {
                format!(
                    "{}{}",
                    [
                        "edel",
                        "graphene",
                        "sol",
                        "griffon",
                        "chinqchint",
                        "genepi",
                        "paradent",
                        "helios"
                    ][c % 8],
                    if c < 8 { String::new() } else { format!("-{}", c / 8) }
                )
            })
            .collect();
        let cluster_of: Vec<u32> =
            (0..processors).map(|p| (p * clusters / processors) as u32).collect();
        let hosts: Vec<String> = (0..processors)
            .map(|p| format!("{}-{p}.grid", names[cluster_of[p] as usize]))
            .collect();
        let machine = Machine { clusters: &names, cluster_of: &cluster_of, hosts: &hosts };
        let lines = vec![
            "hops: cost_A 1,234 + cost_B 567 = 1,801".to_string(),
            "bandwidth: cost_A 0.0123 + cost_B 0.0456 = 0.0579".to_string(),
        ];
        let text = svg(
            &machine,
            &[
                Panel {
                    title: "as partitioned (br)".into(),
                    arrangement: &before,
                    lines: lines.clone(),
                },
                Panel { title: "arranged: auto, seed 1".into(), arrangement: &after, lines },
            ],
        );
        std::fs::write(format!("/tmp/apps-pic-{processors}.svg"), text).unwrap();
    }
}
