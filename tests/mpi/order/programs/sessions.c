/* Ranks through sessions, which know world by the name of a process set. "alone": without MPI_Init, a line a rank.
   "world": beside MPI_COMM_WORLD, whose order the session's must be. */
#include "program.h"

#ifdef HAS_MPI_4_CALLS
static void check_set(MPI_Session session, const char *set, const char *tag, int is_beside_world) {
    MPI_Group group;
    MPI_Comm comm;
    int own = -1, ranks = 0, group_rank, got = -1;
    int code = MPI_Group_from_session_pset(session, set, &group);
    if (code != MPI_SUCCESS) {
        if (is_beside_world ? rank == 0 : !strcmp(launched(), "0")) printf("no process set %s\n", set);
        fflush(stdout);
        return;
    }
    MPI_Group_rank(group, &group_rank);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &ranks);
    int after = (own + 1) % ranks, prior = (own + ranks - 1) % ranks;
    MPI_Sendrecv(&own, 1, MPI_INT, after, 1, &got, 1, MPI_INT, prior, 1, comm, MPI_STATUS_IGNORE);
    int good = got == prior && group_rank == own;
    if (is_beside_world) {
        MPI_Group world;
        int order;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_compare(group, world, &order);
        char line[LINE];
        snprintf(line, sizeof line, "%s has the order of world", set);
        say(line, good && own == rank && order == MPI_IDENT);
        MPI_Group_free(&world);
    } else {
        char line[LINE], *all = malloc((size_t)LINE * ranks);
        snprintf(line, sizeof line, "%s rank %d launched %s %s", set, own, launched(), good ? "ok" : "NOT");
        MPI_Gather(line, LINE, MPI_CHAR, all, LINE, MPI_CHAR, 0, comm);
        for (int i = 0; own == 0 && i < ranks; i++) puts(all + (size_t)LINE * i);
        fflush(stdout);
        free(all);
    }
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
}
#endif

int main(int argc, char **argv) {
#ifdef HAS_MPI_4_CALLS
    MPI_Session session;
    int is_beside_world = argc > 1 && !strcmp(argv[1], "world");
    if (is_beside_world) {
        MPI_Init(NULL, NULL);
        who();
    }
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS) {
        puts("no session");
        return 3;
    }
    check_set(session, "mpi://WORLD", "one", is_beside_world);
    check_set(session, "MPI://world", "two", is_beside_world);
    MPI_Session_finalize(&session);
    if (is_beside_world) MPI_Finalize();
#endif
    return 0;
}
