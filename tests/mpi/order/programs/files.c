/* Files that all of world opens: blocks at the place of the rank, a shared pointer in the order of ranks, and what
   others wrote. The argument is the file. */
#include "program.h"
#define BLOCK 8

static void see_writes_of_others(MPI_File file) {
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
}

static int holds(const int *block, int from) {
    int good = 1;
    for (int i = 0; i < BLOCK; i++) good &= block[i] == 100 * from + i;
    return good;
}

int main(int argc, char **argv) {
    MPI_File file;
    MPI_Group group;
    int block[BLOCK], got[BLOCK], own, mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    const MPI_Offset bytes = sizeof block;
    MPI_Init(&argc, &argv);
    who();
    for (int i = 0; i < BLOCK; i++) block[i] = 100 * rank + i;
    int code = MPI_File_open(MPI_COMM_WORLD, argc > 1 ? argv[1] : "files.data", mode, MPI_INFO_NULL, &file);
    say("open", code == MPI_SUCCESS);
    MPI_File_get_group(file, &group);
    MPI_Group_rank(group, &own);
    MPI_Group_free(&group);
    say("group of the file", own == rank);

    MPI_File_write_at(file, rank * bytes, block, BLOCK, MPI_INT, MPI_STATUS_IGNORE);
    see_writes_of_others(file);
    MPI_File_read_at(file, next * bytes, got, BLOCK, MPI_INT, MPI_STATUS_IGNORE);
    say("block of the next rank", holds(got, next));

    MPI_Offset second = size * bytes;
    MPI_File_seek_shared(file, second, MPI_SEEK_SET);
    MPI_File_write_ordered(file, block, BLOCK, MPI_INT, MPI_STATUS_IGNORE);
    see_writes_of_others(file);
    MPI_File_read_at_all(file, second + before * bytes, got, BLOCK, MPI_INT, MPI_STATUS_IGNORE);
    say("shared pointer goes by ranks", holds(got, before));
    MPI_File_seek_shared(file, second, MPI_SEEK_SET);
    MPI_File_read_ordered(file, got, BLOCK, MPI_INT, MPI_STATUS_IGNORE);
    say("read in the order of ranks", holds(got, rank));

    /* Each rank has every size-th block of the third part. */
    MPI_Datatype strided;
    MPI_Type_vector(2, BLOCK / 2, size * BLOCK / 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    MPI_File_set_view(file, 2 * second + rank * bytes / 2, MPI_INT, strided, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, block, BLOCK, MPI_INT, MPI_STATUS_IGNORE);
    see_writes_of_others(file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    int *all = calloc(size, sizeof block), good = 1;
    MPI_File_read_at_all(file, 2 * size * BLOCK, all, size * BLOCK, MPI_INT, MPI_STATUS_IGNORE);
    for (int half = 0; half < 2; half++)
        for (int from = 0; from < size; from++)
            for (int i = 0; i < BLOCK / 2; i++)
                good &= all[(half * size + from) * BLOCK / 2 + i] == 100 * from + half * BLOCK / 2 + i;
    say("collective write through a view", good);
    free(all);
    MPI_Type_free(&strided);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
