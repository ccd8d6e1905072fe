/* One-sided communication on windows of world: fences, locks, post and start, memory that ranks share. With an
   argument, what needs one host is left out. */
#include "program.h"

static int *cell;
static MPI_Win window;
static MPI_Group world;

static void check_fence(void) {
    MPI_Group group;
    int own, mine = rank + 100;
    *cell = -1;
    MPI_Win_fence(0, window);
    MPI_Put(&mine, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    say("put between fences", *cell == before + 100);
    int got = -1;
    MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    say("get between fences", got == rank + 100);
    MPI_Win_get_group(window, &group);
    MPI_Group_rank(group, &own);
    MPI_Group_free(&group);
    say("group of the window", own == rank);
}

static void check_lock(void) {
    int mine = rank + 200, got = -1, one = 1, old = -1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window);
    MPI_Put(&mine, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    MPI_Win_unlock(next, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    MPI_Get(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
    MPI_Win_unlock(rank, window);
    say("put under a lock", got == before + 200);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    MPI_Fetch_and_op(&one, &old, MPI_INT, next, 0, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    say("fetch and add", old == rank + 200);
}

/* Each rank exposes its cell to the rank before, and writes to the next one. */
static void check_post_and_start(void) {
    MPI_Group writer, target;
    int mine = rank + 300;
    MPI_Group_incl(world, 1, &before, &writer);
    MPI_Group_incl(world, 1, &next, &target);
    MPI_Win_post(writer, 0, window);
    MPI_Win_start(target, 0, window);
    MPI_Put(&mine, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    say("put between post and wait", *cell == before + 300);
    MPI_Group_free(&writer);
    MPI_Group_free(&target);
}

static void check_shared(void) {
    MPI_Win shared;
    MPI_Aint bytes;
    int unit, *mine, *other, got;
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &shared);
    *mine = rank + 400;
    MPI_Win_fence(0, shared);
    MPI_Win_shared_query(shared, next, &bytes, &unit, &other);
    got = *other;
    MPI_Win_fence(0, shared);
    MPI_Win_free(&shared);
    say("memory of the next rank", got == next + 400);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    who();
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Alloc_mem(64, MPI_INFO_NULL, &cell);
    MPI_Win_create(cell, 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    check_fence();
    check_lock();
    check_post_and_start();
    MPI_Win_free(&window);
    MPI_Free_mem(cell);
    if (argc < 2) check_shared();
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
