//! Lists of specifications separated by commas. Specifications themselves contain commas.

/// Splits a list: an item of the form `key=value` belongs to the specification before it, and
/// so does a bare word that `is_name` does not know, if that specification has options. Commas in
/// quotes and in names divide nothing.
pub fn split_list(texts: &[String], is_name: impl Fn(&str) -> bool) -> Vec<String> {
    let mut specs: Vec<String> = Vec::new();
    for text in texts {
        if is_name(text) {
            specs.push(text.clone());
            continue;
        }
        let first_of_text = specs.len();
        let mut is_quoted = false;
        let divides = |letter: char| {
            is_quoted ^= letter == '"';
            letter == ',' && !is_quoted
        };
        for item in text.split(divides).filter(|item| !item.trim().is_empty()) {
            let word = item.trim().split([':', '|']).next().unwrap_or_default().trim();
            let is_option = !is_name(word) && may_be_option(item);
            let may_continue = specs.len() > first_of_text && is_option;
            match specs.last_mut() {
                Some(last) if may_continue && (last.contains(':') || item.contains('=')) => {
                    last.push(',');
                    last.push_str(item.trim());
                }
                _ => specs.push(item.trim().to_string()),
            }
        }
    }
    specs
}

/// Options have no colon in their name: that begins a specification.
fn may_be_option(item: &str) -> bool {
    let name = item.split(['=', '"']).next().unwrap_or_default();
    !name.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(texts: &[&str]) -> Vec<String> {
        let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
        let names = ["genetic", "hilbert", "scan", "bokhari", "torus", "mesh", "a, b.json"];
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

    #[test]
    fn a_wrong_name_stays_alone() {
        assert_eq!(split(&["hilbert,sacn,scan"]), ["hilbert", "sacn", "scan"]);
        assert_eq!(split(&["mesh:4x4,mush:16,slots=2"]), ["mesh:4x4", "mush:16,slots=2"]);
    }

    #[test]
    fn commas_in_quotes_and_in_names_divide_nothing() {
        assert_eq!(split(&["a, b.json", "scan"]), ["a, b.json", "scan"]);
        assert_eq!(
            split(&["genetic:start=\"hilbert,scan\",torus:\"4,4\""]),
            ["genetic:start=\"hilbert,scan\"", "torus:\"4,4\""]
        );
    }
}
