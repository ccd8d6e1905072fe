/* What the programs share: who this is in MPI_COMM_WORLD, and a way to say whether something holds everywhere. */
#ifndef PROGRAM_H
#define PROGRAM_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sessions and partitioned messages: MPI 4, which Open MPI 5 has in part while it calls itself 3.1. */
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_MPI_4_CALLS 1
#endif
#define LINE 256

static int rank, size;
/* Neighbours in a ring of all ranks. */
static int next, before;

static inline void who(void) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
}

/* Rank 0 prints whether it is good on all ranks. */
static inline void say(const char *name, int good) {
    int all = 0;
    PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0) printf("%s %s\n", all ? "ok" : "NOT", name);
    fflush(stdout);
}

/* Rank 0 prints a line of each rank, in the order of ranks. */
static inline void print_in_order(const char *line) {
    char copy[LINE] = "", *all = malloc((size_t)LINE * size);
    snprintf(copy, sizeof copy, "%s", line);
    MPI_Gather(copy, LINE, MPI_CHAR, all, LINE, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++) puts(all + (size_t)LINE * i);
    fflush(stdout);
    free(all);
}

/* The rank that the launcher gave this process. */
static inline const char *launched(void) {
    const char *names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (int i = 0; i < 4; i++)
        if (getenv(names[i])) return getenv(names[i]);
    return "?";
}
#endif
