// Gives the processes of a job better ranks: mpicc reorder.c $(pkg-config --cflags --libs topoloom) && mpirun -n 8 ./a.out
// With an argument, hosts are not found out: each process says its slot on that machine, which is its rank.
#include <stdio.h>
#include <topoloom_mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  // Ranks that are half of the job apart send much to each other.
  int partner[] = {(rank + size / 2) % size, (rank + 1) % size};
  uint64_t bytes[] = {1000000, 10};

  topoloom_machine *machine = NULL;
  if (argc > 1 && topoloom_machine_parse(argv[1], &machine)) {
    fprintf(stderr, "%s\n", topoloom_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm better;
  double before = 0, after = 0;
  int status = topoloom_mpi_reorder(MPI_COMM_WORLD, 2, partner, bytes, machine, (uint32_t)rank, NULL, &better, &before, &after);
  if (rank == 0 && status) fprintf(stderr, "%s\n", topoloom_message());
  if (rank == 0) printf("cost %.0f -> %.0f\n", before, after);

  // From here on the program uses `better`. The sum of all ranks shows that nobody is missing.
  int mine, sum;
  MPI_Comm_rank(better, &mine);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, better);
  int ranks[1024];
  MPI_Gather(&mine, 1, MPI_INT, ranks, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("sum %d, new ranks", sum);
    for (int process = 0; process < size; process++) printf(" %d", ranks[process]);
    printf("\n");
  }
  MPI_Comm_free(&better);
  topoloom_machine_free(machine);
  MPI_Finalize();
  return status;
}
