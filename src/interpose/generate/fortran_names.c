/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the list of MPI's Fortran functions from calls.def, when berth is built.
 *
 * fortran.c makes a wrapper of each line, one per function and binding. Macros that a library
 * doesn't define are WRAPPED_FORTRAN. This is a program because macros can't change case. mpif.h
 * and `use mpi` call the same functions; mpi_f08 has its own. All arguments are addresses. ierror
 * is the last one, before the lengths of character arguments.
 *
 *   generate-fortran > FILE */
#include <ctype.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PARAMETERS = 16, LONGEST = 64 };

/* A line of calls.def. */
typedef struct call {
  const char *macro; /* of fortran.c */
  const char *name;
  const char *count;      /* type of the counts; large counts are in mpi_f08 only */
  const char *parameters; /* of the C function */
  const char *arguments;  /* of the macro, after those that all macros have; NULL: it has no more */
} call_t;

#define TEXT_(...)  #__VA_ARGS__
#define TEXT(...)   TEXT_(__VA_ARGS__)
#define UNPACK(...) __VA_ARGS__

static const call_t calls[] = {
#define PLAIN(macro, name, parameters, arguments)                                                  \
  {macro, TEXT(FORM(name)), TEXT(COUNT), TEXT(UNPACK parameters), NULL},
#define LINE(macro, name, parameters, arguments, ...)                                              \
  {macro, TEXT(FORM(name)), TEXT(COUNT), TEXT(UNPACK parameters), TEXT(__VA_ARGS__)},
#define SEND(...)             LINE("SEND", __VA_ARGS__)
#define SEND_SHORT(...)       LINE("SEND_SHORT", __VA_ARGS__)
#define SEND_INIT(...)        LINE("SEND_INIT", __VA_ARGS__)
#define SEND_REQUEST(...)     LINE("SEND_REQUEST", __VA_ARGS__)
#define SENDRECV(...)         LINE("SENDRECV", __VA_ARGS__)
#define SENDRECV_REQUEST(...) LINE("SENDRECV_REQUEST", __VA_ARGS__)
#define RECEIVE(...)          LINE("RECEIVE", __VA_ARGS__)
#define RECEIVE_REQUEST(...)  LINE("RECEIVE_REQUEST", __VA_ARGS__)
#define RECEIVE_INIT(...)     LINE("RECEIVE_INIT", __VA_ARGS__)
#define WAIT(...)             LINE("WAIT", __VA_ARGS__)
#define TEST(...)             LINE("TEST", __VA_ARGS__)
#define PROBE(...)            LINE("PROBE", __VA_ARGS__)
#define PROBE_SHORT(...)      LINE("PROBE_SHORT", __VA_ARGS__)
#define CANCEL(...)           PLAIN("CANCEL", __VA_ARGS__)
#define PARTITIONED(...)      LINE("PARTITIONED", __VA_ARGS__)
#define READY(...)            LINE("READY", __VA_ARGS__)
#if MPI_VERSION >= 4 || defined OPEN_MPI
#define PERSISTENT(...) LINE(__VA_ARGS__)
#else
#define PERSISTENT(...)
#endif
#define ALL_FORMS(macro, with_request, name, iname, init, parameters, ...)                         \
  LINE(macro, name, parameters, __VA_ARGS__)                                                       \
  LINE(with_request, iname, (UNPACK parameters, MPI_Request * request), __VA_ARGS__)               \
  PERSISTENT(macro "_INIT", init, (UNPACK parameters, MPI_Info info, MPI_Request * request),       \
             __VA_ARGS__)
#define COLL(...)        ALL_FORMS("COLL", "COLL_REQUEST", __VA_ARGS__)
#define COLL_V(...)      ALL_FORMS("COLL_V", "COLL_V_REQUEST", __VA_ARGS__)
#define NEIGHBOUR(...)   ALL_FORMS("NEIGHBOUR", "NEIGHBOUR", __VA_ARGS__)
#define RMA(...)         LINE("RMA", __VA_ARGS__)
#define SYNC(...)        LINE("SYNC", __VA_ARGS__)
#define UNMODELLED(...)  LINE("UNMODELLED", __VA_ARGS__, )
#define FILE_IO(...)     LINE("FILE_IO", __VA_ARGS__, )
#define APART(...)       PLAIN("APART", __VA_ARGS__)
#define TIMED(...)       PLAIN("TIMED", __VA_ARGS__)
#define TIMED_SHORT(...) PLAIN("TIMED_SHORT", __VA_ARGS__)
#define TIMED_WAIT(...)  PLAIN("TIMED_WAIT", __VA_ARGS__)
#include "interpose/each_call.h"
    /* functions that C wraps by hand; the parameters are Fortran's */
    {"INIT", "Init", "int", "", NULL},
    {"INIT", "Init_thread", "int", "int required, int *provided", NULL},
    {"FINALIZE", "Finalize", "int", "", NULL},
    {"ABORT", "Abort", "int", "MPI_Comm comm, int code", NULL},
    {"PCONTROL", "Pcontrol", "int", "int level", NULL},
    {"START", "Start", "int", "MPI_Request *request", NULL},
    {"STARTALL", "Startall", "int", "int count, MPI_Request *requests", NULL},
    {"REQUEST_FREE", "Request_free", "int", "MPI_Request *request", NULL},
    {"SPAWN", "Comm_spawn", "int",
     "const char *command, const char *argv, int n, MPI_Info info, int root, MPI_Comm comm, "
     "MPI_Comm *inter, int *codes",
     ""},
    {"SPAWN", "Comm_spawn_multiple", "int",
     "int n, const char *commands, const char *argv, int *numbers, MPI_Info *infos, int root, "
     "MPI_Comm comm, MPI_Comm *inter, int *codes",
     ""},
#if MPI_VERSION >= 4
    {"SESSION_INIT", "Session_init", "int",
     "MPI_Info info, MPI_Errhandler handler, MPI_Session *session", NULL},
    {"SESSION_FINALIZE", "Session_finalize", "int", "MPI_Session *session", NULL},
    {"SESSION_COMM", "Comm_create_from_group", "int",
     "MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *made",
     NULL},
#endif
#ifdef OPEN_MPI
    /* for a base address of type C_PTR (`use mpi`) */
    {"SYNC", "Win_allocate_cptr", "int",
     "MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win",
     "WIN_MADE(comm, NEW(win))"},
    {"SYNC", "Win_allocate_shared_cptr", "int",
     "MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win",
     "WIN_MADE(comm, NEW(win))"},
#endif
};

typedef struct parameter {
  char type[LONGEST], name[LONGEST];
} parameter_t;

typedef struct function {
  const call_t *call;
  parameter_t parameters[MAX_PARAMETERS];
  int n;
  bool buffers; /* has choice buffers */
  char symbol[LONGEST], pmpi[LONGEST];
} function_t;

/* Splits a declaration such as "const void *buf" into type and name. */
static parameter_t read_parameter(const char *text, size_t length)
{
  parameter_t p = {"", ""};
  size_t name = length;
  while (name && (isalnum((unsigned char)text[name - 1]) || text[name - 1] == '_')) name--;
  snprintf(p.name, sizeof p.name, "%.*s", (int)(length - name), text + name);
  while (name && text[name - 1] == ' ') name--;
  snprintf(p.type, sizeof p.type, "%.*s", (int)name, text);
  return p;
}

static bool is_string(const parameter_t *p) { return strcmp(p->type, "const char *") == 0; }

/* These two return addresses as integers. */
static bool has_buffers(const function_t *f)
{
  if (strncmp(f->call->name, "Win_allocate", 12) == 0) return false;
  if (strncmp(f->call->name, "Buffer_detach", 13) == 0) return false;
  for (int i = 0; i < f->n; i++)
    if (strstr(f->parameters[i].type, "void *")) return true;
  return false;
}

/* Returns false if there are too many. */
static bool read_parameters(function_t *f)
{
  const char *at = f->call->parameters;
  for (; *at && f->n < MAX_PARAMETERS; f->n++) {
    size_t length = strcspn(at, ",");
    f->parameters[f->n] = read_parameter(at, length);
    at += length;
    at += strspn(at, ", ");
  }
  f->buffers = has_buffers(f);
  return !*at;
}

static void write_case(char *to, const char *name, int (*convert)(int))
{
  size_t i = 0;
  for (; name[i]; i++) to[i] = (char)convert((unsigned char)name[i]);
  to[i] = '\0';
}

/* Prints "(void *f_buf, …, void *f_ierror)", or the same without types. */
static void print_list(FILE *out, const function_t *f, bool types)
{
  const char *pointer = types ? "void *" : "", *length = types ? "size_t " : "", *comma = "";
  bool has_error = strcmp(f->call->macro, "PCONTROL") != 0;
  fputs("(", out);
  for (int i = 0; i < f->n; i++, comma = ", ")
    fprintf(out, "%s%sf_%s", comma, pointer, f->parameters[i].name);
  if (has_error) fprintf(out, "%s%sf_ierror", comma, pointer);
  for (int i = 0; i < f->n; i++)
    if (is_string(&f->parameters[i])) fprintf(out, ", %slength_%s", length, f->parameters[i].name);
  fputs(")", out);
}

/* Whether an expression uses a name. */
static bool mentions(const char *expression, const char *name)
{
  size_t length = strlen(name);
  for (const char *at = expression; (at = strstr(at, name)); at += length) {
    unsigned char before = at > expression ? (unsigned char)at[-1] : ' ';
    unsigned char behind = (unsigned char)at[length];
    if (!isalnum(before) && before != '_' && !isalnum(behind) && behind != '_') return true;
  }
  return false;
}

/* Whether a list's type is one of those whose handles are whole numbers in Fortran. */
static bool is_handle(const char *type)
{
  static const char *const types[] = {"MPI_Datatype", "MPI_Win", "MPI_Request", "MPI_Message",
                                      "MPI_Comm"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strncmp(type, types[i], strlen(types[i])) == 0) return true;
  return false;
}

/* Prints the declaration of C's argument, for arguments that the wrapper reads. */
static void print_local(FILE *out, const function_t *f, const parameter_t *p, bool f08)
{
  static const char *const by_name[] = {"UNMODELLED", "FILE_IO", "SPAWN"};
  for (size_t i = 0; i < sizeof by_name / sizeof *by_name; i++)
    if (strcmp(f->call->macro, by_name[i]) == 0) return;
  static const char *const always[] = {"dest", "comm", "target", "win"};
  bool looked_at = mentions(f->call->arguments, p->name),
       sync = strcmp(f->call->macro, "SYNC") == 0;
  for (size_t i = 0; i < sizeof always / sizeof *always && !sync; i++)
    looked_at |= strcmp(p->name, always[i]) == 0;
  looked_at |= strcmp(p->type, "MPI_Request") == 0 && strcmp(f->call->macro, "READY") == 0;
  if (!looked_at) return;
  const char *star = strchr(p->type, '*');
  const char *first = strncmp(p->type, "const ", 6) == 0 ? p->type + 6 : p->type;
  if (strstr(p->type, "void *"))
    fprintf(out, " CHOICE%s(%s)", f08 ? "_F08" : "", p->name);
  else if (strcmp(p->type, "MPI_Datatype") == 0)
    fprintf(out, " TYPE(%s)", p->name);
  else if (strcmp(p->type, "MPI_Comm") == 0)
    fprintf(out, " COMM(%s)", p->name);
  else if (strcmp(p->type, "MPI_Op") == 0)
    fprintf(out, " REDUCTION(%s)", p->name);
  else if (strcmp(p->type, "MPI_Request") == 0)
    fprintf(out, " REQUEST(%s)", p->name);
  else if (strcmp(p->type, "MPI_Win") == 0)
    fprintf(out, " WIN(%s)", p->name);
  else if (star && is_handle(first))
    fprintf(out, " LIST(MPI_Fint, %s)", p->name);
  else if (star)
    fprintf(out, " LIST(%.*s, %s)", (int)strcspn(first, " *"), first, p->name);
  else
    fprintf(out, " VALUE(%s, %s)", p->type, p->name);
}

static void print_function(FILE *out, const function_t *f, bool f08)
{
  fprintf(out, "%s(%s, %s, ", f->call->macro, f->symbol, f->pmpi);
  print_list(out, f, true);
  fputs(", ", out);
  print_list(out, f, false);
  fprintf(out, ", %s", f->call->name);
  if (f->call->arguments) fprintf(out, ", %s,", f->call->arguments);
  for (int i = 0; i < f->n && f->call->arguments; i++) print_local(out, f, &f->parameters[i], f08);
  fputs(")\n", out);
}

/* The prefix of names: Open MPI 4.1 has persistent collectives as its own extension. */
static const char *beginning(const function_t *f)
{
  static const char *const collectives[] = {"COLL_INIT", "COLL_V_INIT", "NEIGHBOUR_INIT"};
  for (size_t k = 0; MPI_VERSION < 4 && k < sizeof collectives / sizeof *collectives; k++)
    if (strcmp(f->call->macro, collectives[k]) == 0) return "mpix";
  return "mpi";
}

/* For mpif.h and `use mpi`. */
static void print_mpif(FILE *out, function_t *f)
{
  char lower[LONGEST], upper[LONGEST];
  const char *mpi = beginning(f), *upper_mpi = mpi[3] ? "MPIX" : "MPI";
  write_case(lower, f->call->name, tolower);
  write_case(upper, f->call->name, toupper);
  snprintf(f->symbol, sizeof f->symbol, "%s_%.40s_", mpi, lower);
  snprintf(f->pmpi, sizeof f->pmpi, "p%s_%.40s_", mpi, lower);
  print_function(out, f, false);
  fprintf(out, "NAMES(%s, %s_%s, %s_%s__, %s_%s, ", f->symbol, upper_mpi, upper, mpi, lower, mpi,
          lower);
  print_list(out, f, true);
  fputs(", ", out);
  print_list(out, f, false);
  fputs(")\n", out);
}

/* For mpi_f08: MPICH passes descriptors of buffers ("ts"), Open MPI addresses. */
static void print_f08(FILE *out, function_t *f, bool large)
{
  char lower[LONGEST];
  write_case(lower, f->call->name, tolower);
  if (large) lower[strlen(lower) - 2] = '\0'; /* "_c" */
#ifdef OPEN_MPI
  const char *kind = "f08", *r = "";
#else
  const char *kind = f->buffers ? "f08ts" : "f08", *r = "r";
#endif
  const char *end = large ? "large_" : "";
  snprintf(f->symbol, sizeof f->symbol, "%s_%.40s_%s_%s", beginning(f), lower, kind, end);
  snprintf(f->pmpi, sizeof f->pmpi, "p%s%s_%.40s_%s_%s", beginning(f), r, lower, kind, end);
  print_function(out, f, true);
}

static void print_default(FILE *out, const function_t *f)
{
  const char *macro = f->call->macro;
  fprintf(out, "#ifndef %s\n#define %s WRAPPED_FORTRAN\n#endif\n", macro, macro);
}

int main(void)
{
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    function_t f = {.call = &calls[i]};
    bool large = strcmp(f.call->count, "int") != 0;
    bool mpif_only = strstr(f.call->name, "_cptr") != NULL;
    /* MPICH 4.0's mpi_f08 has no large counts in MPI-IO */
    if (large && strncmp(f.call->name, "File_", 5) == 0) continue;
    if (!read_parameters(&f)) return 1;
    if (i == 0 || strcmp(f.call->macro, calls[i - 1].macro) != 0) print_default(stdout, &f);
    if (!large) print_mpif(stdout, &f);
    if (!mpif_only) print_f08(stdout, &f, large);
  }
  return ferror(stdout) || fflush(stdout) != 0;
}
