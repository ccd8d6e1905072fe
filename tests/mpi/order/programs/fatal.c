/* An error on world with the default handler, which is fatal: rank 1, or the one that the argument names, sends to a
   rank that is not there. */
#include "program.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    who();
    if (rank == (argc > 1 ? atoi(argv[1]) : 1)) MPI_Send(&rank, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
