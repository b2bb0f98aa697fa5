<?php

declare(strict_types=1);

namespace Whittle;

/**
 * HTTP response.
 *
 * @internal
 */
final class Response
{
    /** @param array<string, string> $headers by lower-case name */
    public function __construct(public readonly int $status, private readonly array $headers, public readonly string $body)
    {
    }

    public function header(string $name): ?string
    {
        return $this->headers[$name] ?? null;
    }

    /** @return array<string, mixed> empty if the body is no JSON object, for example a proxy's HTML page */
    public function json(): array
    {
        $body = json_decode($this->body, true);
        return is_array($body) ? $body : [];
    }
}
