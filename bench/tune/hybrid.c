// Heat on a long rod, cut into one piece per rank; the threads of a rank share its piece. hybrid STEPS
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 1 << 18 };

int main(int count, char **words) {
    static double now[CELLS + 2], then[CELLS + 2];
    int rank, ranks, offered;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &offered);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int steps = count > 1 ? atoi(words[1]) : 100;
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    now[CELLS / 2] = 1;
    double change = 0;
    for (int step = 0; step < steps; step++) {
        MPI_Sendrecv(&now[1], 1, MPI_DOUBLE, left, 1, &now[CELLS + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&now[CELLS], 1, MPI_DOUBLE, right, 2, &now[0], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        double own = 0;
#pragma omp parallel for reduction(max : own)
        for (int cell = 1; cell <= CELLS; cell++) {
            then[cell] = now[cell] + 0.25 * (now[cell - 1] - 2 * now[cell] + now[cell + 1]);
            own = fmax(own, fabs(then[cell] - now[cell]));
        }
#pragma omp parallel for
        for (int cell = 1; cell <= CELLS; cell++) now[cell] = then[cell];
        MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%d ranks of %d threads, last change %g\n", ranks, omp_get_max_threads(), change);
    MPI_Finalize();
    return 0;
}
