/* Deflate for picture samples, whose noise makes many matches cost more than literals. Based on libdeflate's lazy
 * compressor, but a match is valued by the bits it saves, at prices learnt from previous items. On photographs the size
 * equals that of the near-optimal levels, in at most a quarter of their time. The search is shallow, because distant
 * short matches rarely pay. Included at the end of libdeflate's deflate_compress.c, whose match finder, block splitting
 * and block writer it uses. */

#define PRICED_SHIFT 5     /* prices are in 1/32 bit */
#define PRICED_SAMPLE 16384 /* bytes at the start from which the first prices are estimated */
#define PRICED_EVERY 8192  /* interval in bytes at which prices are updated */
#define PRICED_SUMMED 24   /* bytes of a match whose literal prices are summed; further bytes count as their mean */
#define PRICED_LENGTHS 29  /* number of Deflate symbols for lengths, and for offsets */
#define PRICED_OFFSETS 30

struct priced {
	/* Symbol counts of previous blocks; they are halved with every block. */
	u32 litlen[DEFLATE_NUM_LITLEN_SYMS];
	u32 offsets[DEFLATE_NUM_OFFSET_SYMS];
	/* Prices including extra bits, in 1/32 bit. */
	u16 literal_price[DEFLATE_NUM_LITERALS];
	u16 length_price[DEFLATE_MAX_MATCH_LEN + 1];
	u16 offset_price[DEFLATE_NUM_OFFSET_SYMS];
};

/* Returns 32 * log2(n) for n > 0: linear between powers of two, plus a parabola as correction. */
static u32
priced_log2(u32 n)
{
	u32 whole = bsr32(n);
	u32 rest = (whole >= 8 ? n >> (whole - 8) : n << (8 - whole)) & 255;

	return (whole << PRICED_SHIFT) + ((rest * 256 + (rest * (256 - rest) * 88 >> 8)) >> 11);
}

static u32
priced_bits(u32 log_total, u32 count, u32 most_bits)
{
	return MIN(log_total - priced_log2(count + 1), most_bits << PRICED_SHIFT);
}

/* Computes the prices from the symbol counts so far. */
static void
priced_take_prices(const struct libdeflate_compressor *c, struct priced *p)
{
	u32 total = 1, log_total, i;

	for (i = 0; i < DEFLATE_FIRST_LEN_SYM + PRICED_LENGTHS; i++)
		total += p->litlen[i] + c->freqs.litlen[i];
	log_total = priced_log2(total);
	for (i = 0; i < DEFLATE_NUM_LITERALS; i++)
		p->literal_price[i] = MAX(1 << PRICED_SHIFT, priced_bits(log_total, p->litlen[i] + c->freqs.litlen[i], 14));
	for (i = DEFLATE_MIN_MATCH_LEN; i <= DEFLATE_MAX_MATCH_LEN; i++) {
		u32 slot = deflate_length_slot[i], symbol = DEFLATE_FIRST_LEN_SYM + slot;

		p->length_price[i] = priced_bits(log_total, p->litlen[symbol] + c->freqs.litlen[symbol], 13) +
				     (deflate_extra_length_bits[slot] << PRICED_SHIFT);
	}
	total = 1;
	for (i = 0; i < PRICED_OFFSETS; i++)
		total += p->offsets[i] + c->freqs.offset[i];
	log_total = priced_log2(total);
	for (i = 0; i < PRICED_OFFSETS; i++)
		p->offset_price[i] = priced_bits(log_total, p->offsets[i] + c->freqs.offset[i], 10) +
				     (deflate_extra_offset_bits[i] << PRICED_SHIFT);
}

/* Sets initial symbol counts: literals as in the first bytes, and some matches of every length and offset. */
static void
priced_begin(struct libdeflate_compressor *c, struct priced *p, const u8 *in, size_t in_nbytes)
{
	u32 sample = MIN(in_nbytes, PRICED_SAMPLE), i;

	memset(p, 0, sizeof(*p));
	for (i = 0; i < sample; i++)
		p->litlen[in[i]]++;
	/* lengths 3 to 10 have a symbol each */
	for (i = 0; i < PRICED_LENGTHS; i++)
		p->litlen[DEFLATE_FIRST_LEN_SYM + i] = sample >> (i < 8 ? 7 : 9);
	for (i = 0; i < PRICED_OFFSETS; i++)
		p->offsets[i] = 16;
}

/* Adds a finished block to the symbol counts. It gets half of the total weight. */
static void
priced_remember(const struct libdeflate_compressor *c, struct priced *p)
{
	u32 i;

	for (i = 0; i < DEFLATE_NUM_LITLEN_SYMS; i++)
		p->litlen[i] = (p->litlen[i] + c->freqs.litlen[i] + 1) >> 1;
	for (i = 0; i < DEFLATE_NUM_OFFSET_SYMS; i++)
		p->offsets[i] = (p->offsets[i] + c->freqs.offset[i] + 1) >> 1;
}

/* Returns the bits that a match saves, in 1/32 bit; negative: it costs more than its literals. */
static forceinline int
priced_gain(const struct priced *p, const u8 *at, unsigned length, unsigned offset)
{
	unsigned summed = MIN(length, PRICED_SUMMED), i;
	u32 bytes = 0;

	for (i = 0; i < summed; i++)
		bytes += p->literal_price[at[i]];
	if (length > summed)
		bytes += bytes / PRICED_SUMMED * (length - summed);
	return (int)bytes - (int)p->length_price[length] - (int)p->offset_price[deflate_get_offset_slot(offset)];
}

/* Position in the data, and the state that the match finder needs there. */
struct priced_place {
	const u8 *in_next, *in_end, *in_cur_base;
	unsigned max_len, nice_len;
	u32 next_hashes[2];
};

/* Returns the length of the longest match if it is longer than `best_len`, otherwise `best_len`. */
static forceinline unsigned
priced_longest(struct libdeflate_compressor *c, struct priced_place *at, unsigned best_len, unsigned depth,
	       unsigned *offset)
{
	adjust_max_and_nice_len(&at->max_len, &at->nice_len, at->in_end - at->in_next);
	return hc_matchfinder_longest_match(&c->p.g.hc_mf, &at->in_cur_base, at->in_next, best_len, at->max_len,
					    at->nice_len, depth, at->next_hashes, offset);
}

/* Initialises the match finder with the bytes before the position. */
static forceinline void
priced_window(struct libdeflate_compressor *c, struct priced_place *at)
{
	hc_matchfinder_init(&c->p.g.hc_mf);
	if (!c->window_nbytes)
		return;
	at->in_cur_base = at->in_next - c->window_nbytes;
	hc_matchfinder_skip_bytes(&c->p.g.hc_mf, &at->in_cur_base, at->in_cur_base, at->in_end, c->window_nbytes,
				  at->next_hashes);
}

static void
deflate_compress_priced(struct libdeflate_compressor * restrict c, const u8 *in, size_t in_nbytes,
			struct deflate_output_bitstream *os)
{
	struct priced_place at = {in, in + in_nbytes, in, DEFLATE_MAX_MATCH_LEN,
				  MIN(c->nice_match_length, DEFLATE_MAX_MATCH_LEN), {0, 0}};
	struct priced prices, *p = &prices;

	priced_window(c, &at);
	priced_begin(c, p, in, in_nbytes);

	do {
		const u8 * const in_block_begin = at.in_next;
		const u8 * const in_max_block_end = choose_max_block_end(at.in_next, at.in_end, SOFT_MAX_BLOCK_LENGTH);
		struct deflate_sequence *seq = c->p.g.sequences;
		const u8 *next_prices = at.in_next;

		init_block_split_stats(&c->split_stats);
		deflate_begin_sequences(c, seq);
		do {
			unsigned length, offset, next_length, next_offset, found;
			int gain, next_gain;

			if (at.in_next >= next_prices) {
				priced_take_prices(c, p);
				next_prices = at.in_next + MIN(at.in_end - at.in_next, PRICED_EVERY);
			}
			length = priced_longest(c, &at, DEFLATE_MIN_MATCH_LEN - 1, c->max_search_depth, &offset);
			gain = length < DEFLATE_MIN_MATCH_LEN ? 0 : priced_gain(p, at.in_next, length, offset);
			if (gain <= 0) {
				deflate_choose_literal(c, *at.in_next++, true, seq);
				continue;
			}
			at.in_next++;

			/* Lazy matching: the match at the next byte may save more. */
			found = 1; /* bytes of the match already added to the match finder */
			while (length < at.nice_len) {
				next_length = priced_longest(c, &at, length - 1, c->max_search_depth >> 1, &next_offset);
				at.in_next++;
				next_gain = next_length < length ? 0 : priced_gain(p, at.in_next - 1, next_length, next_offset);
				if (next_gain <= gain) {
					found = 2;
					break;
				}
				deflate_choose_literal(c, at.in_next[-2], true, seq);
				length = next_length;
				offset = next_offset;
				gain = next_gain;
			}
			deflate_choose_match(c, length, offset, true, &seq);
			hc_matchfinder_skip_bytes(&c->p.g.hc_mf, &at.in_cur_base, at.in_next, at.in_end, length - found,
						  at.next_hashes);
			at.in_next += length - found;
		} while (at.in_next < in_max_block_end && seq < &c->p.g.sequences[SEQ_STORE_LENGTH] &&
			 !should_end_block(&c->split_stats, in_block_begin, at.in_next, at.in_end));
		priced_remember(c, p);
		deflate_flush_block(c, os, in_block_begin, at.in_next - in_block_begin, c->p.g.sequences,
				    at.in_next == at.in_end);
	} while (at.in_next != at.in_end);
}

/* Allocates a compressor for picture samples: fast, or with one pass of the near-optimal parser for highly compressible
 * samples. */
struct libdeflate_compressor *
libdeflate_alloc_compressor_samples(bool fast)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(fast ? 6 : 10);

	if (!c)
		return NULL;
	if (fast) {
		c->impl = deflate_compress_priced;
		c->max_search_depth = 12;
		c->nice_match_length = 64;
	} else {
		c->max_search_depth = 12;
		c->nice_match_length = 32;
		c->p.n.num_optim_passes = 1;
	}
	return c;
}
