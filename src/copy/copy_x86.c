/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels for x86-64. Non-temporal stores go to memory past the caches, so the destination isn't
 * read first. They need aligned addresses and, at the end, a fence. */
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "copy/copy.h"

/* 4 KiB pages: four of them side by side have four open rows of memory, as the kernel's own
 * prefetchers follow one stream a page. */
enum { PAGE = 4096, PAGES = 4, GROUP = PAGE * PAGES };

static bool has_avx2(void) { return __builtin_cpu_supports("avx2"); }
static bool has_avx512(void) { return __builtin_cpu_supports("avx512f"); }

static void copy_rep_movsb(void *restrict to, const void *restrict from, size_t n)
{
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

/* Copies up to the first destination that is a multiple of `align`; returns how many bytes. */
static size_t align_to(void *to, const void *from, size_t n, size_t align)
{
  size_t head = -(uintptr_t)to & (align - 1);
  if (head > n) head = n;
  memcpy(to, from, head);
  return head;
}

/* A kernel of vectors: `name` copies with `store`, four vectors a turn, from the first aligned
 * destination on. `pages` copies a vector of each of four pages a turn. */
#define VECTOR_KERNEL(name, isa, vector, load, store, fence)                                       \
  __attribute__((target(isa))) static void name(void *restrict to, const void *restrict from,      \
                                                size_t n)                                          \
  {                                                                                                \
    enum { V = sizeof(vector) };                                                                   \
    size_t i = align_to(to, from, n, V);                                                           \
    char *out = to;                                                                                \
    const char *in = from;                                                                         \
    for (; i + 4 * V <= n; i += 4 * V) {                                                           \
      vector a = load((const void *)(in + i)), b = load((const void *)(in + i + V));               \
      vector c = load((const void *)(in + i + 2 * V)), d = load((const void *)(in + i + 3 * V));   \
      store((void *)(out + i), a);                                                                 \
      store((void *)(out + i + V), b);                                                             \
      store((void *)(out + i + 2 * V), c);                                                         \
      store((void *)(out + i + 3 * V), d);                                                         \
    }                                                                                              \
    fence;                                                                                         \
    memcpy(out + i, in + i, n - i);                                                                \
  }
#define PAGES_KERNEL(name, isa, vector, load, store)                                               \
  __attribute__((target(isa))) static void name(void *restrict to, const void *restrict from,      \
                                                size_t n)                                          \
  {                                                                                                \
    enum { V = sizeof(vector), LINE = 64 };                                                        \
    size_t i = align_to(to, from, n, LINE);                                                        \
    char *out = to;                                                                                \
    const char *in = from;                                                                         \
    for (; i + GROUP <= n; i += GROUP)                                                             \
      for (size_t k = 0; k < PAGE; k += LINE)                                                      \
        for (size_t p = i + k; p < i + GROUP; p += PAGE)                                           \
          for (size_t v = 0; v < LINE; v += V)                                                     \
            store((void *)(out + p + v), load((const void *)(in + p + v)));                        \
    _mm_sfence();                                                                                  \
    memcpy(out + i, in + i, n - i);                                                                \
  }
VECTOR_KERNEL(copy_avx2, "avx2", __m256i, _mm256_loadu_si256, _mm256_store_si256, (void)0)
VECTOR_KERNEL(copy_avx512, "avx512f", __m512i, _mm512_loadu_si512, _mm512_store_si512, (void)0)
VECTOR_KERNEL(copy_nt, "sse2", __m128i, _mm_loadu_si128, _mm_stream_si128, _mm_sfence())
VECTOR_KERNEL(copy_nt_avx2, "avx2", __m256i, _mm256_loadu_si256, _mm256_stream_si256, _mm_sfence())
VECTOR_KERNEL(copy_nt_avx512, "avx512f", __m512i, _mm512_loadu_si512, _mm512_stream_si512,
              _mm_sfence())
PAGES_KERNEL(copy_pages, "sse2", __m128i, _mm_loadu_si128, _mm_stream_si128)
PAGES_KERNEL(copy_pages_avx512, "avx512f", __m512i, _mm512_loadu_si512, _mm512_stream_si512)

const copy_kernel_t copy_of_processor[] = {
    {"rep-movsb", "the processor's own copy instruction", copy_rep_movsb, NULL},
    {"avx2", "vectors of 32 bytes", copy_avx2, has_avx2},
    {"avx512", "vectors of 64 bytes", copy_avx512, has_avx512},
    {"nt", "non-temporal stores of 16 bytes", copy_nt, NULL},
    {"nt-avx2", "non-temporal stores of 32 bytes", copy_nt_avx2, has_avx2},
    {"nt-avx512", "non-temporal stores of 64 bytes", copy_nt_avx512, has_avx512},
    {"nt-pages", "non-temporal stores, four pages side by side", copy_pages, NULL},
    {"nt-pages-avx512", "the same with vectors of 64 bytes", copy_pages_avx512, has_avx512},
    {0}};
