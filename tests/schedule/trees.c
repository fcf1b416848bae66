/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees in closed form: children, parents, depths and heights agree. */
#include "harness.h"
#include "schedule/tree.h"

static const struct {
  const char *name;
  tree_shape_t shape;
  int degree;
} trees[] = {{"flat", TREE_FLAT, 1},
             {"a chain", TREE_CHAINS, 1},
             {"4 chains", TREE_CHAINS, 4},
             {"binary", TREE_LEVELS, 2},
             {"5 children", TREE_LEVELS, 5},
             {"binomial", TREE_BINOMIAL, 2},
             {"binomial, blocks", TREE_BINOMIAL_BLOCKS, 2},
             {"radix 2", TREE_KNOMIAL, 2},
             {"radix 3", TREE_KNOMIAL, 3},
             {"radix 7", TREE_KNOMIAL, 7},
             {"in order", TREE_IN_ORDER, 2}};

/* Goes through a tree from its root, and counts how often it meets each node. */
static int walk(const tree_t *t, int node, int depth, int *met, const char *name)
{
  int height = depth;
  if (tree_depth(t, node) != depth)
    FAIL_ROW(name, "%d nodes: node %d has depth %d, expected %d", t->size, node,
             tree_depth(t, node), depth);
  met[node]++;
  for (int i = 0, child; (child = tree_child(t, node, i)) >= 0; i++) {
    if (child >= t->size || tree_parent(t, child) != node)
      FAIL_ROW(name, "%d nodes: %d is child of %d, but its parent is %d", t->size, child, node,
               tree_parent(t, child));
    int below = walk(t, child, depth + 1, met, name);
    height = below > height ? below : height;
  }
  if (tree_height(t, node) != height - depth)
    FAIL_ROW(name, "%d nodes: node %d has height %d, expected %d", t->size, node,
             tree_height(t, node), height - depth);
  return height;
}

static void parents_and_children_agree(void **state)
{
  (void)state;
  int met[300];
  for (size_t i = 0; i < COUNT(trees); i++)
    for (int size = 1; size <= 300; size++) {
      tree_t t = {trees[i].shape, size, trees[i].degree};
      memset(met, 0, sizeof met);
      walk(&t, 0, 0, met, trees[i].name);
      for (int node = 0; node < size; node++)
        if (met[node] != 1)
          FAIL_ROW(trees[i].name, "%d nodes: %d met %d times", size, node, met[node]);
    }
}

/* As Open MPI's comments draw them. */
static const struct {
  tree_shape_t shape;
  int degree, size;
  const char *children; /* of each node from the root on */
} drawn[] = {
    {TREE_LEVELS, 2, 7, "1 2; 3 5; 4 6; ; ; ; ; "},
    {TREE_BINOMIAL, 2, 8, "1 2 4; 3 5; 6; 7; ; ; ; ; "},
    {TREE_BINOMIAL_BLOCKS, 2, 8, "1 2 4; ; 3; ; 5 6; ; 7; ; "},
    {TREE_KNOMIAL, 3, 10, "9 3 6 1 2; ; ; 4 5; ; ; 7 8; ; ; ; "},
    {TREE_CHAINS, 3, 8, "1 4 6; 2; 3; ; 5; ; 7; ; "},
    {TREE_IN_ORDER, 2, 9, "1 5; 2 3; ; 4; ; 6 7; ; 8; ; "},
};

static void trees_are_those_drawn(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(drawn); i++) {
    char text[200] = "";
    tree_t t = {drawn[i].shape, drawn[i].size, drawn[i].degree};
    for (int node = 0; node < t.size; node++) {
      for (int k = 0; tree_child(&t, node, k) >= 0; k++)
        sprintf(text + strlen(text), k ? " %d" : "%d", tree_child(&t, node, k));
      strcat(text, "; ");
    }
    assert_string_equal(text, drawn[i].children);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parents_and_children_agree),
      cmocka_unit_test(trees_are_those_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
