// 4 threads on each of 4 ranks call MPI at the same time; see `threads` in expected.py.
#include "program.h"
#include <pthread.h>

enum { THREADS = 4, TIMES = 50 };
static MPI_Comm comms[THREADS];

// Thread t: 50 times 8 (t + 1) bytes to the next rank, non-blocking on the communicator of its own and blocking on
// the common one with a tag of its own; then 20 barriers on its own.
static void *work(void *argument) {
    int thread = (int)(long)argument;
    char outgoing[64] = {0}, incoming[64];
    int bytes = 8 * (thread + 1);
    for (int i = 0; i < TIMES; i++) {
        MPI_Request requests[2];
        MPI_Irecv(incoming, bytes, MPI_CHAR, previous, 0, comms[thread], &requests[0]);
        MPI_Isend(outgoing, bytes, MPI_CHAR, next, 0, comms[thread], &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (rank % 2) {
            MPI_Recv(incoming, bytes, MPI_CHAR, previous, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(outgoing, bytes, MPI_CHAR, next, thread, MPI_COMM_WORLD);
        } else {
            MPI_Send(outgoing, bytes, MPI_CHAR, next, thread, MPI_COMM_WORLD);
            MPI_Recv(incoming, bytes, MPI_CHAR, MPI_ANY_SOURCE, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    for (int i = 0; i < 20; i++) MPI_Barrier(comms[thread]);
    return NULL;
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    previous = (rank + ranks - 1) % ranks;
    if (provided < MPI_THREAD_MULTIPLE) {
        if (rank == 0) puts("skip: the library gives no MPI_THREAD_MULTIPLE");
        MPI_Finalize();
        return 0;
    }
    CHECK(ranks == 4);
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
    for (int t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, work, (void *)(long)t);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++) MPI_Comm_free(&comms[t]);
    return finish();
}
