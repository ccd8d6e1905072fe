/* What calls on MPI_COMM_WORLD cost: nanoseconds of the fastest of many blocks, and of the middle one.
   With the argument "empty" it only begins and ends. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCKS 401
static int rank, size;
static char out[1024], in[1024];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * time.tv_sec + time.tv_nsec;
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void measure(const char *name, int calls, void (*call)(int), int bytes) {
    double times[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
        double begin = now();
        for (int i = 0; i < calls; i++) call(bytes);
        times[block] = (now() - begin) / calls;
    }
    qsort(times, BLOCKS, sizeof *times, rising);
    if (!rank) printf("%s\t%.2f\t%.2f\n", name, times[0], times[BLOCKS / 2]);
}

static void ask(int bytes) {
    int answer;
    (void)bytes;
    MPI_Comm_rank(MPI_COMM_WORLD, &answer);
}

static void to_nobody(int bytes) { MPI_Send(out, bytes, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD); }

static void to_oneself(int bytes) {
    MPI_Request request;
    MPI_Irecv(in, bytes, MPI_BYTE, rank, 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, bytes, MPI_BYTE, rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void there_and_back(int bytes) {
    int other = 1 - rank;
    if (rank == 0) MPI_Send(out, bytes, MPI_BYTE, other, 2, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_BYTE, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(out, bytes, MPI_BYTE, other, 2, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2 || strcmp(argv[1], "empty")) {
        measure("Comm_rank", 2000, ask, 0);
        measure("Send to nobody", 2000, to_nobody, 8);
        measure("to oneself, 0 B", 500, to_oneself, 0);
        measure("to oneself, 1 KiB", 500, to_oneself, 1024);
        if (size == 2) {
            measure("there and back, 0 B", 200, there_and_back, 0);
            measure("there and back, 1 KiB", 200, there_and_back, 1024);
        }
    }
    MPI_Finalize();
}
