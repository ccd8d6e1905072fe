//! Examples at the end of each command's help, and the page with more details. The examples of a
//! command inside another one come after those of the outer one.

pub const MAP: &str = "\
Examples:
  topoloom map --traffic run.rec -o mapping.json
  topoloom map --traffic stencil:16x16 --machine torus:8x8x4 --effort strong -o mapping.json
  topoloom map --traffic traffic.mtx --machine machine.json --objective max-link-load

More: topoloom docs overview, topoloom docs strategies";

pub const SCORE: &str = "\
Examples:
  topoloom score --traffic traffic.mtx --machine torus:8x8x8 --mapping mapping.json
  topoloom score --traffic lu:class=C,ranks=64 --machine torus:4x4x4 --mapping hilbert --json

More: topoloom docs numbers";

pub const COMPARE: &str = "\
Examples:
  topoloom compare --traffic lu:class=C,ranks=64 --machine torus:4x4x4
  topoloom compare --traffic run.rec --strategy auto,matching,in-order --html comparison.html
  topoloom compare --traffic stencil:8x8 --machine mesh:8x8 --strategy genetic,grasp --repeat 50

More: topoloom docs numbers";

pub const REPORT: &str = "\
Examples:
  topoloom report --traffic run.rec -o report.html
  topoloom report --traffic lu:class=C,ranks=64 --machine torus:4x4x4 -o report.html

More: topoloom docs report";

pub const PLOT: &str = "\
Examples:
  topoloom plot matrix --traffic run.rec -o matrix.svg
  topoloom plot machine --traffic ring:64 --machine torus:4x4x4 --strategy hilbert,auto -o a.png
  topoloom plot curve --machine mesh:4x4x4 --strategy hilbert -o hilbert.svg

More: topoloom docs report";

pub const SIMULATE: &str = "\
Examples:
  topoloom simulate --traffic lu:class=A,ranks=64,iterations=10 --machine mesh:8x8 --mapping auto
  topoloom simulate --trace run.otf2 --machine torus:4x4x4 --mapping mapping.json --model packet

More: topoloom docs simulation";

pub const ADVISE: &str = "\
Examples:
  topoloom advise --traffic bt:class=A,ranks=64 --shapes mesh:8x8,mesh:4x4x4,torus:4x4x4
  topoloom advise --traffic run.rec --shapes mesh:8x8,torus:4x4x4 --strategy auto,in-order

More: topoloom docs simulation";

pub const APPLY: &str = "\
Examples:
  topoloom apply --mapping mapping.json --format openmpi4-rankfile -o ranks
  topoloom apply --mapping mapping.json --format slurm-hostfile --hosts n[01-16] -o hosts

More: topoloom docs launch";

pub const RECORD: &str = "\
Examples:
  topoloom record -o run.rec -- mpirun -n 64 ./app
  topoloom record --trace --times -o run.rec -- srun -n 64 ./app

More: topoloom docs record";

pub const RUN: &str = "\
Examples:
  topoloom run --mapping mapping.json -- mpirun -n 64 ./app
  topoloom run --mapping mapping.json --adapt --record run.rec -- srun -n 64 ./app
  topoloom run --reorder -- mpirun -n 64 ./app
  topoloom run --order reverse -- mpirun -n 64 ./app

More: topoloom docs run";

pub const VERIFY: &str = "\
Examples:
  topoloom verify --mapping mapping.json -- mpirun -n 64 --rankfile ranks ./app

More: topoloom docs verify";

pub const TUNE: &str = "\
Examples:
  topoloom tune -- mpirun -n 16 ./app
  topoloom tune --measure 5 -- mpirun -n 16 ./app

More: topoloom docs tune";

pub const CHECK: &str = "\
Examples:
  topoloom check --traffic traffic.mtx --machine torus:8x8x8 --mapping mapping.json

More: topoloom docs formats";

pub const GENERATE: &str = "\
Examples:
  topoloom generate stencil:16x16,bytes=4096 -o stencil.mtx
  topoloom generate lu:class=A,ranks=64 -o lu.trace

More: topoloom docs traffic";

pub const TRAFFIC: &str = "\
Examples:
  topoloom traffic show run.rec
  topoloom traffic merge first.rec second.rec -o both.mtx
  topoloom traffic coarsen traffic.mtx --by 8 -o nodes.mtx

More: topoloom docs traffic";

pub const TRAFFIC_SHOW: &str = "\
Examples:
  topoloom traffic show run.rec
  topoloom traffic show lu:class=C,ranks=64 --collectives algorithm --plot matrix.svg

More: topoloom docs traffic";

pub const TRAFFIC_GROUPS: &str = "\
Examples:
  topoloom traffic groups llm:model=llama3-70b,tp=4,pp=8,dp=2

More: topoloom docs ai";

pub const TRAFFIC_MERGE: &str = "\
Examples:
  topoloom traffic merge first.rec second.rec -o both.mtx
  topoloom traffic merge stencil:8x8 ring:16 --side-by-side -o jobs.mtx

More: topoloom docs traffic";

pub const TRAFFIC_SCALE: &str = "\
Examples:
  topoloom traffic scale run.rec --factor 10 --what both -o longer.rec

More: topoloom docs traffic";

pub const TRAFFIC_FILTER: &str = "\
Examples:
  topoloom traffic filter run.rec --ranks 0-15 -o first.mtx
  topoloom traffic filter traffic.mtx --top 8 --min-bytes 1000000 -o heavy.mtx

More: topoloom docs traffic";

pub const TRAFFIC_SYMMETRIZE: &str = "\
Examples:
  topoloom traffic symmetrize traffic.mtx -o mean.mtx
  topoloom traffic symmetrize traffic.mtx --sum -o sum.mtx

More: topoloom docs traffic";

pub const TRAFFIC_COARSEN: &str = "\
Examples:
  topoloom traffic coarsen traffic.mtx --by 8 -o nodes.mtx
  topoloom traffic coarsen run.rec --groups mapping.json -o nodes.rec

More: topoloom docs traffic";

pub const MACHINE: &str = "\
Examples:
  topoloom machine show torus:4x4x4
  topoloom machine detect -o machine.json
  topoloom machine import node.xml topology.conf -o machine.json
  topoloom machine routes machine.json
  topoloom machine export machine.json --format simgrid -o platform.xml

More: topoloom docs machines";

pub const MACHINE_SHOW: &str = "\
Examples:
  topoloom machine show torus:4x4x4
  topoloom machine show machine.json --json

More: topoloom docs machines";

pub const MACHINE_ROUTES: &str = "\
Examples:
  topoloom machine routes machine.json
  topoloom machine routes machine.json --from n001 --to n064

More: topoloom docs machines";

pub const MACHINE_DETECT: &str = "\
Examples:
  topoloom machine detect -o node.json
  topoloom machine detect --hosts n[01-16] --network topology.conf -o machine.json

More: topoloom docs machines";

pub const MACHINE_MEASURE: &str = "\
Examples:
  topoloom machine measure -o node.json
  topoloom machine measure --machine machine.json -o measured.json -- mpirun -n 64 ./app

More: topoloom docs verify";

pub const MACHINE_IMPORT: &str = "\
Examples:
  topoloom machine import node.xml topology.conf -o machine.json
  topoloom machine import ibnetdiscover.out opensm-lfts.dump -o machine.json

More: topoloom docs machines";

pub const MACHINE_EXPORT: &str = "\
Examples:
  topoloom machine export torus:4x4x4 --format simgrid -o platform.xml

More: topoloom docs machines";

pub const ARRANGE: &str = "\
Examples:
  topoloom arrange --platform example:thesis-3.9 --compare -o arranged.json --svg arranged.svg

More: topoloom docs arrange";

pub const ARRANGE_MEASURE: &str = "\
Examples:
  topoloom arrange measure -o fast.speed
  topoloom arrange measure --from 16 --to 4096 --points 9 -o fast.speed

More: topoloom docs speeds";

pub const ARRANGE_PLATFORM: &str = "\
Examples:
  topoloom arrange platform example:thesis-3.11
  topoloom arrange platform grid.xml -o grid.toml

More: topoloom docs platforms";

pub const SCHEDULE: &str = "\
Examples:
  topoloom schedule --machine torus:8x8x8 --load 0.8 --seeds 10
  topoloom schedule --machine torus:8x8x8 --load 0.8 --partition any-nodes,free-box:shape=advise

More: topoloom docs schedule";

pub const LIST: &str = "\
Examples:
  topoloom list strategies
  topoloom list topologies --json

More: topoloom docs reference";

pub const REPRODUCE: &str = "\
Examples:
  topoloom reproduce haec
  topoloom reproduce multicore --figures figures

More: topoloom docs papers";

pub const DOCS: &str = "\
Examples:
  topoloom docs
  topoloom docs tutorial";

pub const COMPLETIONS: &str = "\
Examples:
  topoloom completions bash > ~/.local/share/bash-completion/completions/topoloom";

pub const MAN: &str = "\
Examples:
  topoloom man --directory ~/.local/share/man/man1";

/// Printed after the list of commands.
pub const ALL: &str = "\
Examples:
  topoloom compare --traffic lu:class=C,ranks=64 --machine torus:4x4x4
  topoloom record -o run.rec -- mpirun -n 64 ./app
  topoloom tune --measure 5 -- mpirun -n 16 ./app

A file called - is standard input or standard output
Exit codes: 0 done, 1 a check failed, 2 bad input or options, 130 interrupted
Fields of --json: topoloom docs json
More: topoloom docs";

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use crate::cli::Cli;
    use crate::commands::docs::is_page;

    fn help_of(command: &clap::Command) -> String {
        command.get_after_help().map(ToString::to_string).unwrap_or_default()
    }

    /// A command and all commands inside it that help texts list.
    fn with_nested(command: &clap::Command) -> Vec<&clap::Command> {
        let listed = command.get_subcommands().filter(|inner| !inner.is_hide_set());
        std::iter::once(command).chain(listed.flat_map(with_nested)).collect()
    }

    #[test]
    fn every_command_has_examples_that_the_command_line_accepts() {
        let all = Cli::command();
        let commands = with_nested(&all);
        // Commands inside commands are among them.
        assert!(commands.len() > all.get_subcommands().count() + 10, "{}", commands.len());
        for command in commands {
            let help = help_of(command);
            assert!(help.starts_with("Examples:\n  topoloom "), "{}", command.get_name());
            for line in help.lines().filter_map(|line| line.strip_prefix("  ")) {
                // The rest of the line belongs to the shell.
                let words = line.split(" > ").next().unwrap_or_default().split(' ');
                if let Err(error) = Cli::try_parse_from(words) {
                    panic!("{line}: {error}");
                }
                assert!(line.len() < 100, "{line}");
            }
        }
    }

    #[test]
    fn every_page_that_help_names_exists() {
        let all = Cli::command();
        for command in with_nested(&all) {
            let help = help_of(command);
            assert!(!help.contains("docs/"), "{help}");
            for name in help.split("topoloom docs ").skip(1) {
                let name = name.split([',', '\n']).next().unwrap_or_default();
                assert!(is_page(name), "{name}");
            }
        }
    }
}
