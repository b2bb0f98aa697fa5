<?php

declare(strict_types=1);

namespace Whittle;

/** The service refused a request. */
final class ApiException extends WhittleException
{
    /** The stable word of `error_detail.type`, `unknown` where something else answered in the service's place. */
    public readonly string $type;
    /** @var array<string, mixed> The facts that belong to the word: `limit_bytes`, `allowed`, … */
    public readonly array $detail;
    public readonly ?string $requestId;

    /**
     * @param array<string, mixed> $body
     * @param ?int $retryAfter seconds, from `Retry-After`
     */
    public function __construct(public readonly int $status, array $body, public readonly ?int $retryAfter)
    {
        parent::__construct($body['error']['message'] ?? "the service answered $status", $status);
        $this->detail = $body['error_detail'] ?? [];
        $this->type = $this->detail['type'] ?? 'unknown';
        $this->requestId = $body['error']['request_id'] ?? null;
    }

    /** Whether the same request may be taken later. */
    public function isPassing(): bool
    {
        return in_array($this->status, [429, 502, 503, 504], true) || $this->type === 'idempotency_in_flight';
    }
}
