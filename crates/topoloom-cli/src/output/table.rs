//! Plain tables: the first column aligned to the left, numbers to the right.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::plain_text::one_line;

/// A table of text; every column except the first is aligned to the right.
pub fn numbers_table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = plain();
    if header.iter().any(|title| !title.is_empty()) {
        table.set_header(header.iter().copied());
    }
    table.add_rows(rows.iter().map(|row| row.iter().map(|cell| one_line(cell))));
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    finished(&table)
}

/// A table of text, every column aligned to the left; the last one is wrapped.
pub fn text_table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = plain();
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(98);
    table.set_header(header.iter().copied());
    table.add_rows(rows.iter().map(|row| row.iter().map(|cell| one_line(cell))));
    finished(&table)
}

/// A table of facts, with a name and a text each; long texts are wrapped.
pub fn facts_table(rows: &[(&str, String)]) -> String {
    let mut table = plain();
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(98);
    table.add_rows(rows.iter().map(|(name, text)| [one_line(name), one_line(text)]));
    finished(&table)
}

/// Lines of at most 98 letters; all except the first begin with `indent`.
pub fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in one_line(text).split(' ') {
        let line = lines.last_mut().expect("at least one line");
        if !line.trim().is_empty() && line.chars().count() + 1 + word.chars().count() > 98 {
            lines.push(format!("{indent}{word}"));
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

fn plain() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

/// The lines without trailing blanks.
fn finished(table: &Table) -> String {
    table.lines().map(|line| format!(" {}\n", line.trim_end())).collect()
}
