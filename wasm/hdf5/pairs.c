/* Pairs of object addresses in the input and the output. */
#include <stdlib.h>

#include "glue.h"

void forget_pairs(file_pair *files) {
  free(files->pairs);
  files->pairs = NULL;
  files->pair_room = files->pair_count = 0;
}

static pair *slot(const file_pair *files, haddr_t from) {
  size_t at = (size_t)((from * 0x9e3779b97f4a7c15ull) >> 32) & (files->pair_room - 1);
  while (files->pairs[at].from != HADDR_UNDEF && files->pairs[at].from != from) at = (at + 1) & (files->pair_room - 1);
  return &files->pairs[at];
}

int add_pair(file_pair *files, haddr_t from, haddr_t to, unsigned links) {
  if (files->pair_count >= MAX_OBJECTS) return fail(OVER_BUDGET, "more objects than can be kept track of", NULL);
  if (files->pair_count * 2 >= files->pair_room) {
    pair *old = files->pairs;
    size_t old_room = files->pair_room;
    files->pair_room = old_room ? old_room * 2 : 1024;
    files->pairs = malloc(files->pair_room * sizeof *files->pairs);
    if (!files->pairs) return fail(OVER_BUDGET, "objects", NULL);
    for (size_t i = 0; i < files->pair_room; i++) files->pairs[i].from = HADDR_UNDEF;
    for (size_t i = 0; i < old_room; i++)
      if (old[i].from != HADDR_UNDEF) *slot(files, old[i].from) = old[i];
    free(old);
  }
  pair *p = slot(files, from);
  if (p->from == HADDR_UNDEF) files->pair_count++;
  *p = (pair){from, to, links};
  return 0;
}

const pair *next_pair(const file_pair *files, const pair *p) {
  for (p = p ? p + 1 : files->pairs; p < files->pairs + files->pair_room; p++)
    if (p->from != HADDR_UNDEF) return p;
  return NULL;
}

haddr_t counterpart(const file_pair *files, haddr_t from) {
  return files->pair_room && from != HADDR_UNDEF
             ? (slot(files, from)->from == from ? slot(files, from)->to : HADDR_UNDEF)
             : HADDR_UNDEF;
}

haddr_t address_of(hid_t object) {
  H5O_info_t info;
  return H5Oget_info2(object, &info, H5O_INFO_BASIC) < 0 ? HADDR_UNDEF : info.addr;
}
