//! What jobs send: patterns with a placeholder for the job size, drawn by weight.

use rand::RngExt;
use topoloom_core::random::stream;
use topoloom_core::{CollectiveMode, PATTERNS, Spec, Traffic, parse_pattern};

use crate::error::ScheduleError;

/// The word that stands for the number of ranks, and the words for ranks in a grid.
const RANKS: &str = "N";
const GRIDS: [(&str, usize); 2] = [("2D", 2), ("3D", 3)];

/// A pattern with words in place of the size: `stencil:2D`, `all-to-all:N`, `lu:class=A,ranks=N`.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    spec: Spec,
    weight: f64,
}

impl Template {
    /// Reads a template; `weight=` says how often it is drawn.
    ///
    /// ```
    /// use topoloom_schedule::Template;
    /// use topoloom_core::CollectiveMode;
    /// let template = Template::parse("stencil:3D,periodic,weight=2").unwrap();
    /// assert_eq!(template.for_ranks(24), "stencil:4x3x2,periodic");
    /// assert_eq!(template.traffic(24, CollectiveMode::None).unwrap().num_ranks(), 24);
    /// ```
    pub fn parse(text: &str) -> Result<Template, ScheduleError> {
        let mut spec = Spec::parse(text)?;
        let weight = spec.get("weight", "a number above 0")?.unwrap_or(1.0);
        if !(f64::is_finite(weight) && weight > 0.0) {
            let text = format!("{text}: expected a number above 0 for \"weight\", found {weight}");
            return Err(ScheduleError::Other(text));
        }
        spec.options.retain(|(key, _)| key != "weight");
        PATTERNS.find(&spec)?;
        let is_word = |value: &str| value == RANKS || GRIDS.iter().any(|(word, _)| value == *word);
        let values = spec.options.iter().filter_map(|(_, value)| value.as_deref());
        if !values.chain(spec.shape.as_deref()).any(is_word) {
            return Err(ScheduleError::Other(format!(
                "{text}: expected N, 2D or 3D in place of the size of the job, such as \
                 all-to-all:N, stencil:2D or lu:class=A,ranks=N"
            )));
        }
        let template = Template { spec, weight };
        // Errors at every size are reported now. Some patterns accept only powers of two.
        let small = [1, 2, 4, 8, 16].map(|ranks| parse_pattern(&template.for_ranks(ranks)));
        match small.into_iter().collect::<Result<Vec<_>, _>>() {
            Err(error) if !error.is_illegal_ranks() => Err(error.into()),
            _ => Ok(template),
        }
    }

    /// The pattern for a job of this many ranks.
    pub fn for_ranks(&self, ranks: u32) -> String {
        let filled = |value: &str| match GRIDS.iter().find(|(word, _)| *word == value) {
            Some(&(_, dimensions)) => {
                let sides: Vec<String> =
                    grid(ranks, dimensions).iter().map(u32::to_string).collect();
                sides.join("x")
            }
            None if value == RANKS => ranks.to_string(),
            None => value.to_string(),
        };
        let mut spec = self.spec.clone();
        spec.shape = spec.shape.as_deref().map(filled);
        for (_, value) in &mut spec.options {
            *value = value.as_deref().map(filled);
        }
        spec.to_string()
    }

    /// What a job of this many ranks sends. If the pattern does not support that number, the
    /// traffic is that of the largest smaller number that it supports, and the other ranks send
    /// nothing.
    pub fn traffic(&self, ranks: u32, mode: CollectiveMode) -> Result<Traffic, ScheduleError> {
        for fewer in (1..=ranks).rev() {
            match parse_pattern(&self.for_ranks(fewer)) {
                Ok(traffic) => {
                    let counted = traffic.with_collectives(mode);
                    return counted.map_err(|error| ScheduleError::Other(error.to_string()));
                }
                Err(error) if error.is_illegal_ranks() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(ScheduleError::Other(format!(
            "{}: no number of ranks up to {ranks} is possible",
            self.spec
        )))
    }
}

/// Sides of a grid of exactly this many ranks, as equal as possible, longest first: the choice with
/// the smallest sum.
fn grid(ranks: u32, dimensions: usize) -> Vec<u32> {
    if dimensions == 1 {
        return vec![ranks];
    }
    let mut best: Vec<u32> = Vec::new();
    for side in
        (1..=ranks).take_while(|side| u64::from(*side).pow(dimensions as u32) <= ranks.into())
    {
        if ranks.is_multiple_of(side) {
            let mut sides = grid(ranks / side, dimensions - 1);
            sides.push(side);
            if best.is_empty() || sides.iter().sum::<u32>() < best.iter().sum() {
                best = sides;
            }
        }
    }
    best.sort_unstable_by(|a, b| b.cmp(a));
    best
}

/// Templates; every job draws one.
#[derive(Debug, Clone)]
pub struct TrafficMix {
    templates: Vec<Template>,
}

/// Separates the stream of this purpose from others of the same seed.
const KINDS: u64 = 0x6b69_6e64;

impl TrafficMix {
    /// A mix of at least one template.
    pub fn new(templates: Vec<Template>) -> Result<TrafficMix, ScheduleError> {
        match templates.is_empty() {
            true => Err(ScheduleError::Other("expected at least one pattern, found none".into())),
            false => Ok(TrafficMix { templates }),
        }
    }

    /// The templates.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// The template of each of `jobs` jobs: drawn by weight, independently for each job.
    pub fn draw(&self, jobs: usize, seed: u64) -> Vec<usize> {
        let all: f64 = self.templates.iter().map(|template| template.weight).sum();
        let draw = |job: usize| {
            let mut left = stream(seed, &[KINDS, job as u64]).random::<f64>() * all;
            let last = self.templates.len() - 1;
            let passed = |template: &Template| {
                left -= template.weight;
                left < 0.0
            };
            self.templates.iter().position(passed).unwrap_or(last)
        };
        (0..jobs).map(draw).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_as_square_as_their_number_allows() {
        assert_eq!(grid(64, 2), [8, 8]);
        assert_eq!(grid(64, 3), [4, 4, 4]);
        assert_eq!(grid(24, 3), [4, 3, 2]);
        assert_eq!(grid(7, 2), [7, 1]);
        assert_eq!(grid(1, 3), [1, 1, 1]);
    }

    #[test]
    fn patterns_for_powers_of_two_leave_the_other_ranks_silent() {
        // CG runs on powers of two: 8 of 10 ranks send.
        let template = Template::parse("cg:class=S,ranks=N").unwrap();
        let traffic = template.traffic(10, CollectiveMode::None).unwrap();
        assert_eq!(traffic.num_ranks(), 8);
    }

    #[test]
    fn templates_without_a_place_for_the_size_are_refused() {
        let said = |text: &str| Template::parse(text).unwrap_err().to_string();
        assert!(
            said("ring:64").starts_with("ring:64: expected N, 2D or 3D"),
            "{}",
            said("ring:64")
        );
        assert!(said("rings:N").starts_with("unknown traffic pattern"));
        assert!(said("ring:N,weight=0").contains("above 0"));
        assert!(said("ring:N,size=3").contains("unknown option"));
        assert!(said("lu:class=Q,ranks=N").contains("class"));
    }

    #[test]
    fn kinds_are_drawn_by_weight_and_repeat_by_seed() {
        let mix = ["ring:N,weight=3", "all-to-all:N"].map(|text| Template::parse(text).unwrap());
        let mix = TrafficMix::new(mix.to_vec()).unwrap();
        let drawn = mix.draw(10_000, 7);
        let rings = drawn.iter().filter(|&&kind| kind == 0).count();
        // 7,500 expected, with a deviation of sqrt(10,000 x 3/16) = 43.
        assert!((7_300..7_700).contains(&rings), "{rings}");
        assert_eq!(drawn[..100], mix.draw(100, 7));
        assert_ne!(drawn[..100], mix.draw(100, 8));
    }
}
