/* A library that deepbind.c opens: it asks for its rank in world. */
#include <mpi.h>

int plugin_rank(void) {
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}
