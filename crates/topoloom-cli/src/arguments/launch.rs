//! How launchers are treated.

use std::time::Duration;

use clap::Args;

use super::time_limit::parse_time_limit;

/// How launchers that start a job as a probe are treated.
#[derive(Debug, Clone, Args)]
pub struct LaunchArguments {
    /// Stop the launcher of a probe if it has not ended after this time: 60s, 5m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time_limit)]
    pub launch_timeout: Duration,
}
