/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/reader.h"

#include <sys/stat.h>

#include "interpose/beside.h"
#include "job/say.h"

/* A function of the library; NULL: err says why. */
static void *find(const char *function, berth_error_t *err)
{
  return beside_load("../libberth-reader.so", function, err->text, sizeof err->text);
}

/* Declares `call`, a function of the library. */
#define FIND(call, function, err)                                                                  \
  __typeof__(&function) call = NULL;                                                               \
  *(void **)&call = find(#function, err)

/* Opening a pipe that nobody writes to would stop the job. The reader says what is missing. */
static bool is_file(const char *name, const char *path)
{
  struct stat s;
  if (stat(path, &s) != 0 || S_ISREG(s.st_mode)) return true;
  say_line("%s: %s: found no regular file, expected one; it isn't used", name, path);
  return false;
}

static bool used(bool done, const char *name, const berth_error_t *err)
{
  if (!done) say_line("%s: %s; it isn't used", name, err->text);
  return done;
}

bool reader_load_groups(const char *name, const char *path, int ranks, berth_groups_t *out)
{
  berth_error_t err = {0};
  if (!is_file(name, path)) return false;
  FIND(load, berth_groups_load, &err);
  return used(load && load(path, ranks, out, &err) == BERTH_OK, name, &err);
}

void reader_clear_groups(berth_groups_t *g)
{
  berth_error_t err = {0};
  FIND(clear, berth_groups_clear, &err);
  if (clear) clear(g);
}

bool reader_load_tuning(const char *name, const char *path, int ranks, berth_tuning_t *out)
{
  berth_error_t err = {0};
  if (!is_file(name, path)) return false;
  FIND(load, berth_tuning_load, &err);
  return used(load && load(path, ranks, out, &err) == BERTH_OK, name, &err);
}

bool reader_save_tuning(const char *name, const char *path, const berth_tuning_t *t,
                        const char *what)
{
  berth_error_t err = {0};
  FIND(save, berth_tuning_save, &err);
  bool done = save && save(t, path, &err) == BERTH_OK;
  if (!done) say_line("%s: %s; %s isn't kept", name, err.text, what);
  return done;
}

void reader_clear_tuning(berth_tuning_t *t)
{
  berth_error_t err = {0};
  FIND(clear, berth_tuning_clear, &err);
  if (clear) clear(t);
}
