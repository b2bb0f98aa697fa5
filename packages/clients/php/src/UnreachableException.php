<?php

declare(strict_types=1);

namespace Whittle;

/** Nobody answered, for as long as it was worth trying. */
final class UnreachableException extends WhittleException
{
}
