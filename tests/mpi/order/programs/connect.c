/* Two jobs meet: all of world accepts, or connects to the port that the file names. Rank 1 of each sends to rank 0 of
   the other: "connect accept FILE", then "connect connect FILE". */
#include "program.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    who();
    char port[MPI_MAX_PORT_NAME] = "", line[LINE];
    int accepts = !strcmp(argv[1], "accept"), got = -1, mine = rank + (accepts ? 100 : 200), remote;
    MPI_Comm other;
    if (accepts) {
        if (rank == 1) {
            MPI_Open_port(MPI_INFO_NULL, port);
            char *temporary = malloc(strlen(argv[2]) + 5);
            sprintf(temporary, "%s.tmp", argv[2]);
            FILE *file = fopen(temporary, "w");
            fputs(port, file);
            fclose(file);
            rename(temporary, argv[2]);
        }
        MPI_Comm_accept(port, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &other);
    } else {
        FILE *file = NULL;
        for (int i = 0; i < 200 && rank == 1 && !(file = fopen(argv[2], "r")); i++) usleep(50000);
        if (rank == 1 && !file) MPI_Abort(MPI_COMM_WORLD, 4);
        if (file && !fgets(port, sizeof port, file)) MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Comm_connect(port, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &other);
    }
    MPI_Comm_remote_size(other, &remote);
    if (rank == 1) MPI_Send(&mine, 1, MPI_INT, 0, 5, other);
    if (rank == 0) MPI_Recv(&got, 1, MPI_INT, 1, 5, other, MPI_STATUS_IGNORE);
    snprintf(line, sizeof line, "%s rank %d remote %d got %d", argv[1], rank, remote, got);
    print_in_order(line);
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
