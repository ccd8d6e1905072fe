//! The letters of our two fonts, read once from their TrueType files (`fonts/README.md`).

use std::collections::HashMap;
use std::sync::LazyLock;

use super::bytes::Bytes;
use super::outlines::{Shapes, Step};
use crate::letters;

/// A letter at font size 1, with y upwards.
#[derive(Debug)]
pub(super) struct Glyph {
    /// How far the next letter is to the right.
    pub advance: f64,
    pub steps: Vec<Step>,
}

/// A font, regular or bold.
#[derive(Debug)]
pub(super) struct Font {
    /// The first one stands for letters that the font does not have.
    glyphs: Vec<Glyph>,
    glyph_of: HashMap<char, usize>,
}

/// The font of this weight.
pub(super) fn font(is_bold: bool) -> &'static Font {
    static REGULAR: LazyLock<Font> = LazyLock::new(|| embedded(letters::REGULAR));
    static BOLD: LazyLock<Font> = LazyLock::new(|| embedded(letters::BOLD));
    if is_bold { &BOLD } else { &REGULAR }
}

fn embedded(file: &[u8]) -> Font {
    Font::read(file).expect("the fonts inside the program are complete, as a test checks")
}

impl Font {
    /// The glyph of a letter, or a box if there is none.
    pub fn glyph(&self, letter: char) -> &Glyph {
        &self.glyphs[self.glyph_of.get(&letter).copied().unwrap_or(0)]
    }

    /// Whether the font has a letter.
    #[cfg(test)]
    pub fn has(&self, letter: char) -> bool {
        self.glyph_of.contains_key(&letter)
    }

    /// `None` unless the file is complete, and has a box for unknown letters.
    fn read(file: &[u8]) -> Option<Font> {
        let file = Bytes(file);
        let head = file.table(b"head")?;
        let scale = 1.0 / f64::from(head.u16(18)?.max(1));
        let shapes = Shapes {
            glyf: file.table(b"glyf")?,
            loca: file.table(b"loca")?,
            is_long: head.i16(50)? != 0,
        };
        let widths = file.table(b"hmtx")?;
        // The last width is also that of all glyphs after it.
        let last_width = usize::from(file.table(b"hhea")?.u16(34)?).checked_sub(1)?;
        let glyph = |index: usize| {
            let advance = scale * f64::from(widths.u16(4 * index.min(last_width))?);
            let scaled = |step: Step| step.map(|(x, y)| (scale * x, scale * y));
            Some(Glyph { advance, steps: shapes.of(index)?.into_iter().map(scaled).collect() })
        };
        let glyphs: Option<Vec<Glyph>> =
            (0..usize::from(file.table(b"maxp")?.u16(4)?)).map(glyph).collect();
        let glyphs = glyphs.filter(|glyphs| !glyphs.is_empty())?;
        let glyph_of = letters_of(file.table(b"cmap")?)?;
        let are_known = glyph_of.values().all(|&glyph| glyph < glyphs.len());
        are_known.then_some(Font { glyphs, glyph_of })
    }
}

/// Which glyph each letter has, from a part of `cmap` in format 4.
fn letters_of(cmap: Bytes<'_>) -> Option<HashMap<char, usize>> {
    let parts = 0..usize::from(cmap.u16(2)?);
    let part = parts
        .filter_map(|index| cmap.0.get(cmap.u32(8 + 8 * index)? as usize..).map(Bytes))
        .find(|part| part.u16(0) == Some(4))?;
    // Four lists with a number for each range of letters: the last letter, the first one, what to
    // add, and where the glyphs are listed. Two bytes are between the first list and the second.
    let size = usize::from(part.u16(6)?);
    let (ends, starts, deltas, places) = (14, 16 + size, 16 + 2 * size, 16 + 3 * size);
    let mut glyph_of = HashMap::new();
    for range in (0..size).step_by(2) {
        let (first, last) = (part.u16(starts + range)?, part.u16(ends + range)?);
        let (delta, place) = (part.u16(deltas + range)?, part.u16(places + range)?);
        for code in first..=last {
            let glyph = match usize::from(place) {
                0 => code.wrapping_add(delta),
                // Counted from the place itself.
                place => match part.u16(places + range + place + 2 * usize::from(code - first))? {
                    0 => 0,
                    glyph => glyph.wrapping_add(delta),
                },
            };
            match char::from_u32(u32::from(code)) {
                Some(letter) if glyph != 0 => {
                    glyph_of.insert(letter, usize::from(glyph));
                }
                _ => {}
            }
        }
    }
    Some(glyph_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_of_the_fonts_has_a_shape_and_the_width_that_pictures_expect() {
        for is_bold in [false, true] {
            let font = font(is_bold);
            // What fonts/README.md asks for: 95 of ASCII, 224 of Latin, 24 + 9 of punctuation, 4
            // arrows, 6 symbols. DejaVu Sans does not have all of the punctuation.
            assert!((355..=362).contains(&font.glyph_of.len()), "{}", font.glyph_of.len());
            for (&letter, &index) in &font.glyph_of {
                let glyph = &font.glyphs[index];
                assert_eq!(glyph.steps.is_empty(), letter.is_whitespace(), "{letter:?}");
                // Rounded up to a thousandth for ASCII, and an upper limit for the others.
                let width = letters::width(letter, is_bold);
                match letter.is_ascii() {
                    true => assert_eq!((1000.0 * glyph.advance).ceil() / 1000.0, width, "{letter}"),
                    false => assert!(glyph.advance <= width, "{letter}"),
                }
                let inside = |(x, y): (f64, f64)| (-0.5..1.5).contains(&x) && y.abs() < 1.3;
                for step in &glyph.steps {
                    assert!(inside(step.end()), "{letter}: {step:?}");
                }
            }
            // Far apart in the file, and equally wide in this font.
            let wide = ['=', '≤', '≥', '≈', '→', '←'].map(|letter| font.glyph(letter).advance);
            assert_eq!(wide, [1716.0 / 2048.0; 6]);
        }
    }

    #[test]
    fn a_letter_that_the_font_does_not_have_is_a_box() {
        for is_bold in [false, true] {
            let font = font(is_bold);
            let starts = |letter| {
                let steps = font.glyph(letter).steps.iter();
                steps.filter(|step| matches!(step, Step::Start(_))).count()
            };
            // An outer and an inner rectangle.
            assert_eq!((starts('中'), font.glyph('中').steps.len()), (2, 8));
            assert!(font.glyph('中').advance <= letters::width('中', is_bold));
        }
    }

    #[test]
    fn a_letter_of_other_letters_has_all_of_them_in_their_places() {
        for is_bold in [false, true] {
            let font = font(is_bold);
            let ends = |letter| font.glyph(letter).steps.iter().map(|step| step.end().1);
            let starts = |letter| {
                let steps = font.glyph(letter).steps.iter();
                steps.filter(|step| matches!(step, Step::Start(_))).count()
            };
            // An A and its hole, and the same with two dots.
            assert_eq!((starts('A'), starts('Ä')), (2, 4));
            // The dots are moved up: as their own glyph they are at the height of an A.
            let top = |letter| ends(letter).fold(0.0, f64::max);
            assert!(top('¨') < top('A') + 0.1 && top('Ä') > top('A') + 0.1);
        }
    }

    #[test]
    fn a_file_that_is_cut_off_or_changed_does_not_stop_the_program() {
        for file in [letters::REGULAR, letters::BOLD] {
            for length in (0..file.len()).step_by(199) {
                // The last table has names, which nobody needs.
                let _ = Font::read(&file[..length]);
            }
            assert!(Font::read(&file[..18_000]).is_none());
            for place in (0..file.len()).step_by(97) {
                let mut changed = file.to_vec();
                changed[place] ^= 0xff;
                let _ = Font::read(&changed);
            }
        }
    }
}
