// After the OpenType specification 1.9: tables head, hhea, hmtx, maxp, loca, glyf, cmap (formats 4 and 12), name, OS/2.
#include "plot/truetype.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/diagnostics.h"

namespace heddle::plot {
namespace {

constexpr std::size_t kDirectoryEntry = 16;
constexpr std::size_t kOutlineHeader = 10;
constexpr std::size_t kHeadSize = 54;
constexpr std::size_t kHheaSize = 36;

void put16(std::string& out, unsigned value) {
  out += static_cast<char>((value >> 8u) & 0xffu);
  out += static_cast<char>(value & 0xffu);
}
void put32(std::string& out, std::uint32_t value) {
  put16(out, value >> 16u);
  put16(out, value & 0xffffu);
}
void set16(std::string& out, std::size_t at, unsigned value) {
  out[at] = static_cast<char>((value >> 8u) & 0xffu);
  out[at + 1] = static_cast<char>(value & 0xffu);
}
unsigned get16(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned>(static_cast<unsigned char>(bytes[at])) << 8u | static_cast<unsigned char>(bytes[at + 1]);
}

std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    sum += static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (24u - 8u * (i % 4));
  return sum;
}

/// The parts of a glyph that is made of others: where each is named. Ends before what is no part.
struct Parts {
  std::vector<std::size_t> places;  ///< of the numbers of glyphs
  std::size_t end = 0;              ///< of the last part
};
Parts parts_of(std::string_view outline) {
  constexpr unsigned kWords = 0x0001;
  constexpr unsigned kScale = 0x0008;
  constexpr unsigned kMore = 0x0020;
  constexpr unsigned kTwoScales = 0x0040;
  constexpr unsigned kMatrix = 0x0080;
  Parts parts;
  std::size_t at = kOutlineHeader;
  for (bool more = true; more && at + 4 <= outline.size();) {
    const unsigned flags = get16(outline, at);
    parts.places.push_back(at + 2);
    at += 4 + ((flags & kWords) != 0 ? 4 : 2);
    at += (flags & kScale) != 0 ? 2 : (flags & kTwoScales) != 0 ? 4 : (flags & kMatrix) != 0 ? 8 : 0;
    more = (flags & kMore) != 0;
  }
  parts.end = std::min(at, outline.size());
  return parts;
}

bool is_composite(std::string_view outline) { return outline.size() >= kOutlineHeader && get16(outline, 0) >= 0x8000u; }

/// The outline without its hints, which a printer has no use for.
std::string without_hints(std::string_view outline) {
  if (outline.size() < kOutlineHeader) return "";
  std::string made(outline);
  if (is_composite(outline)) {
    constexpr unsigned kInstructions = 0x0100;
    const Parts parts = parts_of(outline);
    for (const std::size_t place : parts.places) set16(made, place - 2, get16(made, place - 2) & ~kInstructions);
    made.resize(parts.end);
    return made;
  }
  const std::size_t length_at = kOutlineHeader + std::size_t{2} * get16(outline, 0);
  if (length_at + 2 > outline.size()) return "";
  const std::size_t length = get16(outline, length_at);
  if (length_at + 2 + length > outline.size()) return "";
  set16(made, length_at, 0);
  made.erase(length_at + 2, length);
  return made;
}

/// A font file of these tables, which are in alphabetical order.
std::string font_file(const std::map<std::string, std::string>& tables) {
  std::string file;
  const auto count = static_cast<unsigned>(tables.size());
  unsigned power = 0;
  while ((2u << power) <= count) ++power;
  put32(file, 0x00010000);
  put16(file, count);
  put16(file, 16u << power);
  put16(file, power);
  put16(file, 16 * count - (16u << power));
  std::size_t place = file.size() + kDirectoryEntry * tables.size();
  const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  for (const auto& [tag, bytes] : tables) {
    file += tag;
    put32(file, checksum(bytes));
    put32(file, static_cast<std::uint32_t>(place));
    put32(file, static_cast<std::uint32_t>(bytes.size()));
    place += padded(bytes.size());
  }
  std::size_t head = 0;
  for (const auto& [tag, bytes] : tables) {
    if (tag == "head") head = file.size();
    file += bytes;
    file.resize(padded(file.size()));
  }
  std::string adjustment;
  put32(adjustment, 0xb1b0afbau - checksum(file));
  return file.replace(head + 8, 4, adjustment);
}

}  // namespace

std::uint16_t TrueTypeFont::u16(std::size_t at) const {
  if (at + 2 > bytes_.size()) refuse("it is cut short");
  return static_cast<std::uint16_t>(get16(bytes_, at));
}

std::uint32_t TrueTypeFont::u32(std::size_t at) const {
  return static_cast<std::uint32_t>(u16(at)) << 16u | u16(at + 2);
}

void TrueTypeFont::refuse(const std::string& why) const {
  throw UserError(fmt::format("{}: this font cannot be embedded: {}", file_, why));
}

const TrueTypeFont::Table& TrueTypeFont::table(const char* tag) const {
  const auto found = tables_.find(tag);
  if (found == tables_.end()) refuse(fmt::format("it has no table '{}'", tag));
  return found->second;
}

TrueTypeFont::TrueTypeFont(std::string bytes, const std::string& name)
    : bytes_(std::move(bytes)), file_(name), name_("Font") {
  if (bytes_.size() < 12 || (u32(0) != 0x00010000 && bytes_.substr(0, 4) != "true")) refuse("it is no TrueType font");
  for (unsigned i = 0; i < u16(4); ++i) {
    const std::size_t entry = 12 + kDirectoryEntry * i;
    const Table found{u32(entry + 8), u32(entry + 12)};
    if (found.begin > bytes_.size() || found.size > bytes_.size() - found.begin) refuse("it is cut short");
    tables_[bytes_.substr(entry, 4)] = found;
  }
  const std::size_t head = table("head").begin;
  const std::size_t hhea = table("hhea").begin;
  if (table("head").size < kHeadSize || table("hhea").size < kHheaSize) refuse("it is cut short");
  units_ = u16(head + 18);
  if (units_ == 0) refuse("its grid has no size");
  long_places_ = i16(head + 50) != 0;
  widths_ = u16(hhea + 34);
  glyphs_ = u16(table("maxp").begin + 4);
  if (widths_ == 0 || glyphs_ == 0 || table("hmtx").size < std::size_t{4} * widths_) refuse("it has no widths");
  if (table("loca").size < (long_places_ ? 4u : 2u) * (glyphs_ + 1)) refuse("it is cut short");
  static_cast<void>(table("glyf"));
  if (const auto rights = tables_.find("OS/2"); rights != tables_.end()) {
    constexpr unsigned kNever = 2;
    if ((u16(rights->second.begin + 8) & 0xfu) == kNever) refuse("its maker does not allow it");
  }
  read_characters();
  read_name();
}

void TrueTypeFont::read_characters() {
  const std::size_t begin = table("cmap").begin;
  for (unsigned i = 0; i < u16(begin + 2); ++i) {
    const std::size_t entry = begin + 4 + std::size_t{8} * i;
    const unsigned platform = u16(entry);
    const unsigned encoding = u16(entry + 2);
    if (platform != 0 && !(platform == 3 && (encoding == 1 || encoding == 10))) continue;  // not Unicode
    const std::size_t map = begin + u32(entry + 4);
    if (u16(map) == 4) read_segments(map);
    if (u16(map) == 12) read_groups(map);
  }
  if (characters_.empty()) refuse("it does not say which glyph is which character");
}

void TrueTypeFont::read_segments(std::size_t begin) {
  const std::size_t twice = u16(begin + 6);
  const std::size_t ends = begin + 14;
  const std::size_t starts = ends + twice + 2;
  for (std::size_t s = 0; s < twice; s += 2) {
    const unsigned last = u16(ends + s);
    const unsigned delta = u16(starts + twice + s);
    const std::size_t range_at = starts + 2 * twice + s;
    const unsigned range = u16(range_at);
    for (unsigned c = u16(starts + s); c <= last && c != 0xffff; ++c) {
      unsigned glyph = range == 0 ? c : u16(range_at + range + std::size_t{2} * (c - u16(starts + s)));
      if (range == 0 || glyph != 0) glyph = (glyph + delta) & 0xffffu;
      if (glyph != 0 && glyph < glyphs_) characters_.emplace(c, static_cast<Glyph>(glyph));
    }
  }
}

void TrueTypeFont::read_groups(std::size_t begin) {
  for (std::uint32_t g = 0; g < u32(begin + 12); ++g) {
    const std::size_t entry = begin + 16 + std::size_t{12} * g;
    const std::uint32_t first = u32(entry);
    for (std::uint32_t c = first; c <= u32(entry + 4); ++c) {
      const std::uint32_t glyph = u32(entry + 8) + (c - first);
      if (glyph >= glyphs_) break;
      if (glyph != 0) characters_.emplace(c, static_cast<Glyph>(glyph));
    }
  }
}

void TrueTypeFont::read_name() {
  constexpr unsigned kPostScript = 6;
  const auto found = tables_.find("name");
  if (found == tables_.end()) return;
  const std::size_t begin = found->second.begin;
  for (unsigned i = 0; i < u16(begin + 2); ++i) {
    const std::size_t entry = begin + 6 + std::size_t{12} * i;
    if (u16(entry + 6) != kPostScript) continue;
    std::string name;
    const std::size_t text = begin + u16(begin + 4) + u16(entry + 10);
    for (std::size_t k = 0; k < u16(entry + 8) && text + k < bytes_.size(); ++k) {
      const char c = bytes_[text + k];  // of two bytes for a character, the first is 0
      if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-') name += c;
    }
    if (!name.empty()) name_ = name;
  }
}

TrueTypeFont::Glyph TrueTypeFont::glyph(char32_t character) const {
  const auto found = characters_.find(character);
  return found == characters_.end() ? Glyph{0} : found->second;
}

double TrueTypeFont::advance(Glyph glyph) const {
  const unsigned index = std::min<unsigned>(glyph, widths_ - 1);
  return thousandths(u16(table("hmtx").begin + std::size_t{4} * index));
}

TrueTypeFont::Measures TrueTypeFont::measures() const {
  const std::size_t head = table("head").begin;
  const std::size_t hhea = table("hhea").begin;
  return {thousandths(i16(head + 36)), thousandths(i16(head + 38)), thousandths(i16(head + 40)),
          thousandths(i16(head + 42)), thousandths(i16(hhea + 4)),  thousandths(i16(hhea + 6))};
}

std::string_view TrueTypeFont::outline(Glyph glyph) const {
  const std::size_t places = table("loca").begin;
  const auto place = [&](std::size_t g) {
    return long_places_ ? std::size_t{u32(places + 4 * g)} : std::size_t{2} * u16(places + 2 * g);
  };
  const std::size_t begin = place(glyph);
  const std::size_t end = place(std::size_t{glyph} + 1);
  if (begin > end || end > table("glyf").size) refuse("its glyphs overlap");
  return std::string_view(bytes_).substr(table("glyf").begin + begin, end - begin);
}

std::string TrueTypeFont::subset(const std::set<Glyph>& glyphs) const {
  std::set<Glyph> wanted;
  std::vector<Glyph> next(glyphs.begin(), glyphs.end());
  next.push_back(0);  // every font has it
  while (!next.empty()) {
    const Glyph one = next.back();
    next.pop_back();
    if (one >= glyphs_ || !wanted.insert(one).second) continue;
    const std::string_view shape = outline(one);
    if (!is_composite(shape)) continue;
    for (const std::size_t place : parts_of(shape).places) next.push_back(static_cast<Glyph>(get16(shape, place)));
  }
  const unsigned count = *wanted.rbegin() + 1u;  // numbers stay, so those below are there, without a shape
  std::map<std::string, std::string> tables;
  std::string& shapes = tables["glyf"];
  std::string& places = tables["loca"];
  std::string& widths = tables["hmtx"];
  for (unsigned g = 0; g < count; ++g) {
    const bool used = wanted.contains(static_cast<Glyph>(g));
    put32(places, static_cast<std::uint32_t>(shapes.size()));
    if (used) shapes += without_hints(outline(static_cast<Glyph>(g)));
    shapes.resize((shapes.size() + 3) / 4 * 4);
    put16(widths, u16(table("hmtx").begin + std::size_t{4} * std::min(g, widths_ - 1)));
    const std::string_view shape = used ? outline(static_cast<Glyph>(g)) : std::string_view();
    put16(widths, shape.size() < 4 ? 0 : get16(shape, 2));  // where the shape begins
  }
  put32(places, static_cast<std::uint32_t>(shapes.size()));
  const auto copy = [&](const char* tag) { return bytes_.substr(table(tag).begin, table(tag).size); };
  tables["head"] = copy("head").replace(8, 4, std::string(4, '\0'));
  set16(tables["head"], 50, 1);
  tables["hhea"] = copy("hhea");
  set16(tables["hhea"], 34, count);
  tables["maxp"] = copy("maxp");
  set16(tables["maxp"], 4, count);
  return font_file(tables);
}

}  // namespace heddle::plot
