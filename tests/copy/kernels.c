/* SPDX-License-Identifier: BSD-3-Clause */
/* Each kernel copies every size at every alignment, and not a byte more. */
#include "copy/copy.h"

#include <sys/mman.h>

#include "harness.h"

enum { LARGEST = 3 * 16384 + 200, AROUND = 64, ROOM = LARGEST + 3 * AROUND };

static void fill(unsigned char *area, unsigned seed)
{
  for (size_t i = 0; i < ROOM; i++)
    area[i] = (unsigned char)(seed = seed * 1103515245 + 12345, seed >> 16);
}

static void check(const copy_kernel_t *k, size_t n, size_t from_at, size_t to_at)
{
  static unsigned char from[ROOM] __attribute__((aligned(64)));
  static unsigned char to[ROOM] __attribute__((aligned(64))), before[ROOM];
  fill(from, 1);
  fill(to, 2);
  memcpy(before, to, ROOM);
  k->copy(to + to_at, from + from_at, n);
  if (memcmp(to, before, to_at) != 0)
    FAIL_ROW(k->name, "%zu bytes from %zu to %zu: wrote in front", n, from_at, to_at);
  if (memcmp(to + to_at, from + from_at, n) != 0)
    FAIL_ROW(k->name, "%zu bytes from %zu to %zu: wrong bytes", n, from_at, to_at);
  if (memcmp(to + to_at + n, before + to_at + n, ROOM - to_at - n) != 0)
    FAIL_ROW(k->name, "%zu bytes from %zu to %zu: wrote behind", n, from_at, to_at);
}

static void kernels_copy_exactly(void **state)
{
  static const size_t large[] = {4095, 4096, 16383, 16384, 16385, 32768 + 17, LARGEST};
  static const size_t at[] = {0, 1, 8, 16, 33, 63, 64};
  const copy_kernel_t *kernel[COPY_KERNELS];
  size_t n = copy_kernels(kernel);
  (void)state;
  assert_true(n >= 5);
  for (size_t k = 0; k < n; k++)
    for (size_t a = 0; a < COUNT(at); a++)
      for (size_t b = 0; b < COUNT(at); b += (a + 1) % 3 + 1) {
        for (size_t size = 0; size <= 300; size += size < 70 ? 1 : 23)
          check(kernel[k], size, at[a], at[b]);
        for (size_t i = 0; i < COUNT(large); i++) check(kernel[k], large[i], at[a], at[b]);
      }
}

/* Behind the last byte of either area is a page that nobody may read or write. */
static void kernels_stay_inside(void **state)
{
  enum { PAGE = 4096, PAGES = 6 };
  const copy_kernel_t *kernel[COPY_KERNELS];
  size_t n = copy_kernels(kernel);
  (void)state;
  unsigned char *area = mmap(NULL, 2 * (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(area, MAP_FAILED);
  unsigned char *other = area + (PAGES + 1) * PAGE;
  assert_int_equal(mprotect(area + PAGES * PAGE, PAGE, PROT_NONE), 0);
  assert_int_equal(mprotect(other + PAGES * PAGE, PAGE, PROT_NONE), 0);
  for (size_t k = 0; k < n; k++)
    for (size_t size = 1; size <= PAGES * PAGE; size += size < 200 ? 1 : 997)
      kernel[k]->copy(other + PAGES * PAGE - size, area + PAGES * PAGE - size, size);
  munmap(area, 2 * (PAGES + 1) * PAGE);
}

static void kernels_are_found_by_name(void **state)
{
  const copy_kernel_t *kernel[COPY_KERNELS];
  size_t n = copy_kernels(kernel);
  (void)state;
  assert_string_equal(kernel[0]->name, "memcpy");
  for (size_t k = 0; k < n; k++) assert_ptr_equal(copy_find(kernel[k]->name), kernel[k]);
  assert_null(copy_find("memmove"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_copy_exactly),
                                     cmocka_unit_test(kernels_stay_inside),
                                     cmocka_unit_test(kernels_are_found_by_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
