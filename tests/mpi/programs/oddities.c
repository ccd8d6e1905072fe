// What programs do besides: calls that fail, children, another folder, requests of their own; 4 ranks in a ring.
// See `oddities` in expected.py.
#include "program.h"
#include <sys/wait.h>
#include <unistd.h>

static char outgoing[64], incoming[64];

static void shift(int bytes, int tag) {
    MPI_Sendrecv(outgoing, bytes, MPI_CHAR, next, tag, incoming, bytes, MPI_CHAR, previous, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// No rank 999 and no root 999: the calls fail, and nothing is sent.
static void failing_calls(void) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Send(outgoing, 64, MPI_CHAR, 999, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
    CHECK(MPI_Isend(outgoing, 64, MPI_CHAR, 999, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS);
    CHECK(MPI_Send(outgoing, -1, MPI_CHAR, next, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
    CHECK(MPI_Bcast(outgoing, 64, MPI_CHAR, 999, MPI_COMM_WORLD) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// A child that ends as programs end must leave what its parent recorded alone.
static void children(void) {
    pid_t child = fork();
    if (child == 0) exit(0);
    int status;
    waitpid(child, &status, 0);
    CHECK(system("true") == 0);
}

static int nothing(void *state, MPI_Status *status) {
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int no_end(void *state) { return (void)state, MPI_SUCCESS; }
static int no_cancel(void *state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }

// Waited for together with a message of 30 bytes.
static void request_of_its_own(void) {
    MPI_Request requests[3];
    MPI_Grequest_start(nothing, no_end, no_cancel, NULL, &requests[0]);
    MPI_Irecv(incoming, 30, MPI_CHAR, previous, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(outgoing, 30, MPI_CHAR, next, 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Grequest_complete(requests[0]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
    int provided, *largest, found;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(ranks == 4);
    next = (rank + 1) % ranks;
    previous = (rank + ranks - 1) % ranks;
    shift(10, 0);
    failing_calls();
    children();
    CHECK(chdir("/") == 0);
    shift(20, 1);
    request_of_its_own();
    // The largest tag there is.
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found);
    shift(40, *largest);
    // Levels of profiling are nothing to a recorder that counts everything.
    MPI_Pcontrol(0);
    shift(50, 2);
    MPI_Pcontrol(1);
    return finish();
}
