//! What to arrange, from the arguments.

use anyhow::{Context, bail};
use topoloom::arrange::application::{Application, Summa};
use topoloom::arrange::{
    Arrangement, Cutter, Form, Grids, Measure, Parts, Platform, parse_measure,
};
use topoloom::core::traffic::patterns::Mpdata;

use super::arguments::{
    ApplicationKind, ArrangeArguments, MpdataArguments, PartSizes, SummaArguments,
};
use crate::output::numbers::plural;

/// Blocks per side in the thesis's experiments: a problem size of 90,000 blocks.
const BLOCKS: u32 = 300;

/// What to arrange, and what counts.
pub struct Plan {
    pub platform: Platform,
    /// The application; its grid is that of `start`.
    pub application: Application,
    pub start: Arrangement,
    pub form: Form,
    /// The measure to minimise comes first, then those shown beside it.
    pub measures: Vec<Measure>,
}

impl Plan {
    pub fn new(platform: Platform, arguments: &ArrangeArguments) -> anyhow::Result<Plan> {
        refuse_options_of_the_other(arguments)?;
        let (application, form, start) = match arguments.application {
            ApplicationKind::Summa => summa(&arguments.summa, &platform)?,
            ApplicationKind::Mpdata => mpdata(&arguments.mpdata, &platform)?,
        };
        let measures = measures(arguments, &platform)?;
        Ok(Plan { platform, application, start, form, measures })
    }

    /// The application on an arrangement that was found.
    pub fn application_on(&self, arrangement: &Arrangement) -> Application {
        match self.application {
            Application::Mpdata(mpdata) => Application::Mpdata(Mpdata {
                rows: arrangement.columns()[0].rectangles.len() as u32,
                columns: arrangement.columns().len() as u32,
                ..mpdata
            }),
            summa => summa,
        }
    }
}

fn summa(
    arguments: &SummaArguments,
    platform: &Platform,
) -> anyhow::Result<(Application, Form, Arrangement)> {
    let mut summa = Summa { flow: arguments.flow.unwrap_or_default(), ..Summa::default() };
    if let Some(block) = arguments.block {
        summa.block = block;
    }
    let start = arguments
        .partition
        .unwrap_or_default()
        .partition(platform, arguments.blocks.unwrap_or(BLOCKS))
        .with_context(|| platform.name().to_string())?;
    Ok((Application::Summa(summa), Form::Columns, start))
}

fn mpdata(
    arguments: &MpdataArguments,
    platform: &Platform,
) -> anyhow::Result<(Application, Form, Arrangement)> {
    let processors = platform.num_processors();
    let mut mpdata = Mpdata::default();
    if let Some(domain) = arguments.domain {
        mpdata.domain = domain;
    }
    if let Some(halo) = arguments.halo {
        (mpdata.ihalo, mpdata.jhalo) = (halo, halo);
    }
    let [rows_of_domain, columns_of_domain, _] = mpdata.domain;
    let side = arguments.min_side.unwrap_or(1);
    let (mut min_rows, mut min_columns) = (side, side);
    if let Some((rows, columns)) = arguments.shape {
        if rows.checked_mul(columns) != Some(processors) {
            let parts = plural(processors, "part");
            bail!("--shape {rows}x{columns}: expected {parts}, one for each processor");
        }
        // Among the shapes with this many parts, only this one has at least these numbers of rows
        // and columns.
        (min_rows, min_columns) = (rows, columns);
    }
    let domain = (rows_of_domain, columns_of_domain);
    if arguments.parts == Some(PartSizes::BySpeed) {
        let parts = Parts { domain, min_rows, min_columns };
        let start = unequal_start(&parts, platform)?;
        return Ok((Application::Mpdata(mpdata), Form::Parts(parts), start));
    }
    let grids = Grids { domain, min_rows, min_columns };
    let shapes = grids.shapes(processors);
    // The shape that is closest to a square, which is the obvious choice.
    let Some(&(rows, columns)) = shapes.iter().min_by_key(|(rows, columns)| rows + columns) else {
        bail!(
            "no grid of {} has at least {} and {} on a domain of {rows_of_domain} x \
             {columns_of_domain}",
            plural(processors, "processor"),
            plural(min_rows, "row"),
            plural(min_columns, "column"),
        );
    };
    (mpdata.rows, mpdata.columns) = (rows as u32, columns as u32);
    let order: Vec<u32> = (0..processors as u32).collect();
    let start = Arrangement::grid(rows, columns, grids.cell((rows, columns)), &order)?;
    Ok((Application::Mpdata(mpdata), Form::Grids(grids), start))
}

/// The number of columns that is closest to a square, filled row by row.
fn unequal_start(parts: &Parts, platform: &Platform) -> anyhow::Result<Arrangement> {
    let processors = platform.num_processors();
    let likeness = |columns: &usize| columns + processors.div_ceil(*columns);
    let Some(columns) = parts.column_numbers(processors).into_iter().min_by_key(likeness) else {
        let Parts { domain: (rows, columns), min_rows, min_columns } = parts;
        bail!(
            "{} cannot fill at least {} of at least {} on a domain of {rows} x {columns}",
            plural(processors, "processor"),
            plural(*min_columns, "column"),
            plural(*min_rows, "part"),
        );
    };
    let order: Vec<u32> = (0..processors as u32).collect();
    Cutter::new(platform, parts.domain)
        .and_then(|cutter| cutter.cut(&parts.dealt(&order, columns)))
        .with_context(|| platform.name().to_string())
}

fn measures(arguments: &ArrangeArguments, platform: &Platform) -> anyhow::Result<Vec<Measure>> {
    let usual = match arguments.application {
        ApplicationKind::Summa => ["bandwidth", "hops"],
        ApplicationKind::Mpdata if arguments.mpdata.wrap => ["asymmetric:wrap", "hops"],
        ApplicationKind::Mpdata => ["asymmetric", "hops"],
    };
    let mut measures = Vec::new();
    if let Some(text) = &arguments.measure {
        if arguments.mpdata.wrap {
            bail!("--wrap is for the default measure; give --measure asymmetric:wrap");
        }
        measures.push(parse_measure(text, platform)?);
    }
    for text in usual {
        let measure = parse_measure(text, platform)?;
        if measures.iter().all(|known| known.kind() != measure.kind()) {
            measures.push(measure);
        }
    }
    Ok(measures)
}

/// An option without effect is a mistake of the user.
fn refuse_options_of_the_other(arguments: &ArrangeArguments) -> anyhow::Result<()> {
    let ArrangeArguments { summa, mpdata, .. } = arguments;
    let of_summa = [
        ("--blocks", summa.blocks.is_some()),
        ("--block", summa.block.is_some()),
        ("--flow", summa.flow.is_some()),
        ("--partition", summa.partition.is_some()),
        ("--compute", summa.compute),
    ];
    let of_mpdata = [
        ("--domain", mpdata.domain.is_some()),
        ("--halo", mpdata.halo.is_some()),
        ("--parts", mpdata.parts.is_some()),
        ("--shape", mpdata.shape.is_some()),
        ("--min-side", mpdata.min_side.is_some()),
        ("--wrap", mpdata.wrap),
    ];
    let (others, needed) = match arguments.application {
        ApplicationKind::Summa => (&of_mpdata[..], "mpdata"),
        ApplicationKind::Mpdata => (&of_summa[..], "summa"),
    };
    match others.iter().find(|(_, given)| *given) {
        Some((option, _)) => bail!("{option} is for --application {needed}"),
        None => Ok(()),
    }
}
