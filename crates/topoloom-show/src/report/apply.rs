//! How to repeat the results, and how to start the job with the placement.

use super::content::Report;
use super::html::{Section, attribute, note, paragraph, text};

/// The section.
pub fn section(report: &Report<'_>) -> Section {
    let mut body = String::new();
    for step in &report.steps {
        body.push_str(&paragraph(&step.what));
        body.push_str(&command(&step.command));
    }
    body.push_str("<h3>Start the job</h3>\n");
    if let Some((number, file)) =
        report.files.iter().enumerate().find(|(_, file)| file.name == MAPPING)
    {
        body.push_str(&paragraph("The chosen placement, as every command of Topoloom reads it:"));
        body.push_str(&download(number, &file.name));
    }
    if !report.launches.is_empty() {
        body.push_str(&launches(report));
    }
    if let Some(words) = &report.launch_note {
        body.push_str(&note(words));
    }
    body.push_str(&paragraph(&format!("Made by topoloom {}.", report.version)));
    let heading = "How to repeat and apply it".to_string();
    Section { id: "apply", name: "Apply", heading, body }
}

/// The name of the file with the chosen placement.
pub const MAPPING: &str = "mapping.json";

fn launches(report: &Report<'_>) -> String {
    let mut html =
        "<p><label>For the launcher <select class=\"choice\" data-panels=\"launch\">".to_string();
    for launch in &report.launches {
        html.push_str(&format!("<option value=\"{0}\">{0}</option>", attribute(&launch.format)));
    }
    html.push_str("</select></label></p>\n");
    for launch in &report.launches {
        html.push_str(&format!(
            "<div data-panel=\"launch\" data-value=\"{}\">\n<h4>{}</h4>\n{}",
            attribute(&launch.format),
            text(&launch.format),
            paragraph(&launch.summary)
        ));
        for &number in &launch.files {
            html.push_str(&download(number, &report.files[number].name));
        }
        html.push_str(&command(&launch.command));
        html.push_str("</div>\n");
    }
    html
}

fn command(words: &str) -> String {
    format!(
        "<pre>{}<button type=\"button\" class=\"copy\" data-text=\"{}\">Copy</button></pre>\n",
        text(words),
        attribute(words)
    )
}

fn download(number: usize, name: &str) -> String {
    format!(
        "<button type=\"button\" class=\"download\" data-file=\"{number}\">{}</button>\n",
        text(name)
    )
}
