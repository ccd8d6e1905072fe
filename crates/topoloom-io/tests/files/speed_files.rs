//! Platforms whose speeds are in separate files.

use std::fs;
use std::path::Path;

use topoloom_arrange::{Arrangement, Platform, Speed, fpm_br};
use topoloom_io::{parse_platform, read_platform};

/// Two processors that are equally fast at 100 blocks; the one with the speed file slows down.
const SLOWING: &str = "# size speed\n100 10\n400 10\n800 5\n1600 2.5\n";

fn platform_text(speeds: &str) -> String {
    format!(
        "[[cluster]]\nname = \"a\"\nnodes = 1\nspeed = 10\n\
         [[cluster]]\nname = \"b\"\nnodes = 1\n{speeds}\n\
         [bandwidth]\nunit = \"MB/s\"\nlevels = [900, 100]\n"
    )
}

fn read(folder: &Path, text: &str) -> Result<Platform, String> {
    let path = folder.join("platform.toml");
    fs::write(&path, text).unwrap();
    read_platform(&path).map(|(platform, _)| platform).map_err(|error| error.to_string())
}

fn blocks_of(arrangement: &Arrangement, processor: u32) -> u32 {
    let columns = arrangement.columns().iter();
    let blocks = columns.flat_map(|column| {
        let of = column.rectangles.iter().filter(|rectangle| rectangle.processor == processor);
        of.map(|rectangle| column.width * rectangle.height)
    });
    blocks.sum()
}

#[test]
fn a_platform_with_a_speed_file_is_cut_by_it() {
    let folder = tempfile::tempdir().unwrap();
    // Beside the platform, wherever the program runs.
    fs::write(folder.path().join("b.speed"), SLOWING).unwrap();
    let constant = read(folder.path(), &platform_text("speed = 10")).unwrap();
    assert_eq!(blocks_of(&fpm_br(&constant, 40).unwrap(), 1), 800);
    let slowing = read(folder.path(), &platform_text("speeds = \"b.speed\"")).unwrap();
    // 1600 blocks. Between 400 and 800 blocks the speed is 15 - size / 80, so size / (15 - size /
    // 80) = (1600 - size) / 10: size^2 - 3600 size + 1920000 = 0 has 651, which is 16.3 rows or
    // columns of 40; with 16 the other one finishes last after 96, with 17 this one finishes later.
    assert_eq!(blocks_of(&fpm_br(&slowing, 40).unwrap(), 1), 640);
}

#[test]
fn the_interpolation_is_that_of_the_cluster_or_else_of_the_platform() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("b.speed"), SLOWING).unwrap();
    let named = "speeds = \"b.speed\"";
    let speed = |text: &str| {
        let platform = read(folder.path(), text).unwrap();
        let node = platform.nodes().last().unwrap().clone();
        assert!(matches!(node.speed, Speed::Function(_)));
        node.speed.speed(600.0)
    };
    let linear = speed(&platform_text(named));
    assert!((linear - 7.5).abs() < 1e-12, "{linear}");
    let akima = speed(&platform_text(&format!("{named}\ninterpolation = \"akima\"")));
    assert!((akima - 7.5).abs() > 0.01, "{akima}");
    let all = format!("interpolation = \"akima\"\n{}", platform_text(named));
    assert_eq!(speed(&all), akima);
    let own = platform_text(&format!("{named}\ninterpolation = \"linear\""));
    assert_eq!(speed(&format!("interpolation = \"akima\"\n{own}")), linear);
    // One per node, mixed with numbers.
    let each = platform_text("hosts = \"x,y,z\"\nspeeds = [\"b.speed\", \"b.speed\", 4]");
    let platform = read(folder.path(), &each.replacen("nodes = 1\nhosts", "hosts", 1)).unwrap();
    let speeds: Vec<f64> = platform.nodes().map(|node| node.speed.speed(600.0)).collect();
    assert_eq!(speeds, [10.0, linear, linear, 4.0]);
}

#[test]
fn what_is_wrong_with_a_speed_file_is_said_with_both_names() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.speed"), "100 10\n200 fast\n").unwrap();
    let said = |speeds: &str| {
        let message = read(folder.path(), &platform_text(speeds)).unwrap_err();
        message.replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!(
        said("speeds = \"none.speed\""),
        "platform.toml:8: none.speed: cannot read: No such file or directory"
    );
    assert_eq!(
        said("speeds = \"bad.speed\""),
        "platform.toml:8: bad.speed:2: expected a number, found \"fast\""
    );
    assert_eq!(
        said("speeds = \"bad.speed\"\ninterpolation = \"cubic\""),
        "platform.toml:9: unknown interpolation \"cubic\"; known: akima, linear"
    );
    assert_eq!(
        said("speed = 3\ninterpolation = \"akima\""),
        "platform.toml:9: an interpolation needs \"speeds\" with the name of a file"
    );
    let text = platform_text("speeds = \"bad.speed\"");
    let refused = parse_platform("platform.toml", text.as_bytes()).unwrap_err().to_string();
    assert_eq!(refused, "platform.toml:8: bad.speed: speed files are not read here");
}
