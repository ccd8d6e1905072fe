/* Topoloom decides which process of a parallel program should run where. See docs/c.md.
 *
 * Every function that can fail gives 0, or a topoloom_status; topoloom_message() then says why. Nothing is written to
 * results on failure. Inputs are copied. What a function made is freed with the function of the same name and _free.
 * Objects can be used by several threads at once. The library prints nothing, catches no signals and never exits.
 *
 * Written by cbindgen from crates/topoloom-c. */

#ifndef TOPOLOOM_H
#define TOPOLOOM_H

#include <stddef.h>
#include <stdint.h>

// The version of this header: major, minor and patch, two digits each in hexadecimal.
#define TOPOLOOM_VERSION 256

// What functions return. More values may follow.
typedef enum {
  // It is done.
  TOPOLOOM_OK = 0,
  // An argument is not what it should be, such as a null pointer.
  TOPOLOOM_INVALID = 1,
  // What was asked for cannot be done, such as more ranks than slots.
  TOPOLOOM_REFUSED = 2,
  // A fault of the library.
  TOPOLOOM_INTERNAL = 3,
} topoloom_status;

// A machine: nodes with slots for processes, and distances between them.
typedef struct topoloom_machine topoloom_machine;

// What the ranks of a program send to each other.
typedef struct topoloom_traffic topoloom_traffic;

// How to search. Fill it with topoloom_options_init, then change what you like.
typedef struct {
  // sizeof(topoloom_options): later versions add fields at the end.
  size_t size;
  // The seed of every random choice. The same seed gives the same result on any number of threads.
  uint64_t seed;
  // A time limit in seconds, after which the best so far is used; 0: none.
  double seconds;
  // How many threads to use; 0: one per core.
  uint32_t threads;
  // The strategy, such as "auto" or "hilbert | bokhari"; null: auto.
  const char *strategy;
  // What to minimise, such as "hop-bytes" or "max-link-load"; null: what the strategy is made for.
  const char *objective;
  // How much work to do: "fast", "eco", "strong" or "extreme"; null: eco.
  const char *effort;
} topoloom_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, in the form of TOPOLOOM_VERSION.
uint32_t topoloom_version(void);

// Why the last call of this thread failed. The text stays until the next call of this thread; it is empty after success.
const char *topoloom_message(void);

// The machine of a specification such as torus:4x4x4, or of a file.
int topoloom_machine_parse(const char *specification, topoloom_machine **machine);

// A machine of hosts, each with a number of slots. All hosts are equally far from each other. Slots are numbered from
// the first host to the last.
int topoloom_machine_hosts(uint32_t hosts, const uint32_t *slots_of_host, topoloom_machine **machine);

// Frees a machine; null is allowed.
void topoloom_machine_free(topoloom_machine *machine);

// The number of slots, or 0 for null.
uint32_t topoloom_machine_slots(const topoloom_machine *machine);

// The distance between the nodes of two slots.
int topoloom_machine_distance(const topoloom_machine *machine,
                              uint32_t from_slot,
                              uint32_t to_slot,
                              uint32_t *distance);

// Traffic in compressed rows: rank r sends to the ranks target[first[r]] to target[first[r + 1] - 1]. `messages` may be
// null: then each flow is one message.
int topoloom_traffic_csr(uint32_t ranks,
                         const uint64_t *first,
                         const uint32_t *target,
                         const uint64_t *bytes,
                         const uint64_t *messages,
                         topoloom_traffic **traffic);

// The traffic of a pattern such as lu:class=C,ranks=64, or of a file. Collectives are turned into messages.
int topoloom_traffic_parse(const char *specification, topoloom_traffic **traffic);

// Frees traffic; null is allowed.
void topoloom_traffic_free(topoloom_traffic *traffic);

// The number of ranks, or 0 for null.
uint32_t topoloom_traffic_ranks(const topoloom_traffic *traffic);

// Fills options with what is used if none are given.
void topoloom_options_init(topoloom_options *options);

// Finds a placement: the slot of each rank, which no other rank has. `options` and `cost` may be null.
int topoloom_map(const topoloom_traffic *traffic,
                 const topoloom_machine *machine,
                 const topoloom_options *options,
                 uint32_t *slot_of_rank,
                 double *cost);

// What a placement costs under an objective; null: hop-bytes.
int topoloom_cost(const topoloom_traffic *traffic,
                  const topoloom_machine *machine,
                  const char *objective,
                  const uint32_t *slot_of_rank,
                  double *cost);

// Gives processes that are already running other ranks. Process p is in slot_of_process[p] and is rank p now; it should
// become new_rank[p]. No slot is used that no process is in, and the order is kept if nothing is gained. `options`,
// `before` and `after` (the costs) may be null.
int topoloom_reorder(const topoloom_traffic *traffic,
                     const topoloom_machine *machine,
                     const topoloom_options *options,
                     const uint32_t *slot_of_process,
                     uint32_t *new_rank,
                     double *before,
                     double *after);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TOPOLOOM_H */
