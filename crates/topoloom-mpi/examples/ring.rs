//! Uses everything that the office can do, and checks it. `tests/mpi/crew/transport.py` runs it under
//! real MPI libraries.
//!
//! ```text
//! mpirun -n 4 ring            messages, bytes for all, shared memory, time while idle
//! mpirun -n 4 ring long       messages that are longer than a piece
//! mpirun -n 4 ring apart      shared memory where each process has its own files
//! mpirun -n 4 ring abort      process 1 ends the job with exit code 7
//! mpirun -n 4 ring leave      process 1 drops its office, and all others see it
//! mpirun -n 4 ring panic      process 1 panics
//! mpirun -n 4 ring late       a second thread sends until the end, and after it
//! ```

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use topoloom_mpi::{Error, Office, SharedBytes, join};

fn main() {
    let what = std::env::args().nth(1).unwrap_or_default();
    let office = match join() {
        Ok(Some(office)) => office,
        Ok(None) => return println!("alone"),
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(3);
        }
    };
    if let Err(error) = run(office, &what) {
        eprintln!("error: {error}");
        std::process::exit(4);
    }
}

fn run(office: Office, what: &str) -> Result<(), Error> {
    match what {
        "" => everything(&office)?,
        "late" => {}
        "long" => one_long_message(&office)?,
        "apart" => {
            let shared = office.shared_bytes((office.rank() == 0).then(|| content(3, 100_001)))?;
            assert!(!shared.is_shared() && shared.bytes() == content(3, 100_001));
            assert_eq!(shared.bytes().as_ptr() as usize % 64, 0);
        }
        "leave" if office.rank() == 1 => {
            drop(office);
            println!("process 1 has left");
            // Others may take their time to see it. A launcher may end them before, when this ends.
            std::thread::sleep(Duration::from_secs(2));
            return Ok(());
        }
        "leave" => {
            let message = office.receive();
            println!(
                "{} sees: {}",
                office.rank(),
                message.map_or_else(|error| error.to_string(), |_| "?".into())
            );
            return office.finish();
        }
        "abort" | "panic" if office.rank() != 1 => {
            office.receive()?;
        }
        "abort" => office.abort(7),
        "panic" => panic!("as wanted"),
        _ => office.abort(2),
    }
    let (rank, size) = (office.rank(), office.size());
    match what {
        "late" => finish_while_another_thread_sends(&office)?,
        _ => office.finish()?,
    }
    println!("process {rank} of {size} has finished");
    Ok(())
}

fn everything(office: &Office) -> Result<(), Error> {
    let (rank, node) = (office.rank(), office.node());
    let (index, size, nodes) = (node.index, node.size(), node.first_ranks.len());
    println!("process {rank} on {}: {index} of {size} on its node, {nodes} nodes", office.host());
    for length in [0, 1, 1_000_000, 40_000_000] {
        ring(office, length)?;
    }
    everybody_to_everybody(office)?;
    bytes_for_all(office, 0)?;
    bytes_for_all(office, 30_000_001)?;
    shared_memory(office)?;
    shared_memory(office)?;
    lists_in_common(office)?;
    nothing_at_all(office)?;
    idle(office)?;
    assert!(matches!(office.send(office.size(), vec![]), Err(Error::NoProcess { .. })));
    Ok(())
}

/// Bytes that say who sent them, and how long they are.
fn content(from: usize, length: usize) -> Vec<u8> {
    (0..length).map(|place| (place / 7 + place + from * 31) as u8).collect()
}

/// Everybody sends to the next: two messages, whose order must stay.
fn ring(office: &Office, length: usize) -> Result<(), Error> {
    let (rank, size) = (office.rank(), office.size());
    let before = (rank + size - 1) % size;
    let bytes = content(rank, length);
    together(office)?;
    let begin = Instant::now();
    office.send((rank + 1) % size, bytes)?;
    office.send((rank + 1) % size, vec![42])?;
    let first = office.receive()?;
    let second = office.receive()?;
    let seconds = begin.elapsed().as_secs_f64();
    assert_eq!((first.from, first.bytes.len(), second.from), (before, length, before));
    assert!(first.bytes == content(before, length), "{length} bytes are wrong");
    assert_eq!(second.bytes, [42]);
    say(
        office,
        &format!(
            "ring of {length} bytes: right, {:.1} MB/s per process",
            length as f64 / seconds / 1e6
        ),
    );
    Ok(())
}

/// Three pieces, from process 0 to process 1.
fn one_long_message(office: &Office) -> Result<(), Error> {
    const LENGTH: usize = (2 << 30) + 5;
    if office.rank() == 0 {
        let mut bytes = vec![7; LENGTH];
        (bytes[0], bytes[1 << 30], bytes[LENGTH - 1]) = (1, 2, 3);
        office.send(1, bytes)?;
        office.send(1, vec![42])?;
    } else if office.rank() == 1 {
        let bytes = office.receive()?.bytes;
        assert_eq!((bytes.len(), bytes[0], bytes[1 << 30], bytes[LENGTH - 1]), (LENGTH, 1, 2, 3));
        assert_eq!(bytes.iter().filter(|&&byte| byte == 7).count(), LENGTH - 3);
        assert_eq!(office.receive()?.bytes, [42]);
        println!("{LENGTH} bytes at once: right");
    }
    Ok(())
}

/// What is sent after the end must not reach MPI: nobody would take it.
fn finish_while_another_thread_sends(office: &Office) -> Result<(), Error> {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let _ = office.send((office.rank() + 1) % office.size(), vec![1; 17]);
                std::thread::sleep(Duration::from_micros(100));
            }
        });
        std::thread::sleep(Duration::from_millis(20 * office.rank() as u64));
        let finished = office.finish();
        is_over.store(true, Ordering::Relaxed);
        finished
    })
}

/// Everybody has the same lists, and each node keeps one of each.
fn lists_in_common(office: &Office) -> Result<(), Error> {
    let is_alone = office.node().size() == 1;
    let numbers: Vec<u32> = (0..100_000).collect();
    let common = office.common_u32s(&numbers)?;
    assert!(common.map_or(is_alone, |common| common == numbers));
    let common = office.common_usizes(&[7; 9])?;
    assert!(common.map_or(is_alone, |common| common == [7; 9]));
    let common = office.common_f64s(&[])?;
    assert!(common.is_none_or(<[f64]>::is_empty));
    Ok(())
}

fn everybody_to_everybody(office: &Office) -> Result<(), Error> {
    const ROUNDS: u32 = 50;
    together(office)?;
    let begin = Instant::now();
    for round in 0..ROUNDS {
        for to in 0..office.size() {
            office.send(to, round.to_ne_bytes().to_vec())?;
        }
    }
    let mut next = vec![0_u32; office.size()];
    for _ in 0..ROUNDS as usize * office.size() {
        let message = office.receive()?;
        assert_eq!(message.bytes, next[message.from].to_ne_bytes());
        next[message.from] += 1;
    }
    assert!(next.iter().all(|&number| number == ROUNDS) && office.try_receive()?.is_none());
    say(office, &format!("everybody to everybody: right, {:.4} s", begin.elapsed().as_secs_f64()));
    Ok(())
}

fn bytes_for_all(office: &Office, length: usize) -> Result<(), Error> {
    let bytes = (office.rank() == 0).then(|| content(5, length));
    together(office)?;
    let begin = Instant::now();
    let got = office.broadcast(bytes)?;
    let seconds = begin.elapsed().as_secs_f64();
    assert!(*got == content(5, length));
    together(office)?;
    say(office, &format!("{length} bytes for all: right, {seconds:.3} s at process 0"));
    Ok(())
}

/// Every process of a node has the same memory, and nobody may write to it.
fn shared_memory(office: &Office) -> Result<(), Error> {
    const NUMBERS: u64 = 1_000_000;
    let bytes = (office.rank() == 0)
        .then(|| (0..NUMBERS).flat_map(|number| (number * number).to_ne_bytes()).collect());
    let shared = office.shared_bytes(bytes)?;
    let squares = shared.u64s(0..shared.bytes().len())?;
    assert!((0..NUMBERS).eq(squares.iter().map(|&number| number.isqrt())));
    assert_eq!(shared.bytes().as_ptr() as usize % 64, 0);
    assert_eq!(shared.is_shared(), office.node().size() > 1);
    let identity = format!("{} {}", office.node().first(), identity(&shared));
    let mut all = office.gather(identity.into_bytes())?.unwrap_or_default();
    all.sort();
    all.dedup();
    // One file per node, also if there are several nodes on one machine.
    let found = all.len();
    assert!(office.rank() > 0 || found == office.node().first_ranks.len(), "{found} copies");
    for identity in all {
        println!("one copy for the node of process {}", String::from_utf8_lossy(&identity));
    }
    Ok(())
}

/// The rights, the device and the number of the file that memory belongs to.
fn identity(shared: &SharedBytes) -> String {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let begin = format!("{:x}-", shared.bytes().as_ptr() as usize);
    let line = maps.lines().find(|line| line.starts_with(&begin)).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    if !shared.is_shared() || words.len() < 5 {
        return "private".to_string();
    }
    assert_eq!(words[1], "r--s");
    format!("{} {} {}", words[1], words[3], words[4])
}

/// No bytes can be given, too; and files of shared memory have no names any more.
fn nothing_at_all(office: &Office) -> Result<(), Error> {
    together(office)?;
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let named = |line: &&str| line.contains("/topoloom-") && !line.ends_with("(deleted)");
    assert_eq!(maps.lines().find(named), None);
    let shared = office.shared_bytes(None)?;
    assert!(shared.bytes().is_empty() && shared.f64s(0..0)?.is_empty());
    assert!(office.broadcast(None)?.is_empty());
    Ok(())
}

/// Processor time of this process while it waits for a message that does not come.
fn idle(office: &Office) -> Result<(), Error> {
    const WAIT: Duration = Duration::from_secs(2);
    together(office)?;
    let before = processor_seconds();
    assert!(office.receive_timeout(WAIT)?.is_none());
    let share = (processor_seconds() - before) / WAIT.as_secs_f64();
    together(office)?;
    println!("process {} idle: {:.1} % of a CPU", office.rank(), share * 100.0);
    Ok(())
}

/// Of all threads, those that MPI started included.
fn processor_seconds() -> f64 {
    let of = |thread: fs::DirEntry| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return 0.0 };
    threads.filter_map(|thread| of(thread.ok()?)).sum::<f64>() / 1e9
}

/// Waits for all: process 0 hears from everybody, and then says so to all.
fn together(office: &Office) -> Result<(), Error> {
    let all = office.gather(vec![office.rank() as u8])?.unwrap_or_default();
    assert!(all.iter().enumerate().all(|(rank, bytes)| bytes == &[rank as u8]));
    office.broadcast(None).map(|_| ())
}

fn say(office: &Office, text: &str) {
    if office.rank() == 0 {
        println!("{text}");
    }
}
