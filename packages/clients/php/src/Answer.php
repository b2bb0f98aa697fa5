<?php

declare(strict_types=1);

namespace Whittle;

/** @internal */
final class Answer
{
    /** @param array<string, string> $headers by names in small letters */
    public function __construct(public readonly int $status, private readonly array $headers, public readonly string $body)
    {
    }

    public function header(string $name): ?string
    {
        return $this->headers[$name] ?? null;
    }

    /** @return array<string, mixed> empty where something in between answered with a page */
    public function json(): array
    {
        $body = json_decode($this->body, true);
        return is_array($body) ? $body : [];
    }
}
