// One halo exchange in a grid: halo SIZExSIZE... open|periodic BYTES. One message to each neighbour, last axis
// fastest: the pattern `stencil` of Topoloom.
#include "program.h"

enum { MOST_AXES = 6 };

int main(int argc, char **argv) {
    start(&argc, &argv, 0);
    CHECK(argc == 4);
    int sizes[MOST_AXES], axes = 0, product = 1;
    for (char *text = argv[1]; axes < MOST_AXES; text++) {
        sizes[axes] = strtol(text, &text, 10);
        product *= sizes[axes++];
        if (*text != 'x') break;
    }
    CHECK(product == ranks);
    int is_ring = !strcmp(argv[2], "periodic"), bytes = atoi(argv[3]);
    char *outgoing = calloc(bytes, 1), *incoming = calloc(2 * MOST_AXES, bytes);
    MPI_Request requests[4 * MOST_AXES];
    int count = 0, neighbours = 0;
    for (int axis = axes - 1, stride = 1; axis >= 0; stride *= sizes[axis--]) {
        int place = rank / stride % sizes[axis];
        for (int step = -1; step <= 1; step += 2) {
            int there = place + step;
            if (!is_ring && (there < 0 || there >= sizes[axis])) continue;
            there = (there + sizes[axis]) % sizes[axis];
            int neighbour = rank + (there - place) * stride;
            MPI_Irecv(incoming + neighbours++ * bytes, bytes, MPI_CHAR, neighbour, 0, MPI_COMM_WORLD, &requests[count++]);
            MPI_Isend(outgoing, bytes, MPI_CHAR, neighbour, 0, MPI_COMM_WORLD, &requests[count++]);
        }
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    return finish();
}
