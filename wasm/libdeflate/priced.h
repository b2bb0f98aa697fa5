/* Deflate for the samples of pictures, whose noise makes many matches cost more than the bytes they stand for. As
 * libdeflate's lazy compressor, but a match counts by the bits that it saves, at prices learnt from the items
 * before: on photographs the bytes of the near-optimal levels at a quarter of their time, and less. It searches
 * little: what is far and short is seldom worth its price. Included at the end of libdeflate's deflate_compress.c,
 * whose match finder, block splitting and block writer it uses. */

#define PRICED_SHIFT 5     /* prices are in 32nds of a bit */
#define PRICED_SAMPLE 16384 /* bytes at the beginning that the first prices are taken from */
#define PRICED_EVERY 8192  /* bytes after which the prices are taken again */
#define PRICED_SUMMED 24   /* bytes of a match whose prices are summed; the others count as the mean of these */
#define PRICED_LENGTHS 29  /* symbols for lengths, and for offsets, that Deflate has */
#define PRICED_OFFSETS 30

struct priced {
	/* Items of the blocks before, halved with every block. */
	u32 litlen[DEFLATE_NUM_LITLEN_SYMS];
	u32 offsets[DEFLATE_NUM_OFFSET_SYMS];
	/* Prices, extra bits included. */
	u16 literal_price[DEFLATE_NUM_LITERALS];
	u16 length_price[DEFLATE_MAX_MATCH_LEN + 1];
	u16 offset_price[DEFLATE_NUM_OFFSET_SYMS];
};

/* 32 * log2(n) for n > 0: straight between powers of two, and a parabola for what the straight line leaves out. */
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

/* Takes the prices from the items so far. */
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

/* Before anything is known: literals as in the first bytes, and some matches of every kind. */
static void
priced_begin(struct libdeflate_compressor *c, struct priced *p, const u8 *in, size_t in_nbytes)
{
	u32 sample = MIN(in_nbytes, PRICED_SAMPLE), i;

	memset(p, 0, sizeof(*p));
	for (i = 0; i < sample; i++)
		p->litlen[in[i]]++;
	/* Lengths of 3 to 10 have symbols of their own. */
	for (i = 0; i < PRICED_LENGTHS; i++)
		p->litlen[DEFLATE_FIRST_LEN_SYM + i] = sample >> (i < 8 ? 7 : 9);
	for (i = 0; i < PRICED_OFFSETS; i++)
		p->offsets[i] = 16;
}

/* The items of a finished block count half of all that is known. */
static void
priced_remember(const struct libdeflate_compressor *c, struct priced *p)
{
	u32 i;

	for (i = 0; i < DEFLATE_NUM_LITLEN_SYMS; i++)
		p->litlen[i] = (p->litlen[i] + c->freqs.litlen[i] + 1) >> 1;
	for (i = 0; i < DEFLATE_NUM_OFFSET_SYMS; i++)
		p->offsets[i] = (p->offsets[i] + c->freqs.offset[i] + 1) >> 1;
}

/* What the match saves, in 32nds of a bit; negative where it costs more than its bytes. */
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

/* The place in the data, and what the match finder needs there. */
struct priced_place {
	const u8 *in_next, *in_end, *in_cur_base;
	unsigned max_len, nice_len;
	u32 next_hashes[2];
};

/* Returns the length of the longest match at the place if it is longer than `best_len`, which it returns otherwise. */
static forceinline unsigned
priced_longest(struct libdeflate_compressor *c, struct priced_place *at, unsigned best_len, unsigned depth,
	       unsigned *offset)
{
	adjust_max_and_nice_len(&at->max_len, &at->nice_len, at->in_end - at->in_next);
	return hc_matchfinder_longest_match(&c->p.g.hc_mf, &at->in_cur_base, at->in_next, best_len, at->max_len,
					    at->nice_len, depth, at->next_hashes, offset);
}

/* Begins the match finder, with the bytes in front of the place. */
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

			/* A byte on, there may be a match that saves more. */
			found = 1; /* bytes of the match that the match finder knows */
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

/* A compressor for samples: fast, or by the near-optimal parse in one pass, for samples with much to be found. */
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
