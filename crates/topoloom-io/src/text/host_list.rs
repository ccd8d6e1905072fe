//! Lists of hosts as Slurm writes them: `n[001-064],gpu[1,3-5]-ib0:4`.

use std::fmt::Write;

use crate::text::fault::Fault;
use crate::text::number::shown;

/// More than any cluster has; a typing error must not use up all memory.
const MOST_HOSTS: usize = 1 << 20;

/// More than any host's name has (a full domain name has 253 letters). Brackets repeat the text
/// around them, so a long name with brackets would take memory proportional to the product of both.
pub(crate) const LONGEST_NAME: usize = 255;

/// The most digits of a number in brackets, leading zeros included.
const MOST_DIGITS: usize = 20;

/// One host of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedHost {
    /// Its name.
    pub name: String,
    /// How many ranks it may run, if the list says so (`n1:4`).
    pub slots: Option<u32>,
}

/// The hosts of a list: names separated by commas, with numbers in brackets and possibly `:slots`.
///
/// ```
/// use topoloom_io::host_list;
/// let hosts = host_list::parse("n[08-10]:4,login").unwrap();
/// let names: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
/// assert_eq!(names, ["n08", "n09", "n10", "login"]);
/// assert_eq!((hosts[0].slots, hosts[3].slots), (Some(4), None));
/// ```
pub fn parse(text: &str) -> Result<Vec<ListedHost>, Fault> {
    let mut hosts = Vec::new();
    for item in items(text)? {
        let (pattern, slots) = match item.rsplit_once(':') {
            Some((pattern, slots)) if !slots.contains(']') => {
                let number = slots.trim().parse::<u32>().ok().filter(|&slots| slots > 0);
                let wrong = || {
                    Fault::expected(
                        format!("a number of slots after \"{pattern}:\""),
                        format!("\"{slots}\""),
                    )
                };
                (pattern.trim_end(), Some(number.ok_or_else(wrong)?))
            }
            _ => (item, None),
        };
        for name in expand(pattern, MOST_HOSTS - hosts.len())? {
            hosts.push(ListedHost { name, slots });
        }
    }
    match hosts.is_empty() {
        true => Err(Fault::expected("hosts such as n[01-16] or a,b,c", "none")),
        false => Ok(hosts),
    }
}

/// Appends the names of a list to those of earlier lists. Together they may be as many as one list
/// may name.
pub(crate) fn parse_names_into(names: &mut Vec<String>, text: &str) -> Result<(), Fault> {
    for item in items(text)? {
        names.extend(expand(item, MOST_HOSTS - names.len())?);
    }
    Ok(())
}

/// The names of a list without slots, such as a line of a switch.
pub fn parse_names(text: &str) -> Result<Vec<String>, Fault> {
    let mut names = Vec::new();
    parse_names_into(&mut names, text)?;
    Ok(names)
}

/// Numbers as Slurm lists them by node: `16(x2),8` is 16, 16, 8.
pub fn parse_counts(text: &str) -> Result<Vec<u32>, Fault> {
    let mut counts = Vec::new();
    for item in text.split(',') {
        let wrong = || Fault::expected("numbers such as 16(x2),8", format!("\"{item}\""));
        let (number, times) = match item.trim().split_once("(x") {
            Some((number, times)) => (number, times.strip_suffix(')').ok_or_else(wrong)?),
            None => (item.trim(), "1"),
        };
        let number: u32 = number.parse().map_err(|_| wrong())?;
        let times: usize = times.parse().map_err(|_| wrong())?;
        if number == 0 || times == 0 || times > MOST_HOSTS - counts.len() {
            return Err(wrong());
        }
        counts.resize(counts.len() + times, number);
    }
    Ok(counts)
}

/// A list as short as Slurm would write it: names that differ only in a number are joined, with the
/// numbers in brackets.
pub fn write(names: &[&str]) -> String {
    let head = |name: &str| name.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
    let number = |name: &str| name[head(name)..].parse::<u64>().ok();
    let same_head = |a: &&str, b: &&str| {
        a[..head(a)] == b[..head(b)] && number(a).is_some() && number(b).is_some()
    };
    let mut text = String::new();
    for alike in names.chunk_by(same_head) {
        let separator = if text.is_empty() { "" } else { "," };
        let (first, head) = (alike[0], head(alike[0]));
        let _ = match alike.len() {
            1 => write!(text, "{separator}{first}"),
            _ => write!(text, "{separator}{}[{}]", &first[..head], ranges(alike, head)),
        };
    }
    text
}

/// The numbers of names after their common head, as ranges.
fn ranges(names: &[&str], head: usize) -> String {
    let follows = |a: &&str, b: &&str| {
        let (a, b) = (&a[head..], &b[head..]);
        let next = a.parse::<u64>().ok().and_then(|a| a.checked_add(1));
        // Leading zeros are those of the first number of a range.
        let as_wide = a.len() == b.len() || !(a.starts_with('0') || b.starts_with('0'));
        as_wide && next == b.parse().ok()
    };
    let range = |run: &[&str]| match run {
        [one] => one[head..].to_string(),
        run => format!("{}-{}", &run[0][head..], &run[run.len() - 1][head..]),
    };
    names.chunk_by(follows).map(range).collect::<Vec<String>>().join(",")
}

/// The items between commas and blanks outside brackets.
fn items(text: &str) -> Result<Vec<&str>, Fault> {
    let mut items = Vec::new();
    let (mut start, mut open) = (0, None);
    for (at, letter) in text.char_indices() {
        match letter {
            '[' if open.is_some() => {
                return Err(Fault::Malformed(format!(
                    "a bracket inside a bracket in \"{}\"",
                    text.trim()
                )));
            }
            '[' => open = Some(at),
            ']' if open.is_none() => {
                return Err(Fault::Malformed(format!(
                    "\"]\" without \"[\" in \"{}\"",
                    text.trim()
                )));
            }
            ']' => open = None,
            _ if open.is_none() && (letter == ',' || letter.is_whitespace()) => {
                items.push(&text[start..at]);
                start = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    if open.is_some() {
        return Err(Fault::Malformed(format!("\"[\" without \"]\" in \"{}\"", text.trim())));
    }
    items.push(&text[start..]);
    items.retain(|item| !item.is_empty());
    Ok(items)
}

/// The names that a pattern stands for, the last bracket running fastest.
fn expand(pattern: &str, most: usize) -> Result<Vec<String>, Fault> {
    let mut names = vec![String::new()];
    let mut rest = pattern;
    let mut letters = 0;
    while let Some((before, after)) = rest.split_once('[') {
        let (inside, after) = after.split_once(']').unwrap_or((after, ""));
        let numbers = numbers(inside, most)?;
        if numbers.len().saturating_mul(names.len()) > most {
            return Err(too_many(pattern));
        }
        letters += before.len();
        if letters + after.len().min(after.find('[').unwrap_or(usize::MAX)) > LONGEST_NAME {
            return Err(Fault::TooLarge(format!(
                "{} repeats a name of more than {LONGEST_NAME} letters",
                shown(pattern.as_bytes())
            )));
        }
        let join = |name: &String| {
            numbers.iter().map(|number| format!("{name}{before}{number}")).collect::<Vec<String>>()
        };
        names = names.iter().flat_map(join).collect();
        rest = after;
    }
    names.iter_mut().for_each(|name| name.push_str(rest));
    match names.iter().all(|name| name.is_empty()) {
        true => Err(Fault::expected("the name of a host", "none")),
        false => Ok(names),
    }
}

fn too_many(text: &str) -> Fault {
    Fault::TooLarge(format!(
        "{} names more than {MOST_HOSTS} hosts, with those before it",
        shown(text.as_bytes())
    ))
}

/// `1-3,07-09` with leading zeros as in the first number of a range.
fn numbers(text: &str, most: usize) -> Result<Vec<String>, Fault> {
    let wrong = || {
        let found = shown(format!("[{text}]").as_bytes());
        Fault::expected("numbers such as [1-3,07-12]", found)
    };
    let mut numbers = Vec::new();
    for range in text.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| -> Option<u64> {
            let is_short = (1..=MOST_DIGITS).contains(&text.len());
            let digits = is_short && text.bytes().all(|byte| byte.is_ascii_digit());
            if digits { text.parse().ok() } else { None }
        };
        let (low, high) = number(first).zip(number(last)).ok_or_else(wrong)?;
        if low > high {
            return Err(wrong());
        }
        if high - low >= most.saturating_sub(numbers.len()) as u64 {
            return Err(too_many(&format!("[{text}]")));
        }
        let width = first.len();
        numbers.extend((low..=high).map(|number| format!("{number:0width$}")));
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_numbers_with_their_zeros() {
        assert_eq!(parse_names("a[9-11]").unwrap(), ["a9", "a10", "a11"]);
        assert_eq!(parse_names("a[09-11]x").unwrap(), ["a09x", "a10x", "a11x"]);
        assert_eq!(parse_names("r[1-2]n[0-1], z").unwrap(), ["r1n0", "r1n1", "r2n0", "r2n1", "z"]);
        assert_eq!(
            parse_names("switch.2.[1-2,5]").unwrap(),
            ["switch.2.1", "switch.2.2", "switch.2.5"]
        );
        assert_eq!(parse_counts("16(x2),8").unwrap(), [16, 16, 8]);
    }

    #[test]
    fn lists_are_written_as_they_are_read() {
        for list in
            ["n[001-064]", "a,b,c", "n[8-10]", "x1,y2", "n[099-101]", "n[1,3,5-6]", "n[01,1,001]"]
        {
            let names = parse_names(list).unwrap();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            assert_eq!(write(&names), list);
        }
    }

    #[test]
    fn what_is_no_list_is_refused_in_words() {
        let refusal = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(refusal(" , "), "expected hosts such as n[01-16] or a,b,c, found none");
        assert_eq!(refusal("n[1-"), "\"[\" without \"]\" in \"n[1-\"");
        assert_eq!(refusal("n1]"), "\"]\" without \"[\" in \"n1]\"");
        assert_eq!(refusal("n[3-1]"), "expected numbers such as [1-3,07-12], found \"[3-1]\"");
        assert_eq!(refusal("n[a]"), "expected numbers such as [1-3,07-12], found \"[a]\"");
        assert_eq!(refusal("n1:0"), "expected a number of slots after \"n1:\", found \"0\"");
        for many in
            ["n[0-99999999999]", "n[1-1000000000]", "n[0-999999]m[0-99]", "n[1-999999],m[1-99999]"]
        {
            let refused = refusal(many);
            assert!(refused.contains("names more than 1048576 hosts"), "{refused}");
        }
        let long = "n".repeat(300);
        for repeats in
            [format!("{long}[1-2]"), format!("[1-2]{long}"), format!("a[1-2]{long}[1-2]")]
        {
            assert!(refusal(&repeats).ends_with("repeats a name of more than 255 letters"));
        }
        assert_eq!(parse_names(&long).unwrap(), [long]);
        assert!(refusal(&format!("n[{}1-9]", "0".repeat(100))).starts_with("expected numbers"));
        for wrong in ["16(x", "0", "4(x0)", "x", "1(x99999999)"] {
            let refused = parse_counts(wrong).unwrap_err().to_string();
            assert!(refused.starts_with("expected numbers"), "{wrong}");
        }
    }
}
