<?php

declare(strict_types=1);

namespace Whittle;

/** An object in a bucket of the account. */
final class BucketObject
{
    /** @param string $connection name of the connection */
    public function __construct(public readonly string $connection, public readonly string $key)
    {
    }
}
