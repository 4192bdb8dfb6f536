// A results database for one command that is to keep nothing.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace heddle::cli {

/// Where one may be made; it is gone with its owner.
class SpareDatabase {
 public:
  SpareDatabase()
      : path_((std::filesystem::temp_directory_path() / fmt::format("heddle-spare-{}.db", getpid())).string()) {
    remove();
  }
  ~SpareDatabase() { remove(); }
  SpareDatabase(const SpareDatabase&) = delete;
  SpareDatabase& operator=(const SpareDatabase&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void remove() const {
    std::error_code ignored;
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + end, ignored);
  }

  std::string path_;
};

}  // namespace heddle::cli
