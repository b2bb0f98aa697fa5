<?php

declare(strict_types=1);

namespace Whittle;

/** A callback has no valid signature for the secret, or its time stamp is more than 5 minutes from now. */
final class SignatureException extends WhittleException
{
}
