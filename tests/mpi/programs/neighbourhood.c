// Neighbourhood collectives on 6 ranks: grids with open and closed rings of 1, 2 and 3, and graphs.
// See `neighbourhood` in expected.py. One message to each neighbour, as often as it is one.
#include "program.h"

static char outgoing[1024], incoming[1024];

static MPI_Comm grid(int x, int y, int x_is_ring, int y_is_ring) {
    MPI_Comm comm;
    int sizes[2] = {x, y}, rings[2] = {x_is_ring, y_is_ring};
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, rings, 0, &comm);
    return comm;
}

// Each call that gives all neighbours the same, and each that gives them different parts, with `in` sources:
// allgather 8, allgatherv 4 (r + 1), alltoall 3, alltoallv 5 a neighbour, alltoallw 6.
static void all_calls(MPI_Comm comm, int in, const int *sources, int nonblocking) {
    enum { MOST = 8 };
    MPI_Request request = MPI_REQUEST_NULL;
    int threes[MOST], send_counts[MOST], receive_counts[MOST], places[MOST], from_counts[MOST], from_places[MOST];
    MPI_Aint send_places[MOST], receive_places[MOST];
    MPI_Datatype shorts[MOST];
    for (int i = 0; i < MOST; i++) {
        send_counts[i] = receive_counts[i] = 5;
        places[i] = 8 * i;
        shorts[i] = MPI_SHORT;
        threes[i] = 3;
        send_places[i] = receive_places[i] = 32 * i;
        from_counts[i] = i < in && sources[i] >= 0 ? sources[i] + 1 : 0;
        from_places[i] = 8 * i;
    }
    if (nonblocking) {
        MPI_Ineighbor_allgather(outgoing, 2, MPI_INT, incoming, 2, MPI_INT, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Ineighbor_allgatherv(outgoing, rank + 1, MPI_INT, incoming, from_counts, from_places, MPI_INT, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Ineighbor_alltoall(outgoing, 3, MPI_CHAR, incoming, 3, MPI_CHAR, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Ineighbor_alltoallv(outgoing, send_counts, places, MPI_CHAR, incoming, receive_counts, places, MPI_CHAR, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Ineighbor_alltoallw(outgoing, threes, send_places, shorts, incoming, threes, receive_places, shorts, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Neighbor_allgather(outgoing, 2, MPI_INT, incoming, 2, MPI_INT, comm);
        MPI_Neighbor_allgatherv(outgoing, rank + 1, MPI_INT, incoming, from_counts, from_places, MPI_INT, comm);
        MPI_Neighbor_alltoall(outgoing, 3, MPI_CHAR, incoming, 3, MPI_CHAR, comm);
        MPI_Neighbor_alltoallv(outgoing, send_counts, places, MPI_CHAR, incoming, receive_counts, places, MPI_CHAR, comm);
        MPI_Neighbor_alltoallw(outgoing, threes, send_places, shorts, incoming, threes, receive_places, shorts, comm);
    }
}

static void on_grid(int x, int y, int x_is_ring, int y_is_ring) {
    MPI_Comm comm = grid(x, y, x_is_ring, y_is_ring);
    int sources[4];
    MPI_Cart_shift(comm, 0, 1, &sources[0], &sources[1]);
    MPI_Cart_shift(comm, 1, 1, &sources[2], &sources[3]);
    for (int i = 0; i < 4; i++)
        if (sources[i] == MPI_PROC_NULL) sources[i] = -1;
    all_calls(comm, 4, sources, 0);
    all_calls(comm, 4, sources, 1);
    MPI_Comm_free(&comm);
}

// To the next and the one after it. Alltoallv gives the first 1 + r bytes and the second 10.
static void on_graph(void) {
    MPI_Comm comm;
    int sources[2] = {previous, (rank + 4) % 6}, destinations[2] = {next, (rank + 2) % 6};
    MPI_Dist_graph_create_adjacent(
        MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    all_calls(comm, 2, sources, 0);
    all_calls(comm, 2, sources, 1);
    int counts[2] = {1 + rank, 10}, from_counts[2] = {1 + previous, 10}, places[2] = {0, 16};
    MPI_Neighbor_alltoallv(outgoing, counts, places, MPI_CHAR, incoming, from_counts, places, MPI_CHAR, comm);
    MPI_Comm_free(&comm);

    // The same kind of graph, each rank telling only where it sends: to the previous, 2 bytes.
    int one = 1;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &previous, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    MPI_Neighbor_allgather(outgoing, 2, MPI_CHAR, incoming, 2, MPI_CHAR, comm);
    MPI_Comm_free(&comm);

    // The old kind, where all know all edges: a ring both ways, 1 byte to each side.
    int ends[6] = {2, 4, 6, 8, 10, 12}, edges[12];
    for (int i = 0; i < 6; i++) edges[2 * i] = (i + 5) % 6, edges[2 * i + 1] = (i + 1) % 6;
    MPI_Graph_create(MPI_COMM_WORLD, 6, ends, edges, 0, &comm);
    MPI_Neighbor_alltoall(outgoing, 1, MPI_CHAR, incoming, 1, MPI_CHAR, comm);
    MPI_Comm_free(&comm);
}

// Persistent, started twice: 7 bytes to all neighbours on a ring of 6.
static void persistent(void) {
#ifdef HAS_MPI_4_CALLS
    int size = 6, is_ring = 1;
    MPI_Comm comm;
    MPI_Request request;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_ring, 0, &comm);
    MPI_Neighbor_alltoall_init(outgoing, 7, MPI_CHAR, incoming, 7, MPI_CHAR, comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Comm_free(&comm);
#endif
}

int main(int argc, char **argv) {
    start(&argc, &argv, 6);
    on_grid(3, 2, 1, 1);  // the rings of 2 have the same neighbour on both sides
    on_grid(6, 1, 0, 1);  // the rings of 1 have the rank itself on both sides
    on_grid(2, 3, 0, 0);
    on_graph();
    persistent();
    return finish();
}
