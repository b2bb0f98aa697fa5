/*
 * Deflate for small data that is kept for long: as libdeflate's near-optimal compressor, but with time. Included at the end
 * of libdeflate's deflate_compress.c, whose match finder, cheapest path and block writer it uses.
 *
 * 1. All matches of a stretch of data are found once.
 * 2. A parse of the whole stretch, by costs that are the entropy of the parse before.
 * 3. Its items are cut into blocks where two codes, each with its own header, cost less than one; exactly counted.
 * 4. Each block is parsed again and again by the costs of its own last parse; the smallest parse is kept.
 * 5. Code lengths are evened out where a shorter header pays for it, and the header is written in the best of eight ways.
 */

#define THOROUGH_COST_SHIFT 7 /* costs are in 128ths of a bit: 300,000 bytes of 15 bits stay below 2^31 */
#define THOROUGH_BLOCKS 64
#define THOROUGH_PASSES 10

struct thorough_item {
	u32 at;   /* where it begins in the stretch */
	u32 item; /* as in optimum_nodes */
};

struct thorough {
	u32 cache_end[MAX_BLOCK_LENGTH + 1]; /* match cache after the matches of the byte before */
	struct thorough_item items[MAX_BLOCK_LENGTH + 1];
	u32 num_items;
	struct deflate_costs costs[THOROUGH_BLOCKS];
	u32 log2_table[4097];
};

/* 128 * log2(n), by a table for the leading twelve bits. */
static u32
thorough_log2(const struct thorough *t, u32 n)
{
	unsigned shift = 0;

	while ((n >> shift) > 4096)
		shift++;
	return t->log2_table[n >> shift] + (shift << THOROUGH_COST_SHIFT);
}

static void
thorough_init(struct thorough *t)
{
	u32 i;

	/* Bit by bit: a number is squared, and halved whenever it passes 2. */
	t->log2_table[0] = 0;
	for (i = 1; i <= 4096; i++) {
		u32 whole = 31 - __builtin_clz(i), result = whole;
		u64 x = ((u64)i << 30) >> whole; /* 1 <= x < 2 in 2^-30 */
		unsigned bit;

		for (bit = 0; bit < THOROUGH_COST_SHIFT + 1; bit++) {
			x = (x * x) >> 30;
			result = (result << 1) | (x >> 31);
			if (x >> 31)
				x >>= 1;
		}
		t->log2_table[i] = (result + 1) >> 1;
	}
}

/* Costs from how often symbols were used; those that were not cost as if they had been, half a time. */
static void
thorough_costs(const struct thorough *t, struct deflate_costs *costs,
	       const struct deflate_freqs *freqs)
{
	u32 litlen[DEFLATE_NUM_LITLEN_SYMS], total = 0, log_total;
	unsigned i;

	for (i = 0; i < DEFLATE_NUM_LITLEN_SYMS; i++)
		total += freqs->litlen[i];
	log_total = thorough_log2(t, total ? total : 1);
	for (i = 0; i < DEFLATE_NUM_LITLEN_SYMS; i++)
		litlen[i] = freqs->litlen[i] ?
			    MAX(log_total - thorough_log2(t, freqs->litlen[i]), 16) :
			    log_total + (1 << THOROUGH_COST_SHIFT);
	for (i = 0; i < DEFLATE_NUM_LITERALS; i++)
		costs->literal[i] = litlen[i];
	for (i = DEFLATE_MIN_MATCH_LEN; i <= DEFLATE_MAX_MATCH_LEN; i++) {
		unsigned slot = deflate_length_slot[i];

		costs->length[i] = litlen[DEFLATE_FIRST_LEN_SYM + slot] +
			((u32)deflate_extra_length_bits[slot] << THOROUGH_COST_SHIFT);
	}
	for (total = 0, i = 0; i < DEFLATE_NUM_OFFSET_SYMS; i++)
		total += freqs->offset[i];
	log_total = thorough_log2(t, total ? total : 1);
	for (i = 0; i < ARRAY_LEN(deflate_offset_slot_base); i++)
		costs->offset_slot[i] = (freqs->offset[i] ?
			log_total - thorough_log2(t, freqs->offset[i]) :
			log_total + (1 << THOROUGH_COST_SHIFT)) +
			((u32)deflate_extra_offset_bits[i] << THOROUGH_COST_SHIFT);
}

static void
thorough_tally(struct libdeflate_compressor *c, const struct thorough *t,
	       u32 from, u32 to)
{
	deflate_reset_symbol_frequencies(c);
	for (; from < to; from++) {
		u32 length = t->items[from].item & OPTIMUM_LEN_MASK;
		u32 offset = t->items[from].item >> OPTIMUM_OFFSET_SHIFT;

		if (length == 1) {
			c->freqs.litlen[offset]++;
		} else {
			c->freqs.litlen[DEFLATE_FIRST_LEN_SYM +
					deflate_length_slot[length]]++;
			c->freqs.offset[c->p.n.offset_slot_full[offset]]++;
		}
	}
	c->freqs.litlen[DEFLATE_END_OF_BLOCK]++;
}

/* Bits of a block's symbols by the codes that are ready, extra bits included. */
static u32
thorough_data_bits(const struct libdeflate_compressor *c,
		   const struct deflate_lens *lens)
{
	u32 bits = 0;
	unsigned i;

	for (i = 0; i < DEFLATE_FIRST_LEN_SYM; i++)
		bits += c->freqs.litlen[i] * lens->litlen[i];
	for (; i < DEFLATE_FIRST_LEN_SYM + ARRAY_LEN(deflate_extra_length_bits); i++)
		bits += c->freqs.litlen[i] * (lens->litlen[i] +
			deflate_extra_length_bits[i - DEFLATE_FIRST_LEN_SYM]);
	for (i = 0; i < ARRAY_LEN(deflate_extra_offset_bits); i++)
		bits += c->freqs.offset[i] *
			(lens->offset[i] + deflate_extra_offset_bits[i]);
	return bits;
}

/* Bits of the header in the best of the ways to write runs; leaves `precode_ways` at it. */
static u32
thorough_header_bits(struct libdeflate_compressor *c, bool all_ways)
{
	u32 best = UINT32_MAX;
	unsigned ways, best_ways = 0, i;

	for (ways = 0; ways < (all_ways ? 8 : 1); ways++) {
		u32 bits;

		precode_ways = ways;
		deflate_precompute_huffman_header(c);
		/* It leaves copies of offset lengths behind those that are used. */
		memset(&c->codes.lens.litlen[c->o.precode.num_litlen_syms], 0,
		       DEFLATE_NUM_LITLEN_SYMS - c->o.precode.num_litlen_syms);
		bits = 5 + 5 + 4 + 3 * c->o.precode.num_explicit_lens;
		for (i = 0; i < DEFLATE_NUM_PRECODE_SYMS; i++)
			bits += c->o.precode.freqs[i] *
				(deflate_extra_precode_bits[i] +
				 c->o.precode.lens[i]);
		if (bits < best) {
			best = bits;
			best_ways = ways;
		}
	}
	precode_ways = best_ways;
	return best;
}

/* Frequencies that lie next to each other and within `slack` of their mean become that mean: runs make short headers. */
static void
thorough_even_out(u32 *freqs, unsigned count, unsigned slack)
{
	unsigned i, end;

	for (i = 0; i < count; i = end) {
		u32 sum = freqs[i], mean = sum;

		end = i + 1;
		if (!freqs[i])
			continue;
		while (end < count && freqs[end]) {
			u32 f = freqs[end], d = f > mean ? f - mean : mean - f;

			if (d > slack + mean * slack / 16)
				break;
			sum += f;
			end++;
			mean = (sum + (end - i) / 2) / (end - i);
		}
		if (end - i >= 3) {
			unsigned j;

			for (j = i; j < end; j++)
				freqs[j] = MAX(mean, 1);
		}
	}
}

/* Makes the codes for the tallied symbols, evened out where that is smaller. Returns the bits of the whole block. */
static u32
thorough_make_codes(struct libdeflate_compressor *c, bool all_ways)
{
	static const u8 slacks[] = {1, 2, 4, 8};
	const struct deflate_freqs real = c->freqs;
	struct deflate_codes best;
	u32 best_bits;
	unsigned i, ways;

	deflate_make_huffman_codes(&c->freqs, &c->codes);
	best_bits = thorough_data_bits(c, &c->codes.lens) + thorough_header_bits(c, all_ways);
	if (all_ways) {
		best = c->codes;
		ways = precode_ways;
		for (i = 0; i < ARRAY_LEN(slacks); i++) {
			u32 bits;

			thorough_even_out(c->freqs.litlen, DEFLATE_FIRST_LEN_SYM + ARRAY_LEN(deflate_extra_length_bits), slacks[i]);
			thorough_even_out(c->freqs.offset, ARRAY_LEN(deflate_extra_offset_bits), slacks[i]);
			deflate_make_huffman_codes(&c->freqs, &c->codes);
			c->freqs = real;
			bits = thorough_data_bits(c, &c->codes.lens) + thorough_header_bits(c, true);
			if (bits < best_bits) {
				best_bits = bits;
				best = c->codes;
				ways = precode_ways;
			}
		}
		c->codes = best;
		precode_ways = ways;
	}
	return MIN(best_bits, thorough_data_bits(c, &c->static_codes.lens)) + 3;
}

static u32
thorough_range_bits(struct libdeflate_compressor *c, const struct thorough *t,
		    u32 from, u32 to)
{
	thorough_tally(c, t, from, to);
	return thorough_make_codes(c, false);
}

/* Where to cut a range of items so that both parts together are smallest, by ever finer samples. */
static u32
thorough_best_cut(struct libdeflate_compressor *c, const struct thorough *t,
		  u32 from, u32 to, u32 *cut)
{
	u32 best = UINT32_MAX, low = from + 1, high = to - 1;

	*cut = from;
	while (low <= high) {
		u32 step = MAX((high - low) / 10, 1), at;

		for (at = low; at <= high; at += step) {
			u32 bits = thorough_range_bits(c, t, from, at) +
				   thorough_range_bits(c, t, at, to);

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

/* Cuts the items into blocks; `ends` are item numbers. Returns how many there are. */
static unsigned
thorough_split(struct libdeflate_compressor *c, const struct thorough *t,
	       u32 ends[THOROUGH_BLOCKS])
{
	bool done[THOROUGH_BLOCKS] = {false};
	unsigned count = 1, i;

	ends[0] = t->num_items;
	for (;;) {
		/* The longest one that was not looked at yet. */
		unsigned chosen = THOROUGH_BLOCKS;
		u32 longest = 0, from, to, cut;

		for (i = 0; i < count; i++) {
			u32 length = ends[i] - (i ? ends[i - 1] : 0);

			if (!done[i] && length > longest) {
				longest = length;
				chosen = i;
			}
		}
		if (chosen == THOROUGH_BLOCKS || count == THOROUGH_BLOCKS)
			return count;
		from = chosen ? ends[chosen - 1] : 0;
		to = ends[chosen];
		done[chosen] = true;
		if (to - from < 10 ||
		    thorough_best_cut(c, t, from, to, &cut) >=
		    thorough_range_bits(c, t, from, to))
			continue;
		memmove(&ends[chosen + 1], &ends[chosen], (count - chosen) * sizeof(ends[0]));
		memmove(&done[chosen + 1], &done[chosen], (count - chosen) * sizeof(done[0]));
		ends[chosen] = cut;
		done[chosen] = done[chosen + 1] = false;
		count++;
	}
}

static void
thorough_path(struct libdeflate_compressor *c, const struct thorough *t,
	      u32 begin, u32 end)
{
	u32 length = end - begin, i;

	for (i = length; i <= MIN(length - 1 + DEFLATE_MAX_MATCH_LEN, ARRAY_LEN(c->p.n.optimum_nodes) - 1); i++)
		c->p.n.optimum_nodes[i].cost_to_end = 0x80000000;
	deflate_find_min_cost_path(c, length, &c->p.n.match_cache[t->cache_end[end]]);
	deflate_reset_symbol_frequencies(c);
	deflate_tally_item_list(c, length);
}

/* The path of a stretch as items. */
static void
thorough_keep_items(const struct libdeflate_compressor *c, struct thorough *t, u32 length)
{
	u32 at;

	t->num_items = 0;
	for (at = 0; at < length; at += t->items[t->num_items++].item & OPTIMUM_LEN_MASK) {
		t->items[t->num_items].at = at;
		t->items[t->num_items].item = c->p.n.optimum_nodes[at].item;
	}
}

/* Parses a block over and over, from the costs that stand. Returns the bits of the best one, by `best_costs`. */
static u32
thorough_block(struct libdeflate_compressor *c, const struct thorough *t,
	       u32 begin, u32 end, struct deflate_costs *best_costs, unsigned passes)
{
	u32 best = UINT32_MAX;
	unsigned stuck = 0;
	struct deflate_freqs before;

	while (passes--) {
		u32 bits;
		unsigned i;

		thorough_path(c, t, begin, end);
		bits = thorough_make_codes(c, true);
		if (bits < best) {
			best = bits;
			*best_costs = c->p.n.costs;
			stuck = 0;
		} else if (++stuck == 4) {
			break;
		}
		if (stuck) {
			/* Steps that lead nowhere become half as long. */
			for (i = 0; i < DEFLATE_NUM_LITLEN_SYMS; i++)
				c->freqs.litlen[i] = (c->freqs.litlen[i] + before.litlen[i] + 1) / 2;
			for (i = 0; i < DEFLATE_NUM_OFFSET_SYMS; i++)
				c->freqs.offset[i] = (c->freqs.offset[i] + before.offset[i] + 1) / 2;
		}
		before = c->freqs;
		thorough_costs(t, &c->p.n.costs, &c->freqs);
	}
	return best;
}

/* Finds all matches from `in_next` on, for as many bytes as a stretch has. */
static u32
thorough_matches(struct libdeflate_compressor *c, struct thorough *t,
		 const u8 *in_next, const u8 *in_end, const u8 **in_cur_base,
		 const u8 **in_next_slide, u32 next_hashes[2])
{
	const u8 *begin = in_next;
	const u8 *stop = choose_max_block_end(begin, in_end, SOFT_MAX_BLOCK_LENGTH);
	struct lz_match *cache_ptr = c->p.n.match_cache;
	unsigned skip = 0;

	t->cache_end[0] = 0;
	while (in_next < stop && (skip || cache_ptr < &c->p.n.match_cache[MATCH_CACHE_LENGTH])) {
		unsigned max_len = MIN(in_end - in_next, DEFLATE_MAX_MATCH_LEN);
		unsigned nice_len = MIN(c->nice_match_length, max_len);
		struct lz_match *matches = cache_ptr;

		if (in_next == *in_next_slide) {
			bt_matchfinder_slide_window(&c->p.n.bt_mf);
			*in_cur_base = in_next;
			*in_next_slide = in_next + MIN(in_end - in_next, MATCHFINDER_WINDOW_SIZE);
		}
		if (skip) {
			skip--;
			if (max_len >= BT_MATCHFINDER_REQUIRED_NBYTES)
				bt_matchfinder_skip_byte(&c->p.n.bt_mf, *in_cur_base, in_next - *in_cur_base,
							 nice_len, c->max_search_depth, next_hashes);
		} else if (max_len >= BT_MATCHFINDER_REQUIRED_NBYTES) {
			cache_ptr = bt_matchfinder_get_matches(&c->p.n.bt_mf, *in_cur_base, in_next - *in_cur_base,
							       max_len, nice_len, c->max_search_depth, next_hashes, matches);
			/* As in deflate_compress_near_optimal(): nothing is gained inside of the longest matches. */
			if (cache_ptr > matches && cache_ptr[-1].length == DEFLATE_MAX_MATCH_LEN)
				skip = DEFLATE_MAX_MATCH_LEN - 1;
		}
		cache_ptr->length = cache_ptr - matches;
		cache_ptr->offset = *in_next;
		cache_ptr++;
		in_next++;
		t->cache_end[in_next - begin] = cache_ptr - c->p.n.match_cache;
	}
	return in_next - begin;
}

static void
deflate_compress_thorough(struct libdeflate_compressor *c, struct thorough *t,
			  const u8 *in, size_t in_nbytes,
			  struct deflate_output_bitstream *os)
{
	const u8 *in_end = in + in_nbytes;
	const u8 *in_cur_base = in;
	const u8 *in_next_slide = in + MIN(in_nbytes, MATCHFINDER_WINDOW_SIZE);
	u32 next_hashes[2] = {0, 0};

	bt_matchfinder_init(&c->p.n.bt_mf);
	while (in < in_end) {
		u32 length = thorough_matches(c, t, in, in_end, &in_cur_base, &in_next_slide, next_hashes);
		u32 ends[THOROUGH_BLOCKS], lit_cost, len_sym_cost, begin = 0, i;
		unsigned count;

		/* A first parse as one block. */
		memset(c->p.n.match_len_freqs, 0, sizeof(c->p.n.match_len_freqs));
		deflate_choose_default_litlen_costs(c, in, length, &lit_cost, &len_sym_cost);
		deflate_set_default_costs(c, lit_cost, len_sym_cost);
		thorough_block(c, t, 0, length, &t->costs[0], 4);
		c->p.n.costs = t->costs[0];
		thorough_path(c, t, 0, length);
		thorough_keep_items(c, t, length);

		count = thorough_split(c, t, ends);
		for (i = 0; i < count; i++) {
			u32 end = i + 1 < count ? t->items[ends[i]].at : length;

			thorough_tally(c, t, i ? ends[i - 1] : 0, ends[i]);
			thorough_costs(t, &c->p.n.costs, &c->freqs);
			thorough_block(c, t, begin, end, &t->costs[i], THOROUGH_PASSES);
			c->p.n.costs = t->costs[i];
			thorough_path(c, t, begin, end);
			thorough_make_codes(c, true);
			deflate_flush_block(c, os, in + begin, end - begin, NULL, in + end == in_end);
			precode_ways = 0;
			begin = end;
		}
		in += length;
	}
}

/* As libdeflate_deflate_compress(), for a compressor of level 10 to 12. */
size_t
libdeflate_deflate_compress_thorough(struct libdeflate_compressor *c,
				     const void *in, size_t in_nbytes,
				     void *out, size_t out_nbytes_avail)
{
	struct deflate_output_bitstream os;
	struct thorough *t;

	if (c->compression_level < 10 || in_nbytes == 0 || out_nbytes_avail <= OUTPUT_END_PADDING)
		return 0;
	t = libdeflate_malloc(sizeof(*t));
	if (!t)
		return 0;
	thorough_init(t);
	os.bitbuf = 0;
	os.bitcount = 0;
	os.next = out;
	os.end = os.next + out_nbytes_avail - OUTPUT_END_PADDING;
	deflate_compress_thorough(c, t, in, in_nbytes, &os);
	libdeflate_free(t);
	if (os.next >= os.end)
		return 0;
	if (os.bitcount)
		*os.next++ = os.bitbuf;
	return os.next - (u8 *)out;
}
