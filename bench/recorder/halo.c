// Halo exchanges of 1 KiB in a closed grid: halo TIMES, with times in a block. The calls of one rank count: 4 receives,
// 4 sends and one that waits for all.
#include "blocks.h"

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
    for (int block = -10; block < BLOCKS; block++) {  // the first ones warm up
        double before = MPI_Wtime();
        for (long i = 0; i < times; i++) {
            MPI_Request requests[8];
            for (int n = 0; n < 4; n++) MPI_Irecv(incoming[n], 1024, MPI_CHAR, neighbours[n], 0, grid, &requests[n]);
            for (int n = 0; n < 4; n++) MPI_Isend(outgoing, 1024, MPI_CHAR, neighbours[n], 0, grid, &requests[4 + n]);
            MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        }
        if (block >= 0) block_seconds[block] = MPI_Wtime() - before;
    }
    if (rank == 0) report(9 * times);
    MPI_Finalize();
    return 0;
}
