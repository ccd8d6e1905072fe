//! How much work each effort takes.

use super::graph::Graph;
use crate::effort::Effort;

/// How long local searches continue.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Moves in a row without a new best before a local search gives up, if its losses do not end
    /// it sooner.
    pub moves: usize,
    /// Rounds over the whole boundary.
    pub rounds: usize,
}

/// The size of the regions in which borders are moved by minimum cuts.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// The share of a block that is freed.
    pub share: f64,
    /// At least this many vertices, if the block has more than twice as many.
    pub least: usize,
    /// The maximum number of vertices of a region on each side.
    pub most: usize,
    /// Rounds over all borders.
    pub rounds: usize,
}

/// What is done to a division at each level.
#[derive(Debug, Clone, Copy)]
pub struct Refinement {
    /// How long local searches continue.
    pub patience: Patience,
    /// Where borders are moved by minimum cuts, if anywhere.
    pub reach: Option<Reach>,
}

/// The length of a search with falling temperature.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// Exchanges for each vertex of the graph, ...
    pub per_vertex: f64,
    /// ... but at most this many for each block.
    pub per_block: f64,
}

impl Schedule {
    /// The number of exchanges for a graph in this many blocks.
    pub fn steps(self, graph: &Graph, blocks: usize) -> u64 {
        (self.per_vertex * graph.len() as f64).min(self.per_block * blocks as f64) as u64
    }
}

/// How much work the engine does.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Halvings tried each time.
    pub tries: usize,
    /// First divisions of the coarsest graph, of which the best counts.
    pub divisions: usize,
    /// What is done at each level.
    pub refinement: Refinement,
    /// How often a graph is coarsened again around the division found, and refined.
    pub cycles: usize,
    /// The first cut of the machine gets at least this many divisions.
    pub first_cuts: usize,
    /// Divisions from scratch that are combined: as many as make up this many edges, ...
    pub edges: usize,
    /// ... but at most this many.
    pub repetitions: usize,
    /// How many exchanges of whole blocks are evaluated.
    pub annealing: Schedule,
    /// How often everything is coarsened around the placement and refined under the real cost.
    pub descents: usize,
    /// Whether borders are also moved by minimum cuts then.
    pub cuts_in_descents: bool,
    /// Whole placements that are made and combined, if ranks share slots.
    pub placements: usize,
    /// The share of spare room that a division of a part may use, in the geometric sense. The rest is
    /// for divisions inside.
    pub spare: f64,
}

/// Edges per vertex from which on a graph is dense, as graphs of finite elements in three
/// dimensions are.
const DENSE: usize = 20;

/// Further divisions of dense graphs.
const MORE_DIVISIONS: usize = 4;

/// A graph with at most this many edges, counted in both directions, is small. 4elt and memplus of
/// Walshaw's archive are.
const SMALL: usize = 120_000;

/// Divisions at the first cut of small graphs in a quick search. They are combined.
const FIRST_CUTS: usize = 2;

/// Regions for the smallest cuts of small graphs in a quick search. With these, two first cuts, and
/// one division of the coarsest graph, 4elt and memplus are 4.9 and 1.5 % better on average over ten
/// seeds, over tree:4:8:8 with distances 1:10:100. They take 18 and 14 % longer.
const SMALL_REACH: Reach = Reach { share: 0.05, least: 30, most: 2_000, rounds: 1 };

/// Divisions of each placement, if there are several placements.
const LEAST_DIVISIONS: usize = 4;

/// Shares of spare room, in turn, for placements that are combined. The first is between the best two
/// of six that were tried with eco on 4elt, wing, memplus and bcsstk29 of Walshaw's archive, over
/// tree:4:8:8 with distances 1:10:100: 0.65 and 0.75.
const SPARE: [f64; 4] = [0.7, 0.8, 0.6, 0.75];

/// A share that leaves as much for the divisions inside.
pub const EVENLY: f64 = 0.5;

impl Work {
    /// The work for this graph. Divisions of dense graphs differ more, and other tools take longer
    /// for them too: more divisions are made, and each is refined once more. Tuned on bcsstk29 and
    /// vibrobox of Walshaw's archive. All divisions are shared out to the placements.
    pub fn on(mut self, graph: &Graph, shares_slots: bool) -> Work {
        let edges = graph.edges.len().max(1);
        if self.repetitions > 1 && edges >= DENSE * graph.len() {
            self.repetitions += MORE_DIVISIONS;
            self.cycles += 1;
        }
        let divisions = self.repetitions.min(self.edges / edges).max(1);
        if self.repetitions == 1 && shares_slots && edges <= SMALL {
            self.first_cuts = FIRST_CUTS;
            self.divisions = 1;
            self.refinement.reach = Some(SMALL_REACH);
        }
        let most = if shares_slots { self.placements } else { 1 };
        if !shares_slots {
            self.spare = EVENLY;
        }
        self.placements = most.min(divisions / LEAST_DIVISIONS).max(1);
        self.repetitions = divisions / self.placements;
        self
    }

    /// The work for one of several placements that are combined.
    pub fn for_placement(mut self, number: usize) -> Work {
        self.spare = SPARE[number % SPARE.len()];
        self
    }

    /// Divisions at each depth of the machine, if blocks have these distances there: about as many
    /// altogether as without distances, but more where each cut edge costs more. In proportion to the
    /// square root: on those graphs and vibrobox, two placements with about 25, 8 and 3 divisions per
    /// depth are 0.3 to 1.6 % better than four with six at each depth, in about the same time or less.
    pub fn repetitions_by_depth(&self, distances: &[f64]) -> Vec<usize> {
        let weight = |distance: &f64| distance.max(1.0).sqrt();
        let all: f64 = distances.iter().map(weight).sum();
        let whole = (self.repetitions * distances.len()) as f64;
        let share = |distance| ((whole * weight(distance) / all).round() as usize).max(1);
        let mut repetitions: Vec<usize> = match self.repetitions {
            // One division is the least: there is nothing to share out.
            0 | 1 => vec![1; distances.len()],
            _ => distances.iter().map(share).collect(),
        };
        if let Some(first) = repetitions.first_mut() {
            *first = self.first_cuts.max(*first);
        }
        repetitions
    }
}

impl Work {
    /// The work for one of many placements that are joined later. On memplus and bcsstk29 of Walshaw's
    /// archive, four divisions per part and 14 generations are 0.1 and 0.5 % better than one division
    /// and 20 generations, in the same time.
    pub fn of_one_of_many() -> Work {
        Work { repetitions: 4, placements: 1, ..Work::of(Effort::Strong) }
    }

    /// The work of an effort.
    pub fn of(effort: Effort) -> Work {
        match effort {
            Effort::Fast => Work {
                tries: 4,
                divisions: 2,
                refinement: Refinement {
                    patience: Patience { moves: 10, rounds: 1 },
                    reach: Some(Reach { share: 0.02, least: 15, most: 2_000, rounds: 1 }),
                },
                cycles: 0,
                first_cuts: 1,
                edges: 0,
                repetitions: 1,
                annealing: Schedule { per_vertex: 17.0, per_block: 6_000.0 },
                descents: 1,
                cuts_in_descents: false,
                placements: 1,
                spare: SPARE[0],
            },
            Effort::Eco => Work {
                tries: 8,
                divisions: 4,
                refinement: Refinement {
                    patience: Patience { moves: 30, rounds: 5 },
                    reach: Some(Reach { share: 0.1, least: 60, most: 5_000, rounds: 1 }),
                },
                cycles: 0,
                first_cuts: 1,
                edges: 7_500_000,
                repetitions: 4,
                annealing: Schedule { per_vertex: 130.0, per_block: 40_000.0 },
                descents: 1,
                cuts_in_descents: true,
                placements: 1,
                spare: SPARE[0],
            },
            Effort::Strong | Effort::Extreme => Work {
                tries: 10,
                divisions: 8,
                refinement: Refinement {
                    patience: Patience { moves: 30, rounds: 5 },
                    reach: Some(Reach { share: 0.1, least: 60, most: 10_000, rounds: 3 }),
                },
                cycles: 1,
                first_cuts: 1,
                edges: 30_000_000,
                repetitions: 26,
                annealing: Schedule { per_vertex: 800.0, per_block: 200_000.0 },
                descents: 3,
                cuts_in_descents: true,
                placements: 2,
                spare: SPARE[0],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distant_blocks_get_more_of_the_same_number_of_divisions() {
        let work = Work { repetitions: 12, ..Work::of(Effort::Strong) };
        assert_eq!(work.repetitions_by_depth(&[100.0, 10.0, 1.0]), [25, 8, 3]);
        assert_eq!(work.repetitions_by_depth(&[2.0, 2.0]), [12, 12]);
        // Blocks without a distance are divided too.
        assert_eq!(work.repetitions_by_depth(&[0.0]), [12]);
        assert!(work.repetitions_by_depth(&[]).is_empty());
    }

    #[test]
    fn one_division_stays_one() {
        let work = Work { repetitions: 1, ..Work::of(Effort::Fast) };
        assert_eq!(work.repetitions_by_depth(&[100.0, 1.0]), [1, 1]);
    }

    #[test]
    fn a_quick_search_of_a_small_graph_cuts_twice_first() {
        let graph = crate::multilevel::graph::examples::grid(8, 8);
        let repetitions = |effort, shares_slots| {
            Work::of(effort).on(&graph, shares_slots).repetitions_by_depth(&[100.0, 1.0])
        };
        assert_eq!(repetitions(Effort::Fast, true), [2, 1]);
        assert_eq!(repetitions(Effort::Fast, false), [1, 1]);
    }
}
