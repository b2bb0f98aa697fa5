/* Values in memory: translation of references, comparison, and iteration over boxes of a dataset. */
#include <stdlib.h>
#include <string.h>

#include "glue.h"

/* ---- references between objects ---- */

/* Functions of the library that tell the kind of a reference. Types of all sizes are not equal to its own types. */
void *H5I_object(hid_t id);
H5R_type_t H5T_get_ref_type(const void *type);

static int is_region(hid_t type) { return H5T_get_ref_type(H5I_object(type)) == H5R_DATASET_REGION; }

/* Tells the contents of a reference type. References of version 1.12 and later may lead to other files. */
static int contents_of_reference(hid_t type) {
  H5R_type_t kind = H5T_get_ref_type(H5I_object(type));
  if (kind != H5R_OBJECT && kind != H5R_DATASET_REGION) return HAS_LATER;
  return H5Tget_size(type) <= (kind == H5R_OBJECT ? sizeof(hobj_ref_t) : sizeof(hdset_reg_ref_t)) ? HAS_REFERENCES
                                                                                                  : HAS_BROKEN;
}

int contents_of(hid_t type) {
  int found = PLAIN;
  hid_t super;
  switch (H5Tget_class(type)) {
    case H5T_REFERENCE: return contents_of_reference(type);
    case H5T_STRING: return H5Tis_variable_str(type) > 0 ? HAS_VLEN : PLAIN;
    case H5T_VLEN:
    case H5T_ARRAY:
      if ((super = H5Tget_super(type)) < 0) return HAS_BROKEN;
      found = contents_of(super) | (H5Tget_class(type) == H5T_VLEN ? HAS_VLEN : 0);
      H5Tclose(super);
      return found;
    case H5T_COMPOUND:
      for (int i = 0, n = H5Tget_nmembers(type); i < n; i++) {
        if ((super = H5Tget_member_type(type, (unsigned)i)) < 0) return HAS_BROKEN;
        found |= contents_of(super);
        H5Tclose(super);
      }
      return found;
    case H5T_NO_CLASS: return HAS_BROKEN;
    default: return PLAIN;
  }
}

static int is_zero(const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (((const char *)bytes)[i]) return 0;
  return 1;
}

static int leads_somewhere(hid_t file, hobj_ref_t reference) {
  hid_t object = H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, &reference);
  if (object >= 0) H5Oclose(object);
  return object >= 0;
}

/* Returns the object reference of `bytes` bytes at `at`. */
static hobj_ref_t object_reference(const void *at, size_t bytes) {
  hobj_ref_t reference = 0;
  memcpy(&reference, at, bytes);
  return bytes < sizeof reference && reference == ((hobj_ref_t)1 << 8 * bytes) - 1 ? HADDR_UNDEF : reference;
}

/* Converts one region reference of `bytes` bytes. Fails if its target is undefined or broken. */
static int translate_region(const file_pair *files, void *at, size_t bytes) {
  hdset_reg_ref_t reference = {0};
  if (is_zero(at, bytes)) return 0;
  memcpy(&reference, at, bytes);
  hid_t target = H5Rdereference2(files->input, H5P_DEFAULT, H5R_DATASET_REGION, &reference);
  hid_t space = H5Rget_region(files->input, H5R_DATASET_REGION, &reference);
  haddr_t to = target < 0 ? HADDR_UNDEF : counterpart(files, address_of(target));
  hid_t object = to == HADDR_UNDEF ? -1 : H5Oopen_by_addr(files->output, to);
  int done = object >= 0 && space >= 0 && H5Rcreate(&reference, object, ".", H5R_DATASET_REGION, space) >= 0;
  memcpy(at, &reference, bytes);
  if (object >= 0) H5Oclose(object);
  if (space >= 0) H5Sclose(space);
  if (target >= 0) H5Oclose(target);
  return done ? 0 : fail(UNSUPPORTED, "a region reference that leads nowhere", NULL);
}

int translate_references(const file_pair *files, hid_t type, void *values, size_t count) {
  size_t bytes = H5Tget_size(type);
  char *at = values;
  int bad = 0;
  if (!(contents_of(type) & HAS_REFERENCES)) return 0;
  switch (H5Tget_class(type)) {
    case H5T_REFERENCE: {
      int region = is_region(type);
      for (size_t i = 0; i < count && !bad; i++, at += bytes) {
        if (region) {
          bad = translate_region(files, at, bytes);
          continue;
        }
        hobj_ref_t reference = object_reference(at, bytes);
        if (reference == 0 || reference == HADDR_UNDEF) continue;
        haddr_t to = counterpart(files, reference);
        if (to == HADDR_UNDEF) {
          /* A dangling reference stays unchanged. A reference to an object without a link cannot be converted. */
          if (leads_somewhere(files->input, reference))
            return fail(UNSUPPORTED, "a reference to an object without a link", NULL);
          continue;
        }
        memcpy(at, &to, bytes);
      }
      return bad;
    }
    case H5T_VLEN: {
      hid_t super = H5Tget_super(type);
      for (size_t i = 0; i < count && !bad; i++, at += bytes)
        bad = translate_references(files, super, ((hvl_t *)at)->p, ((hvl_t *)at)->len);
      H5Tclose(super);
      return bad;
    }
    case H5T_ARRAY: {
      hid_t super = H5Tget_super(type);
      bad = translate_references(files, super, values, count * (bytes / H5Tget_size(super)));
      H5Tclose(super);
      return bad;
    }
    case H5T_COMPOUND:
      for (int m = 0, n = H5Tget_nmembers(type); m < n && !bad; m++) {
        hid_t member = H5Tget_member_type(type, (unsigned)m);
        size_t offset = H5Tget_member_offset(type, (unsigned)m);
        for (size_t i = 0; i < count && !bad; i++)
          bad = translate_references(files, member, at + i * bytes + offset, 1);
        H5Tclose(member);
      }
      return bad;
    default: return 0;
  }
}

/* ---- comparison of values ---- */

static int regions_equal(const file_pair *files, const void *a, const void *b, size_t bytes) {
  hdset_reg_ref_t from = {0}, to = {0};
  memcpy(&from, a, bytes), memcpy(&to, b, bytes);
  if (is_zero(a, bytes) || is_zero(b, bytes)) return is_zero(a, bytes) == is_zero(b, bytes);
  hid_t x = H5Rdereference2(files->input, H5P_DEFAULT, H5R_DATASET_REGION, &from),
        y = H5Rdereference2(files->output, H5P_DEFAULT, H5R_DATASET_REGION, &to);
  hid_t s = H5Rget_region(files->input, H5R_DATASET_REGION, &from),
        t = H5Rget_region(files->output, H5R_DATASET_REGION, &to);
  int equal = x >= 0 && y >= 0 && s >= 0 && t >= 0 && counterpart(files, address_of(x)) == address_of(y) &&
              H5Sextent_equal(s, t) > 0 && H5Sget_select_type(s) == H5Sget_select_type(t) &&
              H5Sget_select_npoints(s) == H5Sget_select_npoints(t) && H5Sselect_shape_same(s, t) > 0;
  hsize_t bounds[4][H5S_MAX_RANK];
  int rank = equal ? H5Sget_simple_extent_ndims(s) : 0;
  if (rank > 0 && H5Sget_select_npoints(s) > 0)
    equal = H5Sget_select_bounds(s, bounds[0], bounds[1]) >= 0 && H5Sget_select_bounds(t, bounds[2], bounds[3]) >= 0 &&
            !memcmp(bounds[0], bounds[2], (size_t)rank * sizeof(hsize_t)) &&
            !memcmp(bounds[1], bounds[3], (size_t)rank * sizeof(hsize_t));
  if (x >= 0) H5Oclose(x);
  if (y >= 0) H5Oclose(y);
  if (s >= 0) H5Sclose(s);
  if (t >= 0) H5Sclose(t);
  return equal;
}

int values_equal(const file_pair *files, hid_t type, const void *a, const void *b, size_t count) {
  size_t bytes = H5Tget_size(type);
  const char *x = a, *y = b;
  int equal = 1;
  if (contents_of(type) == PLAIN) return count == 0 || memcmp(a, b, count * bytes) == 0;
  switch (H5Tget_class(type)) {
    case H5T_REFERENCE: {
      int region = is_region(type);
      for (size_t i = 0; i < count && equal; i++, x += bytes, y += bytes) {
        if (region) {
          equal = regions_equal(files, x, y, bytes);
          continue;
        }
        hobj_ref_t r = object_reference(x, bytes), s = object_reference(y, bytes);
        if (counterpart(files, r) != HADDR_UNDEF) equal = counterpart(files, r) == s;
        else equal = r == s && (r == 0 || r == HADDR_UNDEF || !leads_somewhere(files->output, s));
      }
      return equal;
    }
    case H5T_STRING: /* variable-length strings */
      for (size_t i = 0; i < count && equal; i++, x += bytes, y += bytes) {
        const char *s = *(char *const *)x, *t = *(char *const *)y;
        equal = s && t ? strcmp(s, t) == 0 : s == t;
      }
      return equal;
    case H5T_VLEN: {
      hid_t super = H5Tget_super(type);
      for (size_t i = 0; i < count && equal; i++, x += bytes, y += bytes) {
        const hvl_t *s = (const hvl_t *)x, *t = (const hvl_t *)y;
        equal = s->len == t->len && values_equal(files, super, s->p, t->p, s->len);
      }
      H5Tclose(super);
      return equal;
    }
    case H5T_ARRAY: {
      hid_t super = H5Tget_super(type);
      equal = values_equal(files, super, a, b, count * (bytes / H5Tget_size(super)));
      H5Tclose(super);
      return equal;
    }
    case H5T_COMPOUND:
      for (int m = 0, n = H5Tget_nmembers(type); m < n && equal; m++) {
        hid_t member = H5Tget_member_type(type, (unsigned)m);
        size_t offset = H5Tget_member_offset(type, (unsigned)m);
        for (size_t i = 0; i < count && equal; i++)
          equal = values_equal(files, member, x + i * bytes + offset, y + i * bytes + offset, 1);
        H5Tclose(member);
      }
      return equal;
    default: return 0;
  }
}

/* ---- iteration over boxes of a dataset ---- */

void begin_boxes(boxes *b, int rank, const hsize_t *size, const hsize_t *chunk, size_t value_bytes,
                 size_t limit_bytes) {
  memset(b, 0, sizeof *b);
  b->rank = rank;
  hsize_t room = limit_bytes / value_bytes;
  if (room < 1) room = 1;
  for (int i = 0; i < rank; i++) {
    b->size[i] = size[i];
    b->box[i] = chunk ? chunk[i] : 1;
    if (size[i] == 0) b->ended = 1;
    room /= b->box[i] > room ? room : b->box[i];
  }
  /* Extend the box from the fastest-varying dimension on, by whole chunks. */
  for (int i = rank - 1; i >= 0 && room > 1; i--) {
    hsize_t wanted = (size[i] + b->box[i] - 1) / b->box[i];
    hsize_t times = wanted < room ? wanted : room;
    if (times < 1) times = 1;
    b->box[i] *= times;
    room /= times;
    if (times < wanted) break;
  }
  b->values = 0;
}

int next_box(boxes *b) {
  if (b->ended) return 0;
  if (b->values) {
    int i = b->rank - 1;
    for (; i >= 0; i--) {
      b->start[i] += b->box[i];
      if (b->start[i] < b->size[i]) break;
      b->start[i] = 0;
    }
    if (i < 0) {
      b->ended = 1;
      return 0;
    }
  }
  b->values = 1;
  for (int i = 0; i < b->rank; i++) {
    hsize_t left = b->size[i] - b->start[i];
    b->count[i] = b->box[i] < left ? b->box[i] : left;
    b->values *= (size_t)b->count[i];
  }
  return 1;
}
