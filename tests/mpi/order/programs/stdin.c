/* Rank 0 reads standard input, as many programs do. */
#include "program.h"

int main(int argc, char **argv) {
    int bytes = 0;
    MPI_Init(&argc, &argv);
    who();
    if (rank == 0) {
        while (getchar() != EOF) bytes++;
        printf("rank 0 read %d bytes\n", bytes);
    }
    MPI_Finalize();
    return 0;
}
