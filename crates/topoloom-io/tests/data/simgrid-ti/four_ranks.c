/* Messages and collectives of 4 ranks, to be traced by SimGrid. */
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, n;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  static char buf[1 << 16], out[1 << 16];
  int next = (rank + 1) % n, prev = (rank + n - 1) % n;
  /* blocking */
  if (rank == 0) MPI_Send(buf, 100, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(buf, 100, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 2) MPI_Ssend(buf, 50, MPI_FLOAT, 3, 8, MPI_COMM_WORLD);
  if (rank == 3) MPI_Recv(buf, 80, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  /* nonblocking + wait */
  MPI_Request r[2];
  MPI_Irecv(out, 10, MPI_INT, prev, 3, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(buf, 10, MPI_INT, next, 3, MPI_COMM_WORLD, &r[1]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  /* waitall, chars */
  MPI_Irecv(out, 33, MPI_CHAR, prev, 4, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(buf, 33, MPI_CHAR, next, 4, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  /* twice the same, any source */
  MPI_Request q[4];
  for (int i = 0; i < 2; i++) MPI_Irecv(out, 5, MPI_SHORT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &q[i]);
  for (int i = 0; i < 2; i++) MPI_Isend(buf, 5, MPI_SHORT, next, 5, MPI_COMM_WORLD, &q[2 + i]);
  for (int i = 0; i < 4; i++) MPI_Wait(&q[i], MPI_STATUS_IGNORE);
  /* waitany, waitsome, test */
  for (int i = 0; i < 2; i++) MPI_Irecv(out, 6, MPI_LONG, prev, 6, MPI_COMM_WORLD, &q[i]);
  for (int i = 0; i < 2; i++) MPI_Isend(buf, 6, MPI_LONG, next, 6, MPI_COMM_WORLD, &q[2 + i]);
  int index, flag = 0;
  for (int i = 0; i < 3; i++) MPI_Waitany(4, q, &index, MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; i++) if (q[i] != MPI_REQUEST_NULL) while (!flag) MPI_Test(&q[i], &flag, MPI_STATUS_IGNORE);
  MPI_Sendrecv(buf, 7, MPI_BYTE, next, 9, out, 7, MPI_BYTE, prev, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  /* derived type */
  MPI_Datatype t; MPI_Type_contiguous(3, MPI_INT, &t); MPI_Type_commit(&t);
  if (rank == 0) MPI_Send(buf, 4, t, 1, 10, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(buf, 4, t, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Send(buf, 4, MPI_UNSIGNED, 1, 11, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(buf, 4, MPI_UNSIGNED, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Send(buf, 4, MPI_UNSIGNED_LONG, 1, 12, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(buf, 4, MPI_UNSIGNED_LONG, 0, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Send(buf, 4, MPI_LONG_DOUBLE, 1, 13, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(buf, 4, MPI_LONG_DOUBLE, 0, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Send(buf, 0, MPI_INT, MPI_PROC_NULL, 14, MPI_COMM_WORLD);
  if (rank == 0) MPI_Send(buf, 4, MPI_INT64_T, 1, 15, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(buf, 4, MPI_INT64_T, 0, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  /* collectives */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(buf, 11, MPI_DOUBLE, 2, MPI_COMM_WORLD);
  MPI_Reduce(buf, out, 12, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
  MPI_Allreduce(buf, out, 13, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Alltoall(buf, 14, MPI_INT, out, 14, MPI_INT, MPI_COMM_WORLD);
  int sc[4], rc[4], sd[4], rd[4], so = 0, ro = 0;
  for (int i = 0; i < n; i++) { sc[i] = rank + 2 * i + 1; rc[i] = i + 2 * rank + 1; sd[i] = so; rd[i] = ro; so += sc[i]; ro += rc[i]; }
  MPI_Alltoallv(buf, sc, sd, MPI_INT, out, rc, rd, MPI_INT, MPI_COMM_WORLD);
  MPI_Gather(buf, 15, MPI_CHAR, out, 15, MPI_CHAR, 3, MPI_COMM_WORLD);
  int gc[4] = {1, 2, 3, 4}, gd[4] = {0, 1, 3, 6};
  MPI_Gatherv(buf, gc[rank], MPI_INT, out, gc, gd, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Scatter(buf, 16, MPI_INT, out, 16, MPI_INT, 2, MPI_COMM_WORLD);
  MPI_Scatterv(buf, gc, gd, MPI_DOUBLE, out, gc[rank], MPI_DOUBLE, 1, MPI_COMM_WORLD);
  MPI_Allgather(buf, 17, MPI_INT, out, 17, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgatherv(buf, gc[rank], MPI_INT, out, gc, gd, MPI_INT, MPI_COMM_WORLD);
  MPI_Reduce_scatter(buf, out, gc, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(buf, out, 18, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(buf, out, 19, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(buf, out, 20, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Request c;
  MPI_Iallreduce(buf, out, 21, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &c); MPI_Wait(&c, MPI_STATUS_IGNORE);
  MPI_Ibcast(buf, 22, MPI_INT, 3, MPI_COMM_WORLD, &c); MPI_Wait(&c, MPI_STATUS_IGNORE);
  MPI_Ibarrier(MPI_COMM_WORLD, &c); MPI_Wait(&c, MPI_STATUS_IGNORE);
  /* communicators */
  MPI_Comm sub;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &sub);
  MPI_Allreduce(buf, out, 23, MPI_INT, MPI_SUM, sub);
  int srank; MPI_Comm_rank(sub, &srank);
  if (srank == 0) MPI_Send(buf, 24, MPI_INT, 1, 20, sub);
  else MPI_Recv(buf, 24, MPI_INT, 0, 20, sub, MPI_STATUS_IGNORE);
  MPI_Bcast(buf, 25, MPI_INT, 1, sub);
  /* persistent */
  MPI_Request p[2];
  MPI_Recv_init(out, 26, MPI_INT, prev, 30, MPI_COMM_WORLD, &p[0]);
  MPI_Send_init(buf, 26, MPI_INT, next, 30, MPI_COMM_WORLD, &p[1]);
  for (int i = 0; i < 2; i++) { MPI_Startall(2, p); MPI_Waitall(2, p, MPI_STATUSES_IGNORE); }
  MPI_Start(&p[0]); MPI_Start(&p[1]); MPI_Wait(&p[0], MPI_STATUS_IGNORE);  MPI_Wait(&p[1], MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
