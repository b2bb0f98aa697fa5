/* Symbol costs, and the choice of Huffman codes for a block. Part of thorough.h. */

/* Returns 128 * log2(n), from a table for the leading twelve bits. */
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

	/* Computes log2 bit by bit: a number is squared, and halved whenever it reaches 2. */
	t->log2_table[0] = 0;
	for (i = 1; i <= 4096; i++) {
		u32 whole = 31 - __builtin_clz(i), result = whole;
		u64 x = ((u64)i << 30) >> whole; /* 1 <= x < 2, in units of 2^-30 */
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

/* Computes costs from symbol frequencies. Unused symbols cost as if used half a time. */
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
thorough_add(struct libdeflate_compressor *c, const u32 *items, u32 count)
{
	const u32 *end = items + count;

	for (; items < end; items++) {
		unsigned length = *items & OPTIMUM_LEN_MASK;
		unsigned offset = *items >> OPTIMUM_OFFSET_SHIFT;

		if (length == 1) {
			c->freqs.litlen[offset]++;
		} else {
			c->freqs.litlen[DEFLATE_FIRST_LEN_SYM +
					deflate_length_slot[length]]++;
			c->freqs.offset[c->p.n.offset_slot_full[offset]]++;
		}
	}
}

/* Counts the symbols in a block of items. */
static void
thorough_tally(struct libdeflate_compressor *c, const u32 *items, u32 count)
{
	deflate_reset_symbol_frequencies(c);
	thorough_add(c, items, count);
	c->freqs.litlen[DEFLATE_END_OF_BLOCK]++;
}

/* Returns the bits of a block's symbols with the current codes, including extra bits. */
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

/* Returns the bits of the block header with the best run-length coding of code lengths. Stores that choice in
 * `precode_ways`. */
static u32
thorough_header_bits(struct libdeflate_compressor *c, bool all_ways)
{
	u32 best = UINT32_MAX;
	unsigned ways, best_ways = 0, i;

	for (ways = 0; ways < (all_ways ? 8 : 1); ways++) {
		u32 bits;

		precode_ways = ways;
		deflate_precompute_huffman_header(c);
		/* Clear the copies of offset lengths that libdeflate leaves after the used lengths. */
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

/* Replaces adjacent frequencies within `slack` of their mean by the mean, because runs of equal code lengths make
 * headers shorter. */
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

/* Computes the codes for the counted symbols, with smoothed frequencies if that is smaller. Returns the bits of the
 * whole block. */
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
