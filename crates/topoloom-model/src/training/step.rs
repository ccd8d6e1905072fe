//! How many bytes the groups of a job send in a step.
//!
//! Formulas: Narayanan et al. 2021 (arXiv 2104.04473) for tensors and stages, Korthikanti et al.
//! 2022 (2205.05198) for sequence parallelism, Rajbhandari et al. 2020 (1910.02054) for data, Liu et
//! al. 2023 (2310.01889) for ring attention, DeepSeek-V3 (2412.19437) for experts.

use super::call::{Call, Operation};
use super::layout::Layout;
use super::shape::ModelShape;
use super::step_traffic::GroupName;

/// How ranks share a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextParallelism {
    /// Keys and values go around a ring.
    Ring,
    /// Keys and values are gathered.
    AllGather,
    /// Heads are exchanged for parts of the sequence.
    AllToAll,
}

/// How much of a model's state data parallelism shares out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zero {
    /// Nothing: gradients are added up by all-reduce.
    Nothing,
    /// The optimizer's state: a reduce-scatter of gradients and an all-gather of weights.
    Optimizer,
    /// Gradients too. The same is sent.
    Gradients,
    /// Weights too: they are gathered when they are needed.
    Weights,
}

/// A step of training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Tokens of a sequence.
    pub sequence: u32,
    /// Sequences of a micro-batch.
    pub micro_batch: u32,
    /// Micro-batches of a step.
    pub micro_batches: u32,
    /// Parts of a stage that are interleaved.
    pub virtual_stages: u32,
    /// How much of the state is shared out.
    pub zero: Zero,
    /// Whether tensor parallelism also shares sequences.
    pub sequence_parallel: bool,
    /// How sequences are shared out.
    pub context: ContextParallelism,
    /// Whether the forward pass is done again in the backward pass.
    pub recompute: bool,
    /// Bytes of an element of activations and weights.
    pub element: f64,
    /// Bytes of an element of a gradient.
    pub gradient: f64,
    /// Bytes of an element that is sent to an expert.
    pub dispatch: f64,
}

/// What one stage of a pipeline is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StagePlace {
    /// The first of several.
    First,
    /// Between the first and the last.
    Middle,
    /// The last of several.
    Last,
    /// The only one.
    Only,
}

impl StagePlace {
    /// All places.
    pub const ALL: [StagePlace; 4] =
        [StagePlace::First, StagePlace::Middle, StagePlace::Last, StagePlace::Only];

    /// The place of a stage.
    pub fn of(stage: u32, stages: u32) -> StagePlace {
        match (stage, stages - 1 - stage) {
            (0, 0) => StagePlace::Only,
            (0, _) => StagePlace::First,
            (_, 0) => StagePlace::Last,
            _ => StagePlace::Middle,
        }
    }

    fn begins(self) -> bool {
        matches!(self, StagePlace::First | StagePlace::Only)
    }

    fn ends(self) -> bool {
        matches!(self, StagePlace::Last | StagePlace::Only)
    }
}

/// One step of one model in one layout.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    /// The model.
    pub shape: &'a ModelShape,
    /// How it is divided.
    pub layout: &'a Layout,
    /// What is done.
    pub step: &'a Step,
}

impl Work<'_> {
    /// What a group of this kind does in a stage.
    pub fn calls(&self, name: GroupName, place: StagePlace) -> Vec<Call> {
        let mut calls = match name {
            GroupName::Tp => self.tensors(place),
            GroupName::Cp => self.sequences(),
            GroupName::Pp => self.stages(),
            GroupName::DpCp => self.gradients(place),
            GroupName::Ep => self.experts(),
            GroupName::ExpertDp => self.expert_gradients(),
            // All gradients are added up over data and context parallelism together.
            GroupName::Dp => Vec::new(),
        };
        calls.retain(|call| call.times > 0.0 && call.bytes > 0.0);
        calls
    }

    /// Tokens of a micro-batch on a rank.
    fn tokens(&self) -> f64 {
        f64::from(self.step.sequence) * f64::from(self.step.micro_batch) / f64::from(self.layout.cp)
    }

    /// The activations of a micro-batch on a rank.
    fn activations(&self) -> f64 {
        self.step.element * self.tokens() * f64::from(self.shape.hidden)
    }

    fn micro_batches(&self) -> f64 {
        f64::from(self.step.micro_batches)
    }

    /// How often something is done that each of some layers does once per micro-batch.
    fn per_layer(&self, layers: u32) -> f64 {
        f64::from(layers) / f64::from(self.layout.pp) * self.micro_batches()
    }

    fn tensors(&self, place: StagePlace) -> Vec<Call> {
        // A layer has two parts, attention and what follows. Experts that are not shared out among
        // tensor ranks need no collective for the second part.
        let whole_experts = self.layout.ep > 1 && self.layout.etp == 1;
        let single = if whole_experts { self.shape.moe_layers } else { 0 };
        let parts = 2.0 * self.per_layer(self.shape.layers) - self.per_layer(single);
        let bytes = self.activations();
        let call = |operation, when, times| Call { operation, when, times, bytes };
        let passes = if self.step.recompute { 2.0 } else { 1.0 };
        let mut calls = match self.step.sequence_parallel {
            true => vec![
                call(Operation::AllGather, "forward", passes * parts),
                call(Operation::ReduceScatter, "forward", passes * parts),
                // Inputs were kept in parts, so they are gathered again.
                call(Operation::AllGather, "backward", 2.0 * parts),
                call(Operation::ReduceScatter, "backward", parts),
            ],
            false => vec![
                call(Operation::AllReduce, "forward", passes * parts),
                call(Operation::AllReduce, "backward", parts),
            ],
        };
        let once = self.micro_batches();
        if place.begins() {
            // The vocabulary is divided, so the elements of tokens are added up.
            let [there, back] = match self.step.sequence_parallel {
                true => [Operation::ReduceScatter, Operation::AllGather],
                false => [Operation::AllReduce; 2],
            };
            calls.push(call(there, "embedding", once));
            calls.push(call(back, "embedding", once));
        }
        if place.ends() {
            // The loss needs the largest value, the target's and the sum of each token: 4 bytes each.
            let (operation, bytes) = (Operation::AllReduce, 4.0 * self.tokens());
            calls.push(Call { operation, when: "loss", times: 3.0 * once, bytes });
        }
        calls.retain(|call| call.times > 0.0);
        calls
    }

    fn sequences(&self) -> Vec<Call> {
        let layers = self.per_layer(self.shape.layers);
        let (tensor, context) = (f64::from(self.layout.tp), f64::from(self.layout.cp));
        // Compressed keys and values have no heads to divide.
        let kv = match self.shape.compressed {
            (_, 0) => self.shape.kv() / tensor,
            (_, compressed) => f64::from(compressed) / 2.0,
        };
        let both = 2.0 * self.step.element * self.tokens() * kv;
        match self.step.context {
            ContextParallelism::Ring => {
                let call = |when, times| Call {
                    operation: Operation::Shift,
                    when,
                    times: times * (context - 1.0) * layers,
                    bytes: both,
                };
                vec![call("forward", 1.0), call("backward", 2.0)]
            }
            ContextParallelism::AllGather => vec![
                Call {
                    operation: Operation::AllGather,
                    when: "forward",
                    times: layers,
                    bytes: both * context,
                },
                Call {
                    operation: Operation::AllGather,
                    when: "backward",
                    times: layers,
                    bytes: both * context,
                },
                Call {
                    operation: Operation::ReduceScatter,
                    when: "backward",
                    times: layers,
                    bytes: both * context,
                },
            ],
            ContextParallelism::AllToAll => {
                let own = self.step.element * self.tokens() * f64::from(self.shape.hidden) / tensor;
                // Queries and output, keys and values; backward their gradients.
                let bytes = 2.0 * own + both;
                ["forward", "backward"]
                    .map(|when| Call { operation: Operation::AllToAll, when, times: layers, bytes })
                    .to_vec()
            }
        }
    }

    fn stages(&self) -> Vec<Call> {
        let parts = if self.step.sequence_parallel { f64::from(self.layout.tp) } else { 1.0 };
        let bytes = self.activations() / parts;
        let virtual_stages = f64::from(self.step.virtual_stages);
        let times = self.micro_batches() * virtual_stages;
        let around = self.micro_batches() * (virtual_stages - 1.0);
        let call = |operation, when, times| Call { operation, when, times, bytes };
        let mut calls = vec![
            call(Operation::Forward, "forward", times),
            call(Operation::Backward, "backward", times),
            call(Operation::LastToFirst, "forward", around),
            call(Operation::FirstToLast, "backward", around),
        ];
        if self.shape.tied {
            // The first and the last stage add up the gradients of the weights that they share: an
            // all-reduce of two, in which each sends all bytes.
            let bytes = self.step.gradient * self.shape.embedding() / f64::from(self.layout.tp);
            for operation in [Operation::LastToFirst, Operation::FirstToLast] {
                calls.push(Call { operation, when: "step", times: 1.0, bytes });
            }
        }
        calls
    }

    /// The parameters of a rank, without experts that are shared out.
    fn parameters(&self, place: StagePlace) -> f64 {
        let Layout { tp, pp, .. } = *self.layout;
        let mut elements = self.shape.dense_elements();
        if self.layout.ep == 1 {
            elements += self.shape.expert_elements();
        }
        let ends = match place {
            StagePlace::Only if !self.shape.tied => 2,
            _ => u32::from(place.begins() || place.ends()),
        };
        let embeddings = f64::from(ends) * self.shape.embedding();
        elements / f64::from(pp) / f64::from(tp) + embeddings / f64::from(tp)
    }

    fn gradients(&self, place: StagePlace) -> Vec<Call> {
        if self.step.zero == Zero::Weights {
            return self.shared_weights();
        }
        self.reduction(self.parameters(place))
    }

    /// Gradients are added up, and new weights handed out.
    fn reduction(&self, parameters: f64) -> Vec<Call> {
        let gradient_bytes = self.step.gradient * parameters;
        let call = |operation, bytes| Call { operation, when: "step", times: 1.0, bytes };
        match self.step.zero {
            Zero::Nothing => vec![call(Operation::AllReduce, gradient_bytes)],
            _ => vec![
                call(Operation::ReduceScatter, gradient_bytes),
                call(Operation::AllGather, self.step.element * parameters),
            ],
        }
    }

    /// Weights are gathered tensor by tensor, forward and backward, and gradients shared out. They
    /// are gathered for each micro-batch again.
    fn shared_weights(&self) -> Vec<Call> {
        let Layout { tp, pp, .. } = *self.layout;
        let mut calls = Vec::new();
        let mut tensors = self.shape.tensors();
        if self.layout.ep == 1 && self.shape.moe_layers > 0 {
            let experts = f64::from(self.shape.moe_layers) * f64::from(self.shape.experts);
            tensors.push((experts, self.shape.expert()));
        }
        for (operation, when) in [
            (Operation::AllGather, "forward"),
            (Operation::AllGather, "backward"),
            (Operation::ReduceScatter, "backward"),
        ] {
            calls.extend(tensors.iter().map(|&(count, elements)| Call {
                operation,
                when,
                times: count / f64::from(pp) * self.micro_batches(),
                bytes: self.step.element * elements / f64::from(tp),
            }));
        }
        calls
    }

    fn experts(&self) -> Vec<Call> {
        if self.shape.moe_layers == 0 {
            return Vec::new();
        }
        // Sequence parallelism has divided the tokens among tensor ranks.
        let parts = if self.step.sequence_parallel { f64::from(self.layout.tp) } else { 1.0 };
        let elements =
            self.tokens() / parts * f64::from(self.shape.top_k) * f64::from(self.shape.hidden);
        let times = self.per_layer(self.shape.moe_layers);
        let call = |when, bytes| Call { operation: Operation::AllToAll, when, times, bytes };
        vec![
            call("dispatch forward", self.step.dispatch * elements),
            call("combine forward", self.step.element * elements),
            call("combine backward", self.step.dispatch * elements),
            call("dispatch backward", self.step.element * elements),
        ]
    }

    fn expert_gradients(&self) -> Vec<Call> {
        if self.layout.ep == 1 || self.shape.moe_layers == 0 {
            return Vec::new();
        }
        let Layout { ep, etp, pp, .. } = *self.layout;
        let parameters =
            self.shape.expert_elements() / (f64::from(ep) * f64::from(etp) * f64::from(pp));
        match self.step.zero {
            Zero::Weights => {
                let bytes = self.step.element * parameters;
                let call =
                    |operation, when| Call { operation, when, times: self.micro_batches(), bytes };
                vec![
                    call(Operation::AllGather, "forward"),
                    call(Operation::AllGather, "backward"),
                    call(Operation::ReduceScatter, "backward"),
                ]
            }
            _ => self.reduction(parameters),
        }
    }
}
