/* Every rank says where it is, in its own line: "at RANK HOST CPUS". */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char host[256] = "", line[4096], cpus[4096] = "";
    gethostname(host, sizeof host - 1);
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) sscanf(line, "Cpus_allowed_list: %4095s", cpus);
    if (status) fclose(status);
    snprintf(line, sizeof line, "at %d %s %.3000s\n", rank, host, cpus);
    /* In one piece, so that lines of several ranks do not mix. */
    if (write(1, line, strlen(line)) < 0) return 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
