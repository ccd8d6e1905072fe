//! The names that people give to senders, receivers and what is sent between them.

/// The meaning of a table column or an edge value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    From,
    To,
    Bytes,
    Messages,
}

/// The names of the columns, and their other names, the main one first, in the order of [`Column`].
const NAMES: [(&str, Column, &[&str]); 4] = [
    (
        "from",
        Column::From,
        &[
            "src",
            "source",
            "sender",
            "i",
            "row",
            "u",
            "rank1",
            "from_rank",
            "src_rank",
            "sender_rank",
        ],
    ),
    (
        "to",
        Column::To,
        &[
            "dst",
            "target",
            "receiver",
            "dest",
            "destination",
            "j",
            "col",
            "column",
            "v",
            "rank2",
            "to_rank",
            "dst_rank",
            "receiver_rank",
        ],
    ),
    ("bytes", Column::Bytes, &["weight", "volume", "size", "value"]),
    ("messages", Column::Messages, &["count", "msgs"]),
];

/// How many kinds of columns there are.
pub(super) const KINDS: usize = NAMES.len();

/// The names under which columns are written.
pub(super) fn main_names() -> [&'static str; KINDS] {
    NAMES.map(|(name, ..)| name)
}

/// The names that errors list: each with the usual other one.
pub(super) fn known_names() -> String {
    NAMES.map(|(name, _, others)| format!("{name} ({})", others[0])).join(", ")
}

/// Which column this names, ignoring case.
pub(super) fn column_named(name: &[u8]) -> Option<Column> {
    let is_it = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    let known = NAMES
        .iter()
        .find(|(main, _, others)| is_it(main) || others.iter().any(|other| is_it(other)));
    known.map(|&(_, column, _)| column)
}
