// Every rank sends BYTES to the rank SHIFT places after it, and receives as many, at once: shift BYTES SHIFT.
// Prints how long the slowest rank took, in microseconds.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
    int bytes = atoi(argv[1]), shift = atoi(argv[2]);
    // Shared by all ranks, and so never copied: nothing here reads what arrives.
    char *buffer = SMPI_SHARED_MALLOC(bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    MPI_Sendrecv(buffer, bytes, MPI_BYTE, (rank + shift) % ranks, 0,
                 buffer, bytes, MPI_BYTE, (rank - shift + ranks) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double own = MPI_Wtime() - start, slowest;
    MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("microseconds %.6f\n", slowest * 1e6);
    SMPI_SHARED_FREE(buffer);
    MPI_Finalize();
    return 0;
}
