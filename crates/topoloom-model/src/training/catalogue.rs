//! Models with published sizes, and layouts with which they were trained.

use super::shape::ModelShape;

/// A model with its source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// What it is called.
    pub name: &'static str,
    /// Its sizes.
    pub shape: ModelShape,
    /// Where they come from.
    pub source: &'static str,
}

/// A layout that was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublishedLayout {
    /// What traffic it is.
    pub specification: &'static str,
    /// What it is about.
    pub about: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

const LLAMA: ModelShape = ModelShape {
    layers: 0,
    moe_layers: 0,
    hidden: 0,
    ffn: 0,
    moe_ffn: 0,
    heads: 0,
    kv_heads: 8,
    head_dim: 128,
    vocab: 128_256,
    gated: true,
    tied: false,
    experts: 0,
    shared_experts: 0,
    top_k: 0,
    compressed: (0, 0),
};

const LLAMA_PAPER: &str = "The Llama 3 Herd of Models, table 3";

/// Every known model.
pub static MODELS: &[Model] = &[
    Model {
        name: "llama3-8b",
        shape: ModelShape { layers: 32, hidden: 4096, ffn: 14_336, heads: 32, ..LLAMA },
        source: LLAMA_PAPER,
    },
    Model {
        name: "llama3-70b",
        shape: ModelShape { layers: 80, hidden: 8192, ffn: 28_672, heads: 64, ..LLAMA },
        source: LLAMA_PAPER,
    },
    Model {
        name: "llama3-405b",
        shape: ModelShape { layers: 126, hidden: 16_384, ffn: 53_248, heads: 128, ..LLAMA },
        source: LLAMA_PAPER,
    },
    Model {
        name: "gpt3-175b",
        shape: ModelShape {
            layers: 96,
            hidden: 12_288,
            ffn: 49_152,
            heads: 96,
            kv_heads: 96,
            vocab: 51_200,
            gated: false,
            tied: true,
            ..LLAMA
        },
        source: "AICB, Workload_spec_v1.1.csv; the vocabulary is padded as Megatron does it",
    },
    Model {
        name: "mixtral-8x7b",
        shape: ModelShape {
            layers: 32,
            moe_layers: 32,
            hidden: 4096,
            ffn: 14_336,
            moe_ffn: 14_336,
            heads: 32,
            vocab: 32_000,
            experts: 8,
            top_k: 2,
            ..LLAMA
        },
        source: "public configuration; also in AICB, Workload_spec_v1.1.csv",
    },
    Model {
        name: "deepseek-v3",
        shape: ModelShape {
            layers: 61,
            moe_layers: 58,
            hidden: 7168,
            ffn: 18_432,
            moe_ffn: 2048,
            heads: 128,
            kv_heads: 128,
            vocab: 129_280,
            experts: 256,
            shared_experts: 1,
            top_k: 8,
            compressed: (1536, 512),
            ..LLAMA
        },
        source: "DeepSeek-V3 technical report, 2.1.2; its public configuration",
    },
];

const TABLE_4: &str = "The Llama 3 Herd of Models, table 4";
const BRIDGE: &str = "Megatron-Bridge, performance summary";
const GUIDE: &str = "Megatron-LM, parallelism guide";

/// Every known layout.
pub static PUBLISHED_LAYOUTS: &[PublishedLayout] = &[
    PublishedLayout {
        specification: "llm:model=llama3-405b,tp=8,pp=16,dp=64,order=tp-cp-pp-dp,micro-batches=32",
        about: "8,192 H100",
        source: TABLE_4,
    },
    PublishedLayout {
        specification: "llm:model=llama3-405b,tp=8,pp=16,dp=128,order=tp-cp-pp-dp,micro-batches=16",
        about: "16,384 H100",
        source: TABLE_4,
    },
    PublishedLayout {
        specification: "llm:model=llama3-405b,tp=8,cp=16,pp=16,dp=8,order=tp-cp-pp-dp,\
                        sequence=131072,micro-batches=16",
        about: "16,384 H100, long sequences",
        source: TABLE_4,
    },
    PublishedLayout {
        specification: "llm:model=llama3-405b,tp=8,cp=2,pp=8,dp=8,virtual=8,micro-batches=192",
        about: "1,024 H100",
        source: BRIDGE,
    },
    PublishedLayout {
        specification: "llm:model=llama3-405b,tp=4,pp=16,dp=4,virtual=8,micro-batches=384,\
                        gpus-per-node=4",
        about: "256 GPUs of GB200",
        source: BRIDGE,
    },
    PublishedLayout {
        specification: "llm:model=llama3-70b,tp=4,pp=8,dp=2,virtual=5,micro-batches=128",
        about: "64 H100",
        source: BRIDGE,
    },
    PublishedLayout {
        specification: "llm:model=llama3-70b,tp=4,cp=2,pp=4,dp=2,micro-batches=256",
        about: "64 GPUs",
        source: GUIDE,
    },
    PublishedLayout {
        specification: "llm:model=mixtral-8x7b,tp=1,pp=4,ep=8,dp=16",
        about: "64 GPUs",
        source: GUIDE,
    },
    PublishedLayout {
        specification: "llm:model=deepseek-v3,tp=1,pp=16,ep=64,dp=128,sequence=4096,\
                        micro-batches=120,dispatch-bytes=1",
        about: "2,048 H800",
        source: "DeepSeek-V3 technical report, 3.2, 3.3.3",
    },
    PublishedLayout {
        specification: "llm:model=deepseek-v3,tp=1,pp=4,ep=64,dp=64,virtual=4,sequence=4096,\
                        micro-batches=64,gpus-per-node=4",
        about: "256 GPUs of GB200",
        source: BRIDGE,
    },
    PublishedLayout {
        specification: "llm:model=deepseek-v3,tp=2,pp=16,ep=64,etp=1,dp=32,sequence=4096",
        about: "1,024 GPUs",
        source: GUIDE,
    },
];
