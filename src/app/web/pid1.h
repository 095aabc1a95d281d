/*
 * pid1 - run as the first process of a container.
 *
 * The kernel treats process 1 specially: signals without a handler do not end it, and
 * orphaned processes (such as a helper of a git command that was stopped) become its
 * children and stay zombies until it waits for them. So process 1 becomes a small init,
 * and its only child does the work.
 */
#pragma once

/*
 * Call it before any thread is started. Returns immediately, unless this is process 1:
 * then it returns in a child, and process 1 forwards its signals, waits for orphans and
 * ends as the child does.
 */
void init_if_first(void);
