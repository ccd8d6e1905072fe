//! The numbers that papers print, as part of this program: one file per kind of table in
//! `data/published`.
//!
//! A file has lines of cells separated by semicolons. The first line names the columns; lines that
//! begin with `#` say where the numbers come from.

/// A table of text.
pub struct Sheet {
    columns: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

/// A line of a table.
pub struct Row<'a> {
    sheet: &'a Sheet,
    cells: &'a [&'static str],
}

/// Used if a paper has no number.
const NOTHING: &str = "-";

impl Sheet {
    /// Reads a file that is part of this program.
    pub fn read(text: &'static str) -> Sheet {
        let mut lines = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split(';').collect::<Vec<&str>>());
        let columns = lines.next().unwrap_or_default();
        let rows: Vec<Vec<&str>> = lines.collect();
        for row in &rows {
            assert_eq!(row.len(), columns.len(), "every line has every column: {row:?}");
        }
        Sheet { columns, rows }
    }

    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { sheet: self, cells })
    }

    /// The line whose first cells are these.
    pub fn find(&self, first: &[&str]) -> Option<Row<'_>> {
        self.rows().find(|row| row.cells.starts_with(first))
    }
}

impl Row<'_> {
    pub fn text(&self, column: &str) -> &'static str {
        let place = self.sheet.columns.iter().position(|name| *name == column);
        self.cells[place.unwrap_or_else(|| panic!("there is no column {column}"))]
    }

    pub fn number(&self, column: &str) -> f64 {
        number(self.text(column))
    }

    /// `None` if the paper has no number.
    pub fn optional(&self, column: &str) -> Option<f64> {
        Some(self.text(column)).filter(|text| *text != NOTHING).map(number)
    }
}

/// A number from a file that is part of this program.
pub fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is not a number"))
}

#[cfg(test)]
mod tests {
    use super::super::{figures, haec, heterogeneous, multicore, rahtm};
    use super::*;

    #[test]
    fn every_file_can_be_read() {
        for (text, rows) in [
            (haec::tables::FILE, 81),
            (multicore::FILE, 8),
            (figures::multicore::MEANS, 3),
            (rahtm::WORDS, 8),
            (figures::rahtm::PRINTED, 10),
            (figures::rahtm::SHARES, 3),
            (heterogeneous::published::BANDWIDTHS, 32),
            (heterogeneous::published::COSTS, 12),
            (heterogeneous::published::ARRANGEMENTS, 14),
            (heterogeneous::published::EXPERIMENTS, 6),
        ] {
            let sheet = Sheet::read(text);
            assert_eq!(sheet.rows().count(), rows, "{text}");
        }
        assert_eq!(haec::tables::TABLES.len(), 9);
    }

    #[test]
    fn cells_are_found_by_their_column() {
        let sheet = Sheet::read("# a comment\nname;value\na;1.5\nb;-\n");
        assert_eq!(sheet.find(&["a"]).unwrap().number("value"), 1.5);
        assert_eq!(sheet.find(&["b"]).unwrap().optional("value"), None);
        assert_eq!(sheet.find(&["b"]).unwrap().text("name"), "b");
        assert!(sheet.find(&["c"]).is_none());
    }
}
