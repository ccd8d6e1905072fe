"""How jobs are spread over cores and hosts, in the words of each launcher."""

import dataclasses

from verify import REMOTE_SHELL


@dataclasses.dataclass(frozen=True)
class Layout:
    """Ranks, and the options that say where they go."""

    name: str
    ranks: int
    open_mpi: tuple
    mpich: tuple
    hosts: int = 0  # how many names of hosts this machine gets; 0: its own

    @property
    def is_crowded(self):
        """Whether ranks share cores, and so wait long. Several hosts are one machine."""
        return self.ranks > 2

    def options(self, launcher):
        """Those of one library."""
        own = self.open_mpi if launcher.flavour.is_open_mpi else self.mpich
        return [*own, "-n", str(self.ranks)]

    def hidden(self, launcher):
        """Options that present one machine as several hosts; tables leave them out."""
        if not self.hosts:
            return []
        if not launcher.flavour.is_open_mpi:
            return ["-launcher", "ssh", "-launcher-exec", str(REMOTE_SHELL)]
        agent = ["--prtemca", "plm_ssh_agent"] if launcher.is_new else ["--mca", "plm_rsh_agent"]
        # Other hosts do not see the environment.
        names = ("LD_LIBRARY_PATH", "MPI4PY_LIBMPI", "OMP_NUM_THREADS")
        known = [name for name in names if name in launcher.environment]
        return [*agent, str(REMOTE_SHELL), *(word for name in known for word in ("-x", name))]


TWO, FOUR = "n1:2,n2:2", "n1,n2,n3,n4"
PLAIN = Layout("plain", 2, (), ())
CROWDED = Layout("oversubscribed", 8, ("--oversubscribe",), ())
SPREAD = Layout("one per host", 2, ("--host", TWO, "--map-by", "ppr:1:node"), ("-hosts", "n1,n2", "-ppn", "1"), 2)
WIDE = Layout("PE=2", 1, ("--map-by", "slot:PE=2", "--bind-to", "core"), ("-bind-to", "user:0+1"))
UNBOUND = Layout("unbound", 2, ("--bind-to", "none"), ("-bind-to", "none"))
HOSTS = Layout("two hosts", 4, ("--host", TWO), ("-hosts", "n1,n2", "-ppn", "2"), 2)
USUAL = (PLAIN, CROWDED, SPREAD, WIDE, UNBOUND, HOSTS)
BOUND_HOSTS = Layout(
    "two hosts, bound", 4, ("--host", TWO, "--bind-to", "core"), ("-hosts", "n1,n2", "-ppn", "2", "-bind-to", "core"), 2)
SWITCHES = Layout("four hosts", 4, ("--host", FOUR, "--map-by", "ppr:1:node"), ("-hosts", FOUR, "-ppn", "1"), 4)
