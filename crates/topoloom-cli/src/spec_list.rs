//! Lists of specifications separated by commas. Specifications themselves contain commas.

/// Splits a list: an item of the form `key=value` belongs to the specification before it, and
/// so does a bare word that `is_name` does not know.
pub fn split_list(texts: &[String], is_name: impl Fn(&str) -> bool) -> Vec<String> {
    let mut specs: Vec<String> = Vec::new();
    for text in texts {
        let first_of_text = specs.len();
        for item in text.split(',').filter(|item| !item.trim().is_empty()) {
            let word = item.trim().split([':', '|']).next().unwrap_or_default().trim();
            let continues = specs.len() > first_of_text && !is_name(word);
            match specs.last_mut() {
                Some(last) if continues => {
                    last.push(',');
                    last.push_str(item.trim());
                }
                _ => specs.push(item.trim().to_string()),
            }
        }
    }
    specs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(texts: &[&str]) -> Vec<String> {
        let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
        let names = ["genetic", "hilbert", "scan", "bokhari", "torus", "mesh"];
        split_list(&texts, |word| names.contains(&word))
    }

    #[test]
    fn options_belong_to_the_specification_before_them() {
        assert_eq!(
            split(&["genetic:population=50,generations=20,hilbert"]),
            ["genetic:population=50,generations=20", "hilbert"]
        );
        assert_eq!(
            split(&["torus:4x4x2,double-links,mesh:4"]),
            ["torus:4x4x2,double-links", "mesh:4"]
        );
        assert_eq!(
            split(&["hilbert", "scan | bokhari:runs=2,jump=3,hilbert"]),
            ["hilbert", "scan | bokhari:runs=2,jump=3", "hilbert"]
        );
    }
}
