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
    fn pictures_that_stand_alone_know_every_series() {
        let style = include_str!("picture.css");
        for (number, colour) in SERIES.iter().enumerate() {
            assert!(style.contains(&format!(".fill-{number}{{fill:{colour}}}")), "{number}");
            assert!(style.contains(&format!(".line-{number}{{stroke:{colour}}}")), "{number}");
        }
    }
}
