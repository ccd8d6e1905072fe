/* What the checks of the generated program share. `rank` is what MPI_Comm_rank says of MPI_COMM_WORLD; every check
   holds if the function means the process of that rank, and fails if it means the process that the launcher gave it. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define MOST 16
#define WORLD MPI_COMM_WORLD
/* Seconds that one check may take. A function that means another communicator than its partner waits for ever. */
#define PATIENCE 25

static int rank, size, next, before;
static const char *running = "the start";

/* What a rank sends: its number plus 100. Buffers are cleared before each check. */
static int mine, got, all[MOST], many[MOST], two[2], result, flag, length, position, buffer_size;
static MPI_Request request, requests[2];
static MPI_Status status, statuses[2];
static MPI_Message message;
static MPI_Group group, part;
static MPI_Comm comm, sub, cart, graph, adjacent, inter;
static MPI_Win window;
static MPI_File file;
static MPI_Errhandler handler;
static MPI_Info info;
static char packed[256], attached[1 << 16], name[MPI_MAX_OBJECT_NAME + 1], *text;
static void *pointer;

/* One number for each rank, and one for each of two neighbours. */
static int counts[MOST], displs[MOST], bytes[MOST];
static MPI_Aint byte_displs[MOST];
static MPI_Datatype types[MOST];
#ifdef HAVE_LARGE_COUNTS
static MPI_Count counts_c[MOST], position_c, buffer_size_c, packed_size_c;
static MPI_Aint displs_c[MOST], bytes_c[MOST];
#endif

/* A list of ranks, one hexadecimal digit each. Putting two lists together is associative, but does not commute. */
typedef struct { long long digits, length; } List;
static List list, joined;
static MPI_Datatype list_type;
static MPI_Op join;

static void join_lists(void *left, void *right, int *number, MPI_Datatype *type) {
    List *a = left, *b = right;
    for (int i = 0; i < *number; i++) {
        b[i].digits |= a[i].digits << 4 * b[i].length;
        b[i].length += a[i].length;
    }
}

/* Whether the list is of all ranks below `end`, in their order. */
static int lists(List found, int end) {
    long long digits = 0;
    for (int i = 0; i < end; i++) digits = digits << 4 | i;
    return found.length == end && found.digits == digits;
}

static void clear(void) {
    mine = 100 + rank;
    got = result = flag = length = position = -1;
    two[0] = two[1] = -1;
    request = requests[0] = requests[1] = MPI_REQUEST_NULL;
    memset(&status, -1, sizeof status);
    for (int i = 0; i < MOST; i++) {
        all[i] = -1;
        many[i] = 1000 * rank + i;
        counts[i] = 1;
        displs[i] = i;
        bytes[i] = i * sizeof(int);
        byte_displs[i] = i * sizeof(int);
        types[i] = MPI_INT;
#ifdef HAVE_LARGE_COUNTS
        counts_c[i] = 1;
        displs_c[i] = i;
        bytes_c[i] = i * sizeof(int);
#endif
    }
    list.digits = rank;
    list.length = 1;
    joined.digits = joined.length = -1;
}

/* Whether place i of `all` holds what rank i sent to everybody, or to this rank alone. */
static int in_order(void) {
    int good = 1;
    for (int i = 0; i < size; i++) good &= all[i] == 100 + i;
    return good;
}
static int transposed(void) {
    int good = 1;
    for (int i = 0; i < size; i++) good &= all[i] == 1000 * i + rank;
    return good;
}
static int from_neighbours(void) { return two[0] == 100 + before && two[1] == 100 + next; }
/* Both neighbours in a ring: the one before sends what is at its place 1, the next one what is at its place 0. */
static int between_neighbours(void) { return two[0] == 1000 * before + 1 && two[1] == 1000 * next; }
static int came(void) { return got == 100 + before && status.MPI_SOURCE == before; }
/* Whether ranks of the communicator are those of world, as the messages between them show. */
static int same_order(MPI_Comm made) {
    int own = -1, number[MOST], good = 1;
    MPI_Comm_rank(made, &own);
    MPI_Allgather(&mine, 1, MPI_INT, number, 1, MPI_INT, made);
    for (int i = 0; i < size; i++) good &= number[i] == 100 + i;
    return good && own == rank;
}
static int same_order_and_free(MPI_Comm *made) {
    int good = same_order(*made);
    MPI_Comm_free(made);
    return good;
}
static void start_and_wait(void) {
    MPI_Start(&request);
    MPI_Wait(&request, &status);
    MPI_Request_free(&request);
}
static void receive_first(void) { MPI_Irecv(&got, 1, MPI_INT, before, 11, WORLD, requests); }
static int received(void) {
    MPI_Wait(requests, &status);
    return came();
}
/* A ready send may start only after its receive. */
static void receive_first_everywhere(void) {
    receive_first();
    MPI_Barrier(WORLD);
}
static void send_first(void) { MPI_Isend(&mine, 1, MPI_INT, next, 11, WORLD, requests); }
static int sent(void) {
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    return came();
}

/* The second half of `packed` gets the first half of the rank before. */
static void pass_on_packed(void) {
    char *in = packed + sizeof packed / 2;
    MPI_Sendrecv(packed, length, MPI_PACKED, next, 11, in, length, MPI_PACKED, before, 11, WORLD, &status);
}

static int handled;
static void count_errors(MPI_Comm *where, int *code, ...) { handled++; }
static int copied;
static int copy_attribute(MPI_Comm old, int key, void *extra, void *value, void *out, int *is_kept) {
    copied++;
    *(void **)out = value;
    *is_kept = 1;
    return MPI_SUCCESS;
}
static int deleted;
static int delete_attribute(MPI_Comm where, int key, void *value, void *extra) {
    deleted++;
    return MPI_SUCCESS;
}
static int keyval;

/* Whether errors of world come to the program's own handler; the errors are then fatal again. */
static int errors_are_handled(void) {
    handled = 0;
    MPI_Send(&mine, 1, MPI_INT, size + 5, 0, WORLD);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
    return handled == 1;
}

/* Whether a put to the next rank comes from the rank before. `here` is this rank's part of the window. */
static int put_arrives(int *here) {
    *here = -1;
    MPI_Win_fence(0, window);
    MPI_Put(&mine, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    int good = *here == 100 + before;
    MPI_Win_free(&window);
    return good;
}

/* The members of this rank's half, even or odd, and the intercommunicator between both halves. */
static void make_halves(void) {
    MPI_Comm_split(WORLD, rank % 2, rank, &sub);
    MPI_Intercomm_create(sub, 0, WORLD, rank % 2 ? 0 : 1, 17, &inter);
}

static void make_topologies(void) {
    int periodic = 1, sources[2] = {before, next}, *index = all, *edges = calloc(2 * size, sizeof(int));
    MPI_Cart_create(WORLD, 1, &size, &periodic, 0, &cart);
    for (int i = 0; i < size; i++) {
        index[i] = 2 * i + 2;
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
    }
    MPI_Graph_create(WORLD, size, index, edges, 0, &graph);
    MPI_Dist_graph_create_adjacent(
        WORLD, 2, sources, MPI_UNWEIGHTED, 2, sources, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &adjacent);
    free(edges);
}

static void too_late(int signal) {
    char line[200];
    int written = snprintf(line, sizeof line, "STUCK %s (rank %d)\n", running, rank);
    if (write(1, line, written) < 0) _exit(8);
    _exit(9);
}

typedef struct { const char *name; int (*check)(void); } Check;

static int is_among(const char *searched, int number, char **names) {
    for (int i = 0; i < number; i++)
        if (!strcmp(names[i], searched)) return 1;
    return 0;
}

/* Runs all checks but those that are named on the command line; rank 0 says how each went. */
static int run_checks(const Check *checks, int argc, char **argv) {
    int provided;
    signal(SIGALRM, too_late);
    alarm(60);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    if (size < 4 || size > MOST || size % 2) {
        if (!rank) fputs("an even number of ranks, please, from 4 to 16\n", stderr);
        MPI_Abort(WORLD, 2);
    }
    MPI_Type_contiguous(2, MPI_LONG_LONG, &list_type);
    MPI_Type_commit(&list_type);
    MPI_Op_create(join_lists, 0, &join);
    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &keyval, NULL);
    clear();
    make_topologies();
    make_halves();
    int passed = 0, failed = 0;
    for (const Check *one = checks; one->name; one++) {
        if (is_among(one->name, argc - 1, argv + 1)) continue;
        running = one->name;
        alarm(PATIENCE);
        clear();
        int good = one->check(), everywhere = 0;
        MPI_Allreduce(&good, &everywhere, 1, MPI_INT, MPI_MIN, WORLD);
        if (everywhere) passed++;
        else failed++;
        if (!rank) printf("%s %s\n", everywhere ? "ok" : "NOT", one->name);
        fflush(stdout);
    }
    running = "the end";
    alarm(PATIENCE);
    MPI_Finalize();
    if (!rank) printf("done: %d passed, %d failed\n", passed, failed);
    return 0;
}
