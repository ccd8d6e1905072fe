//! Colours that everybody can tell apart.

/// Colours of series (Okabe and Ito) that colour-blind people can tell apart too; the classes
/// `fill-0` to `fill-7` and `line-0` to `line-7` of pictures.
pub const SERIES: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#b8a900"];

/// Dashes of the lines of series, so colour is not the only difference. The first line is solid.
pub const DASHES: [&str; 8] =
    ["none", "8 4", "2 3", "10 3 2 3", "14 4", "5 2", "10 3 2 3 2 3", "4 6"];

/// From little to much, readable in grey and by colour-blind people (viridis, reversed).
const SCALE: [(u8, u8, u8); 6] =
    [(236, 229, 27), (122, 209, 81), (34, 168, 132), (42, 120, 142), (65, 68, 135), (68, 1, 84)];

/// The same on a dark ground, where the darkest end would vanish; the script of a page has it too.
const DARK_SCALE: [(u8, u8, u8); 6] =
    [(72, 47, 121), (62, 84, 143), (42, 125, 142), (34, 168, 132), (122, 209, 81), (246, 232, 58)];

/// The number of colours of the scale that lines and cells have.
pub(crate) const SHADES: usize = 32;

/// Rules that give pictures inside an element the colours of a dark page. They replace colours by
/// colours, so a picture is the same everywhere.
pub(crate) fn dark_rules(element: &str) -> String {
    let mut rules = String::new();
    let mut replace = |property: &str, position: f64| {
        let (light, dark) = (scale(position), between(&DARK_SCALE, position));
        rules.push_str(&format!("{element} [{property}=\"{light}\"]{{{property}:{dark}}}\n"));
    };
    for shade in 0..=SHADES {
        let position = shade as f64 / SHADES as f64;
        replace("stroke", position);
        replace("fill", position);
        // Legends have the colours between.
        if shade < SHADES {
            replace("fill", (shade as f64 + 0.5) / SHADES as f64);
        }
    }
    format!(
        "@media screen and (prefers-color-scheme: dark){{\n{rules}{element} .on-much{{fill:#14171b}}\n\
         {element} .on-little{{fill:#fff}}\n}}\n"
    )
}

/// The colour at a position between 0 (little) and 1 (much).
pub fn scale(position: f64) -> String {
    between(&SCALE, position)
}

/// The colour at a position between 0 (the first of several) and 1 (the last).
pub(crate) fn between(colours: &[(u8, u8, u8); 6], position: f64) -> String {
    let place = position.clamp(0.0, 1.0) * (colours.len() - 1) as f64;
    let below = (place as usize).min(colours.len() - 2);
    let part = place - below as f64;
    let (a, b) = (colours[below], colours[below + 1]);
    let mix = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_runs_from_yellow_to_purple() {
        assert_eq!(scale(0.0), "#ece51b");
        assert_eq!(scale(1.0), "#440154");
        // Halfway between the third and the fourth.
        assert_eq!(scale(0.5), "#269089");
    }

    #[test]
    fn a_dark_page_replaces_every_colour_of_the_scale() {
        let rules = dark_rules("#machine");
        for colour in [scale(0.0), scale(0.5), scale(1.0)] {
            assert!(rules.contains(&format!("#machine [stroke=\"{colour}\"]{{stroke:#")));
            assert!(rules.contains(&format!("#machine [fill=\"{colour}\"]{{fill:#")));
        }
        // Much is bright there.
        assert!(rules.contains("[fill=\"#440154\"]{fill:#f6e83a}"));
    }

    #[test]
    fn pictures_that_stand_alone_know_every_series() {
        let style = include_str!("picture.css");
        for (number, colour) in SERIES.iter().enumerate() {
            assert!(style.contains(&format!(".fill-{number}{{fill:{colour}}}")), "{number}");
            assert!(style.contains(&format!(".line-{number}{{stroke:{colour}}}")), "{number}");
        }
    }
}
