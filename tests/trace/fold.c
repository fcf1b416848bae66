/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that are folded into loops: known programs, and random ones against what was put in. */
#include "trace/program.h"

#include "harness.h"

enum { ROOM = SPOOL_MAX_STEPS, LONGEST = 400000 };

static program_t program;
static spool_step_t memory[2][ROOM], *records;
static uint64_t pending;

/* Letters are steps; capital ones are SPOOL_STEP_SENT. */
static spool_step_t step_of(char letter)
{
  spool_step_t s = {.phase = 2, .kind = SPOOL_STEP_RECEIVE, .peer = (uint32_t)letter, .times = 1};
  if (letter >= 'A' && letter <= 'Z') s.kind = SPOOL_STEP_SENT;
  return s;
}

static bool put(const char *steps, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const spool_step_t s = step_of(steps[i]);
    if (!program_add(&program, &s)) return false;
  }
  return true;
}

static void begin(uint32_t room)
{
  records = memory[0];
  memset(records, 0xee, sizeof memory[0]);
  program_begin(&program, records, room, &pending);
  pending = 0;
}

/* Writes "a3 2(b c)" for records. */
static size_t print(char *text, size_t at, uint32_t first, uint32_t end)
{
  for (uint32_t i = first; i < end; i++) {
    const spool_step_t *s = &records[i];
    if (i > first) text[at++] = ' ';
    if (s->kind == SPOOL_STEP_LOOP) {
      at += (size_t)sprintf(text + at, "%llu(", (unsigned long long)s->times);
      at = print(text, at, i + 1, i + 1 + (uint32_t)s->size);
      text[at++] = ')';
      i += (uint32_t)s->size;
    } else {
      text[at++] = (char)s->peer;
      if (s->times > 1) at += (size_t)sprintf(text + at, "%llu", (unsigned long long)s->times);
    }
  }
  text[at] = '\0';
  return at;
}

/* Writes the steps of records one by one, at most `max`. Returns how many. */
static size_t expand(char *to, size_t n, size_t max, uint32_t first, uint32_t end)
{
  for (uint32_t i = first; i < end; i++) {
    const spool_step_t *s = &records[i];
    for (uint64_t k = 0; k < s->times && n < max; k++)
      if (s->kind == SPOOL_STEP_LOOP)
        n = expand(to, n, max, i + 1, i + 1 + (uint32_t)s->size);
      else
        to[n++] = (char)s->peer;
    if (s->kind == SPOOL_STEP_LOOP) i += (uint32_t)s->size;
  }
  return n;
}

/* The whole program, with what is pending in the last loop. */
static size_t expand_all(char *to, size_t max)
{
  size_t n = expand(to, 0, max, 0, program.n);
  uint32_t last = 0;
  for (uint32_t i = 0; i < program.n; i++) {
    last = i;
    if (records[i].kind == SPOOL_STEP_LOOP) i += (uint32_t)records[i].size;
  }
  if (pending == 0) return n;
  size_t before = n, all = n + pending < max ? n + pending : max;
  assert_int_equal(records[last].kind, SPOOL_STEP_LOOP);
  n = expand(to, n, all, last + 1, last + 1 + (uint32_t)records[last].size);
  assert_int_equal(n - before, pending);
  return n;
}

typedef struct fold_case {
  const char *steps;    /* "3(ab)c": loops of letters */
  const char *expected; /* "3(a b) c|1": 1 step is pending */
} fold_case_t;

static const fold_case_t cases[] = {
    {"", ""},
    {"a", "a"},
    {"aaa", "a3"},
    {"ab", "a b"},
    {"abab", "2(a b)"},
    {"ababa", "2(a b)|1"},
    {"100(ab)", "100(a b)"},
    {"100(ab)c", "100(a b) c"},
    {"p100(ab)", "p 100(a b)"},
    {"pq100(ab)c", "p q 100(a b) c"},
    {"pq100(abb)abc", "p q 100(a b2) a b c"},
    {"9(aab)", "9(a2 b)"},
    {"9(aab)aa", "9(a2 b)|2"},
    {"9(aab)aaa", "9(a2 b) a3"},
    {"50(9(ab)c)", "50(9(a b) c)"},
    {"2(9(ab)c)", "2(9(a b) c)"},
    {"2(c9(ab))", "2(c 9(a b))"},
    {"50(c9(ab))c", "50(c 9(a b))|1"},
    {"50(c9(ab))caba", "50(c 9(a b))|4"},
    {"50(c9(ab))cabax", "50(c 9(a b)) c a b a x"},
    {"50(c9(ab))cababax", "50(c 9(a b)) c 2(a b) a x"},
    {"50(x3(2(ab)c)y)", "50(x 3(2(a b) c) y)"},
    {"p50(q9(ab)c)z", "p 50(q 9(a b) c) z"},
    {"20(ab)20(cd)20(ab)20(cd)", "2(20(a b) 20(c d))"},
    {"7(20(ab)20(cd))", "7(20(a b) 20(c d))"},
    {"AAA", "A"},
    {"aAAbAAb", "a 2(A b)"},
    {"30(aA)A", "30(a A)"},
    {"30(aA)Ab", "30(a A) b"},
    {"setup30(work)finish", "s e t u p 30(w o r k) f i n i s h"},
    {"31(edge)", "e 30(d g e2)|3"}, /* equal steps are one record, so the loop begins later */
    {"st30(stencil)", "2(s t) 29(e n c i l s t)|5"},
};

/* Writes the steps of such a text. Returns where it ended. */
static const char *write_out(const char *text, char *to, size_t *n)
{
  while (*text && *text != ')') {
    if (*text < '0' || *text > '9') {
      to[(*n)++] = *text++;
      continue;
    }
    char *body;
    unsigned long times = strtoul(text, &body, 10);
    for (unsigned long k = 0; k < times; k++) text = write_out(body + 1, to, n);
    text++;
  }
  return text;
}

static char in[LONGEST], out[LONGEST];

static void known_programs(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[256];
    size_t n = 0;
    write_out(cases[i].steps, in, &n);
    begin(ROOM);
    assert_true(put(in, n));
    program_end(&program);
    size_t at = print(text, 0, 0, program.n);
    if (pending) sprintf(text + at, "|%llu", (unsigned long long)pending);
    if (strcmp(text, cases[i].expected)) FAIL_ROW(cases[i].steps, "\"%s\"", text);
  }
}

static unsigned seed;

static unsigned below(unsigned n)
{
  seed = seed * 1664525u + 1013904223u;
  return (unsigned)((uint64_t)seed * n >> 32);
}

/* Random steps, loops and loops in loops. */
static size_t invent(char *to, size_t n, int depth, unsigned letters)
{
  unsigned parts = 1 + below(4);
  for (unsigned i = 0; i < parts && n < LONGEST / 50; i++) {
    size_t first = n;
    to[n++] = (char)((below(9) ? 'a' : 'A') + (char)below(letters));
    if (!depth || below(3) == 0) continue;
    n = invent(to, n - 1, depth - 1, letters);
    size_t length = n - first;
    for (unsigned k = below(6); k > 0 && n + length < LONGEST / 50; k--, n += length)
      memcpy(to + n, to + first, length);
  }
  return n;
}

/* Repeated SPOOL_STEP_SENT count once. */
static size_t without_repeated(char *steps, size_t n)
{
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (i == 0 || steps[i] != steps[i - 1] || steps[i] > 'Z') steps[kept++] = steps[i];
  return kept;
}

static int height(uint32_t first, uint32_t end)
{
  int most = 0;
  for (uint32_t i = first; i < end; i++) {
    if (records[i].kind != SPOOL_STEP_LOOP) continue;
    int h = 1 + height(i + 1, i + 1 + (uint32_t)records[i].size);
    if (h > most) most = h;
    i += (uint32_t)records[i].size;
  }
  return most;
}

static void random_programs_expand_to_themselves(void **state)
{
  (void)state;
  for (seed = 1; seed < 4000; seed++) {
    unsigned was = seed;
    size_t n = invent(in, 0, 5, 1 + seed % 5);
    begin(ROOM);
    bool whole = put(in, n);
    assert_true(program.n <= ROOM);
    if (whole && was % 2) program_end(&program);
    n = without_repeated(in, n);
    if (whole && (expand_all(out, LONGEST) != n || memcmp(in, out, n)))
      fail_msg("seed %u: %zu steps aren't what was put in", was, n);
    assert_true(height(0, program.n) <= SPOOL_MAX_LOOPS);
    seed = was;
  }
}

/* Moves the records to other memory with room for one more. */
static void grow(void)
{
  spool_step_t *old = records;
  records = memory[old == memory[0]];
  memcpy(records, old, program.n * sizeof *old);
  memset(old, 0xee, program.n * sizeof *old);
  program_move(&program, records);
  program.room++;
}

/* Without room nothing changes, and with more room, elsewhere, it goes on. */
static void little_room(void **state)
{
  (void)state;
  for (seed = 1; seed < 2000; seed++) {
    unsigned was = seed;
    size_t n = invent(in, 0, 4, 3);
    begin(1);
    for (size_t i = 0; i < n; i++) {
      const spool_step_t s = step_of(in[i]);
      while (!program_add(&program, &s)) {
        assert_true(program.n <= program.room);
        grow();
      }
    }
    n = without_repeated(in, n);
    if (expand_all(out, LONGEST) != n || memcmp(in, out, n))
      fail_msg("seed %u: %zu steps aren't what was put in", was, n);
    seed = was;
  }
}

/* A loop whose iterations differ fills the records, and no more. */
static void what_has_no_loops_ends(void **state)
{
  (void)state;
  begin(ROOM);
  seed = 7;
  size_t n = 0;
  for (; n < LONGEST; n++) {
    const char letter = (char)('a' + (char)below(26));
    if (!put(&letter, 1)) break;
  }
  assert_true(n > SPOOL_MAX_STEPS && n < 2 * SPOOL_MAX_STEPS && program.n <= ROOM);
}

/* Bodies of up to half of the records, after a million iterations. */
static void long_bodies(void **state)
{
  (void)state;
  begin(ROOM);
  for (int k = 0; k < 500; k++)
    for (uint32_t i = 0; i < 2000; i++) {
      const spool_step_t s = {.phase = 2, .peer = i, .size = 8, .times = 1};
      assert_true(program_add(&program, &s));
    }
  assert_true(program.n == 2001 && records[0].times == 500 && pending == 0);
}

/* Loops are at most so deep: 2(2(2(... a b) c) d) ... */
static void deep_loops(void **state)
{
  (void)state;
  size_t n = 1;
  in[0] = 'a';
  for (char letter = 'b'; letter < 'm'; letter++) {
    in[n++] = letter;
    memcpy(in + n, in, n);
    n *= 2;
  }
  begin(ROOM);
  assert_true(put(in, n));
  program_end(&program);
  assert_int_equal(height(0, program.n), SPOOL_MAX_LOOPS);
  assert_int_equal(expand_all(out, LONGEST), n);
  assert_memory_equal(in, out, n);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_programs), cmocka_unit_test(random_programs_expand_to_themselves),
      cmocka_unit_test(little_room),    cmocka_unit_test(what_has_no_loops_ends),
      cmocka_unit_test(long_bodies),    cmocka_unit_test(deep_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
