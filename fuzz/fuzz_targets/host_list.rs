//! Reads anything as hosts, as a list or one a line, and as CPUs; what is written comes back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use topoloom_io::machines::{MachineFile, parse_machine_file};
use topoloom_io::{cpu_list, host_list};

fuzz_target!(|data: &[u8]| {
    // Many hosts are honest, but take long.
    if data.split(|byte| !byte.is_ascii_digit()).any(|digits| digits.len() > 4) {
        return;
    }
    if let Ok((MachineFile::Hosts(hosts), _)) = parse_machine_file("a", data) {
        assert!(!hosts.is_empty());
        assert!(hosts.iter().all(|host| !host.name.is_empty() && host.slots != Some(0)));
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(names) = host_list::parse_names(text) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let again = host_list::parse_names(&host_list::write(&names));
        assert_eq!(again.expect("what was written"), names);
    }
    let _ = host_list::parse(text);
    let _ = host_list::parse_counts(text);
    if let Ok(cpus) = cpu_list::parse(text) {
        assert_eq!(cpu_list::parse(&cpu_list::write(&cpus)).expect("what was written"), cpus);
    }
});
