// The messages of NPB LU, in its order, without its arithmetic: wavefront POINTS ITERATIONS.
// Ranks form a grid of X columns from north to south and Y from west to east; a plane of the pipelined sweeps passes
// 5 doubles a point of an edge, a halo two layers of them.
#include "program.h"

static int n, grid_x, grid_y, nx, ny, inner_x, inner_y;
static int north, south, west, east;
static double outgoing[1 << 16], incoming[1 << 16];

static void send(int to, int doubles) { MPI_Send(outgoing, doubles, MPI_DOUBLE, to, 1, MPI_COMM_WORLD); }

static void receive(int from, int doubles) {
    MPI_Recv(incoming, doubles, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Neighbours that are not there are MPI_PROC_NULL, as in no rank at all: the calls do nothing then.
static void pass(int from, int to, int doubles) {
    MPI_Request request;
    MPI_Irecv(incoming, doubles, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, &request);
    MPI_Send(outgoing, doubles, MPI_DOUBLE, to, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Two layers of 5 values, 80 bytes a point.
static void halo(void) {
    pass(north, south, 10 * ny * n);
    pass(south, north, 10 * ny * n);
    pass(west, east, 10 * nx * n);
    pass(east, west, 10 * nx * n);
}

// Inner planes only, n - 2 of them, and 40 bytes a point of the edge; points on the border do not take part.
static void sweeps(void) {
    for (int plane = 0; plane < n - 2; plane++) {
        receive(north, 5 * inner_y);
        receive(west, 5 * inner_x);
        send(south, 5 * inner_y);
        send(east, 5 * inner_x);
    }
    for (int plane = 0; plane < n - 2; plane++) {
        receive(south, 5 * inner_y);
        receive(east, 5 * inner_x);
        send(north, 5 * inner_y);
        send(west, 5 * inner_x);
    }
}

static void sum(int doubles) {
    MPI_Allreduce(outgoing, incoming, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// What a rank gives to one side it gets from the other; part sizes differ by where the sender is.
static void surface_integral(void) {
    int column = rank % grid_x, row = rank / grid_x;
    receive(east, 2 * nx);
    send(west, 2 * nx);
    receive(south, 2 * (ny + 2));
    send(north, 2 * (ny + 2));
    sum(1);
    for (int edge = 0; edge < 2; edge++)
        if (row == (edge ? grid_y - 1 : 0)) receive(south, n), send(north, n);
    sum(1);
    for (int edge = 0; edge < 2; edge++)
        if (column == (edge ? grid_x - 1 : 0)) receive(east, n), send(west, n);
    sum(1);
}

static int part(int points, int parts, int index) { return points / parts + (index < points % parts); }

int main(int argc, char **argv) {
    start(&argc, &argv, 0);
    CHECK(argc == 3);
    n = atoi(argv[1]);
    int iterations = atoi(argv[2]);
    for (grid_y = 1; (grid_y + 1) * (grid_y + 1) <= ranks; grid_y++) {}
    while (ranks % grid_y) grid_y--;
    grid_x = ranks / grid_y;
    int column = rank % grid_x, row = rank / grid_x;
    north = column > 0 ? rank - 1 : MPI_PROC_NULL;
    south = column < grid_x - 1 ? rank + 1 : MPI_PROC_NULL;
    west = row > 0 ? rank - grid_x : MPI_PROC_NULL;
    east = row < grid_y - 1 ? rank + grid_x : MPI_PROC_NULL;
    nx = part(n, grid_x, column), ny = part(n, grid_y, row);
    inner_x = nx - (column == 0) - (column == grid_x - 1);
    inner_y = ny - (row == 0) - (row == grid_y - 1);

    // The input, 84 bytes in all.
    int sizes[10] = {4, 4, 4, 8, 8, 40, 4, 4, 4, 4};
    for (int i = 0; i < 10; i++) MPI_Bcast(outgoing, sizes[i], MPI_BYTE, 0, MPI_COMM_WORLD);
    halo();
    // One untimed step, then the timed ones.
    halo();
    sum(5);
    MPI_Barrier(MPI_COMM_WORLD);
    sweeps();
    halo();
    sum(1);
    halo();
    sum(5);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < iterations; i++) {
        sweeps();
        if (i == iterations - 1) sum(5);
        halo();
        if (i == iterations - 1) sum(5);
    }
    sum(1);
    sum(5);
    surface_integral();
    return finish();
}
