// Blocking point to point calls on 4 ranks. What flows is derived in expected.py, function `blocking`.
#include "program.h"

static char outgoing[2 << 20], incoming[2 << 20];

static void check_status(const MPI_Status *status, int source, int tag, int bytes) {
    int count;
    MPI_Get_count(status, MPI_CHAR, &count);
    CHECK(status->MPI_SOURCE == source && status->MPI_TAG == tag && count == bytes);
}

// One message of each mode to the next rank: 10 + 20 + 30 + 40 = 100 bytes in 4 messages.
static void modes(void) {
    MPI_Status status;
    MPI_Request ready;
    static char buffer[4096 + MPI_BSEND_OVERHEAD];
    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int turn = 0; turn < 2; turn++) {
        if (rank % 2 == turn) {
            MPI_Send(outgoing, 10, MPI_CHAR, next, 1, MPI_COMM_WORLD);
            MPI_Ssend(outgoing, 5, MPI_INT, next, 2, MPI_COMM_WORLD);
        } else {
            MPI_Recv(incoming, 10, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(incoming, 100, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            check_status(&status, previous, 2, 20);
        }
    }
    MPI_Bsend(outgoing, 15, MPI_SHORT, next, 3, MPI_COMM_WORLD);
    MPI_Recv(incoming, 30, MPI_CHAR, previous, 3, MPI_COMM_WORLD, &status);
    check_status(&status, previous, 3, 30);
    MPI_Irecv(incoming, 40, MPI_CHAR, previous, 4, MPI_COMM_WORLD, &ready);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(outgoing, 40, MPI_CHAR, next, 4, MPI_COMM_WORLD);
    MPI_Wait(&ready, &status);
    check_status(&status, previous, 4, 40);
    void *detached;
    int size;
    MPI_Buffer_detach(&detached, &size);
}

// 3 empty messages from 0 to 3.
static void empty(void) {
    for (int i = 0; i < 3; i++) {
        if (rank == 0) MPI_Send(NULL, 0, MPI_DOUBLE, 3, i, MPI_COMM_WORLD);
        if (rank == 3) MPI_Recv(NULL, 0, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

// Nobody sends or gets anything.
static void to_nobody(void) {
    MPI_Status status;
    MPI_Message message;
    MPI_Send(outgoing, 99, MPI_CHAR, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
    MPI_Ssend(outgoing, 99, MPI_CHAR, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
    MPI_Recv(incoming, 99, MPI_CHAR, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Recv(incoming, 99, MPI_CHAR, MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(outgoing, 9, MPI_CHAR, MPI_PROC_NULL, 5, incoming, 9, MPI_CHAR, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &status);
    MPI_Sendrecv_replace(outgoing, 9, MPI_CHAR, MPI_PROC_NULL, 5, MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Probe(MPI_PROC_NULL, 5, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Mprobe(MPI_PROC_NULL, 5, MPI_COMM_WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(incoming, 9, MPI_CHAR, &message, &status);
}

// Sendrecv: 64 and 20 bytes to the next in the ring, 7 to oneself, 3 to the next in an open line.
static void both_ways(void) {
    MPI_Status status;
    MPI_Sendrecv(outgoing, 8, MPI_DOUBLE, next, 6, incoming, 8, MPI_DOUBLE, previous, 6, MPI_COMM_WORLD, &status);
    check_status(&status, previous, 6, 64);
    int numbers[5] = {rank};
    MPI_Sendrecv_replace(numbers, 5, MPI_INT, next, 7, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    check_status(&status, previous, 7, 20);
    CHECK(numbers[0] == previous);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(outgoing, 7, MPI_CHAR, rank, 8, incoming, 7, MPI_CHAR, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    MPI_Sendrecv(outgoing, 3, MPI_CHAR, up, 9, incoming, 3, MPI_CHAR, down, 9, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == down);
}

// 11, 12, 13 and 14 bytes to rank 0 from 1, 2, 3 and 3, found by probing.
static void probes(void) {
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    if (rank == 0) {
        int there = 0;
        MPI_Probe(MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &status);
        check_status(&status, 1, 10, 11);
        MPI_Recv(incoming, 11, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mprobe(MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, &message, &status);
        check_status(&status, 2, 11, 12);
        MPI_Mrecv(incoming, 12, MPI_CHAR, &message, &status);
        check_status(&status, 2, 11, 12);
        CHECK(message == MPI_MESSAGE_NULL);
        while (!there) MPI_Improbe(3, 12, MPI_COMM_WORLD, &there, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(incoming, 13, MPI_CHAR, &message, &request);
        MPI_Wait(&request, &status);
        check_status(&status, 3, 12, 13);
        there = 0;
        while (!there) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
        MPI_Recv(incoming, 99, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
        check_status(&status, 3, 13, 14);
    } else {
        MPI_Send(outgoing, 10 + rank, MPI_CHAR, 0, 9 + rank, MPI_COMM_WORLD);
        if (rank == 3) MPI_Send(outgoing, 14, MPI_CHAR, 0, 13, MPI_COMM_WORLD);
    }
}

// What is sent counts, not the room for it: 1 MiB from 3 to 1. Then 1000 messages of 8 bytes from 0 to 1.
static void long_and_many(void) {
    MPI_Status status;
    if (rank == 3) MPI_Send(outgoing, 1 << 20, MPI_CHAR, 1, 14, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(incoming, 2 << 20, MPI_CHAR, 3, 14, MPI_COMM_WORLD, &status);
        check_status(&status, 3, 14, 1 << 20);
    }
    for (int i = 0; i < 1000; i++) {
        if (rank == 0) MPI_Send(outgoing, 1, MPI_DOUBLE, 1, 15, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(incoming, 1, MPI_DOUBLE, 0, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    start(&argc, &argv, 4);
    modes();
    MPI_Barrier(MPI_COMM_WORLD);
    empty();
    to_nobody();
    both_ways();
    MPI_Barrier(MPI_COMM_WORLD);
    probes();
    long_and_many();
    return finish();
}
