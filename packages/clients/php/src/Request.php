<?php

declare(strict_types=1);

namespace Whittle;

/**
 * HTTP request.
 *
 * @internal
 */
final class Request
{
    /**
     * @param list<string> $headers
     * @param string|array<string, mixed>|null $body bytes, or the fields of a form
     * @param (\Closure(string): void)|null $sink receives the body of a successful response in chunks
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        public readonly array $headers = [],
        public readonly string|array|null $body = null,
        public readonly ?\Closure $sink = null,
    ) {
    }
}
