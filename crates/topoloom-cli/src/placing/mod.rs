//! Finding placements and judging them, for several commands.

pub mod baseline;
mod checkpoint;
pub mod costs;
pub mod from_file;
pub mod groups;
pub mod idle_hosts;
pub mod placement;
pub mod present;
pub mod record;
pub mod replayed;
pub mod score_text;
pub mod search;
pub mod seats;
pub mod strategy_list;
mod whole_hosts;
