/* The rank in world as the program, a plugin, a plugin opened with RTLD_DEEPBIND and the library's own handle see it.
   The last two go around any preloaded library. Arguments: two copies of the plugin, and the MPI library. */
#define _GNU_SOURCE
#include "program.h"
#include <dlfcn.h>

static void *found(const char *library, int flags, const char *symbol) {
    void *handle = dlopen(library, flags), *function = handle ? dlsym(handle, symbol) : NULL;
    if (!function) {
        fprintf(stderr, "%s: %s\n", library, dlerror());
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return function;
}

int main(int argc, char **argv) {
    int own = -1;
    char line[LINE];
    MPI_Init(&argc, &argv);
    who();
    int (*plain)(void) = found(argv[1], RTLD_NOW, "plugin_rank");
    int (*deep)(void) = found(argv[2], RTLD_NOW | RTLD_DEEPBIND, "plugin_rank");
    int (*direct)(MPI_Comm, int *) = found(argv[3], RTLD_NOW | RTLD_NOLOAD, "MPI_Comm_rank");
    direct(MPI_COMM_WORLD, &own);
    const char *form = "program %d launched %s plugin %d deepbind %d handle %d";
    snprintf(line, sizeof line, form, rank, launched(), plain(), deep(), own);
    print_in_order(line);
    MPI_Finalize();
    return 0;
}
