// 1 KiB back and forth between two ranks: ping_pong TIMES. Prints seconds and the calls that follow one another in
// them: a rank's send, the other's receive, its send, and the first one's receive take turns.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long times = atol(argv[1]);
    static char buffer[1024];
    for (int round = 0; round < 2; round++) {  // the first one warms up
        long turns = round ? times : times / 10 + 1;
        MPI_Barrier(MPI_COMM_WORLD);
        double before = MPI_Wtime();
        for (long i = 0; i < turns; i++) {
            if (rank == 0) {
                MPI_Send(buffer, 1024, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(buffer, 1024, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(buffer, 1024, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(buffer, 1024, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
            }
        }
        if (round && rank == 0) printf("measured %.9f %ld\n", MPI_Wtime() - before, 4 * turns);
    }
    MPI_Finalize();
    return 0;
}
