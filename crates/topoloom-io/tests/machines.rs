//! Descriptions of machines are read completely, or rejected with a clear error.

mod machines {
    use std::fs;
    use std::path::{Path, PathBuf};

    use topoloom_core::cluster::Network;

    mod ai;
    mod detect;
    mod device_names;
    mod dragonflies;
    mod fabric_faults;
    mod hwloc;
    mod ibnetdiscover;
    mod machine_file;
    mod mutations;
    mod networks;
    mod node_adapters;
    mod seats;
    mod slurm;
    mod subnet_list;

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machines")
    }

    /// The content of a file among the samples.
    fn sample(name: &str) -> Vec<u8> {
        fs::read(folder().join(name)).unwrap()
    }

    /// Every sample of hwloc, Slurm and ibnetdiscover by its name.
    fn samples() -> Vec<(String, Vec<u8>)> {
        samples_in(&["hwloc", "slurm", "ib"])
    }

    /// Every sample of clusters for training by its name.
    fn ai_samples() -> Vec<(String, Vec<u8>)> {
        let folders = ["nccl", "smi", "slurm", "topograph", "k8s", "simai", "astra"]
            .map(|kind| format!("ai/{kind}"));
        samples_in(&folders.each_ref().map(String::as_str))
    }

    fn samples_in(folders: &[&str]) -> Vec<(String, Vec<u8>)> {
        let mut names = Vec::new();
        for kind in folders {
            for file in fs::read_dir(folder().join(kind)).unwrap() {
                let name = file.unwrap().file_name().into_string().unwrap();
                names.push(format!("{kind}/{name}"));
            }
        }
        names.retain(|name| !name.ends_with("COPYING"));
        names.sort();
        let read = |name: String| {
            let bytes = sample(&name);
            (name, bytes)
        };
        names.into_iter().map(read).collect()
    }

    /// How many groups each level has, from level 1.
    fn levels(network: &Network) -> Vec<usize> {
        let most = network.groups.iter().map(|group| group.level).max().unwrap_or(0);
        let of = |level| network.groups.iter().filter(|group| group.level == level).count();
        (1..=most).map(of).collect()
    }
}
