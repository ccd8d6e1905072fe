//! What is wanted for the ranks of a job, read before the job starts.

use anyhow::{Context, bail};
use topoloom::core::Traffic;
use topoloom::io::host_list::ListedHost;

use super::arguments::RunArguments;
use super::given_order::GivenOrder;
use crate::commands::verify::expected::{self, Seat};
use crate::files::read_mapping;
use crate::inputs::load_traffic;

/// Which order the ranks get.
pub enum Plan {
    /// The launcher's.
    Nothing,
    /// A given one, with the numbers of its file.
    Given(GivenOrder, Option<Vec<u32>>),
    /// That of a mapping, with the traffic for another placement.
    Mapping { name: String, seats: Vec<Seat>, traffic: Option<Traffic> },
    /// A new one on the seats of the job.
    Adapt { traffic: Traffic },
}

impl Plan {
    pub fn read(arguments: &RunArguments, hosts: Option<&[ListedHost]>) -> anyhow::Result<Plan> {
        let load = |name: &str| load_traffic(name, arguments.weight, arguments.collectives.mode);
        if let Some(order) = &arguments.order {
            return Ok(Plan::Given(order.clone(), order.numbers()?));
        }
        let Some(path) = &arguments.mapping else {
            return match (&arguments.traffic, arguments.adapt) {
                (Some(traffic), true) => Ok(Plan::Adapt { traffic: load(traffic)? }),
                (None, true) => bail!(
                    "--adapt needs --traffic, or --mapping with a mapping that names its traffic"
                ),
                (_, false) => Ok(Plan::Nothing),
            };
        };
        let file = read_mapping(path)?;
        let seats = expected::seats(&file, hosts)?;
        let name = path.display().to_string();
        let traffic = match (arguments.adapt, &arguments.traffic, &file.traffic) {
            (false, _, _) => None,
            (true, Some(given), _) => Some(load(given)?),
            (true, None, Some(named)) => Some(load(named).with_context(|| {
                format!("{name}: cannot read the traffic that it was made for; give --traffic")
            })?),
            (true, None, None) => {
                bail!(
                    "{name}: does not name the traffic that it was made for, which --adapt needs; give --traffic"
                )
            }
        };
        Ok(Plan::Mapping { name, seats, traffic })
    }
}
