/*
 * init - being the first process of a container.
 *
 * The kernel treats process 1 like no other: signals without a handler do not end it, and
 * whatever lost its parent (a helper of git that was stopped half-way) becomes its child
 * and stays a zombie until it is waited for. So process 1 becomes a small init, and the
 * work is done by its only child.
 */
#pragma once

/*
 * Call it before any thread is started. Returns at once, unless this is process 1: then
 * it returns in a child, and process 1 passes its signals on, takes care of orphans and
 * ends as the child does.
 */
void init_if_first(void);
