// Messages beyond 2^31 and 2^32 bytes, and the calls with large counts; 2 ranks. See `large` in expected.py.
#include "program.h"

// Enough for the counters; each block of the huge type lies in the same megabyte.
enum { MEGABYTE = 1 << 20, BLOCKS = 4400 };
static char outgoing[MEGABYTE], incoming[MEGABYTE];

// 4400 MiB = 4613734400 bytes > 2^32 in one message. MPI_Type_size cannot tell this size (it fits no int).
static void huge_type(void) {
    MPI_Datatype huge;
    int size;
    MPI_Type_create_hvector(BLOCKS, MEGABYTE, 0, MPI_CHAR, &huge);
    MPI_Type_commit(&huge);
    MPI_Type_size(huge, &size);
    CHECK(size == MPI_UNDEFINED);
    if (rank == 0) MPI_Send(outgoing, 1, huge, 1, 0, MPI_COMM_WORLD);
    // The receiver lets the blocks fall on each other, which libraries bear though the standard frowns on it.
    if (rank == 1) MPI_Recv(incoming, 1, huge, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&huge);
}

// Calls with counts of 64 bits: a message of 100 each, a Bcast of 101, and one-sided 102.
static void large_counts(void) {
#ifdef HAS_LARGE_COUNTS
    MPI_Request requests[2];
    MPI_Count hundred = 100, counts[2] = {3, 3};
    MPI_Aint places[2] = {0, 8};
    int other = 1 - rank;
    if (rank == 0) {
        MPI_Send_c(outgoing, hundred, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Ssend_c(outgoing, hundred, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv_c(incoming, hundred, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv_c(incoming, hundred, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Irecv_c(incoming, hundred, MPI_CHAR, other, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend_c(outgoing, hundred, MPI_CHAR, other, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv_c(outgoing, hundred, MPI_CHAR, other, 4, incoming, hundred, MPI_CHAR, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv_init_c(incoming, hundred, MPI_CHAR, other, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init_c(outgoing, hundred, MPI_CHAR, other, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Bcast_c(incoming, 101, MPI_CHAR, 1, MPI_COMM_WORLD);
    MPI_Ibcast_c(incoming, 101, MPI_CHAR, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Allreduce_c(outgoing, incoming, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    // Each gives 3 bytes to each.
    MPI_Alltoallv_c(outgoing, counts, places, MPI_CHAR, incoming, counts, places, MPI_CHAR, MPI_COMM_WORLD);

    MPI_Win window;
    char *memory;
    MPI_Win_allocate_c(256, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Put_c(outgoing, 102, MPI_CHAR, other, 0, 102, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);

    // A type made with a large count: 2 x 3 ints.
    MPI_Datatype type;
    MPI_Type_vector_c(2, 3, 5, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(outgoing, 1, type, other, 6, incoming, 1, type, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
#endif
}

int main(int argc, char **argv) {
    start(&argc, &argv, 2);
    huge_type();
    large_counts();
    return finish();
}
