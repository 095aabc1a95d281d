/*
 * file_parts - what the bodies of file.h, folder.h and pipe.h share.
 */
#pragma once

#include "base/os/file.h"
#include "base/os/windows/fd.h"
#include "base/os/windows/nt.h"

/* A descriptor for what is open; takes the handle. */
int file_keep(const struct nt_file *f);

/* Open, and with FILE_NO_LINK refuse a link (ELOOP). */
int file_open_as(int dir, const char *path, const struct nt_how *how, enum file_end end);

/* What the system says about an open file. */
MUST_CHECK bool file_stat_of(const struct nt_file *f, struct file_stat *out);

/* The type of a file with these attributes. */
enum file_type file_type_of(DWORD attributes, DWORD tag);

/* Whether its content is elsewhere, and would be fetched to be read. */
bool file_is_placeholder(DWORD attributes);

/* Remove a folder, or a file or link: ENOTDIR or EISDIR if it is the other. */
MUST_CHECK bool file_remove_as(int dir, const char *path, bool folder);

/* Write some of it with one call that may wait. */
MUST_CHECK bool file_put_some(struct fd *f, str bytes, size_t *put);

/* file_read() of a pipe or a console. */
MUST_CHECK bool pipe_read(struct fd *f, void *out, size_t size, size_t *got);

/* 100 nanoseconds since 1601, as nanoseconds since 1970, and back. */
int64_t file_ns_of(int64_t time);
int64_t file_time_of(int64_t ns);
