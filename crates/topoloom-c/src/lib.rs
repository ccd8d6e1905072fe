//! Topoloom for C and Fortran: `include/topoloom.h` is written from this crate.
//!
//! This file and `slices.rs` have what crosses the boundary, and all unsafe code. `search.rs` has the rest.
//! Every pointer is valid or null, and every array is as long as the header says: callers promise that.

#![allow(clippy::missing_safety_doc)]

mod message;
mod part;
mod search;
mod slices;
mod status;

use std::ffi::{c_char, c_int};

use topoloom::core::{self, Vertex};
use topoloom::io::Loader;

use message::{Fault, guarded};
use search::Wishes;
use slices::{copied, filled, text, written};
pub use status::Status;

/// The version of this header: major, minor and patch, two digits each in hexadecimal.
pub const TOPOLOOM_VERSION: u32 = 0x0000_0100;

/// A machine: nodes with slots for processes, and distances between them.
pub struct Machine {
    machine: core::Machine,
}

/// What the ranks of a program send to each other.
pub struct Traffic {
    traffic: core::Traffic,
}

/// How to search. Fill it with topoloom_options_init, then change what you like.
#[repr(C)]
pub struct Options {
    /// sizeof(topoloom_options): later versions add fields at the end.
    pub size: usize,
    /// The seed of every random choice. The same seed gives the same result on any number of threads.
    pub seed: u64,
    /// A time limit in seconds, after which the best so far is used; 0: none.
    pub seconds: f64,
    /// How many threads to use; 0: one per core.
    pub threads: u32,
    /// The strategy, such as "auto" or "hilbert | bokhari"; null: auto.
    pub strategy: *const c_char,
    /// What to minimise, such as "hop-bytes" or "max-link-load"; null: what the strategy is made for.
    pub objective: *const c_char,
    /// How much work to do: "fast", "eco", "strong" or "extreme"; null: eco.
    pub effort: *const c_char,
}

/// The version of the library, in the form of TOPOLOOM_VERSION.
#[unsafe(no_mangle)]
pub extern "C" fn topoloom_version() -> u32 {
    TOPOLOOM_VERSION
}

/// Why the last call of this thread failed. The text stays until the next call of this thread; it is empty after success.
#[unsafe(no_mangle)]
pub extern "C" fn topoloom_message() -> *const c_char {
    message::current()
}

/// The machine of a specification such as torus:4x4x4, or of a file.
// Safety: The text ends with a zero, and the pointer for the result is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_machine_parse(
    specification: *const c_char,
    machine: *mut *mut Machine,
) -> c_int {
    guarded(|| {
        let specification = unsafe { text("specification", specification) }?;
        let (found, _) = Loader::new().machine(specification).map_err(Fault::refused)?;
        unsafe { written("machine", machine, boxed(Machine { machine: found })) }
    })
}

/// A machine of hosts, each with a number of slots. All hosts are equally far from each other. Slots are numbered from
/// the first host to the last.
// Safety: There are as many numbers as hosts, and the pointer for the result is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_machine_hosts(
    hosts: u32,
    slots_of_host: *const u32,
    machine: *mut *mut Machine,
) -> c_int {
    guarded(|| {
        let slots = unsafe { copied("slots_of_host", slots_of_host, hosts as usize) }?;
        let found = search::hosts(&slots)?;
        unsafe { written("machine", machine, boxed(Machine { machine: found })) }
    })
}

/// Frees a machine; null is allowed.
// Safety: It was made by this library, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_machine_free(machine: *mut Machine) {
    unsafe { free(machine) }
}

/// The number of slots, or 0 for null.
// Safety: It was made by this library, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_machine_slots(machine: *const Machine) -> u32 {
    unsafe { machine.as_ref() }.map_or(0, |machine| machine.machine.num_slots() as u32)
}

/// The distance between the nodes of two slots.
// Safety: The machine was made by this library, and the pointer for the result is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_machine_distance(
    machine: *const Machine,
    from_slot: u32,
    to_slot: u32,
    distance: *mut u32,
) -> c_int {
    guarded(|| {
        let machine = &unsafe { of("machine", machine) }?.machine;
        let node = |slot: u32| match (slot as usize) < machine.num_slots() {
            true => Ok(Vertex(slot / machine.slots_per_node())),
            false => Err(Fault::invalid(format!("there is no slot {slot}"))),
        };
        let found = machine.topology().distance(node(from_slot)?, node(to_slot)?);
        unsafe { written("distance", distance, found) }
    })
}

/// Traffic in compressed rows: rank r sends to the ranks target[first[r]] to target[first[r + 1] - 1]. `messages` may be
/// null: then each flow is one message.
// Safety: `first` has one number more than there are ranks, and the others have as many numbers as its last one says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_traffic_csr(
    ranks: u32,
    first: *const u64,
    target: *const u32,
    bytes: *const u64,
    messages: *const u64,
    traffic: *mut *mut Traffic,
) -> c_int {
    guarded(|| {
        let first = unsafe { copied("first", first, ranks as usize + 1) }?;
        let flows = search::flows(&first)?;
        let target = unsafe { copied("target", target, flows) }?;
        let bytes = unsafe { copied("bytes", bytes, flows) }?;
        let messages = match messages.is_null() {
            true => None,
            false => Some(unsafe { copied("messages", messages, flows) }?),
        };
        let found = search::traffic(&first, &target, &bytes, messages.as_deref())?;
        unsafe { written("traffic", traffic, boxed(Traffic { traffic: found })) }
    })
}

/// The traffic of a pattern such as lu:class=C,ranks=64, or of a file. Collectives are turned into messages.
// Safety: The text ends with a zero, and the pointer for the result is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_traffic_parse(
    specification: *const c_char,
    traffic: *mut *mut Traffic,
) -> c_int {
    guarded(|| {
        let found = search::loaded(unsafe { text("specification", specification) }?)?;
        unsafe { written("traffic", traffic, boxed(Traffic { traffic: found })) }
    })
}

/// Frees traffic; null is allowed.
// Safety: It was made by this library, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_traffic_free(traffic: *mut Traffic) {
    unsafe { free(traffic) }
}

/// The number of ranks, or 0 for null.
// Safety: It was made by this library, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_traffic_ranks(traffic: *const Traffic) -> u32 {
    unsafe { traffic.as_ref() }.map_or(0, |traffic| traffic.traffic.num_ranks() as u32)
}

/// Fills options with what is used if none are given.
// Safety: The pointer is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_options_init(options: *mut Options) {
    if let Some(options) = unsafe { options.as_mut() } {
        *options = Options {
            size: size_of::<Options>(),
            seed: 1,
            seconds: 0.0,
            threads: 0,
            strategy: std::ptr::null(),
            objective: std::ptr::null(),
            effort: std::ptr::null(),
        };
    }
}

/// Finds a placement: the slot of each rank, which no other rank has. `options` and `cost` may be null.
// Safety: There is room for the slots of all ranks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_map(
    traffic: *const Traffic,
    machine: *const Machine,
    options: *const Options,
    slot_of_rank: *mut u32,
    cost: *mut f64,
) -> c_int {
    guarded(|| {
        let traffic = &unsafe { of("traffic", traffic) }?.traffic;
        let machine = &unsafe { of("machine", machine) }?.machine;
        let wishes = unsafe { wishes(options) }?;
        let (slots, found) = search::map(traffic, machine, &wishes)?;
        unsafe { filled("slot_of_rank", slot_of_rank, &slots) }?;
        unsafe { optional(cost, found) };
        Ok(())
    })
}

/// What a placement costs under an objective; null: hop-bytes.
// Safety: There is a slot for each rank, and the pointer for the result is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_cost(
    traffic: *const Traffic,
    machine: *const Machine,
    objective: *const c_char,
    slot_of_rank: *const u32,
    cost: *mut f64,
) -> c_int {
    guarded(|| {
        let traffic = &unsafe { of("traffic", traffic) }?.traffic;
        let machine = &unsafe { of("machine", machine) }?.machine;
        let objective = unsafe { optional_text("objective", objective) }?;
        let slots = unsafe { copied("slot_of_rank", slot_of_rank, traffic.num_ranks()) }?;
        let found = search::cost(traffic, machine, objective, slots)?;
        unsafe { written("cost", cost, found) }
    })
}

/// Gives processes that are already running other ranks. Process p is in slot_of_process[p] and is rank p now; it should
/// become new_rank[p]. No slot is used that no process is in, and the order is kept if nothing is gained. `options`,
/// `before` and `after` (the costs) may be null.
// Safety: There is a slot for each rank, and room for the new ranks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn topoloom_reorder(
    traffic: *const Traffic,
    machine: *const Machine,
    options: *const Options,
    slot_of_process: *const u32,
    new_rank: *mut u32,
    before: *mut f64,
    after: *mut f64,
) -> c_int {
    guarded(|| {
        let traffic = &unsafe { of("traffic", traffic) }?.traffic;
        let machine = &unsafe { of("machine", machine) }?.machine;
        let wishes = unsafe { wishes(options) }?;
        let slots = unsafe { copied("slot_of_process", slot_of_process, traffic.num_ranks()) }?;
        let order = search::reorder(traffic, machine, &slots, &wishes)?;
        unsafe { filled("new_rank", new_rank, &order.new_rank) }?;
        unsafe { optional(before, order.before) };
        unsafe { optional(after, order.after) };
        Ok(())
    })
}

fn boxed<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

unsafe fn free<T>(object: *mut T) {
    if !object.is_null() {
        drop(unsafe { Box::from_raw(object) });
    }
}

unsafe fn of<'a, T>(name: &str, object: *const T) -> Result<&'a T, Fault> {
    unsafe { object.as_ref() }.ok_or_else(|| Fault::invalid(format!("{name} is null")))
}

unsafe fn optional(place: *mut f64, value: f64) {
    if let Some(place) = unsafe { place.as_mut() } {
        *place = value;
    }
}

unsafe fn optional_text<'a>(name: &str, pointer: *const c_char) -> Result<Option<&'a str>, Fault> {
    match pointer.is_null() {
        true => Ok(None),
        false => unsafe { text(name, pointer) }.map(Some),
    }
}

/// The options of a caller, which may have been compiled with an older header that had fewer fields.
unsafe fn wishes<'a>(options: *const Options) -> Result<Wishes<'a>, Fault> {
    if options.is_null() {
        return Ok(Wishes::default());
    }
    // The first field tells whether the others are there.
    let size = unsafe { (&raw const (*options).size).read() };
    if size != size_of::<Options>() {
        return Err(Fault::invalid(format!(
            "options.size is {size}, not {}: call topoloom_options_init first",
            size_of::<Options>()
        )));
    }
    let options = unsafe { &*options };
    Ok(Wishes {
        seed: options.seed,
        seconds: options.seconds,
        threads: options.threads,
        strategy: unsafe { optional_text("options.strategy", options.strategy) }?,
        objective: unsafe { optional_text("options.objective", options.objective) }?,
        effort: unsafe { optional_text("options.effort", options.effort) }?,
    })
}
