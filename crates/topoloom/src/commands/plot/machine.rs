//! pending
use topoloom::show::Picture;
use super::super::search::Searches;
use super::arguments::PlotArguments;
pub fn picture(_a: &PlotArguments, _s: &Searches) -> anyhow::Result<Picture> { todo!() }
