// Places a ring of ranks on a machine: cc place.c $(pkg-config --cflags --libs topoloom) && ./a.out torus:4x4
#include <stdio.h>
#include <stdlib.h>
#include <topoloom.h>

#define RANKS 16

static int fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, topoloom_message());
  return 1;
}

int main(int argc, char **argv) {
  uint64_t first[RANKS + 1], bytes[RANKS];
  uint32_t target[RANKS], slot[RANKS];
  for (int rank = 0; rank < RANKS; rank++) {
    first[rank] = rank, target[rank] = (rank + 1) % RANKS, bytes[rank] = 1000;
  }
  first[RANKS] = RANKS;

  topoloom_machine *machine = NULL;
  topoloom_traffic *traffic = NULL;
  if (topoloom_machine_parse(argc > 1 ? argv[1] : "mesh:4x4", &machine)) return fail("machine");
  if (topoloom_traffic_csr(RANKS, first, target, bytes, NULL, &traffic)) return fail("traffic");

  topoloom_options options;
  topoloom_options_init(&options);
  options.seed = 7;
  double cost, plain;
  uint32_t in_order[RANKS];
  for (uint32_t rank = 0; rank < RANKS; rank++) in_order[rank] = rank;
  if (topoloom_map(traffic, machine, &options, slot, &cost)) return fail("map");
  if (topoloom_cost(traffic, machine, NULL, in_order, &plain)) return fail("cost");
  printf("in order %.0f, placed %.0f\n", plain, cost);
  for (int rank = 0; rank < RANKS; rank++) printf("rank %d: slot %u\n", rank, slot[rank]);

  topoloom_traffic_free(traffic);
  topoloom_machine_free(machine);
  return 0;
}
