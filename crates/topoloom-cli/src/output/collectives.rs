//! The share of collectives in the traffic, for people and programs.

use topoloom::core::CollectiveMode;
use topoloom::core::insight::CollectiveShare;
use topoloom::io::CollectivesRecord;

use super::numbers::fine_percent;

/// The record of a share.
pub fn record(share: &CollectiveShare) -> CollectivesRecord {
    CollectivesRecord {
        collectives: share.mode.to_string(),
        collectives_bytes_share: share.bytes,
        collectives_messages_share: share.messages,
    }
}

/// Such as `99.8 % of bytes, 12.0 % of messages`.
pub fn shares_in_words(share: &CollectiveShare) -> String {
    parts(share.bytes, share.messages)
}

/// The share of collectives, and how `mode` treated them.
fn line(mode: &str, bytes: f64, messages: f64) -> String {
    format!("collectives: {} ({})", parts(bytes, messages), fate(mode))
}

/// The line with the share of collectives and how they were treated.
pub fn line_of_record(record: &CollectivesRecord) -> String {
    let CollectivesRecord { collectives, collectives_bytes_share, collectives_messages_share } =
        record;
    line(collectives, *collectives_bytes_share, *collectives_messages_share)
}

/// The same line.
pub fn line_of_share(share: &CollectiveShare) -> String {
    line(&share.mode.to_string(), share.bytes, share.messages)
}

/// The same as a sentence.
pub fn sentence(share: &CollectiveShare) -> String {
    format!(
        "Collective operations are {} ({}).",
        shares_in_words(share).replace(", ", " and "),
        fate(&share.mode.to_string())
    )
}

fn parts(bytes: f64, messages: f64) -> String {
    format!("{} of bytes, {} of messages", fine_percent(bytes), fine_percent(messages))
}

fn fate(mode: &str) -> String {
    match mode.parse() {
        Ok(CollectiveMode::None) => "left out".to_string(),
        _ => format!("counted as {mode}"),
    }
}
