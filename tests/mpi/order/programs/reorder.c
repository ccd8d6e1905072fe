/* What reorder=1 does, for every way to make a topology. Ranks k and k + size/2 exchange much (weight 1000), k and
   k ^ 1 little (1); the size is even. For each topology rank 0 prints
       NAME: order O, edges E, arrived A, between hosts X -> Y
   order: "kept" if no rank changed, else "changed".
   edges: "ok" if rank k of the new communicator has the neighbours that were named for rank k, with their weights (the
   standard, at MPI_Dist_graph_neighbors: the input of the process with the same rank in the old one), else "NOT".
   arrived: "ok" if MPI_Neighbor_allgather brought the numbers of exactly these neighbours.
   X, Y: weight of all edges, each from both ends, between processes of different hosts: unmoved, and as it is now.
   With "-v" also a line a process. */
#include "program.h"
#define MOST 16

enum Kind { GRID, GRAPH, WEIGHTED, HEAVY_ONLY };
typedef struct { int number, to[MOST], weight[MOST]; } Neighbours;
static int is_verbose;
static char host[64];

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int same(int number, const int *a, const int *b) {
    int x[MOST], y[MOST];
    memcpy(x, a, number * sizeof(int));
    memcpy(y, b, number * sizeof(int));
    qsort(x, number, sizeof(int), compare);
    qsort(y, number, sizeof(int), compare);
    return !memcmp(x, y, number * sizeof(int));
}

static int number_of(const char *name) {
    unsigned hash = 5381;
    while (*name) hash = hash * 33 + *name++;
    return hash & 0x7fffffff;
}

static void add(Neighbours *all, int to, int weight) {
    all->to[all->number] = to;
    all->weight[all->number++] = weight;
}

/* The neighbours that a rank should have. */
static Neighbours wanted(enum Kind kind, int of) {
    Neighbours all = {0};
    if (kind == GRID) {  /* 2 x size/2, not closed */
        int across = size / 2, x = of % across;
        add(&all, (of + across) % size, 1);
        if (x > 0) add(&all, of - 1, 1);
        if (x < across - 1) add(&all, of + 1, 1);
        return all;
    }
    add(&all, (of + size / 2) % size, kind == GRAPH ? 1 : 1000);
    if (kind != HEAVY_ONLY) add(&all, of ^ 1, 1);
    return all;
}

/* The neighbours that the library says this rank has. */
static Neighbours found_in(enum Kind kind, MPI_Comm comm, int own) {
    Neighbours all = {0};
    if (kind == GRID) {
        for (int dimension = 0; dimension < 2; dimension++) {
            int ends[2];
            MPI_Cart_shift(comm, dimension, 1, ends, ends + 1);
            for (int i = 0; i < 2; i++)
                if (ends[i] != MPI_PROC_NULL) add(&all, ends[i], 1);
        }
    } else if (kind == GRAPH) {
        MPI_Graph_neighbors_count(comm, own, &all.number);
        MPI_Graph_neighbors(comm, own, all.number, all.to);
    } else {
        int out, is_weighted, to[MOST], weight[MOST];
        MPI_Dist_graph_neighbors_count(comm, &all.number, &out, &is_weighted);
        MPI_Dist_graph_neighbors(comm, all.number, all.to, all.weight, out, to, weight);
    }
    return all;
}

static int same_weights(const Neighbours *a, const Neighbours *b) {
    int x[MOST], y[MOST];
    for (int i = 0; i < a->number; i++) {
        x[i] = a->to[i] * 10000 + a->weight[i];
        y[i] = b->to[i] * 10000 + b->weight[i];
    }
    return same(a->number, x, y);
}

/* Weight of edges between hosts, where rank k is on host[k]. */
static long between_hosts(enum Kind kind, const int *host_of) {
    long sum = 0;
    for (int k = 0; k < size; k++) {
        Neighbours all = wanted(kind, k);
        for (int i = 0; i < all.number; i++) sum += host_of[k] == host_of[all.to[i]] ? 0 : all.weight[i];
    }
    return sum;
}

static void judge(const char *name, enum Kind kind, MPI_Comm comm) {
    int own, got[MOST], arrived = 0;
    MPI_Comm_rank(comm, &own);
    Neighbours found = found_in(kind, comm, own), want = wanted(kind, own);
    for (int i = 0; i < MOST; i++) got[i] = -1;
    MPI_Neighbor_allgather(&own, 1, MPI_INT, got, 1, MPI_INT, comm);
    for (int i = 0; i < MOST; i++)  /* a grid leaves gaps at its sides */
        if (got[i] >= 0) got[arrived++] = got[i];
    int same_number = found.number == want.number, flags[3], all[3];
    flags[0] = own == rank;
    flags[1] = same_number && same(found.number, found.to, want.to);
    if (kind == WEIGHTED || kind == HEAVY_ONLY) flags[1] = flags[1] && same_weights(&found, &want);
    flags[2] = arrived == want.number && same(arrived, got, want.to);
    MPI_Allreduce(flags, all, 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    int here = number_of(host), *now = malloc(size * sizeof(int)), *old = malloc(size * sizeof(int));
    MPI_Allgather(&here, 1, MPI_INT, now, 1, MPI_INT, comm);
    MPI_Allgather(&here, 1, MPI_INT, old, 1, MPI_INT, MPI_COMM_WORLD);
    if (rank == 0)
        printf(
            "%s: order %s, edges %s, arrived %s, between hosts %ld -> %ld\n", name, all[0] ? "kept" : "changed",
            all[1] ? "ok" : "NOT", all[2] ? "ok" : "NOT", between_hosts(kind, old), between_hosts(kind, now));
    if (is_verbose) {
        char line[LINE];
        int at = snprintf(line, sizeof line, "    old %d new %d on %s neighbours", rank, own, host);
        for (int i = 0; i < found.number; i++) at += snprintf(line + at, sizeof line - at, " %d", found.to[i]);
        print_in_order(line);
    }
    fflush(stdout);
    free(now);
    free(old);
    MPI_Comm_free(&comm);
}

static void try_dist_graph(const char *name, enum Kind kind) {
    MPI_Comm comm;
    Neighbours mine = wanted(kind, rank);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &mine.number, mine.to, mine.weight, MPI_INFO_NULL, 1, &comm);
    judge(name, kind, comm);
}

int main(int argc, char **argv) {
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    who();
    gethostname(host, sizeof host - 1);
    is_verbose = argc > 1 && !strcmp(argv[1], "-v");
    if (size % 2) {
        if (rank == 0) fputs("an even number of ranks, please\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    Neighbours mine = wanted(WEIGHTED, rank);
    MPI_Dist_graph_create_adjacent(
        MPI_COMM_WORLD, mine.number, mine.to, mine.weight, mine.number, mine.to, mine.weight, MPI_INFO_NULL, 1, &comm);
    judge("dist_graph_create_adjacent", WEIGHTED, comm);
    int dimensions[2] = {2, size / 2}, open[2] = {0, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, open, 1, &comm);
    judge("cart_create", GRID, comm);
    int *index = malloc(size * sizeof(int)), *edges = malloc(2 * size * sizeof(int));
    for (int k = 0; k < size; k++) {
        memcpy(edges + 2 * k, wanted(GRAPH, k).to, 2 * sizeof(int));
        index[k] = 2 * k + 2;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 1, &comm);
    judge("graph_create", GRAPH, comm);
    try_dist_graph("dist_graph_create", WEIGHTED);
    try_dist_graph("dist_graph_create, heavy edges only", HEAVY_ONLY);
    free(index);
    free(edges);
    MPI_Finalize();
    return 0;
}
