//! Training jobs from specifications, such as `llm:model=llama3-405b,tp=8,pp=16,dp=64`.

use std::str::FromStr;
use std::sync::Arc;

use super::carry::{Carrier, Carry};
use super::catalogue::MODELS;
use super::framework::Framework;
use super::layout::Layout;
use super::shape::ModelShape;
use super::step::{ContextParallelism, StagePlace, Step, Work, Zero};
use super::step_traffic::{GroupKind, GroupName, StepTraffic};
use crate::budget;
use crate::registry::Parameter;
use crate::spec::{Spec, SpecError};
use crate::traffic::{Group, Traffic, TrafficBuilder};

const fn parameter(name: &'static str, default: &'static str, summary: &'static str) -> Parameter {
    Parameter { name, default, summary }
}

/// The options of the pattern `llm`.
pub const PARAMETERS: &[Parameter] = &[
    parameter("model", "none", "a model of `topoloom list models`, in place of its sizes"),
    parameter("tp", "1", "ranks that share each layer"),
    parameter("cp", "1", "ranks that share each sequence"),
    parameter("pp", "1", "stages of the pipeline"),
    parameter("dp", "1", "copies of the model; there are tp x cp x pp x dp ranks"),
    parameter("ep", "1", "ranks that share the experts of a layer; they are also in other groups"),
    parameter("etp", "tp for megatron, else 1", "ranks that share each expert"),
    parameter("order", "the framework's", "the order of ranks, first name fastest"),
    parameter("framework", "megatron", "megatron, deepspeed, torchtitan or jax"),
    parameter("torus", "none", "the torus that JAX numbers ranks on, as in 4x4x8"),
    parameter("sequence", "8192", "tokens of a sequence"),
    parameter("micro-batch", "1", "sequences of a micro-batch"),
    parameter("micro-batches", "4 per stage", "micro-batches of a step"),
    parameter("virtual", "1", "parts of each stage, if the pipeline is interleaved"),
    parameter("zero", "1", "0 all-reduce, 1 and 2 share optimizer state, 3 weights (FSDP)"),
    parameter("sequence-parallel", "yes", "whether tensor ranks also share sequences"),
    parameter("context", "ring", "how sequences are shared: ring, all-gather or all-to-all"),
    parameter("recompute", "no", "whether the forward pass is done twice"),
    parameter("element-bytes", "2", "bytes of an activation or a weight"),
    parameter("gradient-bytes", "4", "bytes of a gradient"),
    parameter("dispatch-bytes", "element-bytes", "bytes of an element sent to an expert"),
    parameter("gpus-per-node", "8", "ranks of a node, if no machine is given"),
    parameter("carry", "ring", "how collectives are carried: ring, tree, nvls or pxn"),
    parameter("layers", "the model's", "layers"),
    parameter("moe-layers", "all, with experts", "layers with experts"),
    parameter("hidden", "the model's", "elements of a token"),
    parameter("ffn", "4 x hidden", "inner elements of a layer"),
    parameter("moe-ffn", "ffn", "inner elements of an expert"),
    parameter("heads", "hidden / 128", "heads of attention"),
    parameter("kv-heads", "heads", "heads of keys and values"),
    parameter("vocab", "the model's, or none", "tokens of the vocabulary"),
    parameter("gated", "yes", "whether layers have a gate"),
    parameter("tied", "no", "whether input and output share weights"),
    parameter("experts", "the model's, or none", "experts of a layer"),
    parameter("top-k", "2, with experts", "experts that a token is sent to"),
    parameter("tp-weight", "1", "what a byte of tensor groups counts"),
    parameter("cp-weight", "1", "what a byte of context groups counts"),
    parameter("pp-weight", "1", "what a byte between stages counts"),
    parameter("dp-weight", "0.5", "what a byte of gradients counts: half of it is hidden"),
    parameter("ep-weight", "1", "what a byte of expert groups counts"),
];

/// A training job.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingJob {
    /// The model.
    pub shape: ModelShape,
    /// How it is divided.
    pub layout: Layout,
    /// What a step does.
    pub step: Step,
    /// Ranks of a node.
    pub ranks_per_node: u32,
    /// How collectives are carried.
    pub carry: Carry,
    /// What a byte of each kind counts.
    weights: [f64; 7],
}

impl TrainingJob {
    /// The job that a specification stands for.
    pub fn from_spec(spec: &Spec) -> Result<TrainingJob, SpecError> {
        spec.no_shape()?;
        let options = Options { spec };
        let shape = options.shape()?;
        let layout = options.layout(&shape)?;
        layout.check().map_err(|error| SpecError::new(format!("{}: {error}", spec.name)))?;
        let step = options.step(&layout)?;
        let weights = options.weights()?;
        let carry = options.one_of("carry", &Carry::ALL)?.unwrap_or_default();
        let ranks_per_node = options.number("gpus-per-node")?.unwrap_or(8);
        Ok(TrainingJob { shape, layout, step, ranks_per_node, carry, weights })
    }

    /// The groups of a job, with what they send. Without a model only the groups are known.
    pub fn groups_from_spec(spec: &Spec) -> Result<StepTraffic, SpecError> {
        let options = Options { spec };
        if ["model", "layers", "hidden"].iter().any(|key| options.has(key)) {
            return Ok(TrainingJob::from_spec(spec)?.step_traffic());
        }
        let mut sized = spec.clone();
        for (key, size) in [("layers", 1), ("hidden", 1), ("experts", options.size("ep")?)] {
            if !options.has(key) {
                sized.options.push((key.to_string(), Some(size.to_string())));
            }
        }
        let mut step = TrainingJob::from_spec(&sized)?.step_traffic();
        let lists = step.kinds.iter_mut().flat_map(|kind| &mut kind.lists);
        lists.for_each(Vec::clear);
        Ok(step)
    }

    /// The groups of a kind.
    pub fn groups(&self, name: GroupName) -> Vec<Vec<u32>> {
        self.layout.groups(name)
    }

    /// What all groups send in a step.
    pub fn step_traffic(&self) -> StepTraffic {
        let stages = self.stage_of_rank();
        let work = Work { shape: &self.shape, layout: &self.layout, step: &self.step };
        let kind = |(name, &weight): (GroupName, &f64)| {
            let groups = self.groups(name);
            let place = |group: &Vec<u32>| {
                let stage = group.first().map_or(0, |&rank| stages[rank as usize]);
                let place = StagePlace::of(stage, self.layout.pp);
                StagePlace::ALL.iter().position(|known| *known == place).unwrap_or(0) as u32
            };
            GroupKind {
                name: name.to_string(),
                weight,
                list_of_group: groups.iter().map(place).collect(),
                lists: StagePlace::ALL.map(|place| work.calls(name, place)).to_vec(),
                groups: groups.into_iter().map(|group| Group::of_members(group.into())).collect(),
            }
        };
        StepTraffic {
            ranks: self.layout.ranks(),
            ranks_per_node: self.ranks_per_node,
            kinds: GroupName::ALL.into_iter().zip(&self.weights).map(kind).collect(),
            carry: self.carry,
        }
    }

    /// The stage of each rank: its place in its pipeline.
    fn stage_of_rank(&self) -> Vec<u32> {
        let mut stages = vec![0; self.layout.ranks() as usize];
        for pipeline in self.groups(GroupName::Pp) {
            for (stage, rank) in (0..).zip(pipeline) {
                stages[rank as usize] = stage;
            }
        }
        stages
    }

    /// The traffic of a step, with consecutive ranks on a node.
    pub fn traffic(&self) -> Result<Traffic, SpecError> {
        let step = self.step_traffic();
        let traffic = step.traffic_on(|rank| rank / self.ranks_per_node);
        traffic.map_err(|error| SpecError::new(format!("llm: {error}")))
    }
}

impl StepTraffic {
    /// The traffic of a step if ranks are on these nodes, with what each kind of groups sends.
    pub fn traffic_on(self, node_of: impl Fn(u32) -> u32) -> Result<Traffic, budget::BudgetError> {
        const BYTES_OF_FLOW: u64 = 28;
        let flows: u64 = self.kinds.iter().map(GroupKind::most_messages).sum();
        budget::memory().check_items("the messages of a step", flows, BYTES_OF_FLOW)?;
        let mut builder = TrafficBuilder::new(self.ranks);
        let mut carrier = Carrier::default();
        for kind in &self.kinds {
            for (number, group) in kind.groups.iter().enumerate() {
                let calls = kind.calls(number);
                // Bytes are whole. A message of a pair stands for all its calls.
                let times: f64 = calls.iter().map(|call| call.times).sum();
                carrier.messages(group, calls, self.carry, &node_of, |from, to, bytes| {
                    builder.add(from, to, times.max(1.0).round(), bytes.round());
                });
            }
        }
        builder.set_step(Arc::new(self));
        Ok(builder.build())
    }
}

impl GroupKind {
    /// There are no more messages than this.
    fn most_messages(&self) -> u64 {
        let of = |(number, group): (usize, &Group)| {
            let size = u64::from(group.size());
            let calls = self.calls(number);
            let all = calls.iter().any(|call| call.operation == super::Operation::AllToAll);
            calls.len() as u64 * if all { 2 * size * size } else { 4 * size }
        };
        self.groups.iter().enumerate().map(of).sum()
    }
}

/// The options of a specification.
struct Options<'a> {
    spec: &'a Spec,
}

impl Options<'_> {
    fn number(&self, key: &str) -> Result<Option<u32>, SpecError> {
        self.spec.get_positive(key)
    }

    fn has(&self, key: &str) -> bool {
        self.spec.options.iter().any(|(known, _)| known == key)
    }

    fn size(&self, key: &str) -> Result<u32, SpecError> {
        Ok(self.number(key)?.unwrap_or(1))
    }

    /// A word of a list.
    fn one_of<T: Copy>(&self, key: &str, known: &[(T, &str)]) -> Result<Option<T>, SpecError> {
        let names: Vec<&str> = known.iter().map(|(_, name)| *name).collect();
        let Some(word) = self.spec.get::<String>(key, &names.join(", "))? else { return Ok(None) };
        match known.iter().find(|(_, name)| *name == word) {
            Some((value, _)) => Ok(Some(*value)),
            None => Err(self.error(format!(
                "expected one of {} for \"{key}\", found \"{word}\"",
                names.join(", ")
            ))),
        }
    }

    fn yes(&self, key: &str) -> Result<Option<bool>, SpecError> {
        self.one_of(key, &[(true, "yes"), (false, "no")])
    }

    fn error(&self, text: String) -> SpecError {
        SpecError::new(format!("{}: {text}", self.spec.name))
    }

    fn shape(&self) -> Result<ModelShape, SpecError> {
        let name: Option<String> = self.spec.get("model", "the name of a model")?;
        let known = match &name {
            None => None,
            Some(name) => {
                let found = MODELS.entries.iter().find(|model| model.name == name);
                Some(found.ok_or_else(|| {
                    let known: Vec<&str> = MODELS.entries.iter().map(|model| model.name).collect();
                    self.error(format!(
                        "unknown model \"{name}\"; known are {}; give sizes such as layers= and \
                         hidden= for another",
                        known.join(", ")
                    ))
                })?)
            }
        };
        let model = known.map(|model| model.build);
        let missing = |key: &str| {
            self.error(format!("{key}= is missing; give model=, or layers= and hidden="))
        };
        let number = |key: &str, own: fn(&ModelShape) -> u32| -> Result<Option<u32>, SpecError> {
            Ok(self.number(key)?.or(model.as_ref().map(own)))
        };
        let layers = number("layers", |shape| shape.layers)?.ok_or_else(|| missing("layers"))?;
        let hidden = number("hidden", |shape| shape.hidden)?.ok_or_else(|| missing("hidden"))?;
        let ffn = number("ffn", |shape| shape.ffn)?.unwrap_or(hidden.saturating_mul(4));
        let head_dim = model.map(|shape| shape.head_dim);
        let heads = number("heads", |shape| shape.heads)?
            .unwrap_or_else(|| (hidden / head_dim.unwrap_or(128)).max(1));
        let head_dim = head_dim.unwrap_or_else(|| (hidden / heads).max(1));
        let experts = number("experts", |shape| shape.experts)?.unwrap_or(0);
        let usual_moe = if experts > 0 { layers } else { 0 };
        let moe_layers = number("moe-layers", |shape| shape.moe_layers)?;
        let moe_layers = moe_layers.filter(|_| experts > 0).unwrap_or(usual_moe);
        if moe_layers > layers {
            return Err(
                self.error(format!("{moe_layers} layers with experts, but {layers} in all"))
            );
        }
        let top_k = number("top-k", |shape| shape.top_k)?.filter(|_| experts > 0);
        let top_k = top_k.unwrap_or(if experts > 0 { 2.min(experts) } else { 0 });
        if top_k > experts {
            return Err(self.error(format!("top-k={top_k}, but there are only {experts} experts")));
        }
        Ok(ModelShape {
            layers,
            moe_layers,
            hidden,
            ffn,
            moe_ffn: number("moe-ffn", |shape| shape.moe_ffn)?
                .filter(|&size| size > 0)
                .unwrap_or(ffn),
            heads,
            kv_heads: number("kv-heads", |shape| shape.kv_heads)?.unwrap_or(heads),
            head_dim,
            vocab: number("vocab", |shape| shape.vocab)?.unwrap_or(0),
            gated: self.yes("gated")?.unwrap_or_else(|| model.is_none_or(|shape| shape.gated)),
            tied: self.yes("tied")?.unwrap_or_else(|| model.is_some_and(|shape| shape.tied)),
            experts,
            shared_experts: model.map_or(0, |shape| shape.shared_experts),
            top_k,
            compressed: model.map_or((0, 0), |shape| shape.compressed),
        })
    }

    fn layout(&self, shape: &ModelShape) -> Result<Layout, SpecError> {
        let named: Option<Framework> = self.one_of("framework", &Framework::ALL)?;
        let framework = named.unwrap_or(Framework::Megatron);
        let order: Option<String> = self.spec.get("order", "an order such as tp-cp-ep-dp-pp")?;
        let (tp, ep) = (self.size("tp")?, self.size("ep")?);
        // Heads that were not given are only assumed.
        let is_known = ["model", "heads"].iter().any(|key| self.has(key));
        if is_known && tp > shape.heads {
            return Err(self.error(format!("tp={tp}, but a layer has only {} heads", shape.heads)));
        }
        if ep > 1 && shape.moe_layers == 0 {
            return Err(self.error(format!("ep={ep}, but the model has no experts; give experts=")));
        }
        if ep > 1 && !shape.experts.is_multiple_of(ep) {
            return Err(self.error(format!(
                "{} experts cannot be shared out evenly to ep={ep} ranks",
                shape.experts
            )));
        }
        let usual_etp = match framework {
            Framework::Megatron => tp,
            _ => 1,
        };
        let torus: Option<String> = self.spec.get("torus", "lengths such as 4x4x8")?;
        let torus = torus.map(|text| self.lengths(&text)).transpose()?;
        if torus.is_some() && framework != Framework::Jax {
            return Err(self.error("torus= needs framework=jax".to_string()));
        }
        let layout = Layout {
            tp,
            cp: self.size("cp")?,
            pp: self.size("pp")?,
            dp: self.size("dp")?,
            ep,
            etp: self.number("etp")?.unwrap_or(usual_etp),
            order: order.unwrap_or_else(|| framework.usual_order().to_string()),
            framework,
            strict: named.is_some(),
            torus,
        };
        if framework == Framework::Jax && !layout.dp.is_multiple_of(ep) {
            return Err(self.error(format!("dp={} is not a multiple of ep={ep}", layout.dp)));
        }
        Ok(layout)
    }

    fn lengths(&self, text: &str) -> Result<Vec<u32>, SpecError> {
        let lengths: Result<Vec<u32>, _> = text.split('x').map(u32::from_str).collect();
        let good = |lengths: &Vec<u32>| {
            let all = lengths.iter().map(|&length| f64::from(length)).product::<f64>();
            lengths.iter().all(|&length| length > 0) && all <= f64::from(u32::MAX)
        };
        lengths.ok().filter(good).ok_or_else(|| {
            self.error(format!("expected lengths such as 4x4x8 for \"torus\", found \"{text}\""))
        })
    }

    fn step(&self, layout: &Layout) -> Result<Step, SpecError> {
        let zero = [
            (Zero::Nothing, "0"),
            (Zero::Optimizer, "1"),
            (Zero::Gradients, "2"),
            (Zero::Weights, "3"),
        ];
        let context = [
            (ContextParallelism::Ring, "ring"),
            (ContextParallelism::AllGather, "all-gather"),
            (ContextParallelism::AllToAll, "all-to-all"),
        ];
        let element = self.bytes("element-bytes")?.unwrap_or(2.0);
        let micro_batches = self.number("micro-batches")?;
        Ok(Step {
            sequence: self.number("sequence")?.unwrap_or(8192),
            micro_batch: self.size("micro-batch")?,
            micro_batches: micro_batches.unwrap_or(layout.pp.saturating_mul(4)),
            virtual_stages: self.size("virtual")?,
            zero: self.one_of("zero", &zero)?.unwrap_or(Zero::Optimizer),
            sequence_parallel: self.yes("sequence-parallel")?.unwrap_or(true),
            context: self.one_of("context", &context)?.unwrap_or(ContextParallelism::Ring),
            recompute: self.yes("recompute")?.unwrap_or(false),
            element,
            gradient: self.bytes("gradient-bytes")?.unwrap_or(4.0),
            dispatch: self.bytes("dispatch-bytes")?.unwrap_or(element),
        })
    }

    /// Bytes of an element: at most 16, so that products stay far from overflow.
    fn bytes(&self, key: &str) -> Result<Option<f64>, SpecError> {
        let expected = "bytes above 0 and at most 16";
        let bytes: Option<f64> = self.spec.get(key, expected)?;
        match bytes {
            Some(bytes) if !(bytes > 0.0 && bytes <= 16.0) => {
                Err(self.error(format!("expected {expected} for \"{key}\", found {bytes}")))
            }
            bytes => Ok(bytes),
        }
    }

    fn weights(&self) -> Result<[f64; 7], SpecError> {
        let weight = |name: GroupName| {
            let key = match name {
                GroupName::Tp => "tp-weight",
                GroupName::Cp => "cp-weight",
                GroupName::Pp => "pp-weight",
                GroupName::Ep => "ep-weight",
                GroupName::Dp | GroupName::DpCp | GroupName::ExpertDp => "dp-weight",
            };
            let expected = "a number from 0 to 1000000";
            let weight: Option<f64> = self.spec.get(key, expected)?;
            match weight {
                Some(weight) if !(0.0..=1e6).contains(&weight) => {
                    Err(self.error(format!("expected {expected} for \"{key}\", found {weight}")))
                }
                weight => Ok(weight.unwrap_or(name.usual_weight())),
            }
        };
        let mut weights = [0.0; 7];
        for (place, name) in weights.iter_mut().zip(GroupName::ALL) {
            *place = weight(name)?;
        }
        Ok(weights)
    }
}
