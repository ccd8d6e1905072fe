//! The sizes of a model.

/// The sizes of a transformer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelShape {
    /// Layers, with and without experts.
    pub layers: u32,
    /// How many of them have experts.
    pub moe_layers: u32,
    /// Elements of a token.
    pub hidden: u32,
    /// Inner elements of a layer without experts.
    pub ffn: u32,
    /// Inner elements of an expert.
    pub moe_ffn: u32,
    /// Heads of attention.
    pub heads: u32,
    /// Heads of keys and values.
    pub kv_heads: u32,
    /// Elements of a head.
    pub head_dim: u32,
    /// Tokens of the vocabulary.
    pub vocab: u32,
    /// Whether the inner part of a layer has a gate: three matrices, and not two.
    pub gated: bool,
    /// Whether input and output share the vocabulary's weights.
    pub tied: bool,
    /// Experts of a layer.
    pub experts: u32,
    /// Experts that every token goes to.
    pub shared_experts: u32,
    /// Experts that a token is sent to.
    pub top_k: u32,
    /// The ranks of compressed queries and of compressed keys and values; 0 without compression.
    pub compressed: (u32, u32),
}

impl ModelShape {
    /// Elements of the keys of a token, and of its values.
    pub fn kv(&self) -> f64 {
        f64::from(self.kv_heads) * f64::from(self.head_dim)
    }

    /// How many matrices the inner part of a layer has.
    fn inner_matrices(&self) -> f64 {
        if self.gated { 3.0 } else { 2.0 }
    }

    /// Elements of the matrices of attention, one entry per matrix.
    pub fn attention(&self) -> Vec<f64> {
        let [hidden, heads, dim] = [self.hidden, self.heads, self.head_dim].map(f64::from);
        match self.compressed {
            (0, 0) => {
                let own = hidden * heads * dim;
                vec![own, hidden * self.kv(), hidden * self.kv(), own]
            }
            (queries, values) => {
                // Latent attention: 64 elements of a head carry the position.
                const POSITION: f64 = 64.0;
                let [queries, values] = [queries, values].map(f64::from);
                vec![
                    hidden * queries,
                    queries * heads * (dim + POSITION),
                    hidden * (values + POSITION),
                    values * heads * 2.0 * dim,
                    heads * dim * hidden,
                ]
            }
        }
    }

    /// Elements of the inner part of a layer without experts.
    pub fn inner(&self) -> f64 {
        self.inner_matrices() * f64::from(self.hidden) * f64::from(self.ffn)
    }

    /// Elements of one expert.
    pub fn expert(&self) -> f64 {
        self.inner_matrices() * f64::from(self.hidden) * f64::from(self.moe_ffn)
    }

    /// Elements of all layers except their experts.
    pub fn dense_elements(&self) -> f64 {
        let dense_layers = f64::from(self.layers - self.moe_layers);
        let shared = f64::from(self.shared_experts) * self.expert();
        f64::from(self.layers) * self.attention().iter().sum::<f64>()
            + dense_layers * self.inner()
            + f64::from(self.moe_layers) * shared
    }

    /// Elements of all experts.
    pub fn expert_elements(&self) -> f64 {
        f64::from(self.moe_layers) * f64::from(self.experts) * self.expert()
    }

    /// Elements of the vocabulary's weights at one end.
    pub fn embedding(&self) -> f64 {
        f64::from(self.vocab) * f64::from(self.hidden)
    }

    /// Every tensor of a model without experts, as (how many of them, elements): what is gathered
    /// one by one if weights are shared out.
    pub fn tensors(&self) -> Vec<(f64, f64)> {
        let layers = f64::from(self.layers);
        let hidden = f64::from(self.hidden);
        let inner = f64::from(self.hidden) * f64::from(self.ffn);
        let dense_layers = f64::from(self.layers - self.moe_layers);
        let shared = f64::from(self.moe_layers) * f64::from(self.shared_experts);
        let mut tensors = vec![(self.inner_matrices() * dense_layers, inner)];
        tensors.extend(self.attention().iter().map(|&matrix| (layers, matrix)));
        tensors.push((shared, self.expert()));
        tensors.push((if self.tied { 1.0 } else { 2.0 }, self.embedding()));
        tensors.push((2.0 * layers + 1.0, hidden));
        tensors.retain(|&(count, elements)| count > 0.0 && elements > 0.0);
        tensors
    }
}
