// A program without MPI_Init: the world comes from a session. 4 ranks; see `sessions` in expected.py.
#include "program.h"

int main(void) {
#ifdef HAS_MPI_4_CALLS
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    char outgoing[10] = {0}, incoming[10];
    int one = 1, sum;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) != MPI_SUCCESS) return 1;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "topoloom", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    next = (rank + 1) % ranks;
    previous = (rank + ranks - 1) % ranks;
    // 10 bytes to the next, and a sum of 4.
    MPI_Sendrecv(outgoing, 10, MPI_CHAR, next, 0, incoming, 10, MPI_CHAR, previous, 0, comm, MPI_STATUS_IGNORE);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum != 4) return 1;
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
#endif
    if (rank == 0) puts("done");
    return 0;
}
