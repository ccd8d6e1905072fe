/* Nanoseconds a call on MPI_COMM_WORLD, with two ranks: the fastest and the middle of many blocks. */
#include "program.h"
#include <time.h>
#define BLOCKS 201

static char out[8], in[8];
static int number, total;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * time.tv_sec + time.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(double *)a, y = *(double *)b;
    return x < y ? -1 : x > y;
}

static void ask_rank(void) { MPI_Comm_rank(MPI_COMM_WORLD, &number); }
static void send_to_nobody(void) { MPI_Send(out, 8, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD); }
static void send_to_oneself(void) {
    MPI_Request request;
    MPI_Irecv(in, 8, MPI_CHAR, rank, 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, 8, MPI_CHAR, rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void there_and_back(void) {
    if (rank == 0) {
        MPI_Send(out, 8, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
        MPI_Recv(in, 8, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in, 8, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, 8, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    }
}
static void reduce(void) { MPI_Allreduce(&number, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }

static void measure(const char *name, int calls, void (*call)(void)) {
    double times[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
        double start = now();
        for (int i = 0; i < calls; i++) call();
        times[block] = (now() - start) / calls;
    }
    qsort(times, BLOCKS, sizeof *times, compare);
    if (rank == 0) printf("%-16s fastest %.1f middle %.1f\n", name, times[0], times[BLOCKS / 2]);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    who();
    if (size != 2) MPI_Abort(MPI_COMM_WORLD, 2);
    measure("rank", 2000, ask_rank);
    measure("to nobody", 2000, send_to_nobody);
    measure("to oneself", 500, send_to_oneself);
    measure("there and back", 300, there_and_back);
    measure("allreduce", 300, reduce);
    MPI_Finalize();
    return 0;
}
