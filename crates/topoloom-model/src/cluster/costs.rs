//! What it costs to send a byte between two places, and how fast the links between them are. The
//! smallest part that holds both decides.

use std::collections::BTreeMap;

use super::ObjectKind;
use super::speed::Speed;
use super::switch_group::NVLINK_LEVEL;
use crate::spec::UnknownName;

/// Costs that were given or measured, by level: `L2`, `package`, ..., `switch1`, `switch2`, ...
/// Levels without a cost here have their default cost. The speed of a level is that of each link
/// between it and what is directly in it: of `package`, the links from a package to its caches or
/// NUMA nodes; of `switch1`, the adapters; of `switch2`, the links from the first level of switches
/// to the second.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Costs {
    given: BTreeMap<String, u32>,
    speeds: BTreeMap<String, Speed>,
}

/// The cost of an NVLink domain of several nodes: little more than inside a node.
const NVLINK_DOMAIN: u32 = 20;

/// The cost of the first level of switches, and what each further one adds.
const FIRST_SWITCH: u32 = 100;
const FURTHER_SWITCH: u32 = 50;

impl Costs {
    /// The name of a level of switches; 1 is the level that nodes are plugged into, 0 an NVLink
    /// domain.
    pub fn switch_name(level: u32) -> String {
        match level {
            NVLINK_LEVEL => "nvlink".to_string(),
            level => format!("switch{level}"),
        }
    }

    /// The level of switches that a name means.
    pub fn switch_level(name: &str) -> Option<u32> {
        if name == "nvlink" {
            return Some(NVLINK_LEVEL);
        }
        let level: u32 = name.strip_prefix("switch")?.parse().ok()?;
        (1..=99).contains(&level).then_some(level)
    }

    /// What a level inside a node costs.
    pub fn inside(&self, kind: ObjectKind) -> u32 {
        let usual = match kind {
            ObjectKind::Thread | ObjectKind::Gpu => 0,
            ObjectKind::Core | ObjectKind::L1 => 1,
            ObjectKind::L2 => 2,
            ObjectKind::L3 => 4,
            ObjectKind::L4 => 5,
            ObjectKind::Die => 6,
            ObjectKind::Numa => 7,
            ObjectKind::Package => 8,
            ObjectKind::Group => 12,
            ObjectKind::Node => 16,
        };
        self.given.get(kind.name()).copied().unwrap_or(usual)
    }

    /// Whether a level's cost was set.
    pub fn is_given(&self, kind: ObjectKind) -> bool {
        self.given.contains_key(kind.name())
    }

    /// What a level of switches costs.
    pub fn switch(&self, level: u32) -> u32 {
        let usual = match level {
            NVLINK_LEVEL => NVLINK_DOMAIN,
            _ => FIRST_SWITCH + FURTHER_SWITCH * (level - 1).min(1 << 20),
        };
        self.given.get(&Costs::switch_name(level)).copied().unwrap_or(usual)
    }

    /// Sets the cost of a level. The error says which names are known.
    pub fn set(&mut self, name: &str, cost: u32) -> Result<(), UnknownName> {
        self.given.insert(level_name(name)?, cost);
        Ok(())
    }

    /// Sets what is known of the links of a level. The error says which names are known.
    pub fn set_speed(&mut self, name: &str, speed: Speed) -> Result<(), UnknownName> {
        let known = self.speeds.entry(level_name(name)?).or_default();
        *known = known.updated(speed);
        Ok(())
    }

    /// What is known of the links between a level inside a node and what is directly in it.
    pub fn speed_inside(&self, kind: ObjectKind) -> Speed {
        self.speeds.get(kind.name()).copied().unwrap_or_default()
    }

    /// What is known of the links between a level of switches and what is directly below it.
    pub fn speed_of_switch(&self, level: u32) -> Speed {
        self.speeds.get(&Costs::switch_name(level)).copied().unwrap_or_default()
    }

    /// The speeds that were set, by name.
    pub fn speeds(&self) -> impl Iterator<Item = (&str, Speed)> {
        self.speeds.iter().map(|(name, &speed)| (name.as_str(), speed))
    }

    /// The costs that were set, by name.
    pub fn given(&self) -> impl Iterator<Item = (&str, u32)> {
        self.given.iter().map(|(name, &cost)| (name.as_str(), cost))
    }
}

/// The one way to write the name of a level.
fn level_name(name: &str) -> Result<String, UnknownName> {
    match (Costs::switch_level(name), name.parse::<ObjectKind>()) {
        (Some(level), _) => Ok(Costs::switch_name(level)),
        (None, Ok(kind)) => Ok(kind.name().to_string()),
        (None, Err(_)) => {
            let kinds = ObjectKind::ALL.map(ObjectKind::name).join(", ");
            Err(UnknownName::new("level", name, format!("{kinds}, nvlink, switch1, switch2, ...")))
        }
    }
}
