/* Block splitting for Deflate. Part of thorough.h. Sizes are those of the items with the block's own codes, including
 * the header. */

static u32
thorough_range_bits(struct libdeflate_compressor *c, const u32 *items, u32 from, u32 to)
{
	thorough_tally(c, items + from, to - from);
	return thorough_make_codes(c, false);
}

static u32
thorough_cut_bits(struct libdeflate_compressor *c, const u32 *items, u32 from, u32 cut, u32 to)
{
	return thorough_range_bits(c, items, from, cut) + thorough_range_bits(c, items, cut, to);
}

/* Finds the cut of a range of items that minimises the size of both parts, by successively finer sampling. */
static u32
thorough_best_cut(struct libdeflate_compressor *c, const u32 *items, u32 from, u32 to, u32 *cut)
{
	u32 best = UINT32_MAX, low = from + 1, high = to - 1;

	*cut = from;
	while (low <= high) {
		u32 step = MAX((high - low) / 10, 1), at;

		for (at = low; at <= high; at += step) {
			u32 bits = thorough_cut_bits(c, items, from, at, to);

			if (bits < best) {
				best = bits;
				*cut = at;
			}
		}
		if (step == 1)
			break;
		low = MAX(low, *cut > step ? *cut - step + 1 : low);
		high = MIN(high, *cut + step - 1);
	}
	return best;
}

/* Moves the cut between two blocks to the position with the smallest total size, with decreasing steps. */
static void
thorough_move_cut(struct libdeflate_compressor *c, const u32 *items, u32 from, u32 *cut, u32 to, u32 step)
{
	u32 best = thorough_cut_bits(c, items, from, *cut, to);

	for (; step; step /= 2) {
		u32 bits;

		if (*cut + step < to && (bits = thorough_cut_bits(c, items, from, *cut + step, to)) < best) {
			best = bits;
			*cut += step;
		} else if (*cut > from + step && (bits = thorough_cut_bits(c, items, from, *cut - step, to)) < best) {
			best = bits;
			*cut -= step;
		}
	}
}

/* Starts with many small blocks and repeatedly merges the neighbours that save the most, until nothing is saved. */
static u32
thorough_joined(struct libdeflate_compressor *c, const u32 *items, u32 num_items, u32 ends[THOROUGH_BLOCKS])
{
	u32 size = MAX(THOROUGH_SEGMENT, (num_items + THOROUGH_SEGMENTS - 1) / THOROUGH_SEGMENTS);
	u32 bits[THOROUGH_SEGMENTS], both[THOROUGH_SEGMENTS], count = 0, i;

	for (i = 0; i < num_items; i += size) {
		ends[count] = MIN(i + size, num_items);
		bits[count] = thorough_range_bits(c, items, i, ends[count]);
		count++;
	}
	for (i = 0; i + 1 < count; i++)
		both[i] = thorough_range_bits(c, items, i ? ends[i - 1] : 0, ends[i + 1]);
	while (count > 1) {
		u32 chosen = 0;
		s32 most = -1;

		for (i = 0; i + 1 < count; i++) {
			s32 saved = bits[i] + bits[i + 1] - both[i];

			if (saved > most) {
				most = saved;
				chosen = i;
			}
		}
		if (most < 0)
			break;
		bits[chosen] = both[chosen];
		memmove(&ends[chosen], &ends[chosen + 1], (count - chosen - 1) * sizeof(ends[0]));
		memmove(&bits[chosen + 1], &bits[chosen + 2], (count - chosen - 2) * sizeof(bits[0]));
		memmove(&both[chosen], &both[chosen + 1], (count - chosen - 2) * sizeof(both[0]));
		count--;
		if (chosen + 1 < count)
			both[chosen] = thorough_range_bits(c, items, chosen ? ends[chosen - 1] : 0, ends[chosen + 1]);
		if (chosen)
			both[chosen - 1] = thorough_range_bits(c, items, chosen > 1 ? ends[chosen - 2] : 0, ends[chosen]);
	}
	for (i = 0; i + 1 < count; i++)
		thorough_move_cut(c, items, i ? ends[i - 1] : 0, &ends[i], ends[i + 1], size / 2);
	for (i = 0; i + 1 < count; i++)
		thorough_move_cut(c, items, i ? ends[i - 1] : 0, &ends[i], ends[i + 1], size / 4);
	return count;
}

/* Merges adjacent blocks between `ends` if that minimises the total size. Blocks with different symbols (such as an
 * increasing number) may be larger when two are merged, but smaller when all are merged, because the header is written
 * once. Tries runs of 1, 2, 3, 4, 6, 9 … blocks, and runs from the first block on. Returns the number of remaining
 * blocks. */
static u32
thorough_merged(struct libdeflate_compressor *c, struct thorough *t, const u32 *items, u32 ends[THOROUGH_BLOCKS],
		u32 count)
{
	u32 best[THOROUGH_BLOCKS + 1], first[THOROUGH_BLOCKS + 1], i, end;

	if (count < 3)
		return count;
	deflate_reset_symbol_frequencies(c);
	t->sums[0] = c->freqs;
	for (i = 0; i < count; i++) {
		u32 from = i ? ends[i - 1] : 0;

		thorough_add(c, items + from, ends[i] - from);
		t->sums[i + 1] = c->freqs;
	}
	best[0] = 0;
	for (end = 1; end <= count; end++) {
		u32 run = 1;

		best[end] = UINT32_MAX;
		for (;;) {
			const struct deflate_freqs *to = &t->sums[end], *from = &t->sums[end - run];
			u32 bits;

			for (i = 0; i < DEFLATE_NUM_LITLEN_SYMS; i++)
				c->freqs.litlen[i] = to->litlen[i] - from->litlen[i];
			for (i = 0; i < DEFLATE_NUM_OFFSET_SYMS; i++)
				c->freqs.offset[i] = to->offset[i] - from->offset[i];
			c->freqs.litlen[DEFLATE_END_OF_BLOCK]++;
			bits = best[end - run] + thorough_make_codes(c, false);
			if (bits < best[end]) {
				best[end] = bits;
				first[end] = end - run;
			}
			if (run == end)
				break;
			run = MIN(run + MAX(run / 2, 1), end);
		}
	}
	/* Collects the block ends of the best path from its end, then reverses them. */
	for (i = 0, end = count; end; end = first[end])
		best[i++] = ends[end - 1];
	for (count = i; i--; )
		ends[count - 1 - i] = best[i];
	return count;
}

/* Splits items into blocks. `joined`: starts with many small blocks, which are merged; otherwise with one. Each block
 * is split in two while that helps, and finally blocks are merged if that is smaller. `ends` are item numbers. Returns
 * the number of blocks. */
static u32
thorough_cut(struct libdeflate_compressor *c, struct thorough *t, const u32 *items, u32 num_items, bool joined,
	     u32 ends[THOROUGH_BLOCKS])
{
	u32 count = 1, i = 0;

	ends[0] = num_items;
	if (joined)
		count = thorough_joined(c, items, num_items, ends);
	while (i < count && count < THOROUGH_BLOCKS) {
		u32 from = i ? ends[i - 1] : 0, to = ends[i], cut;

		if (to - from < 10 ||
		    thorough_best_cut(c, items, from, to, &cut) >= thorough_range_bits(c, items, from, to)) {
			i++;
			continue;
		}
		memmove(&ends[i + 1], &ends[i], (count - i) * sizeof(ends[0]));
		ends[i] = cut;
		count++;
	}
	return thorough_merged(c, t, items, ends, count);
}
