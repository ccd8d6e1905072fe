/* A function that deletes an attribute of the world in MPI_Finalize still sees the program's ranks. */
#include <mpi.h>
#include <stdio.h>

static int was;

static int deleted(MPI_Comm comm, int key, void *value, void *extra) {
    (void)key, (void)value, (void)extra;
    int world, given;
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(comm, &given);
    if (was == 0) puts(world == was && given == was ? "note last words: right" : "NOT last words");
    return MPI_SUCCESS;
}

int main(int argc, char **argv) {
    int key;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &was);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &was);
    if (was == 0) puts("begun");
    fflush(stdout);
    MPI_Finalize();
}
