//! Parts of a page.

use crate::Picture;
use crate::numbers::percent;
use crate::svg::escaped;

/// Text escaped for use between tags; quotation marks need no escape there.
pub fn text(value: &str) -> String {
    value.lines().map(escaped).collect::<Vec<_>>().join("\n")
}

/// Text escaped for use in the value of an attribute.
pub fn attribute(value: &str) -> String {
    text(value).replace('"', "&quot;").replace('\n', "&#10;")
}

/// A part of the report with a heading.
pub struct Section {
    /// The target of links.
    pub id: &'static str,
    /// Its name in the list of sections.
    pub name: &'static str,
    /// The heading: a question or a statement.
    pub heading: String,
    /// The content below the heading.
    pub body: String,
}

impl Section {
    /// The section as HTML.
    pub fn html(&self) -> String {
        let Section { id, heading, body, .. } = self;
        format!(
            "<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n<h2 id=\"{id}-heading\">{}</h2>\n{body}</section>\n",
            text(heading)
        )
    }
}

/// A cell of a table.
pub struct Cell {
    /// The visible text.
    shown: String,
    /// The number behind it.
    value: Option<f64>,
}

impl Cell {
    /// Words.
    pub fn words(shown: impl Into<String>) -> Cell {
        Cell { shown: shown.into(), value: None }
    }

    /// A number as people read it; the whole number is kept for sorting and for CSV.
    pub fn number(value: f64, shown: impl Into<String>) -> Cell {
        Cell { shown: shown.into(), value: Some(value) }
    }

    /// How far a placement is above a bound, if the bound is of use.
    pub fn above_bound(above: Option<f64>, is_useful: bool) -> Cell {
        match above {
            Some(above) if !is_useful => Cell::number(above, "no useful bound"),
            above => Cell::optional(above, percent),
        }
    }

    /// A number that may be missing.
    pub fn optional(value: Option<f64>, shown: impl Fn(f64) -> String) -> Cell {
        match value {
            Some(value) => Cell::number(value, shown(value)),
            None => Cell::words("-"),
        }
    }
}

/// A row, and what is special about it.
pub struct Row {
    /// From left to right.
    pub cells: Vec<Cell>,
    /// Its role among the rows: `chosen` or `default`.
    pub role: Option<&'static str>,
}

/// A row without a role.
pub fn row(cells: Vec<Cell>) -> Row {
    Row { cells, role: None }
}

/// A table that can be sorted and downloaded as CSV. Numbers are aligned to the right.
pub fn table(id: &str, caption: &str, header: &[&str], rows: &[Row]) -> String {
    let mut html = format!(
        "<div class=\"scroll\"><table class=\"sortable\" id=\"{id}\"><caption>{}</caption>\n<thead><tr>",
        text(caption)
    );
    for (column, title) in header.iter().enumerate() {
        let is_number = |row: &Row| row.cells.get(column).is_some_and(|cell| cell.value.is_some());
        let class = if rows.iter().any(is_number) { " class=\"number\"" } else { "" };
        html.push_str(&format!("<th scope=\"col\"{class}>{}</th>", text(title)));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        html.push_str(&match row.role {
            Some(role) => format!("<tr class=\"{role}\">"),
            None => "<tr>".to_string(),
        });
        for (column, cell) in row.cells.iter().enumerate() {
            let shown = text(&cell.shown);
            html.push_str(&match cell.value {
                Some(value) if value.is_finite() => {
                    format!("<td class=\"number\" data-value=\"{value}\">{shown}</td>")
                }
                _ if column == 0 => format!("<th scope=\"row\">{shown}</th>"),
                // A column of numbers stays one even if a number is missing.
                _ if cell.shown == "-" => format!("<td class=\"number\">{shown}</td>"),
                _ => format!("<td>{shown}</td>"),
            });
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    html + &csv_button(&format!("data-table=\"{id}\""), &format!("{id}.csv"))
}

/// A button that downloads a table, or data that is in no table.
pub fn csv_button(of: &str, name: &str) -> String {
    format!("<button type=\"button\" class=\"csv\" {of} data-name=\"{name}\">{name}</button>\n")
}

/// Something that opens on request.
pub fn details(summary: &str, body: &str) -> String {
    format!("<details><summary>{}</summary>\n{body}</details>\n", text(summary))
}

/// A chart in two widths, of which a window shows only one, with its numbers as a table below.
pub fn chart(id: &str, caption: &str, draw: impl Fn(f64) -> Picture, table: &str) -> String {
    let wide = draw(WIDE).inline(&format!("{id}-wide"));
    let narrow = draw(NARROW).inline(&format!("{id}-narrow"));
    format!(
        "<figure>\n<div class=\"wide-only\">{wide}</div>\n<div class=\"narrow-only\">{narrow}</div>\n\
         <figcaption>{}</figcaption>\n{}</figure>\n",
        text(caption),
        details("The numbers", table)
    )
}

/// A picture that has its own width, with its caption.
pub fn figure(id: &str, picture: &Picture, caption: &str) -> String {
    format!(
        "<figure><div class=\"scroll\">{}</div><figcaption>{}</figcaption></figure>\n",
        picture.inline(id),
        text(caption)
    )
}

/// Widths of charts.
const WIDE: f64 = 900.0;
const NARROW: f64 = 350.0;

/// A paragraph.
pub fn paragraph(words: &str) -> String {
    format!("<p>{}</p>\n", text(words))
}

/// A paragraph about what is left out or should be kept in mind.
pub fn note(words: &str) -> String {
    format!("<p class=\"note\">{}</p>\n", text(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_name_cannot_become_a_tag_or_end_an_attribute() {
        assert_eq!(text("a<b>&\"c\""), "a&lt;b&gt;&amp;\"c\"");
        assert_eq!(attribute("x\" onload=\"y\nz"), "x&quot; onload=&quot;y&#10;z");
    }

    #[test]
    fn a_table_keeps_whole_numbers_behind_what_is_read() {
        let rows = [row(vec![
            Cell::words("auto"),
            Cell::number(1234.5, "1,234.5"),
            Cell::optional(None, |value| value.to_string()),
        ])];
        let html = table("t", "Costs", &["strategy", "cost", "time"], &rows);
        assert!(html.contains("<th scope=\"row\">auto</th>"), "{html}");
        assert!(html.contains("<td class=\"number\" data-value=\"1234.5\">1,234.5</td>"), "{html}");
        assert!(html.contains("<td class=\"number\">-</td>"), "{html}");
    }
}
