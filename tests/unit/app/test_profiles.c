#include "app/profiles.h"

#include "app/settings.h"
#include "app/tools.h"
#include "support/test.h"
