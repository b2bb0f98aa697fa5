<?php

declare(strict_types=1);

namespace Whittle;

/** The service did not respond within the retry timeout. */
final class UnreachableException extends WhittleException
{
}
