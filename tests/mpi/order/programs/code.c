/* Rank 1, or the one that the argument names, ends with code 5 after MPI_Finalize: the exit code of the job is the
   launcher's affair. */
#include "program.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    who();
    char line[LINE];
    snprintf(line, sizeof line, "rank %d launched %s", rank, launched());
    print_in_order(line);
    MPI_Finalize();
    return rank == (argc > 1 ? atoi(argv[1]) : 1) ? 5 : 0;
}
