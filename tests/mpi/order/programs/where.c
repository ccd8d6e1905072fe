/* Who is where: a line a rank, in the order of ranks: rank, rank that the launcher gave, host, CPUs allowed. */
#define _GNU_SOURCE
#include "program.h"
#include <sched.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    who();
    char line[LINE], host[64] = "", cpus[96] = "";
    gethostname(host, sizeof host - 1);
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set) && strlen(cpus) < 80) sprintf(cpus + strlen(cpus), "%s%d", *cpus ? "," : "", cpu);
    snprintf(line, sizeof line, "rank %d launched %s host %s cpus %s", rank, launched(), host, cpus);
    print_in_order(line);
    MPI_Finalize();
    return 0;
}
