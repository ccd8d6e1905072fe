//! The functions of the interface, called as C calls them.

use std::ffi::{CStr, CString, c_int};
use std::ptr::{null, null_mut};

use topoloom_c::{
    Machine, Options, Traffic, topoloom_cost, topoloom_machine_distance, topoloom_machine_free,
    topoloom_machine_hosts, topoloom_machine_parse, topoloom_machine_slots, topoloom_map,
    topoloom_message, topoloom_options_init, topoloom_reorder, topoloom_traffic_csr,
    topoloom_traffic_free, topoloom_traffic_parse, topoloom_traffic_ranks,
};

fn message() -> String {
    unsafe { CStr::from_ptr(topoloom_message()) }.to_str().unwrap().to_string()
}

fn machine(text: &str) -> *mut Machine {
    let (text, mut machine) = (CString::new(text).unwrap(), null_mut());
    let status = unsafe { topoloom_machine_parse(text.as_ptr(), &mut machine) };
    assert_eq!((status, message()), (0, String::new()));
    machine
}

fn traffic(text: &str) -> *mut Traffic {
    let (text, mut traffic) = (CString::new(text).unwrap(), null_mut());
    let status = unsafe { topoloom_traffic_parse(text.as_ptr(), &mut traffic) };
    assert_eq!((status, message()), (0, String::new()));
    traffic
}

/// A ring of ranks in compressed rows.
fn ring(ranks: u32) -> *mut Traffic {
    let first: Vec<u64> = (0..=u64::from(ranks)).collect();
    let target: Vec<u32> = (1..ranks).chain([0]).collect();
    let bytes = vec![10; ranks as usize];
    let mut traffic = null_mut();
    let status = unsafe {
        topoloom_traffic_csr(
            ranks,
            first.as_ptr(),
            target.as_ptr(),
            bytes.as_ptr(),
            null(),
            &mut traffic,
        )
    };
    assert_eq!(status, 0, "{}", message());
    traffic
}

#[test]
fn a_placement_is_found_and_costs_what_it_says() {
    let (traffic, machine) = (ring(16), machine("mesh:4x4"));
    let mut slots = [u32::MAX; 16];
    let (mut cost, mut again) = (0.0, 0.0);
    unsafe {
        assert_eq!(topoloom_traffic_ranks(traffic), 16);
        assert_eq!(topoloom_machine_slots(machine), 16);
        assert_eq!(topoloom_map(traffic, machine, null(), slots.as_mut_ptr(), &mut cost), 0);
        assert_eq!(topoloom_cost(traffic, machine, null(), slots.as_ptr(), &mut again), 0);
        topoloom_traffic_free(traffic);
        topoloom_machine_free(machine);
    }
    let mut sorted = slots;
    sorted.sort_unstable();
    assert_eq!(sorted.to_vec(), (0..16).collect::<Vec<u32>>());
    assert_eq!((cost, again), (160.0, 160.0), "every neighbour is one hop away");
}

#[test]
fn options_are_obeyed() {
    let (traffic, machine) = (ring(16), machine("mesh:4x4"));
    let mut options = std::mem::MaybeUninit::<Options>::uninit();
    let mut options = unsafe {
        topoloom_options_init(options.as_mut_ptr());
        options.assume_init()
    };
    let strategy = CString::new("in-order").unwrap();
    options.strategy = strategy.as_ptr();
    options.threads = 1;
    let mut slots = [0; 16];
    let mut map = |options: &Options| -> c_int {
        unsafe { topoloom_map(traffic, machine, options, slots.as_mut_ptr(), null_mut()) }
    };
    assert_eq!(map(&options), 0);
    let unknown = CString::new("hilbrt").unwrap();
    options.strategy = unknown.as_ptr();
    assert_eq!(map(&options), 2);
    assert!(message().contains("did you mean hilbert"), "{}", message());
    options.size = 8;
    assert_eq!(map(&options), 1);
    assert!(message().contains("topoloom_options_init"), "{}", message());
    assert_eq!(slots.to_vec(), (0..16).collect::<Vec<u32>>(), "nothing is written on failure");
    unsafe {
        topoloom_traffic_free(traffic);
        topoloom_machine_free(machine);
    }
}

#[test]
fn processes_get_other_ranks_and_never_worse_ones() {
    // Two hosts, in turn: neighbours of the ring are never on the same host.
    let traffic = ring(8);
    let mut machine = null_mut();
    let hosts = [4, 4];
    assert_eq!(unsafe { topoloom_machine_hosts(2, hosts.as_ptr(), &mut machine) }, 0);
    let slots = [0, 4, 1, 5, 2, 6, 3, 7];
    let (mut ranks, mut before, mut after) = ([9; 8], 0.0, 0.0);
    let mut reorder = |slots: &[u32; 8], ranks: &mut [u32; 8]| unsafe {
        let (ranks, slots) = (ranks.as_mut_ptr(), slots.as_ptr());
        let status =
            topoloom_reorder(traffic, machine, null(), slots, ranks, &mut before, &mut after);
        (status, before, after)
    };
    let (status, before, after) = reorder(&slots, &mut ranks);
    assert_eq!(status, 0, "{}", message());
    assert!(after < before, "{after} {before}");
    let mut sorted = ranks;
    sorted.sort_unstable();
    assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6, 7]);
    // The cost of the new order is that of the same processes in the same slots.
    let mut slot_of_rank = [0; 8];
    (0..8).for_each(|process| slot_of_rank[ranks[process] as usize] = slots[process]);
    let mut cost = 0.0;
    unsafe { topoloom_cost(traffic, machine, null(), slot_of_rank.as_ptr(), &mut cost) };
    assert_eq!(cost, after);
    // What is good already is kept.
    let (status, before, after) = reorder(&[0, 1, 2, 3, 4, 5, 6, 7], &mut ranks);
    assert_eq!((status, before), (0, after));
    assert_eq!(ranks, [0, 1, 2, 3, 4, 5, 6, 7]);
    let (status, ..) = reorder(&[0, 1, 2, 3, 4, 5, 6, 6], &mut ranks);
    assert_eq!(status, 1);
    assert!(message().contains("two processes are in slot 6"), "{}", message());
    unsafe {
        topoloom_traffic_free(traffic);
        topoloom_machine_free(machine);
    }
}

#[test]
fn a_job_on_a_part_of_a_machine_stays_there() {
    for text in ["torus:8x8", "mesh:4x4,slots=4", "tree:4:4:4,distances=1:10:100"] {
        let (traffic, machine) = (traffic("stencil:4x4,bytes=100"), machine(text));
        let slots: Vec<u32> = (0..16).map(|process| (process * 37 + 5) % 64).collect();
        let mut ranks = vec![0; 16];
        let (mut before, mut after, mut distance) = (0.0, 0.0, 0);
        let status = unsafe {
            topoloom_reorder(
                traffic,
                machine,
                null(),
                slots.as_ptr(),
                ranks.as_mut_ptr(),
                &mut before,
                &mut after,
            )
        };
        assert_eq!(status, 0, "{}", message());
        assert!(after <= before);
        ranks.sort_unstable();
        assert_eq!(ranks, (0..16).collect::<Vec<u32>>());
        unsafe {
            assert_eq!(topoloom_machine_distance(machine, 0, 63, &mut distance), 0);
            assert_eq!(topoloom_machine_distance(machine, 0, 64, &mut distance), 1);
            topoloom_traffic_free(traffic);
            topoloom_machine_free(machine);
        }
    }
}

#[test]
fn wrong_arguments_are_codes_with_a_message() {
    let (mut machine, mut traffic) = (null_mut(), null_mut());
    let unknown = CString::new("mush:4").unwrap();
    let status = |status: c_int, text: &str| {
        assert_ne!(status, 0);
        assert!(message().contains(text), "{} has no {text}", message());
    };
    unsafe {
        status(topoloom_machine_parse(null(), &mut machine), "specification is null");
        status(topoloom_machine_parse(unknown.as_ptr(), &mut machine), "unknown topology");
        status(topoloom_machine_parse(unknown.as_ptr(), null_mut()), "unknown topology");
        status(topoloom_machine_hosts(1, [0].as_ptr(), &mut machine), "at least one slot");
        let csr = |first: &[u64], target: &[u32], traffic: *mut *mut Traffic| {
            let bytes = vec![1; target.len()];
            let ranks = first.len() as u32 - 1;
            let (first, target) = (first.as_ptr(), target.as_ptr());
            topoloom_traffic_csr(ranks, first, target, bytes.as_ptr(), null(), traffic)
        };
        status(csr(&[0, 2, 1], &[1, 0], &mut traffic), "rising numbers");
        status(csr(&[0, 1, 1], &[2], &mut traffic), "rank 0 sends to 2 of 2");
        status(topoloom_map(null(), null(), null(), null_mut(), null_mut()), "traffic is null");
        assert!(machine.is_null() && traffic.is_null());
        topoloom_machine_free(null_mut());
        topoloom_traffic_free(null_mut());
    }
}

#[test]
fn several_threads_use_the_same_objects() {
    let (traffic, machine) = (traffic("lu:class=S,ranks=16"), machine("torus:4x4"));
    let (traffic, machine) = (traffic as usize, machine as usize);
    let search = || {
        let mut slots = [0; 16];
        let (traffic, machine) = (traffic as *const Traffic, machine as *const Machine);
        let status =
            unsafe { topoloom_map(traffic, machine, null(), slots.as_mut_ptr(), null_mut()) };
        assert_eq!(status, 0);
        slots
    };
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(search)).collect();
        let found: Vec<_> = all.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
    });
    unsafe {
        topoloom_traffic_free(traffic as *mut Traffic);
        topoloom_machine_free(machine as *mut Machine);
    }
}
