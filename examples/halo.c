// A halo exchange in three dimensions: each rank owns a box and exchanges its six faces with its neighbours in every step.
// Build: mpicc -O2 -o halo halo.c      Run: mpirun -n 64 ./halo
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 20, FACE = 8192 };  // numbers per face: 64 KiB

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int ranks, rank, sizes[3] = {0, 0, 0}, periods[3] = {0, 0, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 3, sizes);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 3, sizes, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);

    double *outgoing = calloc(6 * FACE, sizeof(double));
    double *incoming = calloc(6 * FACE, sizeof(double));
    for (int step = 0; step < STEPS; step++) {
        MPI_Request requests[12];
        for (int axis = 0; axis < 3; axis++) {
            int before, after;
            MPI_Cart_shift(grid, axis, 1, &before, &after);
            int neighbours[2] = {before, after};
            for (int side = 0; side < 2; side++) {
                int face = 2 * axis + side;
                MPI_Irecv(incoming + face * FACE, FACE, MPI_DOUBLE, neighbours[side], 1 - side, grid, &requests[face]);
                MPI_Isend(outgoing + face * FACE, FACE, MPI_DOUBLE, neighbours[side], side, grid, &requests[6 + face]);
            }
        }
        MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 6 * FACE; i++) outgoing[i] = incoming[i] + rank;
    }
    double sum = outgoing[0], total;
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
    if (rank == 0) printf("done: %g\n", total);
    free(outgoing);
    free(incoming);
    MPI_Finalize();
    return 0;
}
