//! Placements on the seats of a job: where its ranks are now, problems on chosen seats only, and
//! ranks that stay on a host.

mod kept_slot;
mod local_order;
mod pinned;
mod present;
mod restricted;

pub use kept_slot::keep_in_slot;
pub use local_order::slots_in_local_order;
pub use pinned::{Pin, PinError, obey_pins};
pub use present::{JobSeat, present_slots};
pub use restricted::{NotAPlace, Restricted};
