/* Messages and collectives of 4 ranks, to be recorded. */
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, n;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  static char buf[1 << 16], out[1 << 16];
  int next = (rank + 1) % n, prev = (rank + n - 1) % n;
  MPI_Status status, statuses[2];
  MPI_Request r[2];

  if (rank == 0) MPI_Send(buf, 100, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(buf, 100, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
  MPI_Irecv(out, 10, MPI_INT, prev, 3, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(buf, 10, MPI_INT, next, 3, MPI_COMM_WORLD, &r[1]);
  MPI_Wait(&r[0], &status);
  MPI_Wait(&r[1], &status);
  MPI_Irecv(out, 33, MPI_CHAR, prev, 4, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(buf, 33, MPI_CHAR, next, 4, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, statuses);

  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(buf, 11, MPI_DOUBLE, 2, MPI_COMM_WORLD);
  MPI_Reduce(buf, out, 12, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
  MPI_Allreduce(buf, out, 13, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Alltoall(buf, 14, MPI_INT, out, 14, MPI_INT, MPI_COMM_WORLD);
  MPI_Gather(buf, 15, MPI_CHAR, out, 15, MPI_CHAR, 3, MPI_COMM_WORLD);
  MPI_Scatter(buf, 16, MPI_INT, out, 16, MPI_INT, 2, MPI_COMM_WORLD);
  MPI_Allgather(buf, 17, MPI_INT, out, 17, MPI_INT, MPI_COMM_WORLD);

  MPI_Comm sub;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &sub);
  MPI_Allreduce(buf, out, 23, MPI_INT, MPI_SUM, sub);
  int place;
  MPI_Comm_rank(sub, &place);
  if (place == 0) MPI_Send(buf, 24, MPI_INT, 1, 20, sub);
  else MPI_Recv(buf, 24, MPI_INT, 0, 20, sub, &status);
  MPI_Bcast(buf, 25, MPI_INT, 1, sub);
  MPI_Finalize();
  return 0;
}
