// 4 ranks that do not end as they should, by the argument; see ends.py.
#include "program.h"
#include <signal.h>
#include <unistd.h>

enum { ROUNDS = 100, BYTES = 64 };
static char outgoing[BYTES], incoming[BYTES];

static void ring(void) {
    MPI_Sendrecv(outgoing, BYTES, MPI_CHAR, next, 0, incoming, BYTES, MPI_CHAR, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    start(&argc, &argv, 4);
    const char *how = argc > 1 ? argv[1] : "";
    alarm(30);  // whatever happens, no rank stays behind
    for (int i = 0; i < ROUNDS; i++) {
        ring();
        usleep(100);  // long enough, in all, to know the rate of the clock
    }
    if (!strcmp(how, "fails")) {
        MPI_Finalize();
        return 7;
    }
    if (!strcmp(how, "interrupt") && argc > 2) {
        // Tells that it is under way, then goes on until the signal comes.
        if (rank == 0) fclose(fopen(argv[2], "w"));
        for (;;) {
            ring();
            usleep(1000);
        }
    }
    if (!strcmp(how, "all-exit")) exit(0);
    if (rank == 2) {
        if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
        if (!strcmp(how, "crash")) kill(getpid(), SIGSEGV);
        if (!strcmp(how, "exit")) _exit(0);
        if (!strcmp(how, "abort")) MPI_Abort(MPI_COMM_WORLD, 5);
    }
    ring();  // the others wait for rank 2
    return finish();
}
