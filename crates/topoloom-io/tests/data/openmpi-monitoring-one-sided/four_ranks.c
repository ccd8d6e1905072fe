/* One-sided, persistent, plain and collective messages of 4 ranks, to be recorded. */
#include <mpi.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, n; MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &n);
  static char buf[4096], out[4096]; MPI_Win w; MPI_Request r[2];
  MPI_Win_create(buf, 4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
  MPI_Win_fence(0, w);
  if (rank == 0) { MPI_Put(out, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, w); MPI_Get(out, 24, MPI_BYTE, 2, 0, 24, MPI_BYTE, w); MPI_Accumulate(out, 3, MPI_INT, 3, 0, 3, MPI_INT, MPI_SUM, w); }
  MPI_Win_fence(0, w); MPI_Win_free(&w);
  MPI_Send_init(buf, 26, MPI_INT, (rank + 1) % n, 30, MPI_COMM_WORLD, &r[1]);
  MPI_Recv_init(out, 26, MPI_INT, (rank + n - 1) % n, 30, MPI_COMM_WORLD, &r[0]);
  MPI_Startall(2, r); MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  if (rank == 0) MPI_Send(buf, 100, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(buf, 100, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Bcast(buf, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Finalize(); return 0;
}
