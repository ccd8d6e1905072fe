// 1 KiB back and forth between two ranks: ping_pong TIMES, with times in a block. All four calls of a round trip count,
// since they follow one another: a send, the other's receive, its send, and the first one's receive.
#include "blocks.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long times = atol(argv[1]);
    static char buffer[1024];
    for (int block = -10; block < BLOCKS; block++) {  // the first ones warm up
        double before = MPI_Wtime();
        for (long i = 0; i < times; i++) {
            if (rank == 0) {
                MPI_Send(buffer, 1024, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(buffer, 1024, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(buffer, 1024, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(buffer, 1024, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
            }
        }
        if (block >= 0) block_seconds[block] = MPI_Wtime() - before;
    }
    if (rank == 0) report(4 * times);
    MPI_Finalize();
    return 0;
}
