//! How a job is divided: the sizes of its kinds of groups and the order of ranks.

use thiserror::Error;

use super::axes::Axes;
use super::framework::Framework;
use super::mesh::OnTorus;
use super::step_traffic::GroupName;

/// The sizes of all kinds of groups, and how ranks are numbered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Ranks that share each layer.
    pub tp: u32,
    /// Ranks that share each sequence.
    pub cp: u32,
    /// Stages of the pipeline.
    pub pp: u32,
    /// Copies of the model that work on different data.
    pub dp: u32,
    /// Ranks that share the experts of a layer. They are taken out of the other axes, so they do not
    /// add ranks.
    pub ep: u32,
    /// Ranks that share each expert.
    pub etp: u32,
    /// The order of the axes, as in `tp-cp-ep-dp-pp`; the first varies fastest.
    pub order: String,
    /// The framework that forms the groups.
    pub framework: Framework,
    /// Whether the framework was named. Then what it refuses is refused.
    pub strict: bool,
    /// The torus that the ranks of a JAX job are numbered on, if it is one.
    pub torus: Option<Vec<u32>>,
}

/// Why there is no such layout.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// A name in the order that is not an axis.
    #[error("expected an order such as {usual}, found \"{found}\": {reason}")]
    Order {
        /// What was given.
        found: String,
        /// What is usual.
        usual: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Groups of experts that do not divide the ranks of a stage.
    #[error(
        "experts in groups of {} do not divide the {stage} ranks of a stage",
        groups(*ep, *etp)
    )]
    Experts {
        /// The size of groups of experts.
        ep: u32,
        /// Ranks that share an expert.
        etp: u32,
        /// The ranks of a stage.
        stage: u64,
    },
    /// An order that Megatron refuses.
    #[error(
        "Megatron refuses the order {order} here: {reason}; \
         use an order that ends in pp, such as tp-cp-ep-dp-pp"
    )]
    Refused {
        /// The order.
        order: String,
        /// Why.
        reason: &'static str,
    },
    /// A kind of groups that a framework does not have.
    #[error("{framework} has no {what}")]
    Lacks {
        /// The framework.
        framework: Framework,
        /// What it lacks.
        what: &'static str,
    },
    /// Axes of a mesh that are not whole axes of the torus.
    #[error(
        "the axes {mesh} of the mesh are not made of whole axes of the torus {torus}; \
         JAX refuses such a mesh too"
    )]
    NotOnTorus {
        /// The lengths of the mesh.
        mesh: String,
        /// The lengths of the torus.
        torus: String,
    },
    /// More ranks than numbers.
    #[error("{0} ranks are too many; at most {MOST_RANKS} are possible")]
    TooManyRanks(u64),
}

/// Enough for every job there is.
const MOST_RANKS: u64 = 1 << 22;

fn groups(ep: u32, etp: u32) -> String {
    match etp {
        1 => ep.to_string(),
        _ => format!("ep x etp = {}", u64::from(ep) * u64::from(etp)),
    }
}

/// Axes by the letters of an order.
const NAMES: [&str; 5] = ["tp", "cp", "ep", "dp", "pp"];

impl Layout {
    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        [self.tp, self.cp, self.pp, self.dp].iter().product()
    }

    /// Whether the layout exists.
    pub fn check(&self) -> Result<(), LayoutError> {
        let sizes = [self.tp, self.cp, self.pp, self.dp];
        let ranks = sizes.iter().fold(1u64, |all, &size| all.saturating_mul(u64::from(size)));
        if ranks > MOST_RANKS {
            return Err(LayoutError::TooManyRanks(ranks));
        }
        let stage = ranks / u64::from(self.pp);
        let experts = u64::from(self.ep) * u64::from(self.etp);
        let room = match self.framework {
            Framework::Megatron | Framework::Torchtitan => stage,
            Framework::DeepSpeed | Framework::Jax => u64::from(self.dp),
        };
        if self.has_experts() && !room.is_multiple_of(experts) {
            return Err(LayoutError::Experts { ep: self.ep, etp: self.etp, stage: room });
        }
        let lacks = |what| Err(LayoutError::Lacks { framework: self.framework, what });
        match self.framework {
            Framework::DeepSpeed if self.cp > 1 => return lacks("context parallelism (cp)"),
            Framework::DeepSpeed | Framework::Torchtitan | Framework::Jax
                if self.has_experts() && self.etp > 1 =>
            {
                return lacks("tensor parallelism of experts (etp)");
            }
            _ => {}
        }
        let order = self.axis_order()?;
        if self.framework == Framework::Megatron {
            self.check_megatron(&order)?;
        }
        self.jax_torus().map(|_| ())
    }

    fn has_experts(&self) -> bool {
        self.ep > 1
    }

    /// Megatron refuses orders under which dense layers and experts have different stages.
    fn check_megatron(&self, order: &[usize]) -> Result<(), LayoutError> {
        let refused =
            |reason| Err(LayoutError::Refused { order: self.order.to_ascii_lowercase(), reason });
        let of = |group: &[&str], axes: &Axes| axes.groups(&chosen(order, group));
        if self.has_experts() && of(&["pp"], &self.dense(order)) != of(&["pp"], &self.expert(order))
        {
            return refused("dense layers and experts would have different pipelines");
        }
        let ends_in_pp = order.last().is_some_and(|&axis| NAMES[axis] == "pp");
        if self.strict && !ends_in_pp && self.pp > 1 && self.expert_dp() != self.dp {
            return refused("data parallelism of experts differs from that of dense layers");
        }
        Ok(())
    }

    fn expert_dp(&self) -> u32 {
        (u64::from(self.ranks()) / (u64::from(self.etp * self.ep) * u64::from(self.pp))) as u32
    }

    /// The axes in their order. An axis of length 1 may be left out.
    fn axis_order(&self) -> Result<Vec<usize>, LayoutError> {
        let usual = self.framework.usual_order();
        let wrong = |reason| LayoutError::Order { found: self.order.clone(), usual, reason };
        let mut order = Vec::new();
        for name in self.order.to_ascii_lowercase().split('-') {
            match NAMES.iter().position(|known| *known == name) {
                Some(axis) if order.contains(&axis) => {
                    return Err(wrong(format!("{name} is there twice")));
                }
                Some(axis) => order.push(axis),
                None => {
                    return Err(wrong(format!("\"{name}\" is not one of {}", NAMES.join(", "))));
                }
            }
        }
        for (axis, size) in [self.tp, self.cp, self.ep, self.dp, self.pp].into_iter().enumerate() {
            let folded = NAMES[axis] == "ep" && self.framework != Framework::Megatron;
            if !order.contains(&axis) {
                if size > 1 && !folded {
                    return Err(wrong(format!("{}={size} is not in it", NAMES[axis])));
                }
                order.push(axis);
            }
        }
        Ok(order)
    }

    /// Ranks without regard to experts.
    fn dense(&self, order: &[usize]) -> Axes {
        let sizes = [self.tp, self.cp, 1, self.dp, self.pp];
        Axes { sizes: order.iter().map(|&axis| sizes[axis]).collect() }
    }

    /// Ranks as Megatron numbers them for experts.
    fn expert(&self, order: &[usize]) -> Axes {
        let sizes = [self.etp, 1, self.ep, self.expert_dp(), self.pp];
        Axes { sizes: order.iter().map(|&axis| sizes[axis]).collect() }
    }

    /// The groups of a kind, with members and groups in the order of the framework. The layout must
    /// have passed [`Layout::check`].
    pub fn groups(&self, name: GroupName) -> Vec<Vec<u32>> {
        let order = self.axis_order().unwrap_or_default();
        if let Ok(Some(torus)) = self.jax_torus() {
            return torus.groups(jax_axes(name));
        }
        if self.framework == Framework::Jax {
            return self.jax(&order, name);
        }
        let dense = |axes: &[&str]| self.dense(&order).groups(&chosen(&order, axes));
        match (name, self.framework) {
            (GroupName::Tp, _) => dense(&["tp"]),
            (GroupName::Cp, _) => dense(&["cp"]),
            (GroupName::Pp, _) => dense(&["pp"]),
            (GroupName::Dp, _) => dense(&["dp"]),
            (GroupName::DpCp, _) => dense(&["dp", "cp"]),
            (GroupName::Ep, Framework::Megatron) => {
                self.expert(&order).groups(&chosen(&order, &["ep"]))
            }
            (GroupName::ExpertDp, Framework::Megatron) => {
                self.expert(&order).groups(&chosen(&order, &["dp"]))
            }
            (GroupName::Ep, Framework::DeepSpeed) => {
                let ep = self.ep as usize;
                let data = dense(&["dp"]);
                data.iter().flat_map(|ranks| ranks.chunks(ep)).map(<[u32]>::to_vec).collect()
            }
            (GroupName::ExpertDp, Framework::DeepSpeed) => {
                let every = |ranks: &Vec<u32>, first: usize| -> Vec<u32> {
                    ranks.iter().skip(first).step_by(self.ep as usize).copied().collect()
                };
                let data = dense(&["dp"]);
                let each = |ranks: &Vec<u32>| -> Vec<Vec<u32>> {
                    (0..self.ep as usize).map(|first| every(ranks, first)).collect()
                };
                data.iter().flat_map(each).collect()
            }
            (GroupName::Ep | GroupName::ExpertDp, _) => {
                // Experts vary fastest within a stage, whatever the dense axes are.
                let stage = self.ranks() / self.pp;
                let axes = Axes { sizes: vec![self.ep, stage / self.ep, self.pp] };
                axes.groups(&[name == GroupName::Ep, name == GroupName::ExpertDp, false])
            }
        }
    }

    /// Groups of JAX: experts are a part of the data.
    fn jax(&self, order: &[usize], name: GroupName) -> Vec<Vec<u32>> {
        let sizes = [self.tp, self.cp, self.ep, self.dp / self.ep, self.pp];
        let axes = Axes { sizes: order.iter().map(|&axis| sizes[axis]).collect() };
        axes.groups(&chosen(order, jax_axes(name)))
    }

    /// For JAX on a torus: where the axes of the mesh are on it.
    fn jax_torus(&self) -> Result<Option<OnTorus>, LayoutError> {
        let Some(torus) = self.torus.as_ref().filter(|_| self.framework == Framework::Jax) else {
            return Ok(None);
        };
        // The mesh by increasing traffic: data, stages, sequences, experts, tensors.
        let mesh = [
            ("dp", self.dp / self.ep),
            ("pp", self.pp),
            ("cp", self.cp),
            ("ep", self.ep),
            ("tp", self.tp),
        ];
        OnTorus::new(torus, &mesh).map(Some).ok_or_else(|| {
            let text =
                |lengths: &[u32]| lengths.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
            let lengths = mesh.map(|(_, length)| length);
            LayoutError::NotOnTorus { mesh: text(&lengths), torus: text(torus) }
        })
    }
}

/// The axes of JAX's mesh along which the members of a kind of groups are.
fn jax_axes(name: GroupName) -> &'static [&'static str] {
    match name {
        GroupName::Tp => &["tp"],
        GroupName::Cp => &["cp"],
        GroupName::Pp => &["pp"],
        GroupName::Dp => &["ep", "dp"],
        GroupName::DpCp => &["ep", "dp", "cp"],
        GroupName::Ep => &["ep"],
        GroupName::ExpertDp => &["dp"],
    }
}

/// Which axes of an order have one of these names.
fn chosen(order: &[usize], names: &[&str]) -> Vec<bool> {
    order.iter().map(|&axis| names.contains(&NAMES[axis])).collect()
}
