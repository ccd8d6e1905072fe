// Halo exchanges of 1 KiB in a closed grid of 2 x 2 or 4 x 4 ranks: halo TIMES. Prints seconds and the calls of one
// rank in them: 4 receives, 4 sends and one that waits for all.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks, sizes[2] = {0, 0}, rings[2] = {1, 1}, neighbours[4];
    MPI_Comm grid;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, rings, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    for (int axis = 0; axis < 2; axis++) MPI_Cart_shift(grid, axis, 1, &neighbours[2 * axis], &neighbours[2 * axis + 1]);
    long times = atol(argv[1]);
    static char outgoing[1024], incoming[4][1024];
    double before = 0;
    for (long i = -times / 10 - 1; i < times; i++) {  // the first ones warm up
        if (i == 0) {
            MPI_Barrier(grid);
            before = MPI_Wtime();
        }
        MPI_Request requests[8];
        for (int n = 0; n < 4; n++) MPI_Irecv(incoming[n], 1024, MPI_CHAR, neighbours[n], 0, grid, &requests[n]);
        for (int n = 0; n < 4; n++) MPI_Isend(outgoing, 1024, MPI_CHAR, neighbours[n], 0, grid, &requests[4 + n]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(grid);
    if (rank == 0) printf("measured %.9f %ld\n", MPI_Wtime() - before, 9 * times);
    MPI_Finalize();
    return 0;
}
