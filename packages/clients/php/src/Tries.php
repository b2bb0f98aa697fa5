<?php

declare(strict_types=1);

namespace Whittle;

/**
 * How often one thing was tried in vain.
 *
 * @internal
 */
final class Tries
{
    public float $silentSince;
    public int $refusals = 0;

    public function __construct()
    {
        $this->renew();
    }

    /** It goes on. */
    public function renew(): void
    {
        $this->silentSince = microtime(true);
        $this->refusals = 0;
    }
}
