// Ranks that come late, 2 of them: rank 1 sleeps before it sends, then before a collective. See `times.py`.
#include <unistd.h>

#include "program.h"

static void late(void) {
    if (rank == 1) usleep(300000);
}

int main(int argc, char **argv) {
    start(&argc, &argv, 2);
    int value = rank, other = 1 - rank, flag = 0, sum = 0;
    char data[64] = {0};
    MPI_Status status;

    // A receive that waits for rank 1 by name, and one that waits for anybody, without a status and with one.
    for (int round = 0; round < 3; round++) {
        int source = round == 0 ? 1 : MPI_ANY_SOURCE;
        late();
        if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
        else MPI_Recv(&value, 1, MPI_INT, source, round, MPI_COMM_WORLD, round == 2 ? &status : MPI_STATUS_IGNORE);
    }
    CHECK(rank == 1 || (value == 1 && status.MPI_SOURCE == 1));
    // A collective, a probe and a wait.
    late();
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == 1);
    late();
    MPI_Request request;
    if (rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        late();
        MPI_Send(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    } else {
        MPI_Probe(1, 7, MPI_COMM_WORLD, &status);
        MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    // Exactly so many calls: 5 exchanges, 4 messages to oneself, 2 to nobody, an Iprobe.
    for (int i = 0; i < 5; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, other, 9, &value, 1, MPI_INT, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == other);
    for (int i = 0; i < 4; i++) {
        MPI_Irecv(&value, 1, MPI_INT, rank, 10, MPI_COMM_WORLD, &request);
        MPI_Send(&rank, 1, MPI_INT, rank, 10, MPI_COMM_WORLD);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2; i++) MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 11, MPI_COMM_WORLD);
    MPI_Iprobe(MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    // A communicator in which ranks are the other way round, and whose handle may come again.
    for (int i = 0; i < 2; i++) {
        MPI_Comm turned;
        MPI_Comm_split(MPI_COMM_WORLD, 0, i == 0 ? -rank : rank, &turned);
        int own;
        MPI_Comm_rank(turned, &own);
        CHECK(own == (i == 0 ? 1 - rank : rank));
        if (rank == 1) MPI_Ssend(&value, 1, MPI_INT, 1 - own, 13, turned);
        else MPI_Recv(&value, 1, MPI_INT, 1 - own, 13, turned, MPI_STATUS_IGNORE);
        MPI_Comm_free(&turned);
    }
    // A window and a file.
    MPI_Win window;
    MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 64 * rank, data, 64, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    return finish();
}
