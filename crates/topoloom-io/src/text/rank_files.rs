//! Files of a run, one per rank.

use std::fs;
use std::path::{Path, PathBuf};

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::input::read_whole;
use crate::text::source::Source;

/// What a file's name says: the run, and the number of the rank in it.
pub(crate) type NameOf = fn(&str) -> Option<(&str, u64)>;

/// The most missing ranks that an error lists.
const MOST_LISTED: usize = 10;

/// The files of the run at `path`, rank by rank: the only run in a folder, or the files beside a
/// file that belong to its run. The first rank's number is `first`.
pub(crate) fn find(path: &Path, name_of: NameOf, first: u64) -> Result<Vec<PathBuf>, ReadError> {
    let error = |fault: Fault| ReadError::new(path.display().to_string(), fault);
    let (folder, wanted) = match path.is_dir() {
        true => (path, None),
        false => {
            fs::metadata(path).map_err(|error| ReadError::cannot_read(path, &error))?;
            let name = path.file_name().and_then(|name| name.to_str()).and_then(name_of);
            let (run, _) =
                name.ok_or_else(|| error(Fault::WrongInput("its name has no rank number".into())))?;
            (folder_of(path), Some(run.to_string()))
        }
    };
    let mut found: Vec<(String, u64, PathBuf)> = Vec::new();
    for file in in_folder(folder)? {
        let name = file.file_name().and_then(|name| name.to_str()).and_then(name_of);
        if let Some((run, number)) = name
            && wanted.as_deref().is_none_or(|wanted| wanted == run)
        {
            found.push((run.to_string(), number, file));
        }
    }
    found.sort();
    let one_run = found.windows(2).find(|pair| pair[0].0 != pair[1].0);
    if let Some([a, b]) = one_run {
        return Err(error(Fault::expected(
            "the files of one run",
            format!("those of \"{}\" and \"{}\"; name one of its files", a.0, b.0),
        )));
    }
    check_numbers(&found, first).map_err(error)?;
    Ok(found.into_iter().map(|(_, _, file)| file).collect())
}

/// Whether a folder has files of any run.
pub(crate) fn has_any(folder: &Path, name_of: NameOf) -> bool {
    let files = in_folder(folder).unwrap_or_default();
    files
        .iter()
        .any(|file| file.file_name().and_then(|name| name.to_str()).and_then(name_of).is_some())
}

/// The files of a folder by name.
pub(crate) fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let cannot_read = |error| ReadError::cannot_read(folder, &error);
    let mut files = Vec::new();
    for file in fs::read_dir(folder).map_err(cannot_read)? {
        let file = file.map_err(cannot_read)?.path();
        if file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// The files with their content, named as errors show them.
pub(crate) fn contents(files: &[PathBuf]) -> Result<Vec<(String, Vec<u8>)>, ReadError> {
    let content = |file: &PathBuf| Ok((file.display().to_string(), read_whole(file)?));
    files.iter().map(content).collect()
}

/// Names and contents as sources.
pub(crate) fn sources(files: &[(String, Vec<u8>)]) -> Vec<Source<'_>> {
    files.iter().map(|(name, bytes)| Source::new(name, bytes)).collect()
}

/// The folder that a file is in.
pub(crate) fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Whether the numbers go up from `first` one by one.
fn check_numbers(files: &[(String, u64, PathBuf)], first: u64) -> Result<(), Fault> {
    let (mut missing, mut more) = (Vec::new(), false);
    let mut next = first;
    for (place, (_, number, file)) in files.iter().enumerate() {
        if *number < next {
            let shown = |file: &Path| file.file_name().map(|name| name.display().to_string());
            let (a, b) = (shown(&files[place.max(1) - 1].2), shown(file));
            return Err(Fault::expected(
                "one file per rank",
                format!("{} and {}", a.unwrap_or_default(), b.unwrap_or_default()),
            ));
        }
        let holes = (next..*number).take(MOST_LISTED - missing.len());
        missing.extend(holes.map(|number| (number - first).to_string()));
        more |= number - next > MOST_LISTED as u64;
        next = number.saturating_add(1);
        if missing.len() == MOST_LISTED {
            more = true;
            break;
        }
    }
    match missing.as_slice() {
        [] => Ok(()),
        [one] => Err(Fault::Missing(format!("the file of rank {one} is missing"))),
        several => {
            let rest = if more { " and others" } else { "" };
            Err(Fault::Missing(format!(
                "the files of ranks {}{rest} are missing",
                several.join(", ")
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(numbers: &[u64], first: u64) -> Result<(), String> {
        let files: Vec<_> = numbers
            .iter()
            .map(|&number| ("a".to_string(), number, PathBuf::from(format!("a.{number}.prof"))))
            .collect();
        check_numbers(&files, first).map_err(|fault| fault.to_string())
    }

    #[test]
    fn holes_are_named() {
        assert_eq!(check(&[0, 1, 2], 0), Ok(()));
        assert_eq!(check(&[1, 2], 1), Ok(()));
        assert_eq!(check(&[1, 2], 0), Err("the file of rank 0 is missing".into()));
        assert_eq!(check(&[0, 3, 5], 0), Err("the files of ranks 1, 2, 4 are missing".into()));
        // The error does not list every rank below a large number.
        let most = "the files of ranks 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and others are missing";
        assert_eq!(check(&[0, u64::MAX], 0), Err(most.into()));
        let twice = "expected one file per rank, found a.1.prof and a.1.prof";
        assert_eq!(check(&[0, 1, 1], 0), Err(twice.into()));
        let before = "expected one file per rank, found a.0.prof and a.0.prof";
        assert_eq!(check(&[0, 1], 1), Err(before.into()));
    }
}
