// One-sided calls on 4 ranks: each rank to the next. See `onesided` in expected.py.
#include "program.h"

enum { SIZE = 4096 };

// Put 40, Get 40 (comes back), Accumulate 12 between fences.
static void between_fences(void) {
    static int memory[SIZE], outgoing[16];
    double incoming[5];
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(outgoing, 10, MPI_INT, next, 0, 10, MPI_INT, window);
    MPI_Get(incoming, 5, MPI_DOUBLE, next, 512, 40, MPI_CHAR, window);
    MPI_Accumulate(outgoing, 3, MPI_INT, next, 1024, 3, MPI_INT, MPI_SUM, window);
    MPI_Put(outgoing, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

// Get_accumulate 8 both ways, and 16 back only (it changes nothing); Fetch_and_op 8 both ways, and 8 back only;
// Compare_and_swap 4 both ways. A derived type: 2 x 3 chars put into 6 chars in a row.
static void under_locks(void) {
    int *memory, outgoing[16] = {0}, incoming[16], one = 1, zero = 0, old;
    long added = 1, before;
    MPI_Win window;
    MPI_Datatype blocks;
    MPI_Type_vector(2, 3, 5, MPI_CHAR, &blocks);
    MPI_Type_commit(&blocks);
    MPI_Win_allocate(SIZE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, SIZE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window);
    MPI_Get_accumulate(outgoing, 2, MPI_INT, incoming, 2, MPI_INT, next, 0, 2, MPI_INT, MPI_SUM, window);
    MPI_Get_accumulate(NULL, 0, MPI_INT, incoming, 4, MPI_INT, next, 0, 4, MPI_INT, MPI_NO_OP, window);
    MPI_Fetch_and_op(&added, &before, MPI_LONG, next, 64, MPI_SUM, window);
    MPI_Fetch_and_op(NULL, &before, MPI_LONG, next, 64, MPI_NO_OP, window);
    MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, next, 128, window);
    MPI_Put(outgoing, 1, blocks, next, 256, 6, MPI_CHAR, window);
    MPI_Win_unlock(next, window);
    CHECK(old == 0);

    // With requests, in an epoch for all: Rput 6, Rget 7 (back), Raccumulate 4, Rget_accumulate 4 both ways.
    MPI_Request requests[4];
    char bytes[16] = {0};
    MPI_Win_lock_all(0, window);
    MPI_Rput(bytes, 6, MPI_CHAR, next, 300, 6, MPI_CHAR, window, &requests[0]);
    MPI_Rget(bytes + 8, 7, MPI_CHAR, next, 400, 7, MPI_CHAR, window, &requests[1]);
    MPI_Raccumulate(&one, 1, MPI_INT, next, 500, 1, MPI_INT, MPI_SUM, window, &requests[2]);
    MPI_Rget_accumulate(&one, 1, MPI_INT, incoming, 1, MPI_INT, next, 504, 1, MPI_INT, MPI_SUM, window, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(next, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Type_free(&blocks);
}

// Post and wait, start and complete: Put 9 bytes.
static void post_and_wait(void) {
    char *memory, bytes[9] = {0};
    MPI_Win window;
    MPI_Group world, to, from;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &next, &to);
    MPI_Group_incl(world, 1, &previous, &from);
    MPI_Win_allocate(SIZE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_post(from, 0, window);
    MPI_Win_start(to, 0, window);
    MPI_Put(bytes, 9, MPI_CHAR, next, 0, 9, MPI_CHAR, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_free(&window);
    MPI_Group_free(&world);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

// Ranks 0, 1 and 3 in backward order: members 0, 1, 2 are world ranks 3, 1, 0. Member 0 puts 11 bytes into
// member 1, which is 3 -> 1; member 2 gets 13 from member 0, which is 3 -> 0. Twice, with a window made anew.
static void among_some(void) {
    MPI_Comm some;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 0, -rank, &some);
    if (some == MPI_COMM_NULL) return;
    static char memory[SIZE], bytes[16];
    int member;
    MPI_Comm_rank(some, &member);
    for (int i = 0; i < 2; i++) {
        MPI_Win window;
        MPI_Win_create(memory, SIZE, 1, MPI_INFO_NULL, some, &window);
        MPI_Win_fence(0, window);
        if (member == 0) MPI_Put(bytes, 11, MPI_CHAR, 1, 0, 11, MPI_CHAR, window);
        if (member == 2) MPI_Get(bytes, 13, MPI_CHAR, 0, 64, 13, MPI_CHAR, window);
        MPI_Win_fence(0, window);
        MPI_Win_free(&window);
    }
    MPI_Comm_free(&some);
}

// A window to which memory is attached later: Put 15 to the next, at the address it tells (8 bytes by Sendrecv).
static void dynamic(void) {
    static char memory[64], bytes[15];
    MPI_Win window;
    MPI_Aint address, there;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, memory, sizeof memory);
    MPI_Get_address(memory, &address);
    MPI_Sendrecv(&address, 1, MPI_AINT, previous, 0, &there, 1, MPI_AINT, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, window);
    MPI_Put(bytes, 15, MPI_CHAR, next, there, 15, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    MPI_Win_detach(window, memory);
    MPI_Win_free(&window);
}

int main(int argc, char **argv) {
    start(&argc, &argv, 4);
    between_fences();
    under_locks();
    post_and_wait();
    among_some();
    dynamic();
    return finish();
}
