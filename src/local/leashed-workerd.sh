#!/bin/sh
# Miniflare starts workerd by its path alone (MINIFLARE_WORKERD_PATH): this one has the kernel end it with its parent, see leashed.ts.
exec $WHITTLE_LEASH "$WHITTLE_WORKERD" "$@"
