//! Figures 2 to 4 of the paper on the Traffic Distribution criterion.
//!
//! The paper's bars have no numbers, neither in the figures nor in the text. So there is nothing
//! published to draw beside ours.

use topoloom::core::significance::Sample;
use topoloom::show::Picture;
use topoloom::show::figure::Frame;
use topoloom::show::figure::Unit;
use topoloom::show::figure::groups::{Bar, Group, Groups, groups};

use super::super::td::settings::{BENCHMARKS, CRITERIA, MESHES, Plan, Times};
use super::Figures;

/// Adds the three figures under one routing.
pub fn draw(figures: &mut Figures, all: &[Times], plan: &Plan<'_>, routing: &str) {
    let settings = format!("{routing} routing, model {}", plan.model);
    // A routing may have options, which do not belong in a file name.
    let name: String =
        routing.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    for (mesh, number) in [(0, 2), (1, 3)] {
        let picture = criteria(all, mesh, number, plan.mappings, &settings);
        figures.add(&format!("td-figure-{number}-{name}"), &picture);
    }
    figures.add(&format!("td-figure-4-{name}"), &meshes(all, &settings));
}

/// Mean times of each criterion, relative to the best.
fn criteria(all: &[Times], mesh: usize, number: u32, mappings: u64, settings: &str) -> Picture {
    let on_mesh = all.iter().filter(|times| times.mesh == mesh);
    let group = |times: &Times| {
        let best = times.mean(times.best());
        let bars = times.seconds.iter().map(|seconds| match Sample::of(seconds) {
            Some(sample) => Bar {
                ours: Some(sample.mean / best),
                deviation: Some(sample.deviation / best),
                published: None,
            },
            None => Bar::default(),
        });
        Group { name: times.benchmark.to_uppercase(), bars: bars.collect() }
    };
    groups(
        Frame::WIDE,
        &Groups {
            title: format!(
                "TD paper, figure {number}: simulated times on a mesh of {}",
                MESHES[mesh]
            ),
            explanation: format!(
                "NPB class A, 64 ranks, one per node; means over {mappings} mappings of each kind \
                 (consecutive is one mapping), 1 is the best of a benchmark; {settings}. The paper \
                 prints no numbers."
            ),
            what: "time relative to the best".to_string(),
            unit: Unit::Plain,
            series: CRITERIA.iter().map(|criterion| criterion.name.to_string()).collect(),
            groups: on_mesh.map(group).collect(),
            reference: Some((1.0, "best".to_string())),
        },
    )
}

/// The smallest times of both meshes, relative to the better one.
fn meshes(all: &[Times], settings: &str) -> Picture {
    let least = |name: &str, mesh: usize| {
        let wanted = |times: &&Times| times.mesh == mesh && times.benchmark == name;
        all.iter().find(wanted).map(Times::least)
    };
    let group = |name: &&'static str| {
        let both: Vec<Option<f64>> = (0..MESHES.len()).map(|mesh| least(name, mesh)).collect();
        let best = both.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let bar =
            |value: &Option<f64>| value.map_or(Bar::default(), |value| Bar::ours(value / best));
        Group { name: name.to_uppercase(), bars: both.iter().map(bar).collect() }
    };
    let has_times = |name: &&&'static str| all.iter().any(|times| times.benchmark == **name);
    groups(
        Frame::WIDE,
        &Groups {
            title: "TD paper, figure 4: 2-D and 3-D meshes".to_string(),
            explanation: format!(
                "NPB class A, 64 ranks: the least simulated time of any mapping, 1 is the better mesh; \
                 {settings}. The paper prints no numbers."
            ),
            what: "time relative to the better mesh".to_string(),
            unit: Unit::Plain,
            series: MESHES.iter().map(|mesh| mesh.to_string()).collect(),
            groups: BENCHMARKS.iter().filter(has_times).map(group).collect(),
            reference: Some((1.0, "better mesh".to_string())),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(mesh: usize, consecutive: f64) -> Times {
        let seconds = [vec![consecutive], vec![4.0, 6.0], vec![3.0, 3.0], vec![2.0, 2.0]];
        Times { benchmark: "cg", mesh, seconds }
    }

    #[test]
    fn every_criterion_is_a_bar_relative_to_the_best() {
        let all = [times(0, 1.0), times(1, 8.0)];
        let body = criteria(&all, 0, 2, 50, "flow").body;
        // Consecutive takes 1 and is the best; random takes 5 on average.
        assert!(body.contains("<title>CG, consecutive: 1</title>"), "{body}");
        assert!(body.contains("<title>CG, random: 5</title>"), "{body}");
        // Four bars and four fields of the legend.
        assert_eq!(body.matches("<rect").count(), 8);
        // The paper prints no numbers.
        assert!(!body.contains("outlined"));
    }

    #[test]
    fn the_least_times_of_both_meshes_stand_side_by_side() {
        let body = meshes(&[times(0, 1.0), times(1, 8.0)], "flow").body;
        // On the second mesh the smallest time is 2, with TD.
        assert!(body.contains("<title>CG, 8x8: 1</title>"), "{body}");
        assert!(body.contains("<title>CG, 4x4x4: 2</title>"), "{body}");
    }
}
