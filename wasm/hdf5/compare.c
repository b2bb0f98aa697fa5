/* Compares two HDF5 files: all links, objects, types, attributes, visible properties and values. */
#include <stdlib.h>
#include <string.h>

#include "storage.h"

/* State of a comparison. */
typedef struct {
  file_pair files;
  /* Addresses of compared objects, in the order of first access. The pair table gives the counterpart in the other
   * file. */
  haddr_t *objects;
  size_t object_count, object_room;
} comparison;

static int links_differ(comparison *c, hid_t a, hid_t b, int depth);

static int meet(comparison *c, haddr_t a, haddr_t b) {
  if (c->object_count == c->object_room) {
    c->object_room = c->object_room ? c->object_room * 2 : 1024;
    haddr_t *grown = realloc(c->objects, c->object_room * sizeof *c->objects);
    if (!grown) return fail(OVER_BUDGET, "objects", NULL);
    c->objects = grown;
  }
  c->objects[c->object_count++] = a;
  return add_pair(&c->files, a, b, 0);
}

static int same_type(const comparison *c, hid_t a, hid_t b) {
  if (H5Tequal(a, b) <= 0 || H5Tcommitted(a) != H5Tcommitted(b)) return 0;
  return H5Tcommitted(a) <= 0 || counterpart(&c->files, address_of(a)) == HADDR_UNDEF ||
         counterpart(&c->files, address_of(a)) == address_of(b);
}

static int same_space(hid_t a, hid_t b) {
  return H5Sget_simple_extent_type(a) == H5Sget_simple_extent_type(b) && H5Sextent_equal(a, b) > 0;
}

/* ---- comparison of links ---- */

typedef struct {
  comparison *c;
  hid_t b;
  int depth, ordered;
  int64_t last;
} link_job;

static herr_t compare_link(hid_t a, const char *name, const H5L_info_t *x, void *context) {
  link_job *job = context;
  comparison *c = job->c;
  H5L_info_t y;
  if (H5Lget_info(job->b, name, &y, H5P_DEFAULT) < 0) return fail(DIFFERENT, "a link is missing", name), -1;
  if (x->type != y.type || x->cset != y.cset || x->corder_valid != y.corder_valid)
    return fail(DIFFERENT, "a link", name), -1;
  if (job->ordered && y.corder <= job->last) return fail(DIFFERENT, "the order of links", name), -1;
  job->last = y.corder;
  if (x->type != H5L_TYPE_HARD) {
    if (x->u.val_size != y.u.val_size) return fail(DIFFERENT, "a link", name), -1;
    char *s = calloc(1, x->u.val_size + 1), *t = calloc(1, x->u.val_size + 1);
    if (!s || !t || H5Lget_val(a, name, s, x->u.val_size, H5P_DEFAULT) < 0 ||
        H5Lget_val(job->b, name, t, x->u.val_size, H5P_DEFAULT) < 0 || memcmp(s, t, x->u.val_size))
      fail(DIFFERENT, "a link", name);
    free(s), free(t);
    return failed() ? -1 : 0;
  }
  haddr_t known = counterpart(&c->files, x->u.address);
  if (known != HADDR_UNDEF) return known == y.u.address ? 0 : (fail(DIFFERENT, "a hard link", name), -1);
  if (meet(c, x->u.address, y.u.address)) return -1;
  hid_t from = H5Oopen(a, name, H5P_DEFAULT), to = H5Oopen(job->b, name, H5P_DEFAULT);
  if (from < 0 || to < 0 || H5Iget_type(from) != H5Iget_type(to)) fail(DIFFERENT, "an object", name);
  else if (H5Iget_type(from) == H5I_GROUP) links_differ(c, from, to, job->depth + 1);
  if (from >= 0) H5Oclose(from);
  if (to >= 0) H5Oclose(to);
  return failed() ? -1 : 0;
}

static int links_differ(comparison *c, hid_t a, hid_t b, int depth) {
  H5G_info_t x, y;
  unsigned order = 0, other = 0;
  hid_t p = H5Gget_create_plist(a), q = H5Gget_create_plist(b);
  H5Pget_link_creation_order(p, &order), H5Pget_link_creation_order(q, &other);
  H5Pclose(p), H5Pclose(q);
  if (depth > MAX_DEPTH || H5Gget_info(a, &x) < 0 || H5Gget_info(b, &y) < 0) return fail(DIFFERENT, "a group", NULL);
  if (x.nlinks != y.nlinks || order != other) return fail(DIFFERENT, "the links of a group", NULL);
  link_job job = {c, b, depth, (order & H5P_CRT_ORDER_TRACKED) != 0, -1};
  if (H5Literate(a, job.ordered ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, job.ordered ? H5_ITER_INC : H5_ITER_NATIVE, NULL,
                 compare_link, &job) < 0)
    fail(DIFFERENT, "links cannot be read", NULL);
  return failed();
}

/* ---- comparison of attributes ---- */

typedef struct {
  comparison *c;
  hid_t b;
  int ordered;
  int64_t last;
} attribute_job;

static herr_t compare_attribute(hid_t from, const char *name, const H5A_info_t *info, void *context) {
  (void)info;
  attribute_job *job = context;
  comparison *c = job->c;
  H5A_info_t y;
  hid_t a = H5Aopen(from, name, H5P_DEFAULT), b = H5Aopen(job->b, name, H5P_DEFAULT);
  if (a < 0 || b < 0 || H5Aget_info(b, &y) < 0) return fail(DIFFERENT, "an attribute is missing", name), -1;
  hid_t s = H5Aget_type(a), t = H5Aget_type(b), u = H5Aget_space(a), v = H5Aget_space(b);
  if (!same_type(c, s, t) || !same_space(u, v) || info->cset != y.cset)
    fail(DIFFERENT, "the type of an attribute", name);
  else if (job->ordered && (int64_t)y.corder <= job->last) fail(DIFFERENT, "the order of attributes", name);
  else if (H5Sget_simple_extent_type(u) != H5S_NULL) {
    size_t count = (size_t)H5Sget_simple_extent_npoints(u), bytes = H5Tget_size(s);
    void *x = calloc(count, bytes), *z = calloc(count, bytes);
    if (!x || !z) fail(OVER_BUDGET, "an attribute", name);
    else if (count && (H5Aread(a, s, x) < 0 || H5Aread(b, t, z) < 0 || !values_equal(&c->files, s, x, z, count)))
      fail(DIFFERENT, "the value of an attribute", name);
    if (x && z && (contents_of(s) & HAS_VLEN))
      H5Dvlen_reclaim(s, u, H5P_DEFAULT, x), H5Dvlen_reclaim(t, v, H5P_DEFAULT, z);
    free(x), free(z);
  }
  job->last = y.corder;
  H5Tclose(s), H5Tclose(t), H5Sclose(u), H5Sclose(v), H5Aclose(a), H5Aclose(b);
  return failed() ? -1 : 0;
}

static hid_t creation_plist(hid_t object) {
  H5I_type_t type = H5Iget_type(object);
  return type == H5I_GROUP     ? H5Gget_create_plist(object)
         : type == H5I_DATASET ? H5Dget_create_plist(object)
                               : H5Tget_create_plist(object);
}

static int attributes_differ(comparison *c, hid_t a, hid_t b) {
  H5O_info_t x, y;
  unsigned order = 0, other = 0;
  char comment[2][4096] = {{0}, {0}};
  hid_t p = creation_plist(a), q = creation_plist(b);
  H5Pget_attr_creation_order(p, &order), H5Pget_attr_creation_order(q, &other);
  H5Pclose(p), H5Pclose(q);
  if (H5Oget_info2(a, &x, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS) < 0 ||
      H5Oget_info2(b, &y, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS) < 0)
    return fail(DIFFERENT, "an object", NULL);
  if (x.num_attrs != y.num_attrs || order != other) return fail(DIFFERENT, "the attributes of an object", NULL);
  if (x.rc != y.rc) return fail(DIFFERENT, "how many links an object has", NULL);
  H5Oget_comment(a, comment[0], sizeof comment[0]), H5Oget_comment(b, comment[1], sizeof comment[1]);
  if (memcmp(comment[0], comment[1], sizeof comment[0])) return fail(DIFFERENT, "a comment", NULL);
  attribute_job job = {c, b, (order & H5P_CRT_ORDER_TRACKED) != 0, -1};
  if (H5Aiterate2(a, job.ordered ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, job.ordered ? H5_ITER_INC : H5_ITER_NATIVE, NULL,
                  compare_attribute, &job) < 0)
    fail(DIFFERENT, "attributes cannot be read", NULL);
  return failed();
}

/* ---- comparison of datasets ---- */

/* Compares fill values, and checks that no filter was dropped and no chunk shape changed. */
static int properties_differ(hid_t p, hid_t q, hid_t type) {
  H5D_fill_value_t x, y;
  H5D_fill_time_t s, t;
  hsize_t chunk[2][H5S_MAX_RANK];
  if (H5Pfill_value_defined(p, &x) < 0 || H5Pfill_value_defined(q, &y) < 0 || x != y)
    return fail(DIFFERENT, "a fill value", NULL);
  if (H5Pget_fill_time(p, &s) < 0 || H5Pget_fill_time(q, &t) < 0 || s != t)
    return fail(DIFFERENT, "when fill values are written", NULL);
  if (x == H5D_FILL_VALUE_USER_DEFINED && contents_of(type) == PLAIN) {
    size_t bytes = H5Tget_size(type);
    void *u = calloc(1, bytes), *v = calloc(1, bytes);
    if (!u || !v || H5Pget_fill_value(p, type, u) < 0 || H5Pget_fill_value(q, type, v) < 0 || memcmp(u, v, bytes))
      fail(DIFFERENT, "a fill value", NULL);
    free(u), free(v);
  }
  if (H5Pget_layout(p) != H5Pget_layout(q) && H5Pget_layout(p) != H5D_CONTIGUOUS)
    return fail(DIFFERENT, "a layout", NULL);
  if (H5Pget_layout(p) == H5D_CHUNKED) {
    int rank = H5Pget_chunk(p, H5S_MAX_RANK, chunk[0]);
    if (rank < 1 || rank != H5Pget_chunk(q, H5S_MAX_RANK, chunk[1]) ||
        memcmp(chunk[0], chunk[1], (size_t)rank * sizeof(hsize_t)))
      return fail(DIFFERENT, "the shape of chunks", NULL);
  }
  for (int i = 0, n = H5Pget_nfilters(p); i < n; i++) {
    unsigned flags, config;
    size_t values = 0, others = 0;
    H5Z_filter_t filter = H5Pget_filter2(p, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);
    /* Deflate may replace LZF, which few readers support. */
    if (filter == FILTER_LZF && has_filter(q, H5Z_FILTER_DEFLATE)) continue;
    if (H5Pget_filter_by_id2(q, filter, &flags, &others, NULL, 0, NULL, &config) < 0)
      return fail(DIFFERENT, "a filter was dropped", NULL);
  }
  return failed();
}

/* Compares filter pipelines. Raw chunks have the same meaning only if their filters are the same. */
static int filters_differ(hid_t p, hid_t q) {
  enum { MOST = 64 };
  int n = H5Pget_nfilters(p);
  if (n != H5Pget_nfilters(q)) return fail(DIFFERENT, "the filters of a dataset", NULL);
  for (int i = 0; i < n; i++) {
    unsigned flags[2], values[2][MOST] = {{0}, {0}}, config;
    size_t counts[2] = {MOST, MOST};
    H5Z_filter_t x = H5Pget_filter2(p, (unsigned)i, &flags[0], &counts[0], values[0], 0, NULL, &config);
    H5Z_filter_t y = H5Pget_filter2(q, (unsigned)i, &flags[1], &counts[1], values[1], 0, NULL, &config);
    if (x != y || flags[0] != flags[1] || counts[0] != counts[1] || counts[0] > MOST ||
        memcmp(values[0], values[1], sizeof values[0]))
      return fail(DIFFERENT, "the filters of a dataset", NULL);
  }
  return 0;
}

static int datasets_differ(const comparison *c, hid_t a, hid_t b) {
  hid_t s = H5Dget_type(a), t = H5Dget_type(b), u = H5Dget_space(a), v = H5Dget_space(b), p = H5Dget_create_plist(a),
        q = H5Dget_create_plist(b);
  if (!same_type(c, s, t)) fail(DIFFERENT, "the type of a dataset", NULL);
  else if (!same_space(u, v)) fail(DIFFERENT, "the shape of a dataset", NULL);
  else if (know_filters(p)) fail(UNSUPPORTED, "more filters than can be kept track of", NULL);
  else if (has_chunks_to_copy(p, s) && !filters_differ(p, q) && !properties_differ(p, q, s)) compare_chunks(a, b);
  else if (!failed() && !properties_differ(p, q, s)) compare_values(&c->files, a, b);
  H5Pclose(p), H5Pclose(q), H5Sclose(u), H5Sclose(v), H5Tclose(s), H5Tclose(t);
  return failed();
}

static int user_blocks_differ(const comparison *c) {
  static char x[65536], y[65536];
  hsize_t bytes = 0, others = 0;
  hid_t p = H5Fget_create_plist(c->files.input), q = H5Fget_create_plist(c->files.output);
  H5Pget_userblock(p, &bytes), H5Pget_userblock(q, &others);
  H5Pclose(p), H5Pclose(q);
  if (bytes != others) return fail(DIFFERENT, "the length of the user block", NULL);
  for (hsize_t at = 0; at < bytes; at += sizeof x) {
    int length = bytes - at < sizeof x ? (int)(bytes - at) : (int)sizeof x;
    if (host_read(INPUT, (double)at, x, length) || host_read(OUTPUT, (double)at, y, length) ||
        memcmp(x, y, (size_t)length))
      return fail(DIFFERENT, "the user block", NULL);
  }
  return 0;
}

/* Compares both files. Returns DONE if they have the same content, DIFFERENT (with a reason) if not. */
EXPORT(compare) int compare(void) {
  static comparison job;
  comparison *c = &job;
  H5open();
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  register_filters();
  hid_t access = host_access(INPUT, H5F_LIBVER_EARLIEST);
  c->files.input = H5Fopen("0", H5F_ACC_RDONLY, access);
  c->files.output = H5Fopen("1", H5F_ACC_RDONLY, access);
  H5Pclose(access);
  if (c->files.input < 0) return fail(MALFORMED, "the file cannot be opened", NULL);
  if (c->files.output < 0) return fail(DIFFERENT, "the result cannot be opened", NULL);
  hid_t a = H5Gopen2(c->files.input, "/", H5P_DEFAULT), b = H5Gopen2(c->files.output, "/", H5P_DEFAULT);
  if (a < 0 || b < 0) return fail(DIFFERENT, "the root group", NULL);
  if (!user_blocks_differ(c) && !meet(c, address_of(a), address_of(b))) links_differ(c, a, b, 0);
  H5Gclose(a), H5Gclose(b);
  for (size_t i = 0; i < c->object_count && !failed(); i++) {
    a = H5Oopen_by_addr(c->files.input, c->objects[i]),
    b = H5Oopen_by_addr(c->files.output, counterpart(&c->files, c->objects[i]));
    if (a < 0 || b < 0) fail(DIFFERENT, "an object", NULL);
    else {
      H5I_type_t type = H5Iget_type(a);
      if (!attributes_differ(c, a, b) && type == H5I_DATASET) datasets_differ(c, a, b);
      if (type == H5I_DATATYPE && H5Tequal(a, b) <= 0) fail(DIFFERENT, "a committed type", NULL);
    }
    if (a >= 0) H5Oclose(a);
    if (b >= 0) H5Oclose(b);
    host_tick((double)(i + 1) / (double)c->object_count);
  }
  H5Fclose(c->files.input), H5Fclose(c->files.output);
  return failed();
}
