/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/environment.h"

#include <stdlib.h>
#include <string.h>

#include "job/say.h"

bool environment_has(const char *name)
{
  const char *text = getenv(name);
  return text && *text;
}

bool environment_switch(const char *name, bool standard)
{
  const char *text = getenv(name);
  if (!text || !*text) return standard;
  if (strcmp(text, "0") == 0 || strcmp(text, "1") == 0) return *text == '1';
  say_line("%s: found \"%.40s\", expected 0 or 1; taken as %d", name, text, standard);
  return standard;
}

double environment_seconds(const char *name)
{
  const char *text = getenv(name);
  char *end;
  if (!text || !*text) return 0;
  double value = strtod(text, &end);
  if (*end == 0 && value >= 0 && value < 1e9) return value;
  say_line("%s: found \"%.40s\", expected seconds, at least 0 and below 1e9; taken as 0", name,
           text);
  return 0;
}

int environment_number(const char *name, int least, int most, int standard, const char *otherwise)
{
  const char *text = getenv(name);
  char *end;
  if (!text || !*text) return standard;
  long value = strtol(text, &end, 10);
  if (*end == 0 && value >= least && value <= most) return (int)value;
  say_line("%s: found \"%.40s\", expected a number from %d to %d; %s", name, text, least, most,
           otherwise);
  return standard;
}
