//! Platforms that come with the program, for trying it without a file.

use crate::text::fault::Fault;

/// The prefix of a platform of this list, used in place of a file name.
pub const EXAMPLE_PREFIX: &str = "example:";

/// A built-in platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExamplePlatform {
    /// The name after `example:`.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Its description, in TOML.
    pub text: &'static str,
}

macro_rules! example {
    ($name:literal, $summary:literal) => {
        ExamplePlatform {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../../../../examples/platforms/", $name, ".toml")),
        }
    };
}

/// Every platform that comes with the program.
pub fn examples() -> &'static [ExamplePlatform] {
    static EXAMPLES: [ExamplePlatform; 6] = [
        example!("thesis-3.3", "four clusters of Grid'5000, 16 nodes"),
        example!("thesis-3.9", "six clusters of Grid'5000, 90 nodes of very different speed"),
        example!("thesis-3.11", "eight clusters of Grid'5000, 90 nodes of similar speed"),
        example!("thesis-4.1", "four clusters, 12 nodes, horizontal and vertical bandwidths"),
        example!("grisou", "one cluster of 12 equal nodes, horizontal and vertical bandwidths"),
        example!("grid5000-sites", "eight clusters at four sites: three levels"),
    ];
    &EXAMPLES
}

/// The platform called `name`.
pub(super) fn find(name: &str) -> Result<&'static ExamplePlatform, Fault> {
    examples().iter().find(|example| example.name == name).ok_or_else(|| {
        let known: Vec<&str> = examples().iter().map(|example| example.name).collect();
        Fault::unknown("example", known.join(", "))
    })
}
