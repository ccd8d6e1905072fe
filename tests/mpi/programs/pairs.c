// Each rank exchanges much with the rank half the world away, and a little with its neighbours.
#include <mpi.h>

enum { MUCH = 1 << 16, LITTLE = 64, ROUNDS = 20 };

int main(int count, char **words) {
    static char outgoing[MUCH], incoming[MUCH];
    int rank, ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int partner = (rank + ranks / 2) % ranks, next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Sendrecv(outgoing, MUCH, MPI_CHAR, partner, 1, incoming, MUCH, MPI_CHAR, partner, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(outgoing, LITTLE, MPI_CHAR, next, 2, incoming, LITTLE, MPI_CHAR, previous, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
