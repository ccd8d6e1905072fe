// Times a loop in blocks, so that a block in which the machine did something else does not count for the rest.
#ifndef BLOCKS_H
#define BLOCKS_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 100 };

static double block_seconds[BLOCKS];

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Median and fastest block in seconds, the calls of a block and of all.
static void report(long calls_of_block) {
    qsort(block_seconds, BLOCKS, sizeof *block_seconds, by_size);
    printf("measured %.9f %.9f %ld %ld\n", block_seconds[BLOCKS / 2], block_seconds[0], calls_of_block, BLOCKS * calls_of_block);
}
#endif
