// Non-blocking point to point calls on 4 ranks in a ring; see `nonblocking` in expected.py.
#include "program.h"

enum { ROUND = 3 };
static char outgoing[64], incoming[2 * ROUND][64];

static void check_status(const MPI_Status *status, int tag, int bytes) {
    int count;
    MPI_Get_count(status, MPI_CHAR, &count);
    CHECK(status->MPI_SOURCE == previous && status->MPI_TAG == tag && count == bytes);
}

// One message of each mode: 1 + 2 + 4 + 8 bytes.
static void modes(void) {
    static char buffer[256 + MPI_BSEND_OVERHEAD];
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Request receives[4], sends[4];
    MPI_Status status;
    for (int i = 0; i < 4; i++)
        MPI_Irecv(incoming[i], 8, MPI_CHAR, i % 2 ? previous : MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &receives[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(outgoing, 1, MPI_CHAR, next, 0, MPI_COMM_WORLD, &sends[0]);
    MPI_Issend(outgoing, 2, MPI_CHAR, next, 1, MPI_COMM_WORLD, &sends[1]);
    MPI_Ibsend(outgoing, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &sends[2]);
    MPI_Irsend(outgoing, 1, MPI_DOUBLE, next, 3, MPI_COMM_WORLD, &sends[3]);
    for (int i = 3; i >= 0; i--) {
        MPI_Wait(&receives[i], &status);
        check_status(&status, i, 1 << i);
        CHECK(receives[i] == MPI_REQUEST_NULL);
        MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
    }
    MPI_Wait(&sends[0], MPI_STATUS_IGNORE);  // a null request: returns at once
    void *detached;
    int size;
    MPI_Buffer_detach(&detached, &size);
}

// A round: 3 receives and 3 sends, of 32 + 33 + 34 = 99 bytes. The 7th request is null.
static void post(MPI_Request requests[2 * ROUND + 1]) {
    for (int i = 0; i < ROUND; i++)
        MPI_Irecv(incoming[i], 64, MPI_CHAR, i ? previous : MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < ROUND; i++)
        MPI_Isend(outgoing, 32 + i, MPI_CHAR, next, i, MPI_COMM_WORLD, &requests[ROUND + i]);
    requests[2 * ROUND] = MPI_REQUEST_NULL;
}

static void check_done(MPI_Request requests[2 * ROUND + 1]) {
    for (int i = 0; i <= 2 * ROUND; i++) CHECK(requests[i] == MPI_REQUEST_NULL);
    // Else a receive from anybody could take what belongs to the next round; there is only one sender, so it cannot.
}

static void all_ways_to_complete(void) {
    enum { N = 2 * ROUND + 1 };
    MPI_Request requests[N];
    MPI_Status statuses[N], status;
    int index, count, flag, indices[N];

    post(requests);
    MPI_Waitall(N, requests, statuses);
    for (int i = 0; i < ROUND; i++) check_status(&statuses[i], i, 32 + i);
    check_done(requests);

    post(requests);
    MPI_Waitall(N, requests, MPI_STATUSES_IGNORE);
    check_done(requests);

    post(requests);
    for (;;) {
        MPI_Waitany(N, requests, &index, &status);
        if (index == MPI_UNDEFINED) break;
        if (index < ROUND) check_status(&status, index, 32 + index);
    }
    check_done(requests);

    post(requests);
    for (;;) {
        MPI_Waitsome(N, requests, &count, indices, statuses);
        if (count == MPI_UNDEFINED) break;
        for (int i = 0; i < count; i++)
            if (indices[i] < ROUND) check_status(&statuses[i], indices[i], 32 + indices[i]);
    }
    check_done(requests);

    post(requests);
    for (int i = 0; i < N; i++) {
        for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, &status);
        if (i < ROUND) check_status(&status, i, 32 + i);
    }
    check_done(requests);

    post(requests);
    for (flag = 0; !flag;) MPI_Testall(N, requests, &flag, MPI_STATUSES_IGNORE);
    check_done(requests);

    post(requests);
    for (;;) {
        MPI_Testany(N, requests, &index, &flag, MPI_STATUS_IGNORE);
        if (flag && index == MPI_UNDEFINED) break;
    }
    check_done(requests);

    post(requests);
    for (;;) {
        MPI_Testsome(N, requests, &count, indices, MPI_STATUSES_IGNORE);
        if (count == MPI_UNDEFINED) break;
    }
    check_done(requests);
}

// A send nobody waits for (50 bytes), a receive that is cancelled (nothing), sends to nobody and to oneself (9 bytes).
static void odd_ones(void) {
    MPI_Request request, requests[2];
    MPI_Status status;
    int cancelled, flag;
    MPI_Isend(outgoing, 50, MPI_CHAR, next, 7, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(incoming[0], 50, MPI_CHAR, previous, 7, MPI_COMM_WORLD, &status);
    check_status(&status, 7, 50);

    MPI_Irecv(incoming[0], 50, MPI_CHAR, previous, 12345, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);

    MPI_Isend(outgoing, 50, MPI_CHAR, MPI_PROC_NULL, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(incoming[0], 50, MPI_CHAR, MPI_PROC_NULL, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    MPI_Irecv(incoming[0], 9, MPI_CHAR, rank, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(outgoing, 9, MPI_CHAR, rank, 9, MPI_COMM_WORLD, &requests[1]);
    for (flag = 0; !flag;) MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

// Only where the library has them: 60 + 16 bytes to the next.
static void send_and_receive(void) {
#ifdef HAS_MPI_4_CALLS
    MPI_Request request;
    MPI_Status status;
    MPI_Isendrecv(outgoing, 60, MPI_CHAR, next, 10, incoming[0], 60, MPI_CHAR, previous, 10, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    int numbers[4] = {rank};
    MPI_Isendrecv_replace(numbers, 4, MPI_INT, next, 11, previous, 11, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(numbers[0] == previous);
#endif
}

int main(int argc, char **argv) {
    start(&argc, &argv, 4);
    modes();
    all_ways_to_complete();
    odd_ones();
    send_and_receive();
    return finish();
}
