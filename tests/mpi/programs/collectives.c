// All collectives on 5 ranks, blocking, non-blocking or persistent by the argument; see `collectives` in expected.py.
#include "program.h"

static enum { BLOCKING, NONBLOCKING, PERSISTENT } way;
enum { P = 5 };

#ifdef HAS_MPI_4_CALLS
#define PERSISTENT_CALL(init, ...) init(__VA_ARGS__, MPI_INFO_NULL, &request)
#else
#define PERSISTENT_CALL(init, ...) (void)request, abort()
#endif

// Persistent ones are started twice and count as two calls.
#define DO(blocking, nonblocking, init, ...)             \
    do {                                                 \
        MPI_Request request = MPI_REQUEST_NULL;          \
        if (way == BLOCKING) {                           \
            blocking(__VA_ARGS__);                       \
        } else if (way == NONBLOCKING) {                 \
            nonblocking(__VA_ARGS__, &request);          \
            MPI_Wait(&request, MPI_STATUS_IGNORE);       \
        } else {                                         \
            PERSISTENT_CALL(init, __VA_ARGS__);          \
            for (int i_ = 0; i_ < 2; i_++) {             \
                MPI_Start(&request);                     \
                MPI_Wait(&request, MPI_STATUS_IGNORE);   \
            }                                            \
            MPI_Request_free(&request);                  \
        }                                                \
    } while (0)

static MPI_Comm world;
static char a[4096], b[4096];

static void one_to_all(void) {
    int *numbers = (int *)a;
    if (rank == 3) numbers[9] = 77;
    MPI_Datatype ten;
    MPI_Type_contiguous(10, MPI_INT, &ten);
    MPI_Type_commit(&ten);
    // Root 3, 40 bytes; the root says it in another type.
    if (rank == 3) DO(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, a, 1, ten, 3, world);
    else DO(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, a, 10, MPI_INT, 3, world);
    CHECK(numbers[9] == 77);
    MPI_Type_free(&ten);
    memset(a, 0, sizeof a);
    // Scatter 6 bytes to each from 1; 7 from 0, whose own part stays in place.
    DO(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, a, 6, MPI_CHAR, b, 6, MPI_CHAR, 1, world);
    if (rank == 0) DO(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, a, 7, MPI_CHAR, MPI_IN_PLACE, 7, MPI_CHAR, 0, world);
    else DO(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, NULL, 0, MPI_CHAR, b, 7, MPI_CHAR, 0, world);
    // Scatterv from 2: member m gets m + 1 doubles; from 3 in place: 3 (m + 1) bytes.
    int counts[P], places[P];
    for (int m = 0; m < P; m++) counts[m] = m + 1, places[m] = 16 * m;
    DO(MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, a, counts, places, MPI_DOUBLE, b, rank + 1, MPI_DOUBLE, 2, world);
    for (int m = 0; m < P; m++) counts[m] = 3 * (m + 1);
    if (rank == 3) DO(MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, a, counts, places, MPI_CHAR, MPI_IN_PLACE, 0, MPI_CHAR, 3, world);
    else DO(MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, NULL, NULL, NULL, MPI_CHAR, b, 3 * (rank + 1), MPI_CHAR, 3, world);
}

static void all_to_one(void) {
    // Each gives 12 bytes to 1; then 20 to 2, whose own part is in place.
    DO(MPI_Gather, MPI_Igather, MPI_Gather_init, a, 3, MPI_INT, b, 3, MPI_INT, 1, world);
    if (rank == 2) DO(MPI_Gather, MPI_Igather, MPI_Gather_init, MPI_IN_PLACE, 0, MPI_INT, b, 5, MPI_INT, 2, world);
    else DO(MPI_Gather, MPI_Igather, MPI_Gather_init, a, 5, MPI_INT, NULL, 0, MPI_INT, 2, world);
    // Member m gives m + 1 ints to 4; then 2 m bytes to 1, whose own part is in place.
    int counts[P], places[P];
    for (int m = 0; m < P; m++) counts[m] = m + 1, places[m] = 16 * m;
    DO(MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, a, rank + 1, MPI_INT, b, counts, places, MPI_INT, 4, world);
    for (int m = 0; m < P; m++) counts[m] = 2 * m;
    if (rank == 1) DO(MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, MPI_IN_PLACE, 0, MPI_CHAR, b, counts, places, MPI_CHAR, 1, world);
    else DO(MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, a, 2 * rank, MPI_CHAR, NULL, NULL, NULL, MPI_CHAR, 1, world);
    // 28 bytes each to 4; 24 to 0 in place.
    DO(MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, a, b, 7, MPI_INT, MPI_SUM, 4, world);
    if (rank == 0) DO(MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, MPI_IN_PLACE, b, 3, MPI_DOUBLE, MPI_MAX, 0, world);
    else DO(MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, a, NULL, 3, MPI_DOUBLE, MPI_MAX, 0, world);
}

static void all_to_all(void) {
    int counts[P], places[P], byte_places[P];
    MPI_Datatype shorts[P], chars[P];
    // Each contributes 16 bytes; then 12 in place. Irregular: member m gives m ints; then m + 1 bytes in place.
    DO(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, a, 2, MPI_LONG, b, 2, MPI_LONG, world);
    DO(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, MPI_IN_PLACE, 0, MPI_INT, b, 3, MPI_INT, world);
    for (int m = 0; m < P; m++) counts[m] = m, places[m] = 16 * m;
    DO(MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, a, rank, MPI_INT, b, counts, places, MPI_INT, world);
    for (int m = 0; m < P; m++) counts[m] = m + 1;
    DO(MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, MPI_IN_PLACE, 0, MPI_CHAR, b, counts, places, MPI_CHAR, world);
    // 4 bytes a pair; 8 in place.
    DO(MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, a, 1, MPI_INT, b, 1, MPI_INT, world);
    DO(MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, MPI_IN_PLACE, 0, MPI_INT, b, 1, MPI_DOUBLE, world);
    // From i to j: i + j ints; in place i + j bytes (as many must come back).
    for (int m = 0; m < P; m++) counts[m] = rank + m, places[m] = 16 * m;
    DO(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, a, counts, places, MPI_INT, b, counts, places, MPI_INT, world);
    DO(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, MPI_IN_PLACE, NULL, NULL, MPI_CHAR, b, counts, places, MPI_CHAR, world);
    // From i to j: 2 (i + 1) (j + 1) bytes, as shorts; in place i + j + 1 bytes.
    for (int m = 0; m < P; m++) {
        counts[m] = (rank + 1) * (m + 1);
        byte_places[m] = 64 * m;
        shorts[m] = MPI_SHORT;
        chars[m] = MPI_SHORT;
    }
    DO(MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, a, counts, byte_places, shorts, b, counts, byte_places, chars, world);
    for (int m = 0; m < P; m++) counts[m] = rank + m + 1, chars[m] = MPI_CHAR;
    DO(MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, MPI_IN_PLACE, NULL, NULL, NULL, b, counts, byte_places, chars, world);
}

static void sums(void) {
    // 72, 4 in place, and 12 of a pair type whose extent is 16.
    struct { double value; int place; } here = {rank, rank}, most;
    int *number = (int *)b;
    DO(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, a, b, 9, MPI_DOUBLE, MPI_SUM, world);
    *number = 1;
    DO(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, world);
    CHECK(*number == (way == PERSISTENT ? P * P : P));
    DO(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, &here, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, world);
    CHECK(most.place == P - 1);
    // Member m gets m + 1 ints; in place 2 (m + 1) ints. All the same: 12 bytes each; in place 8.
    int counts[P];
    for (int m = 0; m < P; m++) counts[m] = m + 1;
    DO(MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, a, b, counts, MPI_INT, MPI_SUM, world);
    for (int m = 0; m < P; m++) counts[m] = 2 * (m + 1);
    DO(MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, MPI_IN_PLACE, b, counts, MPI_INT, MPI_SUM, world);
    DO(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, a, b, 3, MPI_INT, MPI_SUM, world);
    DO(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, MPI_IN_PLACE, b, 1, MPI_DOUBLE, MPI_SUM, world);
    // 16, 20 in place; 24, 28 in place.
    DO(MPI_Scan, MPI_Iscan, MPI_Scan_init, a, b, 4, MPI_INT, MPI_SUM, world);
    DO(MPI_Scan, MPI_Iscan, MPI_Scan_init, MPI_IN_PLACE, b, 5, MPI_INT, MPI_SUM, world);
    DO(MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, a, b, 6, MPI_INT, MPI_SUM, world);
    DO(MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, MPI_IN_PLACE, b, 7, MPI_INT, MPI_SUM, world);
}

// Several at once, completed in another order than they began: 100 bytes from 0, 4 each, 100 bytes from 0.
static void overlapping(void) {
    MPI_Request requests[4];
    int one = 1, sum;
    MPI_Ibcast(a, 100, MPI_CHAR, 0, world, &requests[0]);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world, &requests[1]);
    MPI_Ibarrier(world, &requests[2]);
    MPI_Ibcast(b, 100, MPI_CHAR, 0, world, &requests[3]);
    MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    CHECK(sum == P);
}

int main(int argc, char **argv) {
    start(&argc, &argv, P);
    CHECK(argc == 2);
    way = !strcmp(argv[1], "blocking") ? BLOCKING : !strcmp(argv[1], "nonblocking") ? NONBLOCKING : PERSISTENT;
    world = MPI_COMM_WORLD;
    DO(MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, world);
    one_to_all();
    all_to_one();
    all_to_all();
    sums();
    if (way == NONBLOCKING) overlapping();
    return finish();
}
