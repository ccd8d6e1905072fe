/* Several threads of each rank at once: on world, each with a tag of its own; and on a copy of world each, with
   collectives. */
#include "program.h"
#include <pthread.h>
#define THREADS 4
#define ROUNDS 100

static MPI_Comm copies[THREADS];
static int wrong[THREADS];

static void *work(void *argument) {
    int number = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++) {
        int got = -1, own = -1, sum = -1, mine = 1000 * round + rank;
        MPI_Status status;
        MPI_Sendrecv(&mine, 1, MPI_INT, next, number, &got, 1, MPI_INT, before, number, MPI_COMM_WORLD, &status);
        wrong[number] += got != 1000 * round + before || status.MPI_SOURCE != before;
        MPI_Comm_rank(MPI_COMM_WORLD, &own);
        wrong[number] += own != rank;
        if (round % 10) continue;
        MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, copies[number]);
        wrong[number] += sum != rank * (rank + 1) / 2;
    }
    return NULL;
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    who();
    if (provided < MPI_THREAD_MULTIPLE) {
        if (rank == 0) puts("skip: no threads at once");
        MPI_Finalize();
        return 0;
    }
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, copies + i);
    for (long i = 0; i < THREADS; i++) pthread_create(threads + i, NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        char line[LINE];
        snprintf(line, sizeof line, "thread %d", i);
        say(line, wrong[i] == 0);
        MPI_Comm_free(copies + i);
    }
    MPI_Finalize();
    return 0;
}
