<?php

declare(strict_types=1);

namespace Whittle;

/** Signature check of callbacks (Standard Webhooks 1.0.0). */
final class Webhook
{
    /** Most seconds between the time stamp and now. */
    private const TOLERANCE_SECONDS = 300;

    /**
     * Verifies that a callback comes from the service.
     *
     *     $event = Webhook::verify($secret, getallheaders(), file_get_contents('php://input'));
     *
     * @param string $secret the account's `whsec_…`
     * @param array<string, string> $headers of the request (`getallheaders()`)
     * @param string $body the unchanged bytes of the request (`file_get_contents('php://input')`)
     * @return array{type: string, timestamp: string, data: array<string, mixed>}
     * @throws SignatureException
     */
    public static function verify(string $secret, array $headers, string $body): array
    {
        $headers = array_change_key_case($headers);
        [$id, $timestamp] = [$headers['webhook-id'] ?? '', $headers['webhook-timestamp'] ?? ''];
        if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > self::TOLERANCE_SECONDS) {
            throw new SignatureException('the callback has no webhook-timestamp within 5 minutes of now');
        }
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false) {
            throw new SignatureException('the secret is invalid: expected whsec_ followed by base64');
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
            if (hash_equals($expected, $given)) {
                return json_decode($body, true, 64, JSON_THROW_ON_ERROR);
            }
        }
        throw new SignatureException('the callback has no valid webhook-signature for this secret');
    }
}
