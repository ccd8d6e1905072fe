//! The font of pictures, and how wide its letters are.

/// DejaVu Sans, described in `fonts/README.md`.
pub const REGULAR: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");
/// Its bold letters.
pub const BOLD: &[u8] = include_bytes!("../fonts/DejaVuSans-Bold.ttf");

/// The widths of letters from the blank to `~`, in thousandths of the font size; `fonts/README.md`
/// says where they come from.
#[rustfmt::skip]
const REGULAR_WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337,
    637, 637, 637, 637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 531,
    1000, 685, 687, 699, 771, 632, 576, 775, 752, 295, 295, 656, 558, 863, 749, 788,
    604, 788, 695, 635, 611, 732, 685, 989, 686, 611, 686, 391, 337, 391, 838, 500,
    500, 613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612,
    635, 635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
];
#[rustfmt::skip]
const BOLD_WIDTHS: [u16; 95] = [
    349, 457, 521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416, 380, 366,
    696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 581,
    1000, 774, 763, 734, 831, 684, 684, 821, 837, 373, 373, 775, 638, 996, 837, 851,
    733, 851, 771, 721, 683, 813, 774, 1104, 771, 725, 726, 458, 366, 458, 838, 500,
    500, 675, 716, 593, 716, 679, 436, 716, 712, 343, 343, 666, 343, 1042, 712, 688,
    716, 716, 494, 596, 479, 712, 652, 924, 646, 652, 583, 712, 366, 712, 838,
];

/// No other letter of these fonts is wider (the widest is a bold Œ).
const OTHERS: u16 = 1170;

/// The width of a letter at font size 1.
pub fn width(letter: char, bold: bool) -> f64 {
    let widths = if bold { &BOLD_WIDTHS } else { &REGULAR_WIDTHS };
    let place = (letter as usize).checked_sub(' ' as usize);
    f64::from(place.and_then(|place| widths.get(place)).copied().unwrap_or(OTHERS)) / 1000.0
}
