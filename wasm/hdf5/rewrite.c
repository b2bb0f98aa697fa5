/* Rewrites an HDF5 file with the same groups, links, types, attributes and values. Values of datasets are stored in
 * better compressed chunks. Anything that cannot be written exactly ends the job. */
#include <stdlib.h>
#include <string.h>

#include "storage.h"

extern int deflate_level;

/* Decoded bytes above which a lower Deflate level is used. Small files with so many decoded bytes consist mostly of
 * repetitions, which all levels compress equally. */
#define DECODED_FOR_LEVEL_9 256e6
#define DECODED_FOR_LEVEL_6 1024e6
/* Limit of decoded bytes, because more would exceed the CPU time of a job: about 10 ns per byte including the
 * comparison. */
#define MOST_DECODED 12e9
#define MOST_WAITING 4096

/* State of a job. */
typedef struct {
  file_pair files;
  int compact_index;
  double total_bytes, done_bytes, metadata_bytes;
  /* Decoded size in bytes of all values that were ever written. */
  double decoded_bytes;
  /* Addresses of objects with references. They are written after all their targets exist. */
  haddr_t *later;
  size_t later_count, later_room;
  /* Committed types that were needed before their link was written. They stay open, because closing an unlinked type
   * deletes it. */
  hid_t waiting[MOST_WAITING];
  int waiting_count;
} rewriting;

static int do_later(rewriting *r, haddr_t address) {
  if (r->later_count && r->later[r->later_count - 1] == address) return 0;
  if (r->later_count == r->later_room) {
    r->later_room = r->later_room ? r->later_room * 2 : 256;
    haddr_t *grown = realloc(r->later, r->later_room * sizeof *r->later);
    if (!grown) return fail(OVER_BUDGET, "objects", NULL);
    r->later = grown;
  }
  r->later[r->later_count++] = address;
  return 0;
}

/* ---- datatypes ---- */

static int copy_attributes(rewriting *r, hid_t from, hid_t to, haddr_t address);

/* Returns the time at which an object was created or last changed. In the output, times come from the wrapped clock. */
static time_t made_at(const H5O_info_t *info) { return info->mtime ? info->mtime : info->ctime; }

/* Sets time tracking. Version 1 headers store the time in an optional message, which property lists do not report
 * (H5O_get_create_plist). */
static void copy_times(const H5O_info_t *info, hid_t plist) {
  if (info->hdr.version == 1) H5Pset_obj_track_times(plist, info->ctime != 0);
}

/* Returns the type for creating an object in the output. For a committed type, it is the counterpart of the input's
 * type. */
static hid_t output_type(rewriting *r, hid_t type) {
  if (H5Tcommitted(type) <= 0) return H5Tcopy(type);
  haddr_t from = address_of(type), to = counterpart(&r->files, from);
  if (to != HADDR_UNDEF) return H5Oopen_by_addr(r->files.output, to);
  if (r->waiting_count == MOST_WAITING) return fail(OVER_BUDGET, "too many committed types", NULL), -1;
  hid_t copy = H5Tcopy(type), plist = H5Tget_create_plist(type);
  H5O_info_t info;
  if (H5Oget_info2(type, &info, H5O_INFO_BASIC | H5O_INFO_HDR | H5O_INFO_TIME) < 0) return -1;
  int64_t before = clock_seconds;
  copy_times(&info, plist);
  clock_seconds = made_at(&info);
  int done = copy >= 0 && H5Tcommit_anon(r->files.output, copy, plist, H5P_DEFAULT) >= 0;
  H5Pclose(plist);
  clock_seconds = info.ctime;
  if (!done || add_pair(&r->files, from, address_of(copy), info.rc) || copy_attributes(r, type, copy, from)) return -1;
  clock_seconds = before;
  r->waiting[r->waiting_count++] = copy;
  return H5Oopen_by_addr(r->files.output, address_of(copy));
}

/* ---- attributes of objects ---- */

typedef struct {
  rewriting *r;
  hid_t to;
  haddr_t address;
  int only_references; /* second pass: attributes with references, whose targets now exist */
} attribute_job;

static herr_t copy_attribute(hid_t from, const char *name, const H5A_info_t *info, void *context) {
  (void)info;
  attribute_job *job = context;
  rewriting *r = job->r;
  hid_t a = H5Aopen(from, name, H5P_DEFAULT), type = H5Aget_type(a), space = H5Aget_space(a);
  if (a < 0 || type < 0 || space < 0) return fail(MALFORMED, "an attribute", name), -1;
  int contents = contents_of(type), references = (contents & HAS_REFERENCES) != 0;
  hssize_t count = H5Sget_simple_extent_type(space) == H5S_NULL ? 0 : H5Sget_simple_extent_npoints(space);
  size_t bytes = H5Tget_size(type);
  hid_t b = -1;
  if (contents & HAS_LATER) fail(UNSUPPORTED, LATER_TYPE, name);
  else if (count < 0 || (contents & HAS_BROKEN)) fail(MALFORMED, "an attribute", name);
  else if ((double)count * (double)bytes > MAX_BUFFER_BYTES) fail(OVER_BUDGET, "an attribute", name);
  else if (job->only_references) b = references ? H5Aopen(job->to, name, H5P_DEFAULT) : -1;
  else {
    hid_t plist = H5Aget_create_plist(a), as = output_type(r, type);
    b = as < 0 ? -1 : H5Acreate2(job->to, name, as, space, plist, H5P_DEFAULT);
    if (b < 0) fail(UNSUPPORTED, "an attribute cannot be written", name);
    if (as >= 0) H5Tclose(as);
    H5Pclose(plist);
    if (references) do_later(r, job->address);
  }
  if (!failed() && b >= 0 && count > 0 && references == job->only_references) {
    void *values = calloc((size_t)count, bytes);
    if (!values) fail(OVER_BUDGET, "an attribute", name);
    else if (H5Aread(a, type, values) < 0) fail(MALFORMED, "an attribute cannot be read", name);
    else if (!translate_references(&r->files, type, values, (size_t)count) && H5Awrite(b, type, values) < 0)
      fail(UNSUPPORTED, "an attribute cannot be written", name);
    if (values && (contents & HAS_VLEN)) H5Dvlen_reclaim(type, space, H5P_DEFAULT, values);
    free(values);
  }
  if (b >= 0) H5Aclose(b);
  H5Sclose(space), H5Tclose(type), H5Aclose(a);
  return failed() ? -1 : 0;
}

/* True if attributes (or links) have a creation order. */
static int tracks_order(hid_t plist, herr_t (*get)(hid_t, unsigned *)) {
  unsigned flags = 0;
  return get(plist, &flags) >= 0 && (flags & H5P_CRT_ORDER_TRACKED);
}

static hid_t creation_plist(hid_t object) {
  switch (H5Iget_type(object)) {
    case H5I_GROUP: return H5Gget_create_plist(object);
    case H5I_DATASET: return H5Dget_create_plist(object);
    default: return H5Tget_create_plist(object);
  }
}

static int each_attribute(hid_t from, attribute_job *job) {
  hid_t plist = creation_plist(from);
  int ordered = tracks_order(plist, H5Pget_attr_creation_order);
  H5Pclose(plist);
  if (H5Aiterate2(from, ordered ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, ordered ? H5_ITER_INC : H5_ITER_NATIVE, NULL,
                  copy_attribute, job) < 0)
    fail(MALFORMED, "attributes", NULL);
  return failed();
}

static int copy_attributes(rewriting *r, hid_t from, hid_t to, haddr_t address) {
  char comment[4096];
  ssize_t length = H5Oget_comment(from, comment, sizeof comment);
  if (length >= (ssize_t)sizeof comment) return fail(UNSUPPORTED, "a comment of more than 4 KB", NULL);
  if (length > 0 && H5Oset_comment(to, comment) < 0) return fail(UNSUPPORTED, "a comment", NULL);
  attribute_job job = {r, to, address, 0};
  return each_attribute(from, &job);
}

/* Copies only the visible properties of a group. The input's own property list also contains the location of its
 * links. */
static void copy_group_properties(hid_t from, hid_t to) {
  unsigned flags, most, least;
  size_t hint;
  hbool_t times;
  if (H5Pget_link_creation_order(from, &flags) >= 0) H5Pset_link_creation_order(to, flags);
  if (H5Pget_attr_creation_order(from, &flags) >= 0) H5Pset_attr_creation_order(to, flags);
  if (H5Pget_link_phase_change(from, &most, &least) >= 0) H5Pset_link_phase_change(to, most, least);
  if (H5Pget_attr_phase_change(from, &most, &least) >= 0) H5Pset_attr_phase_change(to, most, least);
  if (H5Pget_est_link_info(from, &most, &least) >= 0) H5Pset_est_link_info(to, most, least);
  if (H5Pget_local_heap_size_hint(from, &hint) >= 0) H5Pset_local_heap_size_hint(to, hint);
  if (H5Pget_obj_track_times(from, &times) >= 0) H5Pset_obj_track_times(to, times);
}

/* ---- groups and links ---- */

typedef struct {
  rewriting *r;
  hid_t to;
  int depth;
  time_t changed;
} group_job;

static int copy_links(rewriting *r, hid_t from, hid_t to, int depth, time_t changed);

/* Adds a link to an object. Linking changes the group's time but not the object's; therefore objects are first created
 * without a link. */
static int link_object(hid_t object, const char *name, hid_t link_plist, const group_job *job, const H5O_info_t *info) {
  clock_seconds = job->changed;
  if (H5Olink(object, job->to, name, link_plist, H5P_DEFAULT) < 0)
    return fail(UNSUPPORTED, "a link cannot be written", name);
  if (info) clock_seconds = info->ctime;
  return 0;
}

static int copy_dataset(hid_t from, const char *name, hid_t link_plist, const group_job *job, const H5O_info_t *info) {
  rewriting *r = job->r;
  hid_t type = H5Dget_type(from), space = H5Dget_space(from), plist = H5Dget_create_plist(from);
  if (type < 0 || space < 0 || plist < 0) return fail(MALFORMED, "a dataset", name);
  int raw = plan_storage(from, type, space, plist, r->compact_index);
  hid_t as = failed() ? -1 : output_type(r, type);
  copy_times(info, plist);
  hid_t to = as < 0 ? -1 : H5Dcreate_anon(job->to, as, space, plist, H5P_DEFAULT);
  if (to < 0) fail(UNSUPPORTED, "a dataset cannot be written", name);
  else if (!link_object(to, name, link_plist, job, info) &&
           !add_pair(&r->files, info->addr, address_of(to), info->rc) && !copy_attributes(r, from, to, info->addr)) {
    if (contents_of(type) & HAS_REFERENCES) do_later(r, info->addr);
    else copy_values(&r->files, from, to, raw);
  }
  r->done_bytes += (double)H5Dget_storage_size(from);
  host_tick(r->total_bytes > 0 ? r->done_bytes / r->total_bytes : 0);
  if (to >= 0) H5Dclose(to);
  if (as >= 0) H5Tclose(as);
  H5Pclose(plist), H5Sclose(space), H5Tclose(type);
  return failed();
}

static int copy_object(hid_t from, const char *name, hid_t link_plist, const group_job *job) {
  rewriting *r = job->r;
  H5O_info_t info;
  hid_t object = H5Oopen(from, name, H5P_DEFAULT);
  if (object < 0 || H5Oget_info2(object, &info, H5O_INFO_BASIC | H5O_INFO_HDR | H5O_INFO_TIME) < 0)
    return fail(MALFORMED, "an object", name);
  clock_seconds = made_at(&info);
  switch (info.type) {
    case H5O_TYPE_GROUP: {
      hid_t made = H5Gget_create_plist(object), plist = H5Pcreate(H5P_GROUP_CREATE);
      copy_group_properties(made, plist);
      copy_times(&info, plist);
      hid_t to = H5Gcreate_anon(job->to, plist, H5P_DEFAULT);
      if (to < 0) fail(UNSUPPORTED, "a group cannot be written", name);
      else {
        if (!link_object(to, name, link_plist, job, &info) &&
            !add_pair(&r->files, info.addr, address_of(to), info.rc) && !copy_attributes(r, object, to, info.addr))
          copy_links(r, object, to, job->depth + 1, info.ctime);
        H5Gclose(to);
      }
      H5Pclose(plist), H5Pclose(made);
      break;
    }
    case H5O_TYPE_DATASET: copy_dataset(object, name, link_plist, job, &info); break;
    case H5O_TYPE_NAMED_DATATYPE: {
      hid_t copy = H5Tcopy(object), plist = H5Tget_create_plist(object);
      copy_times(&info, plist);
      if (H5Tcommit_anon(job->to, copy, plist, H5P_DEFAULT) < 0) fail(UNSUPPORTED, "a type cannot be written", name);
      else if (!link_object(copy, name, link_plist, job, &info) &&
               !add_pair(&r->files, info.addr, address_of(copy), info.rc))
        copy_attributes(r, object, copy, info.addr);
      H5Pclose(plist), H5Tclose(copy);
      break;
    }
    default: fail(UNSUPPORTED, "an unknown kind of object", name);
  }
  H5Oclose(object);
  return failed();
}

static herr_t copy_link(hid_t from, const char *name, const H5L_info_t *info, void *context) {
  const group_job *job = context;
  rewriting *r = job->r;
  hid_t plist = H5Pcreate(H5P_LINK_CREATE);
  clock_seconds = job->changed;
  H5Pset_char_encoding(plist, info->cset);
  char *value = NULL;
  if (info->type == H5L_TYPE_HARD) {
    haddr_t to = counterpart(&r->files, info->u.address);
    if (to == HADDR_UNDEF) copy_object(from, name, plist, job);
    else {
      hid_t object = H5Oopen_by_addr(r->files.output, to);
      if (object < 0) fail(UNSUPPORTED, "a link cannot be written", name);
      else link_object(object, name, plist, job, NULL);
      if (object >= 0) H5Oclose(object);
    }
  } else if ((info->type == H5L_TYPE_SOFT || info->type == H5L_TYPE_EXTERNAL) && info->u.val_size < 1 << 20) {
    unsigned flags;
    const char *file, *path;
    value = calloc(1, info->u.val_size + 1);
    if (!value || H5Lget_val(from, name, value, info->u.val_size, H5P_DEFAULT) < 0) fail(MALFORMED, "a link", name);
    else if (info->type == H5L_TYPE_SOFT ? H5Lcreate_soft(value, job->to, name, plist, H5P_DEFAULT) < 0
                                         : H5Lunpack_elink_val(value, info->u.val_size, &flags, &file, &path) < 0 ||
                                               H5Lcreate_external(file, path, job->to, name, plist, H5P_DEFAULT) < 0)
      fail(UNSUPPORTED, "a link cannot be written", name);
  } else fail(UNSUPPORTED, "a link of a kind of its own", name);
  free(value);
  H5Pclose(plist);
  return failed() ? -1 : 0;
}

static int copy_links(rewriting *r, hid_t from, hid_t to, int depth, time_t changed) {
  if (depth > MAX_DEPTH) return fail(UNSUPPORTED, "groups nested too deep", NULL);
  hid_t plist = H5Gget_create_plist(from);
  int ordered = tracks_order(plist, H5Pget_link_creation_order);
  H5Pclose(plist);
  group_job job = {r, to, depth, changed};
  if (H5Literate(from, ordered ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, ordered ? H5_ITER_INC : H5_ITER_NATIVE, NULL,
                 copy_link, &job) < 0)
    fail(MALFORMED, "links", NULL);
  return failed();
}

/* Checks the link counts in object headers, which the library neither verifies nor copies. The output counts existing
 * links. */
static int links_miscounted(rewriting *r) {
  for (const pair *p = next_pair(&r->files, NULL); p; p = next_pair(&r->files, p)) {
    H5O_info_t info;
    hid_t object = H5Oopen_by_addr(r->files.output, p->to);
    if (object < 0 || H5Oget_info2(object, &info, H5O_INFO_BASIC) < 0)
      fail(UNSUPPORTED, "an object cannot be read again", NULL);
    else if (p->links < info.rc) fail(MALFORMED, "an object counts fewer links than lead to it", NULL);
    else if (p->links > info.rc) fail(UNSUPPORTED, "an object counts more links than lead to it", NULL);
    if (object >= 0) H5Oclose(object);
    if (failed()) return 1;
  }
  return 0;
}

/* ---- first pass: sizes of the input's values ---- */

/* Estimates for chunk indexes. A version 1 B-tree node has up to 64 chunks and takes 4 KB for up to 5 dimensions.
 * Contiguous values get chunks of at least 512 KB. */
enum { NODE_CHUNKS = 32, NODE_BYTES = 4 << 10, SMALLEST_CHUNK = 512 << 10 };

/* Returns the decoded size in bytes of a dataset's written chunks, or its stored size if it is not chunked. */
static double decoded_size(hid_t set, hid_t type, hid_t plist, double stored) {
  hsize_t chunk[H5S_MAX_RANK], count = 0;
  if (H5Pget_layout(plist) != H5D_CHUNKED || stored == 0) return stored;
  int rank = H5Pget_chunk(plist, H5S_MAX_RANK, chunk);
  hid_t space = H5Dget_space(set);
  double bytes = H5Dget_num_chunks(set, space, &count) >= 0 ? (double)count * (double)H5Tget_size(type) : 0;
  for (int i = 0; i < rank; i++) bytes *= (double)chunk[i];
  H5Sclose(space);
  return bytes;
}

static herr_t scan_object(hid_t from, const char *name, const H5O_info_t *info, void *context) {
  rewriting *r = context;
  r->metadata_bytes += 1.5 * (double)info->hdr.space.total + 512;
  r->metadata_bytes += 1.25 * (double)(info->meta_size.obj.index_size + info->meta_size.obj.heap_size);
  r->metadata_bytes += 1.25 * (double)(info->meta_size.attr.index_size + info->meta_size.attr.heap_size);
  if (info->type != H5O_TYPE_DATASET) return 0;
  hid_t set = H5Dopen2(from, name, H5P_DEFAULT);
  if (set < 0) return fail(MALFORMED, "a dataset", name), -1;
  hid_t plist = H5Dget_create_plist(set), type = H5Dget_type(set);
  if (H5Pget_layout(plist) == H5D_VIRTUAL) fail(UNSUPPORTED, "a virtual dataset", name);
  if (H5Pget_layout(plist) != H5D_VIRTUAL && H5Pget_external_count(plist) > 0)
    fail(UNSUPPORTED, "a dataset in another file", name);
  if (contents_of(type) & HAS_LATER) fail(UNSUPPORTED, LATER_TYPE, name);
  if (contents_of(type) & HAS_BROKEN) fail(UNSUPPORTED, "a type of no known class", name);
  if (know_filters(plist)) fail(UNSUPPORTED, "more filters than can be kept track of", name);
  if (has_foreign_filter(plist) && contents_of(type) != PLAIN) fail(UNSUPPORTED, "a filter that we do not have", name);
  double bytes = (double)H5Dget_storage_size(set);
  r->total_bytes += bytes;
  r->decoded_bytes += decoded_size(set, type, plist, bytes);
  if (H5Pget_layout(plist) == H5D_CONTIGUOUS)
    r->metadata_bytes += (1 + (int)(bytes / SMALLEST_CHUNK / NODE_CHUNKS)) * (double)NODE_BYTES;
  H5Tclose(type), H5Pclose(plist), H5Dclose(set);
  return failed() ? -1 : 0;
}

/* ---- creating and writing the output file ---- */

static hid_t create_output(const rewriting *r, hid_t root, const H5O_info_t *info, H5F_libver_t low) {
  hid_t plist = H5Fget_create_plist(r->files.input), group = H5Gget_create_plist(root),
        access = host_access(OUTPUT, low);
  /* No free-space tracking, because the output is not modified later. */
  H5Pset_file_space_strategy(plist, H5F_FSPACE_STRATEGY_FSM_AGGR, 0, 1);
  copy_group_properties(group, plist);
  copy_times(info, plist);
  hid_t file = H5Fcreate("1", H5F_ACC_TRUNC, plist, access);
  H5Pclose(plist), H5Pclose(group), H5Pclose(access);
  return file;
}

/* Returns the bytes to reserve for metadata at the start of the output: at most HEAD, the part of an output stream that
 * can still be changed, and little more than needed. */
static hsize_t room_for_metadata(const rewriting *r) {
  enum { HEAD = 5 << 20, MARGIN = 16 << 10 };
  hid_t plist = H5Fget_create_plist(r->files.input);
  hsize_t user_block = 0;
  H5Pget_userblock(plist, &user_block);
  H5Pclose(plist);
  if (user_block > HEAD - 2 * MARGIN) return 0;
  double most = (double)(HEAD - MARGIN - user_block), wanted = r->metadata_bytes + MARGIN;
  return (hsize_t)(wanted < most ? wanted : most);
}

static int copy_user_block(const rewriting *r) {
  hid_t plist = H5Fget_create_plist(r->files.input);
  hsize_t bytes = 0;
  static char block[65536];
  H5Pget_userblock(plist, &bytes);
  H5Pclose(plist);
  for (hsize_t at = 0; at < bytes; at += sizeof block) {
    int length = bytes - at < sizeof block ? (int)(bytes - at) : (int)sizeof block;
    if (host_read(INPUT, (double)at, block, length) || host_write((double)at, block, length))
      return fail(MALFORMED, "the user block", NULL);
  }
  return 0;
}

/* Writes the output. `in_order`: metadata at the start, then values in file order. Returns a verdict (DONE or the kind
 * of failure); its message is at `reason_at`. */
EXPORT(rewrite) int rewrite(int level, int in_order) {
  static rewriting job;
  rewriting *r = &job;
  H5F_info2_t info;
  H5O_info_t root_info;
  H5open();
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  register_filters();
  H5set_free_list_limits(1 << 20, 1 << 16, 1 << 20, 1 << 16, 1 << 20, 1 << 16);
  deflate_level = level;
  hid_t access = host_access(INPUT, H5F_LIBVER_EARLIEST);
  r->files.input = H5Fopen("0", H5F_ACC_RDONLY, access);
  H5Pclose(access);
  if (r->files.input < 0 || H5Fget_info2(r->files.input, &info) < 0)
    return fail(MALFORMED, "the file cannot be opened", NULL);
  unsigned fields = H5O_INFO_BASIC | (in_order ? H5O_INFO_HDR | H5O_INFO_META_SIZE : 0);
  if (H5Ovisit2(r->files.input, H5_INDEX_NAME, H5_ITER_NATIVE, scan_object, r, fields) < 0)
    return fail(MALFORMED, "the file cannot be read through", NULL);

  if (r->decoded_bytes > MOST_DECODED) return fail(OVER_BUDGET, "more decoded values than there is time for", NULL);
  if (r->decoded_bytes > DECODED_FOR_LEVEL_9 && deflate_level > 9) deflate_level = 9;
  if (r->decoded_bytes > DECODED_FOR_LEVEL_6) deflate_level = 6;
  r->compact_index = info.super.version >= 3;
  H5F_libver_t low = info.super.version >= 3   ? H5F_LIBVER_V110
                     : info.super.version == 2 ? H5F_LIBVER_V18
                                               : H5F_LIBVER_EARLIEST;
  hid_t root = H5Gopen2(r->files.input, "/", H5P_DEFAULT);
  if (root < 0 || H5Oget_info2(root, &root_info, H5O_INFO_BASIC | H5O_INFO_HDR | H5O_INFO_TIME) < 0)
    return fail(MALFORMED, "the root group", NULL);
  clock_seconds = made_at(&root_info);
  metadata_room = in_order ? room_for_metadata(r) : 0;
  r->files.output = create_output(r, root, &root_info, low);
  hid_t new_root = r->files.output < 0 ? -1 : H5Gopen2(r->files.output, "/", H5P_DEFAULT);
  if (new_root < 0) return fail(UNSUPPORTED, "the file cannot be created", NULL);
  clock_seconds = root_info.ctime;
  if (!add_pair(&r->files, root_info.addr, address_of(new_root), root_info.rc) &&
      !copy_attributes(r, root, new_root, root_info.addr))
    copy_links(r, root, new_root, 0, root_info.ctime);

  for (size_t i = 0; i < r->later_count && !failed(); i++) {
    hid_t from = H5Oopen_by_addr(r->files.input, r->later[i]),
          to = H5Oopen_by_addr(r->files.output, counterpart(&r->files, r->later[i]));
    attribute_job references = {r, to, r->later[i], 1};
    H5O_info_t times;
    if (H5Oget_info2(from, &times, H5O_INFO_TIME) >= 0) clock_seconds = times.ctime;
    if (from < 0 || to < 0) fail(UNSUPPORTED, "an object with references", NULL);
    else if (!each_attribute(from, &references) && H5Iget_type(from) == H5I_DATASET) {
      hid_t type = H5Dget_type(from);
      if (contents_of(type) & HAS_REFERENCES) copy_values(&r->files, from, to, 0);
      H5Tclose(type);
    }
    if (from >= 0) H5Oclose(from);
    if (to >= 0) H5Oclose(to);
  }
  if (!failed()) links_miscounted(r);
  for (int i = 0; i < r->waiting_count; i++) H5Tclose(r->waiting[i]);
  H5Gclose(root), H5Gclose(new_root);
  if (H5Fclose(r->files.output) < 0) fail(UNSUPPORTED, "the file cannot be finished", NULL);
  if (!failed()) copy_user_block(r);
  H5Fclose(r->files.input);
  forget_pairs(&r->files);
  return failed();
}
