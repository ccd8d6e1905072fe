// Rank 0 waits for the others in MPI_Recv while they sleep: does it let others run?
#include <mpi.h>
#include <unistd.h>

int main(int count, char **words) {
    int rank, ranks, number = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) {
        for (int other = 1; other < ranks; other++)
            MPI_Recv(&number, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        usleep(300 * 1000);
        MPI_Send(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
