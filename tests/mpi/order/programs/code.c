/* Rank 1 ends with code 5 after MPI_Finalize: the exit code of the job is the launcher's affair. */
#include "program.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    who();
    char line[LINE];
    snprintf(line, sizeof line, "rank %d launched %s", rank, launched());
    print_in_order(line);
    MPI_Finalize();
    return rank == 1 ? 5 : 0;
}
