//! Letters that are written as two: some systems write the "é" of a file name as "e" and a mark.

/// Each mark, and pairs of a letter and the same letter with that mark (Unicode's canonical
/// compositions in Latin-1 and Latin Extended-A, the letters of our fonts).
#[rustfmt::skip]
const MARKS: [(char, &str); 13] = [
    ('\u{300}', "AÀEÈIÌOÒUÙaàeèiìoòuù"),
    ('\u{301}', "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzź"),
    ('\u{302}', "AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷ"),
    ('\u{303}', "AÃNÑOÕaãnñoõIĨiĩUŨuũ"),
    ('\u{304}', "AĀaāEĒeēIĪiīOŌoōUŪuū"),
    ('\u{306}', "AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭ"),
    ('\u{307}', "CĊcċEĖeėGĠgġIİZŻzż"),
    ('\u{308}', "AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸ"),
    ('\u{30a}', "AÅaåUŮuů"),
    ('\u{30b}', "OŐoőUŰuű"),
    ('\u{30c}', "CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzž"),
    ('\u{327}', "CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţ"),
    ('\u{328}', "AĄaąEĘeęIĮiįUŲuų"),
];

/// The text with one letter instead of a letter and a mark, if there is one.
pub(super) fn composed(text: &str) -> String {
    let mut composed = String::with_capacity(text.len());
    for sign in text.chars() {
        match composed.chars().next_back().and_then(|letter| with_mark(letter, sign)) {
            Some(letter) => {
                composed.pop();
                composed.push(letter);
            }
            None => composed.push(sign),
        }
    }
    composed
}

fn with_mark(letter: char, mark: char) -> Option<char> {
    let (_, pairs) = MARKS.iter().find(|(known, _)| *known == mark)?;
    let mut pairs = pairs.chars();
    while let (Some(plain), Some(marked)) = (pairs.next(), pairs.next()) {
        if plain == letter {
            return Some(marked);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::png::glyphs::font;

    #[test]
    fn a_letter_and_a_mark_are_one_letter() {
        assert_eq!(
            composed("Gro\u{308}ße e\u{301}\u{301} x\u{301} \u{301}"),
            "Größe é\u{301} x\u{301} \u{301}"
        );
    }

    #[test]
    fn the_fonts_have_every_letter_with_a_mark() {
        for (mark, pairs) in MARKS {
            assert!(pairs.chars().count().is_multiple_of(2), "{mark:?}");
            for letter in pairs.chars() {
                assert!(font(false).has(letter) && font(true).has(letter), "{letter}");
            }
        }
    }
}
