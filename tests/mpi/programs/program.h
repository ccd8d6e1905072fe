// What all test programs share: a start, a check that fails the run, and names for what the library has.
#ifndef PROGRAM_H
#define PROGRAM_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Isendrecv, persistent collectives: MPI 4, which Open MPI 5 has in part while it calls itself 3.1.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_MPI_4_CALLS 1
#endif
// The calls with large counts, MPI_Send_c and so on: Open MPI has none up to 5.0.
#if MPI_VERSION >= 4
#define HAS_LARGE_COUNTS 1
#endif

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "rank %d: %s:%d: not so: %s\n", rank, __FILE__, __LINE__, #condition); \
            fflush(stderr);                                                               \
            MPI_Abort(MPI_COMM_WORLD, 3);                                                 \
        }                                                                                 \
    } while (0)

static int rank, ranks;
// Neighbours in a ring of all ranks.
static int next, previous;

static inline void start(int *argc, char ***argv, int wanted) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    next = (rank + 1) % ranks;
    previous = (rank + ranks - 1) % ranks;
    CHECK(wanted == 0 || ranks == wanted);
}

static inline int finish(void) {
    MPI_Finalize();
    if (rank == 0) puts("done");
    return 0;
}
#endif
