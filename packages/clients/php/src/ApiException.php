<?php

declare(strict_types=1);

namespace Whittle;

/** The service refused a request. */
final class ApiException extends WhittleException
{
    /** Stable code from `error_detail.type`. `unknown`: something other than the service responded, such as a proxy. */
    public readonly string $type;
    /** @var array<string, mixed> Details of the error, for example `limit_bytes` or `allowed`. */
    public readonly array $detail;
    public readonly ?string $requestId;

    /**
     * @param array<string, mixed> $body
     * @param ?int $retryAfter seconds from the `Retry-After` header; null: no such header
     */
    public function __construct(public readonly int $status, array $body, public readonly ?int $retryAfter)
    {
        parent::__construct($body['error']['message'] ?? "the service responded with HTTP $status", $status);
        $this->detail = $body['error_detail'] ?? [];
        $this->type = $this->detail['type'] ?? 'unknown';
        $this->requestId = $body['error']['request_id'] ?? null;
    }

    /** @deprecated use isRetryable(); removed in the next version */
    public function isPassing(): bool
    {
        return $this->isRetryable();
    }

    /** True if the same request may succeed later. */
    public function isRetryable(): bool
    {
        return in_array($this->status, [429, 502, 503, 504], true) || $this->type === 'idempotency_in_flight';
    }
}
