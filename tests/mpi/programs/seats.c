// Says where its ranks may run, and starts as many threads as it is told: seats THREADS.
#include <pthread.h>
#include <unistd.h>

#include "program.h"

static void *wait_for_end(void *unused) {
    pause();
    return unused;
}

int main(int argc, char **argv) {
    start(&argc, &argv, 0);
    char line[256], cpus[256] = "?";
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status)) sscanf(line, "Cpus_allowed_list: %255s", cpus);
    fclose(status);
    printf("at %d %s\n", rank, cpus);
    fflush(stdout);
    for (int i = 1; i < atoi(argv[1]); i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, wait_for_end, NULL) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return finish();
}
