#include "workloads/mummergpu/suffix_tree.h"

#include <limits>

namespace heddle::workloads::mummergpu {

namespace {

constexpr std::uint32_t kOpen = std::numeric_limits<std::uint32_t>::max();  // an edge that grows with the text
constexpr std::uint8_t kEnd = 4;

class Builder {
 public:
  explicit Builder(const std::vector<std::uint8_t>& text) : text_(text) {
    text_.push_back(kEnd);
    add_node(0, 0);
  }

  SuffixTree build() {
    for (position_ = 0; position_ < text_.size(); ++position_) extend();
    finish();
    return std::move(tree_);
  }

 private:
  std::uint32_t add_node(std::uint32_t start, std::uint32_t length) {
    tree_.nodes.push_back({start, length, 0, 0});
    tree_.children.push_back({});
    tree_.ups.push_back({});
    return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
  }

  std::uint32_t& child(std::uint32_t node, std::uint8_t symbol) {
    return symbol == kEnd ? tree_.ups[node].end_child : tree_.children[node].base[symbol];
  }

  [[nodiscard]] std::uint32_t edge_length(std::uint32_t node) const {
    const SuffixNode& n = tree_.nodes[node];
    return n.length == kOpen ? position_ + 1 - n.start : n.length;
  }

  void link_to(std::uint32_t node) {
    if (needs_link_ != 0) tree_.nodes[needs_link_].link = node;
    needs_link_ = node;
  }

  /// Adds the suffixes that the symbol at position_ makes explicit.
  void extend() {
    needs_link_ = 0;
    ++remaining_;
    while (remaining_ > 0) {
      if (active_length_ == 0) active_edge_ = position_;
      const std::uint32_t next = child(active_node_, text_[active_edge_]);
      if (next == 0) {
        const std::uint32_t leaf = add_node(position_, kOpen);
        child(active_node_, text_[active_edge_]) = leaf;
        link_to(active_node_);
      } else {
        if (active_length_ >= edge_length(next)) {
          active_edge_ += edge_length(next);
          active_length_ -= edge_length(next);
          active_node_ = next;
          continue;
        }
        if (text_[tree_.nodes[next].start + active_length_] == text_[position_]) {
          ++active_length_;
          link_to(active_node_);
          break;
        }
        split(next);
      }
      --remaining_;
      if (active_node_ == 0 && active_length_ > 0) {
        --active_length_;
        active_edge_ = position_ - remaining_ + 1;
      } else {
        active_node_ = tree_.nodes[active_node_].link;
      }
    }
  }

  /// A node inside the edge to `next`, with a new leaf.
  void split(std::uint32_t next) {
    const std::uint32_t middle = add_node(tree_.nodes[next].start, active_length_);
    child(active_node_, text_[active_edge_]) = middle;
    const std::uint32_t leaf = add_node(position_, kOpen);
    child(middle, text_[position_]) = leaf;
    tree_.nodes[next].start += active_length_;
    if (tree_.nodes[next].length != kOpen) tree_.nodes[next].length -= active_length_;
    child(middle, text_[tree_.nodes[next].start]) = next;
    link_to(middle);
  }

  /// Closes the leaves' edges and fills in depths and parents.
  void finish() {
    std::vector<std::uint32_t> pending{0};
    while (!pending.empty()) {
      const std::uint32_t node = pending.back();
      pending.pop_back();
      for (std::uint8_t symbol = 0; symbol <= kEnd; ++symbol) {
        const std::uint32_t next = child(node, symbol);
        if (next == 0) continue;
        SuffixNode& n = tree_.nodes[next];
        if (n.length == kOpen) n.length = static_cast<std::uint32_t>(text_.size()) - n.start;
        n.depth = tree_.nodes[node].depth + n.length;
        tree_.ups[next].parent = node;
        pending.push_back(next);
      }
    }
  }

  std::vector<std::uint8_t> text_;
  SuffixTree tree_;
  std::uint32_t position_ = 0;
  std::uint32_t remaining_ = 0;  ///< suffixes that are in the tree only implicitly
  std::uint32_t active_node_ = 0;
  std::uint32_t active_edge_ = 0;  ///< position of its first symbol
  std::uint32_t active_length_ = 0;
  std::uint32_t needs_link_ = 0;
};

}  // namespace

SuffixTree build_suffix_tree(const std::vector<std::uint8_t>& text) { return Builder(text).build(); }

}  // namespace heddle::workloads::mummergpu
