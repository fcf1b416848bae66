/* SPDX-License-Identifier: BSD-3-Clause */
/* A field with a known spectrum. A plane wave a * exp(2 pi i (u x + v y) / n) has the value n * n *
 * a at (u, v), and 0 elsewhere. */
#include "field.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOISE   0.1   /* the largest random number */
#define PRECISE 1e-12 /* of a value, as a share of n * n */
#define ENERGY  1e-9  /* of the energy: its sums are long */

static uint64_t mixed(uint64_t z)
{
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* From -NOISE to NOISE. */
static double random_at(uint64_t i)
{
  uint64_t z = mixed((i + 1) * 0x9e3779b97f4a7c15);
  return NOISE * ((double)(z >> 11) / 4503599627370496.0 - 1);
}

/* exp(2 pi i k / n) for all k. */
static double complex *roots(int n)
{
  double complex *w = malloc((size_t)n * sizeof *w);
  double circle = 8 * atan(1);
  for (int k = 0; w && k < n; k++) w[k] = cos(circle * k / n) + I * sin(circle * k / n);
  return w;
}

static double complex times(double complex a, double complex b)
{
  double re = creal(a) * creal(b) - cimag(a) * cimag(b);
  return re + I * (creal(a) * cimag(b) + cimag(a) * creal(b));
}

static void choose_points(field_t *f, int n)
{
  const field_point_t chosen[FIELD_POINTS] = {
      {1, 2, 1}, {3, n - 1, 0.5}, {n / 4, 1, 0.25 * I}, {n - 2, n / 3, 0.125 - 0.125 * I},
      {0, 0, 0}, {2, 1, 0},       {n / 2, n - 3, 0},    {n - 1, n / 2, 0}};
  memcpy(f->point, chosen, sizeof chosen);
}

/* Row x of the field. Adds the transform of its random numbers to `sum`. */
static void make_row(const field_t *f, int n, int x, const double complex *w, fftw_complex *row,
                     double complex *sum)
{
  for (int y = 0; y < n; y++) {
    uint64_t i = ((uint64_t)x * (uint64_t)n + (uint64_t)y) * 2;
    row[y] = random_at(i) + I * random_at(i + 1);
  }
  for (int k = 0; k < FIELD_POINTS; k++) {
    const field_point_t *at = &f->point[k];
    double complex part = 0;
    for (int y = 0, angle = 0; y < n; y++, angle = (angle + at->v) % n)
      part += times(row[y], conj(w[angle]));
    sum[k] += times(part, conj(w[(int64_t)at->u * x % n]));
  }
  for (int k = 0; k < FIELD_WAVES; k++) {
    const field_point_t *at = &f->point[k];
    int angle = (int)((int64_t)at->u * x % n);
    for (int y = 0; y < n; y++, angle = (angle + at->v) % n) row[y] += times(at->value, w[angle]);
  }
}

static double energy_of(const transform_t *t, const fftw_complex *field)
{
  double sum = 0, all;
  for (int row = 0; row < t->m; row++) {
    const fftw_complex *at = field + (size_t)row * (size_t)t->n;
    double part = 0;
    for (int i = 0; i < t->n; i++)
      part += creal(at[i]) * creal(at[i]) + cimag(at[i]) * cimag(at[i]);
    sum += part;
  }
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

bool field_make(field_t *f, const transform_t *t)
{
  double complex sum[FIELD_POINTS] = {0}, all[FIELD_POINTS], *w = roots(t->n);
  if (!w) return false;
  choose_points(f, t->n);
  for (int row = 0; row < t->m; row++)
    make_row(f, t->n, t->rank * t->m + row, w, t->in + (size_t)row * (size_t)t->n, sum);
  free(w);
  MPI_Allreduce(sum, all, FIELD_POINTS, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  f->energy = energy_of(t, t->in);
  field_point_t wave[FIELD_WAVES];
  memcpy(wave, f->point, sizeof wave);
  for (int k = 0; k < FIELD_POINTS; k++) {
    f->point[k].value = all[k];
    for (int i = 0; i < FIELD_WAVES; i++)
      if (wave[i].u == f->point[k].u && wave[i].v == f->point[k].v)
        f->point[k].value += (double)t->n * t->n * wave[i].value;
  }
  return true;
}

bool field_check(const field_t *f, const transform_t *t, char *why, size_t size)
{
  double n2 = (double)t->n * t->n, energy = energy_of(t, t->out) / n2;
  for (int k = 0; k < FIELD_POINTS; k++) {
    const field_point_t *at = &f->point[k];
    int owner = at->v / t->m;
    double complex found = 0;
    if (owner == t->rank) found = t->out[(size_t)(at->v % t->m) * (size_t)t->n + (size_t)at->u];
    MPI_Bcast(&found, 1, MPI_C_DOUBLE_COMPLEX, owner, MPI_COMM_WORLD);
    if (cabs(found - at->value) <= PRECISE * n2) continue;
    snprintf(why, size, "the spectrum at (%d, %d) is %g%+gi, expected %g%+gi", at->u, at->v,
             creal(found), cimag(found), creal(at->value), cimag(at->value));
    return false;
  }
  if (fabs(energy / f->energy - 1) <= ENERGY) return true;
  snprintf(why, size, "the spectrum's energy is %.12g, expected %.12g", energy, f->energy);
  return false;
}

uint64_t field_checksum(const transform_t *t)
{
  uint64_t sum = 0, all;
  for (size_t i = 0; i < (size_t)t->m * (size_t)t->n; i++) {
    uint64_t bits[2], place = (uint64_t)t->rank * (uint64_t)t->m * (uint64_t)t->n + i;
    memcpy(bits, t->out + i, sizeof bits);
    sum += mixed(bits[0] ^ mixed(2 * place + 1)) + mixed(bits[1] ^ mixed(2 * place + 2));
  }
  MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}
