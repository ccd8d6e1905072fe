//! What traffic was recognised as, in words.

use topoloom::core::Weight;
use topoloom::core::insight::{Finding, Recognition};

use super::numbers::{grouped, percent, plural};

/// What traffic was recognised as, one text per finding.
pub fn recognised(found: &Recognition, unit: Weight) -> Vec<String> {
    if found.findings.is_empty() {
        return match found.is_silent {
            true => Vec::new(),
            false => vec![format!("irregular{}", parts_in_words(found.parts))],
        };
    }
    let findings = found.findings.iter();
    findings.map(|finding| finding_in_words(finding, found.ranks, unit)).collect()
}

/// Such as `, in 3 parts that exchange nothing`.
pub fn parts_in_words(parts: usize) -> String {
    match parts {
        0 | 1 => String::new(),
        parts => format!(", in {} parts that exchange nothing", grouped(parts as f64)),
    }
}

/// One thing that traffic was recognised as.
pub fn finding_in_words(finding: &Finding, ranks: usize, unit: Weight) -> String {
    let some = if finding.ranks < ranks {
        format!(", on {} of {}", grouped(finding.ranks as f64), plural(ranks, "rank"))
    } else {
        String::new()
    };
    let present = if finding.present < 0.9995 {
        format!(", {} of its pairs", percent(finding.present))
    } else {
        String::new()
    };
    format!("{finding}{some} ({} of {unit}{present})", percent(finding.share))
}
