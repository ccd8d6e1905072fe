//! The hosts of an allocation as the user names them: a list, or a file with one host per line.

use std::path::Path;

use crate::machines::parse_host_file;
use crate::text::error::ReadError;
use crate::text::host_list::{self, ListedHost};
use crate::text::input::{Opener, open};

/// The hosts that `text` names: a file of that name, else a list such as `n[01-16]:4,login`.
pub fn read_hosts(text: &str) -> Result<Vec<ListedHost>, ReadError> {
    read_hosts_with(text, &open)
}

/// Like [`read_hosts`]; files come from `open`.
pub fn read_hosts_with(text: &str, open: &Opener<'_>) -> Result<Vec<ListedHost>, ReadError> {
    let path = Path::new(text);
    // A list has no slash. A name without a slash is a file only if a file or a pipe of that name
    // exists.
    if (path.exists() && !path.is_dir()) || text.contains('/') {
        return parse_host_file(text, &open(path)?.bytes()?);
    }
    host_list::parse(text).map_err(|fault| ReadError::new("list of hosts", fault))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_slash_is_a_file_and_others_are_lists() {
        let missing = read_hosts("no/such/file").unwrap_err().to_string();
        assert!(missing.starts_with("no/such/file: cannot read"), "{missing}");
        assert_eq!(read_hosts("n[1-2]").unwrap().len(), 2);
        let wrong = read_hosts("n[2").unwrap_err().to_string();
        assert!(wrong.starts_with("list of hosts: \"[\" without \"]\""), "{wrong}");
    }
}
