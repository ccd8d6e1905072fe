//! Files of traffic, events, platforms and mappings, read and written.

mod arrangements;
mod cost_matrices;
mod dumpi;
mod faults;
mod files_people_have;
mod good_files;
mod loader;
mod malformed_files;
mod monitoring;
mod mutations;
mod otf2;
mod platforms;
mod qaplib;
mod round_trips;
mod speed_files;
mod time_independent;
mod traces;
mod training_traces;
