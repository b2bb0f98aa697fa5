<?php

declare(strict_types=1);

namespace Whittle;

/**
 * Failed attempts of one operation.
 *
 * @internal
 */
final class RetryState
{
    /** Time in seconds since 1970. */
    public float $lastProgress;
    public int $refusals = 0;

    public function __construct()
    {
        $this->reset();
    }

    /** Resets the state after progress. */
    public function reset(): void
    {
        $this->lastProgress = microtime(true);
        $this->refusals = 0;
    }
}
