// Persistent requests on 4 ranks in a ring, started 3 times; see `persistent` in expected.py.
#include "program.h"

static char outgoing[1000], incoming[4][1000];

int main(int argc, char **argv) {
    start(&argc, &argv, 4);
    static char buffer[256 + MPI_BSEND_OVERHEAD];
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Request receives[4], sends[4], unused, nobody;
    int count;
    MPI_Send_init(outgoing, 100, MPI_CHAR, next, 0, MPI_COMM_WORLD, &sends[0]);
    MPI_Ssend_init(outgoing, 5, MPI_SHORT, next, 1, MPI_COMM_WORLD, &sends[1]);
    MPI_Bsend_init(outgoing, 1, MPI_CHAR, next, 2, MPI_COMM_WORLD, &sends[2]);
    MPI_Rsend_init(outgoing, 125, MPI_DOUBLE, next, 3, MPI_COMM_WORLD, &sends[3]);
    for (int i = 0; i < 4; i++)
        MPI_Recv_init(incoming[i], 1000, MPI_CHAR, i == 1 ? MPI_ANY_SOURCE : previous, i, MPI_COMM_WORLD, &receives[i]);
    // Neither a request that is never started nor one to nobody sends anything.
    MPI_Send_init(outgoing, 77, MPI_CHAR, next, 4, MPI_COMM_WORLD, &unused);
    MPI_Send_init(outgoing, 78, MPI_CHAR, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &nobody);
    MPI_Wait(&unused, MPI_STATUS_IGNORE);  // inactive: returns at once
    CHECK(unused != MPI_REQUEST_NULL);

    // Each time 100 + 10 + 1 + 1000 bytes in 4 messages to the next: 3333 bytes in 12 messages.
    for (int time = 0; time < 3; time++) {
        MPI_Status statuses[4];
        MPI_Startall(4, receives);
        MPI_Barrier(MPI_COMM_WORLD);
        if (time == 0) {
            for (int i = 0; i < 4; i++) MPI_Start(&sends[i]);
        } else {
            MPI_Startall(4, sends);
        }
        MPI_Start(&nobody);
        MPI_Wait(&nobody, MPI_STATUS_IGNORE);
        MPI_Waitall(4, sends, MPI_STATUSES_IGNORE);
        MPI_Waitall(4, receives, statuses);
        MPI_Get_count(&statuses[3], MPI_CHAR, &count);
        CHECK(statuses[1].MPI_SOURCE == previous && count == 1000);
        MPI_Waitall(4, sends, MPI_STATUSES_IGNORE);  // inactive now: nothing happens
    }
    for (int i = 0; i < 4; i++) {
        MPI_Request_free(&sends[i]);
        MPI_Request_free(&receives[i]);
    }
    MPI_Request_free(&unused);
    MPI_Request_free(&nobody);

    // A request freed while it is under way still sends: 5 bytes. Its handle may come again for another size: 6 bytes.
    for (int i = 5; i <= 6; i++) {
        MPI_Request request;
        MPI_Send_init(outgoing, i, MPI_CHAR, next, 5, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Request_free(&request);
        MPI_Recv(incoming[0], 10, MPI_CHAR, previous, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    void *detached;
    int size;
    MPI_Buffer_detach(&detached, &size);
    return finish();
}
