/* All of world spawns 2 children; parents and children say who they are to each other. With "multiple" by
   MPI_Comm_spawn_multiple. The last rank is the root, and child 1 sends to parent 0: both go by the program's ranks. */
#include "program.h"

static void parent(char *name, int is_multiple) {
    MPI_Comm child, all;
    int codes[2], remote, got = -1, merged;
    char line[LINE];
    if (is_multiple) {
        char *names[2] = {name, name};
        int numbers[2] = {1, 1};
        MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
        MPI_Comm_spawn_multiple(2, names, MPI_ARGVS_NULL, numbers, infos, size - 1, MPI_COMM_WORLD, &child, codes);
    } else {
        /* What is not the root's is not looked at. */
        int is_root = rank == size - 1;
        char *its_name = is_root ? name : "nothing";
        MPI_Comm_spawn(its_name, MPI_ARGV_NULL, 2, MPI_INFO_NULL, size - 1, MPI_COMM_WORLD, &child, codes);
    }
    MPI_Comm_remote_size(child, &remote);
    if (rank == 0) MPI_Recv(&got, 1, MPI_INT, 1, 5, child, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(child, 0, &all);
    MPI_Comm_rank(all, &merged);
    snprintf(line, sizeof line, "parent rank %d remote %d got %d merged %d", rank, remote, got, merged);
    print_in_order(line);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&child);
}

static void child(MPI_Comm parents) {
    MPI_Comm all;
    int remote, merged;
    char line[LINE];
    MPI_Comm_remote_size(parents, &remote);
    if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 0, 5, parents);
    MPI_Intercomm_merge(parents, 1, &all);
    MPI_Comm_rank(all, &merged);
    snprintf(line, sizeof line, "child rank %d of %d remote %d merged %d", rank, size, remote, merged);
    print_in_order(line);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parents);
}

int main(int argc, char **argv) {
    MPI_Comm parents;
    MPI_Init(&argc, &argv);
    who();
    MPI_Comm_get_parent(&parents);
    if (parents == MPI_COMM_NULL) parent(argv[0], argc > 1 && !strcmp(argv[1], "multiple"));
    else child(parents);
    MPI_Finalize();
    return 0;
}
