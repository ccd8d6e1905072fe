// Messages and collectives on communicators of all kinds, 6 ranks; see `communicators` in expected.py.
#include "program.h"

static char outgoing[256], incoming[256];

// `bytes` from member `from` to member `to` of `comm`, and one Allreduce of 4 bytes on it.
static void use(MPI_Comm comm, int from, int to, int bytes) {
    int member, one = 1, sum = 0, size;
    MPI_Comm_rank(comm, &member);
    MPI_Comm_size(comm, &size);
    if (member == from) MPI_Send(outgoing, bytes, MPI_CHAR, to, 0, comm);
    if (member == to) {
        MPI_Status status;
        MPI_Recv(incoming, bytes, MPI_CHAR, MPI_ANY_SOURCE, 0, comm, &status);
        CHECK(status.MPI_SOURCE == from);
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == size);
}

int main(int argc, char **argv) {
    start(&argc, &argv, 6);
    MPI_Comm comm, other, grid;
    MPI_Request request;

    // Same members: 0 -> 5 and all six.
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm, 0, 5, 10);
    MPI_Comm_idup(comm, &other, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    use(other, 0, 5, 11);
    MPI_Comm_dup_with_info(other, MPI_INFO_NULL, &comm);
    MPI_Comm_free(&other);
    use(comm, 0, 5, 12);
    MPI_Comm_free(&comm);

    // Even and odd ranks, backwards: {4 2 0} and {5 3 1}. Member 0 -> 1 is 4 -> 2 and 5 -> 3.
    MPI_Comm halves;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &halves);
    use(halves, 0, 1, 20);
    // A half of a half, backwards once more: {0 2} and {1 3}; 4 and 5 stay out. Member 0 -> 1 is 0 -> 2 and 1 -> 3.
    MPI_Comm_split(halves, rank < 4 ? 0 : MPI_UNDEFINED, rank, &comm);
    CHECK((comm == MPI_COMM_NULL) == (rank >= 4));
    if (comm != MPI_COMM_NULL) {
        use(comm, 0, 1, 21);
        MPI_Comm_free(&comm);
    }

    // Rows and columns of a grid of 2 x 3: rank = 3 row + column. Rows {0 1 2} {3 4 5}: 0 -> 2 and 3 -> 5;
    // columns {0 3} {1 4} {2 5}: 0 -> 3, 1 -> 4, 2 -> 5.
    int sizes[2] = {2, 3}, rings[2] = {0, 0}, rows[2] = {0, 1}, columns[2] = {1, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, rings, 0, &grid);
    use(grid, 1, 4, 30);
    MPI_Cart_sub(grid, rows, &comm);
    use(comm, 0, 2, 31);
    MPI_Comm_free(&comm);
    MPI_Cart_sub(grid, columns, &comm);
    use(comm, 0, 1, 32);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&grid);

    // From a group {5 0 3}: member 0 -> 1 is 5 -> 0. Once with all ranks calling, once with the members alone.
    MPI_Group world, group;
    int members[3] = {5, 0, 3};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 3, members, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    if (comm != MPI_COMM_NULL) {
        use(comm, 0, 1, 40);
        MPI_Comm_free(&comm);
    }
    if (rank % 5 == 0 || rank == 3) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &comm);
        use(comm, 0, 1, 41);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);

    // One host, so one communicator of all; forwards, as the key says: 1 -> 2.
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm);
    use(comm, 1, 2, 50);
    MPI_Comm_free(&comm);

    // Made and freed again and again, each time from other members, so that handles come again: rank 0 and rank i.
    for (int i = 1; i < 6; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank == 0 || rank == i ? 0 : 1, rank, &comm);
        if (rank == 0 || rank == i) use(comm, 0, 1, 60 + i);
        MPI_Comm_free(&comm);
    }

    // Between the halves {4 2 0} and {5 3 1}: member 0 of the one (4) sends 70 to member 2 of the other (1),
    // which answers with 71; Sendrecv of 72 each way between the members 1 (2 and 3).
    MPI_Comm between;
    MPI_Intercomm_create(halves, 0, MPI_COMM_WORLD, rank % 2 ? 4 : 5, 9, &between);
    int member;
    MPI_Status status;
    MPI_Comm_rank(between, &member);
    if (rank == 4) {
        MPI_Send(outgoing, 70, MPI_CHAR, 2, 0, between);
        MPI_Recv(incoming, 71, MPI_CHAR, MPI_ANY_SOURCE, 0, between, &status);
        CHECK(status.MPI_SOURCE == 2);
    }
    if (rank == 1) {
        MPI_Irecv(incoming, 70, MPI_CHAR, MPI_ANY_SOURCE, 0, between, &request);
        MPI_Wait(&request, &status);
        CHECK(status.MPI_SOURCE == 0);
        MPI_Send(outgoing, 71, MPI_CHAR, status.MPI_SOURCE, 0, between);
    }
    if (member == 1)
        MPI_Sendrecv(outgoing, 72, MPI_CHAR, 1, 1, incoming, 72, MPI_CHAR, 1, 1, between, MPI_STATUS_IGNORE);
    // Joined, the odd ones first: {5 3 1 4 2 0}. Member 0 -> 5 is 5 -> 0.
    MPI_Intercomm_merge(between, rank % 2 == 0, &comm);
    use(comm, 0, 5, 73);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&between);
    MPI_Comm_free(&halves);

    // Alone: a message to oneself of 80.
    MPI_Sendrecv(outgoing, 80, MPI_CHAR, 0, 0, incoming, 80, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);

    // A request outlives its communicator's handle: 0 -> 1 with 90.
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    request = MPI_REQUEST_NULL;
    if (rank == 0) MPI_Isend(outgoing, 90, MPI_CHAR, 1, 0, comm, &request);
    if (rank == 1) MPI_Irecv(incoming, 90, MPI_CHAR, 0, 0, comm, &request);
    MPI_Comm_free(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return finish();
}
