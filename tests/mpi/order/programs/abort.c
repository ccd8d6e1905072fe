/* Rank 1, or the one that the argument names, aborts all of world with code 7; the rest wait. */
#include "program.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    who();
    if (rank == (argc > 1 ? atoi(argv[1]) : 1)) MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
