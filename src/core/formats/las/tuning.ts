/**
 * Tuning constants of the LAS codec. Constants of LASzip's format are beside the models and readers.
 * Sources: "Set by experiment": measured on the project's fixtures. "Safety limit": a bound on memory or time that no fixture comes near.
 */

// Limits of the LAS file

/** Most extra bytes per point. Each costs 1 KiB of models, per scanner channel in layered formats. Safety limit. */
export const MAX_EXTRA_BYTES = 1024
/** Most bytes before the points; they are in memory. Safety limit. */
export const MAX_HEAD_BYTES = 4 << 20

// Constants for LAZ chunks

/** Points per chunk, LASzip's default. Twice as many would save only 0.9 %. Set by experiment. */
export const POINTS_PER_CHUNK = 50_000
/** Most bytes of a chunk's records. Points with many extra bytes get smaller chunks. Safety limit. */
export const MAX_CHUNK_RECORD_BYTES = 8 << 20
/** Most bytes of an encoded chunk that verification reads. Safety limit. */
export const MAX_CHUNK_BYTES = 64 << 20
/** Bytes that are copied or compared at a time. Set by experiment. */
export const COPY_BYTES = 1 << 20
