//! The list of process groups that PyTorch writes into its traces.

use std::sync::Arc;

use serde::Deserialize;

use super::group_names::kind_of;
use super::rank_trace::{OwnGroup, check_members};
use super::scalar::Scalar;
use crate::text::fault::Fault;
use crate::traffic::ranks::ranks;

/// A process group of the rank whose trace it is.
#[derive(Debug, Deserialize)]
pub(super) struct ListedGroup {
    #[serde(default)]
    pg_name: Scalar,
    #[serde(default)]
    pg_desc: Scalar,
    #[serde(default)]
    pub backend_config: Scalar,
    #[serde(default, alias = "group_size")]
    pg_size: Scalar,
    #[serde(default)]
    ranks: Vec<u32>,
}

/// The groups whose members are known. A group without a list of members has all ranks, but a list
/// may also be cut.
pub(super) fn own_groups(listed: &[ListedGroup]) -> Result<Vec<OwnGroup>, Fault> {
    let mut members: u64 = 0;
    let mut groups = Vec::new();
    for group in listed {
        members = members.saturating_add(group.pg_size.count().unwrap_or(0));
        check_members(members)?;
        groups.extend(own_group(group));
    }
    Ok(groups)
}

fn own_group(listed: &ListedGroup) -> Option<OwnGroup> {
    let size = listed.pg_size.count();
    let members: Arc<[u32]> = match (listed.ranks.is_empty(), size) {
        (true, Some(size)) => {
            let size = ranks(size).ok()?;
            (0..size).collect()
        }
        (false, Some(size)) if size != listed.ranks.len() as u64 => return None,
        _ => Arc::from(&listed.ranks[..]),
    };
    let description = listed.pg_desc.text().unwrap_or_default();
    let name = match &listed.pg_name {
        Scalar::Text(text) => text.clone(),
        other => other.whole()?.to_string(),
    };
    (!members.is_empty()).then(|| OwnGroup { kind: kind_of(description, &members), name, members })
}

/// How many ranks there are: the size of the group with all of them.
pub(super) fn world(listed: &[ListedGroup]) -> Option<u64> {
    let all = listed.iter().filter(|group| group.pg_desc.text() == Some("default_pg"));
    all.filter_map(|group| group.pg_size.count()).max()
}

/// The list that a text holds. Chakra has it inside the list of a node's inputs, with or without
/// marks before its quotes.
pub(super) fn parse(text: &str) -> Result<Vec<ListedGroup>, String> {
    let list = match (text.find("[{"), text.rfind("}]")) {
        (Some(start), Some(end)) if start < end => &text[start..end + 2],
        _ => return Err("expected a list of process groups".to_string()),
    };
    let read = |text: &str| serde_json::from_str(text);
    read(list).or_else(|error| read(&list.replace("\\\"", "\"")).map_err(|_| error)).map_err(
        |error: serde_json::Error| {
            // Its line is that of the text in quotes, not of the file.
            let text = error.to_string();
            let message = text.rfind(" at line ").map_or(&text[..], |end| &text[..end]);
            format!("the list of process groups: {message}")
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_in_quotes_too() {
        let text = r#"[{"pg_name": "0", "pg_desc": "default_pg", "ranks": [], "group_size": 4}]"#;
        for text in [text.to_string(), format!("[{}]", serde_json::to_string(text).unwrap())] {
            let listed = parse(&text).unwrap();
            assert_eq!(world(&listed), Some(4));
            let groups = own_groups(&listed).unwrap();
            assert_eq!((&groups[0].name[..], &groups[0].members[..]), ("0", &[0, 1, 2, 3][..]));
        }
        assert!(parse("[]").is_err());
        assert!(parse("[{\"ranks\": [-1]}]").is_err());
    }

    #[test]
    fn a_list_that_was_cut_is_not_a_group() {
        let text = r#"[{"pg_name": "1", "ranks": [0, 1], "pg_size": 64}]"#;
        assert!(own_groups(&parse(text).unwrap()).unwrap().is_empty());
    }
}
