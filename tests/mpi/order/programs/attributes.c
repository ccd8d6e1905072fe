/* Attributes of world: those that every library has, the program's own, and those that MPI_Finalize deletes. */
#include "program.h"

static int deleted;
static int count(MPI_Comm comm, int key, void *value, void *extra) {
    deleted++;
    return MPI_SUCCESS;
}

/* World may still be used when MPI_Finalize deletes the attributes of MPI_COMM_SELF. */
static int at_end(MPI_Comm comm, int key, void *value, void *extra) {
    int own = -1, number = -1, sum = 0, one = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &number);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (own == 0) printf("%s world at the end\n", own == rank && number == size && sum == size ? "ok" : "NOT");
    fflush(stdout);
    return MPI_SUCCESS;
}

/* Not all libraries do this, and those that do not may when world is another. */
static int at_end_of_world(MPI_Comm comm, int key, void *value, void *extra) {
    if (rank == 0) puts("note the attribute of world is deleted at the end");
    fflush(stdout);
    return MPI_SUCCESS;
}

int main(int argc, char **argv) {
    struct { const char *name; int key; } predefined[] = {
        {"TAG_UB", MPI_TAG_UB}, {"IO", MPI_IO}, {"WTIME_IS_GLOBAL", MPI_WTIME_IS_GLOBAL},
        {"UNIVERSE_SIZE", MPI_UNIVERSE_SIZE}, {"APPNUM", MPI_APPNUM}, {"LASTUSEDCODE", MPI_LASTUSEDCODE},
    };
    int flag, key, end_key, world_key, *value;
    MPI_Init(&argc, &argv);
    who();
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++) {
        flag = 0;
        value = NULL;
        MPI_Comm_get_attr(MPI_COMM_WORLD, predefined[i].key, &value, &flag);
        /* Its value may be the launcher's rank: any process can do input and output. */
        int number = !flag || !value ? 0 : predefined[i].key == MPI_IO ? 1 : *value;
        if (rank == 0) printf("attribute %s: %s %d\n", predefined[i].name, flag ? "set" : "none", number);
        if (i == 0) say("largest tag", flag && value && *value >= 32767);
    }
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, count, &key, NULL);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    say("none at first", !flag);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &rank);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    say("set", flag && value == &rank);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_get_attr(copy, key, &value, &flag);
    say("copied", flag && value == &rank);
    MPI_Comm_free(&copy);
    say("deleted with the copy", deleted == 1);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    say("deleted", deleted == 2 && !flag);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &end_key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, end_key, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end_of_world, &world_key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, world_key, NULL);
    MPI_Finalize();
    return 0;
}
