<?php

declare(strict_types=1);

namespace Whittle;

/** Signed addresses of pictures on the fly. */
final class Image
{
    /**
     * Returns the signed address of a small picture.
     *
     *     $src = Image::url('https://whittle.example.com', $key, $secret, 'photos/2026/harbour.jpg', 'w_640,f_auto');
     *
     * @param string $key the account's `img_…`, from `PUT /v1/image-origins/{name}`
     * @param string $secret the account's `ims_…`. It must stay on your server
     * @param string $source name of the origin and path below it, not encoded
     * @param string $options options of the picture, separated by commas
     */
    public static function url(string $baseUrl, string $key, string $secret, string $source, string $options = 'f_auto'): string
    {
        $digest = hash_hmac('sha256', "$options/$key/$source", $secret, true);
        $signature = rtrim(strtr(base64_encode($digest), '+/', '-_'), '=');
        $path = implode('/', array_map(rawurlencode(...), explode('/', $source)));
        return rtrim($baseUrl, '/') . "/img/$signature/$options/$key/$path";
    }
}
