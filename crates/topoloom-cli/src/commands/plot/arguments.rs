//! The options of `topoloom plot`.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use topoloom::show::figure::Frame;

use crate::arguments::{CountingArguments, SearchArguments};

/// Pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The traffic between all pairs of ranks; with a machine also in the order of places
    Matrix,
    /// The machine, its links coloured by what they carry
    Machine,
    /// Strategies side by side: total, average, least and most that links carry
    Bars,
    /// How many links carry how much
    Loads,
    /// The path of the ranks through the machine, such as a space-filling curve
    Curve,
    /// Racks and hosts, coloured by the groups of a training job that their ranks are in
    Groups,
}

#[derive(Debug, Args)]
pub struct PlotArguments {
    /// What to draw
    pub kind: Kind,
    /// A traffic file, or a pattern such as lu:class=C,ranks=64 (see `topoloom list traffic`)
    #[arg(long, value_name = "TRAFFIC")]
    pub traffic: Option<String>,
    /// A machine such as torus:4x4x4, or a file that holds one; several for bars
    #[arg(long, value_name = "MACHINE")]
    pub machine: Vec<String>,
    /// Strategies or mapping files, separated by commas or given one by one
    #[arg(long, value_name = "LIST", visible_alias = "mapping")]
    pub strategy: Vec<String>,
    /// Draw what is inside this host of a described cluster: packages, caches, cores, adapters
    /// (machine only)
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// The groups to colour, such as ep (groups only) [default: those that send most between hosts]
    #[arg(long, value_name = "KIND")]
    pub groups: Option<String>,
    #[command(flatten)]
    pub counting: CountingArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    /// How wide matrix, bars and loads are, in pixels [default: 760]
    #[arg(long, value_parser = clap::value_parser!(u16).range(300..=4000))]
    pub width: Option<u16>,
    /// How many PNG pixels to draw for each pixel of the picture [default: 2]
    #[arg(long, value_parser = parse_scale)]
    pub scale: Option<f32>,
    /// Write the picture to this file, whose name ends in .svg or .png
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

impl PlotArguments {
    /// The size of a chart.
    pub fn frame(&self) -> Frame {
        self.width.map_or(Frame::WIDE, |width| Frame { width: f64::from(width) })
    }

    /// Used by pictures that do not show a host.
    pub fn refuse_host(&self) -> anyhow::Result<()> {
        match (&self.host, self.kind) {
            (Some(_), kind) if kind != Kind::Machine => {
                bail!("--host is for the picture of a machine: topoloom plot machine --host NAME")
            }
            _ => Ok(()),
        }
    }

    /// Used by pictures whose parts have their own size.
    pub fn refuse_width(&self, picture: &str) -> anyhow::Result<()> {
        match self.width {
            Some(_) => bail!("{picture} has its own width; --scale makes a PNG larger"),
            None => Ok(()),
        }
    }
}

fn parse_scale(text: &str) -> anyhow::Result<f32> {
    let scale = text.parse().ok().filter(|scale| (0.1..=10.0).contains(scale));
    scale.context("expected a number from 0.1 to 10")
}
