// Loops of cheap calls on a single rank: calls WHAT TIMES. Prints seconds and the number of MPI calls in the loop.
//   nobody   MPI_Send to MPI_PROC_NULL: what a wrapper costs that has nothing to count
//   self     MPI_Irecv, MPI_Send and MPI_Wait of 1 KiB from the rank to itself
//   reduce   MPI_Allreduce of one double among one rank
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *what = argv[1];
    long times = atol(argv[2]), calls = 0;
    static char outgoing[1024], incoming[1024];
    double before = MPI_Wtime();
    if (!strcmp(what, "nobody")) {
        for (long i = 0; i < times; i++) MPI_Send(outgoing, 1024, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        calls = times;
    } else if (!strcmp(what, "self")) {
        for (long i = 0; i < times; i++) {
            MPI_Request request;
            MPI_Irecv(incoming, 1024, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
            MPI_Send(outgoing, 1024, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        calls = 3 * times;
    } else if (!strcmp(what, "reduce")) {
        double value = 1, sum;
        for (long i = 0; i < times; i++) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        calls = times;
    } else {
        return 2;
    }
    double seconds = MPI_Wtime() - before;
    MPI_Finalize();
    printf("measured %.9f %ld\n", seconds, calls);
    return 0;
}
