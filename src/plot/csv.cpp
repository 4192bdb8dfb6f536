#include "plot/csv.h"

namespace heddle::plot {

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i != 0) line += ',';
    if (fields[i].find_first_of(",\"\r\n") == std::string::npos) {
      line += fields[i];
      continue;
    }
    line += '"';
    for (const char c : fields[i]) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

std::vector<std::vector<std::string>> parse_csv(std::string_view text) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> fields(1);
  bool quoted = false;
  const auto end_line = [&] {
    if (fields.size() > 1 || !fields[0].empty()) lines.push_back(fields);
    fields.assign(1, "");
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && text.substr(i + 1).starts_with('"')) {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      fields.back() += c;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      end_line();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  end_line();
  return lines;
}

}  // namespace heddle::plot
