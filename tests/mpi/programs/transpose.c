// The messages of NPB CG, in its order, without its arithmetic: transpose MATRIX_ROWS ITERATIONS.
// Ranks form R rows and C columns, powers of two, C = R or 2 R. Sums run along the rows by exchanges of growing or
// falling distance; the result goes to the rank across the diagonal, which may be the rank itself.
#include "program.h"

static double outgoing[1 << 16], incoming[1 << 16];
static int columns, first_of_row, column, own_rows, segment, across;

static void exchange(int partner, int doubles_out, int doubles_in) {
    MPI_Request request;
    MPI_Irecv(incoming, doubles_in, MPI_DOUBLE, partner, 1, MPI_COMM_WORLD, &request);
    MPI_Send(outgoing, doubles_out, MPI_DOUBLE, partner, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// The farthest partner first.
static void sum(int doubles) {
    for (int distance = columns / 2; distance > 0; distance /= 2)
        exchange(first_of_row + (column ^ distance), doubles, doubles);
}

// The nearest partner first. With C = R all send the whole vector; with C = 2 R the nearest ones split it in two.
static void vector_sum(int is_square) {
    for (int distance = 1; distance < columns; distance *= 2) {
        int splits = distance == 1 && !is_square;
        exchange(first_of_row + (column ^ distance), splits ? own_rows - segment : segment, segment);
    }
}

static void product(int is_square) {
    vector_sum(is_square);
    exchange(across, segment, segment);
}

static void outer_iteration(int is_square) {
    sum(1);
    for (int i = 0; i < 25; i++) {
        product(is_square);
        sum(1);
        sum(1);
    }
    product(is_square);
    sum(1);
    sum(2);
}

int main(int argc, char **argv) {
    start(&argc, &argv, 0);
    CHECK(argc == 3 && ranks > 1 && (ranks & (ranks - 1)) == 0);
    int matrix_rows = atoi(argv[1]), iterations = atoi(argv[2]), rows = 1;
    while (rows * rows * 4 <= ranks) rows *= 2;
    columns = ranks / rows;
    int is_square = rows == columns;
    int row = rank / columns;
    column = rank % columns;
    first_of_row = row * columns;
    own_rows = matrix_rows / rows + (row < matrix_rows % rows);
    if (is_square) {
        segment = own_rows;
        across = rank % rows * rows + rank / rows;
    } else {
        segment = rank % 2 ? own_rows / 2 : (own_rows + 1) / 2;
        across = 2 * (rank / 2 % rows * rows + rank / 2 / rows) + rank % 2;
    }
    MPI_Bcast(outgoing, 1, MPI_INT, 0, MPI_COMM_WORLD);
    outer_iteration(is_square);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < iterations; i++) outer_iteration(is_square);
    MPI_Reduce(outgoing, incoming, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return finish();
}
