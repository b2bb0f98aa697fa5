#include "arrays.h"

static jvirt_barray_ptr request(j_common_ptr object, int pool, boolean cleared, JDIMENSION stride, JDIMENSION rows,
                                JDIMENSION window) {
  (void)pool, (void)cleared;
  PackedArrays *arrays = object->client_data;
  const StoreSize size = {.blocks = stride, .stride = stride, .rows = rows, .window_rows = window};
  Store *store = store_new(arrays->packing, size, 0);
  if (arrays->made) arrays->made(arrays->context, store, arrays->requests++);
  return (jvirt_barray_ptr)store;
}

static void realize(j_common_ptr object) { (void)object; }

static void open_window(Store *store, uint32_t rows) {
  store->window = allocate(rows * sizeof *store->window);
  store->window_blocks = allocate_zeroed((size_t)rows * store->stride * sizeof(JBLOCK));
  for (uint32_t i = 0; i < rows; i++) store->window[i] = store->window_blocks + (size_t)i * store->stride;
}

static JBLOCKARRAY access_rows(j_common_ptr object, jvirt_barray_ptr array, JDIMENSION start, JDIMENSION count,
                               boolean writable) {
  (void)object;
  Store *store = (Store *)array;
  if (store->whole) {
    /* libjpeg requests whole MCU rows, which may extend below the picture. */
    if (!store->window) open_window(store, store->rows + count);
    store->window_dirty |= writable;
    return store->window + start;
  }
  if (!store->window || count > store->window_rows) {
    store_flush(store);
    free(store->window);
    free(store->window_blocks);
    if (count > store->window_rows) store->window_rows = count;
    store->window_valid = 0;
    open_window(store, store->window_rows);
  }
  if (!store->window_valid || store->window_start != start || count > store->window_count) {
    store_flush(store);
    store->window_start = start;
    store->window_count = count;
    store->window_valid = 1;
    for (uint32_t i = 0; i < count && start + i < store->rows; i++) store_get(store, start + i, store->window[i]);
  }
  if (writable) store->window_dirty = 1;
  return store->window;
}

void use_packed_arrays(j_common_ptr object, PackedArrays *arrays) {
  object->client_data = arrays;
  arrays->requests = 0;
  object->mem->request_virt_barray = request;
  object->mem->realize_virt_arrays = realize;
  object->mem->access_virt_barray = access_rows;
}
