/* SPDX-License-Identifier: BSD-3-Clause */
/* An unstructured mesh of prisms: a Delaunay triangulation of irregular points, extruded. */
#ifndef EVALUATION_MESH_H
#define EVALUATION_MESH_H

enum { SIDES = 5 }; /* three upright ones, below, above */

typedef struct cell {
  int neighbour[SIDES];  /* the cell beyond each side, -1 at the mesh's border */
  double area[SIDES][3]; /* outward normal times area; the neighbour's is exactly its negative */
  double centre[3], volume;
} cell_t;

typedef struct mesh {
  int n_cells;
  cell_t *cell; /* layer by layer */
} mesh_t;

/* Triangulates about `points` points of varying density in a square and extrudes them into layers.
 * The same arguments give the same mesh. The caller frees it with mesh_free. */
mesh_t mesh_make(int points, int layers);
void mesh_free(mesh_t *mesh);

/* Distributes the cells over `parts` by METIS, which minimises the sides between parts; the
 * caller frees the array of the cells' parts. */
int *mesh_partition(const mesh_t *mesh, int parts);

#endif
