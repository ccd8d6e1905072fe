// The C++ bindings of MPI-2: a line a rank, with what came from the rank before, and the ranks in two copies of world.
#include <mpi.h>
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
    MPI::Init(argc, argv);
    int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size(), got = -1;
    const bool periodic[] = {true};
    const char *given = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    MPI::COMM_WORLD.Sendrecv(&rank, 1, MPI::INT, (rank + 1) % size, 1, &got, 1, MPI::INT, (rank + size - 1) % size, 1);
    MPI::Intracomm copy = MPI::COMM_WORLD.Dup();
    MPI::Cartcomm ring = MPI::COMM_WORLD.Create_cart(1, &size, periodic, false);
    bool is_good = got == (rank + size - 1) % size && copy.Get_rank() == rank && ring.Get_rank() == rank;
    printf("rank %d launched %s %s\n", rank, given ? given : "?", is_good ? "ok" : "NOT");
    fflush(stdout);
    MPI::Finalize();
    return 0;
}
