/* Halo exchange of an open grid of 8 x 8 ranks, for SimGrid's SMPI.
 *
 * halo BYTES ITERATIONS: prints the simulated seconds from the earliest start to the latest end.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 8, COLUMNS = 8, PAST_THE_END = 1000000 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 3 || ranks != ROWS * COLUMNS) {
        if (rank == 0)
            fprintf(stderr, "halo BYTES ITERATIONS, with %d ranks\n", ROWS * COLUMNS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int bytes = atoi(argv[1]), iterations = atoi(argv[2]);

    int neighbour[4], neighbours = 0;
    const int row = rank / COLUMNS, column = rank % COLUMNS;
    if (row > 0)
        neighbour[neighbours++] = rank - COLUMNS;
    if (row < ROWS - 1)
        neighbour[neighbours++] = rank + COLUMNS;
    if (column > 0)
        neighbour[neighbours++] = rank - 1;
    if (column < COLUMNS - 1)
        neighbour[neighbours++] = rank + 1;

    /* Shared by all ranks, and so never copied: nothing here reads what arrives. */
    char *buffer = SMPI_SHARED_MALLOC(bytes > 0 ? bytes : 1);
    MPI_Request request[8];

    /* No barrier: with smpi/init at 0 every rank is here at time 0. */
    const double start = MPI_Wtime();
    for (int iteration = 0; iteration < iterations; iteration++) {
        for (int n = 0; n < neighbours; n++)
            MPI_Irecv(buffer, bytes, MPI_BYTE, neighbour[n], 0, MPI_COMM_WORLD, &request[n]);
        for (int n = 0; n < neighbours; n++)
            MPI_Isend(buffer, bytes, MPI_BYTE, neighbour[n], 0, MPI_COMM_WORLD, &request[neighbours + n]);
        MPI_Waitall(2 * neighbours, request, MPI_STATUSES_IGNORE);
    }
    const double end = MPI_Wtime();

    /* A reduction now would share links with ranks that still exchange, so all sleep past the last of them. */
    sleep(PAST_THE_END);
    double earliest, latest;
    MPI_Reduce(&start, &earliest, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&end, &latest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("seconds %.12g\n", latest - earliest);

    SMPI_SHARED_FREE(buffer);
    MPI_Finalize();
    return 0;
}
