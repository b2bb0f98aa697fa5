/* Match finding and the cheapest path through the matches. Part of thorough.h. */

struct thorough_finder {
	const u8 *in_next;
	const u8 *in_end;
	const u8 *in_cur_base;
	const u8 *in_next_slide;
	u32 next_hashes[2];
};

/* Finds the matches of the next stretch of data, until it has the maximum length or the cache is full. Returns its
 * length in bytes. */
static u32
thorough_matches(struct libdeflate_compressor *c, struct thorough *t, struct thorough_finder *f)
{
	struct lz_match *cache_ptr = c->p.n.match_cache;
	const u8 *offset_slots = c->p.n.offset_slot_full;
	u32 length = 0;

	t->cache_end[0] = 0;
	while (f->in_next < f->in_end && length < THOROUGH_STRETCH &&
	       cache_ptr < &c->p.n.match_cache[MATCH_CACHE_LENGTH]) {
		unsigned max_len = MIN(f->in_end - f->in_next, DEFLATE_MAX_MATCH_LEN);
		struct lz_match *matches = cache_ptr;

		if (f->in_next == f->in_next_slide) {
			bt_matchfinder_slide_window(&c->p.n.bt_mf);
			f->in_cur_base = f->in_next;
			f->in_next_slide = f->in_next + MIN(f->in_end - f->in_next, MATCHFINDER_WINDOW_SIZE);
		}
		if (max_len >= BT_MATCHFINDER_REQUIRED_NBYTES) {
			const struct lz_match *end =
				bt_matchfinder_get_matches(&c->p.n.bt_mf, f->in_cur_base, f->in_next - f->in_cur_base, max_len,
							   MIN(c->nice_match_length, max_len), c->max_search_depth,
							   f->next_hashes, matches);
			const struct lz_match *match;

			/* Of matches whose offsets have the same cost, keep only the longest. */
			for (match = matches; match < end; match++)
				if (match + 1 == end || offset_slots[match->offset] != offset_slots[match[1].offset])
					*cache_ptr++ = *match;
		}
		cache_ptr->length = cache_ptr - matches;
		cache_ptr->offset = *f->in_next++;
		cache_ptr++;
		t->cache_end[++length] = cache_ptr - c->p.n.match_cache;
	}
	return length;
}

/* Returns the longest match at a position if it is long enough to be useful, otherwise NULL. */
static const struct lz_match *
thorough_longest(const struct libdeflate_compressor *c, const struct thorough *t, u32 at, u32 *worth)
{
	const struct lz_match *end = &c->p.n.match_cache[t->cache_end[at + 1] - 1];

	if (!end->length)
		return NULL;
	*worth = end[-1].length - (end[-1].offset > 1024);
	return *worth >= DEFLATE_MIN_MATCH_LEN ? end - 1 : NULL;
}

/* Greedy parse of a stretch: takes longest matches, with a literal first if the next match is longer. Returns the
 * number of items. */
static u32
thorough_greedy(const struct libdeflate_compressor *c, const struct thorough *t, u32 length, u32 *items)
{
	u32 at, count = 0, worth, next_worth;

	for (at = 0; at < length; count++) {
		const struct lz_match *match = thorough_longest(c, t, at, &worth);

		if (match && (at + 1 >= length || !thorough_longest(c, t, at + 1, &next_worth) || next_worth <= worth) &&
		    at + match->length <= length) {
			items[count] = ((u32)match->offset << OPTIMUM_OFFSET_SHIFT) | match->length;
			at += match->length;
		} else {
			at++;
			items[count] = ((u32)c->p.n.match_cache[t->cache_end[at] - 1].offset << OPTIMUM_OFFSET_SHIFT) | 1;
		}
	}
	return count;
}

#define THOROUGH_FOURS 8 /* groups of four length symbols with the same number of extra bits */

/* Returns the lowest remaining cost at positions `from` to `to` after `at`. The number of positions is between 1 <<
 * span and 2 << span. */
static forceinline u32
thorough_nearest(u32 (*near)[THOROUGH_NEAR], u32 at, u32 from, u32 to, unsigned span)
{
	const u32 mask = THOROUGH_NEAR - 1;

	return MIN(near[span][(at + from) & mask], near[span][(at + to + 1 - (1u << span)) & mask]);
}

/* Best item so far at a position: range of lengths with one symbol, lowest remaining cost after them, and total
 * cost. */
struct thorough_item {
	u32 cost, rest;
	unsigned first, last, offset;
};

/* Updates the best item with the lengths of a match that are at most as expensive. */
static forceinline void
thorough_try_match(const struct deflate_costs *costs, u32 (*near)[THOROUGH_NEAR], const u32 four_costs[THOROUGH_FOURS],
		   u32 at, unsigned low, unsigned high, unsigned offset, u32 offset_cost, struct thorough_item *best)
{
	while (high >= low) {
		unsigned slot = deflate_length_slot[high];
		unsigned stop = MAX(low, deflate_length_slot_base[slot & ~3u]);
		u32 least = thorough_nearest(near, at, stop, high, bsr32(high - stop + 1));

		if (least + four_costs[slot >> 2] + offset_cost > best->cost) {
			high = stop - 1;
			continue;
		}
		for (; high >= stop; slot--) {
			unsigned base = MAX(stop, deflate_length_slot_base[slot]);
			u32 rest = thorough_nearest(near, at, base, high, bsr32(high - base + 1));
			u32 cost = rest + costs->length[base] + offset_cost;

			if (cost <= best->cost)
				*best = (struct thorough_item){cost, rest, base, high, offset};
			high = base - 1;
		}
	}
}

/* Initialises the remaining costs after `end`, and the cheapest length symbol of each group of four. */
static void
thorough_path_begin(const struct deflate_costs *costs, u32 (*near)[THOROUGH_NEAR], u32 end,
		    u32 four_costs[THOROUGH_FOURS])
{
	u32 i, k;

	for (k = 0; k < THOROUGH_SPANS; k++) {
		for (i = 0; i < THOROUGH_NEAR; i++)
			near[k][i] = 0x80000000;
		near[k][end & (THOROUGH_NEAR - 1)] = 0;
	}
	for (k = 0; k < THOROUGH_FOURS; k++) {
		four_costs[k] = UINT32_MAX;
		for (i = 4 * k; i < MIN(4 * k + 4, ARRAY_LEN(deflate_length_slot_base)); i++)
			four_costs[k] = MIN(four_costs[k], costs->length[deflate_length_slot_base[i]]);
	}
}

/* Finds the cheapest path from `begin` to `end`, backwards from its end. Its items are stored from path[begin] on.
 * Returns their number. Lengths with the same symbol cost the same, so that only the one with the lowest remaining cost
 * matters. Remaining costs of nearby positions are stored as minima over 1, 2, 4 … 64 positions. Two of these give the
 * minimum over any range. Symbols are grouped in fours with the same extra bits; a group that cannot win with its
 * cheapest symbol is skipped. */
static u32
thorough_path(struct libdeflate_compressor *c, struct thorough *t, u32 begin, u32 end)
{
	const struct deflate_costs *costs = &c->p.n.costs;
	const struct lz_match *cache = &c->p.n.match_cache[t->cache_end[end]];
	const u32 mask = THOROUGH_NEAR - 1;
	u32 (*near)[THOROUGH_NEAR] = t->near;
	u32 four_costs[THOROUGH_FOURS], at, count, k;

	thorough_path_begin(costs, near, end, four_costs);
	for (at = end; at-- > begin; ) {
		const struct lz_match *match = --cache, *first = cache - cache->length;
		struct thorough_item best = {UINT32_MAX, 0, 0, 0, 0};
		u32 cost, least;

		while (--match >= first) {
			u32 offset_cost = costs->offset_slot[c->p.n.offset_slot_full[match->offset]];
			unsigned low = match == first ? DEFLATE_MIN_MATCH_LEN : match[-1].length + 1;

			thorough_try_match(costs, near, four_costs, at, low, match->length, match->offset, offset_cost, &best);
		}
		cost = costs->literal[cache->offset] + near[0][(at + 1) & mask];
		least = MIN(cost, best.cost);
		if (cost <= best.cost) {
			t->path[at] = ((u32)cache->offset << OPTIMUM_OFFSET_SHIFT) | 1;
		} else {
			if (best.first != best.last)
				while (near[0][(at + best.first) & mask] != best.rest)
					best.first++;
			t->path[at] = (best.offset << OPTIMUM_OFFSET_SHIFT) | best.first;
		}
		cache = first;
		near[0][at & mask] = least;
		for (k = 1; k < THOROUGH_SPANS; k++) {
			least = MIN(least, near[k - 1][(at + (1u << (k - 1))) & mask]);
			near[k][at & mask] = least;
		}
	}
	for (at = begin, count = 0; at < end; count++) {
		u32 item = t->path[at];

		at += item & OPTIMUM_LEN_MASK;
		t->path[begin + count] = item;
	}
	return count;
}

/* Parses a block repeatedly, starting from the current costs, until the size hardly decreases. Returns the lowest bits,
 * reached with `best_costs`. `found`: number of items if the best parse was the last one and is still in `path`,
 * otherwise 0. */
static u32
thorough_block(struct libdeflate_compressor *c, struct thorough *t, u32 begin, u32 end, unsigned passes,
	       struct deflate_costs *best_costs, u32 *found)
{
	u32 best = UINT32_MAX;
	bool little = false;

	while (passes-- && !little) {
		u32 count = thorough_path(c, t, begin, end), bits;

		thorough_tally(c, &t->path[begin], count);
		bits = thorough_make_codes(c, true);
		if (bits >= best) {
			*found = 0;
			break;
		}
		little = best != UINT32_MAX && best - bits < best / THOROUGH_GAIN;
		best = bits;
		*best_costs = c->p.n.costs;
		*found = count;
		thorough_costs(t, &c->p.n.costs, &c->freqs);
	}
	return best;
}
