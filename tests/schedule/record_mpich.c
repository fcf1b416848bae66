/* SPDX-License-Identifier: BSD-3-Clause */
/* Records MPICH 4.0 over UCX: the program's own functions come before UCX's. MPIR_CVAR_NOLOCAL=1
 * makes all ranks send through them. An endpoint belongs to the rank that a message was sent to
 * when it was first seen; bytes of a type that isn't contiguous are asked of the type itself. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <ucp/api/ucp.h>

#include "record.h"

enum { MOST_RANKS = 256, MOST_TYPES = 1 << 12 };

/* --- endpoints --- */

static ucp_ep_h endpoints[MOST_RANKS];
static int greeted = -1; /* the rank that the next message is for */

static int rank_behind(ucp_ep_h endpoint)
{
  int rank = 0;
  while (rank < MOST_RANKS && endpoints[rank] != endpoint) rank++;
  if (rank == MOST_RANKS) abort();
  return rank;
}

/* Sends an empty message to every rank, one at a time. */
void record_prepare(void)
{
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > MOST_RANKS) abort();
  for (int i = 0; i < size; i++) {
    MPI_Request request;
    greeted = i;
    MPI_Isend(NULL, 0, MPI_BYTE, i, 0, MPI_COMM_WORLD, &request);
    greeted = -1;
    MPI_Request_free(&request);
  }
  for (int i = 0; i < size; i++)
    MPI_Recv(NULL, 0, MPI_BYTE, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* --- types that aren't contiguous --- */

static struct {
  ucp_datatype_t type;
  ucp_generic_dt_ops_t ops;
  void *context;
} types[MOST_TYPES];
static int n_types;

static int find_type(ucp_datatype_t type)
{
  int i = 0;
  while (i < n_types && types[i].type != type) i++;
  return i;
}

ucs_status_t ucp_dt_create_generic(const ucp_generic_dt_ops_t *ops, void *context,
                                   ucp_datatype_t *out)
{
  static ucs_status_t (*real)(const ucp_generic_dt_ops_t *, void *, ucp_datatype_t *);
  if (!real) real = dlsym(RTLD_NEXT, __func__);
  ucs_status_t rc = real(ops, context, out);
  int i = rc == UCS_OK ? find_type(*out) : n_types;
  if (rc != UCS_OK) return rc;
  if (i == MOST_TYPES) abort();
  if (i == n_types) n_types++;
  types[i].type = *out;
  types[i].ops = *ops;
  types[i].context = context;
  return rc;
}

static size_t bytes_of(const void *data, size_t count, const ucp_request_param_t *param)
{
  ucp_datatype_t type =
      param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE ? param->datatype : ucp_dt_make_contig(1);
  if ((type & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG)
    return count * (type >> UCP_DATATYPE_SHIFT);
  int i = find_type(type);
  if (i == n_types) abort();
  /* The state is left as it is: to finish it would release the type, which the message needs. */
  return types[i].ops.packed_size(types[i].ops.start_pack(types[i].context, data, count));
}

/* --- messages --- */

typedef ucs_status_ptr_t send_t(ucp_ep_h endpoint, const void *data, size_t count, ucp_tag_t tag,
                                const ucp_request_param_t *param);

static ucs_status_ptr_t note_and_send(const char *function, ucp_ep_h endpoint, const void *data,
                                      size_t count, ucp_tag_t tag, const ucp_request_param_t *param)
{
  send_t *real = (send_t *)dlsym(RTLD_NEXT, function);
  if (!real) abort();
  if (greeted >= 0) endpoints[greeted] = endpoint;
  if (record_is_on()) record_message(rank_behind(endpoint), bytes_of(data, count, param));
  return real(endpoint, data, count, tag, param);
}

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h endpoint, const void *data, size_t count, ucp_tag_t tag,
                                  const ucp_request_param_t *param)
{
  return note_and_send(__func__, endpoint, data, count, tag, param);
}

/* Synchronous sends: gatherv's, from 32 ranks on. */
ucs_status_ptr_t ucp_tag_send_sync_nbx(ucp_ep_h endpoint, const void *data, size_t count,
                                       ucp_tag_t tag, const ucp_request_param_t *param)
{
  return note_and_send(__func__, endpoint, data, count, tag, param);
}

/* --- one-sided operations --- */

static size_t bytes_of_parts(const void *data, size_t count, ucp_datatype_t type)
{
  size_t bytes = 0;
  const ucp_dt_iov_t *part = data;
  if ((type & UCP_DATATYPE_CLASS_MASK) != UCP_DATATYPE_IOV)
    return count * (type >> UCP_DATATYPE_SHIFT);
  for (size_t i = 0; i < count; i++) bytes += part[i].length;
  return bytes;
}

ucs_status_ptr_t ucp_am_send_nb(ucp_ep_h endpoint, uint16_t id, const void *data, size_t count,
                                ucp_datatype_t type, ucp_send_callback_t done, unsigned flags)
{
  static ucs_status_ptr_t (*real)(ucp_ep_h, uint16_t, const void *, size_t, ucp_datatype_t,
                                  ucp_send_callback_t, unsigned);
  if (!real) real = dlsym(RTLD_NEXT, __func__);
  if (record_is_on()) record_message(rank_behind(endpoint), bytes_of_parts(data, count, type));
  return real(endpoint, id, data, count, type, done, flags);
}

static void note_put(ucp_ep_h endpoint, size_t bytes)
{
  if (record_is_on()) record_message(rank_behind(endpoint), bytes);
}

/* UCX's own question has no data. */
static void note_get(ucp_ep_h endpoint, size_t bytes)
{
  if (!record_is_on()) return;
  record_message(rank_behind(endpoint), 0);
  record_message(-1 - rank_behind(endpoint), bytes);
}

ucs_status_t ucp_put_nbi(ucp_ep_h endpoint, const void *data, size_t bytes, uint64_t to,
                         ucp_rkey_h key)
{
  static ucs_status_t (*real)(ucp_ep_h, const void *, size_t, uint64_t, ucp_rkey_h);
  if (!real) real = dlsym(RTLD_NEXT, __func__);
  note_put(endpoint, bytes);
  return real(endpoint, data, bytes, to, key);
}

ucs_status_ptr_t ucp_put_nb(ucp_ep_h endpoint, const void *data, size_t bytes, uint64_t to,
                            ucp_rkey_h key, ucp_send_callback_t done)
{
  static ucs_status_ptr_t (*real)(ucp_ep_h, const void *, size_t, uint64_t, ucp_rkey_h,
                                  ucp_send_callback_t);
  if (!real) real = dlsym(RTLD_NEXT, __func__);
  note_put(endpoint, bytes);
  return real(endpoint, data, bytes, to, key, done);
}

ucs_status_t ucp_get_nbi(ucp_ep_h endpoint, void *data, size_t bytes, uint64_t from, ucp_rkey_h key)
{
  static ucs_status_t (*real)(ucp_ep_h, void *, size_t, uint64_t, ucp_rkey_h);
  if (!real) real = dlsym(RTLD_NEXT, __func__);
  note_get(endpoint, bytes);
  return real(endpoint, data, bytes, from, key);
}

ucs_status_ptr_t ucp_get_nb(ucp_ep_h endpoint, void *data, size_t bytes, uint64_t from,
                            ucp_rkey_h key, ucp_send_callback_t done)
{
  static ucs_status_ptr_t (*real)(ucp_ep_h, void *, size_t, uint64_t, ucp_rkey_h,
                                  ucp_send_callback_t);
  if (!real) real = dlsym(RTLD_NEXT, __func__);
  note_get(endpoint, bytes);
  return real(endpoint, data, bytes, from, key, done);
}

const char *record_algorithms(void) { return "?"; }
