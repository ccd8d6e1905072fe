/* A halo exchange on a grid of all ranks, which SimGrid simulates: prints the seconds of some steps. With the argument
   "reorder" the program lets MPI give ranks to other processes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int ranks, dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1}, size = 1 << 20;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 3, dims);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, argc > 1 && !strcmp(argv[1], "reorder"), &grid);
    char *out = calloc(1, size), *in = calloc(1, size);
    MPI_Barrier(grid);
    double begin = MPI_Wtime();
    for (int step = 0; step < 10; step++)
        for (int dimension = 0; dimension < 3; dimension++)
            for (int direction = -1; direction <= 1; direction += 2) {
                int from, to;
                MPI_Cart_shift(grid, dimension, direction, &from, &to);
                MPI_Sendrecv(out, size, MPI_BYTE, to, 0, in, size, MPI_BYTE, from, 0, grid, MPI_STATUS_IGNORE);
            }
    MPI_Barrier(grid);
    double seconds = MPI_Wtime() - begin;
    int rank;
    MPI_Comm_rank(grid, &rank);
    if (!rank) printf("seconds %.9f\n", seconds);
    MPI_Finalize();
}
