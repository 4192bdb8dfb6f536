// What file system a database is on.
#include <sys/vfs.h>

#include <array>
#include <filesystem>

#include "results/database.h"

namespace heddle::results {

std::string network_name(std::uint64_t magic) {
  // From linux/magic.h, and for those that are not in it from the file systems' own sources.
  struct Kind {
    std::uint64_t magic;
    const char* name;
  };
  static constexpr std::array<Kind, 9> kKinds{{{0x6969, "NFS"},
                                               {0x517b, "SMB"},
                                               {0xff534d42, "CIFS"},
                                               {0xfe534d42, "SMB"},
                                               {0x0bd00bd0, "Lustre"},
                                               {0x47504653, "GPFS"},
                                               {0x19830326, "BeeGFS"},
                                               {0x00c36400, "Ceph"},
                                               {0x5346414f, "AFS"}}};
  for (const Kind& kind : kKinds) {
    if (kind.magic == magic) return kind.name;
  }
  return "";
}

std::string network_file_system(const std::string& path) {
  // The nearest folder that is there: neither the file nor its folder need be.
  std::error_code error;
  std::filesystem::path at = std::filesystem::absolute(path, error);
  while (at.has_relative_path() && !std::filesystem::exists(at, error)) at = at.parent_path();
  struct statfs found {};
  if (statfs(at.c_str(), &found) != 0) return "";
  return network_name(static_cast<std::uint64_t>(found.f_type) & 0xffffffffu);
}

}  // namespace heddle::results
