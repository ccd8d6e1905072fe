//! What the system reports about the measured machine.

use std::fs;

/// The name of the processor, if the system reports it.
pub fn processor_model() -> Option<String> {
    model_in(&fs::read_to_string("/proc/cpuinfo").ok()?)
}

/// Bytes that can be used without swapping, if the system reports it.
pub fn free_memory() -> Option<u64> {
    free_in(&fs::read_to_string("/proc/meminfo").ok()?)
}

fn model_in(text: &str) -> Option<String> {
    // x86 uses the first key, other processors one of the others.
    ["model name", "cpu model", "cpu", "Processor"].iter().find_map(|key| {
        let values = text.lines().filter_map(|line| line.split_once(':'));
        let mut named = values.filter(|(name, _)| name.trim() == *key);
        let words: Vec<&str> = named.next()?.1.split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    })
}

fn free_in(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_and_the_memory_are_found_in_what_linux_says() {
        let x86 = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Some  Xeon @ 2 GHz\n";
        assert_eq!(model_in(x86).as_deref(), Some("Some Xeon @ 2 GHz"));
        assert_eq!(model_in("cpu\t\t: POWER9\n").as_deref(), Some("POWER9"));
        assert_eq!(model_in("BogoMIPS\t: 50.00\n"), None);
        assert_eq!(free_in("MemTotal: 9 kB\nMemAvailable:    2048 kB\n"), Some(2 << 20));
        assert_eq!(free_in("MemAvailable: much\n"), None);
    }
}
