//! What every figure promises, for any input.

use topoloom_core::insight::Matrix;
use topoloom_core::{Weight, parse_pattern};

use super::{Frame, Unit, bars, groups, levels, loads, matrix, scatter, speeds, timeline, waiting};
use crate::Picture;

const FRAMES: [f64; 6] = [760.0, 360.0, 0.0, -5.0, f64::NAN, 1e9];

/// Numbers that measurements may hold, and some that they should not.
const ODD: [f64; 13] = [
    0.0,
    1.0,
    -1.0,
    0.1,
    5e-324,
    1e-30,
    123_456_789.0,
    1e18,
    1e300,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

const NAMES: [&str; 4] =
    ["auto", "", "a<b & \"c\" \u{1}", "a name that is much too long to be written anywhere at all"];

/// Checks what is true of any picture.
fn check(picture: &Picture, what: &str) {
    let text = picture.standalone();
    let document =
        roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(!picture.title.is_empty() && !picture.description.is_empty(), "{what}: no words");
    assert!(
        picture.width >= 300.0 && picture.height >= 40.0 && picture.height < 1e5,
        "{what}: size"
    );
    for node in document.descendants().filter(|node| node.is_element()) {
        let tag = node.tag_name().name();
        for attribute in node.attributes() {
            let value = attribute.value();
            assert!(
                !value.contains("NaN") && !value.contains("inf"),
                "{what}: {tag} {attribute:?}"
            );
        }
        let number = |name: &str| {
            node.attribute(name).map_or(0.0, |value| {
                value.parse::<f64>().unwrap_or_else(|_| panic!("{what}: {tag} {name} {value}"))
            })
        };
        let (left, right) = match tag {
            "rect" => (number("x"), number("x") + number("width")),
            "circle" => (number("cx") - number("r"), number("cx") + number("r")),
            "text" if node.attribute("transform").is_none() => (number("x"), number("x")),
            _ => continue,
        };
        assert!(
            number("width") >= 0.0 && number("height") >= 0.0,
            "{what}: {tag} of negative size"
        );
        assert!(
            left >= -1.0 && right <= picture.width + 1.0,
            "{what}: {tag} from {left} to {right}"
        );
        let top = number("y").max(number("cy"));
        assert!(
            top >= 0.0 && top + number("height") <= picture.height + 1.0,
            "{what}: {tag} at {top}"
        );
    }
    let inline = picture.inline("figure-1");
    assert!(roxmltree::Document::parse(&inline).is_ok(), "{what}: {inline}");
}

/// Every sequence of up to three odd numbers, from any start, and a long one.
fn odd_values() -> Vec<Vec<f64>> {
    let mut all = vec![Vec::new(), vec![0.0; 5], vec![3.0; 700]];
    for (place, &first) in ODD.iter().enumerate() {
        all.push(vec![first]);
        all.push(vec![first, first]);
        for step in 1..ODD.len() {
            let at = |times: usize| ODD[(place + times * step) % ODD.len()];
            all.push(vec![first, at(1), at(2)]);
        }
    }
    all.push((0..3000).map(|number| f64::from(number) * 1.5).collect());
    all.push(ODD.to_vec());
    all
}

/// Each figure in each frame with each sequence of odd numbers.
fn check_all(what: &str, draw: impl Fn(Frame, &[f64]) -> Picture) {
    for width in FRAMES {
        for values in odd_values() {
            let picture = draw(Frame { width }, &values);
            let first = &values[..values.len().min(5)];
            check(&picture, &format!("{what} of {first:?} in {width}"));
            assert_eq!(picture, draw(Frame { width }, &values));
        }
    }
}

fn name(number: usize) -> String {
    NAMES[number % NAMES.len()].to_string()
}

#[test]
fn bars_can_be_drawn_of_anything() {
    for unit in [Unit::Bytes, Unit::Messages, Unit::Plain] {
        check_all("bars", |frame, values| {
            let row = |(number, &total): (usize, &f64)| bars::BarRow {
                name: name(number),
                total,
                average: values.last().copied(),
                minimum: (number > 1).then_some(total),
                maximum: values.first().copied(),
                highlighted: number == 0,
                published: [values.last().copied(), None, values.get(1).copied(), Some(total)],
            };
            let rows: Vec<bars::BarRow> = values.iter().take(9).enumerate().map(row).collect();
            let machine = |number: usize, rows| bars::MachineBars {
                name: name(number),
                bound: values.get(number).copied(),
                rows,
            };
            let machines = vec![machine(0, rows.clone()), machine(1, Vec::new()), machine(2, rows)];
            bars::bars(frame, &bars::Bars { unit, machines })
        });
    }
}

#[test]
fn a_published_value_is_an_outlined_bar_with_its_number() {
    let row = |published| bars::BarRow {
        name: "sweep".to_string(),
        total: 200.0,
        average: Some(2.0),
        minimum: Some(1.0),
        maximum: Some(4.0),
        highlighted: false,
        published,
    };
    let drawn = |published| {
        let machines =
            vec![bars::MachineBars { name: "m".into(), bound: None, rows: vec![row(published)] }];
        bars::bars(Frame::WIDE, &bars::Bars { unit: Unit::Plain, machines }).body
    };
    let with = drawn([Some(216.0), None, None, Some(5.0)]);
    assert!(with.contains("<title>sweep, total, published: 216</title>"), "{with}");
    assert!(with.contains("<title>sweep, maximum, published: 5</title>"), "{with}");
    // Four bars of ours, two published ones, and two fields of the legend.
    assert_eq!(with.matches("<rect").count(), 8);
    assert_eq!(drawn([None; 4]).matches("<rect").count(), 4);
}

#[test]
fn groups_of_bars_can_be_drawn_of_anything() {
    for unit in [Unit::Plain, Unit::Seconds, Unit::Joules, Unit::Percent] {
        check_all("groups", |frame, values| {
            let group = |number: usize| groups::Group {
                name: name(number),
                bars: values
                    .iter()
                    .take(12)
                    .enumerate()
                    .map(|(place, &value)| groups::Bar {
                        ours: (place != 1).then_some(value),
                        deviation: values.last().copied(),
                        published: values.get(place + number).copied(),
                    })
                    .collect(),
            };
            let input = groups::Groups {
                title: "Bars".to_string(),
                explanation: name(3),
                what: name(0),
                unit,
                series: (0..11).map(name).collect(),
                groups: (0..9).map(group).collect(),
                reference: values.first().map(|&value| (value, name(2))),
            };
            groups::groups(frame, &input)
        });
    }
}

#[test]
fn speeds_can_be_drawn_of_anything() {
    check_all("speeds", |frame, values| {
        let points: Vec<(f64, f64)> =
            values.iter().zip(values.iter().rev()).map(|(&size, &speed)| (size, speed)).collect();
        let processor = |number: usize| speeds::Processor {
            name: name(number),
            points: points.iter().take(50).copied().collect(),
            given: points.get(number).copied(),
        };
        let cluster = |number: usize| speeds::Cluster {
            name: name(number),
            processors: (0..number).map(processor).collect(),
        };
        let input = speeds::Speeds {
            title: "Speeds".to_string(),
            explanation: name(3),
            unit: "blocks/s".to_string(),
            clusters: (0..10).map(cluster).collect(),
        };
        speeds::speeds(frame, &input)
    });
}

#[test]
fn bars_of_machines_without_links_have_the_total_alone() {
    let row = |name: &str, total| bars::BarRow {
        name: name.to_string(),
        total,
        average: None,
        minimum: None,
        maximum: None,
        highlighted: false,
        published: [None; 4],
    };
    let rows = vec![row("one", 2e9), row("two", 1e9)];
    let machines = vec![bars::MachineBars { name: "m".into(), bound: Some(5e8), rows }];
    let picture = bars::bars(Frame::WIDE, &bars::Bars { unit: Unit::Bytes, machines });
    assert!(picture.body.contains("total (GB)") && !picture.body.contains("average"));
    assert!(picture.body.contains("<title>one, total: 2.0 GB</title>"), "{}", picture.body);
    assert!(picture.body.contains("lower bound of the total, 500.0 MB"), "{}", picture.body);
    assert!(
        picture.description.contains("1.0 GB with two and 2.0 GB with one"),
        "{}",
        picture.description
    );
}

#[test]
fn bars_of_several_machines_have_the_same_limits() {
    let machine = |total| bars::MachineBars {
        name: "m".into(),
        bound: None,
        rows: vec![bars::BarRow {
            name: "s".into(),
            total,
            average: None,
            minimum: None,
            maximum: None,
            highlighted: false,
            published: [None; 4],
        }],
    };
    let machines = vec![machine(4000.0), machine(1000.0)];
    let picture = bars::bars(Frame::WIDE, &bars::Bars { unit: Unit::Bytes, machines });
    let text = picture.standalone();
    let document = roxmltree::Document::parse(&text).unwrap();
    let widths: Vec<f64> = document
        .descendants()
        .filter(|node| node.attribute("class") == Some("fill-0"))
        .map(|node| node.attribute("width").unwrap().parse().unwrap())
        .collect();
    assert!((widths[0] / widths[1] - 4.0).abs() < 0.01, "{widths:?}");
}

#[test]
fn loads_can_be_drawn_of_anything() {
    check_all("loads", |frame, values| {
        let series = |number: usize| loads::Series {
            name: name(number),
            loads: values.iter().skip(number).copied().collect(),
            all_links: [0, 5, 1_000_000, u64::MAX][number % 4],
        };
        loads::loads(
            frame,
            &loads::Loads { unit: Unit::Bytes, series: (0..10).map(series).collect() },
        )
    });
}

#[test]
fn scatters_can_be_drawn_of_anything() {
    check_all("scatter", |frame, values| {
        let strategy = |(number, &cost): (usize, &f64)| scatter::Strategy {
            name: name(number),
            seconds: values[values.len() - 1 - number],
            cost,
            highlighted: number == 2,
        };
        let strategies = values.iter().take(60).enumerate().map(strategy).collect();
        let (cost, bound) = ("hop-bytes".to_string(), values.first().copied());
        scatter::scatter(frame, &scatter::Scatter { cost, unit: Unit::Bytes, bound, strategies })
    });
}

#[test]
fn timelines_can_be_drawn_of_anything() {
    check_all("timeline", |frame, values| {
        let run = |number: usize| timeline::Run {
            name: name(number),
            seconds: values.get(number).copied().unwrap_or(1.0),
            bin_seconds: values.last().copied().unwrap_or(0.25),
            bins: values.iter().map(|&value| (value / 2.0, value)).collect(),
        };
        timeline::timeline(frame, &[run(0), run(1), run(2)])
    });
}

#[test]
fn waiting_can_be_drawn_of_anything() {
    check_all("waiting", |frame, values| {
        let run = |number| waiting::Waiting { name: name(number), seconds: values.to_vec() };
        waiting::waiting(frame, &[run(0), run(2)])
    });
}

#[test]
fn levels_can_be_drawn_of_anything() {
    check_all("levels", |frame, values| {
        let placement = |number: usize| levels::Placement {
            name: name(number),
            amounts: values.iter().skip(number).copied().collect(),
        };
        let names = (0..values.len().min(12)).map(name).collect();
        let placements = (0..4).map(placement).collect();
        levels::levels(frame, &levels::Levels { unit: Unit::Messages, levels: names, placements })
    });
}

#[test]
fn matrices_can_be_drawn_of_any_traffic() {
    for pattern in ["ring:1", "ring:2", "stencil:40x40", "ring:10000"] {
        let traffic = parse_pattern(pattern).unwrap();
        let ranks = traffic.num_ranks();
        for (weight, width) in [Weight::Bytes, Weight::Messages].into_iter().zip(FRAMES) {
            let cells = Matrix::of(&traffic, weight, 64);
            for name in NAMES {
                let labels = matrix::Labels { name, ranks, weight, axis: "rank" };
                check(&matrix::matrix(Frame { width }, &cells, &labels), pattern);
                let captions = ["before", name];
                let axes = ["rank", "place"];
                let both = (&cells, &cells);
                let two = matrix::two_matrices(Frame { width }, both, captions, axes, &labels);
                check(&two, pattern);
            }
        }
    }
}

#[test]
fn a_picture_of_nothing_says_so() {
    let empty = loads::Loads { unit: Unit::Bytes, series: Vec::new() };
    assert!(loads::loads(Frame::WIDE, &empty).body.contains("The machine has no links."));
    let idle = loads::Series { name: "a".into(), loads: vec![0.0], all_links: 4 };
    let idle = loads::Loads { unit: Unit::Bytes, series: vec![idle] };
    assert!(loads::loads(Frame::WIDE, &idle).body.contains("No link carries anything."));
    let quick = waiting::Waiting { name: "a".into(), seconds: vec![0.0; 3] };
    assert!(waiting::waiting(Frame::WIDE, &[quick]).body.contains("No rank waits"));
    assert!(timeline::timeline(Frame::WIDE, &[]).body.contains("No run that takes time."));
}
