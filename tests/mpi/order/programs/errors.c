/* Error handlers of world: one of the program's own is called, with a handle that can be used; errors return if they
   should, also those that belong to no communicator; what was set is what is found; copies have it too. */
#include "program.h"

static int seen_code, seen_rank, seen_size, times;
static void own_handler(MPI_Comm *comm, int *code, ...) {
    times++;
    seen_code = *code;
    MPI_Comm_rank(*comm, &seen_rank);
    MPI_Comm_size(*comm, &seen_size);
}

int main(int argc, char **argv) {
    MPI_Errhandler handler, found;
    MPI_Comm copy;
    int got = 0, code;
    MPI_Init(&argc, &argv);
    who();
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
    say("errors are fatal at first", found == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_create_errhandler(own_handler, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Send(&rank, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
    say("own handler is called", times == 1 && seen_code != MPI_SUCCESS);
    say("its communicator is world", seen_rank == rank && seen_size == size);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    times = 0;
    MPI_Send(&rank, 1, MPI_INT, size + 5, 0, copy);
    say("a copy has it too", times == 1);
    MPI_Comm_free(&copy);
    times = 0;
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    say("handler that the program calls", times == 1 && seen_code == MPI_ERR_OTHER);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Bcast(&got, 1, MPI_INT, size + 5, MPI_COMM_WORLD);
    say("errors return", code != MPI_SUCCESS);
    code = MPI_Send(&got, 1, MPI_INT, -100, 0, MPI_COMM_WORLD);
    say("errors of messages return", code != MPI_SUCCESS);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
    say("the handler is found again", found == MPI_ERRORS_RETURN);
    code = MPI_Type_size(MPI_DATATYPE_NULL, &got);
    say("errors of no communicator return", code != MPI_SUCCESS);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Finalize();
    return 0;
}
