#!/bin/sh
# Miniflare starts workerd by its path alone (MINIFLARE_WORKERD_PATH). This script starts it so that the kernel
# kills workerd when its parent dies: see parent-death-signal.ts.
exec $WHITTLE_PARENT_DEATH_SIGNAL "$WHITTLE_WORKERD" "$@"
