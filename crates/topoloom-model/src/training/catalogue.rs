//! Models with published sizes, and layouts with which they were trained.

use super::shape::ModelShape;
use crate::registry::{Entry, Registry};

/// A model by its sizes.
pub type ModelEntry = Entry<ModelShape>;

/// A layout that was published; its example is the traffic.
pub type LayoutEntry = Entry<()>;

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

static LLAMA3_8B: ModelEntry = Entry {
    name: "llama3-8b",
    summary: "The Llama 3 Herd of Models, table 3",
    example: "llm:model=llama3-8b,tp=1,dp=8",
    parameters: &[],
    build: ModelShape { layers: 32, hidden: 4096, ffn: 14_336, heads: 32, ..LLAMA },
};

static LLAMA3_70B: ModelEntry = Entry {
    name: "llama3-70b",
    summary: "The Llama 3 Herd of Models, table 3",
    example: "llm:model=llama3-70b,tp=4,pp=8,dp=2,micro-batches=128",
    parameters: &[],
    build: ModelShape { layers: 80, hidden: 8192, ffn: 28_672, heads: 64, ..LLAMA },
};

static LLAMA3_405B: ModelEntry = Entry {
    name: "llama3-405b",
    summary: "The Llama 3 Herd of Models, table 3",
    example: "llm:model=llama3-405b,tp=8,pp=16,dp=64,micro-batches=32",
    parameters: &[],
    build: ModelShape { layers: 126, hidden: 16_384, ffn: 53_248, heads: 128, ..LLAMA },
};

static GPT3_175B: ModelEntry = Entry {
    name: "gpt3-175b",
    summary: "AICB, Workload_spec_v1.1.csv; the vocabulary is padded as Megatron does it",
    example: "llm:model=gpt3-175b,tp=8,pp=8,dp=2,sequence=2048",
    parameters: &[],
    build: ModelShape {
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
};

static MIXTRAL_8X7B: ModelEntry = Entry {
    name: "mixtral-8x7b",
    summary: "public configuration; also in AICB, Workload_spec_v1.1.csv",
    example: "llm:model=mixtral-8x7b,pp=4,ep=8,dp=16",
    parameters: &[],
    build: ModelShape {
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
};

static DEEPSEEK_V3: ModelEntry = Entry {
    name: "deepseek-v3",
    summary: "DeepSeek-V3 technical report, 2.1.2; its public configuration",
    example: "llm:model=deepseek-v3,pp=16,ep=64,dp=128,sequence=4096",
    parameters: &[],
    build: ModelShape {
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
};

/// Every known model.
pub static MODELS: Registry<ModelShape> = Registry {
    kind: "model",
    entries: &[&LLAMA3_8B, &LLAMA3_70B, &LLAMA3_405B, &GPT3_175B, &MIXTRAL_8X7B, &DEEPSEEK_V3],
    common: &[],
};

static LLAMA3_405B_8192: LayoutEntry = Entry {
    name: "llama3-405b-8192",
    summary: "8,192 H100: The Llama 3 Herd of Models, table 4",
    example: "llm:model=llama3-405b,tp=8,pp=16,dp=64,order=tp-cp-pp-dp,micro-batches=32",
    parameters: &[],
    build: (),
};

static LLAMA3_405B_16384: LayoutEntry = Entry {
    name: "llama3-405b-16384",
    summary: "16,384 H100: The Llama 3 Herd of Models, table 4",
    example: "llm:model=llama3-405b,tp=8,pp=16,dp=128,order=tp-cp-pp-dp,micro-batches=16",
    parameters: &[],
    build: (),
};

static LLAMA3_405B_16384_LONG: LayoutEntry = Entry {
    name: "llama3-405b-16384-long",
    summary: "16,384 H100, long sequences: The Llama 3 Herd of Models, table 4",
    example: "llm:model=llama3-405b,tp=8,cp=16,pp=16,dp=8,order=tp-cp-pp-dp,\
                        sequence=131072,micro-batches=16",
    parameters: &[],
    build: (),
};

static LLAMA3_405B_1024: LayoutEntry = Entry {
    name: "llama3-405b-1024",
    summary: "1,024 H100: Megatron-Bridge, performance summary",
    example: "llm:model=llama3-405b,tp=8,cp=2,pp=8,dp=8,virtual=8,micro-batches=192",
    parameters: &[],
    build: (),
};

static LLAMA3_405B_256: LayoutEntry = Entry {
    name: "llama3-405b-256",
    summary: "256 GPUs of GB200: Megatron-Bridge, performance summary",
    example: "llm:model=llama3-405b,tp=4,pp=16,dp=4,virtual=8,micro-batches=384,\
                        gpus-per-node=4",
    parameters: &[],
    build: (),
};

static LLAMA3_70B_64: LayoutEntry = Entry {
    name: "llama3-70b-64",
    summary: "64 H100: Megatron-Bridge, performance summary",
    example: "llm:model=llama3-70b,tp=4,pp=8,dp=2,virtual=5,micro-batches=128",
    parameters: &[],
    build: (),
};

static LLAMA3_70B_64_CP: LayoutEntry = Entry {
    name: "llama3-70b-64-cp",
    summary: "64 GPUs: Megatron-LM, parallelism guide",
    example: "llm:model=llama3-70b,tp=4,cp=2,pp=4,dp=2,micro-batches=256",
    parameters: &[],
    build: (),
};

static MIXTRAL_8X7B_64: LayoutEntry = Entry {
    name: "mixtral-8x7b-64",
    summary: "64 GPUs: Megatron-LM, parallelism guide",
    example: "llm:model=mixtral-8x7b,tp=1,pp=4,ep=8,dp=16",
    parameters: &[],
    build: (),
};

static DEEPSEEK_V3_2048: LayoutEntry = Entry {
    name: "deepseek-v3-2048",
    summary: "2,048 H800: DeepSeek-V3 technical report, 3.2, 3.3.3",
    example: "llm:model=deepseek-v3,tp=1,pp=16,ep=64,dp=128,sequence=4096,\
                        micro-batches=120,dispatch-bytes=1",
    parameters: &[],
    build: (),
};

static DEEPSEEK_V3_256: LayoutEntry = Entry {
    name: "deepseek-v3-256",
    summary: "256 GPUs of GB200: Megatron-Bridge, performance summary",
    example: "llm:model=deepseek-v3,tp=1,pp=4,ep=64,dp=64,virtual=4,sequence=4096,\
                        micro-batches=64,gpus-per-node=4",
    parameters: &[],
    build: (),
};

static DEEPSEEK_V3_1024: LayoutEntry = Entry {
    name: "deepseek-v3-1024",
    summary: "1,024 GPUs: Megatron-LM, parallelism guide",
    example: "llm:model=deepseek-v3,tp=2,pp=16,ep=64,etp=1,dp=32,sequence=4096",
    parameters: &[],
    build: (),
};

/// Layouts that were published.
pub static LAYOUTS: Registry<()> = Registry {
    kind: "layout",
    entries: &[
        &LLAMA3_405B_8192,
        &LLAMA3_405B_16384,
        &LLAMA3_405B_16384_LONG,
        &LLAMA3_405B_1024,
        &LLAMA3_405B_256,
        &LLAMA3_70B_64,
        &LLAMA3_70B_64_CP,
        &MIXTRAL_8X7B_64,
        &DEEPSEEK_V3_2048,
        &DEEPSEEK_V3_256,
        &DEEPSEEK_V3_1024,
    ],
    common: &[],
};
