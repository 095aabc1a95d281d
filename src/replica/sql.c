#include "replica/sql.h"

REPLICA_STATEMENTS(STORE_DEFINE)
