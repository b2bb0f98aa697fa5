<?php

declare(strict_types=1);

namespace Whittle;

/** Callbacks: whether they come from the service (Standard Webhooks 1.0.0). */
final class Webhook
{
    /** How far the sender's clock may be away. */
    private const TOLERANCE_SECONDS = 300;

    /**
     * @param string $secret the account's `whsec_…`
     * @param array<string, string> $headers of the request (`getallheaders()`)
     * @param string $body what came, byte by byte (`file_get_contents('php://input')`)
     * @return array{type: string, timestamp: string, data: array<string, mixed>}
     * @throws SignatureException
     */
    public static function verify(string $secret, array $headers, string $body): array
    {
        $headers = array_change_key_case($headers);
        [$id, $stamp] = [$headers['webhook-id'] ?? '', $headers['webhook-timestamp'] ?? ''];
        if (!ctype_digit($stamp) || abs(time() - (int) $stamp) > self::TOLERANCE_SECONDS) {
            throw new SignatureException('the callback has no time, or not one of these five minutes');
        }
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false) {
            throw new SignatureException('the secret is none: it is whsec_ and base64');
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$stamp.$body", $key, true));
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
            if (hash_equals($expected, $given)) {
                return json_decode($body, true, 64, JSON_THROW_ON_ERROR);
            }
        }
        throw new SignatureException('the callback has no signature by this secret');
    }
}
