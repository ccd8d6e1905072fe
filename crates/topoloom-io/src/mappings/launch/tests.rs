//! What is written for one mapping in every format.

use topoloom_core::topology::Place;

use std::path::Path;

use topoloom_core::cluster::Seating;

use super::*;
use crate::mappings::mapping_file::MappingFile;

/// A whole core.
fn on_core(host: u32, core: u32, cpus: &[u32]) -> Place {
    Place { host, core: Some(core), cores: vec![core], cpus: cpus.to_vec(), gpu: None }
}

/// Four hosts of two cores with two threads each. Ranks 0 and 3 are on b, 1 and 2 on a, 4 and 5 on
/// d; the CPUs of core c are c and c + 2.
fn three_hosts() -> Seating {
    let place = |host, core| on_core(host, core, &[core, core + 2]);
    Seating {
        hosts: ["a", "b", "c", "d"].map(String::from).to_vec(),
        slots_of_host: vec![2; 4],
        seats: vec![place(1, 1), place(0, 0), place(0, 1), place(1, 0), place(3, 1), place(3, 0)],
    }
}

/// Two ranks on each of two hosts, one host after the other, the cores the other way round.
fn blocks() -> Seating {
    let place = |host, core| Place { gpu: Some(core), ..on_core(host, core, &[core]) };
    Seating {
        hosts: ["a", "b"].map(String::from).to_vec(),
        slots_of_host: vec![2; 2],
        seats: vec![place(1, 1), place(1, 0), place(0, 1), place(0, 0)],
    }
}

/// The file, the file of CPUs, and the command.
fn written(format: &str, seating: Seating) -> (String, Option<String>, String) {
    let format = find(format).unwrap();
    let launch = Launch::of_seating(seating);
    let prepared = prepare(format, &launch, Some(Path::new("out/F")), "./app -x").unwrap();
    let bind = prepared.files.get(1).map(|file| {
        assert_eq!(file.path, Path::new("out/F.bind"));
        file.content.clone()
    });
    (prepared.files[0].content.clone(), bind, prepared.command)
}

fn refusal(format: &str, seating: Seating) -> String {
    let launch = Launch::of_seating(seating);
    prepare(find(format).unwrap(), &launch, None, "./app").unwrap_err().to_string()
}

const LINE_OF_RANK: &str = "1,3\n0,2\n1,3\n0,2\n1,3\n0,2\n";

fn bound_by(variable: &str) -> String {
    format!(
        r#"sh -c 'n=0; while read -r c && [ $n -lt ${variable} ]; do n=$((n+1)); done <"$0"; exec taskset -c "$c" "$@"' out/F.bind ./app -x"#
    )
}

#[test]
fn rank_files_have_hosts_and_cores() {
    let lines = "rank 0=b slot=1\nrank 1=a slot=0\nrank 2=a slot=1\n\
                 rank 3=b slot=0\nrank 4=d slot=1\nrank 5=d slot=0\n";
    let (file, bind, command) = written("openmpi4-rankfile", three_hosts());
    assert_eq!((&file[..], bind), (lines, None));
    assert_eq!(command, "mpirun -n 6 --rankfile out/F ./app -x");
    let (file, bind, command) = written("openmpi5-rankfile", three_hosts());
    assert_eq!((&file[..], bind), (lines, None));
    assert_eq!(command, "mpirun -n 6 --host a:2,b:2,d:2 --map-by rankfile:file=out/F ./app -x");
}

#[test]
fn ranks_that_share_cores_need_leave_to_do_so() {
    let mut seating = blocks();
    seating.seats[1] = seating.seats[0].clone();
    let (_, bind, command) = written("openmpi4-rankfile", seating.clone());
    assert_eq!(bind, None);
    assert_eq!(
        command,
        "mpirun -n 4 --rankfile out/F --oversubscribe --mca mpi_yield_when_idle 1 ./app -x"
    );
    let (_, bind, command) = written("openmpi5-rankfile", seating.clone());
    assert_eq!(bind, None);
    assert_eq!(
        command,
        "mpirun -n 4 --host a:2,b:2 --map-by rankfile:file=out/F:oversubscribe --bind-to core:overload-allowed --mca mpi_yield_when_idle 1 ./app -x"
    );
    let (_, _, command) = written("slurm-hostfile", seating.clone());
    assert!(command.contains(" --overcommit "), "{command}");
    let (_, _, command) = written("flux-taskmap", seating);
    assert!(command.starts_with("flux run -N 2 --tasks-per-node=2 --exclusive "), "{command}");
}

#[test]
fn ranks_of_several_cores_get_all_of_them() {
    // Cores of two threads; ranks 0 and 1 have two cores each, which need not be neighbours.
    let place = |cores: &[u32]| Place {
        cores: cores.to_vec(),
        ..on_core(0, cores[0], &cores.iter().flat_map(|&core| [core, core + 8]).collect::<Vec<_>>())
    };
    let mut seating = Seating {
        hosts: vec!["a".to_string()],
        slots_of_host: vec![4],
        seats: vec![place(&[4, 6]), place(&[2, 3]), place(&[0]), place(&[1])],
    };
    let (file, bind, _) = written("openmpi5-rankfile", seating.clone());
    assert_eq!(bind, None);
    assert_eq!(file, "rank 0=a slot=4,6\nrank 1=a slot=2-3\nrank 2=a slot=0\nrank 3=a slot=1\n");
    let (_, _, command) = written("slurm-hostfile", seating.clone());
    assert!(command.contains("--cpu-bind=mask_cpu:0x5050,0xc0c,0x101,0x202"), "{command}");
    // If ranks have threads of cores, the file of CPUs is exact.
    seating.seats.truncate(2);
    seating.seats[0].cores.clear();
    let (file, bind, command) = written("openmpi5-rankfile", seating);
    assert_eq!(file, "rank 0=a slot=4\nrank 1=a slot=2-3\n");
    assert_eq!(bind.unwrap(), "4,12,6,14\n2,10,3,11\n");
    assert!(command.ends_with(&bound_by("OMPI_COMM_WORLD_RANK")), "{command}");
}

#[test]
fn ranks_that_are_not_bound_stay_so() {
    // Each rank has a whole host of two cores.
    let place = |host| Place { core: None, cores: vec![0, 1], ..on_core(host, 0, &[0, 1]) };
    let seating = Seating {
        hosts: ["a", "b"].map(String::from).to_vec(),
        slots_of_host: vec![2; 2],
        seats: vec![place(1), place(0), place(1)],
    };
    let command = |format: &str| {
        let (_, bind, command) = written(format, seating.clone());
        assert_eq!(bind, None, "{format}");
        command
    };
    // Rank files of Open MPI 4 always bind: here to all cores.
    let (file, ..) = written("openmpi4-rankfile", seating.clone());
    assert_eq!(file, "rank 0=b slot=0-1\nrank 1=a slot=0-1\nrank 2=b slot=0-1\n");
    assert!(command("openmpi5-rankfile").ends_with(":oversubscribe --bind-to none ./app -x"));
    assert!(command("openmpi-seq").ends_with("--bind-to none ./app -x"));
    assert_eq!(command("mpich-hosts"), "mpirun -f out/F -n 3 ./app -x");
    assert!(
        command("slurm-hostfile").contains(" srun -n 3 --distribution=arbitrary --cpu-bind=none")
    );
    assert!(command("flux-taskmap").contains("cpu-affinity=off"));
}

#[test]
fn ranks_that_wait_let_others_run_where_there_are_more_ranks_than_cpus() {
    let mut crowded = blocks();
    crowded.seats[1] = crowded.seats[0].clone();
    for format in ["openmpi4-rankfile", "openmpi5-rankfile", "openmpi-seq"] {
        let (_, _, command) = written(format, crowded.clone());
        assert!(command.contains(" --mca mpi_yield_when_idle 1 "), "{command}");
        let (_, _, command) = written(format, blocks());
        assert!(!command.contains("yield"), "{command}");
    }
    // Three ranks that may all run on the same two CPUs.
    let place = || Place { core: None, cores: vec![0, 1], ..on_core(0, 0, &[0, 1]) };
    let hosts = vec!["a".to_string()];
    let free = Seating { hosts, slots_of_host: vec![2], seats: vec![place(), place(), place()] };
    let (_, _, command) = written("openmpi-seq", free);
    assert!(command.contains(" --mca mpi_yield_when_idle 1 "), "{command}");
}

#[test]
fn threads_of_one_core_are_told_by_their_cpus() {
    let place = |cpu| Place { cores: Vec::new(), ..on_core(0, 0, &[cpu]) };
    let seating = Seating {
        hosts: vec!["a".to_string()],
        slots_of_host: vec![2],
        seats: vec![place(4), place(0)],
    };
    let (file, bind, command) = written("openmpi4-rankfile", seating);
    assert_eq!(file, "rank 0=a slot=0\nrank 1=a slot=0\n");
    assert_eq!(bind.unwrap(), "4\n0\n");
    assert!(command.starts_with("mpirun -n 2 --rankfile out/F --oversubscribe sh -c"), "{command}");
}

#[test]
fn the_sequential_mapper_has_a_line_a_rank() {
    let (file, bind, command) = written("openmpi-seq", three_hosts());
    assert_eq!(file, "b\na\na\nb\nd\nd\n");
    assert_eq!(bind.unwrap(), LINE_OF_RANK);
    let bound = bound_by("OMPI_COMM_WORLD_RANK");
    assert_eq!(
        command,
        format!("mpirun -n 6 --map-by seq --hostfile out/F --bind-to none {bound}")
    );
}

#[test]
fn mpich_has_runs_and_one_list_of_cpus_where_that_is_all_it_takes() {
    let (file, bind, command) = written("mpich-hosts", three_hosts());
    assert_eq!(file, "b:1\na:2\nb:1\nd:2\n");
    assert_eq!(bind.unwrap(), LINE_OF_RANK);
    assert_eq!(command, format!("mpirun -f out/F -n 6 {}", bound_by("PMI_RANK")));
    let (file, bind, command) = written("mpich-hosts", blocks());
    assert_eq!((&file[..], bind), ("b:2\na:2\n", None));
    assert_eq!(command, "mpirun -f out/F -n 4 -bind-to user:1,0 ./app -x");
    let mut threads = blocks();
    threads.seats.iter_mut().for_each(|seat| seat.cpus.push(seat.cores[0] + 2));
    let (_, bind, command) = written("mpich-hosts", threads);
    assert_eq!(bind, None);
    assert_eq!(command, "mpirun -f out/F -n 4 -bind-to user:1+3,0+2 ./app -x");
}

#[test]
fn slurm_has_a_line_a_rank_and_a_list_by_local_number() {
    let (file, bind, command) = written("slurm-hostfile", three_hosts());
    assert_eq!(file, "b\na\na\nb\nd\nd\n");
    // b has cores 1 and 0, a has 0 and 1.
    assert_eq!(bind.unwrap(), LINE_OF_RANK);
    let start =
        "SLURM_HOSTFILE=out/F srun -n 6 --cpus-per-task=2 --distribution=arbitrary --cpu-bind=none";
    assert_eq!(command, format!("{start} {}", bound_by("SLURM_PROCID")));
    let (_, bind, command) = written("slurm-hostfile", blocks());
    assert_eq!(bind, None);
    assert_eq!(
        command,
        "SLURM_HOSTFILE=out/F srun -n 4 --distribution=arbitrary --cpu-bind=map_cpu:1,0 ./app -x"
    );
}

#[test]
fn cray_has_ranks_in_the_order_of_cores() {
    let (file, bind, command) = written("cray-rank-order", three_hosts());
    assert_eq!((&file[..], bind), ("1,2\n3,0\n5,4\n", None));
    assert_eq!(
        command,
        "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=out/F srun -N 3 -n 6 --ntasks-per-node=2 --cpus-per-task=2 --distribution=block --cpu-bind=mask_cpu:0x5,0xa ./app -x"
    );
    // The lines of the file of CPUs follow positions, as Slurm's numbers do.
    let mut others = blocks();
    others.seats[1].cpus = vec![5];
    let (file, bind, _) = written("cray-rank-order", others);
    assert_eq!((&file[..], bind.as_deref()), ("3,2\n1,0\n", Some("0\n1\n5\n1\n")));
}

#[test]
fn cray_needs_hosts_that_are_filled_evenly_or_to_the_last_slot() {
    let mut uneven = three_hosts();
    uneven.seats.truncate(5);
    assert_eq!(
        refusal("cray-rank-order", uneven.clone()),
        "cray-rank-order cannot express this: nodes are filled evenly or to the last slot, but the \
         mapping puts 2 ranks on a and 1 on d; use slurm-hostfile"
    );
    uneven.slots_of_host[3] = 1;
    let (file, _, command) = written("cray-rank-order", uneven);
    assert_eq!(file, "1,2\n3,0\n4\n");
    assert!(
        command.contains(" srun -N 3 -n 5 --cpus-per-task=2 --distribution=block "),
        "{command}"
    );
}

#[test]
fn flux_numbers_the_nodes_that_are_used() {
    let (file, bind, command) = written("flux-taskmap", three_hosts());
    assert_eq!(file, "[[1,1,1,1],[0,1,2,1],[1,1,1,1],[2,1,2,1]]\n");
    assert_eq!(bind.unwrap(), LINE_OF_RANK);
    assert_eq!(
        command,
        format!(
            "flux run -N 3 -n 6 --exclusive --requires=hosts:a,b,d --taskmap=manual:\"$(cat out/F)\" -o cpu-affinity=off {}",
            bound_by("FLUX_TASK_RANK")
        )
    );
    let (_, _, command) = written("flux-taskmap", blocks());
    assert!(command.ends_with(" -o 'cpu-affinity=map:1;0' ./app -x"), "{command}");
}

#[test]
fn torchrun_starts_hosts_whose_ranks_follow_each_other() {
    let (file, bind, command) = written("hostlist", blocks());
    assert_eq!((&file[..], bind), ("b\nb\na\na\n", None));
    assert_eq!(
        command,
        r#"i=0; for host in $(uniq out/F); do ssh -n "$host" "cd '$PWD' && CUDA_VISIBLE_DEVICES=1,0 torchrun --nnodes 2 --nproc-per-node 2 --node-rank $i --master-addr b --master-port 29500 ./app -x" & i=$((i+1)); done; wait"#
    );
}

#[test]
fn ranks_in_any_order_are_started_one_by_one() {
    let (file, bind, command) = written("hostlist", three_hosts());
    assert_eq!(file, "b\na\na\nb\nd\nd\n");
    assert_eq!(bind.unwrap(), LINE_OF_RANK);
    assert_eq!(
        command,
        r#"paste -d ' ' out/F out/F.bind | { rank=0; while read -r host cpus; do ssh -n "$host" "cd '$PWD' && RANK=$rank WORLD_SIZE=6 MASTER_ADDR=b MASTER_PORT=29500 taskset -c $cpus ./app -x" & rank=$((rank+1)); done; wait; }"#
    );
    let mut gpus = blocks();
    gpus.seats[0].gpu = Some(3);
    let (_, bind, command) = written("hostlist", gpus);
    assert_eq!(bind.unwrap(), "1 3\n0 0\n1 1\n0 0\n");
    assert!(command.contains("read -r host cpus gpu;"), "{command}");
    assert!(command.contains("CUDA_VISIBLE_DEVICES=$gpu RANK=$rank"), "{command}");
}

#[test]
fn blue_gene_has_coordinates_first_dimension_first() {
    // Node 1 + 2*(0 + 1*(2 + 3*(1 + 2*0))) = 1 + 2*(2 + 3) = 11; slot 11*4 + 3 = 47.
    let mapping = MappingFile {
        machine: Some("torus:2x1x3x2x2,slots=4".to_string()),
        node_of_rank: vec![11, 0, 23],
        slot_of_rank: Some(vec![47, 0, 93]),
        ..MappingFile::default()
    };
    let format = find("bgq-mapfile").unwrap();
    let launch = Launch::new(&mapping, None, format).unwrap();
    let prepared = prepare(format, &launch, None, "./app").unwrap();
    assert_eq!(prepared.files[0].content, "1 0 2 1 0 3\n0 0 0 0 0 0\n1 0 2 1 1 1\n");
    assert_eq!(prepared.command, "runjob --mapping mapfile --np 3 --ranks-per-node 4 : ./app");

    let shared = MappingFile {
        node_of_rank: vec![0, 0, 0],
        slot_of_rank: Some(vec![0, 2, 0]),
        imbalance: Some(1.0),
        machine: Some("mesh:2x2x2x2x2,slots=3".to_string()),
        ..MappingFile::default()
    };
    let launch = Launch::new(&shared, None, format).unwrap();
    let prepared = prepare(format, &launch, None, "./app").unwrap();
    assert_eq!(prepared.files[0].content, "0 0 0 0 0 0\n0 0 0 0 0 2\n0 0 0 0 0 1\n");
    assert!(prepared.command.contains("--ranks-per-node 4"), "{}", prepared.command);

    let flat = MappingFile { machine: Some("torus:4x4".to_string()), ..mapping };
    let flat = MappingFile { node_of_rank: vec![0], slot_of_rank: Some(vec![0]), ..flat };
    let launch = Launch::new(&flat, None, format).unwrap();
    assert_eq!(
        prepare(format, &launch, None, "./app").unwrap_err().to_string(),
        "bgq-mapfile cannot express this: torus:4x4 is not a box of 5 dimensions such as \
         torus:4x4x4x4x2,slots=16"
    );
}

#[test]
fn one_rank_a_host_of_unknown_cores_is_not_bound() {
    let place = |host| Place { core: None, cores: Vec::new(), ..on_core(host, 0, &[]) };
    let seating = Seating {
        hosts: ["a", "b"].map(String::from).to_vec(),
        slots_of_host: vec![1; 2],
        seats: vec![place(1), place(0)],
    };
    let names_hosts = |entry: &&&LaunchEntry| entry.build.hosts != HostNames::Unused;
    for entry in LAUNCH_FORMATS.entries.iter().filter(names_hosts) {
        let (_, bind, command) = written(entry.name, seating.clone());
        assert_eq!(bind, None, "{}", entry.name);
        let binds = ["taskset", "map_cpu", "mask_cpu", "user:", "affinity=map"];
        assert!(binds.iter().all(|word| !command.contains(word)), "{command}");
    }
}

#[test]
fn cores_that_stand_for_cpus_are_warned_of() {
    let mut seating = three_hosts();
    seating.seats.iter_mut().for_each(|seat| seat.cpus.clear());
    let launch = Launch::of_seating(seating);
    let prepared = prepare(find("mpich-hosts").unwrap(), &launch, None, "./app").unwrap();
    assert_eq!(prepared.warnings.len(), 1);
    assert!(prepared.warnings[0].contains("core N is assumed to be CPU N"));
    assert!(prepared.lacks_second_file);
    assert_eq!(prepared.files.len(), 1);
    assert_eq!(prepared.command, "mpirun -f hosts.mpich -n 6 ./app");
}

#[test]
fn names_are_quoted_for_the_shell() {
    let launch = Launch::of_seating(blocks());
    let command = |format: &str, path: &str| {
        prepare(find(format).unwrap(), &launch, Some(Path::new(path)), "./app")
            .map(|all| all.command)
    };
    let quoted = command("openmpi4-rankfile", "my file").unwrap();
    assert_eq!(quoted, "mpirun -n 4 --rankfile 'my file' ./app");
    let option = command("openmpi4-rankfile", "-x").unwrap();
    assert_eq!(option, "mpirun -n 4 --rankfile ./-x ./app");
    assert!(command("openmpi5-rankfile", "a:b").is_err());
    let bare = command("slurm-hostfile", "hosts").unwrap();
    assert!(bare.starts_with("SLURM_HOSTFILE=./hosts "), "{bare}");
}

#[test]
fn both_files_are_written_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("hosts");
    let launch = Launch::of_seating(three_hosts());
    let format = find("openmpi-seq").unwrap();
    let prepared = prepare(format, &launch, Some(&main), "./app").unwrap();
    // A folder is where the second file should go.
    std::fs::create_dir(folder.path().join("hosts.bind")).unwrap();
    let error = write_files(&prepared).unwrap_err().to_string();
    assert!(error.contains("hosts.bind: cannot write"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    std::fs::remove_dir(folder.path().join("hosts.bind")).unwrap();
    write_files(&prepared).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn an_unknown_format_is_told_the_known_ones() {
    let error = find("openmpi").unwrap_err().to_string();
    assert!(
        error.starts_with("unknown launch format \"openmpi\"; known: bgq-mapfile, "),
        "{error}"
    );
    assert_eq!(LAUNCH_FORMATS.entries.len(), 13);
}

#[test]
fn arguments_that_linux_does_not_take_are_warned_of() {
    // Twenty thousand ranks in no order: one block of the task map per rank, of about 12 bytes.
    let place = |host| on_core(host, 0, &[0]);
    let seating = Seating {
        hosts: (0..20_000).map(|host| format!("n{host}")).collect(),
        slots_of_host: vec![1; 20_000],
        seats: (0..20_000).rev().map(place).collect(),
    };
    let launch = Launch::of_seating(seating);
    let warnings = |format: &str| {
        prepare(find(format).unwrap(), &launch, Some(Path::new("F")), "./app").unwrap().warnings
    };
    for format in ["flux-taskmap", "openmpi5-rankfile"] {
        assert!(warnings(format)[0].contains("Linux accepts at most 131071"), "{format}");
    }
    assert!(warnings("openmpi4-rankfile").is_empty());
    assert!(warnings("slurm-hostfile").is_empty());
}

#[test]
fn simulated_hosts_are_those_of_the_mapping_or_numbered() {
    let (file, bind, command) = written("smpi-hostfile", three_hosts());
    assert_eq!(file, "b\na\na\nb\nd\nd\n");
    assert_eq!(bind, None);
    assert_eq!(command, "smpirun -np 6 -platform platform.xml -hostfile out/F ./app -x");
    let format = find("smpi-hostfile").unwrap();
    let file = |mapping: &MappingFile| {
        let launch = Launch::new(mapping, None, format)?;
        Ok(prepare(format, &launch, None, "./app")?.files[0].content.clone())
    };
    let numbered = MappingFile {
        machine: Some("torus:2x2,slots=2".to_string()),
        node_of_rank: vec![3, 0, 3],
        slot_of_rank: Some(vec![7, 0, 6]),
        ..MappingFile::default()
    };
    assert_eq!(file(&numbered), Ok("n3\nn0\nn3\n".to_string()));
    let nodes = MappingFile { node_of_rank: vec![2, 0], ..MappingFile::default() };
    assert_eq!(file(&nodes), Ok("n2\nn0\n".to_string()));
    let beyond = MappingFile { node_of_rank: vec![4], slot_of_rank: None, ..numbered };
    let error: LaunchError = file(&beyond).unwrap_err();
    assert_eq!(error.to_string(), "rank 0 is on node 4, but torus:2x2,slots=2 has 4 nodes");
}

/// Two GPUs in order on each of three hosts, the last host first.
fn whole_hosts() -> Seating {
    let place = |host, gpu| Place { gpu: Some(gpu), ..on_core(host, gpu, &[gpu]) };
    Seating {
        hosts: ["n7", "n66", "n8"].map(String::from).to_vec(),
        slots_of_host: vec![2; 3],
        seats: vec![place(2, 0), place(2, 1), place(0, 0), place(0, 1), place(1, 0), place(1, 1)],
    }
}

#[test]
fn launchers_of_training_jobs_get_the_order_of_hosts() {
    let torchrun = |rank: &str| {
        format!(
            "torchrun --nnodes 3 --nproc-per-node 2 --node-rank {rank} --master-addr n8 \
             --master-port 29500 ./app -x"
        )
    };
    let (file, bind, command) = written("slurm-torchrun", whole_hosts());
    assert_eq!((&file[..], bind), ("n8\nn7\nn66\n", None));
    let inner = torchrun("$SLURM_PROCID");
    assert_eq!(
        command,
        format!("SLURM_HOSTFILE=out/F srun -n 3 --distribution=arbitrary sh -c 'exec {inner}'")
    );
    let (file, _, command) = written("deepspeed-hostfile", whole_hosts());
    assert_eq!(file, "n8 slots=2\nn7 slots=2\nn66 slots=2\n");
    assert_eq!(command, "deepspeed --launcher pdsh --hostfile out/F --master_addr n8 ./app -x");
    let (file, _, command) = written("node-rank-table", whole_hosts());
    assert_eq!(file, "n8 0\nn7 1\nn66 2\n");
    assert!(command.contains("{ print $2; exit }' out/F)\" --master-addr n8"), "{command}");
    // GPUs in another order are set for all hosts.
    let (_, _, command) = written("node-rank-table", blocks());
    assert!(command.starts_with("CUDA_VISIBLE_DEVICES=1,0 torchrun --nnodes 2"), "{command}");
}

#[test]
fn launchers_of_training_jobs_cannot_interleave_hosts() {
    for format in ["slurm-torchrun", "deepspeed-hostfile", "node-rank-table"] {
        let text = refusal(format, three_hosts());
        assert!(text.starts_with(&format!("{format} cannot express this: it numbers")), "{text}");
    }
}
