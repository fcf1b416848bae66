/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes calls.def through the macros that it names, which were defined before, in all forms that
 * this MPI has, and undefines them. No guard: included several times. */

#define CALLS_ONCE
#define COUNT      int
#define DISPL      int
#define FORM(name) name
#include "trace/calls.def"
#undef CALLS_ONCE
#undef COUNT
#undef DISPL
#undef FORM

#if MPI_VERSION >= 4
#define COUNT      MPI_Count
#define DISPL      MPI_Aint
#define FORM(name) name##_c
#include "trace/calls.def"
#undef COUNT
#undef DISPL
#undef FORM
#endif

#undef SEND
#undef SEND_SHORT
#undef SEND_INIT
#undef COLL
#undef COLL_V
#undef TIMED
#undef TIMED_SHORT
