/* SPDX-License-Identifier: BSD-3-Clause */
/* InfiniBand fabrics as ibnetdiscover lists them. */
#include <berth/topo.h>
#include <stdbool.h>

#include "harness.h"

/* A fabric in short: "leaf0: n1 n2 s0*2; s0: …" is written as ibnetdiscover does. Words are cabled
 * to the switch before the colon, with 4xEDR or what stands behind '='; *2 makes two cables. Names
 * that begin with 'n' are hosts, whose "n1.2" is a second adapter. */
typedef struct cable {
  char a[24], b[24], speed[12];
} cable_t;

enum { MOST = 64 };

static size_t take_cables(const char *text, cable_t *cables)
{
  size_t n = 0;
  char line[512], *rest, *of, *word, *next;
  snprintf(line, sizeof line, "%s", text);
  for (of = strtok_r(line, ";", &rest); of; of = strtok_r(NULL, ";", &rest)) {
    char *from = strtok_r(of, ": ", &next);
    while ((word = strtok_r(NULL, " ", &next))) {
      char *star = strchr(word, '*'), *speed = strchr(word, '=');
      int times = star ? atoi(star + 1) : 1;
      word[strcspn(word, "*=")] = '\0';
      for (int k = 0; k < times; k++, n++) {
        snprintf(cables[n].a, sizeof cables[n].a, "%s", from);
        snprintf(cables[n].b, sizeof cables[n].b, "%s", word);
        snprintf(cables[n].speed, sizeof cables[n].speed, "%s", speed ? speed + 1 : "4xEDR");
      }
    }
  }
  return n;
}

/* The number of the port that cable `at` has at that node. */
static int port_of(const cable_t *cables, size_t at, const char *node)
{
  int port = 1;
  for (size_t i = 0; i < at; i++)
    port += (strcmp(cables[i].a, node) == 0) + (strcmp(cables[i].b, node) == 0);
  return port;
}

static void write_node(FILE *out, const cable_t *cables, size_t n, const char *node)
{
  bool is_host = *node == 'n';
  const char *dot = strchr(node, '.');
  fprintf(out, "\nvendid=0x0\n%s\t36 \"%s\"\t\t# \"%.*s%s%s\"\n", is_host ? "Ca" : "Switch", node,
          (int)strcspn(node, "."), node, is_host ? " HCA-" : "",
          is_host ? dot ? dot + 1 : "1" : "");
  for (size_t i = 0; i < n; i++) {
    bool is_a = strcmp(cables[i].a, node) == 0;
    const char *far = is_a ? cables[i].b : cables[i].a;
    if (!is_a && strcmp(cables[i].b, node) != 0) continue;
    fprintf(out, "[%d](1) \t\"%s\"[%d]\t\t# lid 0 lmc 0 \"%s\" lid 0 %s\n",
            port_of(cables, i, node), far, port_of(cables, i, far), far, cables[i].speed);
  }
}

static berth_network_t *load_text(const char *text, berth_error_t *err)
{
  const char *path = scratch_file("fabric", text, strlen(text));
  berth_network_t *net = berth_network_load_fabric(path, err);
  unlink(path);
  return net;
}

static berth_network_t *load(const char *fabric, berth_error_t *err)
{
  cable_t cables[MOST];
  char *text;
  size_t size, n = take_cables(fabric, cables);
  FILE *out = open_memstream(&text, &size);
  for (size_t i = 0; i < 2 * n; i++) {
    const char *node = i % 2 ? cables[i / 2].b : cables[i / 2].a;
    bool is_new = true;
    for (size_t k = 0; k < i && is_new; k++)
      is_new = strcmp(node, k % 2 ? cables[k / 2].b : cables[k / 2].a) != 0;
    if (is_new) write_node(out, cables, n, node);
  }
  fclose(out);
  berth_network_t *net = load_text(text, err);
  free(text);
  return net;
}

/* Elements above the PUs as "name=MB/s of its up port(…)", and behind a / what part of that a
 * pair can have, where it is less: one cable of several. */
static void print_tree(const berth_topo_t *t, int element, char *out)
{
  const berth_element_t *e = berth_topo_element(t, element);
  const berth_port_dir_t *up = &berth_topo_type(t, e->type)->up.out;
  const berth_curve_t *curve = up->curve < 0 ? NULL : berth_topo_curve(t, up->curve);
  sprintf(out + strlen(out), "%s", berth_topo_element_name(t, element));
  if (up->capacity > 0) sprintf(out + strlen(out), "=%.0f", up->capacity / 1e6);
  double parts = curve ? up->capacity / curve->bandwidth[curve->n - 1] : 1;
  if (parts < 0.9 || parts > 1.5) sprintf(out + strlen(out), "/%.2g", parts);
  if (e->host >= 0) return;
  strcat(out, "(");
  for (int c = element + 1; c < element + e->size; c += berth_topo_element(t, c)->size) {
    if (c > element + 1) strcat(out, " ");
    print_tree(t, c, out);
  }
  strcat(out, ")");
}

static void join_all(const berth_network_t *net, char *out)
{
  berth_error_t err;
  size_t n;
  const char *const *names = berth_network_hosts(net, &n);
  berth_topo_t *model = berth_topo_from_description("model", "host(0:0)", NULL);
  berth_host_like_t *hosts = calloc(n + 1, sizeof *hosts);
  for (size_t i = 0; i < n; i++) hosts[i] = (berth_host_like_t){names[i], model, 0};
  berth_topo_t *t = berth_topo_join("joined", n, hosts, net, &err);
  if (!t) fail_msg("%s", err.text);
  *out = '\0';
  print_tree(t, 0, out);
  berth_topo_free(t);
  berth_topo_free(model);
  free(hosts);
}

static void switches_that_hang_together_are_one(void **state)
{
  (void)state;
  static const struct {
    const char *fabric, *tree;
  } cases[] = {
      {"s: n1 n2", "s(n1=12500 n2=12500)"},
      {"s: n10 n9 n1", "s(n1=12500 n9=12500 n10=12500)"},
      {"s: n1=4xSDR n2=4xDDR n3=4xQDR n4=4xFDR10 n5=4xHDR n6=2xNDR n7=1xXDR",
       "s(n1=1000 n2=2000 n3=4000 n4=5000 n5=25000 n6=25000 n7=25000)"},
      {"s: n1=4xFDR n2=12xEDR", "s(n1=6818 n2=37500)"},
      {"a: n1 n2 top*3; b: n3 n4 top",
       "top(a=37500/3(n1=12500 n2=12500) b=12500(n3=12500 n4=12500))"},
      /* two spines: each leaf has both links */
      {"a: n1 n2 x y; b: n3 n4 x y",
       "x(a=25000/2(n1=12500 n2=12500) b=25000/2(n3=12500 n4=12500))"},
      /* two pods of two leaves, below two cores */
      {"a: n1 n2 x y; b: n3 n4 x y; c: n5 n6 z w; d: n7 n8 z w; x: p q; y: p q; z: p q; w: p q",
       "p(x=50000/4(a=25000/2(n1=12500 n2=12500) b=25000/2(n3=12500 n4=12500)) "
       "w=50000/4(c=25000/2(n5=12500 n6=12500) d=25000/2(n7=12500 n8=12500)))"},
      /* a host on two leaves makes one of them; its adapters add up */
      {"a: n1 n2 top; b: n2.2 n3 top; c: n4 n5 top",
       "top(a=25000/2(n1=12500 n2=25000/2 n3=12500) c=12500(n4=12500 n5=12500))"},
      /* leaves that are cabled to each other are one */
      {"a: n1 b; b: n2", "a(n1=12500 n2=12500)"},
      /* what has one child is none: its link is the narrowest */
      {"a: n1 top=1xEDR; b: n2 n3 top", "top(n1=3125 b=12500(n2=12500 n3=12500))"},
      {"a: n1 n2 top; top: upper", "a(n1=12500 n2=12500)"},
      {"a: n1*2 top=1xEDR; b: n2 n3 top", "top(n1=3125 b=12500(n2=12500 n3=12500))"},
      {"s: n1", "network(n1=12500)"},
      {"a: n1 n2; b: n3 n4", "network(a(n1=12500 n2=12500) b(n3=12500 n4=12500))"},
      {"a: n1; b: n2", "network(n1=12500 n2=12500)"},
      {"n1: n2", "network(n1=12500 n2=12500)"},
      /* a host on a higher switch stays there, and leaves stay leaves */
      {"a: n1 n2 top; b: n3 n4 top; top: n5",
       "top(n5=12500 a=12500(n1=12500 n2=12500) b=12500(n3=12500 n4=12500))"},
      {"a: n1 n2 s; b: n3 n4 s; c: n5 n6 z; d: n7 n8 z; s: core; z: core; core: n9",
       "core(n9=12500 s=12500(a=12500(n1=12500 n2=12500) b=12500(n3=12500 n4=12500)) "
       "z=12500(c=12500(n5=12500 n6=12500) d=12500(n7=12500 n8=12500)))"},
      {"a: n1 s; b: n2 s; c: n3 z; d: n4 z; s: core x; z: core x; core: n8; x: n9",
       "core(n8=12500 n9=12500 s=25000/2(n1=12500 n2=12500) z=25000/2(n3=12500 n4=12500))"},
      /* a leaf with less hosts than ways up is one all the same */
      {"a: n1 n2 n3 s t; b: n4 n5 n6 s t; c: n7 s t",
       "s(n7=12500 a=25000/2(n1=12500 n2=12500 n3=12500) b=25000/2(n4=12500 n5=12500 n6=12500))"},
      {"a: n1 s t; b: n2 s t", "s(n1=12500 n2=12500)"},
      /* in a mesh all switches have hosts, and all are leaves */
      {"a: n1 b c; b: n2 c; c: n3", "a(n1=12500 n2=12500 n3=12500)"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err;
    char out[1024];
    berth_network_t *net = load(cases[i].fabric, &err);
    if (!net) FAIL_ROW(cases[i].fabric, "%s", err.text);
    join_all(net, out);
    if (strcmp(out, cases[i].tree) != 0)
      FAIL_ROW(cases[i].fabric, "\n  found    %s\n  expected %s", out, cases[i].tree);
    berth_network_free(net);
  }
}

#define CA     "Ca 1 \"H-1\" # \"n1 HCA-1\"\n[1](2) \"S-1\"[1] # lid 0 lmc 0 \"s\" lid 0 4xEDR\n"
#define SWITCH "Switch 2 \"S-1\" # \"s\" base port 0 lid 0 lmc 0\n"
#define TO_CA  "[1] \"H-1\"[1](2) # \"n1 HCA-1\" lid 0 4xEDR\n"

static void other_lines_are_passed_over(void **state)
{
  (void)state;
  static const char text[] =
      "#\n# Topology file: generated on Sun\n\nChassis 1 (guid 0x1)\nvendid=0x0\n" SWITCH
      "[1][ext 3] \"H-1\"[1](2) # \"n1 HCA-1\" lid 0 4xEDR\n"
      "[2] \"H-2\"[1](3) # \"Mellanox Technologies Aggregation Node\" lid 0 "
      "4xEDR\r\n" CA "Ca 1 \"H-2\" # \"Mellanox Technologies Aggregation Node\"\n"
      "[1](3) \"S-1\"[2] # lid 0 lmc 0 \"s\" lid 0 4xEDR\n";
  berth_error_t err;
  char out[200];
  berth_network_t *net = load_text(text, &err);
  if (!net) fail_msg("%s", err.text);
  join_all(net, out);
  assert_string_equal(out, "network(n1=12500)");
  berth_network_free(net);
}

static void wrong_files_are_refused_with_their_line(void **state)
{
  (void)state;
  static const struct {
    const char *text, *error;
  } cases[] = {
      {"", ": found no host adapter (\"Ca\"), expected what ibnetdiscover writes"},
      {"hello\n", ": found no host adapter (\"Ca\"), expected what ibnetdiscover writes"},
      {SWITCH, ": found no host adapter (\"Ca\"), expected what ibnetdiscover writes"},
      {TO_CA, ":1: found a port before any node"},
      {"Ca 1 H-1\n", ":1: found no \"ID\" # \"description\", expected both"},
      {CA, ":2: found a cable from H-1[1] to S-1[1], which doesn't lead back"},
      {CA SWITCH "[2] \"H-1\"[1](2) # \"n1\" lid 0 4xEDR\n",
       ":2: found a cable from H-1[1] to S-1[1], which doesn't lead back"},
      {CA SWITCH "[1] \"H-1\"[2](2) # \"n1\" lid 0 4xEDR\n",
       ":2: found a cable from H-1[1] to S-1[1], which doesn't lead back"},
      {CA CA, ":3: found node \"H-1\" a second time"},
      {CA SWITCH TO_CA TO_CA, ":5: found port S-1[1] a second time"},
      {SWITCH "[1] \"H-1\"[1](2) # \"n1\" lid 0 4xWDR\n",
       ":2: found width and speed 4xWDR, expected one such as 4xHDR"},
      {SWITCH "[1] \"H-1\"[1](2) # \"n1\" lid 0\n",
       ":2: found no width and speed, expected one such as 4xHDR"},
      {SWITCH "[x] \"H-1\"[1](2) # \"n1\" lid 0 4xEDR\n",
       ":2: found [x] \"H-1\"[1](2) # \"n, expected a port's number in brackets"},
      {SWITCH "[1] \"H-1\"(2) # \"n1\" lid 0 4xEDR\n",
       ":2: found (2) # \"n1\" lid 0 4xE, expected a port's number in brackets"},
      {SWITCH "[1] H-1[1](2)\n", ":2: found no \"ID\" of the cable's other end"},
      {"Ca 1 \"H-1\" # \"\"\n", ":1: found an adapter without a description, expected a host"},
      {"Ca 1 \"H-1\" # \"MT25408 ConnectX\"\nCa 1 \"H-2\" # \"MT25408 ConnectX\"\n",
       ":2: found a second adapter \"MT25408 ConnectX\", expected names of hosts"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    if (load_text(cases[i].text, &err)) FAIL_ROW(cases[i].text, "was taken");
    const char *found = strstr(err.text, cases[i].error);
    if (!found || strcmp(found, cases[i].error) != 0)
      FAIL_ROW(cases[i].text, "\n  found    %s\n  expected …%s", err.text, cases[i].error);
    assert_int_equal(err.code, BERTH_BAD_INPUT);
  }
}

/* Switches far from any host: neither many passes over the file nor a deep tree. */
static void long_chains_are_refused(void **state)
{
  (void)state;
  enum { N = 2000 };
  char *text = malloc(N * 120);
  size_t used = (size_t)sprintf(text, "Ca 1 \"S0\" # \"n1\"\n[2] \"S1\"[1] # 4xEDR\n");
  for (int i = 1; i <= N; i++) {
    used += (size_t)sprintf(text + used, "Switch 2 \"S%d\" # \"s%d\"\n[1] \"S%d\"[2] # 4xEDR\n", i,
                            i, i - 1);
    if (i < N) used += (size_t)sprintf(text + used, "[2] \"S%d\"[1] # 4xEDR\n", i + 1);
  }
  berth_error_t err = {0};
  assert_null(load_text(text, &err));
  assert_non_null(strstr(err.text, ": found a switch 2000 switches away from any host, expected "
                                   "less than 256"));
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(switches_that_hang_together_are_one),
      cmocka_unit_test(other_lines_are_passed_over),
      cmocka_unit_test(wrong_files_are_refused_with_their_line),
      cmocka_unit_test(long_chains_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
