/* What a program may take for granted about MPI_COMM_WORLD: messages, collectives, communicators made of it,
   topologies, and its number in Fortran. Prints "ok NAME" or "NOT NAME". With an argument, what needs one host is left
   out. */
#include "program.h"

static int got, result;
static MPI_Request requests[2];
static MPI_Status status, statuses[2];

static void check_messages(void) {
    MPI_Message message;
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, &got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &status);
    say("sendrecv", got == before && status.MPI_SOURCE == before);
    MPI_Isend(&rank, 1, MPI_INT, next, 2, MPI_COMM_WORLD, requests);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, requests + 1);
    MPI_Waitall(2, requests, statuses);
    say("any source", got == before && statuses[1].MPI_SOURCE == before);
    MPI_Send_init(&rank, 1, MPI_INT, next, 3, MPI_COMM_WORLD, requests);
    MPI_Recv_init(&got, 1, MPI_INT, before, 3, MPI_COMM_WORLD, requests + 1);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
    MPI_Request_free(requests);
    MPI_Request_free(requests + 1);
    say("persistent", got == before);
    MPI_Isend(&rank, 1, MPI_INT, next, 4, MPI_COMM_WORLD, requests);
    MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, &status);
    result = status.MPI_SOURCE;
    MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    say("matched probe", got == before && result == before);
#ifdef HAS_MPI_4_CALLS
    MPI_Isendrecv(&rank, 1, MPI_INT, next, 5, &got, 1, MPI_INT, before, 5, MPI_COMM_WORLD, requests);
    MPI_Wait(requests, &status);
    say("isendrecv", got == before);
    MPI_Psend_init(&rank, 1, 1, MPI_INT, next, 6, MPI_COMM_WORLD, MPI_INFO_NULL, requests);
    MPI_Precv_init(&got, 1, 1, MPI_INT, before, 6, MPI_COMM_WORLD, MPI_INFO_NULL, requests + 1);
    MPI_Startall(2, requests);
    MPI_Pready(0, requests[0]);
    MPI_Waitall(2, requests, statuses);
    MPI_Request_free(requests);
    MPI_Request_free(requests + 1);
    say("partitioned", got == before);
#endif
}

static void check_collectives(void) {
    int *all = calloc(size, sizeof(int)), good = 1, sum;
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) good &= all[i] == i;
    say("allgather", good);
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say("scan", sum == rank * (rank + 1) / 2);
    memset(all, -1, size * sizeof(int));
    MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    good = 1;
    for (int i = 0; i < size; i++) good &= all[i] == i;
    say("iallgather", good);
    free(all);
}

static void check_communicators(int is_one_host) {
    MPI_Comm copy, half, shared, created;
    MPI_Group group, part;
    int own, half_rank, half_size, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
    say("world is identical to world", result == MPI_IDENT);
    MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
    say("a copy is congruent", result == MPI_CONGRUENT);
    MPI_Comm_compare(copy, MPI_COMM_WORLD, &result);
    say("world is congruent to a copy", result == MPI_CONGRUENT);
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result);
    say("self is another", result == MPI_UNEQUAL);
    MPI_Comm_rank(copy, &result);
    say("rank in a copy", result == rank);
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    say("name", !strcmp(name, "MPI_COMM_WORLD") && length == (int)strlen(name));
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_rank(group, &result);
    say("rank in the group", result == rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_group(half, &part);
    MPI_Comm_rank(half, &half_rank);
    MPI_Comm_size(half, &half_size);
    MPI_Group_translate_ranks(part, 1, &half_rank, group, &own);
    say("split", own == rank && half_rank == half_size - 1 - rank / 2);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    MPI_Comm_rank(shared, &result);
    if (is_one_host) say("split by host", result == rank);
    MPI_Comm_free(&shared);
    MPI_Comm_create(MPI_COMM_WORLD, group, &created);
    MPI_Comm_rank(created, &result);
    say("create", result == rank);
    MPI_Comm_free(&created);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &created);
    MPI_Comm_rank(created, &result);
    say("create of a group", result == rank);
    MPI_Comm_free(&created);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    MPI_Group_free(&part);
    MPI_Group_free(&group);
}

static void check_topologies(void) {
    MPI_Comm ring, graph;
    int periodic = 1, source, target;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Comm_rank(ring, &result);
    MPI_Cart_shift(ring, 0, 1, &source, &target);
    say("grid", result == rank && source == before && target == next);
    MPI_Dist_graph_create_adjacent(
        MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &got, 1, MPI_INT, graph);
    say("graph", got == before);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&graph);
}

static void check_number(void) {
#ifdef MPI_ABI_VERSION
    int number = MPI_Comm_toint(MPI_COMM_WORLD);
    MPI_Comm back = MPI_Comm_fromint(number);
#else
    MPI_Fint number = MPI_Comm_c2f(MPI_COMM_WORLD);
    MPI_Comm back = MPI_Comm_f2c(number);
#endif
    MPI_Comm_rank(back, &result);
    say("number of Fortran and back", result == rank && back == MPI_COMM_WORLD);
    if (rank == 0) printf("number of world: 0x%x\n", (unsigned)number);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    who();
    check_messages();
    check_collectives();
    check_communicators(argc < 2);
    check_topologies();
    check_number();
    MPI_Finalize();
    return 0;
}
