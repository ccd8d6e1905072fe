//! The page as a file: its sections, its data and its script.

use topoloom_core::Mapping;

use super::content::Report;
use super::html::{Section, attribute, text};
use super::{
    apply, data, groups, levels, machine, simulation, strategies, times, traffic, verdict,
};
use crate::colour;
use crate::layout::DrawnMachine;

/// The script, the style and the licences of the parts of the script, as `page/` builds them.
const SCRIPT: &str = include_str!("../../page/dist/report.js");
const STYLE: &str = include_str!("../../page/dist/report.css");
const LICENCES: &str = include_str!("../../page/dist/licences.txt");

/// What a page may do: nothing that needs a request.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      img-src data: blob:; base-uri 'none'; form-action 'none'";

impl Report<'_> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let mappings: Vec<&Mapping> = self.drawn().iter().map(|placed| &placed.mapping).collect();
        let drawn = DrawnMachine::under(self.problem, &mappings);
        let orders = traffic::orders(self);
        let sections: Vec<Section> = [
            Some(verdict::section(self)),
            Some(traffic::section(self, &orders)),
            times::section(self),
            Some(machine::section(self, &drawn)),
            Some(strategies::section(self)),
            simulation::section(self),
            levels::section(self),
            groups::section(self),
            Some(apply::section(self)),
        ]
        .into_iter()
        .flatten()
        .collect();
        // Only pictures of networks and hosts have these colours.
        let dark =
            match drawn.layers.is_some() || self.problem.machine().topology().cluster().is_some() {
                true => colour::dark_rules("#machine"),
                false => String::new(),
            };
        let title = format!("{} on {}", self.traffic, self.problem.machine().spec());
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"generator\" content=\"topoloom {}\">\n\
             <title>{}: Topoloom</title>\n<style>\n{STYLE}{dark}</style>\n</head>\n<body>\n\
             <a class=\"skip-link\" href=\"#verdict\">To the verdict</a>\n<header>\n<h1>{}</h1>\n<p>{}</p>\n</header>\n<nav aria-label=\"Sections\"><ul>\n",
            attribute(POLICY),
            attribute(&self.version),
            text(&title),
            text(&title),
            text(&verdict::subtitle(self)),
        );
        for section in &sections {
            page.push_str(&format!("<li><a href=\"#{}\">{}</a></li>\n", section.id, section.name));
        }
        page.push_str("</ul></nav>\n<main>\n");
        page.push_str(
            "<noscript><p class=\"note\">Without scripts, the matrix and the machine are not shown; \
             everything else is.</p></noscript>\n",
        );
        for section in &sections {
            page.push_str(&section.html());
        }
        page.push_str(&format!(
            "</main>\n<footer><p>Nothing on this page is loaded from elsewhere.</p>\
             <details><summary>Licences of the packages in its script</summary><pre>{}</pre></details></footer>\n\
             <script type=\"application/json\" id=\"report-data\">{}</script>\n<script>\n{SCRIPT}</script>\n\
             </body>\n</html>\n",
            text(LICENCES),
            data::json(self, &drawn, &orders),
        ));
        page
    }
}
