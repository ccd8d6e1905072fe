//! What users require of the seats of a job.

use std::ops::RangeInclusive;
use std::str::FromStr;

use anyhow::anyhow;
use clap::Args;
use topoloom::core::cluster::Level;
use topoloom::io::cpu_list;

/// The heading of these options in help texts.
const SEATS: &str = "Seats (on described machines)";

/// What is asked of the seats of a job.
#[derive(Debug, Clone, Default, Args)]
pub struct SeatArguments {
    /// Give each rank N cores, or N places if the machine's places are not cores
    #[arg(long, help_heading = SEATS, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub cpus_per_rank: Option<u32>,
    /// Run this many ranks on each host that is used: a number, or a range such as 2-8
    #[arg(long, help_heading = SEATS, value_name = "N", value_parser = parse_range)]
    pub ranks_per_node: Option<RangeInclusive<u32>>,
    /// Spread ranks evenly over the parts of a level: node, package, numa, L3, switch1, ...
    #[arg(long, help_heading = SEATS, value_name = "LEVEL", value_delimiter = ',')]
    pub spread: Vec<Level>,
    /// Fill one part of a level before using the next
    #[arg(long, help_heading = SEATS, value_name = "LEVEL", value_delimiter = ',')]
    pub pack: Vec<Level>,
    /// Keep ranks on a host: 0=n01, or 0-3,8=n02; may be given several times
    #[arg(long, help_heading = SEATS, value_name = "RANKS=HOST")]
    pub fix: Vec<Fixed>,
}

/// Ranks that stay on a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    pub ranks: Vec<u32>,
    pub host: String,
}

impl FromStr for Fixed {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Fixed> {
        let wrong = || anyhow!("expected ranks and a host, such as 0=n01, found \"{text}\"");
        let (ranks, host) = text.split_once('=').ok_or_else(wrong)?;
        let ranks = cpu_list::parse(ranks.trim()).map_err(|_| wrong())?;
        match ranks.is_empty() || host.trim().is_empty() {
            true => Err(wrong()),
            false => Ok(Fixed { ranks, host: host.trim().to_string() }),
        }
    }
}

fn parse_range(text: &str) -> anyhow::Result<RangeInclusive<u32>> {
    let wrong = || {
        anyhow!("expected a number of ranks such as 4, or a range such as 2-8, found \"{text}\"")
    };
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
    let range = number(low)?..=number(high)?;
    match *range.start() >= 1 && range.start() <= range.end() {
        true => Ok(range),
        false => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_pins_are_read_as_people_write_them() {
        assert_eq!(parse_range("4").unwrap(), 4..=4);
        assert_eq!(parse_range("2-8").unwrap(), 2..=8);
        for wrong in ["", "0", "8-2", "-1", "x", "2-"] {
            assert!(parse_range(wrong).is_err(), "{wrong}");
        }
        let fixed: Fixed = "0-2,7=n01".parse().unwrap();
        assert_eq!(fixed, Fixed { ranks: vec![0, 1, 2, 7], host: "n01".to_string() });
        for wrong in ["0", "=n01", "0=", "a=n01"] {
            assert!(wrong.parse::<Fixed>().is_err(), "{wrong}");
        }
    }
}
