/**
 * Tuning constants of the LAS codec. Constants of LASzip's format are beside the models and readers.
 * Sources: "Experiment": set by experiment on the project's fixtures. "Limit": a bound on memory or time that no fixture comes near.
 */

// Limits of the source

/** Most extra bytes per point. Each costs 1 KiB of models, per scanner channel in layered formats. Limit. */
export const MAX_EXTRA_BYTES = 1024
/** Most bytes before the points; they are in memory. Limit. */
export const MAX_HEAD_BYTES = 4 << 20

// Chunks

/** Points per chunk, LASzip's default. Twice as many would save only 0.9 %. Experiment. */
export const POINTS_PER_CHUNK = 50_000
/** Most bytes of a chunk's records. Points with many extra bytes get smaller chunks. Limit. */
export const MAX_CHUNK_RECORD_BYTES = 8 << 20
/** Most bytes of an encoded chunk that verification reads. Limit. */
export const MAX_CHUNK_BYTES = 64 << 20
/** Bytes that are copied or compared at a time. Experiment. */
export const COPY_BYTES = 1 << 20
