// Loops of cheap calls on a single rank: calls WHAT TIMES, with times in a block.
//   nobody   MPI_Send to MPI_PROC_NULL: what a wrapper costs that has nothing to count
//   self     MPI_Irecv, MPI_Send and MPI_Wait of 1 KiB from the rank to itself
//   reduce   MPI_Allreduce of one double among one rank
#include "blocks.h"

static char outgoing[1024], incoming[1024];

static void to_nobody(long times) {
    for (long i = 0; i < times; i++) MPI_Send(outgoing, 1024, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void to_self(long times) {
    for (long i = 0; i < times; i++) {
        MPI_Request request;
        MPI_Irecv(incoming, 1024, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Send(outgoing, 1024, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void reduce(long times) {
    double value = 1, sum;
    for (long i = 0; i < times; i++) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *what = argv[1];
    long times = atol(argv[2]);
    int is_self = !strcmp(what, "self");
    void (*loop)(long) = is_self ? to_self : !strcmp(what, "reduce") ? reduce : to_nobody;
    for (int block = 0; block < BLOCKS; block++) {
        double before = MPI_Wtime();
        loop(times);
        block_seconds[block] = MPI_Wtime() - before;
    }
    MPI_Finalize();
    report(is_self ? 3 * times : times);
    return 0;
}
