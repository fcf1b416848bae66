/* SPDX-License-Identifier: BSD-3-Clause */
/* figure5: the question of Boyer and Chase, "Insomnia", figure 5, up to 1,024 hosts: is a transform
 * faster with 8 ranks on each host of 8 cores, or with 7?
 *
 * Ten transforms of 4,096 x 4,096 complex numbers, strong scaling. Made-up machine of the study's
 * kind: WORK core seconds in all; 20 all-to-alls, each of VOLUME bytes over links of RATE bytes per
 * second a host, and MESSAGE seconds for each of a rank's messages. Noise takes 1 ms in 20 ms, at
 * random: of one core of each host, and of the idle core if there is one; or of all cores; or there
 * is none. Prints lines: hosts, and seconds with 8 and 7 ranks for each noise. */
#include <berth/node.h>
#include <math.h>
#include <stdio.h>

enum { CORES = 8, CALLS = 20 };
static const double WORK = 100, VOLUME = 4096.0 * 4096 * 16, RATE = 350e6, MESSAGE = 5e-6;

typedef enum { NOWHERE, MOVES, EVERYWHERE, NOISES } noise_t;

static berth_node_t *noisy(noise_t noise)
{
  berth_node_t *n = berth_node_new("", "", NULL);
  for (int idle = -1; n && idle < CORES; idle += CORES)
    for (int pu = 0; pu < CORES; pu++) {
      static const double length = 1e-3;
      double count = noise == EVERYWHERE || (noise == MOVES && idle < 0 && pu == 0) ? 5000 : 0;
      berth_node_noise_t z = {.pu = pu, .idle = idle, .quantum_s = 1e-5, .seconds = 100};
      z.lost = count * length / z.seconds;
      z.longest_s = count > 0 ? length : 0;
      z.n = count > 0;
      z.at_least_s = &length;
      z.count = &count;
      if (pu != idle && berth_node_add_noise(n, &z, NULL)) return NULL;
    }
  return n;
}

static double run(const berth_node_t *n, int hosts, int ranks_a_host)
{
  double ranks = (double)hosts * ranks_a_host, step_s = WORK / ranks / CALLS;
  double exchange_s = hosts > 1 ? VOLUME / hosts / RATE + (ranks - 1) * MESSAGE : 0;
  berth_node_delay_t d;
  if (berth_node_noise_delay(n, ranks_a_host < CORES, step_s, ranks, &d, NULL)) return NAN;
  return CALLS * (step_s + exchange_s + d.mean_s);
}

int main(void)
{
  berth_node_t *node[NOISES];
  for (int k = 0; k < NOISES; k++)
    if (!(node[k] = noisy((noise_t)k))) return 1;
  for (int hosts = 1; hosts <= 1024; hosts *= 2) {
    printf("%d", hosts);
    for (int k = 0; k < NOISES; k++)
      printf(" %.5f %.5f", run(node[k], hosts, CORES), run(node[k], hosts, CORES - 1));
    putchar('\n');
  }
  for (int k = 0; k < NOISES; k++) berth_node_free(node[k]);
  return 0;
}
