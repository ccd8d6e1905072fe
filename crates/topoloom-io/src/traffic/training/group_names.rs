//! What kind of group a process group is, by its description.

use topoloom_core::training::GroupName;

/// The descriptions of groups in Megatron and in meshes of PyTorch, in lower case.
const KNOWN: [(&str, GroupName); 19] = [
    ("tp", GroupName::Tp),
    ("tensor_parallel", GroupName::Tp),
    ("tensor_model_parallel_group", GroupName::Tp),
    ("cp", GroupName::Cp),
    ("context_parallel_group", GroupName::Cp),
    ("dp", GroupName::Dp),
    ("data_parallel", GroupName::Dp),
    ("data_parallel_group", GroupName::Dp),
    ("pp", GroupName::Pp),
    ("pipeline_parallel", GroupName::Pp),
    ("pipeline_model_parallel_group", GroupName::Pp),
    ("ep", GroupName::Ep),
    ("expert_model_parallel_group", GroupName::Ep),
    ("dp_cp", GroupName::DpCp),
    ("dp_shard_cp", GroupName::DpCp),
    ("data_parallel_group_with_cp", GroupName::DpCp),
    ("expert_dp", GroupName::ExpertDp),
    ("efsdp", GroupName::ExpertDp),
    ("expert_data_parallel_group", GroupName::ExpertDp),
];

/// What a group without a description is called by PyTorch.
const NO_DESCRIPTION: &str = "undefined";

/// The name of the kind of groups with this description. Groups that nobody described are one kind
/// for each shape.
pub(super) fn kind_of(description: &str, members: &[u32]) -> String {
    let lower = description.to_ascii_lowercase();
    let name = lower.strip_prefix("mesh_").unwrap_or(&lower);
    if let Some((_, known)) = KNOWN.iter().find(|(word, _)| *word == name) {
        return known.name().to_string();
    }
    if !name.is_empty() && name != NO_DESCRIPTION {
        return description.to_string();
    }
    let size = members.len();
    let stride = members.get(..2).and_then(|pair| pair[1].checked_sub(pair[0]));
    let even =
        |stride: &u32| members.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(*stride));
    match stride.filter(even) {
        Some(stride) => format!("size-{size}-stride-{stride}"),
        None => format!("size-{size}"),
    }
}

/// The usual kind of this name.
pub(super) fn known(kind: &str) -> Option<GroupName> {
    GroupName::ALL.into_iter().find(|known| known.name() == kind)
}

/// What a byte of a kind counts.
pub(super) fn weight(kind: &str) -> f64 {
    known(kind).map_or(1.0, GroupName::usual_weight)
}

/// Whether other groups of this kind may be found by strides. Groups of embeddings join the first
/// and the last stage, and not every rank is in one.
pub(super) fn may_be_regular(kind: &str) -> bool {
    !kind.to_ascii_lowercase().contains("embedding")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_become_the_usual_names() {
        let kind = |description| kind_of(description, &[1, 5, 9]);
        assert_eq!(kind("mesh_tp"), "tp");
        assert_eq!(kind("TENSOR_MODEL_PARALLEL_GROUP"), "tp");
        assert_eq!(kind("DATA_PARALLEL_GROUP_WITH_CP"), "dp-cp");
        assert_eq!(kind("EXPERT_DATA_PARALLEL_GROUP"), "expert-dp");
        assert_eq!(kind("default_pg"), "default_pg");
        assert_eq!(kind("undefined"), "size-3-stride-4");
        assert_eq!(kind_of("", &[1, 2, 4]), "size-3");
        assert_eq!((weight("dp"), weight("tp"), weight("default_pg")), (0.5, 1.0, 1.0));
    }
}
