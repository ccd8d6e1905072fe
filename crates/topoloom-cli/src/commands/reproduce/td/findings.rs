//! The sentences of the paper's analysis, each checked against our times.

use topoloom::core::significance::{Sample, kruskal_wallis};

use super::settings::{CONSECUTIVE, CRITERIA, DISTANCE, MESHES, RANDOM, TD, Times};

/// The paper's level of significance.
pub const LEVEL: f64 = 0.05;

/// Times that differ by less count as almost the same.
const ALMOST: f64 = 0.05;

/// A sentence of the paper, and whether it holds here.
pub struct Finding {
    pub sentence: &'static str,
    pub holds: bool,
    /// The observation here for each benchmark that the sentence mentions.
    pub seen: String,
    /// The benchmarks for which it does not hold, in short.
    pub fails: Vec<String>,
}

impl Times {
    /// The mean time under a criterion.
    pub fn mean(&self, criterion: usize) -> f64 {
        Sample::of(&self.seconds[criterion]).map_or(f64::NAN, |sample| sample.mean)
    }

    /// The criterion with the smallest mean time.
    pub fn best(&self) -> usize {
        let means: Vec<f64> = (0..4).map(|criterion| self.mean(criterion)).collect();
        (0..4).min_by(|&a, &b| means[a].total_cmp(&means[b])).expect("there are four")
    }

    /// How likely the times of two criteria are to differ so much by chance; `None` if one of them
    /// has a single time, as consecutive does: the paper does not test it either.
    pub fn p_value(&self, a: usize, b: usize) -> Option<f64> {
        let (a, b) = (&self.seconds[a], &self.seconds[b]);
        if a.len() < 2 || b.len() < 2 {
            return None;
        }
        kruskal_wallis(&[a, b]).map(|test| test.p_value)
    }

    /// Whether criterion `a` is better than `b`: less time, and not by chance.
    pub fn is_better(&self, a: usize, b: usize) -> bool {
        self.mean(a) < self.mean(b) && self.p_value(a, b).is_none_or(|p_value| p_value < LEVEL)
    }

    /// How much longer `a` takes than `b`.
    fn longer(&self, a: usize, b: usize) -> f64 {
        self.mean(a) / self.mean(b) - 1.0
    }

    /// The smallest time of any mapping.
    pub fn least(&self) -> f64 {
        self.seconds.iter().flatten().copied().fold(f64::INFINITY, f64::min)
    }
}

/// Checks every sentence against the times.
pub fn check(all: &[Times]) -> Vec<Finding> {
    let of = |mesh: usize, names: &[&str]| -> Vec<&Times> {
        let wanted = |times: &&Times| times.mesh == mesh && names.contains(&times.benchmark);
        all.iter().filter(wanted).collect()
    };
    let every = ["bt", "cg", "ft", "is", "lu", "mg", "sp"];
    let best_is = |criterion: usize| {
        move |times: &Times| {
            (0..4).all(|other| other == criterion || !times.is_better(other, criterion))
                && times.best() == criterion
        }
    };
    let mut findings = vec![
        finding(
            "8x8: BT, LU and SP match the mesh, so consecutive is clearly the best",
            &of(0, &["bt", "lu", "sp"]),
            best_is(CONSECUTIVE),
        ),
        finding(
            "8x8: for FT and IS random and consecutive are the best",
            &of(0, &["ft", "is"]),
            |times| matches!(times.best(), RANDOM | CONSECUTIVE),
        ),
        finding("8x8: for FT and IS TD is almost as good", &of(0, &["ft", "is"]), |times| {
            times.longer(TD, times.best()) < ALMOST
        }),
        finding(
            "8x8: for CG and SP (MG must be meant, SP is above) TD is remarkably better than all",
            &of(0, &["cg", "mg"]),
            |times| {
                (0..3).all(|other| times.is_better(TD, other) && times.longer(other, TD) > ALMOST)
            },
        ),
        finding(
            "4x4x4: TD is the best except for FT and MG",
            &of(1, &["bt", "cg", "is", "lu", "sp"]),
            best_is(TD),
        ),
        finding(
            "4x4x4: MG matches the mesh, so consecutive is the best",
            &of(1, &["mg"]),
            best_is(CONSECUTIVE),
        ),
        finding("4x4x4: for FT random is the best", &of(1, &["ft"]), best_is(RANDOM)),
    ];
    let all_meshes: Vec<&Times> = (0..MESHES.len()).flat_map(|mesh| of(mesh, &every)).collect();
    findings.push(finding("TD is better than distance in all cases", &all_meshes, |times| {
        times.is_better(TD, DISTANCE)
    }));
    findings.push(shapes(
        all,
        "CG, FT, IS and MG are faster on 4x4x4",
        &["cg", "ft", "is", "mg"],
        1,
    ));
    findings.push(shapes(all, "BT, LU and SP are faster on 8x8", &["bt", "lu", "sp"], 0));
    findings
}

fn finding(sentence: &'static str, cases: &[&Times], holds: impl Fn(&Times) -> bool) -> Finding {
    let seen: Vec<String> = cases
        .iter()
        .map(|times| {
            let mark = if holds(times) { "yes" } else { "no" };
            let best = CRITERIA[times.best()].name;
            let mesh = MESHES[times.mesh];
            format!("{} {mesh} {mark} ({best} best)", times.benchmark.to_uppercase())
        })
        .collect();
    let fails: Vec<String> = cases
        .iter()
        .filter(|times| !holds(times))
        .map(|times| format!("{} {}", times.benchmark.to_uppercase(), MESHES[times.mesh]))
        .collect();
    Finding { sentence, holds: fails.is_empty(), seen: seen.join(", "), fails }
}

/// Figure 4: the smallest times of both meshes.
fn shapes(all: &[Times], sentence: &'static str, names: &[&str], faster: usize) -> Finding {
    let least = |name: &str, mesh: usize| {
        let wanted = |times: &&Times| times.mesh == mesh && times.benchmark == name;
        all.iter().find(wanted).map_or(f64::NAN, Times::least)
    };
    let mut fails = Vec::new();
    let seen: Vec<String> = names
        .iter()
        .map(|name| {
            let ratio = least(name, 1) / least(name, 0);
            let this = if faster == 1 { ratio < 1.0 } else { ratio > 1.0 };
            if !this {
                fails.push(name.to_uppercase());
            }
            let mark = if this { "yes" } else { "no" };
            format!("{} {mark} (4x4x4 takes {ratio:.2} of 8x8)", name.to_uppercase())
        })
        .collect();
    Finding { sentence, holds: fails.is_empty(), seen: seen.join(", "), fails }
}
