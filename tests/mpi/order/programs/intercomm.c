/* An intercommunicator between the even and the odd ranks of world: who is remote, messages, and merging. */
#include "program.h"

int main(int argc, char **argv) {
    MPI_Comm half, inter, merged;
    MPI_Group world, remote;
    MPI_Init(&argc, &argv);
    who();
    int odd = rank % 2, half_rank, half_size, others, result, good = 1;
    MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half);
    MPI_Comm_rank(half, &half_rank);
    MPI_Comm_size(half, &half_size);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, odd ? 0 : 1, 9, &inter);
    MPI_Comm_remote_size(inter, &others);
    say("size of the other side", others == size - half_size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_remote_group(inter, &remote);
    for (int i = 0; i < others; i++) {
        MPI_Group_translate_ranks(remote, 1, &i, world, &result);
        good &= result == 2 * i + 1 - odd;
    }
    say("group of the other side", good);
    MPI_Comm_test_inter(inter, &result);
    say("is an intercommunicator", result == 1);
    MPI_Comm_test_inter(MPI_COMM_WORLD, &result);
    say("world is none", result == 0);
    int got = -1, partner = half_rank < others ? half_rank : MPI_PROC_NULL;
    MPI_Sendrecv(&rank, 1, MPI_INT, partner, 3, &got, 1, MPI_INT, partner, 3, inter, MPI_STATUS_IGNORE);
    say("message to the other side", partner == MPI_PROC_NULL || got == (rank ^ 1));
    int *all = malloc(size * sizeof(int));
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, inter);
    good = 1;
    for (int i = 0; i < others; i++) good &= all[i] == 2 * i + 1 - odd;
    say("allgather of the other side", good);
    MPI_Intercomm_merge(inter, odd, &merged);
    MPI_Comm_rank(merged, &result);
    say("merged", result == (odd ? size - half_size : 0) + half_rank);
    MPI_Comm copy;
    MPI_Comm_dup(inter, &copy);
    MPI_Comm_compare(inter, copy, &result);
    say("a copy is congruent", result == MPI_CONGRUENT);
    free(all);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Group_free(&world);
    MPI_Group_free(&remote);
    MPI_Finalize();
    return 0;
}
