//! `topoloom reproduce --figures`, as a user sees it.

use std::fs;

use tempfile::tempdir;

use crate::program::{refusal, topoloom};

#[test]
fn figures_are_written_as_svg_and_png_and_listed() {
    let folder = tempdir().unwrap();
    // The folder is created.
    let figures = folder.path().join("figures");
    let words = ["reproduce", "multicore", "--figures", figures.to_str().unwrap()];
    let output = topoloom(&words).assert().success().get_output().clone();
    let tables = String::from_utf8(output.stdout).unwrap();
    assert!(tables.contains("Mean improvement over the eight programs"), "{tables}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("multicore-figure-1.svg and .png: Multi-core paper, figure 1"), "{said}");
    let svg = fs::read_to_string(figures.join("multicore-figure-1.svg")).unwrap();
    // 184.42 / 109.5 - 1 of table 1, and the mean from the text.
    assert!(svg.contains("<title>CG, pairs exhaustively (ES), published: 68.4 %</title>"));
    assert!(svg.contains("<title>mean, bipartition (DRB), published: 14.1 %</title>"));
    // Three mappings of eight programs and their mean, published and ours, four fields of the
    // legend, and the background.
    assert_eq!(svg.matches("<rect").count(), 3 * 9 * 2 + 4 + 1);
    let png = fs::read(figures.join("multicore-figure-1.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    assert_eq!(fs::read_dir(&figures).unwrap().count(), 2);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_refused_before_the_work() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "old").unwrap();
    // The slowest of all: it would not finish in time.
    let said = refusal(&["reproduce", "rahtm", "--figures", file.to_str().unwrap()]);
    assert!(said.ends_with("file: is a file, expected a folder"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    let deeper = folder.path().join("no/such");
    let said = refusal(&["reproduce", "rahtm", "--figures", deeper.to_str().unwrap()]);
    assert!(said.contains("there is no folder"), "{said}");
}
