/* SPDX-License-Identifier: BSD-3-Clause */
/* print_included PATTERN RULES: the messages of the pattern's one-sided operations in the whole
 * run, a line "WINDOW SRC>DST:BYTES TIMES" for each kind; "WINDOW counts TIMES" for ends of fences
 * that depend on hosts. */
#include <berth/one_sided.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
  (void)argc;
  size_t n_phases, n;
  berth_error_t err;
  berth_pattern_t *p = berth_pattern_load(argv[1], BERTH_PATTERN_STRICT, &err);
  if (!p || berth_one_sided_include(p, argv[2], NULL, &err)) {
    fprintf(stderr, "%s\n", err.text);
    return 1;
  }
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  for (size_t k = 0; k < n_phases; k++) {
    const char *window = strstr(phases[k].name, ", window ");
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    if (phases[k].by_hosts)
      printf("%d counts %llu\n", atoi(window + strlen(", window ")),
             (unsigned long long)phases[k].repeats);
    for (size_t i = 0; i < n && phases[k].collective; i++)
      printf("%d %d>%d:%llu %llu\n", atoi(window + strlen(", window ")), m[i].src, m[i].dst,
             (unsigned long long)m[i].size, (unsigned long long)(m[i].count * phases[k].repeats));
  }
  berth_pattern_free(p);
  return 0;
}
