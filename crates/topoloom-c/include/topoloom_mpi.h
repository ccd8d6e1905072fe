/* New ranks for the processes of a communicator, so that those that send much to each other are close.
 *
 * Source for your own program: it is compiled with your mpi.h, and the library itself knows no MPI. See docs/c.md. */

#ifndef TOPOLOOM_MPI_H
#define TOPOLOOM_MPI_H

#include <mpi.h>
#include <stdlib.h>

#include "topoloom.h"

/* What process 0 has gathered from all. */
struct topoloom_mpi_gathered {
  int ranks;
  int *count, *offset, *host, *partner, *new_rank;
  uint64_t *first, *bytes;
  uint32_t *target, *slot, *slots_of_host, *rank;
};

static inline void topoloom_mpi_free_(struct topoloom_mpi_gathered *all) {
  free(all->count), free(all->offset), free(all->host), free(all->partner), free(all->new_rank);
  free(all->first), free(all->bytes), free(all->target), free(all->slot), free(all->slots_of_host), free(all->rank);
}

/* Hosts in the order of their first processes, and the slot of each process on its host. */
static inline uint32_t topoloom_mpi_hosts_(struct topoloom_mpi_gathered *all) {
  uint32_t hosts = 0;
  /* host[p] is the lowest rank on the host of p: it becomes the number of the host. */
  for (int p = 0; p < all->ranks; p++) {
    int leader = all->host[p];
    all->host[p] = leader == p ? (int)hosts++ : all->host[leader];
    if (leader == p) all->slots_of_host[all->host[p]] = 0;
    all->slot[p] = all->slots_of_host[all->host[p]]++;
  }
  for (int p = 0; p < all->ranks; p++)
    for (int host = 0; host < all->host[p]; host++) all->slot[p] += all->slots_of_host[host];
  return hosts;
}

/* Process 0 finds the new ranks. */
static inline int topoloom_mpi_solve_(struct topoloom_mpi_gathered *all, const topoloom_machine *machine,
                                      const topoloom_options *options, double *before, double *after) {
  topoloom_machine *hosts = NULL;
  topoloom_traffic *traffic = NULL;
  uint64_t flows = 0;
  for (int p = 0; p < all->ranks; p++) {
    all->first[p] = flows;
    flows += (uint64_t)all->count[p];
  }
  all->first[all->ranks] = flows;
  for (uint64_t flow = 0; flow < flows; flow++) all->target[flow] = (uint32_t)all->partner[flow];
  int status = TOPOLOOM_OK;
  if (machine == NULL) {
    uint32_t number = topoloom_mpi_hosts_(all);
    status = topoloom_machine_hosts(number, all->slots_of_host, &hosts);
    machine = hosts;
  }
  if (status == TOPOLOOM_OK)
    status = topoloom_traffic_csr((uint32_t)all->ranks, all->first, all->target, all->bytes, NULL, &traffic);
  if (status == TOPOLOOM_OK)
    status = topoloom_reorder(traffic, machine, options, all->slot, all->rank, before, after);
  for (int p = 0; p < all->ranks; p++) all->new_rank[p] = status == TOPOLOOM_OK ? (int)all->rank[p] : p;
  /* Freeing does not change the message. */
  topoloom_traffic_free(traffic);
  topoloom_machine_free(hosts);
  return status;
}

/* Makes a communicator of the same processes with other ranks. All processes of `comm` call it.
 *
 * This process sends bytes[i] to partner[i], a rank of `comm`. `machine`, `options` and `my_slot` say where processes are:
 * without a machine, hosts are found out, and all are equally far from each other. With one, each process gives its slot.
 * Only process 0 looks at `machine` and `options`, but all must agree on whether there is a machine.
 *
 * Gives 0, or on all processes the status of process 0, whose topoloom_message() says why; `reordered` is then in the old
 * order. `before` and `after` may be null; process 0 gets the costs. The order is kept if nothing is gained. */
static inline int topoloom_mpi_reorder(MPI_Comm comm, int partners, const int *partner, const uint64_t *bytes,
                                       const topoloom_machine *machine, uint32_t my_slot,
                                       const topoloom_options *options, MPI_Comm *reordered, double *before,
                                       double *after) {
  struct topoloom_mpi_gathered all = {0};
  MPI_Comm host;
  int rank, leader, status = TOPOLOOM_OK, mine = 0, flows = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &all.ranks);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  MPI_Allreduce(&rank, &leader, 1, MPI_INT, MPI_MIN, host);
  MPI_Comm_free(&host);
  size_t room = (size_t)all.ranks + 1;
  if (rank == 0) {
    all.count = malloc(room * sizeof(int)), all.offset = malloc(room * sizeof(int));
    all.host = malloc(room * sizeof(int)), all.new_rank = malloc(room * sizeof(int));
    all.first = malloc(room * sizeof(uint64_t)), all.slot = malloc(room * sizeof(uint32_t));
    all.slots_of_host = malloc(room * sizeof(uint32_t)), all.rank = malloc(room * sizeof(uint32_t));
  }
  MPI_Gather(&partners, 1, MPI_INT, all.count, 1, MPI_INT, 0, comm);
  MPI_Gather(&leader, 1, MPI_INT, all.host, 1, MPI_INT, 0, comm);
  MPI_Gather(&my_slot, 1, MPI_UINT32_T, all.slot, 1, MPI_UINT32_T, 0, comm);
  if (rank == 0) {
    for (int p = 0; p < all.ranks; p++) {
      all.offset[p] = flows;
      flows += all.count[p];
    }
    size_t flows_room = (size_t)flows + 1;
    all.partner = malloc(flows_room * sizeof(int)), all.bytes = malloc(flows_room * sizeof(uint64_t));
    all.target = malloc(flows_room * sizeof(uint32_t));
  }
  MPI_Gatherv(partner, partners, MPI_INT, all.partner, all.count, all.offset, MPI_INT, 0, comm);
  MPI_Gatherv(bytes, partners, MPI_UINT64_T, all.bytes, all.count, all.offset, MPI_UINT64_T, 0, comm);
  if (rank == 0) status = topoloom_mpi_solve_(&all, machine, options, before, after);
  MPI_Bcast(&status, 1, MPI_INT, 0, comm);
  MPI_Scatter(all.new_rank, 1, MPI_INT, &mine, 1, MPI_INT, 0, comm);
  topoloom_mpi_free_(&all);
  MPI_Comm_split(comm, 0, mine, reordered);
  return status;
}

#endif
