//! The order in which people read names: n2 before n10.

/// A piece of a name: numbers are compared as numbers.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Piece<'a> {
    /// Digits without leading zeros: longer ones are larger.
    Number(usize, &'a str),
    Text(&'a str),
}

/// The place of each name in natural order; equal names keep their order.
pub fn places(names: &[String]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_by_cached_key(|&number| pieces(&names[number as usize]));
    let mut places = vec![0; names.len()];
    for (place, &number) in (0u32..).zip(&order) {
        places[number as usize] = place;
    }
    places
}

fn pieces(name: &str) -> Vec<Piece<'_>> {
    let mut rest = name;
    let mut pieces = Vec::new();
    while let Some(first) = rest.chars().next() {
        let is_number = first.is_ascii_digit();
        let end = rest.find(|sign: char| sign.is_ascii_digit() != is_number);
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        pieces.push(match is_number {
            true => {
                let digits = piece.trim_start_matches('0');
                Piece::Number(digits.len(), digits)
            }
            false => Piece::Text(piece),
        });
        rest = after;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_compared_as_numbers() {
        let names = ["n10", "n2", "m7", "n002-b", "n02"].map(String::from);
        // m7, n2 and n02 as they come, n002-b, n10.
        assert_eq!(places(&names), [4, 1, 0, 3, 2]);
    }
}
