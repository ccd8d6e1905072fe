// Each rank exchanges much with the rank half the world away, and a little with its neighbours: a bad order for ranks
// that fill one host after the other. apart ROUNDS
#include <mpi.h>
#include <stdlib.h>

enum { MUCH = 1 << 19, LITTLE = 64 };

int main(int count, char **words) {
    static char outgoing[MUCH], incoming[MUCH];
    int rank, ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rounds = count > 1 ? atoi(words[1]) : 100;
    int partner = (rank + ranks / 2) % ranks, next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    for (int round = 0; round < rounds; round++) {
        MPI_Sendrecv(outgoing, MUCH, MPI_CHAR, partner, 1, incoming, MUCH, MPI_CHAR, partner, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(outgoing, LITTLE, MPI_CHAR, next, 2, incoming, LITTLE, MPI_CHAR, previous, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
