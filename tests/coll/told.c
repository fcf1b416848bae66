/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests/coll/told.sh: which algorithms the MPI takes for broadcasts of so many bytes, which
 * berth's library measures in MPI_Init. Open MPI's algorithms are functions, and the program's own
 * of that name come first. MPICH's are seen by the sizes of messages that a rank gives to UCX. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef OPEN_MPI
#include <ucp/api/ucp.h>
#endif

enum { BYTES = 50001, MOST = 16, NETWORK = 32768 /* bytes by which the library measures links */ };

static char seen[MOST][64];
static int n_seen;

static void see(const char *what)
{
  int i = 0;
  while (i < n_seen && strcmp(seen[i], what) != 0) i++;
  if (i < n_seen || i == MOST) return;
  snprintf(seen[n_seen++], sizeof seen[0], "%s", what);
}

#ifdef OPEN_MPI
#define MODULE void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, void *module
#define PASSED data, count, type, root, comm, module
#define ALGORITHM(name, parameters, arguments, ...)                                                \
  int ompi_coll_base_bcast_intra_##name parameters;                                                \
  int ompi_coll_base_bcast_intra_##name parameters                                                 \
  {                                                                                                \
    char text[64];                                                                                 \
    __typeof__(&ompi_coll_base_bcast_intra_##name) next;                                           \
    *(void **)&next = dlsym(RTLD_NEXT, __func__);                                                  \
    if (!next) abort();                                                                            \
    snprintf(text, sizeof text, __VA_ARGS__);                                                      \
    if (count == BYTES) see(text);                                                                 \
    return next arguments;                                                                         \
  }
ALGORITHM(basic_linear, (MODULE), (PASSED), "linear")
ALGORITHM(binomial, (MODULE, unsigned segment), (PASSED, segment), "binomial %u", segment)
ALGORITHM(pipeline, (MODULE, unsigned segment), (PASSED, segment), "pipeline %u", segment)
ALGORITHM(chain, (MODULE, unsigned segment, int chains), (PASSED, segment, chains), "chain %u %d",
          segment, chains)
ALGORITHM(scatter_allgather, (MODULE, unsigned segment), (PASSED, segment), "scatter_allgather")
#else
ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h endpoint, const void *data, size_t count, ucp_tag_t tag,
                                  const ucp_request_param_t *param)
{
  static __typeof__(&ucp_tag_send_nbx) next;
  char text[64];
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, __func__);
  snprintf(text, sizeof text, "%zu", count);
  if (count > BYTES / 8 && count != NETWORK) see(text);
  return next(endpoint, data, count, tag, param);
}
#endif

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1) {
    static char data[BYTES];
    n_seen = 0;
    MPI_Bcast(data, BYTES, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    for (int i = 0; i < n_seen; i++) printf("%s%s", i ? ", " : "", seen[i]);
    puts("");
  }
  MPI_Finalize();
  return 0;
}
