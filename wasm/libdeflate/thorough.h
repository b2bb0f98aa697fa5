/* Deflate for small data that is stored for long: like libdeflate's near-optimal compressor, but slower and smaller.
 * Included at the end of libdeflate's deflate_compress.c, whose match finder, Huffman codes and block writer it uses.
 *
 * 1. All matches of a stretch of data are found once (thorough-path.h). A greedy parse of it is split into blocks
 *    (thorough-cut.h).
 * 2. Each block is parsed repeatedly with costs from the entropy of its previous parse; the smallest parse is kept.
 * 3. The resulting items are split into blocks anew and parsed again; the smaller result is kept.
 * 4. The last block stays open: if the next stretch is similar, it is appended to the block.
 * 5. Frequencies are smoothed if a shorter header pays for it, and the header is written in the best of eight ways
 *    (thorough-codes.h). */

#define THOROUGH_COST_SHIFT 7 /* costs are in 1/128 bit: 300,000 bytes of 21 bits stay below 2^31 */
#define THOROUGH_STRETCH SOFT_MAX_BLOCK_LENGTH
#define THOROUGH_SEGMENT 64   /* items in each of the initial blocks */
#define THOROUGH_SEGMENTS 512 /* largest number of initial blocks */
#define THOROUGH_BLOCKS 640
#define THOROUGH_NEAR 512 /* entries of a ring buffer: power of two above the longest match */
#define THOROUGH_SPANS 7  /* number of spans: minima over 1, 2, 4 … 64 positions */
#define THOROUGH_SMALL 65536 /* stretches up to this many bytes get more search effort */
#define THOROUGH_GAIN 3000   /* passes and cuts end when they save less than 1/THOROUGH_GAIN of the bits */

struct thorough {
	u32 cache_end[THOROUGH_STRETCH + 1]; /* end of the matches of each byte in the match cache */
	/* Items have the format of libdeflate's optimum_nodes. */
	u32 path[THOROUGH_STRETCH];
	u32 greedy[THOROUGH_STRETCH];
	/* items not written yet: the open block, then the best blocks of this stretch */
	u32 open[2 * THOROUGH_STRETCH];
	u32 open_ends[THOROUGH_BLOCKS + 1];
	u32 near[THOROUGH_SPANS][THOROUGH_NEAR];
	u32 log2_table[4097];
	struct deflate_freqs sums[THOROUGH_BLOCKS + 1]; /* symbol counts before each block, used while merging blocks */
};

#include "thorough-codes.h"
#include "thorough-path.h"
#include "thorough-cut.h"

static u32
thorough_bytes(const u32 *items, u32 count)
{
	u32 bytes = 0;

	while (count--)
		bytes += *items++ & OPTIMUM_LEN_MASK;
	return bytes;
}

/* Blocks of a stretch of data. */
struct thorough_blocks {
	u32 *items;
	u32 *ends;
	u32 count;
	u32 bits;
};

/* Sets initial costs from the byte values only: literals by frequency, few matches. */
static void
thorough_default_costs(struct libdeflate_compressor *c, const u8 *in, u32 length)
{
	u32 literal_cost, length_cost;

	memset(c->p.n.match_len_freqs, 0, sizeof(c->p.n.match_len_freqs));
	deflate_choose_default_litlen_costs(c, in, length, &literal_cost, &length_cost);
	deflate_set_default_costs(c, literal_cost, length_cost);
}

/* Splits the items into blocks, parses these, and keeps the result if it is smaller than the best so far. Returns
 * whether the gain justifies another try. With `in`, the items are those of a greedy parse, which uses all matches. If
 * matches are short and as expensive as literals (for example digits), no pass avoids them. Therefore each block is
 * then also parsed from default costs. */
static bool
thorough_try(struct libdeflate_compressor *c, struct thorough *t, const u8 *in, const u32 *items, u32 num_items,
	     bool joined, unsigned passes, struct thorough_blocks *best)
{
	u32 ends[THOROUGH_BLOCKS], begin = 0, from = 0, listed = 0, bits = 0, i;
	u32 count = thorough_cut(c, t, items, num_items, joined, ends);
	bool more;

	for (i = 0; i < count; i++) {
		u32 bytes = thorough_bytes(items + from, ends[i] - from), found, block_bits;
		struct deflate_costs block_costs;

		thorough_tally(c, items + from, ends[i] - from);
		thorough_costs(t, &c->p.n.costs, &c->freqs);
		block_bits = thorough_block(c, t, begin, begin + bytes, passes, &block_costs, &found);
		if (in) {
			struct deflate_costs default_costs;
			u32 default_bits, default_found;

			thorough_default_costs(c, in + begin, bytes);
			default_bits = thorough_block(c, t, begin, begin + bytes, passes, &default_costs, &default_found);
			found = 0; /* discard the first parse if the second one is smaller */
			if (default_bits < block_bits) {
				found = default_found;
				block_bits = default_bits;
				block_costs = default_costs;
			}
		}
		if (!found) {
			c->p.n.costs = block_costs;
			found = thorough_path(c, t, begin, begin + bytes);
		}
		memmove(&t->path[listed], &t->path[begin], found * sizeof(t->path[0]));
		bits += block_bits;
		begin += bytes;
		from = ends[i];
		ends[i] = listed += found;
	}
	if (bits >= best->bits)
		return false;
	more = best->bits - bits >= best->bits / THOROUGH_GAIN;
	memcpy(best->items, t->path, listed * sizeof(t->path[0]));
	memcpy(best->ends, ends, count * sizeof(ends[0]));
	best->count = count;
	best->bits = bits;
	return more;
}

/* Appends the following blocks to the open one while that reduces the size. Returns the number of blocks. */
static u32
thorough_go_on(struct libdeflate_compressor *c, struct thorough *t, u32 count)
{
	u32 had = t->open_ends[0], begin = 0;

	while (count > 1) {
		u32 end = t->open_ends[1], bytes = thorough_bytes(t->open + had, end - had), apart, together, again, found, i;

		thorough_tally(c, t->open, had);
		apart = thorough_make_codes(c, true);
		thorough_tally(c, t->open + had, end - had);
		apart += thorough_make_codes(c, true);
		thorough_tally(c, t->open, end);
		together = thorough_make_codes(c, true);

		/* Parse the same bytes with the costs of both blocks. */
		thorough_costs(t, &c->p.n.costs, &c->freqs);
		found = thorough_path(c, t, begin, begin + bytes);
		thorough_tally(c, t->open, had);
		thorough_add(c, &t->path[begin], found);
		again = thorough_make_codes(c, true);
		if (MIN(together, again) > apart)
			break;
		if (again < together) {
			u32 num_items = t->open_ends[count - 1];

			memmove(t->open + had + found, t->open + end, (num_items - end) * sizeof(t->open[0]));
			memcpy(t->open + had, &t->path[begin], found * sizeof(t->open[0]));
			for (i = 1; i < count; i++)
				t->open_ends[i] += had + found - end;
		}
		memmove(t->open_ends, t->open_ends + 1, --count * sizeof(t->open_ends[0]));
		had = t->open_ends[0];
		begin += bytes;
	}
	return count;
}

/* State of a stream. It can be paused after each stretch. */
struct thorough_stream {
	struct libdeflate_compressor *c;
	struct thorough *t;
	struct thorough_finder f;
	struct deflate_output_bitstream os;
	u8 *out;
	const u8 *written;
	u32 num_open; /* number of items in the open block */
};

/* Starts a stream with a compressor of level 10 to 12. Returns NULL if the output has no space, memory is short, or the
 * input is empty. */
struct thorough_stream *
libdeflate_thorough_begin(struct libdeflate_compressor *c, const void *in, size_t in_nbytes, void *out,
			  size_t out_nbytes_avail)
{
	struct thorough_stream *s;

	if (c->compression_level < 10 || in_nbytes == 0 || out_nbytes_avail <= OUTPUT_END_PADDING)
		return NULL;
	s = libdeflate_malloc(sizeof(*s));
	if (!s)
		return NULL;
	s->t = libdeflate_malloc(sizeof(*s->t));
	if (!s->t) {
		libdeflate_free(s);
		return NULL;
	}
	thorough_init(s->t);
	s->c = c;
	s->f = (struct thorough_finder){in, (const u8 *)in + in_nbytes, in,
					(const u8 *)in + MIN(in_nbytes, MATCHFINDER_WINDOW_SIZE), {0, 0}};
	s->os.bitbuf = 0;
	s->os.bitcount = 0;
	s->os.next = s->out = out;
	s->os.end = s->os.next + out_nbytes_avail - OUTPUT_END_PADDING;
	s->written = in;
	s->num_open = 0;
	bt_matchfinder_init(&c->p.n.bt_mf);
	return s;
}

/* Compresses the next stretch. Returns true if another one follows and the output has space for it. */
bool
libdeflate_thorough_stretch(struct thorough_stream *s)
{
	struct libdeflate_compressor *c = s->c;
	struct thorough *t = s->t;
	const u8 *start = s->f.in_next;
	u32 length = thorough_matches(c, t, &s->f);
	bool small = length <= THOROUGH_SMALL, final = s->f.in_next == s->f.in_end;
	u32 num_open = s->num_open, open_blocks = num_open > 0, num_greedy, count, from, i;
	struct thorough_blocks best = {t->open + num_open, t->open_ends + open_blocks, 0, UINT32_MAX};
	unsigned tries = small ? 3 : 1;

	num_greedy = thorough_greedy(c, t, length, t->greedy);
	thorough_try(c, t, start, t->greedy, num_greedy, false, 2, &best);
	if (small)
		thorough_try(c, t, start, t->greedy, num_greedy, true, 2, &best);
	while (tries-- && thorough_try(c, t, NULL, best.items, best.ends[best.count - 1], true, small ? 6 : 4, &best))
		;

	for (i = 0; i < best.count; i++)
		best.ends[i] += num_open;
	count = open_blocks + best.count;
	if (open_blocks) {
		t->open_ends[0] = num_open;
		count = thorough_go_on(c, t, count);
	}

	/* Write all blocks except the last. */
	for (from = i = 0; i < count; i++) {
		u32 num_items = t->open_ends[i] - from, bytes;

		if (i + 1 == count && !final && num_items <= THOROUGH_STRETCH)
			break;
		bytes = thorough_bytes(t->open + from, num_items);
		thorough_tally(c, t->open + from, num_items);
		thorough_make_codes(c, true);
		c->items = t->open + from;
		deflate_flush_block(c, &s->os, s->written, bytes, NULL, final && i + 1 == count);
		c->items = NULL;
		precode_ways = 0;
		s->written += bytes;
		from = t->open_ends[i];
	}
	s->num_open = t->open_ends[count - 1] - from;
	memmove(t->open, t->open + from, s->num_open * sizeof(t->open[0]));
	return s->written < s->f.in_end && s->os.next < s->os.end;
}

/* Ends and frees the stream. Returns the bytes written; 0: the output did not fit. */
size_t
libdeflate_thorough_end(struct thorough_stream *s)
{
	size_t bytes = 0;

	if (s->os.next < s->os.end) {
		if (s->os.bitcount)
			*s->os.next++ = s->os.bitbuf;
		bytes = s->os.next - s->out;
	}
	libdeflate_free(s->t);
	libdeflate_free(s);
	return bytes;
}
