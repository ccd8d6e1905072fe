/* Two ways in which programs find their number on the host, to choose a GPU by it. */
#include "program.h"

int main(int argc, char **argv) {
    int local;
    MPI_Comm here;
    char line[LINE];
    MPI_Init(&argc, &argv);
    who();
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &local);
    const char *given = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    if (!given) given = getenv("MPI_LOCALRANKID");
    if (!given) given = "?";
    snprintf(line, sizeof line, "rank %d launched %s local %d environment %s", rank, launched(), local, given);
    print_in_order(line);
    MPI_Comm_free(&here);
    MPI_Finalize();
    return 0;
}
