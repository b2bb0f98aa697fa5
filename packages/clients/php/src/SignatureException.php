<?php

declare(strict_types=1);

namespace Whittle;

/** A callback that was not signed with this secret, or not now. */
final class SignatureException extends WhittleException
{
}
