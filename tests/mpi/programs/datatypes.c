// Derived datatypes on 4 ranks in a ring; see `datatypes` in expected.py.
#include "program.h"

static char outgoing[4096], incoming[4096];

static void shift(int count, MPI_Datatype type) {
    MPI_Request request;
    MPI_Irecv(incoming, count, type, previous, 0, MPI_COMM_WORLD, &request);
    MPI_Send(outgoing, count, type, next, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void shift_and_free(int count, MPI_Datatype type) {
    MPI_Type_commit(&type);
    shift(count, type);
    MPI_Type_free(&type);
}

int main(int argc, char **argv) {
    start(&argc, &argv, 4);
    MPI_Datatype type, vector, other;

    MPI_Type_vector(3, 2, 4, MPI_INT, &vector);  // 3 x 2 ints of 4 bytes: 24
    MPI_Type_commit(&vector);
    shift(2, vector);  // 48
    MPI_Type_contiguous(5, vector, &type);
    shift_and_free(1, type);  // 5 x 24 = 120
    MPI_Type_create_hvector(2, 1, 200, vector, &type);
    shift_and_free(1, type);  // 2 x 24 = 48
    MPI_Type_dup(vector, &type);
    shift_and_free(1, type);  // 24
    MPI_Type_free(&vector);

    int lengths[3] = {1, 2, 3};
    MPI_Aint places[3] = {0, 8, 24};
    MPI_Datatype parts[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
    MPI_Type_create_struct(3, lengths, places, parts, &type);  // 4 + 16 + 3 = 23, gaps do not count
    MPI_Type_create_resized(type, 0, 64, &other);  // nor does the extent
    MPI_Type_free(&type);
    shift_and_free(4, other);  // 92

    int offsets[3] = {0, 5, 9};
    MPI_Type_indexed(3, lengths, offsets, MPI_SHORT, &type);
    shift_and_free(1, type);  // (1 + 2 + 3) x 2 = 12
    MPI_Type_create_hindexed(3, lengths, places, MPI_SHORT, &type);
    shift_and_free(2, type);  // 24
    MPI_Type_create_indexed_block(3, 2, offsets, MPI_CHAR, &type);
    shift_and_free(1, type);  // 6
    int whole[2] = {4, 4}, part[2] = {2, 3}, first[2] = {1, 0};
    MPI_Type_create_subarray(2, whole, part, first, MPI_ORDER_C, MPI_INT, &type);
    shift_and_free(1, type);  // 2 x 3 x 4 = 24
    MPI_Type_contiguous(0, MPI_INT, &type);
    shift_and_free(7, type);  // 0, and a message all the same

    // Pairs have gaps in memory that are not sent: 12 + 6 + 8; and 16 of x86's long double.
    shift(1, MPI_DOUBLE_INT);
    shift(1, MPI_SHORT_INT);
    shift(1, MPI_2INT);
    shift(1, MPI_LONG_DOUBLE);

    // The handle of a freed type may come again for another size: 4 x (1 + ... + 10) = 220.
    for (int i = 1; i <= 10; i++) {
        MPI_Type_contiguous(i, MPI_INT, &type);
        shift_and_free(1, type);
    }

    // A type may be freed while sends with it are pending, or before they start: 5 x 36 = 180.
    MPI_Request requests[2];
    MPI_Type_contiguous(9, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Irecv(incoming, 1, type, previous, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(outgoing, 1, type, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&type);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Type_contiguous(18, MPI_SHORT, &type);
    MPI_Type_commit(&type);
    MPI_Recv_init(incoming, 2, type, previous, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(outgoing, 2, type, next, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&type);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    // Packed by hand: 10 ints, 40 bytes.
    char packed[256];
    int position = 0;
    MPI_Pack(outgoing, 10, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    CHECK(position == 40);
    MPI_Sendrecv_replace(packed, position, MPI_PACKED, next, 3, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    // Sent as 3 ints, received as one struct of the same 12 bytes.
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(outgoing, 3, MPI_INT, next, 4, incoming, 1, type, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    return finish();
}
