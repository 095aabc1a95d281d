/*
 * init - the duties of a container's first process.
 *
 * The kernel hands every orphan to process 1, which must wait for it, or it stays as a
 * zombie; and signals that process 1 does not handle do nothing.
 */
#pragma once

/*
 * As process 1, go on as its child: the first process then passes signals on, waits for
 * orphans, and ends as the child does. Else nothing. Before there are threads.
 */
void init_if_first(void);
