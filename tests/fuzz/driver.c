/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for libFuzzer: runs a fuzz target on every file of the folders named. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* The whole file in memory of exactly its size, so that a sanitizer sees a read beyond it. */
static uint8_t *read_file(const char *path, size_t *n)
{
  FILE *f = fopen(path, "rb");
  long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  uint8_t *data = size >= 0 ? malloc((size_t)size + (size == 0)) : NULL;
  *n = (size_t)size;
  if (data && (fseek(f, 0, SEEK_SET) || fread(data, 1, *n, f) != *n)) {
    free(data);
    data = NULL;
  }
  if (f) fclose(f);
  return data;
}

static int replay_file(const char *path)
{
  size_t n;
  uint8_t *data = read_file(path, &n);
  if (!data) {
    perror(path);
    return 1;
  }
  fprintf(stderr, "%s\n", path); /* the last one shown is the one that crashes */
  LLVMFuzzerTestOneInput(data, n);
  free(data);
  return 0;
}

/* Replays a folder's files and adds their number to *n. */
static int replay_folder(const char *folder, int *n)
{
  struct dirent **entries;
  int count = scandir(folder, &entries, NULL, alphasort), failed = count < 0;
  if (failed) perror(folder);
  for (int i = 0; i < count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    if (*entries[i]->d_name != '.') {
      failed |= replay_file(path);
      (*n)++;
    }
    free(entries[i]);
  }
  if (count >= 0) free(entries);
  return failed;
}

int main(int argc, char **argv)
{
  int n = 0, failed = 0;
  for (int i = 1; i < argc; i++) failed |= replay_folder(argv[i], &n);
  printf("%d files\n", n);
  return failed || n == 0;
}
