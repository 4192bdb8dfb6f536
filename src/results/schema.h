// The tables of a results database, and how older ones become those of today.
#pragma once

#include "results/database.h"

namespace heddle::results {

inline constexpr int kSchema = 3;

/// 0: none.
[[nodiscard]] int schema_of(const Database& database);
/// Throws DatabaseError if the file is no results database, or one of a later Heddle.
void require_known_schema(const Database& database);
/// Makes the tables in an empty database, or of an older one what is today's. Throws DatabaseError.
void bring_up_to_date(Database& database);

}  // namespace heddle::results
